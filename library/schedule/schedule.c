/* schedule.c -- hlc_schedule: chooses a schedule for sizes that are given or estimated.
 *
 * A value that is not bound is estimated: a parameter has its default, or lies in its range; an image
 * is a picture of 1536 by 1024 with three channels; a window is the proposed one, or the box of the
 * first image of as many dimensions. */
#include "library/schedule/estimates.h"
#include "library/schedule/machine.h"
#include "library/schedule/tune.h"

#include "ir/interpret/evaluate.h"

#include <stdlib.h>
#include <string.h>

static const int64_t ESTIMATED[MAX_IMAGE_DIMENSIONS] = {1536, 1024, 3, 1};

static bool estimate_parameter(const Parameter *parameter, Bits *bits) {
    *bits = 0;
    if (parameter->has_default)
        *bits = parameter->default_value;
    else if (parameter->has_range)
        *bits = parameter->lower;
    else if (type_is_machine_integer(parameter->type))
        *bits = 8;
    return true;
}

static const Output *find_output(const Estimates *estimates, Symbol name) {
    for (size_t i = 0; i < estimates->signature->outputs.length; i++)
        if (estimates->signature->outputs.data[i].func == name)
            return &estimates->signature->outputs.data[i];
    return NULL;
}

static Symbol field_name(const Estimates *estimates, Symbol buffer, const char *field, int d) {
    return symbol_format(&estimates->h->context->symbols, "%s.%s.%d", buffer->text, field, d);
}

/* A window: the proposed one, or that of an image. */
static bool estimate_window(Estimates *estimates, const Output *output, BufferField field, int d,
                            Bits *bits) {
    bool is_length = field == FIELD_EXTENT;
    if (output->size && estimates->depth == 0) {
        Expr proposed = is_length ? output->size[d].length : output->size[d].minimum;
        estimates->depth++;
        bool is_found =
            expr_evaluate(estimates->h->scratch, proposed, estimates_value, estimates, bits);
        estimates->depth--;
        if (is_found && (!is_length || *bits > 0))
            return true;
    }
    const Signature *signature = estimates->signature;
    int dimensions = signature_func(signature, output->func)->dimensions;
    for (size_t i = 0; i < signature->images.length; i++)
        if (signature->images.data[i].dimensions == dimensions)
            return estimates_value(estimates,
                                   field_name(estimates, signature->images.data[i].name,
                                              is_length ? "extent" : "min", d),
                                   bits);
    *bits = is_length ? ESTIMATED[d] : 0;
    return true;
}

/* Strides only decide between layouts, which are as declared. */
bool estimates_value(void *data, Symbol name, Bits *bits) {
    Estimates *estimates = data;
    if (estimates->a && arguments_known(estimates->a, name, bits))
        return true;
    const Parameter *parameter = signature_parameter(estimates->signature, name);
    if (parameter)
        return estimate_parameter(parameter, bits);
    Symbol buffer;
    BufferField field;
    int d;
    if (!buffer_field_parse(estimates->h->context, name, &buffer, &field, &d))
        return false;
    const Output *output = find_output(estimates, buffer);
    field = field_of_window(field); /* of a domain: the window is the whole */
    *bits = 0;
    if (field == FIELD_STRIDE)
        *bits = d == 0;
    else if (output)
        return estimate_window(estimates, output, field, d, bits);
    else if (field == FIELD_EXTENT)
        *bits = ESTIMATED[d];
    return true;
}

/* ---- the entry ---- */

typedef struct ScheduleRequest {
    const hlc_schedule_options *options;
    hlc_arguments *sizes;
    FILE *out;
} ScheduleRequest;

static bool is_name(const char *text) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text && !(*text >= '0' && *text <= '9') && text[strspn(text, LETTERS)] == 0;
}

Estimates estimates_of(hlc *h, const Pipeline *pipeline, hlc_arguments *sizes) {
    for (size_t i = 0; sizes && i < pipeline->signature.outputs.length; i++)
        window_find(sizes, i, false);
    return (Estimates){.h = h, .a = sizes, .signature = &pipeline->signature};
}

/* Reads "0.25, 4" into the request; false after reporting. */
static bool read_scales(hlc *h, const char *text, AutoscheduleRequest *request) {
    const char *at = text ? text : "";
    for (char *end; *at; at = end + strspn(end, " ,")) {
        double scale = strtod(at, &end);
        bool is_separated = *end == '\0' || *end == ',' || *end == ' ';
        if (end == at || !is_separated || !(scale >= 0.001 && scale <= 1000) ||
            request->scale_count == MOST_SCALES) {
            diag(h->context, DIAG_SCHEDULE_SCALES, NOWHERE, text);
            return false;
        }
        request->scales[request->scale_count++] = scale;
    }
    return true;
}

static hlc_status choose(hlc *h, void *data) {
    const ScheduleRequest *request = data;
    const hlc_schedule_options none = {0}, *options = request->options ? request->options : &none;
    const Pipeline *pipeline = compiler_pipeline(h, options->pipeline);
    const char *text = options->name ? options->name : "auto";
    if (!pipeline)
        return HLC_USER;
    if (!is_name(text)) {
        diag(h->context, DIAG_SCHEDULE_NAME, NOWHERE, text);
        return HLC_USER;
    }
    if (module_schedule(h->module, pipeline, text)) {
        diag(h->context, DIAG_SCHEDULE_TAKEN, NOWHERE, pipeline->signature.name->text, text);
        return HLC_USER;
    }
    Estimates estimates = estimates_of(h, pipeline, request->sizes);
    Symbol name = context_symbol(h->context, text);
    const Schedule *base;
    if (!compiler_schedule(h, pipeline, options->extend, &base) ||
        (base && !compiler_accepts(h, pipeline, options->extend)))
        return HLC_USER;
    AutoscheduleRequest wanted = {.name = name,
                                  .base = base,
                                  .base_text = options->extend,
                                  .machine = machine_of(h),
                                  .threads =
                                      options->threads > 0 ? options->threads : hlc_thread_count(),
                                  .startup = estimates_value,
                                  .data = &estimates,
                                  .trial = &h->trial};
    if (!read_scales(h, options->scales, &wanted))
        return HLC_USER;
    Tuning tuning;
    if (options->seconds > 0) {
        hlc_status status = request->sizes ? tuning_create(h, request->sizes, options, &tuning)
                                           : compiler_null(h, "sizes");
        if (status != HLC_YES)
            return status;
        wanted.tuning = &tuning;
    }
    timing_begin(h->context, "schedule");
    Autoscheduled *made = autoschedule(pipeline, &wanted, h->arena);
    timing_end(h->context);
    Schedule *schedule = made->schedule;
    if (!schedule) {
        schedule = arena_new(h->arena, Schedule);
        schedule->name = name;
        schedule->pipeline = pipeline->signature.name;
    }
    vec_push(h->arena, &h->module->schedules, schedule);
    if (request->out)
        autoschedule_print(made, pipeline, name, h->scratch, request->out);
    return HLC_YES;
}

hlc_status hlc_schedule(hlc *h, const hlc_schedule_options *options, hlc_arguments *sizes,
                        FILE *out) {
    ScheduleRequest request = {options, sizes, out};
    return compiler_enter(h, choose, &request);
}

/* ---- the model of a schedule ---- */

typedef struct ModelRequest {
    const char *pipeline, *schedule;
    hlc_arguments *sizes;
    FILE *out;
} ModelRequest;

static hlc_status explain_model(hlc *h, void *data) {
    const ModelRequest *request = data;
    const Pipeline *pipeline = compiler_pipeline(h, request->pipeline);
    const Schedule *schedule;
    if (!pipeline || !compiler_schedule(h, pipeline, request->schedule, &schedule))
        return HLC_USER;
    Estimates estimates = estimates_of(h, pipeline, request->sizes);
    AutoscheduleRequest wanted = {.machine = machine_of(h),
                                  .threads = hlc_thread_count(),
                                  .startup = estimates_value,
                                  .data = &estimates};
    const Estimate *empty = autoschedule_estimate(pipeline, NULL, &wanted, h->scratch);
    const Estimate *made =
        empty ? autoschedule_estimate(pipeline, schedule, &wanted, h->scratch) : NULL;
    if (!made)
        return HLC_USER;
    fprintf(request->out, "%-24s %14s %14s %14s\n", "func", "points", "bytes", "cycles");
    for (size_t i = 0; i < made->funcs.length; i++)
        fprintf(request->out, "%-24s %14.0f %14.0f %14.0f\n", made->funcs.data[i]->func->text,
                made->funcs.data[i]->points, made->funcs.data[i]->bytes,
                made->funcs.data[i]->cycles);
    fprintf(request->out, "all, with %d threads: %.0f cycles, %.3g of the empty schedule's\n",
            wanted.threads, made->cycles, empty->cycles > 0 ? made->cycles / empty->cycles : 1);
    return HLC_YES;
}

hlc_status hlc_explain_model(hlc *h, const char *pipeline, const char *schedule,
                             hlc_arguments *sizes, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ModelRequest request = {pipeline, schedule, sizes, out};
    return compiler_enter(h, explain_model, &request);
}

bool hlc_has_schedule(const hlc *h, const char *pipeline, const char *schedule) {
    if (!h || !h->module || !schedule)
        return false;
    for (size_t i = 0; i < h->module->schedules.length; i++) {
        const Schedule *found = h->module->schedules.data[i];
        if (strcmp(found->name->text, schedule) == 0 &&
            (!pipeline || strcmp(found->pipeline->text, pipeline) == 0))
            return true;
    }
    return false;
}
