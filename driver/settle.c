/* settle.c -- gives the settings of a command line to a compiler, and prints what it has to report. */
#include "driver/driver.h"

hlc_status command_settle(const Command *command) {
    hlc_status status = limits_apply(command);
    if (status == HLC_YES && command->values[OPTION_CERTIFY])
        status = hlc_set_certify(command->h, true, command->values[OPTION_SOLVER]);
    if (status == HLC_YES && (command->values[OPTION_WINDOWS] || command->values[OPTION_DOMAIN]))
        status = hlc_use_windows(command->h);
    if (status == HLC_YES && command->values[OPTION_TIMES])
        status = hlc_measure_times(command->h);
    return status;
}

/* A warning or note that is denied is an error, also where it comes after the last call. */
static hlc_status with_denied(const Command *command, hlc_status status) {
    for (size_t i = 0; status == HLC_YES && i < hlc_diagnostic_count(command->h); i++)
        if (hlc_diagnostic_at(command->h, i).severity == HLC_ERROR)
            status = HLC_USER;
    return status;
}

/* Prints the diagnostics. If there are none, memory ran out. */
static void print_reasons(const Command *command, hlc_status status) {
    if (status == HLC_WORLD && hlc_diagnostic_count(command->h) == 0)
        fputs("hlc: there is not enough memory\n", stderr);
    else if (command->values[OPTION_JSON])
        hlc_print_diagnostics_json(command->h, stderr);
    else
        hlc_print_diagnostics(command->h, stderr);
}

hlc_status command_report(const Command *command, hlc_status status) {
    if (command->values[OPTION_JSON])
        hlc_print_times_json(command->h, stderr);
    else
        hlc_print_times(command->h, stderr);
    status = with_denied(command, status);
    print_reasons(command, status);
    return status;
}
