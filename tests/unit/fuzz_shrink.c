/* fuzz_shrink.c -- a compiler that is wrong on purpose: after lowering, the program loses the
 * guards of its splits.  Cases in which that shows are shrunk, and what is left fails alone.
 */
#include "fuzz/shrink.h"
#include "fuzz/trial.h"

#include "frontend/frontend.h"
#include "ir/walk.h"
#include "lower/run.h"

#include <check.h>
#include <string.h>

static bool drop_guard(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_GUARD)
        stmt->branch.condition = expr_bool(data, true);
    return true;
}

/* What a wrong compiler makes of the case, interpreted and judged. */
static Verdict run_mutated(const Case *c, const char *text, bool mutated) {
    CaseResult result = {.verdict = VERDICT_EQUAL};
    Context *context = context_create();
    Trial trial = {.context = context, .arena = context->arena, .c = c, .result = &result};
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    Lowered *lowered = NULL;
    if (module) {
        trial.pipeline = module_pipeline(module, "p");
        trial.schedule = module_schedule(module, trial.pipeline, "s");
        trial_choose(&trial);
        lowered = lower(trial.pipeline, trial.schedule, trial.arena, &options);
    }
    if (lowered && trial_make_images(&trial, lowered) && trial_make_outputs(&trial)) {
        trial_run_reference(&trial);
        if (mutated)
            block_visit(&lowered->program->body,
                        &(StmtVisitor){lowered->program->pool, drop_guard, NULL});
        trial_spoil_outputs(&trial.arguments, trial.output_count);
        Outcome outcome = run_program(lowered->program, trial.arena, &trial.arguments,
                                      &(RunOptions){.budget = 300000});
        trial_compare(&trial, &trial.arguments, &outcome, false, "interpreted");
    }
    if (trial.pipeline)
        trial_free(&trial);
    context_destroy(context);
    return result.verdict;
}

static bool fails(void *data, const Case *c) {
    int *runs = data;
    ++*runs;
    Memory memory = {.fail_after = -1};
    Arena *arena = arena_create(&memory);
    Verdict verdict = run_mutated(c, case_text(arena, c), true);
    arena_destroy(arena);
    return verdict == VERDICT_DIFFERS;
}

/* Shrunk, nothing is left but one func with one split that leaves a rest, in a small window. */
START_TEST(a_wrong_compiler_is_shown_by_little) {
    Memory memory = {.fail_after = -1};
    int found = 0, runs = 0;
    for (uint64_t seed = 0; seed < 400 && found < 8; seed++) {
        Arena *arena = arena_create(&memory);
        const Case *c = case_generate(arena, seed);
        if (fails(&runs, c)) {
            Case *smallest = shrink(arena, c, fails, &runs);
            char *text = case_text(arena, smallest);
            found++;
            ck_assert_msg(smallest->directives.length <= 2, "seed %d:\n%s", (int)seed, text);
            ck_assert_msg(smallest->func_count <= 2, "seed %d:\n%s", (int)seed, text);
            ck_assert_msg(strlen(text) < 700, "seed %d:\n%s", (int)seed, text);
            ck_assert_int_eq(run_mutated(smallest, text, true), VERDICT_DIFFERS);
            ck_assert_int_ne(run_mutated(smallest, text, false), VERDICT_DIFFERS);
        }
        arena_destroy(arena);
    }
    ck_assert_int_eq(found, 8);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("shrink");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, a_wrong_compiler_is_shown_by_little);
    Suite *suite = suite_create("fuzz shrink");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
