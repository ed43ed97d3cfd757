/* tables.c -- prints the tables of operators, directives and diagnostics, for tests and editors:
 * `hlc --tables`.
 *
 * A line is a row: the name of its table, then the columns of its X-macro file.
 */
#include "include/hlc.h"

#include "base/diag.h"

static void print_operators(FILE *out) {
    static const char *const rows[] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, REGION, EMIT)  \
#NAME " " TEXT " " #FORM " " #ARITY " " #SMT " " #TERM " " #INTERVAL " " #REGION " " #EMIT,
#include "ir/ops.def"
#undef OP
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "operator %s\n", rows[i]);
}

static void print_directives(FILE *out) {
    static const char *const rows[] = {
#define DIRECTIVE(NAME, TEXT, PHASE, ARGUMENTS, SENTENCE, DOES, CANDIDATES)                        \
#NAME " " TEXT " " #PHASE " " ARGUMENTS " " #DOES " " #CANDIDATES " " SENTENCE,
#include "schedule/directives.def"
#undef DIRECTIVE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "directive %s\n", rows[i]);
}

static void print_diagnostics(FILE *out) {
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagInfo *info = diag_info((DiagCode)i);
        fprintf(out, "diagnostic %s %s %s\n", info->code, info->name, info->message);
    }
}

void hlc_print_tables(FILE *out) {
    if (!out)
        return;
    print_operators(out);
    print_directives(out);
    print_diagnostics(out);
}
