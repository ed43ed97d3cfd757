/* oracle.c -- one case, every way to run it.
 *
 * The schedule is lowered, and the images made as large as its program demands; the reference
 * answers.  Then the program is asked whether its bounds satisfy B(S), here and for all inputs; it
 * is run before and after PASS_FOLD and PASS_PARTITION, from its text, compiled between guard
 * pages, and after every prefix of its directives.  What costs much is done for a part of the
 * cases, drawn by the seed.
 */
#include "fuzz/oracle.h"

#include "bounds/query.h"
#include "codegen/codegen.h"
#include "fuzz/trial.h"
#include "ir/print.h"
#include "ir/read.h"
#include "ir/verify.h"
#include "lower/eager.h"
#include "lower/run.h"

#include <string.h>

enum { BUDGET = 3000000, LARGE = 8000 /* nodes */, BOUNDS_TEXTS = 10 /* percent */ };

/* What is done for a part of the cases only; a case keeps its draws while it is shrunk. */
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
    WAY_UNFOLDED
} Way;

static Random random_for(const Trial *trial, Way way) {
    Random random = {trial->c->seed * 31 + (uint64_t)way};
    random_bits(&random);
    return random;
}

static bool is_drawn(const Trial *trial, Way way, int percent) {
    Random random = random_for(trial, way);
    return random_chance(&random, percent);
}

static Lowered *lower_to(Trial *trial, Arena *arena, size_t directives, PassId last) {
    LowerOptions options = {.last = last,
                            .directives = directives,
                            .verify = true,
                            .explains = last == PASS_CHECKS &&
                                        is_drawn(trial, WAY_BOUNDS_TEXT, BOUNDS_TEXTS)};
    return lower(trial->pipeline, trial->schedule, arena, &options);
}

static void conclude_refused(Trial *trial) {
    const Reports *reports = &trial->context->reports;
    hlc_assert(reports->length, "a refusal is reported");
    const Report *report = &reports->data[reports->length - 1];
    trial_conclude(trial, VERDICT_REFUSED, diag_info(report->code)->code, "%s", report->message);
}

/* ---- the ways ---- */

static void interpret(Trial *trial, Arena *arena, const Program *program, bool prefix,
                      const char *way) {
    static const char *const orders[] = {"", ", backward", ", interleaved"};
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    RunOptions options = {.seed = random_bits(&trial->random),
                          .budget = BUDGET,
                          .order = (RunOrder)random_below(&trial->random, 3)};
    Outcome outcome = run_program(program, arena, &trial->arguments, &options);
    trial_compare(trial, &trial->arguments, &outcome, prefix,
                  arena_format(arena, "%s%s", way, orders[options.order]));
}

/* The program read back from its text, which must print as that text; null after concluding. */
static Program *read_back(Trial *trial, Arena *arena, const Program *program, const char *stage) {
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

/* Null after concluding, or where the target lacks what the program's functions need, which leaves
 * nothing to compare. */
static Jit *compile(Trial *trial, Arena *arena, const Program *program,
                    const CaseConfiguration *configuration) {
    static const char *const targets[] = {NULL, "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    Context *context = trial->context;
    size_t reports = context->reports.length, errors = context->error_count;
    CodegenOptions options = {.optimize = configuration->optimize,
                              .targets = targets[configuration->target],
                              .sanitize =
                                  configuration->sanitized ? codegen_sanitizer_here() : NULL};
    Object object;
    Jit *jit = NULL;
    if (codegen_has_targets(context, options.targets, true) &&
        codegen_object(program, arena, &options, &object))
        jit = jit_load(context, &trial->pipeline->signature, &object);
    if (jit)
        return jit;
    DiagCode code = context->reports.data[context->reports.length - 1].code;
    if (configuration->target != CASE_TARGET_HOST &&
        (code == DIAG_NEEDS_FMA || code == DIAG_TARGET_FOREIGN)) {
        context->reports.length = reports;
        context->error_count = errors;
    } else {
        conclude_refused(trial);
    }
    return NULL;
}

static void compile_and_run(Trial *trial, Arena *arena, const Program *program, const char *what,
                            CaseConfiguration configuration) {
    configuration.sanitized &= codegen_sanitizer_here() != NULL;
    Jit *jit = compile(trial, arena, program, &configuration);
    if (!jit)
        return;
    trial_call(trial, jit, &configuration, what);
    coverage_see_run(&trial->result->coverage, &configuration);
    if (is_drawn(trial, WAY_BOXES, 60))
        trial_query(trial, program, jit);
    jit_free(jit);
}

static bool startup_variable(void *data, Symbol name, Bits *bits) {
    const Trial *trial = data;
    return argument_variable(&trial->pipeline->signature, &trial->arguments, trial->context, name,
                             bits);
}

/* B(S) holds of the oracle's answer for this input; and how many of its regions are exact. */
static void ask_bounds(Trial *trial, Arena *arena, const Lowered *lowered) {
    QueryOptions options = {startup_variable, trial, random_bits(&trial->random), 300000};
    QueryAnswer answer =
        bounds_query(lowered->program, lowered->pipeline, lowered->bounds, arena, &options);
    if (answer.violation)
        trial_conclude(trial, VERDICT_DIFFERS, "", "bounds: %s", answer.violation);
    if (answer.violation || answer.refused || !answer.finished || trial_has_empty_window(trial))
        return;
    for (size_t i = 0; i < answer.slack.length; i++) {
        trial->result->regions += answer.slack.data[i].computed > 0;
        trial->result->wide_regions += answer.slack.data[i].unread > 0;
        trial->result->unasked_regions += answer.slack.data[i].unasked > 0;
    }
}

/* ---- the whole schedule, and its prefixes ---- */

static void verify(Trial *trial, Arena *arena, const Program *program, const char *pass) {
    const char *fault = program_verify(arena, program, false);
    if (fault)
        trial_conclude(trial, VERDICT_DIFFERS, "", "after %s: %s", pass, fault);
}

/* Until PASS_EAGER what is eager has a stand-in, whose values are others. */
static bool has_eager(const Pipeline *pipeline) {
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (pipeline->funcs.data[i]->definition)
            return true;
    return false;
}

/* `lowered` is after PASS_CHECKS: what may be run of it is. */
static void run_unsimplified(Trial *trial, Arena *arena, const Lowered *lowered) {
    Program *back = NULL;
    if (is_drawn(trial, WAY_READ_BACK, 25))
        back = read_back(trial, arena, lowered->program, "before simplifying");
    if (has_eager(lowered->pipeline))
        return;
    if (back)
        interpret(trial, arena, back, false, "read back and interpreted before simplifying");
    else if (is_drawn(trial, WAY_UNSIMPLIFIED, 25))
        interpret(trial, arena, lowered->program, false, "interpreted before simplifying");
    if (!trial->interpreters && is_drawn(trial, WAY_COMPILE_UNSIMPLIFIED, 4))
        compile_and_run(trial, arena, lowered->program, "not simplified, ",
                        trial->c->configurations[1]);
}

/* `lowered` is after PASS_CHECKS. */
static void run_whole(Trial *trial, Arena *arena, Lowered *lowered) {
    if (is_drawn(trial, WAY_QUERY, trial->c->affine ? 100 : 40))
        ask_bounds(trial, arena, lowered);
    if (is_drawn(trial, WAY_CERTIFY, 2))
        trial_certify(trial, arena, lowered);
    run_unsimplified(trial, arena, lowered);
    lower_simplify(lowered->program, arena);
    verify(trial, arena, lowered->program, "simplifying");
    if (!lower_eager(lowered->program, lowered->pipeline, arena)) {
        conclude_refused(trial);
        return;
    }
    if (is_drawn(trial, WAY_UNFOLDED, 15))
        interpret(trial, arena, lowered->program, false, "interpreted before folding");
    coverage_see_slides(&trial->result->coverage, lowered);
    lower_fold(lowered->program, arena);
    verify(trial, arena, lowered->program, "folding");
    if (is_drawn(trial, WAY_UNPARTITIONED, 10))
        interpret(trial, arena, lowered->program, false, "interpreted before partitioning");
    PartitionCounts counts = lower_partition(lowered->program, arena);
    verify(trial, arena, lowered->program, "partitioning");
    interpret(trial, arena, lowered->program, false, "interpreted");
    if (trial->interpreters)
        return;
    coverage_see_schedule(&trial->result->coverage, trial->schedule);
    coverage_see_program(&trial->result->coverage, lowered->program);
    coverage_see_partition(&trial->result->coverage, counts);
    Program *back = NULL;
    if (is_drawn(trial, WAY_COMPILE_READ_BACK, 25))
        back = read_back(trial, arena, lowered->program, "at the end");
    const CaseConfiguration *configurations = trial->c->configurations;
    for (int i = 0; i < CASE_CONFIGURATIONS; i++)
        compile_and_run(trial, arena, back ? back : lowered->program, back ? "read back, " : "",
                        configurations[i]);
}

/* The program of the first `n` directives. */
static void run_prefix(Trial *trial, Arena *arena, size_t n, size_t count) {
    if (is_drawn(trial, WAY_HOLES, 15)) {
        Lowered *with_holes = lower_to(trial, arena, n, PASS_SCHEDULE);
        if (with_holes)
            read_back(trial, arena, with_holes->program, "with holes");
    }
    Lowered *lowered = lower_to(trial, arena, n, PASS_PARTITION);
    if (lowered)
        interpret(trial, arena, lowered->program, true,
                  arena_format(arena, "interpreted after %zu of %zu directives", n, count));
}

static void run_prefixes(Trial *trial, size_t count) {
    for (size_t n = 0; n < count; n++) {
        Arena *arena = arena_create(&trial->context->memory);
        run_prefix(trial, arena, n, count);
        arena_destroy(arena);
    }
}

static void look_otherwise(Trial *trial, const Lowered *lowered) {
    if (is_drawn(trial, WAY_FORMAL, 10))
        trial_check_formal(trial, is_drawn(trial, WAY_STRICT, 50));
    if (is_drawn(trial, WAY_ERRORS, 10))
        trial_check_errors(trial, lowered);
    if (!trial->reference.error && is_drawn(trial, WAY_POINT, 15))
        trial_check_point(trial);
    if (is_drawn(trial, WAY_PRIMITIVES, 10))
        trial_check_primitives(trial, lowered);
    if (is_drawn(trial, WAY_BOUNDS_TEXT, BOUNDS_TEXTS))
        trial_check_bounds_text(trial, lowered);
}

static void run_trial(Trial *trial, Arena *arena) {
    trial_choose(trial);
    Lowered *lowered = lower_to(trial, arena, SIZE_MAX, PASS_CHECKS);
    if (!lowered) {
        conclude_refused(trial);
        return;
    }
    if (!trial_make_images(trial, lowered) || !trial_make_outputs(trial))
        return;
    trial_run_reference(trial);
    look_otherwise(trial, lowered);
    size_t directives = lowered->primitives.length;
    run_whole(trial, arena, lowered);
    /* What is slow to lower once is not lowered again and again. */
    if (trial->pipeline->pool->count < LARGE)
        run_prefixes(trial, directives);
    if (!trial->reference.error && is_drawn(trial, WAY_ENDS, trial->c->affine ? 100 : 10))
        trial_count_loose_ends(trial);
}

void oracle_run(const Case *c, bool interpreters, CaseResult *result) {
    *result = (CaseResult){.verdict = VERDICT_EQUAL, .affine = c->affine};
    Context *context = context_create();
    context->verifies = true;
    context->checks_order = c->seed % 4 == 0; /* dear */
    Arena *arena = arena_create(&context->memory);
    Trial trial = {.context = context,
                   .arena = arena,
                   .c = c,
                   .random = {c->seed ^ 0x5eed},
                   .interpreters = interpreters,
                   .result = result};
    for (int i = 0; i < c->image_count; i++)
        result->boxes[i] = c->images[i].box;
    if (trial_load(&trial)) {
        run_trial(&trial, arena);
        trial_free(&trial);
    }
    arena_destroy(arena);
    context_destroy(context);
}
