/* command_simplify.c -- hlc simplify: expressions, simplified. */
#include "driver/driver.h"

hlc_status command_simplify(const Command *command) {
    return expressions_answer(command, hlc_simplify);
}
