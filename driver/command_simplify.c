/* command_simplify.c -- hlc simplify: one expression a line, from the operands or standard input.
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r\n")] == 0;
}

/* The worst status wins; a bad line does not stop the others. */
static hlc_status simplify_lines(const Command *command) {
    char *line = NULL;
    size_t size = 0;
    hlc_status worst = HLC_YES;
    while (getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\n")] = 0;
        hlc_status status = is_blank(line) ? HLC_YES : hlc_simplify(command->h, line, stdout);
        worst = status > worst ? status : worst;
    }
    free(line);
    return worst;
}

hlc_status command_simplify(const Command *command) {
    hlc_status worst = HLC_YES;
    if (command->operand_count == 0)
        return simplify_lines(command);
    for (int i = 0; i < command->operand_count; i++) {
        hlc_status status = hlc_simplify(command->h, command->operands[i], stdout);
        worst = status > worst ? status : worst;
    }
    return worst;
}
