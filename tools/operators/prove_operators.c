/* prove_operators.c -- `prove_operators PROOFS.txt FILE.rules..`: proves, by Z3, each entry of the
 * table of associative operators that PROOFS.txt lacks, and rewrites the record. Exit code 1 if an
 * entry is not proved. */
#include "tools/operators/operator_proofs.h"

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

/* Proves the entries that `before` lacks, and adds each proof to the record at once, so an
 * interrupted run loses nothing. Returns the number of unproved entries. */
static int prove(SolverProcess *solver, const OperatorSet *set, const char *before, FILE *record,
                 bool *is_proved) {
    int open = 0;
    for (size_t i = 0; i < set->entries.length; i++) {
        const OperatorEntry *entry = &set->entries.data[i];
        Arena *scratch = arena_create(&set->context->memory);
        const char *line = record_line(scratch, entry), *failed = NULL;
        is_proved[i] = strstr(before, line) != NULL;
        ProofResult result =
            is_proved[i] ? ENTRY_PROVED : entry_prove(solver, scratch, entry, &failed);
        if (!is_proved[i] && result == ENTRY_PROVED)
            fputs(line, record);
        else if (result != ENTRY_PROVED)
            printf("%s:%d: %s is %s: %s\n", entry->file, entry->line, entry->name,
                   result == ENTRY_REFUTED ? "refuted" : "not proved", failed);
        fflush(record);
        fflush(stdout);
        is_proved[i] = result == ENTRY_PROVED;
        open += !is_proved[i];
        arena_destroy(scratch);
    }
    return open;
}

/* Writes the record in the order of the entries, without removed entries. */
static bool write_record(const OperatorSet *set, const bool *is_proved, const char *path) {
    const char *beside = arena_format(set->arena, "%s.new", path);
    FILE *out = fopen(beside, "wb");
    for (size_t i = 0; out && i < set->entries.length; i++)
        if (is_proved[i])
            fputs(record_line(set->arena, &set->entries.data[i]), out);
    return out && !ferror(out) && !fclose(out) && !rename(beside, path);
}

static int run(const OperatorSet *set, const char *path) {
    const char *before = load(set->arena, path);
    bool *is_proved = arena_array(set->arena, bool, set->entries.length + 1);
    SolverProcess *solver = process_start(set->arena, "z3");
    FILE *record = fopen(path, "ab");
    int status = 3;
    if (record && solver && process_is_ready(solver, set->arena)) {
        status = prove(solver, set, before, record, is_proved) > 0;
        status = write_record(set, is_proved, path) ? status : 3;
    }
    if (status == 3)
        fprintf(stderr, "prove_operators: z3 is not installed, or the record cannot be written\n");
    if (record)
        fclose(record);
    if (solver)
        process_stop(solver);
    return status;
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
        operators_read(&set, arguments[i], load(set.arena, arguments[i]));
    for (size_t i = 0; i < set.errors.length; i++)
        fprintf(stderr, "%s\n", set.errors.data[i]);
    int status = set.errors.length ? 2 : run(&set, arguments[1]);
    context_destroy(context);
    return status;
}
