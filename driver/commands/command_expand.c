/* command_expand.c -- hlc expand FILE [name=value ..] */
#include "driver/driver.h"

hlc_status command_expand(const Command *command) {
    hlc_status status = operands_load_alone(command);
    return status == HLC_YES ? hlc_expand(command->h, stdout) : status;
}
