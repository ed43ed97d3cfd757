/* The oracle's regions of random programs whose indices are affine: none is too small, and 49 of
 * 50 are exact, recurrences among them. */
#include "checkers/fuzz/trial.h"

#include "tests/unit/share.h"
#include "suite.h"

#include <check.h>

enum { SEEDS = 600 };

static void ask(uint64_t seed, RegionCounts *counts) {
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    const Case *c = case_generate(arena, seed, CASE_ANY);
    CaseResult result = {.verdict = VERDICT_EQUAL};
    ProgramResult of_program = {0};
    CaseTrial trial = {.context = context,
                       .arena = arena,
                       .c = c,
                       .random = {seed},
                       .result = &result,
                       .of_program = &of_program};
    if (c->affine && trial_load(&trial)) {
        trial_choose(&trial);
        LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
        const Lowered *lowered = lower(trial.pipeline, trial.schedule, arena, &options);
        if (lowered && trial_make_images(&trial, lowered) && trial_make_outputs(&trial))
            trial_ask_bounds(&trial, lowered);
        ck_assert_msg(result.verdict == VERDICT_EQUAL || result.verdict == VERDICT_REFUSED,
                      "seed %d: %s", (int)seed, result.message);
        if (result.regions[1].wide)
            fprintf(stderr, "seed %d: %d of %d regions are wide\n", (int)seed,
                    (int)result.regions[1].wide, (int)result.regions[1].all);
        counts->all += result.regions[1].all;
        counts->wide += result.regions[1].wide;
        trial_free(&trial);
    }
    arena_destroy(arena);
    context_destroy(context);
}

START_TEST(affine_regions_are_exact) {
    RegionCounts counts = {0};
    const uint64_t seeds = (uint64_t)(SEEDS / share());
    for (uint64_t seed = 0; seed < seeds; seed++)
        ask(seed, &counts);
    ck_assert_uint_ge(counts.all, seeds / 2);
    ck_assert_uint_le(50 * counts.wide, counts.all);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("regions");
    tcase_add_test(tests, affine_regions_are_exact);
    return run_suite("fuzz_regions", tests);
}
