/* tables_print.c -- prints the compiler's tables as they are linked, for tests that compare them
 * with files (`hlc --tables`).
 *
 * One line a row: the table's name, then the row's fields, separated by tabs.
 */
#include "fuzz/fuzz.h"

#include "schedule/schedule.h"

static void print_directives(FILE *out) {
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++) {
        const DirectiveInfo *info = directive_info((DirectiveKind)kind);
        fprintf(out, "directive\t%s\t%s\t%d\t%s\n", info->text, info->name, (int)info->phase,
                info->arguments);
    }
}

void fuzz_print_tables(FILE *out) {
    print_directives(out);
}
