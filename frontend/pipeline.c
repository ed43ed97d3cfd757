/* pipeline.c -- elaborates a pipeline's declarations, in order, into an algorithm (ir/algorithm.h).
 */
#include "frontend/elaborate.h"
#include "frontend/valid.h"

/* ---- inputs ---- */

static bool constant_bits(Elaborator *e, const Syntax *syntax, Type type, Bits *bits) {
    Environment nothing = {NULL, e->next_number};
    StageState state = stage_enter(e, NULL, NULL);
    Expr expr = result_to(e, elaborate(e, nothing, syntax, SORT_VALUE), type, syntax->place);
    stage_leave(e, state);
    if (!expr)
        return false;
    if (!expr_is_constant(expr))
        return diag(e->context, DIAG_NOT_CONSTANT, syntax->place);
    *bits = expr->bits;
    return true;
}

static bool bits_at_most(Type type, Bits a, Bits b) {
    if (type_is_float(type))
        return bits_to_double(type, a) <= bits_to_double(type, b);
    return type_is_signed(type) ? a <= b : (uint64_t)a <= (uint64_t)b;
}

static const char *bits_text(Elaborator *e, Type type, Bits bits) {
    char text[48];
    value_print(type, bits, text, sizeof text);
    return arena_format(e->arena, "%s", text);
}

static void declare_scalar(Elaborator *e, const ParameterSyntax *syntax) {
    Parameter parameter = {
        .name = syntax->name.name, .type = syntax->type, .place = syntax->name.place};
    if (syntax->lower && type_is_bool(syntax->type)) {
        diag(e->context, DIAG_RANGE_OF_BOOL, syntax->lower->place);
    } else if (syntax->lower && syntax->upper) {
        parameter.has_range = constant_bits(e, syntax->lower, syntax->type, &parameter.lower) &
                              constant_bits(e, syntax->upper, syntax->type, &parameter.upper);
        if (parameter.has_range && !bits_at_most(syntax->type, parameter.lower, parameter.upper)) {
            diag(e->context, DIAG_EMPTY_RANGE, syntax->lower->place,
                 bits_text(e, syntax->type, parameter.lower),
                 bits_text(e, syntax->type, parameter.upper));
            parameter.has_range = false;
        }
    }
    if (syntax->default_value)
        parameter.has_default =
            constant_bits(e, syntax->default_value, syntax->type, &parameter.default_value);
    if (parameter.has_default && parameter.has_range &&
        !(bits_at_most(syntax->type, parameter.lower, parameter.default_value) &&
          bits_at_most(syntax->type, parameter.default_value, parameter.upper)))
        diag(e->context, DIAG_DEFAULT_OUT_OF_RANGE, syntax->default_value->place,
             bits_text(e, syntax->type, parameter.default_value),
             bits_text(e, syntax->type, parameter.lower),
             bits_text(e, syntax->type, parameter.upper));
    Signature *signature = &e->pipeline->signature;
    InputRef input = {false, signature->parameters.length};
    vec_push(e->arena, &signature->parameters, parameter);
    vec_push(e->arena, &signature->inputs, input);
}

/* Declares even a faulty image, with its faults repaired: its uses need no reports. */
static void declare_image(Elaborator *e, const ParameterSyntax *syntax) {
    Signature *signature = &e->pipeline->signature;
    ImageParameter image = {syntax->name.name, syntax->type, (int)syntax->dimensions,
                            (Layout)syntax->layout, syntax->name.place};
    if (syntax->dimensions < 1 || syntax->dimensions > MAX_IMAGE_DIMENSIONS) {
        diag(e->context, DIAG_IMAGE_DIMENSIONS, syntax->dimensions_place,
             arena_format(e->arena, "%llu", (unsigned long long)syntax->dimensions));
        image.dimensions = MAX_IMAGE_DIMENSIONS;
    } else if (syntax->layout == LAYOUT_INTERLEAVED && syntax->dimensions != 3) {
        diag(e->context, DIAG_INTERLEAVED_DIMENSIONS, syntax->dimensions_place);
    }
    InputRef input = {true, signature->images.length};
    vec_push(e->arena, &signature->images, image);
    vec_push(e->arena, &signature->inputs, input);
}

static void declare_inputs(Elaborator *e, const PipelineSyntax *syntax) {
    size_t limit = e->context->limits.parameters;
    if (syntax->parameters.length > limit)
        diag(e->context, DIAG_TOO_MANY_PARAMETERS, syntax->parameters.data[limit].name.place,
             arena_number(e->arena, limit));
    for (size_t i = 0; i < syntax->parameters.length && i < limit; i++) {
        const ParameterSyntax *parameter = &syntax->parameters.data[i];
        BindingKind kind = parameter->is_image ? BINDING_IMAGE : BINDING_PARAMETER;
        if (!map_get(&e->pipeline_names->by_name, parameter->name.name)) {
            if (parameter->is_image)
                declare_image(e, parameter);
            else
                declare_scalar(e, parameter);
        }
        NameBinding *binding = scope_declare(e, e->pipeline_names, kind, parameter->name);
        if (!binding)
            continue;
        watch_define(e->module_names->watch, parameter->is_image ? "image" : "parameter",
                     parameter->name);
        if (kind == BINDING_PARAMETER) {
            binding->expr = expr_variable(e->pool, binding->name, parameter->type);
        } else {
            ImageParameter *image = arena_new(e->arena, ImageParameter);
            *image = *signature_image(&e->pipeline->signature, binding->name);
            binding->image = image;
        }
    }
}

/* ---- outputs ---- */

/* If definitions are missing, since they have faults, the output's may be one of them. */
static void report_output(Elaborator *e, const PipelineSyntax *syntax, NameSyntax name) {
    if (syntax->lacks_items)
        return;
    Nearest nearest = {.name = name.name->text};
    for (size_t i = 0; i < e->pipeline_names->bindings.length; i++)
        if (e->pipeline_names->bindings.data[i]->kind == BINDING_FUNC)
            nearest_offer(&nearest, e->pipeline_names->bindings.data[i]->name->text);
    diag(e->context, DIAG_UNKNOWN_NAME, name.place, "func", name.name->text,
         nearest_hint(e->arena, &nearest,
                      arena_format(e->arena,
                                   "an output is a func of the pipeline: write fun %s(..) = ..;",
                                   name.name->text)));
}

/* Returns the proposed window of the output; null without one, and after reporting. */
static const Extent *output_size(Elaborator *e, Environment head, const OutputSyntax *written,
                                 const FuncShape *shape) {
    size_t count = written->size.length;
    if (!written->has_size)
        return NULL;
    if (count != (size_t)shape->dimensions) {
        diag(e->context, DIAG_OUTPUT_EXTENTS, written->size_place, shape->name->text,
             arena_number(e->arena, shape->dimensions), arena_number(e->arena, count));
        return NULL;
    }
    Extent *size = arena_array(e->arena, Extent, count);
    bool good = true;
    for (size_t k = 0; k < count; k++) {
        static const char WHAT[] = "the size of an output";
        const Syntax *extent = written->size.data[k];
        bool is_interval = extent->kind == SYNTAX_INTERVAL;
        const Syntax *length = is_interval ? extent->children.data[1] : extent;
        size[k].minimum = expr_index(e->pool, 0);
        if (is_interval)
            size[k].minimum =
                elaborate_startup(e, head, extent->children.data[0], SORT_INDEX, WHAT);
        size[k].length = elaborate_startup(e, head, length, SORT_INDEX, WHAT);
        good = good && size[k].minimum && size[k].length;
    }
    return good ? size : NULL;
}

/* `head`: the names that the sizes see. */
static void declare_outputs(Elaborator *e, const PipelineSyntax *syntax, Environment head) {
    Environment end = {NULL, e->next_number};
    size_t limit = e->context->limits.outputs;
    if (syntax->outputs.length > limit)
        diag(e->context, DIAG_TOO_MANY_OUTPUTS, syntax->outputs.data[limit].name.place,
             arena_number(e->arena, limit));
    for (size_t i = 0; i < syntax->outputs.length && i < limit; i++) {
        const OutputSyntax *written = &syntax->outputs.data[i];
        NameSyntax name = written->name;
        NameBinding *binding = scope_find(e, end, name.name);
        if (!binding) {
            report_output(e, syntax, name);
            continue;
        }
        if (binding->kind != BINDING_FUNC) {
            diag(e->context, DIAG_OUTPUT_NOT_FUNC, name.place, name.name->text);
            continue;
        }
        FuncShape *shape = binding->func->func->shape;
        if (shape->is_output) {
            diag(e->context, DIAG_DUPLICATE_OUTPUT, name.place, name.name->text);
            continue;
        }
        if (shape->dimensions > MAX_IMAGE_DIMENSIONS)
            diag(e->context, DIAG_OUTPUT_DIMENSIONS, name.place, name.name->text,
                 arena_number(e->arena, shape->dimensions));
        if (written->layout == LAYOUT_INTERLEAVED && shape->dimensions != 3)
            diag(e->context, DIAG_INTERLEAVED_DIMENSIONS, written->layout_place);
        shape->is_output = true;
        Output output = {name.name,
                         name.place,
                         (Layout)written->layout,
                         output_size(e, head, written, shape),
                         written->size_place,
                         written->image.name};
        vec_push(e->arena, &e->pipeline->signature.outputs, output);
    }
}

/* Reports funcs that are declared but never defined. */
static void check_declared(Elaborator *e) {
    for (size_t i = 0; i < e->pipeline_names->bindings.length; i++) {
        const NameBinding *binding = e->pipeline_names->bindings.data[i];
        if (binding->kind == BINDING_FUNC && binding->func->state == FUNC_DECLARED)
            diag(e->context, DIAG_NEVER_DEFINED, binding->place, binding->name->text);
    }
}

/* Collects the names of everything that the outputs read, directly or indirectly. */
static Map collect_reached(Elaborator *e) {
    const Pipeline *pipeline = e->pipeline;
    Map reached = map_create(e->arena);
    Vec(Symbol) work = {0};
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++)
        vec_push(e->arena, &work, pipeline->signature.outputs.data[i].func);
    while (work.length > 0) {
        Symbol name = work.data[--work.length];
        const Func *func = pipeline_func(pipeline, name);
        if (!func || map_get(&reached, name))
            continue;
        map_put(&reached, name, (void *)func);
        for (size_t s = 0; s < func->stages.length; s++)
            for (size_t a = 0; a < func->stages.data[s]->sites.length; a++)
                vec_push(e->arena, &work, func->stages.data[s]->sites.data[a].access->name);
    }
    return reached;
}

/* Checks the images whose memory outputs may share. Of an output with another fault only that is
 * reported. */
static void check_shared_images(Elaborator *e, const PipelineSyntax *syntax) {
    Map reached = collect_reached(e), taken = map_create(e->arena);
    bool good = true;
    for (size_t i = 0; i < syntax->outputs.length; i++) {
        const NameSyntax *image = &syntax->outputs.data[i].image;
        if (image->name && map_get(&taken, image->name))
            good = diag(e->context, DIAG_SHARED_TWICE, image->place, image->name->text);
        if (image->name)
            map_put(&taken, image->name, image->name);
    }
    for (size_t i = 0; i < syntax->outputs.length && good; i++) {
        const OutputSyntax *written = &syntax->outputs.data[i];
        const Func *func = pipeline_func(e->pipeline, written->name.name);
        if (written->image.name && func && func->stages.length)
            valid_shared_image(e->context, e->pipeline, func, &written->image, &reached);
    }
}

/* A func is used if the outputs need it: one that only such funcs read is none. */
static void watch_funcs(Elaborator *e) {
    Watch *watch = e->module_names->watch;
    if (!watch)
        return;
    Map reached = collect_reached(e);
    for (size_t i = 0; i < e->pipeline->funcs.length; i++) {
        const Func *func = e->pipeline->funcs.data[i];
        const NameBinding *binding = map_get(&e->pipeline_names->by_name, func->shape->name);
        if (binding->func->generated)
            continue;
        watch_func(watch, func->shape->name, func->place, map_get(&reached, func->shape->name));
    }
}

/* Collects the boundary conditions of the funcs that the outputs reach. */
static void collect_boundaries(Elaborator *e) {
    Pipeline *pipeline = e->pipeline;
    Map reached = collect_reached(e), seen = map_create(e->arena);
    for (size_t i = pipeline->funcs.length; i-- > 0;) {
        const Func *func = pipeline->funcs.data[i];
        if (!map_get(&reached, func->shape->name))
            continue;
        const NameBinding *binding = map_get(&e->pipeline_names->by_name, func->shape->name);
        const BoundaryUses *boundaries = &binding->func->boundaries;
        for (size_t b = 0; b < boundaries->uses.length; b++) {
            BoundaryUse use = boundaries->uses.data[b];
            Expr key = expr_buffer_field(e->pool, use.image, FIELD_EXTENT, use.dimension);
            if (map_get(&seen, key))
                continue;
            map_put(&seen, key, pipeline);
            vec_push(e->arena, &pipeline->boundaries, use);
        }
    }
}

/* ---- the pipeline ---- */

static void define_let(Elaborator *e, NameTable *names, const LetSyntax *let) {
    Environment body = {NULL, e->next_number};
    for (size_t i = 0; i < let->parameters.length; i++)
        scope_bind(e, &body, BINDING_INDEX, let->parameters.data[i].name);
    NameBinding *binding = scope_declare(e, names, BINDING_LET, let->name);
    if (!binding)
        return;
    binding->let = let;
    binding->syntax = let->value;
    scope_check(e, body, let->value);
}

static void require(Elaborator *e, const PipelineSyntax *pipeline, const RequireSyntax *syntax) {
    Environment here = {NULL, e->next_number};
    e->requiring = pipeline;
    Expr condition = elaborate_startup(e, here, syntax->condition, SORT_VALUE, "a requirement");
    e->requiring = NULL;
    if (!condition)
        return;
    Requirement requirement = {condition, syntax->message, syntax->place};
    vec_push(e->arena, &e->pipeline->requirements, requirement);
}

static Elaborator begin(Context *context, Arena *arena, NameTable *module_names,
                        uint32_t next_number) {
    Elaborator e = {.cases = &syntax_cases,
                    .context = context,
                    .arena = arena,
                    .module_names = module_names,
                    .next_number = next_number};
    e.taken = map_create(arena);
    e.generated = map_create(arena);
    e.sites = map_create(arena);
    return e;
}

uint32_t elaborate_lets(Context *context, Arena *arena, const FileSyntax *file, NameTable *names,
                        uint32_t next_number) {
    Elaborator e = begin(context, arena, names, next_number);
    for (size_t i = 0; i < file->lets.length; i++)
        define_let(&e, names, file->lets.data[i]);
    return e.next_number;
}

NameTable *names_create(Arena *arena) {
    NameTable *names = arena_new(arena, NameTable);
    names->by_name = map_create(arena);
    return names;
}

static void collect_name(Elaborator *e, const NameSyntax *name) {
    if (!map_get(&e->taken, name->name))
        map_put(&e->taken, name->name, name);
}

/* Collects all names that the pipeline defines anywhere. Generated funcs avoid them. They also
 * distinguish a use before the definition from an unknown name. */
static void collect_names(Elaborator *e, const PipelineSyntax *syntax) {
    for (size_t i = 0; i < syntax->parameters.length; i++)
        map_put(&e->taken, syntax->parameters.data[i].name.name, &syntax->parameters.data[i].name);
    for (size_t i = 0; i < syntax->items.length; i++) {
        const ItemSyntax *item = &syntax->items.data[i];
        switch (item->kind) {
        case ITEM_LET:
            collect_name(e, &item->let->name);
            break;
        case ITEM_FUN:
            collect_name(e, &item->fun->name);
            break;
        case ITEM_RECURRENCE:
            for (size_t f = 0; f < item->recurrence->funs.length; f++)
                collect_name(e, &item->recurrence->funs.data[f]->name);
            break;
        case ITEM_REQUIRE:
        case ITEM_STAGE:
        case ITEM_DIRECTIVE:
        case ITEM_BLOCK:
        case ITEM_INSTANCE:
        case ITEM_TEMPLATE:
            break;
        }
    }
}

Pipeline *elaborate_pipeline(Context *context, Arena *arena, const PipelineSyntax *syntax,
                             NameTable *module_names, uint32_t next_number, NameTable **names) {
    Elaborator e = begin(context, arena, module_names, next_number);
    Pipeline *pipeline = arena_new(arena, Pipeline);
    e.pipeline = pipeline;
    e.pool = pipeline->pool = pool_create(context, arena);
    *names = e.pipeline_names = names_create(arena);
    pipeline->signature.name = syntax->name.name;
    pipeline->signature.by_name = map_create(arena);
    pipeline->by_name = map_create(arena);
    pipeline->contraction = syntax->contraction;
    pipeline->reassociation = syntax->reassociation;
    pipeline->signature.place = syntax->name.place;
    pipeline->signature.windows = context->makes_windows;
    declare_inputs(&e, syntax);
    Environment head = {NULL, e.next_number};
    collect_names(&e, syntax);
    for (size_t i = 0; i < syntax->items.length; i++) {
        const ItemSyntax *item = &syntax->items.data[i];
        e.steps = 0;
        e.too_large = false;
        context->use = item->use;
        switch (item->kind) {
        case ITEM_LET:
            define_let(&e, e.pipeline_names, item->let);
            break;
        case ITEM_FUN:
            define_func(&e, item->fun);
            break;
        case ITEM_RECURRENCE:
            define_recurrence(&e, item->recurrence);
            break;
        case ITEM_REQUIRE:
            require(&e, syntax, item->require);
            break;
        case ITEM_STAGE:
        case ITEM_DIRECTIVE:
        case ITEM_BLOCK:
        case ITEM_INSTANCE:
        case ITEM_TEMPLATE:
            hlc_assert(false, "a pipeline that is elaborated has been expanded");
            break;
        }
    }
    context->use = NULL;
    declare_outputs(&e, syntax, head);
    check_declared(&e);
    check_shared_images(&e, syntax);
    collect_boundaries(&e);
    watch_funcs(&e);
    return pipeline;
}

Elaborator elaborate_in_schedule(Context *context, Arena *arena, Pipeline *pipeline,
                                 NameTable *module_names, NameTable *names) {
    Elaborator e = begin(context, arena, module_names, UINT32_MAX);
    e.pipeline = pipeline;
    e.pool = pipeline->pool;
    e.pipeline_names = names;
    e.in_schedule = true;
    return e;
}
