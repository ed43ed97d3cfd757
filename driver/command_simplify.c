/* command_simplify.c -- hlc simplify: one expression a line, from the operands or standard input.
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r\n")] == 0;
}

/* The worst status wins; a bad line does not stop the others. */
static hlc_status simplify_lines(const Command *command, const hlc_simplify_options *options) {
    char *line = NULL;
    size_t size = 0;
    hlc_status worst = HLC_YES;
    while (getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\n")] = 0;
        hlc_status status =
            is_blank(line) ? HLC_YES : hlc_simplify(command->h, line, options, stdout);
        worst = status > worst ? status : worst;
    }
    free(line);
    return worst;
}

hlc_status command_simplify(const Command *command) {
    int64_t limit;
    hlc_status worst = options_number(command, OPTION_RULE_LIMIT, 0, 0, &limit);
    if (worst != HLC_YES)
        return worst;
    hlc_simplify_options options = {.trace = command->values[OPTION_TRACE_RULES] ? stderr : NULL,
                                    .statistics =
                                        command->values[OPTION_RULE_STATS] ? stderr : NULL,
                                    .rule_limit = (uint64_t)limit,
                                    .without_rule = command->values[OPTION_WITHOUT_RULE]};
    if (command->operand_count == 0)
        return simplify_lines(command, &options);
    for (int i = 0; i < command->operand_count; i++) {
        hlc_status status = hlc_simplify(command->h, command->operands[i], &options, stdout);
        worst = status > worst ? status : worst;
    }
    return worst;
}
