/* command_rules.c -- hlc rules [NAME ..]: the documentation of all rules, or of those that are
 * named. */
#include "driver/driver.h"

hlc_status command_rules(const Command *command) {
    bool json = command->values[OPTION_JSON] != NULL;
    if (command->operand_count == 0)
        return hlc_rules(command->h, NULL, json, stdout);
    hlc_status status = HLC_YES;
    for (int i = 0; i < command->operand_count && status == HLC_YES; i++)
        status = hlc_rules(command->h, command->operands[i], json, stdout);
    return status;
}
