/* command_moves.c -- hlc moves FILE [--pipeline=NAME] [--schedule=NAME] [--json] */
#include "driver/driver.h"

hlc_status command_moves(const Command *command) {
    hlc_status status = operands_load_alone(command);
    if (status == HLC_YES)
        status = hlc_moves(command->h, command->values[OPTION_PIPELINE],
                           command->values[OPTION_SCHEDULE], command->values[OPTION_JSON] != NULL,
                           stdout);
    return status;
}
