/* split.c -- hlc_split: lists the funcs that need the whole, or cuts a pipeline and prints the plan. */
#include "library/split/asked.h"

#include "include/hlc_split.h"
#include "library/compiler.h"

#include <string.h>

typedef struct SplitRequest {
    const hlc_split_options *options;
    FILE *out;
} SplitRequest;

/* ---- what is asked ---- */

static bool no_func(hlc *h, const Pipeline *pipeline, const char *name) {
    NameList names = {0};
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        vec_push(h->scratch, &names, pipeline->funcs.data[i]->shape->name->text);
    return diag(h->context, DIAG_SPLIT_NO_FUNC, NOWHERE, name, compiler_choices(h, &names, name));
}

/* Names may hold commas: g[1, 2] does not exist, so a comma ends a name. */
static bool read_funcs(hlc *h, const Pipeline *pipeline, const char *text, SplitOptions *options) {
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *name = arena_text(h->scratch, text, length);
        const Func *func = pipeline_func(pipeline, context_symbol(h->context, name));
        if (strcmp(name, "auto") == 0 && !func)
            options->everywhere = true;
        else if (!func)
            return no_func(h, pipeline, name);
        else
            vec_push(h->scratch, &options->at, func->shape->name);
        text += length + (text[length] == ',');
    }
    return true;
}

bool split_asked(hlc *h, const hlc_split_options *options, const char *at,
                 const Pipeline **pipeline, SplitOptions *split) {
    *split = (SplitOptions){0};
    *pipeline = compiler_pipeline(h, options->pipeline);
    return *pipeline && compiler_schedule(h, *pipeline, options->schedule, &split->schedule) &&
           read_funcs(h, *pipeline, at, split);
}

/* ---- the list ---- */

static void print_update(const PlanStep *step, FILE *out) {
    if (step->kind == PLAN_SCAN)
        split_plan_print_orders(step, "a scan ", out);
    else
        fprintf(out, "a chain of blocks%s",
                !step->merge                  ? " in order"
                : step->merge->is_commutative ? ", merged in any order"
                                              : ", merged in order");
}

static void print_list(const SplitPlan *plan, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < plan->steps.length; i++) {
        const PlanStep *step = &plan->steps.data[i];
        if (step->kind == PLAN_MAP)
            continue;
        any = true;
        fprintf(out, "%s needs the whole", step->part.outputs.data[0].array);
        for (size_t k = 0; k < step->part.images.length; k++)
            fprintf(out, "%s%s", k ? ", " : " of ", step->part.images.data[k].array);
        fputs(": ", out);
        print_update(step, out);
        fputc('\n', out);
    }
    if (!any && !plan->notes.length)
        fputs("no update needs the whole\n", out);
    for (size_t i = 0; i < plan->notes.length; i++)
        fprintf(out, "note: %s\n", plan->notes.data[i]);
}

static hlc_status split(hlc *h, void *data) {
    const SplitRequest *request = data;
    const hlc_split_options *options = request->options;
    const Pipeline *pipeline;
    SplitOptions split;
    if (!split_asked(h, options, options->at ? options->at : "auto", &pipeline, &split))
        return HLC_USER;
    const SplitPlan *plan = split_plan_create(h->context, h->scratch, pipeline, &split);
    if (!plan)
        return HLC_USER;
    if (options->json)
        split_plan_print_json(plan, request->out);
    else if (options->at)
        split_plan_print(plan, request->out);
    else
        print_list(plan, request->out);
    return HLC_YES;
}

hlc_status hlc_split(hlc *h, const hlc_split_options *options, FILE *out) {
    static const hlc_split_options standard;
    if (!out)
        return compiler_null(h, "out");
    SplitRequest request = {options ? options : &standard, out};
    return compiler_enter(h, split, &request);
}
