/* command_explain.c -- hlc explain FILE --schedule=NAME, and hlc explain CODE */
#include "driver/driver.h"

#include <string.h>

/* E0101 and its like. */
static bool is_code(const char *text) {
    return strlen(text) == 5 && text[0] == 'E' && strspn(text + 1, "0123456789") == 4;
}

hlc_status command_explain(const Command *command) {
    hlc_status status = operands_at_most(command, 1);
    if (status != HLC_YES)
        return status;
    if (command->operand_count == 1 && is_code(command->operands[0]))
        return hlc_explain_code(command->h, command->operands[0], stdout);
    status = operands_load(command);
    if (status == HLC_YES && !command->values[OPTION_SCHEDULE]) {
        diagnose(command, "E0823", command->name, "--schedule=NAME");
        return HLC_USER;
    }
    if (status == HLC_YES)
        status = hlc_explain(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], stdout);
    return status;
}
