/* command_explain.c -- hlc explain FILE [--schedule=NAME] [name=value ...], hlc explain FILE
 * --associative=FUNC, hlc explain FILE --dependences, and hlc explain CODE */
#include "driver/driver.h"

#include <string.h>

/* E0101 and its like. */
static bool is_code(const char *text) {
    return strlen(text) == 5 && text[0] == 'E' && strspn(text + 1, "0123456789") == 4;
}

static hlc_status explain_schedule(const Command *command) {
    hlc_arguments *fixed;
    hlc_status status = operands_bind_any(command, &fixed);
    if (status == HLC_YES)
        status = hlc_explain(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], fixed, stdout);
    return status;
}

hlc_status command_explain(const Command *command) {
    bool is_diagnostic = command->operand_count > 0 && is_code(command->operands[0]);
    hlc_status status = is_diagnostic ? operands_at_most(command, 1) : HLC_YES;
    if (status == HLC_YES && is_diagnostic)
        return hlc_explain_code(command->h, command->operands[0], stdout);
    if (status == HLC_YES)
        status = operands_load(command);
    const char *func = command->values[OPTION_ASSOCIATIVE];
    bool dependences = command->values[OPTION_DEPENDENCES];
    if (status == HLC_YES && (func || dependences)) /* these depend on no argument */
        status = operands_at_most(command, 1);
    if (status == HLC_YES && func)
        return hlc_explain_associative(command->h, command->values[OPTION_PIPELINE], func, stdout);
    if (status == HLC_YES && dependences)
        return hlc_explain_dependences(command->h, command->values[OPTION_PIPELINE],
                                       command->values[OPTION_SCHEDULE], stdout);
    return status == HLC_YES ? explain_schedule(command) : status;
}
