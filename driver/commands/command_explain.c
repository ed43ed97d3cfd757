/* command_explain.c -- hlc explain FILE [--schedule=NAME] [name=value ...], hlc explain FILE
 * --associative=FUNC, hlc explain FILE --dependences, and hlc explain CODE */
#include "driver/driver.h"

#include <string.h>

/* Reads E0101 and its like, also e0101, 0101, 101 and the beginning E01. */
static bool is_code(const char *text, char code[8]) {
    bool has_letter = text[0] == 'E' || text[0] == 'e';
    const char *digits = text + has_letter;
    size_t length = strlen(digits);
    if (length == 0 || length > 4 || strspn(digits, "0123456789") != length)
        return false;
    snprintf(code, 8, "E%s%s", !has_letter && length == 3 ? "0" : "", digits);
    return true;
}

static hlc_status explain_schedule(const Command *command) {
    hlc_arguments *fixed;
    hlc_status status = operands_bind_any(command, &fixed);
    if (status == HLC_YES && command->values[OPTION_MODEL])
        status = machine_use(command);
    if (status == HLC_YES && command->values[OPTION_MODEL])
        return hlc_explain_model(command->h, command->values[OPTION_PIPELINE],
                                 command->values[OPTION_SCHEDULE], fixed, stdout);
    if (status == HLC_YES)
        status = hlc_explain(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], fixed, stdout);
    return status;
}

hlc_status command_explain(const Command *command) {
    char code[8];
    bool is_diagnostic = command->operand_count > 0 && is_code(command->operands[0], code);
    hlc_status status = is_diagnostic ? operands_at_most(command, 1) : HLC_YES;
    if (status == HLC_YES && is_diagnostic)
        return hlc_explain_code(command->h, code, stdout);
    if (status == HLC_YES)
        status = operands_load(command);
    const char *func = command->values[OPTION_ASSOCIATIVE];
    bool dependences = command->values[OPTION_DEPENDENCES];
    if (status == HLC_YES && (func || dependences)) /* these depend on no argument */
        status = operands_are_constants(command);
    if (status == HLC_YES && func)
        return hlc_explain_associative(command->h, command->values[OPTION_PIPELINE], func, stdout);
    if (status == HLC_YES && dependences)
        return hlc_explain_dependences(command->h, command->values[OPTION_PIPELINE],
                                       command->values[OPTION_SCHEDULE], stdout);
    return status == HLC_YES ? explain_schedule(command) : status;
}
