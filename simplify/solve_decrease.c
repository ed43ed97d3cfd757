/* solve_decrease.c -- checks that each application of a solver rule decreases the solver's
 * reduction order (solve_order.h) on the actual terms, in sanitized builds and in the tests.
 *
 * A difference counts as the sum a + b*-1, as in rules. The later normal form of the rule's result
 * is not measured.
 */
#include "simplify/solve_order.h"
#include "simplify/solver.h"

#define BEYOND UINT64_MAX

typedef struct SolveMeasuring {
    const EquationSolver *solver;
    SolveComponent component;
    uint64_t *values; /* by node number */
    Vec(bool) leaves; /* in order: is it the target? */
} SolveMeasuring;

static uint64_t combine(uint64_t a, uint64_t b, bool product) {
    uint64_t result;
    bool beyond =
        product ? __builtin_mul_overflow(a, b, &result) : __builtin_add_overflow(a, b, &result);
    return beyond ? BEYOND : result;
}

/* Is `-b` written as a product that b is not? */
static bool needs_product(Expr b) {
    return !expr_is_constant(b) && !(b->op == OP_MUL && expr_is_constant(b->arguments[1]));
}

static uint64_t value_of(const SolveMeasuring *m, Expr node) {
    bool is_bool = type_is_bool(node->type);
    if (node == m->solver->target)
        return (uint64_t)solve_order_target(m->component);
    if (!solver_mentions(m->solver, node))
        return (uint64_t)solve_order_free(m->component, is_bool);
    Expr last = node->arguments[node->arity - 1];
    int op = node->op == OP_SUB ? OP_ADD : node->op == OP_NEG ? OP_MUL : node->op;
    SolveWeights weights = solve_order_weights(m->component, op, type_is_bool(last->type), is_bool);
    uint64_t value = weights.product ? 1 : 0;
    for (int i = 0; i < node->arity; i++)
        value = combine(value, m->values[node->arguments[i]->number], weights.product);
    if (weights.product)
        return value;
    if (node->op == OP_SUB && solver_mentions(m->solver, last) && needs_product(last))
        value =
            combine(value, (uint64_t)solve_order_weights(m->component, OP_MUL, 0, 0).weight, false);
    return combine((uint64_t)weights.weight, combine(value, (uint64_t)weights.factor, true), false);
}

static void measure(void *data, Expr node) {
    SolveMeasuring *m = data;
    m->values[node->number] = value_of(m, node);
}

/* Lists the leaves of the tree, in order, up to the last one that matters. */
static void list_leaves(SolveMeasuring *m, Expr expr) {
    enum { MOST_LEAVES = 4096 };
    Exprs stack = {0};
    vec_push(m->solver->arena, &stack, expr);
    while (stack.length && m->leaves.length < MOST_LEAVES) {
        Expr top = stack.data[--stack.length];
        if (!top->arity)
            vec_push(m->solver->arena, &m->leaves, top == m->solver->target);
        for (int i = top->arity - 1; i >= 0; i--)
            vec_push(m->solver->arena, &stack, top->arguments[i]);
    }
}

static bool is_further_left(SolveMeasuring *before, SolveMeasuring *after, Expr a, Expr b) {
    list_leaves(before, a);
    list_leaves(after, b);
    for (size_t i = 0; i < before->leaves.length && i < after->leaves.length; i++)
        if (before->leaves.data[i] != after->leaves.data[i])
            return after->leaves.data[i];
    return false;
}

bool solve_decrease_holds(const EquationSolver *s, Expr before, Expr after) {
    uint32_t most = before->number > after->number ? before->number : after->number;
    SolveMeasuring m = {.solver = s, .values = arena_array(s->arena, uint64_t, most + 1)},
                   other = m;
    for (int c = 0; c < SOLVE_LEFT; c++) {
        m.component = (SolveComponent)c;
        expr_visit(s->arena, before, measure, &m);
        expr_visit(s->arena, after, measure, &m);
        uint64_t a = m.values[before->number], b = m.values[after->number];
        if (a == BEYOND || b == BEYOND)
            return true; /* unknown: terms this large pass */
        if (a != b)
            return b < a;
    }
    return is_further_left(&m, &other, before, after);
}

void solve_decrease_check(const EquationSolver *s, const Rule *rule, Expr before, Expr after) {
    if (solve_decrease_holds(s, before, after))
        return;
    rule_print_application(stderr, rule, before, after);
    hlc_assert(false, "what a rule of the solver makes is less than what it matched");
}
