/* command_solve.c -- hlc solve: conditions, with a variable alone on the left. */
#include "driver/driver.h"

hlc_status command_solve(const Command *command) {
    if (!command->values[OPTION_FOR]) {
        diagnose(command, "E0823", "solve", "the variable, --for=NAME");
        return HLC_USER;
    }
    return expressions_answer(command, hlc_solve);
}
