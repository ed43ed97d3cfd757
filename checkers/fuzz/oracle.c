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

#include "checkers/fuzz/scheduled/chosen.h"
#include "checkers/fuzz/external/external.h"

#include "associative/associative.h"
#include "codegen/codegen.h"
#include "checkers/fuzz/trial.h"
#include "ir/print.h"
#include "ir/read.h"
#include "ir/verify.h"
#include "checkers/interpreter/run.h"

#include <string.h>

enum {
    BUDGET = 3000000,           /* statements */
    LONG_BUDGET = 4 * BUDGET,   /* for programs that are also compiled */
    SMALL = 1500,               /* nodes */
    LARGE = 8000,               /* nodes */
    BOUNDS_TEXTS = 10,          /* percent */
    LARGE_OBJECT = 1 << 18,     /* bytes */
    MANY_POINTS = 30000,        /* of one run of a program on all its inputs */
    MANY_INSTRUCTIONS = 1200000 /* of such a run */
};

/* Work that is done for a share of the programs or cases.  A case keeps its draws while it is
 * shrunk. */
typedef enum Way {
    WAY_QUERY,
    WAY_READ_BACK,
    WAY_UNSIMPLIFIED,
    WAY_COMPILE_UNSIMPLIFIED,
    WAY_COMPILE_READ_BACK,
    WAY_HOLES,
    WAY_ENDS,
    WAY_FORMAL,
    WAY_STRICT,
    WAY_POINT,
    WAY_PRIMITIVES,
    WAY_BOUNDS_TEXT,
    WAY_BOXES,
    WAY_CERTIFY,
    WAY_UNPARTITIONED,
    WAY_ERRORS,
    WAY_UNFOLDED,
    WAY_STAGE,
    WAY_LARGE_FIRST,
    WAY_LONG,
    WAY_UNLIFTED,
    WAY_SEMANTICS,
    WAY_ALL
} Way;

/* A program, and those of its cases that can be run. */
typedef struct Subject {
    CaseTrial *program; /* one of its trials: verdicts without an input go there */
    CaseTrial *ready[CASE_MOST_INPUTS];
    int count;
    uint64_t eager; /* instructions that made tables */
    size_t object;  /* bytes of the largest object */
} Subject;

/* Returns the draws that are the same for all inputs. */
static RandomSource random_for(const CaseTrial *trial, Way way) {
    RandomSource random = {trial->c->seed * 31 + (uint64_t)way};
    random_bits(&random);
    return random;
}

static bool is_drawn(const CaseTrial *trial, Way way, int percent) {
    RandomSource random = random_for(trial, way);
    return random_chance(&random, percent);
}

/* Draws anew for each input. */
static bool is_drawn_here(const CaseTrial *trial, Way way, int percent) {
    RandomSource random = random_for(trial, way);
    for (int i = 0; i < trial->c->input; i++)
        random_bits(&random);
    return random_chance(&random, percent);
}

static Lowered *lower_to(const CaseTrial *trial, Arena *arena, size_t directives, PassId last) {
    LowerOptions options = {.last = last,
                            .directives = directives,
                            .verify = true,
                            .explains = last == PASS_CHECKS && directives == SIZE_MAX &&
                                        is_drawn(trial, WAY_BOUNDS_TEXT, BOUNDS_TEXTS)};
    return lower(trial->pipeline, trial->schedule, arena, &options);
}

/* A wrong answer of the prover is a defect even if its own check caught it. */
static bool tells_of_a_defect(const Reports *reports) {
    for (size_t i = 0; i < reports->length; i++)
        if (strstr(reports->data[i].message, associative_trial_failed))
            return true;
    return false;
}

static void conclude_refused(CaseTrial *trial) {
    const Reports *reports = &trial->context->reports;
    hlc_assert(reports->length, "a refusal is reported");
    if (tells_of_a_defect(reports)) {
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s", associative_trial_failed);
        return;
    }
    const Report *report = &reports->data[reports->length - 1];
    if (chosen_stands(trial->c))
        trial_conclude(trial, VERDICT_DIFFERS, "", "the chosen schedule is refused: %s",
                       report->message);
    trial_conclude(trial, VERDICT_REFUSED, diag_info(report->code)->code, "%s", report->message);
}

static void conclude_all_refused(const Subject *subject) {
    for (int i = 0; i < subject->count; i++)
        conclude_refused(subject->ready[i]);
}

/* ---- the ways to run ---- */

static void interpret_case(CaseTrial *trial, const Program *program, const RunProgram *code,
                           uint64_t budget, bool prefix, const char *way) {
    static const char *const orders[] = {"", ", backward", ", interleaved"};
    Arena *arena = arena_create(&trial->context->memory);
    trial_begin(trial);
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    RunOptions options = {.seed = random_bits(&trial->random),
                          .budget = budget,
                          .order = (RunOrder)random_below(&trial->random, 3),
                          .code = code,
                          .instructions = &trial->instructions};
    Outcome outcome = run_program(program, arena, &trial->arguments, &options);
    trial->is_long = outcome.error == HLC_ERROR_BUDGET;
    trial_compare(trial, &trial->arguments, &outcome, prefix,
                  arena_format(arena, "%s%s", way, orders[options.order]));
    arena_destroy(arena);
}

/* Does the trial stay?  It is dropped if there are others and it would make too much work. */
static bool stays(Subject *subject, CaseTrial *trial, uint64_t work, uint64_t most) {
    trial->result->is_left = subject->count > 0 && work > most;
    if (!trial->result->is_left)
        subject->ready[subject->count++] = trial;
    return !trial->result->is_left;
}

/* Puts the most expensive trial last.  But the first one stays first if it is not very
 * expensive. */
static void sort_by_cost(Subject *subject) {
    enum { VERY_DEAR = 5 * MANY_INSTRUCTIONS };
    int first = subject->count > 0 && subject->ready[0]->instructions < VERY_DEAR;
    for (int i = first + 1; i < subject->count; i++) {
        CaseTrial *trial = subject->ready[i];
        int to = i;
        for (; to > first && subject->ready[to - 1]->instructions > trial->instructions; to--)
            subject->ready[to] = subject->ready[to - 1];
        subject->ready[to] = trial;
    }
}

/* Interprets the program.  All inputs that are not expensive stay, and at least one does. */
static void interpret(Subject *subject, Arena *arena, const Program *program, bool prefix,
                      const char *way) {
    /* Some prefixes of a schedule do much more work than the whole one. */
    bool is_short = prefix && !is_drawn(subject->program, WAY_LONG, 10);
    bool is_compiled = !prefix && !subject->program->interpreters;
    uint64_t budget = is_short ? BUDGET / 10 : is_compiled ? LONG_BUDGET : BUDGET;
    const RunProgram *code = run_compile(program, arena);
    int count = subject->count;
    uint64_t total = 0;
    subject->count = 0;
    for (int i = 0; i < count; i++) {
        CaseTrial *trial = subject->ready[i];
        uint64_t left = total < MANY_INSTRUCTIONS ? MANY_INSTRUCTIONS - total : 1;
        interpret_case(trial, program, code, subject->count ? left : budget, prefix, way);
        if (stays(subject, trial, total + trial->instructions, MANY_INSTRUCTIONS))
            total += trial->instructions;
    }
    sort_by_cost(subject);
}

/* Before PASS_EAGER an eager func has a stand-in with other values. */
static bool has_eager(const Pipeline *pipeline) {
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (pipeline->funcs.data[i]->definition)
            return true;
    return false;
}

/* The program read back from its text, which must print as that text; null after concluding. */
static Program *read_back(CaseTrial *trial, Arena *arena, const Program *program,
                          const char *stage) {
    Context *context = trial->context;
    char *text = program_text(arena, program);
    uint32_t file = context_add_file(context, "case.ir", text, strlen(text));
    Program *back = program_read(program->pool, arena, file);
    if (!back) {
        const Reports *reports = &context->reports;
        const Report *report = &reports->data[reports->length - 1];
        trial_conclude(trial, VERDICT_DIFFERS, "", "text %s: line %u: %s", stage,
                       report->place.line, report->message);
    } else if (strcmp(program_text(arena, back), text) != 0) {
        trial_conclude(trial, VERDICT_DIFFERS, "", "text %s: read back, it prints otherwise",
                       stage);
    }
    return back;
}

/* Compiles the program.  Null after concluding, or if there is nothing to compare: the target lacks a
 * feature that the program needs, or this machine cannot run the target's code. */
static Jit *compile(Subject *subject, Arena *arena, const Program *program,
                    const CaseConfiguration *configuration) {
    static const char *const targets[] = {NULL, "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    const CaseTrial *trial = subject->program;
    Context *context = trial->context;
    DiagMark before = diag_mark(context);
    CodegenOptions options = {.optimize = configuration->optimize,
                              .targets = targets[configuration->target],
                              .stoppable = configuration->stoppable,
                              .trace = configuration->traced,
                              .profile = configuration->profiled,
                              .sanitize =
                                  configuration->sanitized ? codegen_sanitizer_here() : NULL};
    Object object;
    Jit *jit = NULL;
    if (options.targets && !codegen_runs_here(context, options.targets))
        return NULL;
    if (codegen_has_targets(context, options.targets, true) &&
        codegen_object(program, arena, &options, &object))
        jit = jit_load(context, &trial->pipeline->signature, &object);
    if (jit && object.length > subject->object)
        subject->object = object.length;
    if (jit)
        return jit;
    DiagCode code = context->reports.data[context->reports.length - 1].code;
    if (configuration->target != CASE_TARGET_HOST &&
        (code == DIAG_NEEDS_FMA || code == DIAG_TARGET_FOREIGN)) {
        diag_drop(context, before);
    } else {
        conclude_all_refused(subject);
    }
    return NULL;
}

/* Returns this configuration of the first input; the number of threads is each input's own. */
static CaseConfiguration configuration_of(const Subject *subject, int number) {
    CaseConfiguration configuration = subject->program->c->configurations[number];
    configuration.sanitized &= codegen_sanitizer_here() != NULL;
    if (subject->object >= LARGE_OBJECT) { /* slow compilations are not repeated */
        configuration.optimize = 0;
        configuration.sanitized = false;
    }
    return configuration;
}

static void compile_and_run(Subject *subject, Arena *arena, const Program *program,
                            const char *what, int number) {
    CaseConfiguration configuration = configuration_of(subject, number);
    Jit *jit = compile(subject, arena, program, &configuration);
    if (!jit)
        return;
    ProgramResult *result = subject->program->of_program;
    result->compiled++;
    for (int i = 0; i < subject->count; i++) {
        CaseTrial *trial = subject->ready[i];
        configuration.threads = trial->c->configurations[number].threads;
        trial_begin(trial);
        trial_call(trial, jit, &configuration, NULL, what);
        coverage_see_run(&result->coverage, &configuration);
        if (trial->c->windows && !trial->reference.error)
            trial_windows(trial, program, jit);
        if (is_drawn_here(trial, WAY_BOXES, 60))
            trial_query(trial, program, jit);
    }
    jit_free(jit);
}

/* ---- the whole schedule, and its prefixes ---- */

static void verify(CaseTrial *trial, Arena *arena, const Program *program, const char *pass) {
    const char *fault = program_verify(arena, program, false);
    if (fault)
        trial_conclude(trial, VERDICT_DIFFERS, "", "after %s: %s", pass, fault);
}

/* Runs the program in `lowered`, which is after PASS_CHECKS, where that is possible. */
static void run_unsimplified(Subject *subject, Arena *arena, const Lowered *lowered) {
    CaseTrial *trial = subject->program;
    Program *back = NULL;
    if (is_drawn(trial, WAY_READ_BACK, 25))
        back = read_back(trial, arena, lowered->program, "before simplifying");
    if (has_eager(lowered->pipeline))
        return;
    if (back)
        interpret(subject, arena, back, false, "read back and interpreted before simplifying");
    else if (is_drawn(trial, WAY_UNSIMPLIFIED, 25))
        interpret(subject, arena, lowered->program, false, "interpreted before simplifying");
    if (!trial->interpreters && is_drawn(trial, WAY_COMPILE_UNSIMPLIFIED, 4))
        compile_and_run(subject, arena, lowered->program, "not simplified, ", 1);
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
    if (is_drawn(trial, WAY_COMPILE_READ_BACK, 25))
        back = read_back(trial, arena, lowered->program, "at the end");
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        compile_and_run(subject, arena, back ? back : lowered->program, back ? "read back, " : "",
                        i);
}

/* Runs the passes up to `last`, and verifies after each.  False after concluding. */
static bool lower_on(Subject *subject, Arena *arena, Lowered *lowered, PassId last) {
    while (lowered->passes <= (int)last) {
        PassId pass = (PassId)lowered->passes;
        LowerOptions options = {.last = pass};
        if (!lower_rest(lowered, arena, &options)) {
            conclude_all_refused(subject);
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
    CaseConfiguration configuration = configuration_of(subject, 0);
    Jit *jit =
        first->interpreters ? NULL : compile(subject, arena, lowered->program, &configuration);
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
    return !trial->c->windows || trial->interpreters || is_drawn(trial, WAY_ALL, 10);
}

/* Compiles the program and runs it, in whole and in windows. */
static void run_windows(Subject *subject, Arena *arena, Lowered *lowered) {
    if (!lower_on(subject, arena, lowered, PASS_LICM))
        return;
    interpret(subject, arena, lowered->program, false, "interpreted");
    refuse_long(subject);
    for (int i = 0; i < 2 && subject->count; i++)
        compile_and_run(subject, arena, lowered->program, "", i);
}

/* `lowered` is after PASS_CHECKS. */
static void run_whole(Subject *subject, Arena *arena, Lowered *lowered) {
    CaseTrial *trial = subject->program;
    for (int i = 0; i < subject->count; i++)
        if (is_drawn_here(subject->ready[i], WAY_QUERY, percent_asked(subject->ready[i])))
            trial_ask_bounds(subject->ready[i], lowered);
    EntryChecks checks = {0};
    if (is_drawn(trial, WAY_CERTIFY, trial->pipeline->pool->count < SMALL ? 10 : 2))
        checks = trial_certify(trial, arena, lowered);
    run_unsimplified(subject, arena, lowered);
    if (!lower_on(subject, arena, lowered, PASS_EAGER))
        return;
    subject->eager = lowered->eager_instructions;
    if (is_drawn(trial, WAY_UNFOLDED, 15))
        interpret(subject, arena, lowered->program, false, "interpreted before folding");
    CaseCoverage *coverage = &trial->of_program->coverage;
    coverage_see_schedule(coverage, trial->schedule);
    coverage_see_slides(coverage, lowered);
    for (size_t i = 0; i < lowered->primitives.length; i++)
        trial->of_program->factored |= lowered->primitives.data[i].kind == DIRECTIVE_RFACTOR;
    if (!lower_on(subject, arena, lowered, PASS_UNSWITCH))
        return;
    if (is_drawn(trial, WAY_UNPARTITIONED, 10))
        interpret(subject, arena, lowered->program, false, "interpreted before partitioning");
    coverage_see_program(coverage, lowered->program);
    if (!lower_on(subject, arena, lowered, PASS_PARTITION))
        return;
    coverage_see_partition(coverage, lowered->partition);
    if (is_drawn(trial, WAY_UNLIFTED, 10))
        interpret(subject, arena, lowered->program, false,
                  "interpreted before summing and lifting");
    if (!lower_on(subject, arena, lowered, PASS_LICM))
        return;
    interpret(subject, arena, lowered->program, false, "interpreted");
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
    RandomSource random = random_for(trial, WAY_STAGE);
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
    if (is_drawn(trial, WAY_HOLES, 15)) {
        Lowered *with_holes = lower_to(trial, arena, n, PASS_SCHEDULE);
        if (with_holes)
            read_back(trial, arena, with_holes->program, "with holes");
    }
    PassId stage = draw_stage(trial, n);
    Lowered *lowered = lower_to(trial, arena, n, stage);
    if (lowered && stage < PASS_EAGER && has_eager(lowered->pipeline))
        lowered = lower_to(trial, arena, n, stage = PASS_EAGER);
    if (lowered && answer_again(subject, arena, lowered))
        interpret(subject, arena, lowered->program, true,
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
    if (is_drawn_here(trial, WAY_FORMAL, 10))
        trial_check_formal(trial, is_drawn_here(trial, WAY_STRICT, 50));
    /* Simplifying may remove an error, and eager funcs have stand-ins before PASS_EAGER. */
    if (!has_eager(lowered->pipeline) && is_drawn_here(trial, WAY_ERRORS, 10))
        trial_check_errors(trial, lowered);
    if (is_drawn_here(trial, WAY_SEMANTICS, 10))
        trial_check_semantics(trial);
    if (!trial->reference.error && is_drawn_here(trial, WAY_POINT, 15))
        trial_check_point(trial);
}

/* Makes images and outputs of all inputs.  Counts and returns those with memory, from the smallest
 * to the largest.  The first input is mostly large.  In a part of the programs it comes first;
 * otherwise it would find no room beside the others. */
static int make_inputs(CaseTrial *trials, int count, const Lowered *lowered, CaseTrial **made) {
    bool is_large_first = is_drawn(trials, WAY_LARGE_FIRST, 25);
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
    if (is_drawn(subject->program, WAY_PRIMITIVES, 10))
        trial_check_primitives(subject->program, lowered);
    if (is_drawn(subject->program, WAY_BOUNDS_TEXT, BOUNDS_TEXTS))
        trial_check_bounds_text(subject->program, lowered);
    CaseTrial *made[CASE_MOST_INPUTS];
    int made_count = make_inputs(trials, count, demands, made);
    for (int i = 0; i < made_count; i++)
        made[i]->narrowed = lowered->bounds->is_narrowed;
    int64_t points = 0;
    for (int i = 0; i < made_count; i++)
        if (stays(subject, made[i], (uint64_t)(points + made[i]->points), MANY_POINTS)) {
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
        conclude_refused(trials);
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
    if (subject.count && (!trials->c->scheduled || is_drawn(trials, WAY_ALL, 10)) &&
        trials->pipeline->pool->count < LARGE && subject.eager < BUDGET)
        run_prefixes(&subject, directives);
    for (int i = 0; i < subject.count; i++)
        if (!subject.ready[i]->reference.error &&
            is_drawn_here(subject.ready[i], WAY_ENDS, trials->c->affine ? 100 : 10))
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
