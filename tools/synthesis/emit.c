/* emit.c -- writes the rules found as a file of the rule language, each under a goal that needs it.
 * Also keeps the journal of a run: `LEFT SIDE <tab> RULE` for each candidate, with an empty rule if
 * none was found. */
#include "base/map.h"
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

/* The shortest of the goals that need the rule, or the first of the shortest. */
static const char *shortest_goal(const Synthesis *s, const FoundRule *found) {
    const char *shortest = s->goals.data[found->goals.data[0]].text;
    for (size_t i = 1; i < found->goals.length; i++) {
        const char *text = s->goals.data[found->goals.data[i]].text;
        if (strlen(text) < strlen(shortest))
            shortest = text;
    }
    return shortest;
}

void found_emit(const Synthesis *s, FILE *out) {
    fputs("# found.rules: rules that were found by synthesis, each under the shortest goal that "
          "needs it.\n"
          "# Written by `synthesize` (docs/synthesis.md); proved as all rules are.\n"
          "over integers\n",
          out);
    for (size_t i = 0; i < s->found.length; i++) {
        const FoundRule *found = &s->found.data[i];
        size_t goals = found->goals.length;
        if (goals)
            fprintf(out, "\n# needed by %zu goal%s: %s\n", goals, goals == 1 ? "" : "s",
                    shortest_goal(s, found));
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
