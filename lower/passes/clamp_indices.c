/* clamp_indices.c -- clamps each func's value in an index to the range of the func's values.
 *
 *     fun f(x) = clamp(g(x), 10, p);                    f in [10, max(p, 10)]
 *     fun out(x) = a(f(x));      becomes    a(max(min(f(x), max(p, 10)), 10))
 *
 * By the algorithm this changes nothing: the value lies in the range.  So the oracle, which takes a
 * value in memory for any value of its type, finds the box of `a`.  The clamp also holds where the
 * program reads points of f that it did not compute: lanes beyond the end, stages outside of their
 * region.  Memory there holds anything, and the access must stay in the box. */
#include "lower/passes/clamp_indices.h"

#include "bounds/values.h"
#include "schedule/redefine.h"

typedef struct Clamping {
    const Pipeline *pipeline;
    FuncValues values;
    Arena *arena;
    ExprMemo as_value, as_index; /* the expression outside of and inside of an index */
    Map wanted;                  /* Symbol -> itself: funcs with a value in an index */
    Map seen;                    /* nodes of indices -> themselves */
} Clamping;

/* ---- which funcs ---- */

static bool is_seen(void *data, Expr node) {
    return map_get(&((Clamping *)data)->seen, node);
}

static void see(void *data, Expr node) {
    Clamping *clamping = data;
    map_put(&clamping->seen, node, node);
    if (node->op == OP_ACCESS && pipeline_func(clamping->pipeline, node->name))
        map_put(&clamping->wanted, node->name, node->name);
}

static void search_index(Clamping *clamping, Expr index) {
    if (expr_has_access(index))
        expr_visit_rest(clamping->arena, index, is_seen, see, clamping);
}

static void search_access(void *data, Expr node) {
    for (int i = 0; node->op == OP_ACCESS && i < node->arity; i++)
        search_index(data, node->arguments[i]);
}

static void search_stage(Clamping *clamping, const FuncShape *shape, const Stage *stage) {
    for (int k = 0; k < shape->dimensions; k++)
        search_index(clamping, stage->indices[k]);
    for (int c = 0; c < shape->components; c++)
        expr_visit(clamping->arena, stage->values[c], search_access, clamping);
    if (stage->predicate)
        expr_visit(clamping->arena, stage->predicate, search_access, clamping);
}

/* ---- the clamps ---- */

/* The end in the type of the access. */
static Expr typed(const Clamping *clamping, Expr end, Type type) {
    return type_is_float(type) ? end
                               : simplify(clamping->values.simplifier,
                                          expr_cast(clamping->pipeline->pool, type, end));
}

/* Does the end say more than the type? */
static bool says_more(Expr end, Type type, bool lower) {
    int64_t value;
    if (!end || type_is_bool(type))
        return false;
    if (type_is_float(type) || !expr_constant_integer(end, &value))
        return true;
    return lower ? value > type_minimum(type) : value < type_maximum(type);
}

/* `access` is a read in an index, with the clamps in its own indices. */
static Expr clamp_access(const Clamping *clamping, Expr access) {
    Pool *pool = clamping->pipeline->pool;
    const Interval *ranges = values_of(&clamping->values, access->name);
    Type type = access->type;
    if (!ranges || type_equal(type, U64))
        return access;
    const Interval *range = &ranges[access->component];
    if (says_more(range->upper, type, false))
        access = expr_min(pool, access, typed(clamping, range->upper, type));
    if (says_more(range->lower, type, true))
        access = expr_max(pool, access, typed(clamping, range->lower, type));
    return access;
}

static Expr with_arguments(const Clamping *clamping, Expr node, const ExprMemo *memo) {
    Expr *arguments = arena_array(clamping->arena, Expr, node->arity + 1);
    for (int i = 0; i < node->arity; i++)
        arguments[i] = expr_memo_get(memo, node->arguments[i]);
    return expr_with_arguments(clamping->pipeline->pool, node, arguments);
}

static bool is_clamped(void *data, Expr node) {
    return expr_memo_get(&((Clamping *)data)->as_index, node);
}

/* Arguments come first. */
static void clamp_node(void *data, Expr node) {
    Clamping *clamping = data;
    Expr index = node, value = node;
    if (expr_has_access(node)) {
        index = with_arguments(clamping, node, &clamping->as_index);
        value = node->op == OP_ACCESS ? index : with_arguments(clamping, node, &clamping->as_value);
    }
    if (node->op == OP_ACCESS)
        index = clamp_access(clamping, index);
    expr_memo_put(&clamping->as_value, node, value);
    expr_memo_put(&clamping->as_index, node, index);
}

static Expr clamp_value(void *data, Expr expr) {
    Clamping *clamping = data;
    expr_visit_rest(clamping->arena, expr, is_clamped, clamp_node, clamping);
    return expr_memo_get(&clamping->as_value, expr);
}

static Func *clamp_func(Clamping *clamping, const Func *func) {
    Func *result = func_map(clamping->arena, func, clamp_value, clamping);
    for (size_t j = 0; j < result->stages.length; j++)
        for (int k = 0; k < func->shape->dimensions; k++)
            result->stages.data[j]->indices[k] =
                expr_memo_get(&clamping->as_index, func->stages.data[j]->indices[k]);
    return result;
}

const Pipeline *clamp_indices(const Pipeline *pipeline, Arena *arena) {
    Clamping clamping = {.pipeline = pipeline,
                         .arena = arena,
                         .as_value = expr_memo(arena),
                         .as_index = expr_memo(arena),
                         .wanted = map_create(arena),
                         .seen = map_create(arena)};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        for (size_t j = 0; j < func->stages.length; j++)
            search_stage(&clamping, func->shape, func->stages.data[j]);
    }
    if (!map_count(&clamping.wanted))
        return pipeline;
    clamping.values = values_of_funcs(pipeline, &clamping.wanted, arena);
    Pipeline *result = pipeline_without_funcs(pipeline, arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        pipeline_add_func(result, arena, clamp_func(&clamping, pipeline->funcs.data[i]));
    return result;
}
