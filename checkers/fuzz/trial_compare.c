/* trial_compare.c -- computes the reference's answer, and compares a run with it.
 *
 *                      the run answers          the run refuses
 *   reference answers  same bits, or DIFFERS    REFUSED if the refusal is allowed, else DIFFERS
 *   reference refuses  DIFFERS, with exceptions REFUSED
 *
 * An allowed refusal has a cause in the schedule, such as a `bound` that is too small.  The
 * exceptions are errors that inlining removes.  A broken invariant of ours always DIFFERS. */
#include "checkers/fuzz/trial.h"

#include "library/check/reassociated.h"
#include "checkers/reference/engine/reference.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trial_conclude(CaseTrial *trial, CaseVerdict verdict, const char *reason, const char *format,
                    ...) {
    CaseResult *result = trial->result;
    if (result->verdict >= verdict && result->message[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    result->verdict = verdict;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
}

static size_t image_bytes(const Image *image) {
    return (size_t)(image_count(image) * type_bytes(image->type));
}

const Pipeline *trial_find_answer(CaseTrial *trial, Arena *arena, const Lowered *lowered) {
    const Reassociation *found = reassociation_find(arena, trial->pipeline, lowered);
    trial->answer = found ? found->exact : trial->pipeline;
    return trial->answer;
}

void trial_run_reference(CaseTrial *trial) {
    Arena *arena = arena_create(&trial->context->memory);
    ReferenceOptions options = {0};
    ErrorPoint error;
    trial->reference = reference_realize(trial->answer, arena, &trial->arguments, &options, &error);
    for (int i = 0; i < trial->output_count; i++)
        memcpy(trial->expected[i].data, trial->arguments.outputs[i].data,
               image_bytes(&trial->expected[i]));
    arena_destroy(arena);
}

void trial_judge_order(CaseTrial *trial, const Lowered *lowered) {
    for (int i = 0; i < trial->c->image_count; i++)
        if (strcmp(trial->c->images[i].fill, "ramp") != 0)
            return;
    if (trial->answer == trial->pipeline || trial->reference.error)
        return;
    struct hlc compiler = {.context = trial->context};
    hlc_arguments arguments = {.h = &compiler,
                               .pipeline = trial->pipeline,
                               .signature = &trial->pipeline->signature,
                               .values = trial->arguments};
    Arena *arena = arena_create(&trial->context->memory);
    uint64_t state = random_bits(&trial->random);
    Reassociation *found = reassociation_find(arena, trial->pipeline, lowered);
    const char *fault = reassociation_judge(found, arena, &arguments, lowered->bounds, &state);
    if (fault)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s", fault);
    arena_destroy(arena);
}

void trial_spoil_outputs(const Arguments *arguments, int count) {
    for (int i = 0; i < count; i++) {
        const Image *image = &arguments->outputs[i];
        memset(image->data, type_is_bool(image->type) ? 1 : 0xA5, image_bytes(image));
    }
}

/* Advances the point by one, dimension 0 first. */
static void advance(const Image *image, int64_t *point) {
    for (int d = 0; d < image->dimensions; d++) {
        if (++point[d] < image->minimum[d] + image->extent[d])
            return;
        point[d] = image->minimum[d];
    }
}

void trial_spoil_view(const Image *image) {
    int64_t count = image_count(image), point[MAX_IMAGE_DIMENSIONS];
    memcpy(point, image->minimum, sizeof point);
    for (int64_t n = 0; n < count; n++, advance(image, point))
        memset(image_at(image, point), type_is_bool(image->type) ? 1 : 0xA5,
               (size_t)type_bytes(image->type));
}

static void tell_difference(CaseTrial *trial, const Image *image, int number, const int64_t *point,
                            Bits got, Bits wanted, const char *way) {
    char got_text[48], wanted_text[48];
    const char *where = "";
    value_print(image->type, got, got_text, sizeof got_text);
    value_print(image->type, wanted, wanted_text, sizeof wanted_text);
    for (int d = 0; d < image->dimensions; d++)
        where = arena_format(trial->arena, "%s%s%" PRId64, where, d ? ", " : "", point[d]);
    if (!trial->result->has_point) {
        trial->result->has_point = true;
        trial->result->output = number;
        memcpy(trial->result->point, point, (size_t)image->dimensions * sizeof *point);
    }
    trial_conclude(trial, VERDICT_DIFFERS, "", "%s: output %d at (%s) is %s, the reference says %s",
                   way, number, where, got_text, wanted_text);
}

static void compare_images(CaseTrial *trial, const Arguments *arguments, const char *way) {
    for (int i = 0; i < trial->output_count; i++) {
        const Image *image = &arguments->outputs[i], *expected = &trial->expected[i];
        int64_t count = image_count(image), point[MAX_IMAGE_DIMENSIONS];
        memcpy(point, image->minimum, sizeof point);
        for (int64_t n = 0; n < count; n++, advance(image, point)) {
            Bits got = bits_load(image->type, image_at(image, point));
            Bits wanted = bits_load(image->type, image_at(expected, point));
            if (bits_same(image->type, got, wanted))
                continue;
            tell_difference(trial, image, i, point, got, wanted, way);
            return;
        }
    }
}

/* Counts the directives that begin with this text. */
static int count_directives(const Case *c, const char *with) {
    int count = 0;
    for (size_t i = 0; i < c->directives.length; i++)
        count += strncmp(c->directives.data[i], with, strlen(with)) == 0;
    return count;
}

/* Partial results of partial results have loops over dimensions of the latter.  The tails of these
 * loops may need more coordinates than exist. */
static bool has_bound(const Case *c) {
    return count_directives(c, "bound") || count_directives(c, "rfactor(") > 1;
}

/* An inlined func evaluates neither arguments nor components that its value does not use. */
static bool inlines(const Case *c) {
    return count_directives(c, "inline(");
}

/* A copy of an image has loops, and their tails may read more than the image has. */
static bool wraps_image(const Case *c) {
    return count_directives(c, "wrap(in");
}

/* Is an answer allowed though the reference has none? */
static bool may_answer(const CaseTrial *trial) {
    int error = trial->reference.error;
    return error == HLC_ERROR_COORDINATE_RANGE || /* of an inlined func */
           (error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS && (inlines(trial->c) || trial->narrowed));
}

/* Is this refusal allowed though the reference has an answer? */
static bool may_refuse(const CaseTrial *trial, int error, bool prefix) {
    switch (error) {
    case HLC_ERROR_ACCESS_OUT_OF_BOUNDS:
        return prefix || !trial->fitted || wraps_image(trial->c);
    case HLC_ERROR_COORDINATE_RANGE:
        return trial->c->far;
    case HLC_ERROR_BOUND_TOO_SMALL:
        return has_bound(trial->c);
    case HLC_ERROR_FOLD_TOO_SMALL: /* asserted only for a fold-storage with a number */
    case HLC_ERROR_OUT_OF_MEMORY:
        return true;
    default:
        return false;
    }
}

static const char *error_name(int error) {
    static const struct {
        int error;
        const char *name;
    } names[] = {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) {NUMBER, TEXT},
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            return names[i].name;
    return "unknown";
}

void trial_compare(CaseTrial *trial, const Arguments *arguments, const Outcome *outcome,
                   bool prefix, const char *way) {
    int error = outcome->error, expected = trial->reference.error;
    if (error == HLC_ERROR_BUDGET)
        return; /* too much work; other ways have no budget */
    if (error == HLC_ERROR_INTERNAL || error == HLC_ERROR_GENERIC)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: %s", way, outcome->message);
    else if (error && !expected && !may_refuse(trial, error, prefix))
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: refused without need: %s", way,
                       outcome->message);
    else if (error && !prefix)
        trial_conclude(trial, VERDICT_REFUSED, error_name(error), "%s: %s", way, outcome->message);
    else if (!error && expected && may_answer(trial))
        trial_conclude(trial, VERDICT_REFUSED, "reference", "%s", trial->reference.message);
    else if (!error && expected)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: accepted, but the reference refuses: %s",
                       way, trial->reference.message);
    else if (!error)
        compare_images(trial, arguments, way);
}
