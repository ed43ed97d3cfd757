/* fuzz_recurrence.c -- random recurrences: those that are valid by construction are accepted, and
 * the reference gives what literal recursion gives; those with a flaw are refused for it; of wild
 * ones none is accepted that does not come to an end inside of its domain.
 *
 * HLC_RECURRENCES=N tries so many of each kind.
 */
#include "frontend/frontend.h"
#include "checkers/fuzz/recurrence/generate_recurrence.h"
#include "checkers/reference/engine/reference.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

typedef struct CaseTrial {
    Context *context;
    Arena *arena;
    RecurrenceCase c;
    RandomSource random;
    const char *text;
    uint64_t seed;
} CaseTrial;

static int rounds(int usual) {
    const char *text = getenv("HLC_RECURRENCES");
    return text ? atoi(text) : usual;
}

static CaseTrial begin(uint64_t seed) {
    CaseTrial trial = {.context = context_create(), .random = {seed}, .seed = seed};
    trial.arena = arena_create(&trial.context->memory);
    return trial;
}

static void end(CaseTrial *trial) {
    arena_destroy(trial->arena);
    context_destroy(trial->context);
}

static const char *no_file(void *data, Arena *into, const char *path, size_t *length) {
    (void)data;
    (void)into;
    (void)path;
    *length = 0;
    return NULL;
}

static Module *load(CaseTrial *trial) {
    trial->text = recurrence_text(&trial->c);
    uint32_t file = context_add_file(trial->context, "drawn.hl", trial->text, strlen(trial->text));
    return frontend_load(trial->context, trial->arena, file, no_file, NULL);
}

static void show(const CaseTrial *trial) {
    fprintf(stderr, "seed %llu:\n%s", (unsigned long long)trial->seed, trial->text);
    diag_print_all(trial->context, stderr);
}

/* ---- values ---- */

/* One variable more on each side than the domain has. */
static Image window_of(const CaseTrial *trial, const int *lengths, int batch) {
    int64_t minimum[RECURRENCE_VARIABLES + 1], extent[RECURRENCE_VARIABLES + 1];
    for (int v = 0; v < trial->c.variables; v++) {
        minimum[v] = trial->c.minimum[v] - 1;
        extent[v] = lengths[v] + 2;
    }
    minimum[trial->c.variables] = batch;
    extent[trial->c.variables] = 1;
    Image image;
    ck_assert(
        image_allocate(&image, I32, trial->c.variables + trial->c.has_batch, minimum, extent));
    return image;
}

static size_t compare_func(const CaseTrial *trial, RecurrenceValues *values, const Image *image,
                           const int *lengths, int func) {
    int64_t at[RECURRENCE_VARIABLES + 1];
    size_t points = 0;
    memcpy(at, image->minimum, sizeof at);
    for (;; points++) {
        int index[RECURRENCE_VARIABLES];
        bool is_inside = true;
        int32_t expected = 0;
        for (int v = 0; v < trial->c.variables; v++) {
            index[v] = (int)(at[v] - trial->c.minimum[v]);
            is_inside = is_inside && index[v] >= 0 && index[v] < lengths[v];
        }
        RecurrenceAnswer answer =
            is_inside ? recurrence_value(values, func, index, &expected) : ANSWER_VALUE;
        int64_t given = bits_load(I32, image_at(image, at));
        if (answer != ANSWER_VALUE || given != expected)
            show(trial);
        ck_assert_msg(answer == ANSWER_VALUE, "f%d %s", func,
                      answer == ANSWER_CYCLE ? "needs itself" : "leaves the domain");
        ck_assert_msg(given == expected, "f%d is %d, not %d", func, (int)given, expected);
        int d = 0;
        while (d < image->dimensions && ++at[d] == image->minimum[d] + image->extent[d]) {
            at[d] = image->minimum[d];
            d++;
        }
        if (d == image->dimensions)
            return points + 1;
    }
}

/* For some lengths, 0 and 1 among them. */
static size_t compare(CaseTrial *trial, const Pipeline *pipeline) {
    RandomSource *random = &trial->random;
    Bits parameters[RECURRENCE_VARIABLES];
    int lengths[RECURRENCE_VARIABLES], batch = random_between(random, -3, 3);
    size_t points = 0;
    for (int v = 0; v < trial->c.variables; v++)
        parameters[v] = lengths[v] = random_chance(random, 15)
                                         ? random_between(random, 0, 1)
                                         : random_between(random, 2, RECURRENCE_LENGTH);
    Image outputs[RECURRENCE_FUNCS];
    for (int f = 0; f < trial->c.funcs; f++)
        outputs[f] = window_of(trial, lengths, batch);
    Arguments arguments = {parameters, NULL, outputs};
    ReferenceOptions options = {.formal = random_chance(random, 30)};
    Outcome outcome = reference_realize(pipeline, trial->arena, &arguments, &options, NULL);
    if (outcome.error)
        show(trial);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    RecurrenceValues *values = recurrence_values(&trial->c, lengths, batch);
    for (int f = 0; f < trial->c.funcs; f++) {
        points += compare_func(trial, values, &outputs[f], lengths, f);
        free(outputs[f].data);
    }
    return points;
}

START_TEST(valid_ones_are_what_recursion_says) {
    size_t points = 0;
    for (int i = 0; i < rounds(400); i++) {
        CaseTrial trial = begin(1000000 + (uint64_t)i);
        trial.c = recurrence_generate(trial.arena, &trial.random);
        const Module *module = load(&trial);
        if (!module)
            show(&trial);
        ck_assert_msg(module != NULL, "a valid recurrence is refused");
        points += compare(&trial, module->pipelines.data[0]);
        end(&trial);
    }
    printf("%zu points are what recursion says\n", points);
    ck_assert_uint_gt(points, 10000);
}
END_TEST

/* ---- what must be refused ---- */

static bool is_reported(const Context *c, const char *code) {
    for (size_t i = 0; i < c->reports.length; i++)
        if (!strcmp(diag_info(c->reports.data[i].code)->code, code))
            return true;
    return false;
}

START_TEST(a_flaw_is_refused_for_what_it_is) {
    for (int i = 0; i < rounds(400); i++) {
        CaseTrial trial = begin(2000000 + (uint64_t)i);
        trial.c = recurrence_generate(trial.arena, &trial.random);
        recurrence_add_flaw(&trial.c, &trial.random);
        const Module *module = load(&trial);
        bool is_right = !module && is_reported(trial.context, trial.c.flaw_code);
        if (!is_right)
            show(&trial);
        ck_assert_msg(is_right, "it must be refused with %s", trial.c.flaw_code);
        end(&trial);
    }
}
END_TEST

START_TEST(wild_ones_that_are_accepted_come_to_an_end) {
    size_t accepted = 0, points = 0, all = (size_t)rounds(600);
    for (size_t i = 0; i < all; i++) {
        CaseTrial trial = begin(3000000 + i);
        trial.c = recurrence_generate_wild(trial.arena, &trial.random);
        const Module *module = load(&trial);
        accepted += module != NULL;
        if (module)
            points += compare(&trial, module->pipelines.data[0]);
        end(&trial);
    }
    printf("%zu of %zu wild ones are accepted, %zu points\n", accepted, all, points);
    ck_assert_uint_gt(accepted, all / 20);
    ck_assert_uint_lt(accepted, all);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("recurrences");
    tcase_set_timeout(tests, 100000);
    tcase_add_test(tests, valid_ones_are_what_recursion_says);
    tcase_add_test(tests, a_flaw_is_refused_for_what_it_is);
    tcase_add_test(tests, wild_ones_that_are_accepted_come_to_an_end);
    return run_suite("fuzz_recurrence", tests);
}
