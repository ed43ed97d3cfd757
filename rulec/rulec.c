/* rulec.c -- the rule compiler: `rulec OUT.c PROOFS.txt FILE.rules..` writes the table of all
 * rules, in the order of the files and of the lines.  Exit code 1, and one line an error, where a
 * rule is refused.
 */
#include "rulec/rule_set.h"

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

int main(int argc, char **argv) {
    Memory memory = {.fail_after = -1};
    if (argc < 4) {
        fprintf(stderr, "usage: rulec OUT.c PROOFS.txt FILE.rules..\n");
        return 2;
    }
    RuleSet set = {.arena = arena_create(&memory)};
    for (int i = 3; i < argc; i++) {
        char *text = load(set.arena, argv[i]);
        if (text)
            rule_read(&set, argv[i], text);
        else
            rule_error(&set, argv[i], 0, "the file cannot be read");
    }
    char *proofs = load(set.arena, argv[2]);
    if (proofs)
        rule_proofs_read(&set, argv[2], proofs);
    else
        rule_error(&set, argv[2], 0, "the file cannot be read");
    rule_commute(&set);
    rule_check(&set);
    rule_order(&set);
    FILE *out = NULL;
    rule_index_check(&set);
    if (!set.errors.length && (out = fopen(argv[1], "wb")))
        rule_table_write(&set, out);
    for (size_t i = 0; i < set.errors.length; i++)
        fprintf(stderr, "%s\n", set.errors.data[i]);
    bool written = out && !ferror(out) && !fclose(out);
    if (!written && !set.errors.length)
        fprintf(stderr, "rulec: %s cannot be written\n", argv[1]);
    arena_destroy(set.arena);
    return !written;
}
