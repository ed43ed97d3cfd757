/* oracle.c -- runs one program on its inputs in every way.
 *
 * The schedule is lowered, the images get the sizes that the program demands, and the reference
 * answers.  Then the oracle
 *   - asks whether the bounds satisfy B(S), on this input and on all;
 *   - runs all passes, the program in between some of them and at the end, and from its text;
 *   - runs compiled code between guard pages;
 *   - runs every prefix of the directives, at a stage that is drawn.
 * Work that depends only on the program is done once for all inputs.  Costly checks run for a share
 * of the programs or cases, drawn by the seed.
 */
#include "checkers/fuzz/oracle.h"

#include "checkers/fuzz/external/external.h"
#include "checkers/fuzz/scheduled/chosen.h"
#include "checkers/fuzz/subject.h"
#include "checkers/interpreter/run.h"
#include "ir/verify.h"

#include <string.h>

enum {
    SMALL = 1500,       /* nodes */
    LARGE = 8000,       /* nodes */
    BOUNDS_TEXTS = 10,  /* percent */
    MANY_POINTS = 30000 /* of one run of a program on all its inputs */
};

/* Before PASS_EAGER an eager func has a stand-in with other values. */
static bool has_eager(const Pipeline *pipeline) {
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (pipeline->funcs.data[i]->definition)
            return true;
    return false;
}

static Lowered *lower_to(const CaseTrial *trial, Arena *arena, size_t directives, PassId last) {
    LowerOptions options = {.last = last,
                            .directives = directives,
                            .verify = true,
                            .explains = last == PASS_CHECKS && directives == SIZE_MAX &&
                                        way_is_drawn(trial, WAY_BOUNDS_TEXT, BOUNDS_TEXTS)};
    return lower(trial->pipeline, trial->schedule, arena, &options);
}

static void verify(CaseTrial *trial, Arena *arena, const Program *program, const char *pass) {
    const char *fault = program_verify(arena, program, false);
    if (fault)
        trial_conclude(trial, VERDICT_DIFFERS, "", "after %s: %s", pass, fault);
}

/* Runs the program in `lowered`, which is after PASS_CHECKS, where that is possible. */
static void run_unsimplified(Subject *subject, Arena *arena, const Lowered *lowered) {
    CaseTrial *trial = subject->program;
    Program *back = NULL;
    if (way_is_drawn(trial, WAY_READ_BACK, 25))
        back = subject_read_back(trial, arena, lowered->program, "before simplifying");
    if (has_eager(lowered->pipeline))
        return;
    if (back)
        subject_interpret(subject, arena, back, false,
                          "read back and interpreted before simplifying");
    else if (way_is_drawn(trial, WAY_UNSIMPLIFIED, 25))
        subject_interpret(subject, arena, lowered->program, false,
                          "interpreted before simplifying");
    if (!trial->interpreters && way_is_drawn(trial, WAY_COMPILE_UNSIMPLIFIED, 4))
        subject_run_code(subject, arena, lowered->program, "not simplified, ", 1);
}

/* Code has no budget.  So a program that exceeds its budget when interpreted is not run as code. */
static void refuse_long(Subject *subject) {
    int count = subject->count;
    subject->count = 0;
    for (int i = 0; i < count; i++)
        if (!subject->ready[i]->is_long)
            subject->ready[subject->count++] = subject->ready[i];
        else
            trial_conclude(subject->ready[i], VERDICT_REFUSED, "too long",
                           "it comes to over %d statements", LONG_BUDGET);
}

static void compile_whole(Subject *subject, Arena *arena, const Lowered *lowered) {
    CaseTrial *trial = subject->program;
    Program *back = NULL;
    if (way_is_drawn(trial, WAY_COMPILE_READ_BACK, 25))
        back = subject_read_back(trial, arena, lowered->program, "at the end");
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        subject_run_code(subject, arena, back ? back : lowered->program, back ? "read back, " : "",
                         i);
}

/* Runs the passes up to `last`, and verifies after each.  False after concluding. */
static bool lower_on(Subject *subject, Arena *arena, Lowered *lowered, PassId last) {
    while (lowered->passes <= (int)last) {
        PassId pass = (PassId)lowered->passes;
        LowerOptions options = {.last = pass};
        if (!lower_rest(lowered, arena, &options)) {
            subject_refuse(subject);
            return false;
        }
        verify(subject->program, arena, lowered->program, pass_info(pass)->text);
    }
    return true;
}

/* Runs the same program with the checks that its certificate leaves to run time. */
static void run_checked(Subject *subject, Arena *arena, const EntryChecks *checks) {
    const CaseTrial *first = subject->program;
    Lowered *lowered = lower_to(first, arena, SIZE_MAX, PASS_CHECKS);
    EntryChecks asserted = trial_insist(arena, lowered, checks);
    if (!lower_on(subject, arena, lowered, PASS_PARTITION))
        return;
    CaseConfiguration configuration = subject_configuration(subject, 0);
    Jit *jit = first->interpreters
                   ? NULL
                   : subject_compile(subject, arena, lowered->program, &configuration);
    for (int i = 0; i < subject->count; i++) {
        CaseTrial *trial = subject->ready[i];
        RunOptions options = {.seed = random_bits(&trial->random), .budget = BUDGET};
        trial_begin(trial);
        trial_spoil_outputs(&trial->arguments, trial->output_count);
        Outcome outcome = run_program(lowered->program, arena, &trial->arguments, &options);
        trial_compare_checked(trial, &trial->arguments, &asserted, &outcome,
                              "interpreted with checks");
        if (jit && outcome.error != HLC_ERROR_BUDGET)
            trial_call(trial, jit, &configuration, &asserted, "with checks, ");
    }
    if (jit)
        jit_free(jit);
}

/* One question costs as much as all runs of a small input. Of chosen schedules many programs are to be
 * seen. */
static int percent_asked(const CaseTrial *trial) {
    return trial->c->scheduled              ? 5
           : trial->c->input >= CASE_INPUTS ? 20
           : trial->c->affine               ? 100
                                            : 40;
}

/* Most programs of the window form are only cut into windows: in the other ways they are like those
 * of the usual form. */
static bool runs_in_all_ways(const CaseTrial *trial) {
    return !trial->c->windows || trial->interpreters || way_is_drawn(trial, WAY_ALL, 10);
}

/* Compiles the program and runs it, in whole and in windows. */
static void run_windows(Subject *subject, Arena *arena, Lowered *lowered) {
    if (!lower_on(subject, arena, lowered, PASS_LICM))
        return;
    subject_interpret(subject, arena, lowered->program, false, "interpreted");
    refuse_long(subject);
    for (int i = 0; i < 2 && subject->count; i++)
        subject_run_code(subject, arena, lowered->program, "", i);
}

/* `lowered` is after PASS_CHECKS. */
static void run_whole(Subject *subject, Arena *arena, Lowered *lowered) {
    CaseTrial *trial = subject->program;
    for (int i = 0; i < subject->count; i++)
        if (way_is_drawn_here(subject->ready[i], WAY_QUERY, percent_asked(subject->ready[i])))
            trial_ask_bounds(subject->ready[i], lowered);
    EntryChecks checks = {0};
    if (way_is_drawn(trial, WAY_CERTIFY, trial->pipeline->pool->count < SMALL ? 10 : 2))
        checks = trial_certify(trial, arena, lowered);
    run_unsimplified(subject, arena, lowered);
    if (!lower_on(subject, arena, lowered, PASS_EAGER))
        return;
    subject->eager = lowered->eager_instructions;
    if (way_is_drawn(trial, WAY_UNFOLDED, 15))
        subject_interpret(subject, arena, lowered->program, false, "interpreted before folding");
    CaseCoverage *coverage = &trial->of_program->coverage;
    coverage_see_schedule(coverage, trial->schedule);
    coverage_see_slides(coverage, lowered);
    for (size_t i = 0; i < lowered->primitives.length; i++)
        trial->of_program->factored |= lowered->primitives.data[i].kind == DIRECTIVE_RFACTOR;
    if (!lower_on(subject, arena, lowered, PASS_UNSWITCH))
        return;
    if (way_is_drawn(trial, WAY_UNPARTITIONED, 10))
        subject_interpret(subject, arena, lowered->program, false,
                          "interpreted before partitioning");
    coverage_see_program(coverage, lowered->program);
    if (!lower_on(subject, arena, lowered, PASS_PARTITION))
        return;
    coverage_see_partition(coverage, lowered->partition);
    if (way_is_drawn(trial, WAY_UNLIFTED, 10))
        subject_interpret(subject, arena, lowered->program, false,
                          "interpreted before summing and lifting");
    if (!lower_on(subject, arena, lowered, PASS_LICM))
        return;
    subject_interpret(subject, arena, lowered->program, false, "interpreted");
    if (!trial->interpreters)
        refuse_long(subject);
    if (checks.length)
        run_checked(subject, arena, &checks);
    if (!trial->interpreters && subject->count)
        compile_whole(subject, arena, lowered);
}

/* Draws the pass after which the first `n` directives are run.  The later passes cost as much as
 * all before them, and run for the whole schedule too. */
static PassId draw_stage(const CaseTrial *trial, size_t n) {
    static const PassId stages[] = {PASS_CHECKS, PASS_CHECKS, PASS_FOLD, PASS_LICM};
    RandomSource random = way_random(trial, WAY_STAGE);
    random.state += n;
    return random_pick(&random, stages);
}

/* Fewer directives may add floats in another order, with another answer; false if the reference has
 * none. */
static bool answer_again(Subject *subject, Arena *arena, const Lowered *lowered) {
    if (!subject->program->pipeline->reassociation)
        return true;
    const Pipeline *answer = trial_find_answer(subject->program, arena, lowered);
    for (int i = 0; i < subject->count && answer; i++) {
        subject->ready[i]->answer = answer;
        trial_run_reference(subject->ready[i]);
    }
    return answer;
}

/* Runs the program of the first `n` directives. */
static void run_prefix(Subject *subject, Arena *arena, size_t n, size_t count) {
    CaseTrial *trial = subject->program;
    if (way_is_drawn(trial, WAY_HOLES, 15)) {
        Lowered *with_holes = lower_to(trial, arena, n, PASS_SCHEDULE);
        if (with_holes)
            subject_read_back(trial, arena, with_holes->program, "with holes");
    }
    PassId stage = draw_stage(trial, n);
    Lowered *lowered = lower_to(trial, arena, n, stage);
    if (lowered && stage < PASS_EAGER && has_eager(lowered->pipeline))
        lowered = lower_to(trial, arena, n, stage = PASS_EAGER);
    if (lowered && answer_again(subject, arena, lowered))
        subject_interpret(subject, arena, lowered->program, true,
                          arena_format(arena, "interpreted after %s of %zu of %zu directives",
                                       pass_info(stage)->text, n, count));
}

static void run_prefixes(Subject *subject, size_t count) {
    for (size_t n = 0; n < count; n++) {
        Arena *arena = arena_create(&subject->program->context->memory);
        run_prefix(subject, arena, n, count);
        arena_destroy(arena);
    }
}

static void look_otherwise(CaseTrial *trial, const Lowered *lowered) {
    trial_begin(trial);
    if (way_is_drawn_here(trial, WAY_FORMAL, 10))
        trial_check_formal(trial, way_is_drawn_here(trial, WAY_STRICT, 50));
    /* Simplifying may remove an error, and eager funcs have stand-ins before PASS_EAGER. */
    if (!has_eager(lowered->pipeline) && way_is_drawn_here(trial, WAY_ERRORS, 10))
        trial_check_errors(trial, lowered);
    if (way_is_drawn_here(trial, WAY_SEMANTICS, 10))
        trial_check_semantics(trial);
    if (!trial->reference.error && way_is_drawn_here(trial, WAY_POINT, 15))
        trial_check_point(trial);
}

/* Makes images and outputs of all inputs.  Counts and returns those with memory, from the smallest
 * to the largest.  The first input is mostly large.  In a part of the programs it comes first;
 * otherwise it would find no room beside the others. */
static int make_inputs(CaseTrial *trials, int count, const Lowered *lowered, CaseTrial **made) {
    bool is_large_first = way_is_drawn(trials, WAY_LARGE_FIRST, 25);
    int made_count = 0;
    for (int i = 0; i < count; i++) {
        CaseTrial *trial = &trials[i];
        trial_choose(trial);
        bool is_made = trial_make_images(trial, lowered) && trial_make_outputs(trial);
        trial->result->is_left = strcmp(trial->result->reason, TOO_LARGE) == 0;
        if (!is_made)
            continue;
        int least = is_large_first && made_count && made[0] == trials, to = made_count++;
        for (; to > least && made[to - 1]->points > trial->points; to--)
            made[to] = made[to - 1];
        made[to] = trial;
    }
    return made_count;
}

/* Does the work that needs no input, and notes which cases can be run. Images have what `demands`
 * demands of them. */
static void prepare(Subject *subject, CaseTrial *trials, int count, const Lowered *demands,
                    const Lowered *lowered) {
    if (way_is_drawn(subject->program, WAY_PRIMITIVES, 10))
        trial_check_primitives(subject->program, lowered);
    if (way_is_drawn(subject->program, WAY_BOUNDS_TEXT, BOUNDS_TEXTS))
        trial_check_bounds_text(subject->program, lowered);
    CaseTrial *made[CASE_MOST_INPUTS];
    int made_count = make_inputs(trials, count, demands, made);
    for (int i = 0; i < made_count; i++)
        made[i]->narrowed = lowered->bounds->is_narrowed;
    int64_t points = 0;
    for (int i = 0; i < made_count; i++)
        if (subject_keeps(subject, made[i], (uint64_t)(points + made[i]->points), MANY_POINTS)) {
            points += made[i]->points;
            trial_begin(made[i]);
            trial_run_reference(made[i]);
            trial_judge_order(made[i], lowered);
        }
    int left = 0;
    for (int i = 0; i < count; i++)
        left += trials[i].result->is_left;
    if (left == count) /* the program counts as one refused case */
        trials->result->is_left = false;
}

/* Returns false if the program is refused. */
static bool run_program_on_all(CaseTrial *trials, int count, Arena *arena) {
    Subject subject = {.program = trials};
    Lowered *lowered = lower_to(trials, arena, SIZE_MAX, PASS_CHECKS);
    if (!lowered) {
        subject_refuse_case(trials);
        return false;
    }
    if (!trial_find_answer(trials, arena, lowered)) {
        trial_conclude(trials, VERDICT_REFUSED, "order of floats",
                       "floats are added in an order that no algorithm says");
        return false;
    }
    for (int i = 1; i < count; i++)
        trials[i].answer = trials->answer;
    trials->of_program->reassociated = trials->answer != trials->pipeline;
    const Lowered *empty = trials->c->scheduled ? chosen_empty(trials, arena) : NULL;
    prepare(&subject, trials, count, empty ? empty : lowered, lowered);
    if (empty)
        chosen_judge(subject.ready, subject.count, empty, arena);
    if (trials->semantics) {
        for (int i = 0; i < subject.count; i++)
            trial_check_semantics(subject.ready[i]);
        return true;
    }
    if (trials->splits) {
        for (int i = 0; i < subject.count; i++)
            trial_split(subject.ready[i]);
        return true;
    }
    if (!runs_in_all_ways(trials)) {
        run_windows(&subject, arena, lowered);
        return true;
    }
    for (int i = 0; i < subject.count; i++)
        look_otherwise(subject.ready[i], lowered);
    size_t directives = lowered->primitives.length;
    if (subject.count)
        run_whole(&subject, arena, lowered);
    /* A program that is slow to lower is not lowered again and again. The directives of chosen
     * schedules are as others. */
    if (subject.count && (!trials->c->scheduled || way_is_drawn(trials, WAY_ALL, 10)) &&
        trials->pipeline->pool->count < LARGE && subject.eager < BUDGET)
        run_prefixes(&subject, directives);
    for (int i = 0; i < subject.count; i++)
        if (!subject.ready[i]->reference.error &&
            way_is_drawn_here(subject.ready[i], WAY_ENDS, trials->c->affine ? 100 : 10))
            trial_count_loose_ends(subject.ready[i]);
    return true;
}

void oracle_run(const CaseProgram *program, OracleExtent extent, ProgramResult *result) {
    const Case *first = program->inputs[0];
    *result = (ProgramResult){.affine = first->affine, .count = program->count};
    chosen_note(first, &result->choice);
    Context *context = context_create();
    context->verifies = true;
    external_register(context);
    context->checks_order = first->seed % 4 == 0; /* expensive */
    Arena *arena = arena_create(&context->memory);
    CaseTrial trials[CASE_MOST_INPUTS];
    for (int i = 0; i < program->count; i++) {
        const Case *c = program->inputs[i];
        result->cases[i] = (CaseResult){.verdict = VERDICT_EQUAL, .input = c->input};
        for (int k = 0; k < c->image_count; k++)
            result->cases[i].boxes[k] = c->images[k].box;
        trials[i] = (CaseTrial){.context = context,
                                .arena = arena,
                                .c = c,
                                .random = {(c->seed ^ 0x5eed) + ((uint64_t)c->input << 32)},
                                .interpreters = extent != EXTENT_COMPILED,
                                .semantics = extent == EXTENT_SEMANTICS,
                                .splits = extent == EXTENT_SPLIT,
                                .result = &result->cases[i],
                                .of_program = result};
    }
    bool is_loaded = trial_load(&trials[0]);
    for (int i = 1; is_loaded && i < program->count; i++) {
        trials[i].pipeline = trials[0].pipeline;
        trials[i].schedule = trials[0].schedule;
    }
    if (!is_loaded || !run_program_on_all(trials, program->count, arena))
        result->count = 1;
    for (int i = 0; i < program->count; i++)
        trial_free(&trials[i]);
    arena_destroy(arena);
    context_destroy(context);
}
