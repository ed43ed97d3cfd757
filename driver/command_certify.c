/* command_certify.c -- hlc certify FILE [--schedule=NAME] [--certificate=OUT] [name=value ...] */
#include "driver/driver.h"

static hlc_status bind(const Command *command, hlc_arguments **fixed) {
    if (command->operand_count < 2)
        return HLC_YES;
    *fixed = hlc_arguments_create(command->h, command->values[OPTION_PIPELINE]);
    return *fixed ? operands_bind(command, 1, *fixed) : HLC_USER;
}

hlc_status command_certify(const Command *command) {
    hlc_certify_options options = {.json = command->values[OPTION_JSON] != NULL,
                                   .solver = command->values[OPTION_SOLVER]};
    hlc_arguments *fixed = NULL;
    hlc_status status = operands_load(command);
    if (status == HLC_YES)
        status = bind(command, &fixed);
    if (status == HLC_YES)
        status = hlc_certify(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], &options, fixed, stdout);
    return status;
}
