/* trial_semantics.c -- compares the reference engine with the rules of the report on small inputs.
 */
#include "checkers/fuzz/trial.h"

#include "checkers/reference/engine/reference.h"
#include "checkers/reference/semantics.h"

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
