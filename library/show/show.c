/* show.c -- prints programs after passes, schedules as primitives, and regions. */
#include "library/compiler.h"

#include "frontend/format.h"
#include "ir/print.h"
#include "lower/report/explain.h"

#include <stdlib.h>
#include <string.h>

/* ---- lower ---- */

static bool find_pass(hlc *h, const char *text, PassId *pass) {
    *pass = (PassId)(PASS_COUNT - 1);
    if (!text || pass_from_text(text, pass))
        return true;
    NameList names = {0};
    for (int i = 0; i < PASS_COUNT; i++)
        vec_push(h->scratch, &names, pass_info((PassId)i)->text);
    diag(h->context, DIAG_PASS_UNKNOWN, NOWHERE, text, compiler_choices(h, &names, text));
    return false;
}

/* A program in the text form is already lowered: it has no passes and no directives to choose. */
static bool is_printed_alone(hlc *h, const ShowRequest *show) {
    const char *wanted = NULL;
    if (compiler_schedule_is_named(show->schedule))
        wanted = "a schedule";
    else if (show->lowering && show->lowering->after)
        wanted = "to stop after a pass";
    else if (show->lowering && show->lowering->until >= 0)
        wanted = "to apply directives";
    if (wanted)
        diag(h->context, DIAG_NO_ALGORITHM, NOWHERE, wanted);
    return !wanted;
}

/* Does the schedule have this many primitive directives? */
static bool until_is_within(hlc *h, const Pipeline *pipeline, const ShowRequest *show,
                            size_t until) {
    const Schedule *schedule;
    Directives primitives = {0};
    if (until == SIZE_MAX)
        return true;
    if (!compiler_schedule(h, pipeline, show->schedule, &schedule) ||
        !schedule_expand(pipeline, schedule, SIZE_MAX, h->scratch, &primitives))
        return false;
    if (until <= primitives.length)
        return true;
    diag(h->context, DIAG_UNTIL_BEYOND, NOWHERE, arena_format(h->scratch, "%zu", until),
         arena_format(h->scratch, "%zu", primitives.length));
    return false;
}

static hlc_status show_lower(hlc *h, void *data) {
    const ShowRequest *show = data;
    PassId pass;
    size_t directives = SIZE_MAX;
    if (show->lowering && show->lowering->until >= 0)
        directives = (size_t)show->lowering->until;
    if (!find_pass(h, show->lowering ? show->lowering->after : NULL, &pass))
        return HLC_USER;
    if (h->program && (!compiler_program_is(h, show->pipeline) || !is_printed_alone(h, show)))
        return HLC_USER;
    if (h->program) {
        program_print(show->out, h->program);
        return HLC_YES;
    }
    const Pipeline *pipeline = compiler_pipeline(h, show->pipeline);
    if (!pipeline || !until_is_within(h, pipeline, show, directives))
        return HLC_USER;
    const Lowered *lowered = compiler_lower(h, pipeline, show->schedule, pass, directives);
    if (!lowered)
        return HLC_USER;
    program_print(show->out, lowered->program);
    return HLC_YES;
}

hlc_status hlc_lower(hlc *h, const char *pipeline, const char *schedule,
                     const hlc_lower_options *options, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest show = {
        .pipeline = pipeline, .schedule = schedule, .lowering = options, .out = out};
    return compiler_enter(h, show_lower, &show);
}

/* ---- explain ---- */

static bool known_value(void *data, Symbol name, Bits *bits) {
    return arguments_known(data, name, bits);
}

static hlc_status show_explain(hlc *h, void *data) {
    const ShowRequest *show = data;
    const Pipeline *pipeline = compiler_pipeline(h, show->pipeline);
    /* This pass precedes the addressing of folded storage: coordinates are still coordinates. */
    Lowered *lowered =
        pipeline ? compiler_lower(h, pipeline, show->schedule, PASS_EAGER, SIZE_MAX) : NULL;
    if (!lowered || !compiler_accepts(h, pipeline, show->schedule))
        return HLC_USER;
    const Directives *primitives = &lowered->primitives;
    for (size_t i = 0; i < primitives->length; i++)
        fprintf(show->out, "%s;\n", directive_text(h->scratch, &primitives->data[i]));
    fputs(primitives->length ? "\n" : "", show->out);
    ExplainValues values = {.value = known_value, .data = (void *)show->fixed};
    explain_nest(show->out, lowered, h->scratch, show->fixed ? &values : NULL);
    return HLC_YES;
}

hlc_status hlc_explain(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_arguments *fixed, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest show = {.pipeline = pipeline, .schedule = schedule, .fixed = fixed, .out = out};
    return compiler_enter(h, show_explain, &show);
}

/* ---- bounds ---- */

static hlc_status show_bounds(hlc *h, void *data) {
    const ShowRequest *show = data;
    const Pipeline *pipeline = compiler_pipeline(h, show->pipeline);
    const Lowered *lowered =
        pipeline ? compiler_lower(h, pipeline, show->schedule, PASS_BOUNDS, SIZE_MAX) : NULL;
    if (!lowered || !compiler_accepts(h, pipeline, show->schedule))
        return HLC_USER;
    bounds_print(show->out, h->context, lowered->pipeline, lowered->bounds);
    return HLC_YES;
}

hlc_status hlc_bounds(hlc *h, const char *pipeline, const char *schedule, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest show = {.pipeline = pipeline, .schedule = schedule, .out = out};
    return compiler_enter(h, show_bounds, &show);
}

/* ---- expand ---- */

static hlc_status show_expanded(hlc *h, void *data) {
    const ShowRequest *show = data;
    char *text = NULL;
    size_t length = 0, formatted_length;
    if (!h->module) {
        diag(h->context, h->program ? DIAG_NO_ALGORITHM : DIAG_FILE_NOT_LOADED, NOWHERE,
             "this command");
        return HLC_USER;
    }
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return HLC_WORLD;
    module_print(h->module, h->scratch, out);
    if (fclose(out) != 0)
        return HLC_WORLD;
    uint32_t file = context_add_file(h->context, "the expansion", text, length);
    free(text);
    const char *formatted = format_file(h->context, h->scratch, file, &formatted_length);
    fwrite(formatted, 1, formatted_length, show->out);
    return HLC_YES;
}

hlc_status hlc_expand(hlc *h, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    ShowRequest show = {.out = out};
    return compiler_enter(h, show_expanded, &show);
}
