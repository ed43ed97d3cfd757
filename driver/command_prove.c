/* command_prove.c -- hlc prove: does a condition hold for all values of its names, or for none? */
#include "driver/driver.h"

hlc_status command_prove(const Command *command) {
    return expressions_answer(command, hlc_prove);
}
