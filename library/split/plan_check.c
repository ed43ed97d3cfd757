/* plan_check.c -- hlc_split_check: the plan against the whole, both by the reference interpreter, on
 * random arguments as `hlc check` draws them, in random windows and blocks.
 */
#include "library/split/asked.h"

#include "checkers/reference/engine/reference.h"
#include "library/check/trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROUNDS = 12, DRAWS = 24 };

typedef struct PlanCheck {
    const hlc_split_options *options;
    int rounds;
    uint64_t state;
    FILE *out;
    hlc *h;
    const Pipeline *pipeline;
    const SplitPlan *plan;
    hlc_arguments *a;
    Demands demands;
    Factors factors;
    int64_t points, compared, refused;
    hlc_status status;
} PlanCheck;

static const char *arguments_text(const PlanCheck *check) {
    const Signature *signature = check->a->signature;
    Arena *arena = check->h->scratch;
    const char *text = "";
    for (size_t i = 0; i < signature->parameters.length; i++)
        text = arena_format(
            arena, "%s %s=%s", text, signature->parameters.data[i].name->text,
            text_value(arena, signature->parameters.data[i].type, check->a->values.parameters[i]));
    for (size_t i = 0; i < signature->images.length; i++)
        text = arena_format(arena, "%s %s=edges:%" PRIu64 ":%s", text,
                            signature->images.data[i].name->text, check->a->image_seeds[i],
                            text_box(arena, &check->a->values.images[i], true));
    for (size_t i = 0; i < signature->outputs.length; i++)
        text = arena_format(arena, "%s %s=%s", text, signature->outputs.data[i].func->text,
                            text_box(arena, &check->a->windows[i], true));
    return text;
}

static void differ(PlanCheck *check, const char *what) {
    check->status = HLC_NO;
    fprintf(check->out, "differs: %s\n  with%s\n", what, arguments_text(check));
}

static Image *copy_outputs(const PlanCheck *check, Arena *arena) {
    size_t count = check->a->output_count;
    Image *kept = arena_array(arena, Image, count + 1);
    for (size_t i = 0; i < count; i++) {
        const Image *output = &check->a->values.outputs[i];
        size_t bytes = (size_t)(image_count(output) * type_bytes(output->type));
        kept[i] = *output;
        kept[i].data = arena_allocate(arena, bytes + 16);
        if (bytes > 0)
            memcpy(kept[i].data, output->data, bytes);
    }
    return kept;
}

static bool is_same_output(PlanCheck *check, size_t i, const Image *expected) {
    const Image *got = &check->a->values.outputs[i];
    Arena *arena = check->h->scratch;
    int64_t at[MAX_IMAGE_DIMENSIONS], count = image_count(got);
    memcpy(at, got->minimum, sizeof at);
    for (int64_t n = 0; n < count; n++) {
        Bits g = bits_load(got->type, image_at(got, at)),
             w = bits_load(got->type, image_at(expected, at));
        if (!bits_same(got->type, g, w)) {
            differ(check,
                   arena_format(arena, "%s(%s) is %s by the plan, and %s of the whole",
                                check->a->output_names[i], text_point(arena, at, got->dimensions),
                                text_value(arena, got->type, g), text_value(arena, got->type, w)));
            return false;
        }
        for (int d = 0; d < got->dimensions && ++at[d] == got->minimum[d] + got->extent[d]; d++)
            at[d] = got->minimum[d];
    }
    check->points += count;
    return true;
}

static void run_round(PlanCheck *check, Arena *arena) {
    ReferenceOptions options = {0};
    Outcome outcome = reference_realize(check->pipeline, arena, &check->a->values, &options, NULL);
    if (outcome.error) {
        check->refused++;
        return;
    }
    Image *expected = copy_outputs(check, arena);
    for (size_t i = 0; i < check->a->output_count; i++) {
        Image *output = &check->a->values.outputs[i];
        size_t bytes = (size_t)(image_count(output) * type_bytes(output->type));
        for (size_t b = 0; b < bytes; b++)
            output->data[b] =
                type_is_bool(output->type) ? !output->data[b] : (unsigned char)~output->data[b];
    }
    bool is_refused;
    outcome = split_plan_run(check->plan, arena, &check->a->values, &check->state, &is_refused);
    if (is_refused) {
        check->refused++;
    } else if (outcome.error) {
        differ(check, arena_format(check->h->scratch, "the plan fails where the whole runs: %s",
                                   outcome.message));
    } else {
        check->compared++;
        for (size_t i = 0; i < check->a->output_count; i++)
            if (!is_same_output(check, i, &expected[i]))
                return;
    }
}

static bool draw(PlanCheck *check, int round) {
    for (int i = 0; i < DRAWS; i++) {
        TrialManner manner = round % 4 == 3 ? TRIAL_SMALL : TRIAL_MET;
        if (trial_draw(check->a, NULL, &check->demands, &check->factors, manner, false,
                       &check->state))
            return arguments_ready(check->a, true) == HLC_YES;
    }
    return false;
}

static hlc_status check_plan(hlc *h, void *data) {
    PlanCheck *check = data;
    const hlc_split_options *options = check->options;
    SplitOptions split;
    check->h = h;
    if (!split_asked(h, options, options->at ? options->at : "auto", &check->pipeline, &split))
        return HLC_USER;
    check->plan = split_plan_create(h->context, h->scratch, check->pipeline, &split);
    const Lowered *lowered =
        check->plan ? compiler_lower_schedule(h, check->pipeline, NULL, (PassId)(PASS_COUNT - 1),
                                              SIZE_MAX, h->scratch)
                    : NULL;
    if (!lowered)
        return HLC_USER;
    demand_add(&check->demands, h->scratch, NULL, lowered, true);
    check->a = arguments_create(h, check->pipeline->signature.name->text);
    for (int r = 0; r < check->rounds && check->status == HLC_YES; r++) {
        Arena *arena = arena_create(&h->context->memory);
        if (draw(check, r))
            run_round(check, arena);
        else
            check->refused++;
        arena_destroy(arena);
    }
    arguments_free(check->a);
    if (check->status == HLC_YES && check->compared == 0) {
        diag(h->context, DIAG_LITTLE_COMPARED, NOWHERE, check->pipeline->signature.name->text,
             "its plan", "0", arena_format(h->scratch, "%d", check->rounds),
             "ask for more --rounds");
        return HLC_USER;
    }
    if (check->status == HLC_YES)
        fprintf(check->out,
                "%s: %zu steps, %" PRId64 " runs compared, %" PRId64 " refused, %" PRId64
                " points equal\n",
                check->pipeline->signature.name->text, check->plan->steps.length, check->compared,
                check->refused, check->points);
    return check->status;
}

hlc_status hlc_split_check(hlc *h, const hlc_split_options *options, int rounds, uint64_t seed,
                           FILE *out) {
    static const hlc_split_options standard;
    if (!out)
        return compiler_null(h, "out");
    if (rounds < 0)
        return compiler_bad_argument(h, "rounds", "is negative");
    PlanCheck check = {.options = options ? options : &standard,
                       .rounds = rounds ? rounds : DEFAULT_ROUNDS,
                       .state = seed,
                       .out = out};
    return compiler_enter(h, check_plan, &check);
}
