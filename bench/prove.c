/* prove.c -- measures the cost of proofs. Reads a condition a line from standard input (lines that
 * begin with `#` are skipped). Answers each by the rules alone, by the decision tier alone, and as
 * the compiler asks them, one after the other. Prints a line a condition; at the end the counts of
 * the answers, and the median, the mean, the 99th percentile and the maximum of the times.
 *
 *     build/prove [--unknown] < FILE      --unknown: lines that were proved are not printed
 *     build/prove --simplify=ROUNDS < FILE
 *
 * The second form only simplifies, as `hlc simplify` does. Each condition is read ROUNDS times into
 * its own pool. Its least time counts: the others measure the machine.
 */
#include "decide/decide.h"
#include "ir/read.h"
#include "simplify/simplify.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RULES, TIER, BOTH, WAY_COUNT };
static const char *const WAYS[] = {"rules", "tier", "both"};
static const char *const ANSWERS[] = {"unknown", "true", "false", "contingent"};

typedef struct Times {
    double *data;
    size_t length;
    size_t answers[4];
} Times;

typedef struct Lines {
    char **data;
    size_t length;
} Lines;

static void add(Lines *lines, const char *line) {
    lines->data = realloc(lines->data, (lines->length + 1) * sizeof(char *));
    lines->data[lines->length++] = strdup(line);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* other processes do not count */
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double wall(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time); /* no system call here: it would count in the time */
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int answer(Context *context, Pool *pool, Expr condition, int way) {
    int result = 0;
    if (way != TIER) {
        Proof proof = simplify_prove(simplifier_create(pool, context->arena), condition);
        result = proof == PROOF_HOLDS ? 1 : proof == PROOF_REFUTED ? 2 : 0;
    }
    if (way != RULES && !result)
        result = (int)decide(pool, context->arena, condition, NULL, DECIDE_ALONE).verdict;
    return result;
}

static void ask(const char *line, Times *times, bool only_unknown) {
    Context *context = context_create();
    Pool *pool = pool_create(context, context->arena);
    Expr condition = expr_read(pool, line, strlen(line), NULL, NULL, NOWHERE);
    int answers[WAY_COUNT];
    double spent[WAY_COUNT];
    for (int way = 0; condition && way < WAY_COUNT; way++) {
        double begin = now();
        answers[way] = answer(context, pool, condition, way);
        spent[way] = now() - begin;
        times[way].answers[answers[way]]++;
        times[way].data = realloc(times[way].data, (times[way].length + 1) * sizeof(double));
        times[way].data[times[way].length++] = spent[way];
    }
    if (!condition)
        printf("error: %s\n", line);
    else if (!only_unknown || answers[TIER] == 0)
        for (int way = 0; way < WAY_COUNT; way++)
            printf("%-10s %9.1f  %s", ANSWERS[answers[way]], spent[way],
                   way + 1 < WAY_COUNT ? "" : line);
    if (condition && (!only_unknown || answers[TIER] == 0))
        putchar('\n');
    context_destroy(context);
}

/* Runs round by round, so a busy period of the machine does not hit only one condition. */
static void simplify_all(const Lines *lines, int rounds, Times *times) {
    times->length = lines->length;
    times->data = calloc(lines->length + 1, sizeof(double));
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < lines->length; i++) {
            Context *context = context_create();
            Pool *pool = pool_create(context, context->arena);
            const char *line = lines->data[i];
            Expr condition = expr_read(pool, line, strlen(line), NULL, NULL, NOWHERE);
            Simplifier *simplifier = simplifier_create(pool, context->arena);
            double begin = wall();
            Expr result = condition ? simplify(simplifier, condition) : NULL;
            double spent = wall() - begin;
            if (round == 0 && result)
                times->answers[expr_is_true(result) ? 1 : expr_is_false(result) ? 2 : 0]++;
            if (round == 0 || spent < times->data[i])
                times->data[i] = spent;
            context_destroy(context);
        }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *way, Times *t) {
    double sum = 0;
    qsort(t->data, t->length, sizeof(double), by_value);
    printf("%-8s", way);
    for (int i = 0; i < 4; i++)
        printf("  %s %zu", ANSWERS[i], t->answers[i]);
    for (size_t i = 0; i < t->length; i++)
        sum += t->data[i];
    if (t->length)
        printf("; us: median %.1f, mean %.1f, 99 of 100 under %.1f, at most %.1f",
               t->data[t->length / 2], sum / (double)t->length, t->data[t->length * 99 / 100],
               t->data[t->length - 1]);
    putchar('\n');
    free(t->data);
}

int main(int count, char **arguments) {
    Times times[WAY_COUNT] = {0}, simplified = {0};
    Lines lines = {0};
    const char *option = count > 1 ? arguments[1] : "";
    int rounds = !strncmp(option, "--simplify=", 11) ? atoi(option + 11) : 0;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || line[0] == 0)
            continue;
        if (rounds)
            add(&lines, line);
        else
            ask(line, times, !strcmp(option, "--unknown"));
    }
    simplify_all(&lines, rounds, &simplified);
    if (rounds)
        report("simplify", &simplified);
    for (int way = 0; way < WAY_COUNT && !rounds; way++)
        report(WAYS[way], &times[way]);
    for (size_t i = 0; i < lines.length; i++)
        free(lines.data[i]);
    free(lines.data);
    free(line);
    return 0;
}
