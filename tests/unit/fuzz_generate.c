/* The fuzzer's generator: its algorithms are valid by construction, and a seed is a case. */
#include "frontend/frontend.h"
#include "checkers/fuzz/coverage.h"
#include "lower/lower.h"

#include "tests/unit/share.h"
#include "suite.h"

#include <check.h>
#include <string.h>

/* A share takes fewer seeds. */
static uint64_t seed_step(void) {
    return share() > 1 ? 4 : 1;
}

START_TEST(a_seed_is_a_case) {
    Context *context = context_create();
    for (uint64_t seed = 0; seed < 50; seed += seed_step())
        ck_assert_str_eq(case_text(context->arena, case_generate(context->arena, seed, CASE_ANY)),
                         case_text(context->arena, case_generate(context->arena, seed, CASE_ANY)));
    ck_assert_str_ne(case_text(context->arena, case_generate(context->arena, 1, CASE_ANY)),
                     case_text(context->arena, case_generate(context->arena, 2, CASE_ANY)));
    context_destroy(context);
}
END_TEST

/* The points of the outputs' windows. */
static int64_t points_of(const Case *c) {
    int64_t points = 0;
    for (int f = 0; f < c->func_count; f++) {
        int64_t count = c->funcs[f].is_output;
        for (int d = 0; d < c->funcs[f].dimensions; d++)
            count *= c->funcs[f].window.extent[d];
        points += count;
    }
    return points;
}

static const char *input_text(Arena *arena, const Case *c) {
    CaseBox boxes[CASE_IMAGES];
    for (int i = 0; i < c->image_count; i++)
        boxes[i] = c->images[i].box;
    return case_arguments(arena, c, boxes);
}

/* Is it no input's text among the first `count`? */
static bool is_new(Arena *arena, const CaseProgram *program, int count, const char *text) {
    for (int i = 0; i < count; i++)
        if (!strcmp(text, input_text(arena, program->inputs[i])))
            return false;
    return true;
}

/* The inputs of a program differ in nothing else, and in that all do; some have no point, many a
 * single one. */
START_TEST(a_program_has_inputs) {
    const int inputs = _i ? CASE_MOST_INPUTS : CASE_INPUTS;
    Context *context = context_create();
    Arena *arena = context->arena;
    int empty = 0, single = 0, full = 0;
    for (uint64_t seed = 0; seed < 50; seed += seed_step()) {
        CaseProgram program, again;
        case_generate_program(arena, seed, CASE_ANY, inputs, &program);
        case_generate_program(arena, seed, CASE_ANY, inputs, &again);
        ck_assert_int_eq(program.count, again.count);
        full += program.count == inputs;
        for (int i = 0; i < program.count; i++) {
            const Case *c = program.inputs[i], *first = program.inputs[0];
            const char *text = input_text(arena, c);
            ck_assert_int_ge(c->input, i ? program.inputs[i - 1]->input + 1 : 0);
            ck_assert_int_lt(c->input, inputs);
            ck_assert(is_new(arena, &program, i, text));
            ck_assert_str_eq(text, input_text(arena, again.inputs[i]));
            empty += points_of(c) == 0;
            single += points_of(c) == 1;
            ck_assert_int_eq(c->directives.length, first->directives.length);
            for (int f = 0; f < c->func_count; f++)
                ck_assert_str_eq(c->funcs[f].pure, first->funcs[f].pure);
        }
    }
    ck_assert_int_ge(empty, 10 / (int)seed_step());
    ck_assert_int_ge(single, 50 / (int)seed_step());
    ck_assert_int_ge(full, 40 / (int)seed_step());
    context_destroy(context);
}
END_TEST

/* May a window slide? */
static bool stores_outside(const Schedule *schedule) {
    for (size_t i = 0; i < schedule->directives.length; i++)
        if (schedule->directives.data[i].kind == DIRECTIVE_STORE_AT ||
            schedule->directives.data[i].kind == DIRECTIVE_STORE_ROOT)
            return true;
    return false;
}

/* Lowers the case's schedule, and counts what there is in it. */
static void see(CaseCoverage *coverage, uint64_t seed) {
    Context *context = context_create();
    const Case *c = case_generate(context->arena, seed, CASE_ANY);
    char *text = case_text(context->arena, c);
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    if (!module) {
        diag_print_all(context, stderr);
        ck_abort_msg("seed %d:\n%s", (int)seed, text);
    }
    const Pipeline *pipeline = module_pipeline(module, "p");
    const Schedule *schedule = module_schedule(module, pipeline, "s");
    bool is_whole = seed % 50 == 0 || (seed % 10 == 0 && stores_outside(schedule)); /* dear */
    LowerOptions options = {
        .last = is_whole ? PASS_SIMPLIFY : PASS_SCHEDULE, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, schedule, context->arena, &options);
    if (!lowered)
        diag_print_all(context, stderr);
    ck_assert_msg(lowered != NULL, "seed %d is refused:\n%s", (int)seed, text);
    CaseCoverage own = {0};
    coverage_see_schedule(&own, schedule);
    coverage_see_program(&own, lowered->program);
    if (is_whole) {
        coverage_see_slides(&own, lowered);
        options.last = PASS_PARTITION;
        ck_assert(lower_rest(lowered, context->arena, &options));
        coverage_see_partition(&own, lowered->partition);
    }
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        coverage_see_run(&own, &c->configurations[i]);
    coverage_add(coverage, &own);
    context_destroy(context);
}

/* Every algorithm is one, and the scheduler accepts every schedule; every directive, tail, number
 * of lanes and setting is drawn. */
START_TEST(all_values_are_drawn) {
    CaseCoverage coverage = {0};
    for (int d = 0; d < COVERAGE_DIMENSIONS; d++)
        ck_assert_int_gt(coverage_missing(&coverage, (CoverageDimension)d, 1), 0);
    for (uint64_t seed = 0; seed < (uint64_t)(1500 / share()); seed++)
        see(&coverage, seed);
    for (int d = 0; d < COVERAGE_DIMENSIONS; d++) {
        uint32_t least = d == COVERAGE_LANES        ? 1
                         : d == COVERAGE_SLIDES     ? 1
                         : d == COVERAGE_PARTITION  ? 10
                         : d == COVERAGE_DIRECTIVES ? 75
                                                    : 100;
        if (share() > 1) /* what is rare need not be in a share */
            least /= 2 * (uint32_t)share();
        int missing = coverage_missing(&coverage, (CoverageDimension)d, least);
        if (missing)
            coverage_print(&coverage, stderr);
        ck_assert_int_eq(missing, 0);
    }
}
END_TEST

/* What no branch of a specialization reads is judged in both: drawn with a condition of which
 * something follows, the prefetch of this seed would be accepted, and refused as it is written. */
START_TEST(what_is_drawn_is_accepted) {
    Context *context = context_create();
    const char *text =
        case_text(context->arena, case_generate(context->arena, 660001306, CASE_ANY));
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    ck_assert_ptr_nonnull(module);
    const Pipeline *pipeline = module_pipeline(module, "p");
    LowerOptions options = {.last = PASS_PREFETCH, .directives = SIZE_MAX};
    const Schedule *schedule = module_schedule(module, pipeline, "s");
    ck_assert_ptr_nonnull(lower(pipeline, schedule, context->arena, &options));
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("generate");
    tcase_set_timeout(tests, 240); /* also where coverage is counted */
    tcase_add_test(tests, a_seed_is_a_case);
    tcase_add_loop_test(tests, a_program_has_inputs, 0, 2);
    tcase_add_test(tests, all_values_are_drawn);
    tcase_add_test(tests, what_is_drawn_is_accepted);
    return run_suite("fuzz generate", tests);
}
