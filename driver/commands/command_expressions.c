/* command_expressions.c -- hlc simplify, prove, solve, assoc: answers each operand, or else each
 * line of standard input, by one line, in order, and flushes it.
 *
 * Operands are answered like lines; their faults are also reported as diagnostics, as in any
 * command. An unreadable line is answered by `error: ..`.
 */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* hlc_simplify, hlc_prove, hlc_solve or hlc_assoc. */
typedef hlc_status ExpressionAnswer(hlc *h, const char *text, const hlc_expression_options *options,
                                    FILE *out);

static hlc_status answer_line(const Command *command, ExpressionAnswer *answer,
                              const hlc_expression_options *options, const char *line) {
    hlc_status status = answer(command->h, line, options, stdout);
    if (status != HLC_YES)
        printf("error: %s\n", hlc_diagnostic_count(command->h) ? hlc_first_message(command->h)
                                                               : "there is not enough memory");
    hlc_clear_diagnostics(command->h);
    fflush(stdout);
    return status;
}

/* The worst status wins; a bad line does not stop the others. */
static hlc_status answer_lines(const Command *command, ExpressionAnswer *answer,
                               const hlc_expression_options *options) {
    char *line = NULL;
    size_t size = 0;
    hlc_status worst = HLC_YES;
    while (getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\n")] = 0;
        hlc_status status = answer_line(command, answer, options, line);
        worst = status > worst ? status : worst;
    }
    free(line);
    if (!ferror(stdin))
        return worst;
    diagnose(command, "E0801", "standard input", strerror(errno));
    return HLC_WORLD;
}

/* Answers operand `i`, from 0. Diagnostics of earlier operands are kept for the end. A fault of an
 * option (E08..) is no answer to an operand. */
static hlc_status answer_operand(const Command *command, ExpressionAnswer *answer,
                                 const hlc_expression_options *options, int i) {
    size_t before = hlc_diagnostic_count(command->h);
    hlc_status status = answer(command->h, command->operands[i], options, stdout);
    if (status == HLC_YES)
        return status;
    hlc_diagnostic fault = {.code = "", .message = "there is not enough memory"};
    if (hlc_diagnostic_count(command->h) > before)
        fault = hlc_diagnostic_at(command->h, before);
    if (strncmp(fault.code, "E08", 3) != 0)
        printf("error: operand %d: %s\n", i + 1, fault.message);
    return status;
}

static hlc_status answer_all(const Command *command, ExpressionAnswer *answer) {
    int64_t limit;
    hlc_status worst = options_number(command, OPTION_RULE_LIMIT, 0, 0, &limit);
    const char *variable;
    for (int i = 0; worst == HLC_YES && (variable = options_repeated(command, OPTION_VAR, i)); i++)
        worst = hlc_declare(command->h, variable);
    if (worst != HLC_YES)
        return worst;
    const char *const *values = command->values;
    hlc_expression_options options = {.trace = values[OPTION_TRACE_RULES] ? stderr : NULL,
                                      .statistics = values[OPTION_RULE_STATS] ? stderr : NULL,
                                      .rule_limit = (uint64_t)limit,
                                      .without_rule = values[OPTION_WITHOUT_RULE],
                                      .machine = values[OPTION_MACHINE] != NULL,
                                      .time = values[OPTION_TIME] != NULL,
                                      .witness = values[OPTION_WITNESS] != NULL,
                                      .variable = values[OPTION_FOR],
                                      .reassociation = values[OPTION_REASSOCIATION] != NULL};
    if (command->operand_count == 0)
        return answer_lines(command, answer, &options);
    for (int i = 0; i < command->operand_count; i++) {
        hlc_status status = answer_operand(command, answer, &options, i);
        worst = status > worst ? status : worst;
    }
    return worst;
}

hlc_status command_simplify(const Command *command) {
    return answer_all(command, hlc_simplify);
}

hlc_status command_prove(const Command *command) {
    return answer_all(command, hlc_prove);
}

hlc_status command_assoc(const Command *command) {
    return answer_all(command, hlc_assoc);
}

hlc_status command_solve(const Command *command) {
    if (command->values[OPTION_FOR])
        return answer_all(command, hlc_solve);
    diagnose(command, "E0823", "solve", "the variable, --for=NAME");
    return HLC_USER;
}
