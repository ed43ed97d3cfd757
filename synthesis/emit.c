/* emit.c -- the rules found, as a file of the rule language, each under the goals that it settles;
 * and the journal of a run: `LEFT SIDE <tab> RULE` a candidate, the rule empty where none was
 * found. */
#include "base/map.h"
#include "synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN 2 /* goals of one rule */

void found_emit(const Synthesis *s, FILE *out) {
    fputs("# found.rules: rules that were found by synthesis, each with goals that need it.\n"
          "# Written by `synthesize` (docs/synthesis.md); proved as all rules are.\n"
          "over integers\n",
          out);
    for (size_t i = 0; i < s->found.length; i++) {
        const FoundRule *found = &s->found.data[i];
        fprintf(out, "\n# settles %zu goals:\n", found->goals.length);
        for (size_t k = 0; k < found->goals.length && k < MOST_SHOWN; k++)
            fprintf(out, "#   %s\n", s->goals.data[found->goals.data[k]].text);
        fprintf(out, "found_%zu  %s\n", i + 1, found->text);
    }
}

struct Journal {
    Synthesis *synthesis;
    FILE *file;
    Map outcomes; /* the left side, as a symbol -> the rule's text */
};

static void read_line(Journal *journal, char *line) {
    Synthesis *s = journal->synthesis;
    char *tab = strchr(line, '\t');
    size_t length = strlen(line);
    if (!tab || line[length - 1] != '\n') /* a line cut short by the end of that run */
        return;
    line[length - 1] = 0;
    *tab = 0;
    map_put(&journal->outcomes, context_symbol(s->context, line),
            arena_text(s->arena, tab + 1, strlen(tab + 1)));
}

Journal *journal_open(Synthesis *s, const char *path) {
    Journal *journal = arena_new(s->arena, Journal);
    journal->synthesis = s;
    journal->outcomes = map_create(s->arena);
    FILE *earlier = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    while (earlier && getline(&line, &size, earlier) >= 0)
        read_line(journal, line);
    free(line);
    if (earlier)
        fclose(earlier);
    journal->file = fopen(path, "a");
    return journal->file ? journal : NULL;
}

const char *journal_outcome(const Journal *journal, const char *left) {
    return map_get(&journal->outcomes, context_symbol(journal->synthesis->context, left));
}

void journal_add(Journal *journal, const char *left, const char *outcome) {
    fprintf(journal->file, "%s\t%s\n", left, outcome);
    fflush(journal->file);
}
