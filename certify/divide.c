/* divide.c -- quotients and remainders by what is not a constant, as splits and fuses by parameters
 * and by lengths leave them.
 *
 *     (n*q + r) / n  is q + r/n, and q where 0 <= r < n        with 0 < n
 *     (n*q + r) % n  is r % n,   and r where 0 <= r < n
 *
 * The conditions are proved from the context.  The dividend must show n*q as a product, which the
 * simplifier would multiply out where n is a sum: so this looks at goals as they were made.
 */
#include "certify/internal.h"

typedef struct Division {
    Discharge *discharge;
    Pool *pool;
    ProveUnder *prove;
    const void *data;
} Division;

/* A dividend as n*quotient + rest; `quotient` null: n does not occur. */
typedef struct Parted {
    Expr quotient, rest;
} Parted;

static Expr plus(Pool *pool, Expr sum, Expr term, bool negative) {
    Expr before = sum ? sum : expr_index(pool, 0);
    return negative ? expr_sub(pool, before, term) : sum ? expr_add(pool, sum, term) : term;
}

/* The other factor, where the term is n or n*factor. */
static Expr factor_of(Pool *pool, Expr term, Expr n) {
    if (term == n)
        return expr_index(pool, 1);
    if (term->op != OP_MUL || (term->arguments[0] != n && term->arguments[1] != n))
        return NULL;
    return term->arguments[term->arguments[0] == n];
}

static Parted take_apart(Discharge *discharge, Expr dividend, Expr n) {
    Parted parted = {NULL, NULL};
    Exprs plain = {0}, negative = {0};
    vec_push(discharge->arena, &plain, dividend);
    while (plain.length || negative.length) {
        bool is_negative = !plain.length;
        Exprs *from = is_negative ? &negative : &plain, *other = is_negative ? &plain : &negative;
        Expr term = from->data[--from->length];
        Expr factor = factor_of(discharge->pool, term, n);
        if (!factor && (term->op == OP_ADD || term->op == OP_SUB)) {
            vec_push(discharge->arena, from, term->arguments[0]);
            vec_push(discharge->arena, term->op == OP_ADD ? from : other, term->arguments[1]);
        } else {
            Expr *sum = factor ? &parted.quotient : &parted.rest;
            *sum = plus(discharge->pool, *sum, factor ? factor : term, is_negative);
        }
    }
    if (!parted.rest)
        parted.rest = expr_index(discharge->pool, 0);
    return parted;
}

static Expr divide_node(void *data, Pool *pool, Expr node) {
    const Division *division = data;
    int64_t constant;
    bool divides = node->op == OP_DIV || node->op == OP_MOD;
    if (!divides || !type_is_index(node->type) ||
        expr_constant_integer(node->arguments[1], &constant))
        return node;
    Expr n = node->arguments[1], zero = expr_index(pool, 0);
    Parted parted = take_apart(division->discharge, node->arguments[0], n);
    Expr rest = parted.rest;
    if (!parted.quotient)
        return node;
    bool positive = division->prove(division->data, expr_lt(pool, zero, n));
    bool is_rest = positive && division->prove(division->data, expr_le(pool, zero, rest)) &&
                   division->prove(division->data, expr_lt(pool, rest, n));
    if (node->op == OP_MOD)
        return is_rest ? rest : expr_mod(pool, rest, n);
    if (!positive)
        return node;
    return is_rest ? parted.quotient : expr_add(pool, parted.quotient, expr_div(pool, rest, n));
}

Expr divide_out(Discharge *discharge, Expr goal, ProveUnder *prove, const void *data) {
    Division division = {discharge, discharge->pool, prove, data};
    ExprMemo memo = expr_memo(discharge->arena);
    return expr_rewrite(discharge->pool, &memo, goal, divide_node, &division);
}
