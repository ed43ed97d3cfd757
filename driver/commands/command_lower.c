/* command_lower.c -- hlc lower FILE [--after=PASS] [--schedule=NAME] [--until=N] */
#include "driver/driver.h"

hlc_status command_lower(const Command *command) {
    hlc_lower_options options = {.after = command->values[OPTION_AFTER]};
    hlc_status status = options_number(command, OPTION_UNTIL, 0, -1, &options.until);
    if (status == HLC_YES)
        status = operands_load_alone(command);
    if (status == HLC_YES)
        status = hlc_lower(command->h, command->values[OPTION_PIPELINE],
                           command->values[OPTION_SCHEDULE], &options, stdout);
    return status;
}
