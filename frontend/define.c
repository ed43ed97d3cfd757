/* define.c -- elaborates `fun`: a declaration, or the stages of a func in their order. */
#include "frontend/elaborate.h"
#include "frontend/valid.h"

/* `*count` is the number of lets of the func so far. */
static void bind_lets(Elaborator *e, const LetSyntaxes *lets, Environment *environment,
                      size_t *count) {
    size_t limit = e->context->limits.funcs;
    for (size_t i = 0; i < lets->length && *count <= limit; i++) {
        const LetSyntax *let = lets->data[i];
        if (++*count > limit) {
            diag(e->context, DIAG_TOO_MANY_LETS, let->name.place, arena_number(e->arena, limit));
            return;
        }
        Environment here = *environment, body = *environment;
        for (size_t j = 0; j < let->parameters.length; j++)
            scope_bind(e, &body, BINDING_INDEX, let->parameters.data[j].name);
        scope_check(e, body, let->value);
        NameBinding *binding = scope_bind(e, environment, BINDING_LET, let->name.name);
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
    /* The definition has the types, or else the declaration. */
    const FunSyntax *typed = syntax->has_types || !entry->declaration ? syntax : entry->declaration;
    Results components = {0};
    bool is_extern = stage_syntax->value->kind == SYNTAX_EXTERN;
    if (is_extern && syntax->stages.length > 1)
        return diag(e->context, DIAG_EXTERN_UPDATE, syntax->stages.data[1]->place,
                    syntax->name.name->text);
    if (is_extern ? !elaborate_extern(e, environment, stage_syntax->value, typed, &components)
                  : !elaborate_components(e, environment, stage_syntax->value, &components))
        return false;
    Place place = stage_syntax->value->place;
    if (components.length > e->context->limits.tuple_elements || components.length == 0)
        return diag(e->context, DIAG_TUPLE_SIZE, place,
                    arena_number(e->arena, e->context->limits.tuple_elements));
    if (typed->has_types && typed->types.length != components.length)
        return diag(e->context, DIAG_COMPONENT_COUNT, place,
                    arena_number(e->arena, typed->types.length),
                    arena_number(e->arena, components.length));
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

/* One write of an update, as it is read. */
typedef struct ReadWrite {
    const Syntax *value;
    const Syntaxes *written; /* the indices; null: the pure variables */
    Place place;
    Place places[MAX_DIMENSIONS]; /* of the indices */
    Expr indices[MAX_DIMENSIONS];
    Expr *values;
} ReadWrite;

static bool read_indices(Elaborator *e, Environment environment, const Func *func,
                         ReadWrite *write) {
    const FuncShape *shape = func->shape;
    bool good = true;
    if (write->written && write->written->length != (size_t)shape->dimensions)
        return diag(e->context, DIAG_COORDINATE_COUNT, write->place, shape->name->text,
                    arena_number(e->arena, shape->dimensions),
                    arena_number(e->arena, write->written->length));
    for (int k = 0; k < shape->dimensions; k++) {
        const Syntax *index = write->written ? write->written->data[k] : NULL;
        write->places[k] = index ? index->place : write->place;
        write->indices[k] = index ? elaborate_index(e, environment, index) : func->variables[k];
        good &= write->indices[k] && stage_size_ok(e, write->indices[k], write->places[k]);
    }
    return good;
}

static bool read_values(Elaborator *e, Environment environment, const FuncShape *shape,
                        ReadWrite *write) {
    Results components = {0};
    if (!elaborate_components(e, environment, write->value, &components))
        return false;
    if (components.length != (size_t)shape->components)
        return diag(e->context, DIAG_COMPONENT_COUNT, write->value->place,
                    arena_number(e->arena, shape->components),
                    arena_number(e->arena, components.length));
    bool good = true;
    write->values = arena_array(e->arena, Expr, shape->components);
    for (int i = 0; i < shape->components; i++) {
        Place place = write->value->kind == SYNTAX_TUPLE ? write->value->children.data[i]->place
                                                         : write->value->place;
        Expr value = result_to(e, components.data[i], shape->types[i], place);
        write->values[i] = value;
        good &= value && stage_size_ok(e, value, place);
    }
    return good;
}

/* ---- several writes at once ---- */

enum { MOST_WRITES = 16 };

/* No place of several writes depends on the func itself. */
static bool check_places(Elaborator *e, const Func *func, const ReadWrite *write) {
    for (int k = 0; k < func->shape->dimensions; k++) {
        Exprs accesses = expr_accesses_of(e->arena, write->indices[k]);
        for (size_t i = 0; i < accesses.length; i++)
            if (accesses.data[i]->name == func->shape->name)
                return diag(e->context, DIAG_WRITES_PLACE, write->places[k],
                            func->shape->name->text);
    }
    return true;
}

/* Returns the expression that is `exprs[j]` in the write j; just that, if all are the same. */
static Expr choose_by_write(Elaborator *e, Symbol write, const Expr *exprs, size_t count) {
    Expr chosen = exprs[count - 1],
         variable = count > 1 ? expr_variable(e->pool, write, INDEX) : NULL;
    for (size_t j = count - 1; j-- > 0;)
        if (exprs[j] != chosen)
            chosen =
                expr_select(e->pool, expr_eq(e->pool, variable, expr_index(e->pool, (int64_t)j)),
                            exprs[j], chosen);
    return chosen;
}

/* Makes the stage's indices and values of those of all writes. */
static void join_writes(Elaborator *e, const Func *func, const ReadWrite *writes, size_t count) {
    Stage *stage = e->stage;
    Expr *each = arena_array(e->arena, Expr, count);
    if (count > 1) {
        stage->writes = (int)count;
        stage->write = symbol_format(&e->context->symbols, "%s.write", func->shape->name->text);
    }
    for (int k = 0; k < func->shape->dimensions; k++) {
        for (size_t j = 0; j < count; j++)
            each[j] = writes[j].indices[k];
        stage->indices[k] = choose_by_write(e, stage->write, each, count);
    }
    for (int c = 0; c < func->shape->components; c++) {
        for (size_t j = 0; j < count; j++)
            each[j] = writes[j].values[c];
        stage->values[c] = choose_by_write(e, stage->write, each, count);
    }
}

/* Def 4.2, of each write. */
static bool check_separation(Elaborator *e, Func *func, const ReadWrite *writes, size_t count) {
    bool good = true;
    valid_pure_dimensions(e->arena, func, e->stage);
    for (size_t j = 0; j < count && good; j++) {
        Stage one = *e->stage;
        one.indices = (Expr *)writes[j].indices;
        good = valid_separation(e->context, func, &one, writes[j].places);
    }
    return good;
}

static bool read_writes(Elaborator *e, Environment environment, const StageSyntax *syntax,
                        Func *func, ReadWrite *writes, size_t count) {
    bool good = true;
    for (size_t j = 0; j < count; j++) {
        const WriteSyntax *more = j ? &syntax->more.data[j - 1] : NULL;
        writes[j] = (ReadWrite){.value = more ? more->value : syntax->value,
                                .written = more                  ? &more->indices
                                           : syntax->has_indices ? &syntax->indices
                                                                 : NULL,
                                .place = more ? more->place : syntax->place};
        good &= read_indices(e, environment, func, &writes[j]);
        good &= read_values(e, environment, func->shape, &writes[j]);
        good = good && (count == 1 || check_places(e, func, &writes[j]));
    }
    return good;
}

static bool read_update(Elaborator *e, Environment environment, const StageSyntax *syntax,
                        Func *func) {
    Environment inner;
    Stage *stage = e->stage;
    size_t around = e->active.length, count = syntax->more.length + 1;
    ReadWrite writes[MOST_WRITES];
    bool good = stage_reduction(e, environment, &inner, &syntax->reduction, stage);
    if (count > MOST_WRITES)
        return diag(e->context, DIAG_WRITES_MANY, syntax->more.data[MOST_WRITES - 1].place,
                    arena_number(e->arena, MOST_WRITES));
    good &= read_writes(e, inner, syntax, func, writes, count);
    if (syntax->predicate) {
        stage->predicate = elaborate_bool(e, inner, syntax->predicate);
        good &= stage->predicate && stage_size_ok(e, stage->predicate, syntax->predicate->place);
    }
    e->active.length = around;
    if (!good)
        return false;
    join_writes(e, func, writes, count);
    return check_separation(e, func, writes, count);
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
             arena_number(e->arena, limit));
    size_t lets = 0;
    entry->state = FUNC_DEFINING;
    entry->lacks_stages = syntax->is_broken || syntax->stages.length > limit;
    for (size_t i = 0; i < syntax->stages.length && i < limit; i++) {
        bind_lets(e, &syntax->stages.data[i]->lets, &environment, &lets);
        bool good = syntax->stages.data[i]->value && read_stage(e, entry, environment, syntax, i);
        entry->lacks_stages |= !good;
        if (!good && i == 0) {
            entry->state = FUNC_BROKEN;
            return;
        }
    }
    entry->state = FUNC_DEFINED;
}

/* Checks that a definition has the dimensions and types of its declaration; false after reporting.
 */
static bool agrees(Elaborator *e, const FunSyntax *syntax, const FunSyntax *declared) {
    Place place = syntax->name.place;
    if (syntax->variables.length != declared->variables.length)
        return diag(e->context, DIAG_COORDINATE_COUNT, place, syntax->name.name->text,
                    arena_number(e->arena, declared->variables.length),
                    arena_number(e->arena, syntax->variables.length));
    if (!syntax->has_types)
        return true;
    if (syntax->types.length != declared->types.length)
        return diag(e->context, DIAG_COMPONENT_COUNT, place,
                    arena_number(e->arena, declared->types.length),
                    arena_number(e->arena, syntax->types.length));
    for (size_t i = 0; i < syntax->types.length; i++) {
        Type own = syntax->types.data[i], wanted = declared->types.data[i];
        if (!type_equal(own, wanted))
            return diag(e->context, DIAG_WRONG_TYPE, place, type_name(own), type_name(wanted), "");
    }
    return true;
}

static FuncEntry *declare_func(Elaborator *e, const FunSyntax *syntax, NameBinding *binding) {
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

/* Checks the limits on dimensions and funcs. */
static bool within_limits(Elaborator *e, const FunSyntax *syntax) {
    size_t most = e->context->limits.dimensions;
    most = most < MAX_DIMENSIONS ? most : MAX_DIMENSIONS;
    if (syntax->variables.length > most)
        return diag(e->context, DIAG_TOO_MANY_DIMENSIONS, syntax->variables.data[most].place,
                    arena_number(e->arena, most));
    if (e->pipeline->funcs.length >= e->context->limits.funcs)
        return diag(e->context, DIAG_TOO_MANY_FUNCS, syntax->name.place,
                    arena_number(e->arena, e->context->limits.funcs));
    return true;
}

/* Fills the parts of a func that are known before its stages are read. */
static void fill_shape(Elaborator *e, const FunSyntax *syntax, Func *func) {
    FuncShape *shape = func->shape;
    shape->dimensions = (int)syntax->variables.length;
    for (int k = 0; k < shape->dimensions; k++) {
        shape->variables[k] = syntax->variables.data[k].name;
        func->variables[k] = expr_variable(e->pool, shape->variables[k], INDEX);
    }
    if (syntax->has_types) {
        shape->components = (int)syntax->types.length;
        shape->types = syntax->types.data;
    }
}

void define_func(Elaborator *e, const FunSyntax *syntax) {
    NameBinding *binding = scope_declare(e, e->pipeline_names, BINDING_FUNC, syntax->name);
    if (!binding)
        return;
    FuncEntry *entry = declare_func(e, syntax, binding);
    Func *func = entry->func;
    bool is_definition = syntax->has_body || syntax->is_broken;
    entry->state = FUNC_BROKEN;
    bool valid = valid_variables(e->context, &e->pipeline->signature, syntax);
    if (!within_limits(e, syntax))
        return;
    if (is_definition && entry->declaration)
        valid &= agrees(e, syntax, entry->declaration);
    if (e->block)
        valid &= equation_admit(e, syntax, entry);
    if (!valid || (is_definition && syntax->stages.length == 0))
        return;
    fill_shape(e, syntax, func);
    if (!is_definition) {
        entry->declaration = syntax;
        entry->state = FUNC_DECLARED;
        return;
    }
    func->place = syntax->name.place;
    Environment environment = {NULL, e->next_number};
    e->active.length = 0;
    e->root = syntax->name.name;
    for (int k = 0; k < func->shape->dimensions; k++) {
        scope_bind(e, &environment, BINDING_INDEX, func->shape->variables[k])->expr =
            func->variables[k];
        vec_push(e->arena, &e->active, func->variables[k]);
    }
    if (e->block && entry->is_extended) {
        func->extends = e->block->recurrence;
        extended_bind(e, func, &environment);
    }
    read_stages(e, entry, environment, syntax);
    if (e->block && entry->is_extended && entry->state == FUNC_DEFINED && !extended_finish(e, func))
        entry->state = FUNC_BROKEN;
    if (entry->state == FUNC_DEFINED)
        pipeline_add_func(e->pipeline, e->arena, func);
}
