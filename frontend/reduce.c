/* reduce.c -- turns each inline reduction into a func of its own with one update.
 *
 *   fun h(x, y) = sum(r in (-w, 2*w + 1)) g(x, y + r);
 *   -->
 *   fun h_sum(x, y) = { 0;  rdom(r = (-w, 2*w + 1)) in (x, y) <- h_sum(x, y) + g(x, y + r); }
 *   fun h(x, y) = h_sum(x, y);
 *
 * The arguments of the generated func are the free variables of the body: those of the stage, then
 * those of the reductions around it. Two reductions with the same body and intervals share one
 * func. argmin and argmax give {r1, .., rk, value}: the coordinates (i32) of the first winner, or 0
 * and the type's extreme if there is none. A NaN never wins.
 */
#include "frontend/elaborate.h"
#include "frontend/valid.h"

#include <math.h>
#include <string.h>

typedef enum ReductionKind {
    REDUCTION_SUM,
    REDUCTION_PRODUCT,
    REDUCTION_MINIMUM,
    REDUCTION_MAXIMUM,
    REDUCTION_ARGMIN,
    REDUCTION_ARGMAX
} ReductionKind;

static const char *const kind_names[] = {"sum",     "product", "minimum",
                                         "maximum", "argmin",  "argmax"};

/* A generated func, and the key that identifies equal reductions. */
typedef struct Generated {
    struct Generated *next; /* the next one with the same body */
    ReductionKind kind;
    const Stage *update;
    FuncEntry *entry;
    Exprs free;
} Generated;

static bool is_arg(ReductionKind kind) {
    return kind == REDUCTION_ARGMIN || kind == REDUCTION_ARGMAX;
}

static ReductionKind kind_of(Symbol name) {
    int kind = 0;
    while (strcmp(kind_names[kind], name->text))
        kind++;
    return (ReductionKind)kind;
}

/* Returns the greatest (or least) value of a type, which is infinite for floats. */
static Expr extreme(Elaborator *e, Type type, bool greatest) {
    if (type_is_float(type))
        return expr_float(e->pool, type, greatest ? INFINITY : -INFINITY);
    return expr_constant(e->pool, type, greatest ? type_maximum(type) : type_minimum(type));
}

static Expr identity(Elaborator *e, ReductionKind kind, Type type) {
    switch (kind) {
    case REDUCTION_SUM:
    case REDUCTION_PRODUCT: {
        int value = kind == REDUCTION_PRODUCT;
        return type_is_float(type) ? expr_float(e->pool, type, value)
                                   : expr_constant(e->pool, type, value);
    }
    case REDUCTION_MINIMUM:
    case REDUCTION_ARGMIN:
        return extreme(e, type, true);
    case REDUCTION_MAXIMUM:
    case REDUCTION_ARGMAX:
        return extreme(e, type, false);
    }
    return NULL;
}

/* Combines the old value and the body. The old value is the first operand, so it survives ties and
 * NaNs. */
static Expr combined(Elaborator *e, ReductionKind kind, Expr old, Expr body, Place place) {
    static const Op ops[] = {OP_ADD, OP_MUL, OP_MIN, OP_MAX};
    Result operands[2] = {result_of(old), result_of(body)};
    return apply_operator(e, ops[kind], operands, place).expr;
}

/* For argmin and argmax: the body wins if it is better than the old value. */
static void choose_arg(Elaborator *e, ReductionKind kind, const Expr *old, Expr body,
                       Stage *stage) {
    int last = (int)stage->reduction.length;
    Expr wins = kind == REDUCTION_ARGMIN ? expr_lt(e->pool, body, old[last])
                                         : expr_lt(e->pool, old[last], body);
    for (int i = 0; i < last; i++) {
        Expr variable = expr_variable(e->pool, stage->reduction.data[i].variable, INDEX);
        stage->values[i] = expr_select(e->pool, wins, expr_cast(e->pool, I32, variable), old[i]);
    }
    stage->values[last] = expr_select(e->pool, wins, body, old[last]);
}

/* Returns `h_sum`, `h_sum2`, ..: the first name that is free. */
static Symbol generated_name(Elaborator *e, ReductionKind kind, Place place) {
    for (int number = 1;; number++) {
        const char *suffix = number > 1 ? arena_number(e->arena, number) : "";
        Symbol name =
            symbol_format(&e->context->symbols, "%s_%s%s", e->root->text, kind_names[kind], suffix);
        if (!map_get(&e->taken, name) && !map_get(&e->module_names->by_name, name)) {
            NameSyntax *taken = arena_new(e->arena, NameSyntax);
            *taken = (NameSyntax){name, place};
            map_put(&e->taken, name, taken);
            return name;
        }
    }
}

static bool same_stage(const Stage *a, const Stage *b) {
    if (a->reduction.length != b->reduction.length)
        return false;
    for (size_t i = 0; i < a->reduction.length; i++) {
        const ReductionVariable *x = &a->reduction.data[i], *y = &b->reduction.data[i];
        if (x->variable != y->variable || x->interval.minimum != y->interval.minimum ||
            x->interval.length != y->interval.length)
            return false;
    }
    return true;
}

static bool same_free(const Exprs *a, const Exprs *b) {
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (a->data[i] != b->data[i])
            return false;
    return true;
}

/* Fills in the shape, the variables and both stages. The caller has set the reduction variables and
 * sites of the update. */
static void build_func(Elaborator *e, ReductionKind kind, Func *func, Stage *update,
                       const Exprs *free, Expr body, Place place) {
    FuncShape *shape = arena_new(e->arena, FuncShape);
    size_t arguments = is_arg(kind) ? update->reduction.length : 0;
    shape->name = generated_name(e, kind, place);
    shape->dimensions = (int)free->length;
    shape->components = (int)arguments + 1;
    shape->types = arena_array(e->arena, Type, shape->components);
    func->shape = shape;
    func->place = place;
    Stage *pure = stage_create(e, func, place);
    for (size_t i = 0; i < free->length; i++) {
        shape->variables[i] = free->data[i]->name;
        func->variables[i] = pure->indices[i] = update->indices[i] = free->data[i];
        pure->pure[i] = true;
    }
    Expr *old = arena_array(e->arena, Expr, shape->components);
    for (int i = 0; i < shape->components; i++) {
        bool is_value = i + 1 == shape->components;
        shape->types[i] = is_value ? body->type : I32;
        pure->values[i] = is_value ? identity(e, kind, body->type) : expr_constant(e->pool, I32, 0);
        old[i] = expr_access(e->pool, shape->name, i, shape->types[i], func->variables,
                             shape->dimensions);
        AccessSite site = {old[i], place};
        vec_push(e->arena, &update->sites, site);
    }
    if (is_arg(kind))
        choose_arg(e, kind, old, body, update);
    else
        update->values[0] = combined(e, kind, old[0], body, place);
    vec_push(e->arena, &func->stages, pure);
    update->number = 1;
    vec_push(e->arena, &func->stages, update);
    valid_pure_dimensions(e->arena, func, update);
}

/* Lists the variables around the reduction that its body mentions. */
static bool find_free(Elaborator *e, size_t around, Expr body, Place place, Exprs *free) {
    Exprs mentioned = {0};
    expr_variables(e->arena, body, &mentioned);
    for (size_t i = 0; i < around; i++)
        for (size_t j = 0; j < mentioned.length; j++)
            if (e->active.data[i] == mentioned.data[j])
                vec_push(e->arena, free, e->active.data[i]);
    if (free->length <= MAX_DIMENSIONS)
        return true;
    return diag(e->context, DIAG_TOO_MANY_DIMENSIONS, place,
                arena_number(e->arena, MAX_DIMENSIONS));
}

static Generated *find_same(Elaborator *e, ReductionKind kind, const Stage *update, Expr body,
                            const Exprs *free) {
    Generated *generated = map_get(&e->generated, body);
    while (generated && (generated->kind != kind || !same_stage(generated->update, update) ||
                         !same_free(&generated->free, free)))
        generated = generated->next;
    return generated;
}

static Generated *generate(Elaborator *e, ReductionKind kind, FuncEntry *entry, Stage *update,
                           const Exprs *free, Expr body, Place place) {
    Generated *generated = arena_new(e->arena, Generated);
    build_func(e, kind, entry->func, update, free, body, place);
    entry->state = FUNC_DEFINED;
    entry->generated = generated;
    generated->kind = kind;
    generated->update = update;
    generated->entry = entry;
    generated->free = *free;
    generated->next = map_get(&e->generated, body);
    map_put(&e->generated, body, generated);
    pipeline_add_func(e->pipeline, e->arena, entry->func);
    NameBinding *binding = arena_new(e->arena, NameBinding);
    binding->kind = BINDING_FUNC;
    binding->name = entry->func->shape->name;
    binding->place = place;
    binding->number = UINT32_MAX; /* only schedules see it */
    binding->func = entry;
    map_put(&e->pipeline_names->by_name, binding->name, binding);
    vec_push(e->arena, &e->pipeline_names->bindings, binding);
    return generated;
}

bool elaborate_reduction(Elaborator *e, Environment environment, const Syntax *syntax,
                         Results *components) {
    if (!e->stage)
        return diag(e->context, DIAG_STARTUP_REDUCTION, syntax->place, syntax->name->text);
    if (e->pipeline->funcs.length >= e->context->limits.funcs)
        return diag(e->context, DIAG_TOO_MANY_FUNCS, syntax->place,
                    arena_number(e->arena, e->context->limits.funcs));
    ReductionKind kind = kind_of(syntax->name);
    if (is_arg(kind) && syntax->variables.length >= e->context->limits.tuple_elements)
        return diag(e->context, DIAG_TUPLE_SIZE, syntax->place,
                    arena_number(e->arena, e->context->limits.tuple_elements));
    FuncEntry *entry = arena_new(e->arena, FuncEntry);
    entry->func = arena_new(e->arena, Func);
    entry->state = FUNC_DEFINING;
    Stage *update = stage_create(e, entry->func, syntax->place);
    size_t around = e->active.length;
    Environment inner;
    StageState state = stage_enter(e, entry, update);
    bool good = stage_reduction(e, environment, &inner, &syntax->variables, update);
    Expr body = elaborate_value(e, inner, syntax->children.data[0]);
    stage_leave(e, state);
    Exprs free = {0};
    good = good && body && stage_size_ok(e, body, syntax->place) &&
           find_free(e, around, body, syntax->place, &free);
    e->active.length = around;
    if (!good)
        return false;
    if (type_is_bool(body->type))
        return diag(e->context, DIAG_OPERAND_TYPE, syntax->place, syntax->name->text, "bool",
                    "convert the condition, e.g. i32(a)");
    Generated *generated = find_same(e, kind, update, body, &free);
    if (!generated)
        generated = generate(e, kind, entry, update, &free, body, syntax->place);
    const FuncShape *shape = generated->entry->func->shape;
    for (int i = 0; i < shape->components; i++) {
        Expr access =
            expr_access(e->pool, shape->name, i, shape->types[i], free.data, shape->dimensions);
        vec_push(e->arena, components, result_of(record_access(e, access, syntax->place)));
    }
    return true;
}
