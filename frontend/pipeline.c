/* pipeline.c -- a pipeline's declarations, in order, to an algorithm (ir/algorithm.h). */
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
    if (!expr_is_constant(expr)) {
        diag(e->context, DIAG_NOT_CONSTANT, syntax->place);
        return false;
    }
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

/* An image with a fault is declared too, as near as can be, so that its uses are not reported. */
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
             arena_format(e->arena, "%zu", limit));
    for (size_t i = 0; i < syntax->parameters.length && i < limit; i++) {
        const ParameterSyntax *parameter = &syntax->parameters.data[i];
        BindingKind kind = parameter->is_image ? BINDING_IMAGE : BINDING_PARAMETER;
        if (!map_get(&e->pipeline_names->by_name, parameter->name.name)) {
            if (parameter->is_image)
                declare_image(e, parameter);
            else
                declare_scalar(e, parameter);
        }
        Binding *binding = scope_declare(e, e->pipeline_names, kind, parameter->name);
        if (!binding)
            continue;
        if (kind == BINDING_PARAMETER) {
            binding->expr = expr_variable(e->pool, binding->name, parameter->type);
        } else {
            ImageParameter *image = arena_new(e->arena, ImageParameter);
            *image = *signature_image(&e->pipeline->signature, binding->name);
            binding->image = image;
        }
    }
}

/* ---- funcs ---- */

/* `*count`: of the func so far. */
static void bind_lets(Elaborator *e, const LetSyntaxes *lets, Environment *environment,
                      size_t *count) {
    size_t limit = e->context->limits.funcs;
    for (size_t i = 0; i < lets->length && *count <= limit; i++) {
        const LetSyntax *let = lets->data[i];
        if (++*count > limit) {
            diag(e->context, DIAG_TOO_MANY_LETS, let->name.place,
                 arena_format(e->arena, "%zu", limit));
            return;
        }
        Environment here = *environment, body = *environment;
        for (size_t j = 0; j < let->parameters.length; j++)
            scope_bind(e, &body, BINDING_INDEX, let->parameters.data[j].name);
        scope_check(e, body, let->value);
        Binding *binding = scope_bind(e, environment, BINDING_LET, let->name.name);
        binding->let = let;
        binding->syntax = let->value;
        binding->place = let->name.place;
        binding->environment = here;
    }
}

/* The pure stage gives the func its components and types. */
static bool read_pure_stage(Elaborator *e, Environment environment, const FunSyntax *syntax,
                            const FuncEntry *entry) {
    const StageSyntax *stage_syntax = syntax->stages.data[0];
    const Func *func = entry->func;
    FuncShape *shape = func->shape;
    /* The types stand here or at the declaration. */
    const FunSyntax *typed = syntax->has_types || !entry->declaration ? syntax : entry->declaration;
    Results components = {0};
    if (!elaborate_components(e, environment, stage_syntax->value, &components))
        return false;
    Place place = stage_syntax->value->place;
    if (components.length > e->context->limits.tuple_elements || components.length == 0) {
        diag(e->context, DIAG_TUPLE_SIZE, place,
             arena_format(e->arena, "%zu", e->context->limits.tuple_elements));
        return false;
    }
    if (typed->has_types && typed->types.length != components.length) {
        diag(e->context, DIAG_COMPONENT_COUNT, place,
             arena_format(e->arena, "%zu", typed->types.length),
             arena_format(e->arena, "%zu", components.length));
        return false;
    }
    Stage *stage = e->stage;
    shape->components = (int)components.length;
    shape->types = arena_array(e->arena, Type, components.length);
    for (size_t i = 0; i < components.length; i++) {
        Expr value = typed->has_types
                         ? result_to(e, components.data[i], typed->types.data[i], place)
                         : result_value(e, components.data[i], place);
        if (!value || !stage_size_ok(e, value, place))
            return false;
        stage->values[i] = value;
        shape->types[i] = value->type;
    }
    for (int k = 0; k < shape->dimensions; k++) {
        stage->indices[k] = func->variables[k];
        stage->pure[k] = true;
    }
    return true;
}

/* The written indices; `places` gets their places. */
static bool read_indices(Elaborator *e, Environment environment, const StageSyntax *syntax,
                         const Func *func, Place *places) {
    const FuncShape *shape = func->shape;
    bool good = true;
    if (syntax->has_indices && syntax->indices.length != (size_t)shape->dimensions) {
        diag(e->context, DIAG_COORDINATE_COUNT, syntax->place, shape->name->text,
             arena_format(e->arena, "%d", shape->dimensions),
             arena_format(e->arena, "%zu", syntax->indices.length));
        return false;
    }
    for (int k = 0; k < shape->dimensions; k++) {
        const Syntax *index = syntax->has_indices ? syntax->indices.data[k] : NULL;
        places[k] = index ? index->place : syntax->place;
        e->stage->indices[k] = index ? elaborate_index(e, environment, index) : func->variables[k];
        good &= e->stage->indices[k] && stage_size_ok(e, e->stage->indices[k], places[k]);
    }
    return good;
}

static bool read_values(Elaborator *e, Environment environment, const StageSyntax *syntax,
                        const FuncShape *shape) {
    Results components = {0};
    if (!elaborate_components(e, environment, syntax->value, &components))
        return false;
    if (components.length != (size_t)shape->components) {
        diag(e->context, DIAG_COMPONENT_COUNT, syntax->value->place,
             arena_format(e->arena, "%d", shape->components),
             arena_format(e->arena, "%zu", components.length));
        return false;
    }
    bool good = true;
    for (int i = 0; i < shape->components; i++) {
        Place place = syntax->value->kind == SYNTAX_TUPLE ? syntax->value->children.data[i]->place
                                                          : syntax->value->place;
        Expr value = result_to(e, components.data[i], shape->types[i], place);
        e->stage->values[i] = value;
        good &= value && stage_size_ok(e, value, place);
    }
    return good;
}

static bool read_update(Elaborator *e, Environment environment, const StageSyntax *syntax,
                        Func *func) {
    Environment inner;
    Place places[MAX_DIMENSIONS];
    Stage *stage = e->stage;
    size_t around = e->active.length;
    bool good = stage_reduction(e, environment, &inner, &syntax->reduction, stage);
    good &= read_indices(e, inner, syntax, func, places);
    good &= read_values(e, inner, syntax, func->shape);
    if (syntax->predicate) {
        stage->predicate = elaborate_bool(e, inner, syntax->predicate);
        good &= stage->predicate && stage_size_ok(e, stage->predicate, syntax->predicate->place);
    }
    e->active.length = around;
    if (!good)
        return false;
    valid_pure_dimensions(e->arena, func, stage);
    return valid_separation(e->context, func, stage, places);
}

static bool read_stage(Elaborator *e, FuncEntry *entry, Environment environment,
                       const FunSyntax *syntax, size_t number) {
    const StageSyntax *stage_syntax = syntax->stages.data[number];
    Func *func = entry->func;
    Stage *stage = stage_create(e, func, stage_syntax->place);
    stage->number = (int)number;
    e->steps = 0;
    e->too_large = false;
    StageState state = stage_enter(e, entry, stage);
    bool good = number == 0 ? read_pure_stage(e, environment, syntax, entry)
                            : read_update(e, environment, stage_syntax, func);
    stage_leave(e, state);
    if (good)
        vec_push(e->arena, &func->stages, stage);
    return good;
}

static void read_stages(Elaborator *e, FuncEntry *entry, Environment environment,
                        const FunSyntax *syntax) {
    size_t limit = e->context->limits.stages;
    if (syntax->stages.length > limit)
        diag(e->context, DIAG_TOO_MANY_STAGES, syntax->stages.data[limit]->place,
             arena_format(e->arena, "%zu", limit));
    size_t lets = 0;
    entry->state = FUNC_DEFINING;
    for (size_t i = 0; i < syntax->stages.length && i < limit; i++) {
        bind_lets(e, &syntax->stages.data[i]->lets, &environment, &lets);
        bool good = syntax->stages.data[i]->value && read_stage(e, entry, environment, syntax, i);
        if (!good && i == 0) {
            entry->state = FUNC_BROKEN;
            return;
        }
    }
    entry->state = FUNC_DEFINED;
}

/* A definition behind a declaration has its dimensions and types; false after reporting. */
static bool agrees(Elaborator *e, const FunSyntax *syntax, const FunSyntax *declared) {
    Place place = syntax->name.place;
    if (syntax->variables.length != declared->variables.length) {
        diag(e->context, DIAG_COORDINATE_COUNT, place, syntax->name.name->text,
             arena_format(e->arena, "%zu", declared->variables.length),
             arena_format(e->arena, "%zu", syntax->variables.length));
        return false;
    }
    if (!syntax->has_types)
        return true;
    if (syntax->types.length != declared->types.length) {
        diag(e->context, DIAG_COMPONENT_COUNT, place,
             arena_format(e->arena, "%zu", declared->types.length),
             arena_format(e->arena, "%zu", syntax->types.length));
        return false;
    }
    for (size_t i = 0; i < syntax->types.length; i++) {
        Type own = syntax->types.data[i], wanted = declared->types.data[i];
        if (!type_equal(own, wanted)) {
            diag(e->context, DIAG_WRONG_TYPE, place, type_name(own), type_name(wanted));
            return false;
        }
    }
    return true;
}

static FuncEntry *declare_func(Elaborator *e, const FunSyntax *syntax, Binding *binding) {
    if (binding->func)
        return binding->func;
    FuncEntry *entry = arena_new(e->arena, FuncEntry);
    entry->func = arena_new(e->arena, Func);
    entry->func->shape = arena_new(e->arena, FuncShape);
    entry->func->shape->name = syntax->name.name;
    entry->func->place = syntax->name.place;
    binding->func = entry;
    return entry;
}

static void define_func(Elaborator *e, const FunSyntax *syntax) {
    Binding *binding = scope_declare(e, e->pipeline_names, BINDING_FUNC, syntax->name);
    if (!binding)
        return;
    FuncEntry *entry = declare_func(e, syntax, binding);
    Func *func = entry->func;
    size_t dimensions = syntax->variables.length;
    entry->state = syntax->has_body || syntax->is_broken ? FUNC_BROKEN : FUNC_DECLARED;
    bool valid = valid_variables(e->context, &e->pipeline->signature, syntax);
    size_t most = e->context->limits.dimensions;
    most = most < MAX_DIMENSIONS ? most : MAX_DIMENSIONS;
    if (dimensions > most) {
        diag(e->context, DIAG_TOO_MANY_DIMENSIONS, syntax->variables.data[most].place,
             arena_format(e->arena, "%zu", most));
        return;
    }
    if (e->pipeline->funcs.length >= e->context->limits.funcs) {
        diag(e->context, DIAG_TOO_MANY_FUNCS, syntax->name.place,
             arena_format(e->arena, "%zu", e->context->limits.funcs));
        return;
    }
    if (entry->state == FUNC_DECLARED)
        entry->declaration = syntax;
    else if (entry->declaration)
        valid &= agrees(e, syntax, entry->declaration);
    if (entry->state == FUNC_DECLARED || !valid || syntax->stages.length == 0)
        return;
    Environment environment = {NULL, e->next_number};
    func->shape->dimensions = (int)dimensions;
    e->active.length = 0;
    e->root = syntax->name.name;
    for (size_t i = 0; i < dimensions; i++) {
        Symbol name = syntax->variables.data[i].name;
        func->shape->variables[i] = name;
        func->variables[i] = expr_variable(e->pool, name, INDEX);
        scope_bind(e, &environment, BINDING_INDEX, name)->expr = func->variables[i];
        vec_push(e->arena, &e->active, func->variables[i]);
    }
    read_stages(e, entry, environment, syntax);
    if (entry->state == FUNC_DEFINED)
        pipeline_add_func(e->pipeline, e->arena, func);
}

/* ---- outputs ---- */

static void declare_outputs(Elaborator *e, const PipelineSyntax *syntax) {
    Environment end = {NULL, e->next_number};
    for (size_t i = 0; i < syntax->outputs.length; i++) {
        const OutputSyntax *written = &syntax->outputs.data[i];
        NameSyntax name = written->name;
        Binding *binding = scope_find(e, end, name.name);
        if (!binding) {
            scope_unknown(e, end, name.name, name.place, "func");
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
                 arena_format(e->arena, "%d", shape->dimensions));
        if (written->layout == LAYOUT_INTERLEAVED && shape->dimensions != 3)
            diag(e->context, DIAG_INTERLEAVED_DIMENSIONS, written->layout_place);
        shape->is_output = true;
        Output output = {name.name, name.place, (Layout)written->layout};
        vec_push(e->arena, &e->pipeline->signature.outputs, output);
    }
}

/* Funcs that were declared and never defined. */
static void check_declared(Elaborator *e) {
    for (size_t i = 0; i < e->pipeline_names->bindings.length; i++) {
        const Binding *binding = e->pipeline_names->bindings.data[i];
        if (binding->kind == BINDING_FUNC && binding->func->state == FUNC_DECLARED)
            diag(e->context, DIAG_NEVER_DEFINED, binding->place, binding->name->text);
    }
}

/* The boundary conditions of the funcs that the outputs reach: definitions only read what stands
 * before them, so one walk from the last to the first finds them. */
static void collect_boundaries(Elaborator *e) {
    Pipeline *pipeline = e->pipeline;
    Map reached = map_create(e->arena), seen = map_create(e->arena);
    for (size_t i = 0; i < pipeline->signature.outputs.length; i++)
        map_put(&reached, pipeline->signature.outputs.data[i].func, pipeline);
    for (size_t i = pipeline->funcs.length; i-- > 0;) {
        const Func *func = pipeline->funcs.data[i];
        if (!map_get(&reached, func->shape->name))
            continue;
        for (size_t s = 0; s < func->stages.length; s++)
            for (size_t a = 0; a < func->stages.data[s]->sites.length; a++)
                map_put(&reached, func->stages.data[s]->sites.data[a].access->name, pipeline);
        const Binding *binding = map_get(&e->pipeline_names->by_name, func->shape->name);
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

/* ---- all of it ---- */

static void define_let(Elaborator *e, Names *names, const LetSyntax *let) {
    Environment body = {NULL, e->next_number};
    for (size_t i = 0; i < let->parameters.length; i++)
        scope_bind(e, &body, BINDING_INDEX, let->parameters.data[i].name);
    Binding *binding = scope_declare(e, names, BINDING_LET, let->name);
    if (!binding)
        return;
    binding->let = let;
    binding->syntax = let->value;
    scope_check(e, body, let->value);
}

static void require(Elaborator *e, const RequireSyntax *syntax) {
    Environment here = {NULL, e->next_number};
    Expr condition = elaborate_startup(e, here, syntax->condition, SORT_VALUE, "a requirement");
    if (!condition)
        return;
    Requirement requirement = {condition, syntax->message, syntax->place};
    vec_push(e->arena, &e->pipeline->requirements, requirement);
}

uint32_t elaborate_lets(Context *context, Arena *arena, const FileSyntax *file, Names *names,
                        uint32_t next_number) {
    Elaborator e = {
        .context = context, .arena = arena, .module_names = names, .next_number = next_number};
    for (size_t i = 0; i < file->lets.length; i++)
        define_let(&e, names, file->lets.data[i]);
    return e.next_number;
}

Names *names_create(Arena *arena) {
    Names *names = arena_new(arena, Names);
    names->by_name = map_create(arena);
    return names;
}

static Elaborator begin(Context *context, Arena *arena, Names *module_names, uint32_t next_number) {
    Elaborator e = {.context = context,
                    .arena = arena,
                    .module_names = module_names,
                    .next_number = next_number};
    e.taken = map_create(arena);
    e.generated = map_create(arena);
    e.sites = map_create(arena);
    return e;
}

/* The names that are defined somewhere in the pipeline: generated funcs avoid them, and a use
 * before the definition is told from an unknown name. */
static void collect_names(Elaborator *e, const PipelineSyntax *syntax) {
    for (size_t i = 0; i < syntax->parameters.length; i++)
        map_put(&e->taken, syntax->parameters.data[i].name.name, &syntax->parameters.data[i].name);
    for (size_t i = 0; i < syntax->items.length; i++) {
        const ItemSyntax *item = &syntax->items.data[i];
        const NameSyntax *name = item->kind == ITEM_FUN   ? &item->fun->name
                                 : item->kind == ITEM_LET ? &item->let->name
                                                          : NULL;
        if (name && !map_get(&e->taken, name->name))
            map_put(&e->taken, name->name, name);
    }
}

Pipeline *elaborate_pipeline(Context *context, Arena *arena, const PipelineSyntax *syntax,
                             Names *module_names, uint32_t next_number, Names **names) {
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
    declare_inputs(&e, syntax);
    collect_names(&e, syntax);
    for (size_t i = 0; i < syntax->items.length; i++) {
        const ItemSyntax *item = &syntax->items.data[i];
        e.steps = 0;
        e.too_large = false;
        switch (item->kind) {
        case ITEM_LET:
            define_let(&e, e.pipeline_names, item->let);
            break;
        case ITEM_FUN:
            define_func(&e, item->fun);
            break;
        case ITEM_REQUIRE:
            require(&e, item->require);
            break;
        }
    }
    declare_outputs(&e, syntax);
    check_declared(&e);
    collect_boundaries(&e);
    return pipeline;
}

Elaborator elaborate_in_schedule(Context *context, Arena *arena, Pipeline *pipeline,
                                 Names *module_names, Names *names) {
    Elaborator e = begin(context, arena, module_names, UINT32_MAX);
    e.pipeline = pipeline;
    e.pool = pipeline->pool;
    e.pipeline_names = names;
    e.in_schedule = true;
    return e;
}
