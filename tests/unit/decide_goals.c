/* Runs tests/decide: files of lines
 *
 *   true e, false e, contingent e    what the decision tier says of the condition, by itself
 *   given e                          a fact for the lines that follow, up to an empty line
 *   # comment
 *
 * and asks the rules too, which may find nothing but the same.  Names are of sort index, but for
 * those that end in a type: `v_u8`, `c_bool`.
 */
#include "decide/decide.h"
#include "ir/print.h"
#include "ir/read.h"
#include "simplify/simplify.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Pool *pool;
static Simplifier *simplifier;
static Exprs facts;
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

static void fail(const char *what, const char *line) {
    failures++;
    fprintf(stderr, "%s:%d: %s: %s\n", file_name, line_number, what, line);
}

static void check_condition(const char *line, Expr condition, DecideVerdict wanted) {
    static const char *const NAMES[] = {"unknown", "true", "false", "contingent"};
    Decision decision = decide(pool, context->arena, condition, &facts, DECIDE_ALONE);
    if (decision.verdict != wanted)
        fail(arena_format(context->arena, "the tier says %s", NAMES[decision.verdict]), line);
    if ((wanted == VERDICT_CONTINGENT) != (decision.holds_at && decision.fails_at))
        fail("witnesses are for contingent conditions", line);
    Proof proof = simplify_prove(simplifier, condition);
    if ((proof == PROOF_HOLDS && wanted != VERDICT_VALID) ||
        (proof == PROOF_REFUTED && wanted != VERDICT_UNSATISFIABLE))
        fail("the rules say otherwise", line);
}

static void check_line(const char *line) {
    static const struct {
        const char *word;
        DecideVerdict verdict; /* UNKNOWN: given */
    } WORDS[] = {{"true ", VERDICT_VALID},
                 {"false ", VERDICT_UNSATISFIABLE},
                 {"contingent ", VERDICT_CONTINGENT},
                 {"given ", VERDICT_UNKNOWN}};
    checks++;
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(WORDS[i].word);
        if (strncmp(line, WORDS[i].word, length) != 0)
            continue;
        Expr e = expr_read(pool, line + length, strlen(line + length), name_type, NULL, NOWHERE);
        if (!e)
            fail("cannot be read", line);
        else if (WORDS[i].verdict != VERDICT_UNKNOWN)
            check_condition(line, e, WORDS[i].verdict);
        else {
            vec_push(context->arena, &facts, e);
            simplifier_learn(simplifier, e);
        }
        return;
    }
    fail("is no test", line);
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
        if (line[blank]) {
            check_line(line + blank);
        } else {
            simplifier_release(simplifier, mark);
            facts.length = 0;
        }
    }
    if (file)
        fclose(file);
    simplifier_release(simplifier, mark);
    facts.length = 0;
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
    int count = scandir(TEST_SOURCE_DIR "/decide", &entries, is_test, by_name);
    for (int i = 0; i < count; i++) {
        context = context_create();
        pool = pool_create(context, context->arena);
        simplifier = simplifier_create(pool, context->arena);
        file_name = entries[i]->d_name;
        facts = (Exprs){0};
        check_file(arena_format(context->arena, TEST_SOURCE_DIR "/decide/%s", file_name));
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
