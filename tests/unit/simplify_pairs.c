/* Runs tests/simplify: files of lines
 *
 *   in => out        simplifies to exactly this (which is then stable)
 *   in =/=> out      does not; a counterexample to a tempting rule
 *   prove e          holds for all values;  refute e: for none;  unknown e: neither is found
 *   given e          a fact for the lines that follow, up to an empty line
 *   # comment
 *
 * Names are of sort index, but for those that end in a type: `v_u8`, `c_bool`.
 */
#include "ir/print.h"
#include "ir/read.h"
#include "simplify/simplify.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Pool *pool;
static Simplifier *simplifier;
static const char *file_name;
static int line_number, checks, failures;

static bool name_type(void *data, Symbol name, Type *type) {
    (void)data;
    const char *suffix = strrchr(name->text, '_');
    *type = INDEX;
    if (suffix)
        type_from_name(suffix + 1, type);
    return true;
}

static Expr read_expr(const char *text, size_t length) {
    return expr_read(pool, text, length, name_type, NULL, NOWHERE);
}

static void fail(const char *what, const char *text, Expr found) {
    failures++;
    fprintf(stderr, "%s:%d: %s: %s\n", file_name, line_number, what, text);
    if (found)
        fprintf(stderr, "  found %s\n", expr_text(context->arena, found));
}

static void check_pair(const char *line, const char *arrow, bool equal) {
    const char *right = arrow + (equal ? 2 : 4);
    Expr in = read_expr(line, (size_t)(arrow - line)), out = read_expr(right, strlen(right));
    if (!in || !out) {
        fail("cannot be read", line, NULL);
        return;
    }
    Expr found = simplify(simplifier, in);
    if ((found == out) != equal)
        fail(equal ? "is not simplified so" : "must not be simplified so", line, found);
    if (equal && simplify(simplifier_create(pool, context->arena), out) != out)
        fail("the result is not stable", line, NULL);
}

static void check_proof(const char *line, const char *text, Proof wanted) {
    Expr condition = read_expr(text, strlen(text));
    if (!condition)
        fail("cannot be read", line, NULL);
    else if (simplify_prove(simplifier, condition) != wanted)
        fail("the proof's answer is another", line, simplify(simplifier, condition));
}

static bool starts(const char *line, const char *word, const char **rest) {
    size_t length = strlen(word);
    *rest = line + length;
    return !strncmp(line, word, length);
}

static void check_line(const char *line) {
    const char *rest, *arrow;
    checks++;
    if (starts(line, "given ", &rest)) {
        Expr fact = read_expr(rest, strlen(rest));
        if (fact)
            simplifier_learn(simplifier, fact);
        else
            fail("cannot be read", line, NULL);
    } else if (starts(line, "prove ", &rest)) {
        check_proof(line, rest, PROOF_HOLDS);
    } else if (starts(line, "refute ", &rest)) {
        check_proof(line, rest, PROOF_REFUTED);
    } else if (starts(line, "unknown ", &rest)) {
        check_proof(line, rest, PROOF_UNKNOWN);
    } else if ((arrow = strstr(line, "=/=>"))) {
        check_pair(line, arrow, false);
    } else if ((arrow = strstr(line, "=>"))) {
        check_pair(line, arrow, true);
    } else {
        fail("is no test", line, NULL);
    }
}

static void check_file(const char *path) {
    FILE *file = fopen(path, "r");
    char line[4096];
    FactMark mark = simplifier_mark(simplifier);
    line_number = 0;
    while (file && fgets(line, sizeof line, file)) {
        line_number++;
        line[strcspn(line, "#\n")] = 0;
        size_t blank = strspn(line, " ");
        if (line[blank])
            check_line(line + blank);
        else
            simplifier_release(simplifier, mark);
    }
    if (file)
        fclose(file);
    simplifier_release(simplifier, mark);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_test(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".t");
}

int main(void) {
    struct dirent **entries;
    int count = scandir(TEST_SOURCE_DIR "/simplify", &entries, is_test, by_name);
    for (int i = 0; i < count; i++) {
        context = context_create();
        context->checks_order = true;
        pool = pool_create(context, context->arena);
        simplifier = simplifier_create(pool, context->arena);
        file_name = entries[i]->d_name;
        check_file(arena_format(context->arena, TEST_SOURCE_DIR "/simplify/%s", file_name));
        if (context->error_count)
            diag_print_all(context, stderr);
        context_destroy(context);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    printf("%d checks in %d files, %d failures\n", checks, count, failures);
    return failures || checks < 100;
}
