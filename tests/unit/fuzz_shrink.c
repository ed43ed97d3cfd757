/* fuzz_shrink.c -- a compiler that is wrong on purpose: after lowering, the program loses the
 * guards of its splits.  Cases in which that shows are shrunk, and what is left fails alone.
 */
#include "checkers/fuzz/history.h"
#include "checkers/fuzz/shrink.h"
#include "checkers/fuzz/trial.h"

#include "ir/walk.h"
#include "checkers/interpreter/run.h"
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static bool drop_guard(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_GUARD)
        stmt->branch.condition = expr_bool(data, true);
    return true;
}

/* What a wrong compiler makes of the case, interpreted and judged. */
static CaseVerdict run_mutated(const Case *c, bool (*mutate)(void *data, Stmt *stmt),
                               FILE *history) {
    CaseResult result = {.verdict = VERDICT_EQUAL};
    Context *context = context_create();
    CaseTrial trial = {.context = context, .arena = context->arena, .c = c, .result = &result};
    LowerOptions options = {.last = PASS_EAGER, .directives = SIZE_MAX};
    Lowered *lowered = NULL;
    if (trial_load(&trial)) {
        trial_choose(&trial);
        lowered = lower(trial.pipeline, trial.schedule, trial.arena, &options);
    }
    if (lowered && trial_make_images(&trial, lowered) && trial_make_outputs(&trial)) {
        trial_run_reference(&trial);
        if (mutate)
            block_visit(&lowered->program->body,
                        &(StmtVisitor){lowered->program->pool, mutate, NULL});
        trial_spoil_outputs(&trial.arguments, trial.output_count);
        Outcome outcome = run_program(lowered->program, trial.arena, &trial.arguments,
                                      &(RunOptions){.budget = 300000});
        trial_compare(&trial, &trial.arguments, &outcome, false, "interpreted");
        if (history && result.has_point)
            history_print(&trial, lowered->program, result.output, result.point, history);
    }
    if (trial.pipeline)
        trial_free(&trial);
    context_destroy(context);
    return result.verdict;
}

static bool fails(void *data, const Case *c) {
    int *runs = data;
    ++*runs;
    return run_mutated(c, drop_guard, NULL) == VERDICT_DIFFERS;
}

/* Shrunk, little is left but a func with a split that leaves a rest, and at most one that reads it
 * and one that it reads: a wrong iteration may show only in what it reads beyond the end. */
START_TEST(a_wrong_compiler_is_shown_by_little) {
    Memory memory = {.fail_after = -1};
    int found = 0, runs = 0;
    for (uint64_t seed = 0; seed < 400 && found < 8; seed++) {
        Arena *arena = arena_create(&memory);
        const Case *c = case_generate(arena, seed, CASE_ANY);
        if (fails(&runs, c)) {
            Case *smallest = shrink(arena, c, fails, &runs);
            char *text = case_text(arena, smallest);
            found++;
            ck_assert_msg(smallest->directives.length <= 2, "seed %d:\n%s", (int)seed, text);
            ck_assert_msg(smallest->func_count <= 3, "seed %d:\n%s", (int)seed, text);
            ck_assert_msg(strlen(text) < 700, "seed %d:\n%s", (int)seed, text);
            ck_assert_int_eq(run_mutated(smallest, drop_guard, NULL), VERDICT_DIFFERS);
            ck_assert_int_ne(run_mutated(smallest, NULL, NULL), VERDICT_DIFFERS);
        }
        arena_destroy(arena);
    }
    ck_assert_int_eq(found, 8);
}
END_TEST

/* What is stored in `f` is one too much. */
static bool add_one(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_STORE && strcmp(stmt->store.func->name->text, "f") == 0)
        stmt->store.values[0] = expr_add(data, stmt->store.values[0],
                                         expr_constant(data, stmt->store.values[0]->type,
                                                       bits_wrap(stmt->store.values[0]->type, 1)));
    return true;
}

/* The first wrong point's history, in the reference and in the program that went wrong. */
START_TEST(a_wrong_point_has_a_history) {
    Context *context = context_create();
    Case c = {.func_count = 2, .image_count = 1, .data_seed = 7};
    c.images[0] = (CaseImage){
        .name = "in0", .fill = "ramp", .type = {TYPE_INT, 32, 1}, .dimensions = 1, .fitted = true};
    c.funcs[0] = (CaseFunc){.name = "f", .dimensions = 1, .components = 1, .pure = "in0(x) * 2"};
    c.funcs[1] = (CaseFunc){.name = "out",
                            .dimensions = 1,
                            .components = 1,
                            .pure = "f(x) + f(x + 1)",
                            .is_output = true,
                            .window = {{3}, {2}}};
    vec_push(context->arena, &c.directives, "compute-at(f, out.s0.x)");
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    ck_assert_int_eq(run_mutated(&c, add_one, out), VERDICT_DIFFERS);
    fclose(out);
    ck_assert_str_eq(text, "  in the reference:\n"
                           "    out(3) = 2\n"
                           "      f(3) = 0\n"
                           "        in0(3) = 0\n"
                           "      f(4) = 2\n"
                           "        in0(4) = 1\n"
                           "  in the target interpreter:\n"
                           "    out(3) = 4, written by line 3\n"
                           "      f(4) = 3, written by line 2\n"
                           "        in0(4) = 1\n"
                           "      f(3) = 1, written by line 2\n"
                           "        in0(3) = 0\n");
    free(text);
    context_destroy(context);
}
END_TEST

/* What a run of `c` that ends with `error` is judged to be, with a check that is `holds`. */
static CaseVerdict judge_checked(const Case *c, bool holds, int error) {
    CaseResult result = {.verdict = VERDICT_EQUAL};
    ProgramResult of_program = {.count = 1};
    Context *context = context_create();
    CaseTrial trial = {.context = context,
                       .arena = context->arena,
                       .c = c,
                       .result = &result,
                       .of_program = &of_program};
    LowerOptions options = {.last = PASS_CHECKS, .directives = SIZE_MAX};
    ck_assert(trial_load(&trial));
    trial_choose(&trial);
    Lowered *lowered = lower(trial.pipeline, trial.schedule, trial.arena, &options);
    ck_assert(lowered && trial_make_images(&trial, lowered) && trial_make_outputs(&trial));
    trial_run_reference(&trial);
    EntryChecks checks = {0};
    vec_push(context->arena, &checks,
             (Insistence){expr_bool(lowered->program->pool, holds), "it", {0}});
    Outcome outcome = {.error = error};
    trial_compare_checked(&trial, &trial.arguments, &checks, &outcome, "checked");
    ck_assert_int_eq(of_program.checked_runs, 1);
    ck_assert_int_eq(of_program.refused_runs, error != 0);
    trial_free(&trial);
    context_destroy(context);
    return result.verdict;
}

/* A program with a certificate's checks refuses a run where one is false, and no other. */
START_TEST(checks_refuse_what_they_are_false_of) {
    Case c = {.func_count = 1};
    c.funcs[0] = (CaseFunc){.name = "out",
                            .dimensions = 1,
                            .components = 1,
                            .pure = "i32(x)",
                            .is_output = true,
                            .window = {{3}, {2}}};
    ck_assert_int_eq(judge_checked(&c, true, 0), VERDICT_EQUAL);
    ck_assert_int_eq(judge_checked(&c, false, HLC_ERROR_NOT_CERTIFIED), VERDICT_EQUAL);
    ck_assert_int_eq(judge_checked(&c, true, HLC_ERROR_NOT_CERTIFIED), VERDICT_DIFFERS);
    ck_assert_int_eq(judge_checked(&c, false, 0), VERDICT_DIFFERS);
    c.funcs[0].window.extent[0] = 0; /* nothing is asked where there is nothing to compute */
    ck_assert_int_eq(judge_checked(&c, false, 0), VERDICT_EQUAL);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("shrink");
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, a_wrong_compiler_is_shown_by_little);
    tcase_add_test(tests, a_wrong_point_has_a_history);
    tcase_add_test(tests, checks_refuse_what_they_are_false_of);
    return run_suite("fuzz shrink", tests);
}
