/* canonical.c -- brings updates into a form in which equal operators look alike. It runs after the
 * simplifier. It collects the terms free of x in each chain, and gives equivalent terms one form.
 *
 *   min(max(a, x), b) ..  chains of operands, those free of x joined as the last one
 *   max(x + a, x + b)     x + max(a, b), of reals
 *   x <= a (integers)     !(a < x)
 *   select(!c, a, b)      select(c, b, a)
 *   select(p && c, a, b)  select(p, select(c, a, b), b), where p is free of x; and so for ||
 *   select(a < b, a, b)   min(a, b), and so on
 *   sums and products     ring.c
 *   fma(a, b, c)          a*b + c
 *
 * On floats this applies only if reassociation is permitted; then `min` is that of the reals.
 * Otherwise nothing uses it.
 */
#include "associative/internal.h"

static bool is_idempotent(Op op) {
    return op == OP_MIN || op == OP_MAX || op == OP_BIT_AND || op == OP_BIT_OR || op == OP_AND ||
           op == OP_OR;
}

/* Returns the sum `b + max(a - b, 0)` of reals, or with min, if a - b is free of x; else null. */
static Expr common_sum(Recogniser *r, Op op, Expr a, Expr b) {
    Expr rest = ring_form(r, expr_sub(r->pool, a, b));
    if (!rest || has_x(r, rest))
        return NULL;
    Expr zero = pattern_number(r->pool, a->type, 0);
    return ring_form(r, expr_add(r->pool, b, expr_binary(r->pool, op, rest, zero)));
}

/* Joins the operands of a chain that differ by a term free of x. */
static void join_sums(Recogniser *r, Op op, Exprs *operands) {
    bool is_extreme = op == OP_MIN || op == OP_MAX;
    if (!is_extreme || !type_is_float(operands->data[0]->type))
        return;
    for (size_t i = 1; i < operands->length; i++)
        for (size_t j = 0; j < i; j++) {
            bool is_last = operands->data[i]->arity == 0; /* x + max(v, 0), of x and x + v */
            Expr a = operands->data[is_last ? j : i], b = operands->data[is_last ? i : j];
            Expr joined = has_x(r, a) && has_x(r, b) && a != b ? common_sum(r, op, a, b) : NULL;
            if (!joined)
                continue;
            operands->data[j] = joined;
            operands->data[i--] = operands->data[--operands->length];
            break;
        }
}

static Expr chain_form(Recogniser *r, Expr node) {
    Op op = (Op)node->op;
    Exprs operands = {0};
    chain_operands(r, op, node, &operands);
    join_sums(r, op, &operands);
    Expr rest = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < operands.length; i++) {
        Expr operand = operands.data[i];
        if (!has_x(r, operand)) {
            rest = rest ? expr_binary(r->pool, op, rest, operand) : operand;
            continue;
        }
        size_t j = kept;
        while (j > 0 && expr_compare(operand, operands.data[j - 1]) < 0)
            j--;
        if (is_idempotent(op) && j > 0 && operands.data[j - 1] == operand)
            continue;
        for (size_t k = kept; k > j; k--)
            operands.data[k] = operands.data[k - 1];
        operands.data[j] = operand;
        kept++;
    }
    if (kept && rest && op == OP_SATURATING_ADD && expr_is_constant(rest) && rest->bits == 0)
        rest = NULL; /* the simplifier has no such rule */
    Expr chain = operands.data[0];
    for (size_t i = 1; i < kept; i++)
        chain = expr_binary(r->pool, op, chain, operands.data[i]);
    return rest ? expr_binary(r->pool, op, chain, rest) : chain;
}

/* ---- conditions ---- */

static Expr separate_condition(Recogniser *r, Expr node) {
    Expr c = node->arguments[0], a = node->arguments[1], b = node->arguments[2];
    if (c->op == OP_NOT)
        return separate_condition(r, expr_select(r->pool, c->arguments[0], b, a));
    bool is_and = c->op == OP_AND;
    Expr parts[2] = {NULL, NULL}; /* free of x, and not */
    Exprs operands = {0};
    if (is_and || c->op == OP_OR)
        chain_operands(r, (Op)c->op, c, &operands);
    for (size_t i = 0; i < operands.length; i++) {
        Expr *part = &parts[has_x(r, operands.data[i])];
        *part = *part ? expr_binary(r->pool, (Op)c->op, *part, operands.data[i]) : operands.data[i];
    }
    if (!parts[0] || !parts[1])
        return node;
    Expr inner = expr_select(r->pool, parts[1], a, b);
    return expr_select(r->pool, parts[0], is_and ? inner : a, is_and ? b : inner);
}

static Expr separate(void *data, Pool *pool, Expr node) {
    Recogniser *r = data;
    (void)pool;
    return node->op == OP_SELECT && has_x(r, node->arguments[0]) ? separate_condition(r, node)
                                                                 : node;
}

Expr separate_conditions(Recogniser *r, Expr expr) {
    return expr_rewrite_alone(r->pool, r->arena, expr, separate, r);
}

static Expr not_form(Recogniser *r, Expr a) {
    return a->op == OP_NOT ? a->arguments[0] : expr_not(r->pool, a);
}

static Expr step(void *data, Pool *pool, Expr node);

static bool is_pair(Expr comparison, Expr a, Expr b) {
    return (comparison->arguments[0] == a && comparison->arguments[1] == b) ||
           (comparison->arguments[0] == b && comparison->arguments[1] == a);
}

/* `c` and the condition of `b` together distinguish the three orders of two integers. Returns the
 * one that is the order. */
static Expr order_of_three(Expr c, Expr b) {
    if (b->op != OP_SELECT)
        return NULL;
    Expr order = c->op == OP_LT ? c : b->arguments[0], other = order == c ? b->arguments[0] : c;
    if (order->op != OP_LT || type_is_float(order->arguments[0]->type) ||
        (other->op != OP_EQ && other->op != OP_LT) ||
        !is_pair(other, order->arguments[0], order->arguments[1]) || other == order)
        return NULL;
    return order;
}

/* Brings the three orders of two integers into one form: select(a < b, lesser, select(b < a,
 * greater, equal)), where a contains x if only one does. */
static Expr three_ways(Recogniser *r, Expr c, Expr a, Expr b) {
    Expr order = order_of_three(c, b);
    if (!order)
        return NULL;
    Expr inner = b->arguments[0], one = b->arguments[1], other = b->arguments[2];
    Expr lesser = order == c ? a : one; /* if the order's left side is less */
    Expr greater = inner->op == OP_LT && order == c ? one : other;
    Expr same = c->op == OP_EQ ? a : inner->op == OP_EQ ? one : other;
    Expr turned = expr_lt(r->pool, order->arguments[1], order->arguments[0]);
    if (!has_x(r, order->arguments[0]) && has_x(r, order->arguments[1]))
        return expr_select(r->pool, turned, greater, expr_select(r->pool, order, lesser, same));
    return expr_select(r->pool, order, lesser, expr_select(r->pool, turned, greater, same));
}

/* `select(a < b, ..)` between a and b is min or max. */
static Expr select_form(Recogniser *r, Expr node) {
    Expr c = node->arguments[0], a = node->arguments[1], b = node->arguments[2];
    if (a == b)
        return a;
    if (c->op == OP_NOT)
        return step(r, r->pool, expr_select(r->pool, c->arguments[0], b, a));
    Expr apart = separate_condition(r, node);
    if (apart != node) {
        Expr arms[2] = {step(r, r->pool, apart->arguments[1]),
                        step(r, r->pool, apart->arguments[2])};
        return step(r, r->pool, expr_select(r->pool, apart->arguments[0], arms[0], arms[1]));
    }
    if (c->op == OP_EQ && !type_is_float(a->type) &&
        ((c->arguments[0] == a && c->arguments[1] == b) ||
         (c->arguments[0] == b && c->arguments[1] == a)))
        return b;
    bool is_order = c->op == OP_LT || c->op == OP_LE;
    if (is_order && c->arguments[0] == a && c->arguments[1] == b)
        return chain_form(r, expr_min(r->pool, a, b));
    if (is_order && c->arguments[0] == b && c->arguments[1] == a)
        return chain_form(r, expr_max(r->pool, a, b));
    Expr ways = three_ways(r, c, a, b);
    return ways ? ways : node;
}

/* Floats stay unchanged unless reassociation is permitted. */
static bool is_closed(const Recogniser *r, Expr node) {
    bool of_floats = type_is_float(node->type);
    for (int i = 0; i < node->arity; i++)
        of_floats |= type_is_float(node->arguments[i]->type);
    return of_floats && !r->update->reassociation;
}

/* A node whose arguments are canonical. */
static Expr step(void *data, Pool *pool, Expr node) {
    Recogniser *r = data;
    if (!has_x(r, node) || is_closed(r, node))
        return node;
    bool is_number = node->arity > 0 && (type_is_machine_integer(node->arguments[0]->type) ||
                                         type_is_float(node->arguments[0]->type));
    switch (node->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG: {
        Expr form = is_number ? ring_form(r, node) : NULL;
        return form ? form : node;
    }
    case OP_FMA: { /* over the reals */
        Expr product = expr_mul(pool, node->arguments[0], node->arguments[1]);
        return step(r, pool, expr_add(pool, step(r, pool, product), node->arguments[2]));
    }
    case OP_NOT:
        return not_form(r, node->arguments[0]);
    case OP_BIT_NOT:
        return node->arguments[0]->op == OP_BIT_NOT ? node->arguments[0]->arguments[0] : node;
    case OP_LE:
        return is_number && !type_is_float(node->arguments[0]->type)
                   ? expr_not(pool, expr_lt(pool, node->arguments[1], node->arguments[0]))
                   : node;
    case OP_NE:
        return is_chain(node)
                   ? chain_form(r, node)
                   : expr_not(pool, expr_eq(pool, node->arguments[0], node->arguments[1]));
    case OP_SELECT:
        return select_form(r, node);
    default: /* any other operator */
        return is_chain(node) ? chain_form(r, node) : node;
    }
}

Expr canonical_form(Recogniser *r, Expr expr) {
    Expr known = map_get(&r->canonical, expr);
    if (!known) {
        known = expr_rewrite_alone(r->pool, r->arena, expr, step, r);
        map_put(&r->canonical, expr, known);
    }
    return known;
}
