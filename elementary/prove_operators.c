/* prove_operators.c -- `prove_operators PROOFS.txt FILE.rules..`: asks Z3 for the proof of each
 * entry of the table of associative operators that PROOFS.txt does not have, and writes the record
 * anew.  Exit code 1 where one is not proved. */
#include "elementary/elementary.h"

#include <stdlib.h>
#include <string.h>

static char *load(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    if (!file || getdelim(&text, &size, 0, file) < 0)
        text = strdup("");
    if (file)
        fclose(file);
    char *kept = arena_text(arena, text, strlen(text));
    free(text);
    return kept;
}

static char *record_line(Arena *arena, const OperatorEntry *entry) {
    return arena_format(arena, "%s proved %016llx\n", entry->name,
                        (unsigned long long)operator_hash(entry));
}

/* Proves what `before` does not say; the number of entries that are not proved. */
static int prove(SolverProcess *solver, const OperatorSet *set, const char *before, FILE *out) {
    int open = 0;
    for (size_t i = 0; i < set->entries.length; i++) {
        const OperatorEntry *entry = &set->entries.data[i];
        Arena *scratch = arena_create(&set->context->memory);
        const char *line = record_line(scratch, entry), *failed = NULL;
        ProofResult result =
            strstr(before, line) ? ENTRY_PROVED : entry_prove(solver, scratch, entry, &failed);
        if (result == ENTRY_PROVED)
            fputs(line, out);
        else
            printf("%s:%d: %s is %s: %s\n", entry->file, entry->line, entry->name,
                   result == ENTRY_REFUTED ? "refuted" : "not proved", failed);
        fflush(out);
        fflush(stdout);
        open += result != ENTRY_PROVED;
        arena_destroy(scratch);
    }
    return open;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: prove_operators PROOFS.txt FILE.rules..\n");
        return 2;
    }
    Context *context = context_create();
    OperatorSet set = {.context = context, .arena = context->arena};
    set.pool = pool_create(context, context->arena);
    for (int i = 2; i < count; i++)
        operators_read(&set, arguments[i], load(set.arena, arguments[i]), false);
    for (size_t i = 0; i < set.errors.length; i++)
        fprintf(stderr, "%s\n", set.errors.data[i]);
    const char *before = load(set.arena, arguments[1]);
    SolverProcess *solver = process_start(set.arena, "z3");
    FILE *out = fopen(arguments[1], "wb");
    int status = set.errors.length ? 2 : 3;
    if (solver && process_is_ready(solver, set.arena) && out && !set.errors.length)
        status = prove(solver, &set, before, out) > 0;
    else
        fprintf(stderr, "prove_operators: z3 is not installed, or the record cannot be written\n");
    if (out)
        status = fclose(out) ? 3 : status;
    if (solver)
        process_stop(solver);
    context_destroy(context);
    return status;
}
