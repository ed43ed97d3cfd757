/* goals.c -- collects the proof goals of real programs, and measures the provers on them.
 *
 *     build/goals [--print] FILE.hl ..
 *
 * Lowers each program under each of its schedules. Collects every condition that the compiler asks
 * its simplifier to prove, with the facts there (each once). The decision tier labels it. Each
 * valid one then goes to the rules alone, and so does its negation, which they should refute. The
 * rules must decide no contingent one. Prints the counts; --print adds a line for each condition
 * that the rules leave open.
 */
#include "library/compiler.h"

#include "decide/decide.h"
#include "ir/print.h"
#include "ir/read.h"

#include <stdlib.h>
#include <string.h>

typedef struct Tally {
    size_t goals, unread, verdicts[4];
    size_t simplified, proved, refuted,
        decided;    /* of valid and unsatisfiable; of contingent ones */
    size_t negated; /* truths whose negation is refuted */
} Tally;

typedef struct Types {
    const char *text;
} Types;

/* Finds the type of the name in the line's first column. */
static bool name_type(void *data, Symbol name, Type *type) {
    const Types *types = data;
    size_t length = strlen(name->text);
    *type = INDEX;
    for (const char *at = types->text; (at = strstr(at, name->text)); at++) {
        bool begins = at == types->text || at[-1] == ' ';
        char word[16] = "";
        if (begins && at[length] == ':' && sscanf(at + length + 1, "%15[a-z0-9]", word) == 1)
            return type_from_name(word, type);
    }
    return true;
}

static Proof by_rules(Context *context, Pool *pool, Expr condition) {
    return simplify_prove(simplifier_create(pool, context->arena), condition);
}

static void measure(Tally *tally, char *line, bool print) {
    char *goal = strchr(line, '\t');
    Context *context = context_create();
    Pool *pool = pool_create(context, context->arena);
    *goal++ = 0;
    Types types = {line};
    Expr condition = expr_read(pool, goal, strlen(goal), name_type, &types, NOWHERE);
    tally->goals++;
    if (!condition) {
        tally->unread++;
        printf("cannot be read: %s\n", goal);
        context_destroy(context);
        return;
    }
    DecideVerdict verdict = decide(pool, context->arena, condition, NULL, DECIDE_ALONE).verdict;
    Proof proof = by_rules(context, pool, condition);
    Expr simple = simplify(simplifier_create(pool, context->arena), condition);
    tally->verdicts[verdict]++;
    if (verdict == VERDICT_CONTINGENT) {
        tally->decided += proof != PROOF_UNKNOWN;
    } else if (verdict == VERDICT_VALID) {
        tally->proved += proof == PROOF_HOLDS;
        tally->simplified += expr_is_true(simple);
        tally->negated += by_rules(context, pool, expr_not(pool, condition)) == PROOF_REFUTED;
    } else if (verdict == VERDICT_UNSATISFIABLE) {
        tally->refuted += proof == PROOF_REFUTED;
    }
    if (print && verdict != VERDICT_CONTINGENT && proof == PROOF_UNKNOWN)
        printf("%s\t%s\n",
               verdict == VERDICT_VALID           ? "true"
               : verdict == VERDICT_UNSATISFIABLE ? "false"
                                                  : "unknown",
               goal);
    context_destroy(context);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Writes the lines of all questions that lowering the file asks. */
static void ask(const char *path, FILE *goals) {
    char *text = NULL;
    size_t size = 0;
    hlc *h = hlc_create();
    hlc_lower_options options = {.until = -1};
    if (hlc_load(h, path) == HLC_YES) {
        h->context->goals = goals;
        for (size_t i = 0; i < hlc_pipeline_count(h); i++) {
            const char *pipeline = hlc_pipeline_name(h, i);
            FILE *out = open_memstream(&text, &size);
            hlc_lower(h, pipeline, NULL, &options, out);
            for (size_t k = 0; k < hlc_schedule_count(h); k++)
                if (!strcmp(hlc_schedule_pipeline(h, k), pipeline))
                    hlc_lower(h, pipeline, hlc_schedule_name(h, k), &options, out);
            fclose(out);
            free(text);
        }
    }
    hlc_destroy(h);
}

static void report(const Tally *t) {
    printf("%zu goals: %zu valid, %zu unsatisfiable, %zu contingent, %zu unknown, %zu not read\n",
           t->goals, t->verdicts[VERDICT_VALID], t->verdicts[VERDICT_UNSATISFIABLE],
           t->verdicts[VERDICT_CONTINGENT], t->verdicts[VERDICT_UNKNOWN], t->unread);
    printf("rules alone: %zu valid ones proved, %zu by simplifying; %zu of their negations and %zu "
           "unsatisfiable ones refuted; %zu contingent ones decided\n",
           t->proved, t->simplified, t->negated, t->refuted, t->decided);
}

int main(int count, char **arguments) {
    bool print = count > 1 && !strcmp(arguments[1], "--print");
    char *text = NULL, **lines;
    size_t size = 0, length = 0;
    Tally tally = {0};
    FILE *goals = open_memstream(&text, &size);
    for (int i = 1 + print; i < count; i++)
        ask(arguments[i], goals);
    fclose(goals);
    lines = malloc((size + 1) * sizeof *lines);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        lines[length++] = line;
    qsort(lines, length, sizeof *lines, by_text);
    for (size_t i = 0; i < length; i++)
        if (i + 1 == length || strcmp(lines[i], lines[i + 1]))
            measure(&tally, lines[i], print);
    report(&tally);
    free(lines);
    free(text);
    return 0;
}
