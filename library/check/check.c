/* check.c -- checks that all schedules compute the algorithm.
 *
 * All schedules of each pipeline, and the empty one, are lowered and compiled once. Then rounds of
 * random arguments (trial.h) are run by the reference, by compiled code and, if it is not too much
 * work, by the target interpreter. Every point of the outputs is compared. A refusal at entry is no
 * difference, but is counted. Accepting arguments that the reference refuses is a difference, with
 * two exceptions: compiled code does not check the coordinates of an inlined func, and it does not
 * evaluate unused arguments and tuple components. If a schedule changes the order of float
 * additions, reassociated.h defines the comparison.
 */
#include "library/check/shared.h"
#include "library/check/check_report.h"
#include "library/check/reassociated.h"
#include "library/check/trial.h"

#include "checkers/interpreter/run.h"
#include "checkers/reference/engine/reference.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROUNDS = 24, INTERPRETED_BUDGET = 1000000, DRAWS = 16 };

typedef struct Variant {
    const Schedule *schedule; /* null: the empty one */
    const char *name;         /* its */
    const Program *program;
    const Jit *jit;
    bool inlines; /* an inlined func, and a specialization, evaluate only what a value needs */
    bool factors; /* a merge of partial results evaluates what the update does not */
    bool
        is_eager; /* tables hold machine numbers, no errors; before PASS_EAGER they are not there */
    const BoundsResult *bounds;
    Reassociation *reassociation; /* null: no change of the order of float additions */
    CheckCounts counts;
    char refusal[1100]; /* the first refusal, preferably one that the reference does not share */
    bool refused_alone; /* the reference does not share it */
} Variant;

typedef struct Check {
    hlc *h;
    const hlc_check_options *options;
    const hlc_arguments *fixed;
    FILE *out;
    const Pipeline *pipeline;
    hlc_arguments *a;
    Vec(Variant) variants;
    Demands demands;
    Factors factors;
    uint64_t state;
    Image *written, *expected; /* the algorithm's result; the result that a variant must have */
    Outcome reference;
    bool is_hard;     /* no arguments were found that all schedules accept */
    bool is_contrary; /* not even small ones */
    int64_t undrawn;  /* rounds without arguments */
    int64_t points;
    hlc_status status;
} Check;

static void worsen(Check *check, hlc_status status) {
    if (status == HLC_FAULT || check->status == HLC_YES ||
        (status == HLC_NO && check->status == HLC_USER))
        check->status = status;
}

/* ---- the arguments in the form of the command line ---- */

static const char *arguments_text(const Check *check) {
    const Signature *signature = check->a->signature;
    Arena *arena = check->h->scratch;
    const char *text = "";
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        text = arena_format(arena, "%s%s=%s ", text, parameter->name->text,
                            text_value(arena, parameter->type, check->a->values.parameters[i]));
    }
    for (size_t i = 0; i < signature->images.length; i++) {
        const char *contents = "..";
        if (!check->fixed || !check->fixed->image_set[i])
            contents = arena_format(arena, "edges:%" PRIu64, check->a->image_seeds[i]);
        text = arena_format(arena, "%s%s=%s:%s ", text, signature->images.data[i].name->text,
                            contents, text_box(arena, &check->a->values.images[i], true));
    }
    for (size_t i = 0; i < signature->outputs.length; i++)
        text = arena_format(arena, "%s%s%s=%s", text, i ? " " : "",
                            signature->outputs.data[i].func->text,
                            text_box(arena, &check->a->windows[i], true));
    return text;
}

static CheckReport report_of(const Check *check, const char *schedule) {
    return (CheckReport){.out = check->out,
                         .json = check->options->json,
                         .pipeline = check->pipeline ? check->pipeline->signature.name->text : "",
                         .schedule = schedule};
}

/* ---- comparing ---- */

static void report_difference(Check *check, const Variant *variant, const char *machine,
                              const char *what) {
    worsen(check, HLC_NO);
    CheckReport report = report_of(check, variant->name);
    check_report_difference(&report, machine, what, arguments_text(check));
}

/* Describes the first point at which image `i` of the outputs differs; null if there is none. */
static const char *find_difference(Check *check, size_t i) {
    const Image *got = &check->a->values.outputs[i], *wanted = &check->expected[i];
    int64_t at[MAX_IMAGE_DIMENSIONS];
    memcpy(at, got->minimum, sizeof at);
    int64_t count = image_count(got);
    for (int64_t n = 0; n < count; n++) {
        Bits g = bits_load(got->type, image_at(got, at));
        Bits w = bits_load(wanted->type, image_at(wanted, at));
        if (!bits_same(got->type, g, w)) {
            Arena *arena = check->h->scratch;
            return arena_format(arena, "%s(%s) is %s, the reference says %s",
                                check->a->output_names[i], text_point(arena, at, got->dimensions),
                                text_value(arena, got->type, g), text_value(arena, got->type, w));
        }
        for (int d = 0; d < got->dimensions && ++at[d] == got->minimum[d] + got->extent[d]; d++)
            at[d] = got->minimum[d];
    }
    return NULL;
}

static void compare_outputs(Check *check, Variant *variant, const char *machine) {
    int64_t before = variant->counts.points;
    for (size_t i = 0; i < check->a->output_count; i++) {
        const char *difference = find_difference(check, i);
        if (difference) {
            report_difference(check, variant, machine, difference);
            return;
        }
        variant->counts.points += image_count(&check->a->values.outputs[i]);
    }
    variant->counts.compared += variant->counts.points > before;
}

/* If the reference also refuses, but for another reason, reports both reasons. */
static void tell_refusal(const Check *check, Variant *variant, const Outcome *outcome) {
    const Outcome *reference = &check->reference;
    if (!reference->error || reference->error == outcome->error)
        snprintf(variant->refusal, sizeof variant->refusal, "%s", outcome->message);
    else
        snprintf(variant->refusal, sizeof variant->refusal, "%s (the reference: %s)",
                 outcome->message, reference->message);
}

static void compare(Check *check, Variant *variant, const char *machine, const Outcome *outcome) {
    variant->counts.runs++;
    if (outcome->error == HLC_ERROR_INTERNAL || outcome->error == HLC_ERROR_GENERIC) {
        report_difference(check, variant, machine, outcome->message);
        worsen(check, HLC_FAULT);
    } else if (outcome->error) {
        variant->counts.refused++;
        bool alone = !check->reference.error;
        if (!variant->refusal[0] || (alone && !variant->refused_alone))
            tell_refusal(check, variant, outcome);
        variant->refused_alone |= alone;
    } else if (check->reference.error == HLC_ERROR_COORDINATE_RANGE ||
               (check->reference.error == HLC_ERROR_ACCESS_OUT_OF_BOUNDS && variant->inlines)) {
        variant->counts.refused++; /* there is nothing to compare with */
    } else if (check->reference.error) {
        report_difference(check, variant, machine,
                          arena_format(check->h->scratch, "accepted, but the reference refuses: %s",
                                       check->reference.message));
    } else {
        compare_outputs(check, variant, machine);
    }
}

/* ---- running ---- */

/* Spoils the outputs, to detect points that no store writes. */
static void spoil_outputs(const Check *check) {
    for (size_t i = 0; i < check->a->output_count; i++) {
        Image *output = &check->a->values.outputs[i];
        int64_t count = image_count(output);
        for (int64_t n = 0; output->data && n < count * type_bytes(output->type); n++)
            output->data[n] =
                type_is_bool(output->type) ? !output->data[n] : (unsigned char)~output->data[n];
    }
}

static Image *keep_outputs(const Check *check, Arena *arena) {
    size_t count = check->a->output_count;
    Image *kept = arena_array(arena, Image, count);
    for (size_t i = 0; i < count; i++) {
        const Image *output = &check->a->values.outputs[i];
        size_t bytes = (size_t)(image_count(output) * type_bytes(output->type));
        kept[i] = *output;
        kept[i].data = arena_allocate(arena, bytes);
        if (bytes > 0)
            memcpy(kept[i].data, output->data, bytes);
    }
    return kept;
}

/* Runs the target program of the first pass after which it is complete. */
static Outcome run_plainly(Check *check, const Variant *variant, Arena *arena) {
    PassId last = variant->is_eager ? PASS_EAGER : PASS_CHECKS;
    const Lowered *lowered = compiler_lower_schedule(check->h, check->pipeline, variant->schedule,
                                                     last, SIZE_MAX, arena);
    hlc_assert(lowered, "what was lowered once is lowered again");
    RunOptions options = {.seed = 1, .budget = INTERPRETED_BUDGET};
    return run_program(lowered->program, arena, &check->a->values, &options);
}

/* Finds the expected result of a variant that reorders float additions, and judges the order. False
 * if there is nothing to compare with. */
static bool expect(Check *check, Variant *variant, Arena *arena) {
    Reassociation *reassociation = variant->reassociation;
    check->expected = check->written;
    if (!reassociation || check->reference.error)
        return true;
    const char *fault =
        reassociation_judge(reassociation, arena, check->a, variant->bounds, &check->state);
    if (fault)
        report_difference(check, variant, "reference", fault);
    ReferenceOptions options = {0};
    spoil_outputs(check);
    Outcome outcome = reassociation->exact ? reference_realize(reassociation->exact, arena,
                                                               &check->a->values, &options, NULL)
                                           : run_plainly(check, variant, arena);
    check->expected = keep_outputs(check, arena);
    return !outcome.error;
}

/* Runs once more with outputs in the memory of their images, if they may lie there. */
static void run_in_place(Check *check, Variant *variant, Arena *arena) {
    const Arguments apart = check->a->values;
    Arguments shared;
    if (!shared_arguments(check->a, arena, &shared))
        return;
    check->a->values = shared;
    Outcome outcome = jit_call(variant->jit, &shared);
    compare(check, variant, "compiled, in place,", &outcome);
    check->a->values = apart;
}

static void run_variant(Check *check, Variant *variant, Arena *arena) {
    if (!expect(check, variant, arena)) {
        variant->counts.runs++;
        variant->counts.refused++;
        return;
    }
    spoil_outputs(check);
    int64_t work = hlc_set_dispatch_work(0); /* small images, too, on threads */
    Outcome outcome = jit_call(variant->jit, &check->a->values);
    hlc_set_dispatch_work(work);
    compare(check, variant, "compiled", &outcome);
    run_in_place(check, variant, arena);
    if (check->status == HLC_NO || check->status == HLC_FAULT)
        return;
    spoil_outputs(check);
    RunOptions options = {.seed = fill_random(&check->state),
                          .budget = INTERPRETED_BUDGET,
                          .order = (RunOrder)(fill_random(&check->state) % 3)};
    outcome = run_program(variant->program, arena, &check->a->values, &options);
    if (outcome.error != HLC_ERROR_BUDGET)
        compare(check, variant, "interpreted", &outcome);
}

/* The first rounds always compare something, if anything can be compared. */
static TrialManner draw_manner(Check *check, int round) {
    uint64_t choice = fill_random(&check->state) % 96;
    return round >= 2 && choice < TRIAL_MET ? (TrialManner)choice : TRIAL_MET;
}

/* What may be slow is taken if nothing else is found. */
static bool draw_in(Check *check, TrialManner manner) {
    for (int i = 0; i < 2 * DRAWS; i++)
        if (trial_draw(check->a, check->fixed, &check->demands, &check->factors, manner, i >= DRAWS,
                       &check->state))
            return arguments_ready(check->a, true) == HLC_YES;
    return false;
}

/* If the demands of all schedules are not met together, small windows may meet them; else the
 * schedules take turns. If none is met, the runs show by their refusals why. */
static bool draw(Check *check, int round) {
    if (!check->is_hard && draw_in(check, draw_manner(check, round)))
        return true;
    check->is_hard = true;
    if (!check->is_contrary && round % 2 == 0) {
        if (draw_in(check, TRIAL_SMALL))
            return true;
        check->is_contrary = true;
    }
    return draw_in(check, TRIAL_IN_TURN) || draw_in(check, TRIAL_ANY);
}

/* Describes the error of the formal reading. */
static const char *formal_text(const Check *check, const ErrorPoint *error) {
    Arena *arena = check->h->scratch;
    const char *value = error_text((ErrorValue)error->error);
    if (error->requirement)
        return arena_format(arena,
                            "in the formal reading the condition of the requirement `%s` is %s",
                            error->requirement, value);
    int dimensions = signature_func(check->a->signature, error->func)->dimensions;
    return arena_format(arena, "in the formal reading %s is %s at (%s)", error->func->text, value,
                        text_point(arena, error->point, dimensions));
}

/* Compares error values. If the reference has an error value, the program has one under each
 * schedule: at the point, or in a condition or bound, which ends the run. This holds until
 * simplification, which preserves values but not errors. It excludes arguments that an inlined func
 * does not use, operators found by simplification, and tables of constants, which also preserve
 * only values. */
static void compare_formal(Check *check, Variant *variant, const ErrorPoint *expected,
                           Arena *arena) {
    if (variant->inlines || variant->factors || variant->is_eager)
        return;
    const Lowered *lowered = compiler_lower_schedule(check->h, check->pipeline, variant->schedule,
                                                     PASS_CHECKS, SIZE_MAX, arena);
    hlc_assert(lowered, "what was lowered once is lowered again");
    ErrorPoint error;
    RunOptions options = {
        .seed = 1, .budget = INTERPRETED_BUDGET, .reading = RUN_FORMAL, .first_error = &error};
    spoil_outputs(check);
    Outcome outcome = run_program(lowered->program, arena, &check->a->values, &options);
    if (!outcome.error && !error.error)
        report_difference(check, variant, "interpreted",
                          arena_format(check->h->scratch, "%s, and under the schedule nothing is",
                                       formal_text(check, expected)));
}

static void run_round(Check *check, int round, bool *noted) {
    Arena *arena = arena_create(&check->h->context->memory);
    if (draw(check, round)) {
        ReferenceOptions options = {.formal = true};
        ErrorPoint error;
        check->reference =
            reference_realize(check->pipeline, arena, &check->a->values, &options, &error);
        check->written = keep_outputs(check, arena);
        if (!check->reference.error && error.error && !*noted) {
            *noted = true;
            CheckReport report = report_of(check, NULL);
            check_report_note(&report, formal_text(check, &error), arguments_text(check));
            for (size_t v = 0; v < check->variants.length; v++)
                compare_formal(check, &check->variants.data[v], &error, arena);
        }
        for (size_t v = 0; v < check->variants.length; v++)
            if (check->status == HLC_YES || check->status == HLC_USER)
                run_variant(check, &check->variants.data[v], arena);
    } else {
        check->undrawn++;
    }
    arena_destroy(arena);
}

/* ---- pipelines ---- */

/* The reference may read what a schedule leaves out. */
static void add_reference_demand(Check *check) {
    const Lowered *lowered = compiler_lower_schedule(
        check->h, check->pipeline, NULL, (PassId)(PASS_COUNT - 1), SIZE_MAX, check->h->scratch);
    if (lowered)
        demand_add(&check->demands, check->h->scratch, NULL, lowered, false);
}

static void collect_factors(Check *check, const Schedule *schedule) {
    for (size_t i = 0; schedule && i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        for (size_t j = 0; j < directive->arguments.length; j++) {
            const DirectiveArgument *argument = &directive->arguments.data[j];
            int64_t value;
            if (argument->kind == ARGUMENT_EXPR && expr_constant_integer(argument->expr, &value) &&
                value > 1 && value <= 256)
                vec_push(check->h->scratch, &check->factors, value);
        }
    }
}

static void add_variant(Check *check, const Schedule *schedule) {
    hlc *h = check->h;
    Variant variant = {.schedule = schedule, .name = schedule ? schedule->name->text : NULL};
    const Lowered *lowered = compiler_lower_schedule(
        h, check->pipeline, schedule, (PassId)(PASS_COUNT - 1), SIZE_MAX, h->scratch);
    variant.program = lowered ? lowered->program : NULL;
    variant.jit = lowered ? compiler_jit(h, variant.program, &h->code, NULL) : NULL;
    if (!variant.jit) {
        CheckReport report = report_of(check, variant.name);
        check_report_not_compiled(&report);
        worsen(check, HLC_USER);
        return;
    }
    for (size_t i = 0; i < lowered->primitives.length; i++) {
        variant.inlines |= lowered->primitives.data[i].kind == DIRECTIVE_INLINE;
        variant.factors |= lowered->primitives.data[i].kind == DIRECTIVE_RFACTOR;
        variant.is_eager |= lowered->primitives.data[i].kind == DIRECTIVE_EAGER;
    }
    variant.inlines |= lowered->bounds->is_narrowed;
    variant.bounds = lowered->bounds;
    variant.reassociation = reassociation_find(h->scratch, check->pipeline, lowered);
    vec_push(h->scratch, &check->variants, variant);
    demand_add(&check->demands, h->scratch, schedule, lowered, true);
    collect_factors(check, schedule);
}

static void print_reassociation(const CheckReport *report, const Reassociation *reassociation) {
    check_report_order(report, reassociation->exact != NULL);
    for (size_t i = 0; i < reassociation->funcs.length; i++) {
        const ReassociatedFunc *func = &reassociation->funcs.data[i];
        check_report_reassociated(report, func->name->text, func->obstacle, func->points,
                                  func->difference, func->allowed);
    }
}

/* Reports a schedule under which less than half of the runs compared a point. A round without
 * arguments counts as a run. */
static void require_comparisons(Check *check, const Variant *variant) {
    int64_t runs = variant->counts.runs + check->undrawn;
    if (check->status == HLC_NO || check->status == HLC_FAULT) /* which ended the rounds */
        return;
    if (runs <= 2 * variant->counts.compared && runs > 0)
        return;
    Arena *arena = check->h->scratch;
    const char *remedy =
        check->undrawn * 2 > runs
            ? "no arguments were found that are small enough (images of at most 2^22 elements "
              "together, funcs of at most 2^24 points under every schedule): give windows and "
              "images, or check one --schedule"
            : "give windows, images and parameters that it takes (name=value), or ask for more "
              "--rounds; hlc contract says what it takes";
    const char *schedule =
        variant->name ? arena_format(arena, "schedule `%s`", variant->name) : "the empty schedule";
    diag(check->h->context, DIAG_LITTLE_COMPARED, NOWHERE, check->pipeline->signature.name->text,
         schedule, arena_format(arena, "%" PRId64, variant->counts.compared),
         arena_format(arena, "%" PRId64, runs), remedy);
    worsen(check, HLC_USER);
}

static void print_variant(Check *check, const Variant *variant) {
    bool all = variant->counts.runs > 0 && variant->counts.refused == variant->counts.runs;
    bool tell = variant->refusal[0] && (variant->refused_alone || all);
    CheckReport report = report_of(check, variant->name);
    check_report_counts(&report, &variant->counts, tell ? variant->refusal : NULL,
                        variant->refused_alone);
    if (variant->reassociation)
        print_reassociation(&report, variant->reassociation);
    check->points += variant->counts.points;
    require_comparisons(check, variant);
}

static void note_unused(hlc *h, const Pipeline *pipeline) {
    Symbol name;
    for (size_t i = 0; (name = module_unused_schedule(h->module, pipeline, i)); i++)
        diag(h->context, DIAG_SCHEDULE_UNUSED, NOWHERE, name->text,
             module_open_parameter(h->module, pipeline, name->text));
}

static void check_pipeline(Check *check, const Pipeline *pipeline) {
    hlc *h = check->h;
    if (!check->options->schedule)
        note_unused(h, pipeline);
    check->pipeline = pipeline;
    check->variants.length = check->demands.length = check->factors.length = 0;
    check->undrawn = 0;
    check->is_hard = check->is_contrary = false;
    if (!externs_ready(h, pipeline, NULL)) {
        worsen(check, HLC_USER);
        return;
    }
    if (!compiler_schedule_is_named(check->options->schedule))
        add_variant(check, NULL);
    else
        add_reference_demand(check);
    for (size_t i = 0; i < h->module->schedules.length; i++) {
        const Schedule *schedule = h->module->schedules.data[i];
        if (schedule->pipeline == pipeline->signature.name &&
            (!check->options->schedule ||
             strcmp(schedule->name->text, check->options->schedule) == 0))
            add_variant(check, schedule);
    }
    check->a = arguments_create(h, pipeline->signature.name->text);
    if (check->fixed)
        arguments_copy(check->a, check->fixed);
    int rounds = check->options->rounds ? check->options->rounds : DEFAULT_ROUNDS;
    bool noted = false;
    for (int r = 0; r < rounds && check->variants.length > 0; r++) {
        run_round(check, r, &noted);
        if (h->progress)
            h->progress(h->progress_data, "check", (double)(r + 1) / rounds);
    }
    for (size_t v = 0; v < check->variants.length; v++)
        print_variant(check, &check->variants.data[v]);
    arguments_free(check->a);
}

static hlc_status run_check(hlc *h, void *data) {
    Check *check = data;
    const hlc_check_options *options = check->options;
    const char *name = check->fixed ? check->fixed->signature->name->text : options->pipeline;
    const Pipeline *only = NULL;
    const Schedule *schedule;
    if (name || options->schedule || !h->module) {
        only = compiler_pipeline(h, name);
        if (!only || !compiler_schedule(h, only, options->schedule, &schedule))
            return HLC_USER;
    }
    for (size_t i = 0; i < h->module->pipelines.length; i++)
        if (!only || only == h->module->pipelines.data[i])
            check_pipeline(check, h->module->pipelines.data[i]);
    if (check->points == 0)
        worsen(check, HLC_USER);
    CheckReport report = report_of(check, NULL);
    check_report_verdict(&report, check->points, check->status);
    return check->status;
}

hlc_status hlc_check(hlc *h, const hlc_check_options *options, const hlc_arguments *fixed,
                     FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    static const hlc_check_options standard;
    options = options ? options : &standard;
    Check check = {.h = h, .options = options, .fixed = fixed, .out = out, .state = options->seed};
    return compiler_enter(h, run_check, &check);
}
