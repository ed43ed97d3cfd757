/* command_contract.c -- hlc contract FILE [--schedule=NAME] [--against=NAME] [name=value ...] */
#include "driver/driver.h"

hlc_status command_contract(const Command *command) {
    hlc_contract_options options = {.against = command->values[OPTION_CONTRACT_AGAINST],
                                    .json = command->values[OPTION_JSON] != NULL,
                                    .for_people = !command->values[OPTION_ALL]};
    hlc_status status = operands_load(command);
    if (status == HLC_YES)
        status = operands_bind_any(command, &options.arguments);
    if (status == HLC_YES)
        status = hlc_contract(command->h, command->values[OPTION_PIPELINE],
                              command->values[OPTION_SCHEDULE], &options, stdout);
    return status;
}
