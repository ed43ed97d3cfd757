/* trial_views.c -- checks other views of a case: the reference in its formal readings and at single
 * points, the rules of the report, the schedule as its primitives, the bounds as text. */
#include "checkers/fuzz/trial.h"

#include "frontend/frontend.h"
#include "ir/print.h"
#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"
#include "checkers/reference/semantics.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 3000000 }; /* statements */

/* Errors are reported beside the values of the total reading; they do not replace them. */
void trial_check_formal(CaseTrial *trial, bool strict) {
    Arena *arena = arena_create(&trial->context->memory);
    ReferenceOptions options = {.formal = true, .strict = strict};
    ErrorPoint error;
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    Outcome outcome = reference_realize(trial->answer, arena, &trial->arguments, &options, &error);
    trial_compare(trial, &trial->arguments, &outcome, false,
                  strict ? "in the strict reading" : "in the formal reading");
    arena_destroy(arena);
}

/* If the reference has an error value, so has the program: at a point, or in a condition or a
 * bound, which ends the run.  If the program has one, so has the reference.  The exception is
 * err_mem.  Bounds or a tail may add a point that the reference never computes.  It may write at an
 * index that is an error; then all points of its func are err_mem.
 */
void trial_check_errors(CaseTrial *trial, const Lowered *lowered) {
    for (size_t i = 0; i < lowered->primitives.length; i++)
        if (lowered->primitives.data[i].kind == DIRECTIVE_INLINE ||
            lowered->primitives.data[i].kind == DIRECTIVE_RFACTOR)
            return; /* what an inlined func does not use is not evaluated; a merge evaluates more */
    if (trial->narrowed)
        return; /* a specialization does not evaluate the condition of a select that it decides */
    Arena *arena = arena_create(&trial->context->memory);
    ReferenceOptions formal = {.formal = true};
    ErrorPoint expected, found;
    RunOptions options = {.seed = random_bits(&trial->random),
                          .budget = BUDGET,
                          .reading = RUN_FORMAL,
                          .first_error = &found};
    trial_spoil_outputs(&trial->arguments, trial->output_count);
    Outcome reference =
        reference_realize(trial->pipeline, arena, &trial->arguments, &formal, &expected);
    Outcome outcome = run_program(lowered->program, arena, &trial->arguments, &options);
    bool spoilt = !expected.error && found.error == ERROR_MEM;
    if (!reference.error && !outcome.error && !spoilt &&
        (expected.error != 0) != (found.error != 0))
        trial_conclude(trial, VERDICT_DIFFERS, "",
                       "in the formal reading %s has an error value: %s",
                       expected.error ? "the reference alone" : "the program alone",
                       expected.requirement ? expected.requirement
                       : expected.error     ? expected.func->text
                                            : found.func->text);
    arena_destroy(arena);
}

/* Computes a point of the first output alone. */
void trial_check_point(CaseTrial *trial) {
    const Image *expected = &trial->expected[0];
    int64_t point[MAX_DIMENSIONS] = {0};
    if (image_count(expected) == 0)
        return;
    for (int d = 0; d < expected->dimensions; d++)
        point[d] = expected->minimum[d] + random_below(&trial->random, (int)expected->extent[d]);
    Arena *arena = arena_create(&trial->context->memory);
    ReferenceOptions options = {0};
    ReferenceReads reads = {0};
    Value values[CASE_COMPONENTS];
    Symbol output = trial->pipeline->signature.outputs.data[0].func;
    Outcome outcome = reference_point(trial->answer, arena, &trial->arguments, &options, output,
                                      point, values, &reads);
    if (outcome.error)
        trial_conclude(trial, VERDICT_DIFFERS, "", "at one point: refused: %s", outcome.message);
    else if (!bits_same(expected->type, values[0].bits,
                        bits_load(expected->type, image_at(expected, point))))
        trial_conclude(trial, VERDICT_DIFFERS, "",
                       "at one point the reference gives another value");
    arena_destroy(arena);
}

/* Startup expressions are printed in the text form, which schedules cannot read. */
static bool is_readable(const char *directive) {
    return !strchr(directive, ':') && !strstr(directive, "extent.") && !strstr(directive, "min.") &&
           !strstr(directive, ".stride.");
}

/* Lowers the source in a context of its own, where its fresh names are the same. */
static const char *lowered_text(Arena *arena, const char *source, bool windows) {
    Context *context = context_create();
    context->makes_windows = windows;
    context->checks_order = true;
    uint32_t file = context_add_file(context, "primitives.hl", source, strlen(source));
    Module *module = frontend_load(context, context->arena, file, NULL, NULL);
    const Pipeline *pipeline = module ? module_pipeline(module, "p") : NULL;
    LowerOptions options = {.last = PASS_LICM, .directives = SIZE_MAX};
    Lowered *lowered =
        pipeline ? lower(pipeline, module_schedule(module, pipeline, "s"), context->arena, &options)
                 : NULL;
    const char *text = lowered ? program_text(context->arena, lowered->program) : NULL;
    text = text ? arena_text(arena, text, strlen(text)) : NULL;
    context_destroy(context);
    return text;
}

/* The primitives of a schedule, written out, must be a schedule with the same meaning. */
void trial_check_primitives(CaseTrial *trial, const Lowered *lowered) {
    Arena *arena = arena_create(&trial->context->memory);
    Case written = *trial->c;
    written.directives = (Texts){0};
    bool readable = true;
    for (size_t i = 0; i < lowered->primitives.length; i++) {
        vec_push(arena, &written.directives, directive_text(arena, &lowered->primitives.data[i]));
        readable &= is_readable(written.directives.data[i]);
    }
    if (readable) {
        const char *first = lowered_text(arena, case_text(arena, trial->c), trial->c->windows);
        const char *second = lowered_text(arena, case_text(arena, &written), trial->c->windows);
        if (!first || !second || strcmp(first, second) != 0)
            trial_conclude(trial, VERDICT_DIFFERS, "", "the primitives written out %s",
                           second ? "make another program" : "are refused");
    }
    arena_destroy(arena);
}

void trial_check_bounds_text(CaseTrial *trial, const Lowered *lowered) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    bounds_print(out, trial->context, lowered->pipeline, lowered->bounds);
    fclose(out);
    if (!length)
        trial_conclude(trial, VERDICT_DIFFERS, "", "nothing is said of the bounds");
    free(text);
}

/* ---- the rules of the report, on small inputs ---- */

enum {
    SMALL_POINTS = 20000, /* of all funcs */
    SMALL_BUDGET = 400000 /* steps of a proof: some tenths of a second */
};

/* The rules are lazy (checkers/reference/semantics.h): the engine may refuse, with this error, what
 * they do not evaluate. */
static bool may_be_lazy(int error) {
    return error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS || error == HLC_ERROR_COORDINATE_RANGE ||
           error == HLC_ERROR_INDEX_RANGE || error == HLC_ERROR_RDOM_LENGTH ||
           error == HLC_ERROR_OUT_OF_MEMORY;
}

static void compare_outcomes(CaseTrial *trial, const Outcome *rules, const char *way) {
    int error = trial->reference.error;
    if (rules->error && !error)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s refuse what the engine answers: %s", way,
                       rules->message);
    else if (error && rules->error != error && !may_be_lazy(error))
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s say `%s`, but the engine refuses: %s", way,
                       rules->message, trial->reference.message);
    else if (!error)
        trial_compare(trial, &trial->arguments, rules, false, way);
}

/* Compares the error values of both at the point that one of them reports. */
static void compare_point(CaseTrial *trial, Arena *arena, const ReferenceOptions *options,
                          const ErrorPoint *told, const char *way) {
    if (!told->error || told->requirement)
        return;
    SemanticsOptions rules = {.formal = true, .strict = options->strict};
    Value ours[CASE_COMPONENTS], theirs[CASE_COMPONENTS];
    Outcome first = semantics_point(trial->answer, arena, &trial->arguments, &rules, told->func,
                                    told->point, ours);
    Outcome second = reference_point(trial->answer, arena, &trial->arguments, options, told->func,
                                     told->point, theirs, NULL);
    uint8_t mine = ours[told->component].error, other = theirs[told->component].error;
    if (first.error || second.error || mine != other)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: an error value of %s is `%s`, not `%s`",
                       way, told->func->text, error_text((ErrorValue)other),
                       error_text((ErrorValue)mine));
}

static void compare_errors(CaseTrial *trial, Arena *arena, bool strict, const ErrorPoint *found,
                           const char *way) {
    ReferenceOptions options = {.formal = true, .strict = strict};
    ErrorPoint expected;
    Outcome outcome =
        reference_realize(trial->answer, arena, &trial->arguments, &options, &expected);
    if (outcome.error)
        return;
    if ((expected.error != 0) != (found->error != 0))
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: %s an error value: %s", way,
                       found->error ? "the engine lacks" : "the engine alone has",
                       (found->error ? found : &expected)->requirement
                           ? (found->error ? found : &expected)->requirement
                           : (found->error ? found : &expected)->func->text);
    compare_point(trial, arena, &options, &expected, way);
    compare_point(trial, arena, &options, found, way);
}

void trial_check_semantics(CaseTrial *trial) {
    static const char *const ways[] = {"the rules of the report", "the rules in the formal reading",
                                       "the rules in the strict reading"};
    for (int reading = 0; reading < 3 && trial->points <= SMALL_POINTS; reading++) {
        Arena *arena = arena_create(&trial->context->memory);
        SemanticsOptions options = {reading == 1, reading == 2, SMALL_BUDGET};
        ErrorPoint found;
        trial_spoil_outputs(&trial->arguments, trial->output_count);
        Outcome outcome =
            semantics_realize(trial->answer, arena, &trial->arguments, &options, &found);
        bool is_done = outcome.error != HLC_ERROR_BUDGET;
        if (is_done)
            compare_outcomes(trial, &outcome, ways[reading]);
        if (is_done && reading && !outcome.error)
            compare_errors(trial, arena, reading == 2, &found, ways[reading]);
        trial->result->proved += is_done;
        arena_destroy(arena);
    }
}
