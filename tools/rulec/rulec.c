/* rulec.c -- the rule compiler. `rulec OUT.c PROOFS.txt FILE.rules..` writes the table of all
 * rules, in the order of the files and of their lines. `rulec --operators OUT.c PROOFS.txt
 * FILE.rules..` writes the table of associative operators. Exit code 1, and one line an error, if a
 * rule or an operator is refused.
 */
#include "tools/rulec/operators.h"
#include "tools/rulec/rule_set.h"

#include <string.h>

static char *load(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    Vec(char) text = {0};
    for (int c; (c = fgetc(file)) != EOF;)
        vec_push(arena, &text, (char)c);
    vec_push(arena, &text, 0);
    fclose(file);
    return text.data;
}

typedef Vec(const char *) BuildErrors;

static void cannot_read(Arena *arena, BuildErrors *errors, const char *path) {
    vec_push(arena, errors, arena_format(arena, "%s:0: the file cannot be read", path));
}

/* Prints the errors; true if there are none. */
static bool is_good(const BuildErrors *errors) {
    for (size_t i = 0; i < errors->length; i++)
        fprintf(stderr, "%s\n", errors->data[i]);
    return errors->length == 0;
}

/* Closes the output; false after reporting a failure. */
static bool is_written(FILE *out, const char *path) {
    if (out && !ferror(out) && !fclose(out))
        return true;
    fprintf(stderr, "rulec: %s cannot be written\n", path);
    return false;
}

static bool compile_rules(Arena *arena, const char *out_path, const char *proofs_path,
                          char **files) {
    RuleSet set = {.arena = arena};
    for (; *files; files++) {
        char *text = load(arena, *files);
        if (text)
            rule_read(&set, *files, text);
        else
            rule_error(&set, *files, 0, "the file cannot be read");
    }
    char *proofs = load(arena, proofs_path);
    if (proofs)
        rule_proofs_read(&set, proofs_path, proofs);
    else
        rule_error(&set, proofs_path, 0, "the file cannot be read");
    rule_commute(&set);
    rule_check(&set);
    rule_order(&set);
    rule_index_check(&set);
    BuildErrors errors = {set.errors.data, set.errors.length, set.errors.capacity};
    if (!is_good(&errors))
        return false;
    FILE *out = fopen(out_path, "wb");
    if (out)
        rule_table_write(&set, out);
    return is_written(out, out_path);
}

static bool compile_operators(Arena *arena, const char *out_path, const char *proofs_path,
                              char **files) {
    BuildErrors errors = {0};
    Context *context = context_create();
    if (!context)
        return false;
    OperatorSet set = {.context = context, .arena = arena, .pool = pool_create(context, arena)};
    for (; *files; files++) {
        char *text = load(arena, *files);
        if (text)
            operators_read(&set, *files, text);
        else
            cannot_read(arena, &errors, *files);
    }
    char *proofs = load(arena, proofs_path);
    if (proofs)
        operators_check_proofs(&set, proofs_path, proofs);
    else
        cannot_read(arena, &errors, proofs_path);
    BuildErrors own = {set.errors.data, set.errors.length, set.errors.capacity};
    bool good = is_good(&errors) & is_good(&own);
    FILE *out = good ? fopen(out_path, "wb") : NULL;
    if (out)
        operators_write(&set, out);
    good = good && is_written(out, out_path);
    context_destroy(context);
    return good;
}

int main(int argc, char **argv) {
    Memory memory = {.fail_after = -1};
    bool operators = argc > 1 && !strcmp(argv[1], "--operators");
    if (argc < 4 + operators) {
        fprintf(stderr, "usage: rulec [--operators] OUT.c PROOFS.txt FILE.rules..\n");
        return 2;
    }
    char **arguments = argv + 1 + operators;
    Arena *arena = arena_create(&memory);
    bool done = (operators ? compile_operators : compile_rules)(arena, arguments[0], arguments[1],
                                                                arguments + 2);
    arena_destroy(arena);
    return !done;
}
