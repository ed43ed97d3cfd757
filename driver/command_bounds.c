/* command_bounds.c -- hlc bounds FILE [--schedule=NAME] */
#include "driver/driver.h"

hlc_status command_bounds(const Command *command) {
    hlc_status status = operands_at_most(command, 1);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status = hlc_bounds(command->h, command->values[OPTION_PIPELINE],
                            command->values[OPTION_SCHEDULE], stdout);
    return status;
}
