/* command_bounds.c -- hlc bounds FILE [--schedule=NAME] */
#include "driver/driver.h"

hlc_status command_bounds(const Command *command) {
    hlc_status status = operands_load_alone(command);
    if (status == HLC_YES)
        status = hlc_bounds(command->h, command->values[OPTION_PIPELINE],
                            command->values[OPTION_SCHEDULE], stdout);
    return status;
}
