/* command_assoc.c -- hlc assoc: are operators associative? */
#include "driver/driver.h"

hlc_status command_assoc(const Command *command) {
    return expressions_answer(command, hlc_assoc);
}
