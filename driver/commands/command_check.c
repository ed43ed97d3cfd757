/* command_check.c -- hlc check FILE [--pipeline=P] [--schedule=S] [name=value ...] */
#include "driver/driver.h"

hlc_status command_check(const Command *command) {
    int64_t seed, rounds;
    hlc_status status = options_number(command, OPTION_SEED, 0, 1, &seed);
    if (status == HLC_YES)
        status = options_number(command, OPTION_ROUNDS, 1, 0, &rounds);
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = options_compiler(command, true);
    if (status == HLC_YES)
        status = operands_load(command);
    hlc_arguments *fixed;
    if (status == HLC_YES)
        status = operands_bind_any(command, &fixed);
    if (status != HLC_YES)
        return status;
    hlc_check_options options = {.pipeline = command->values[OPTION_PIPELINE],
                                 .schedule = command->values[OPTION_SCHEDULE],
                                 .seed = (uint64_t)seed,
                                 .json = command->values[OPTION_JSON] != NULL,
                                 .rounds = rounds < 1000000 ? (int)rounds : 1000000};
    return hlc_check(command->h, &options, fixed, stdout);
}
