/* worlds.c -- see worlds.h. */
#include "autoschedule/worlds.h"

Worlds worlds_create(Arena *arena, VariableValue *startup, void *data) {
    return (Worlds){.arena = arena,
                    .startup = startup,
                    .data = data,
                    .variables = map_create(arena),
                    .values = map_create(arena),
                    .count = 1};
}

static WorldValue *new_value(const Worlds *worlds) {
    WorldValue *value = arena_new(worlds->arena, WorldValue);
    value->count = worlds->count;
    value->at = arena_array(worlds->arena, int64_t, worlds->count);
    return value;
}

static int64_t at(const WorldValue *value, int world) {
    return value->at[world < value->count ? world : 0];
}

/* ---- loops and lets ---- */

/* The middle, and the other iteration that is looked at. The first one is seldom typical, and the last
 * one may be a part of a block, or nothing. The middle is even: a func of half the size that slides has
 * something new there. */
static int64_t middle_of(int64_t iterations) {
    int64_t middle = iterations > 0 ? (iterations - 1) / 2 : 0;
    return middle < 2 ? middle : middle / 2 * 2;
}

static int64_t other_of(int64_t iterations) {
    return iterations > 0 ? iterations - 1 : 0;
}

int64_t worlds_step(int64_t iterations) {
    return other_of(iterations) - middle_of(iterations);
}

int64_t worlds_enter_loop(Worlds *worlds, Symbol binder, const Extent *interval, int *world) {
    int64_t iterations = worlds_typical(worlds, interval->length, 1);
    iterations = iterations < 0 ? 0 : iterations;
    const WorldValue *minimum = worlds_value(worlds, interval->minimum);
    *world = worlds->count < MOST_WORLDS ? worlds->count++ : 0;
    WorldValue *value = new_value(worlds);
    value->is_known = true;
    value->depends = minimum->depends | (*world ? UINT32_C(1) << *world : 0);
    for (int w = 0; w < worlds->count; w++)
        value->at[w] = at(minimum, w) + middle_of(iterations);
    if (*world)
        value->at[*world] = at(minimum, 0) + other_of(iterations);
    map_put(&worlds->variables, binder, value);
    return iterations;
}

void worlds_leave_loop(Worlds *worlds, int world) {
    if (world)
        worlds->count--;
}

void worlds_bind(Worlds *worlds, Symbol binder, Expr value) {
    map_put(&worlds->variables, binder, worlds_value(worlds, value));
}

double worlds_stride(const Worlds *worlds, const WorldValue *value, int world, int64_t iterations) {
    (void)worlds;
    int64_t step = worlds_step(iterations);
    return step && world ? (double)(at(value, world) - at(value, 0)) / (double)step : 0;
}

/* ---- expressions ---- */

static WorldValue *variable_value(Worlds *worlds, Expr node) {
    WorldValue *bound = map_get(&worlds->variables, node->name);
    if (bound)
        return bound;
    WorldValue *value = new_value(worlds);
    value->depends = 1;
    Bits bits = 0;
    value->is_known = worlds->startup(worlds->data, node->name, &bits);
    for (int w = 0; w < worlds->count; w++)
        value->at[w] = bits;
    return value;
}

static bool is_counted(Type type) {
    return type_is_index(type) || type_is_bool(type) || type_is_machine_integer(type);
}

static WorldValue *operator_value(Worlds *worlds, Expr node) {
    WorldValue *value = new_value(worlds);
    const WorldValue *operands[MAX_SMALL_ARITY] = {NULL};
    Type types[OP_MAX_ARITY];
    value->is_known = node->op < OP_COUNT && is_counted(node->type);
    for (int i = 0; i < node->arity; i++) {
        operands[i] = map_get(&worlds->values, node->arguments[i]);
        value->depends |= operands[i]->depends;
        value->is_known = value->is_known && operands[i]->is_known;
        if (i < OP_MAX_ARITY)
            types[i] = node->arguments[i]->type;
    }
    if (!value->is_known)
        return value;
    Operation operation = operation_of((Op)node->op, node->type, types);
    for (int w = 0; w < worlds->count; w++) {
        Bits arguments[OP_MAX_ARITY];
        const Bits *in[OP_MAX_ARITY] = {NULL};
        for (int i = 0; i < node->arity; i++) {
            arguments[i] = at(operands[i], w);
            in[i] = &arguments[i];
        }
        if (!operation_apply_total(&operation, in, &value->at[w]))
            value->is_known = false;
    }
    return value;
}

static bool has_value(void *data, Expr node) {
    return map_get(&((const Worlds *)data)->values, node) != NULL;
}

static void evaluate_node(void *data, Expr node) {
    Worlds *worlds = data;
    WorldValue *value;
    if (node->op == OP_VARIABLE) {
        value = variable_value(worlds, node);
    } else if (node->op == OP_CONSTANT) {
        value = new_value(worlds);
        value->is_known = is_counted(node->type);
        for (int w = 0; w < worlds->count; w++)
            value->at[w] = node->bits;
    } else {
        value = operator_value(worlds, node);
    }
    map_put(&worlds->values, node, value);
}

const WorldValue *worlds_value(Worlds *worlds, Expr expr) {
    if (!has_value(worlds, expr))
        expr_visit_rest(worlds->arena, expr, has_value, evaluate_node, worlds);
    return map_get(&worlds->values, expr);
}

int64_t worlds_typical(Worlds *worlds, Expr expr, int64_t otherwise) {
    const WorldValue *value = worlds_value(worlds, expr);
    return value->is_known ? value->at[0] : otherwise;
}

/* ---- other iterations ---- */

typedef struct WorldIteration {
    Worlds *worlds;
    int world;
    int64_t iterations, i;
} WorldIteration;

static bool value_in_iteration(void *data, Symbol name, Bits *bits) {
    const WorldIteration *at = data;
    const WorldValue *bound = map_get(&at->worlds->variables, name);
    if (!bound)
        return at->worlds->startup(at->worlds->data, name, bits);
    double stride = worlds_stride(at->worlds, bound, at->world, at->iterations);
    *bits = bound->at[0] + (Bits)(stride * (double)(at->i - middle_of(at->iterations)));
    return bound->is_known;
}

bool worlds_at(Worlds *worlds, Expr expr, int world, int64_t iterations, int64_t i, Bits *bits) {
    WorldIteration at = {worlds, world, iterations, i};
    return expr_evaluate(worlds->arena, expr, value_in_iteration, &at, bits);
}
