/* refute.c -- finds values that show that an operator is not associative, or not commutative. The
 * points are pseudorandom and the same in every run. Many values are small, equal, or at the ends
 * of the type: operators made of comparisons differ at ties, and those that wrap differ at the
 * ends.
 *
 * The evaluator (ir/value.h) evaluates points in batches.
 */
#include "associative/internal.h"

#include "base/integer.h"
#include "ir/value.h"

#include <string.h>

enum { BATCH = PLAN_BATCH, VARIABLES = 3 * ASSOCIATIVE_MAX + 1 };

static void plan_node(void *data, Expr node) {
    Plan *plan = data;
    if (map_get(&plan->columns, node))
        return;
    PlanNode planned = {.node = node, .column = arena_array(plan->arena, Bits, BATCH)};
    map_put(&plan->columns, node, planned.column);
    if (node->op == OP_CONSTANT) {
        for (int i = 0; i < BATCH; i++)
            planned.column[i] = node->bits;
    } else if (node->op == OP_VARIABLE) {
        vec_push(plan->arena, &plan->variables, planned);
    } else {
        for (int i = 0; i < node->arity; i++)
            planned.arguments[i] = map_get(&plan->columns, node->arguments[i]);
        vec_push(plan->arena, &plan->nodes, planned);
    }
}

Bits *plan_column(Plan *plan, Expr expr) {
    Bits *known = map_get(&plan->columns, expr);
    if (known)
        return known;
    expr_visit(plan->arena, expr, plan_node, plan);
    return map_get(&plan->columns, expr);
}

void plan_run(const Plan *plan, int count) {
    for (size_t i = 0; i < plan->nodes.length; i++) {
        const PlanNode *planned = &plan->nodes.data[i];
        Type types[OP_MAX_ARITY];
        for (int j = 0; j < planned->node->arity; j++)
            types[j] = planned->node->arguments[j]->type;
        value_apply_batch((Op)planned->node->op, planned->node->type, types, (size_t)count,
                          planned->column, planned->arguments, NULL, NULL);
    }
}

Plan plan_create(Arena *arena) {
    return (Plan){.arena = arena, .columns = map_create(arena)};
}

/* ---- points ---- */

static Bits draw_float(uint64_t *state, Type type) {
    static const double special[] = {0.0,   1.0,     -1.0,  2.0, 3.0,  0.5,  1e30,
                                     -1e30, 0x1p-24, 1e-30, 7.0, 10.0, -0.0, 0.1};
    uint64_t number = next_drawn(state), kind = number % 32;
    if (kind < 14)
        return bits_from_double(type, special[kind]);
    if (kind == 14)
        return bits_from_double(type, __builtin_nan(""));
    if (kind == 15)
        return bits_from_double(type, number & 64 ? __builtin_inf() : -__builtin_inf());
    return bits_from_double(type, ((double)(int64_t)(number >> 8) / 0x1p40) * 0.001);
}

static Bits draw_value(uint64_t *state, Type type) {
    if (type_is_float(type))
        return draw_float(state, type);
    uint64_t number = next_drawn(state);
    int64_t offset = (int64_t)(number >> 8 & 3);
    switch (number % 8) {
    case 0:
        return bits_wrap(type, (int64_t)((uint64_t)type_minimum(type) + (uint64_t)offset));
    case 1:
        return bits_wrap(type, (int64_t)((uint64_t)type_maximum(type) - (uint64_t)offset));
    case 2:
        return bits_wrap(type, (int64_t)(number >> 4));
    case 3:
        return bits_wrap(type, (int64_t)(number >> 8 & 15) - 8);
    case 4: /* near half of the type's range: products and sums begin to wrap there */
        return bits_wrap(type, (int64_t)((UINT64_C(1) << (type.bits - 1) / 2) + (uint64_t)offset));
    default: /* small, so that ties are frequent */
        return bits_wrap(type, (int64_t)(number >> 8 & 7) - 3);
    }
}

void plan_draw(uint64_t *state, Type type, Bits *column) {
    for (int point = 0; point < BATCH; point++)
        column[point] = draw_value(state, type);
}

/* ---- questions ---- */

typedef struct Refutation {
    Plan plan;
    int arity, variables;
    Expr variable[VARIABLES];
    Bits *inputs[VARIABLES];
    Bits *left[ASSOCIATIVE_MAX], *right[ASSOCIATIVE_MAX];
} Refutation;

static void add_variable(Refutation *refutation, Expr variable) {
    refutation->variable[refutation->variables] = variable;
    refutation->inputs[refutation->variables++] = plan_column(&refutation->plan, variable);
}

/* Returns the first point at which some component differs; -1 for none. */
static int differing_point(Refutation *refutation, const Expr *x, int rounds) {
    uint64_t state = 1;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < refutation->variables; i++)
            plan_draw(&state, refutation->variable[i]->type, refutation->inputs[i]);
        plan_run(&refutation->plan, BATCH);
        for (int point = 0; point < BATCH; point++)
            for (int i = 0; i < refutation->arity; i++)
                if (!bits_same(x[i]->type, refutation->left[i][point], refutation->right[i][point]))
                    return point;
    }
    return -1;
}

/* The operator with other arguments. */
static void compose(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                    const Expr *operator, const Expr * for_x, const Expr *for_y, Expr *out) {
    Substitution substitution = substitution_create(arena);
    for (int i = 0; i < arity; i++) {
        substitution_add(&substitution, x[i]->name, for_x[i]);
        substitution_add(&substitution, y[i]->name, for_y[i]);
    }
    for (int i = 0; i < arity; i++)
        out[i] = substitution_apply(pool, &substitution, operator[i]);
}

static Expr third(Pool *pool, int element, Type type) {
    return expr_variable(pool, symbol_format(&pool->context->symbols, "z.%d", element), type);
}

typedef struct VariableSearch {
    Symbol name;
    Expr found;
} VariableSearch;

static void find_constant(void *data, Expr node) {
    VariableSearch *search = data;
    if (node->op == OP_VARIABLE && node->name == search->name)
        search->found = node;
}

static Expr constant_of(Arena *arena, int arity, const Expr *operator, Symbol name) {
    VariableSearch search = {name, NULL};
    for (int i = 0; i < arity && name; i++)
        expr_visit(arena, operator[i], find_constant, &search);
    return search.found;
}

void associative_sides(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                       const Expr *operator, Expr * left, Expr *right) {
    Expr z[ASSOCIATIVE_MAX], first[ASSOCIATIVE_MAX], second[ASSOCIATIVE_MAX];
    for (int i = 0; i < arity; i++)
        z[i] = third(pool, i, x[i]->type);
    compose(pool, arena, arity, x, y, operator, x, y, first);
    compose(pool, arena, arity, x, y, operator, y, z, second);
    compose(pool, arena, arity, x, y, operator, first, z, left);
    compose(pool, arena, arity, x, y, operator, x, second, right);
}

static Refutation refutation_create(Arena *arena, int arity, const Expr *left, const Expr *right) {
    Refutation refutation = {.plan = plan_create(arena), .arity = arity};
    for (int i = 0; i < arity; i++) {
        refutation.left[i] = plan_column(&refutation.plan, left[i]);
        refutation.right[i] = plan_column(&refutation.plan, right[i]);
    }
    return refutation;
}

bool refute_associative(Pool *pool, Arena *arena, int arity, const Expr *x, const Expr *y,
                        const Expr *operator, Symbol constant, int rounds,
                        Counterexample *counterexample) {
    Expr left[ASSOCIATIVE_MAX], right[ASSOCIATIVE_MAX];
    associative_sides(pool, arena, arity, x, y, operator, left, right);
    Refutation refutation = refutation_create(arena, arity, left, right);
    for (int i = 0; i < arity; i++) {
        add_variable(&refutation, x[i]);
        add_variable(&refutation, y[i]);
        add_variable(&refutation, third(pool, i, x[i]->type));
    }
    Expr k = constant_of(arena, arity, operator, constant);
    if (k)
        add_variable(&refutation, k);
    int point = differing_point(&refutation, x, rounds);
    if (point < 0)
        return false;
    *counterexample = (Counterexample){.has_constant = k != NULL};
    for (int i = 0; i < arity; i++) {
        counterexample->x[i] = refutation.inputs[3 * i][point];
        counterexample->y[i] = refutation.inputs[3 * i + 1][point];
        counterexample->z[i] = refutation.inputs[3 * i + 2][point];
        counterexample->left[i] = refutation.left[i][point];
        counterexample->right[i] = refutation.right[i][point];
    }
    if (k)
        counterexample->constant = refutation.inputs[3 * arity][point];
    return true;
}
