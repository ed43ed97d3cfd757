/* module.c -- expands files: their lets, the heads of pipelines, and what stands in them. */
#include "frontend/static/module.h"

#include "schedule/schedule.h"

#include <string.h>

/* ---- const parameters ---- */

static const char *given_text(const StaticExpander *x, Symbol name) {
    const GivenConstants *constants = x->constants;
    for (size_t i = 0; constants && i < constants->length; i++)
        if (!strcmp(constants->data[i].name, name->text))
            return constants->data[i].text;
    return NULL;
}

static bool out_of_range(StaticExpander *x, const ParameterSyntax *parameter,
                         const StaticValue *value, const char *range) {
    return diag(x->context, DIAG_CONSTANT_RANGE, parameter->name.place, parameter->name.name->text,
                static_text(x, value), range);
}

static bool is_at_most(const StaticValue *a, const StaticValue *b) {
    if (a->kind == STATIC_INTEGER && b->kind == STATIC_INTEGER)
        return a->integer <= b->integer;
    double left = a->kind == STATIC_FLOAT ? a->real : (double)a->integer;
    double right = b->kind == STATIC_FLOAT ? b->real : (double)b->integer;
    return left <= right;
}

static bool check_range(StaticExpander *x, StaticScope scope, const ParameterSyntax *parameter,
                        const StaticValue *value) {
    StaticValue lower, upper;
    if (parameter->choices.length > 0) {
        const char *range = "";
        for (size_t i = 0; i < parameter->choices.length; i++) {
            const char *choice = parameter->choices.data[i].name->text;
            if (!strcmp(choice, static_text(x, value)))
                return true;
            range = arena_format(x->arena, "%s%s%s", range, i ? ", " : "{", choice);
        }
        return out_of_range(x, parameter, value, arena_format(x->arena, "%s}", range));
    }
    if (!parameter->lower)
        return true;
    if (!static_need(x, scope, parameter->lower, "the range of a constant", &lower) ||
        !static_need(x, scope, parameter->upper, "the range of a constant", &upper))
        return false;
    bool is_number = value->kind == STATIC_INTEGER || value->kind == STATIC_FLOAT;
    if (is_number && is_at_most(&lower, value) && is_at_most(value, &upper))
        return true;
    return out_of_range(
        x, parameter, value,
        arena_format(x->arena, "%s..%s", static_text(x, &lower), static_text(x, &upper)));
}

/* Has a value that was given the kind of the default?  An integer may stand for a float. */
static bool has_kind_of_default(StaticExpander *x, StaticScope scope,
                                const ParameterSyntax *parameter, const StaticValue *given) {
    StaticValue value;
    bool is_open = parameter->has_type || !parameter->default_value;
    if (is_open || given->kind == STATIC_INTEGER || given->kind == STATIC_TYPE)
        return true;
    if (!static_need(x, scope, parameter->default_value, "the default of a constant", &value))
        return false;
    return value.kind == given->kind;
}

static bool refuse_text(StaticExpander *x, const ParameterSyntax *parameter, const char *text) {
    return diag(x->context, DIAG_CONSTANT_TEXT, parameter->name.place, parameter->name.name->text,
                text);
}

/* False after reporting. */
static bool define_constant(StaticExpander *x, StaticScope *scope,
                            const ParameterSyntax *parameter) {
    const char *text = given_text(x, parameter->name.name);
    StaticValue value = {.kind = STATIC_INTEGER};
    Place place = parameter->name.place;
    bool good = true;
    Type type = parameter->type;
    if (parameter->type_name.name)
        good = static_type(x, *scope, parameter->type_name, &type);
    if (text && !static_read(text, &value))
        good = refuse_text(x, parameter, text);
    else if (!text && parameter->default_value)
        good &=
            static_need(x, *scope, parameter->default_value, "the default of a constant", &value);
    else if (!text)
        good = diag(x->context, DIAG_CONSTANT_VALUE, place, parameter->name.name->text);
    bool fits = parameter->is_type == (value.kind == STATIC_TYPE) &&
                (!good || !text || has_kind_of_default(x, *scope, parameter, &value));
    if (good && !fits)
        good = refuse_text(x, parameter, static_text(x, &value));
    good = good && check_range(x, *scope, parameter, &value) &&
           (!parameter->has_type || static_convert(x, type, place, &value));
    if (!good && parameter->is_type)
        value = (StaticValue){.kind = STATIC_TYPE, .type = I32};
    static_define(x, MEANING_STATIC, parameter->name)->value = value;
    watch_choice(x->watch);
    scope->visible = x->next_number;
    return good;
}

/* ---- heads ---- */

static bool expand_bound(StaticExpander *x, StaticScope scope, Syntax **bound) {
    if (*bound)
        *bound = static_expand(x, scope, *bound);
    return *bound;
}

static void define_input(StaticExpander *x, StaticScope *scope, ParameterSyntax parameter,
                         PipelineSyntax *made) {
    int64_t dimensions;
    if (parameter.type_name.name)
        static_type(x, *scope, parameter.type_name, &parameter.type);
    if (parameter.static_dimensions) {
        parameter.dimensions = 1;
        if (static_need_integer(x, *scope, parameter.static_dimensions, "the number of dimensions",
                                &dimensions))
            parameter.dimensions = dimensions < 0 ? 0 : (uint64_t)dimensions;
    }
    expand_bound(x, *scope, &parameter.default_value);
    if (!expand_bound(x, *scope, &parameter.lower) || !expand_bound(x, *scope, &parameter.upper))
        parameter.lower = parameter.upper = NULL;
    Meaning *meaning =
        static_define(x, parameter.is_image ? MEANING_IMAGE : MEANING_INPUT, parameter.name);
    meaning->dimensions = parameter.dimensions < 64 ? (int)parameter.dimensions : 64;
    scope->visible = x->next_number;
    vec_push(x->arena, &made->parameters, parameter);
}

/* The head sees the parameters and what stands above the pipeline. */
static void define_output(StaticExpander *x, StaticScope scope, OutputSyntax output,
                          PipelineSyntax *made) {
    Syntaxes written = output.size;
    bool changed = false;
    output.size = (Syntaxes){0};
    if (output.path && !static_path_name(x, scope, output.path, &output.name.name))
        return;
    output.path = NULL;
    if (static_expand_all(x, scope, &written, &output.size, &changed))
        vec_push(x->arena, &made->outputs, output);
}

static PipelineSyntax *expand_pipeline(StaticExpander *x, const PipelineSyntax *written) {
    PipelineSyntax *made = arena_new(x->arena, PipelineSyntax);
    *made = *written;
    memset(&made->parameters, 0, sizeof made->parameters);
    made->items = (ItemSyntaxes){0};
    memset(&made->outputs, 0, sizeof made->outputs);
    StaticScope scope = {.visible = x->next_number};
    bool good = true;
    for (size_t i = 0; i < written->parameters.length; i++) {
        const ParameterSyntax *parameter = &written->parameters.data[i];
        if (parameter->is_constant) {
            good &= define_constant(x, &scope, parameter);
            const Meaning *meaning = static_find(x, scope, parameter->name.name);
            ConstantSyntax constant = {parameter->name, static_text(x, &meaning->value)};
            vec_push(x->arena, &made->constants, constant);
        } else {
            define_input(x, &scope, *parameter, made);
        }
    }
    for (size_t i = 0; i < written->outputs.length; i++)
        define_output(x, scope, written->outputs.data[i], made);
    x->is_spent |= !good; /* what follows from a wrong constant is not reported */
    for (size_t i = 0; i < written->items.length && !x->is_spent; i++)
        static_item(x, &scope, &written->items.data[i], &made->items);
    return made;
}

/* ---- files ---- */

static FileSyntax *expand_lets(StaticExpander *x, const FileSyntax *written) {
    FileSyntax *made = arena_new(x->arena, FileSyntax);
    static_begin_file(x, written);
    StaticScope scope = {.visible = x->next_number, .package = x->module->name ? x->module : NULL};
    ItemSyntaxes lets = {0};
    for (size_t i = 0; i < written->lets.length; i++)
        static_define_let(x, &scope, written->lets.data[i], false, &lets);
    for (size_t i = 0; i < lets.length; i++)
        vec_push(x->arena, &made->lets, lets.data[i].let);
    for (size_t i = 0; i < written->templates.length; i++)
        static_define_template(x, &scope, written->templates.data[i]);
    for (size_t i = 0; i < written->commands.length; i++)
        static_define_command(x, written->commands.data[i]);
    return made;
}

void static_expand_files(Context *context, Arena *arena, const GivenConstants *constants,
                         Watch *watch, FileSyntax **files, size_t count) {
    StaticExpander x = {.cases = &static_cases,
                        .context = context,
                        .arena = arena,
                        .constants = constants,
                        .watch = watch,
                        .next_number = 1,
                        .used_before = arena_used(arena)};
    Map pipelines = map_create(arena); /* Symbol -> StaticNames */
    x.fresh = map_create(arena);
    x.packages = map_create(arena);
    x.schedules = map_create(arena);
    x.user = static_user_files(&x);
    FileSyntax **made = arena_array(arena, FileSyntax *, count);
    for (size_t f = 0; f < count; f++)
        made[f] = expand_lets(&x, files[f]);
    x.module_numbers = x.next_number;
    x.module = x.user;
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < files[f]->schedules.length; i++)
            static_add_schedule(&x, files[f]->schedules.data[i]);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < files[f]->pipelines.length; i++) {
            const PipelineSyntax *written = files[f]->pipelines.data[i];
            x.pipeline = static_names_create(arena);
            PipelineSyntax *pipeline = expand_pipeline(&x, written);
            if (!map_get(&pipelines, written->name.name))
                map_put(&pipelines, written->name.name, x.pipeline);
            vec_push(arena, &made[f]->pipelines, pipeline);
        }
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < files[f]->schedules.length; i++) {
            const ScheduleSyntax *written = files[f]->schedules.data[i];
            x.pipeline = map_get(&pipelines, written->pipeline.name);
            ScheduleSyntax *schedule = static_schedule(&x, written);
            if (schedule)
                vec_push(arena, &made[f]->schedules, schedule);
            else
                vec_push(arena, &made[f]->bases, written);
        }
        files[f] = made[f];
    }
}
