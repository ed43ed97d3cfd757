/* divide.c -- quotients, remainders and multiples of terms that are not constant, as splits and
 * fuses by parameters and by lengths leave them.
 *
 *     (n*q + r) / n  is q + r/n, and q where 0 <= r < n        with 0 < n
 *     (n*q + r) % n  is r % n,   and r where 0 <= r < n
 *     0 <= n*q + r   holds where 0 <= q and 0 <= r, or 1 <= q and 0 <= n + r        with 0 <= n
 *     0 <= r - a/n   holds where a < n*(r + 1)                                      with 0 < n
 *     0 <= r + a/n   holds where n*-r <= a                                          with 0 < n
 *
 * A fused loop needs the third one: x + n*y < n*h if 0 <= x < n and y < h, since the difference of
 * the two sides is n*(h - y) - x.
 *
 * The conditions are proved from the context.  A term must show n*q as a product, which the
 * simplifier would multiply out if n is a sum.  So this file looks at goals before they are
 * simplified. */
#include "checkers/certify/internal.h"

enum { MOST_UNKNOWNS = 4 };

typedef struct DivideOut {
    Discharge *discharge;
    Pool *pool;
    ProveUnder *prove;
    const void *data;
    const ContextFact *context; /* the part that is not yet in `facts` */
    Exprs facts;
} DivideOut;

static bool proves(const DivideOut *division, Expr condition) {
    return division->prove(division->data, condition);
}

/* A dividend as n*quotient + rest; `quotient` null: n does not occur. */
typedef struct Parted {
    Expr quotient, rest;
} Parted;

static Expr plus(Pool *pool, Expr sum, Expr term, bool negative) {
    Expr before = sum ? sum : expr_index(pool, 0);
    return negative ? expr_sub(pool, before, term) : sum ? expr_add(pool, sum, term) : term;
}

/* Returns the other factor if the term is n or n*factor. */
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

/* Is least <= n*quotient + rest? */
static bool is_least(DivideOut *division, Expr n, Parted parted, int64_t least) {
    Pool *pool = division->pool;
    Expr zero = expr_index(pool, 0), end = expr_index(pool, least);
    if (!proves(division, expr_le(pool, zero, n)))
        return false;
    if (proves(division, expr_lt(pool, zero, parted.quotient)))
        return proves(division, expr_le(pool, end, expr_add(pool, n, parted.rest)));
    return proves(division, expr_le(pool, zero, parted.quotient)) &&
           proves(division, expr_le(pool, end, parted.rest));
}

/* The terms by which a comparison may be taken apart: factors, and quotients. */
typedef struct Unknowns {
    DivideOut *division;
    Exprs factors, quotients;
} Unknowns;

static void collect_unknowns(void *data, Expr node) {
    Unknowns *unknowns = data;
    Arena *arena = unknowns->division->discharge->arena;
    int64_t constant;
    for (int a = 0; node->op == OP_MUL && a < 2; a++)
        if (!expr_constant_integer(node->arguments[a], &constant))
            vec_push(arena, &unknowns->factors, node->arguments[a]);
    if (node->op == OP_DIV && !expr_constant_integer(node->arguments[1], &constant))
        vec_push(arena, &unknowns->quotients, node);
}

static Unknowns unknowns_of(DivideOut *division, Expr expr) {
    Unknowns unknowns = {.division = division};
    expr_visit(division->discharge->arena, expr, collect_unknowns, &unknowns);
    return unknowns;
}

/* Proves least <= difference by its multiples. */
static bool is_least_of_multiples(DivideOut *division, Expr difference, int64_t least) {
    Exprs factors = unknowns_of(division, difference).factors;
    for (size_t i = 0; i < factors.length && i < MOST_UNKNOWNS; i++) {
        Parted parted = take_apart(division->discharge, difference, factors.data[i]);
        if (parted.quotient && is_least(division, factors.data[i], parted, least))
            return true;
    }
    return false;
}

/* Returns the comparisons in the context. */
static const Exprs *facts_of(DivideOut *division) {
    for (; division->context; division->context = division->context->before) {
        Exprs parts = {0};
        goal_parts(division->discharge->arena, division->context->condition, &parts);
        for (size_t i = 0; i < parts.length; i++)
            if ((parts.data[i]->op == OP_LT || parts.data[i]->op == OP_LE) &&
                type_is_index(parts.data[i]->arguments[0]->type))
                vec_push(division->discharge->arena, &division->facts, parts.data[i]);
    }
    return &division->facts;
}

/* Proves 0 < n.  It also holds where a loop of n*length iterations runs: if n were 0, a fact
 * a < n*q + r would say 0 < r - a, which does not hold. */
static bool is_positive(DivideOut *division, Expr n) {
    Pool *pool = division->pool;
    Expr zero = expr_index(pool, 0);
    if (proves(division, expr_lt(pool, zero, n)))
        return true;
    if (!proves(division, expr_le(pool, zero, n)))
        return false;
    const Exprs *facts = facts_of(division);
    for (size_t i = 0; i < facts->length; i++) {
        const Expr *ends = facts->data[i]->arguments;
        if (facts->data[i]->op != OP_LT)
            continue;
        Parted parted = take_apart(division->discharge, expr_sub(pool, ends[1], ends[0]), n);
        if (parted.quotient && proves(division, expr_le(pool, parted.rest, zero)))
            return true;
    }
    return false;
}

/* Proves a < multiple, or multiple <= a.  If the context says a < end, end <= multiple is enough:
 * the end of a fused loop is a multiple of n, too. */
static bool is_bounded(DivideOut *division, Expr a, Expr multiple, bool is_upper) {
    Pool *pool = division->pool;
    if (proves(division, is_upper ? expr_lt(pool, a, multiple) : expr_le(pool, multiple, a)))
        return true;
    const Exprs *facts = facts_of(division);
    for (size_t i = 0; i < facts->length; i++) {
        const Expr *ends = facts->data[i]->arguments;
        if (facts->data[i]->op != (is_upper ? OP_LT : OP_LE) || ends[!is_upper] != a)
            continue;
        Expr more = expr_sub(pool, is_upper ? multiple : ends[0], is_upper ? ends[1] : multiple);
        if (is_least_of_multiples(division, more, 0))
            return true;
    }
    return false;
}

/* Proves least <= difference by a quotient that is added or subtracted. */
static bool is_least_of_quotients(DivideOut *division, Expr difference, int64_t least) {
    Pool *pool = division->pool;
    Exprs quotients = unknowns_of(division, difference).quotients;
    for (size_t i = 0; i < quotients.length && i < MOST_UNKNOWNS; i++) {
        Expr a = quotients.data[i]->arguments[0], n = quotients.data[i]->arguments[1];
        Parted parted = take_apart(division->discharge, difference, quotients.data[i]);
        int64_t sign;
        if (!parted.quotient || !expr_constant_integer(parted.quotient, &sign) ||
            (sign != 1 && sign != -1) || !is_positive(division, n))
            continue;
        Expr limit = sign < 0 ? expr_sub(pool, parted.rest, expr_index(pool, least - 1))
                              : expr_sub(pool, expr_index(pool, least), parted.rest);
        Expr multiple = expr_mul(pool, n, simplify(division->discharge->simplifier, limit));
        if (is_bounded(division, a, multiple, sign < 0))
            return true;
    }
    return false;
}

static Expr compare_node(DivideOut *division, Expr node) {
    Expr difference = expr_sub(division->pool, node->arguments[1], node->arguments[0]);
    int64_t least = node->op == OP_LT;
    return is_least_of_multiples(division, difference, least) ||
                   is_least_of_quotients(division, difference, least)
               ? expr_bool(division->pool, true)
               : node;
}

static Expr divide_node(void *data, Pool *pool, Expr node) {
    DivideOut *division = data;
    int64_t constant;
    bool divides = node->op == OP_DIV || node->op == OP_MOD;
    if ((node->op == OP_LE || node->op == OP_LT) && type_is_index(node->arguments[0]->type))
        return compare_node(division, node);
    if (!divides || !type_is_index(node->type) ||
        expr_constant_integer(node->arguments[1], &constant))
        return node;
    Expr n = node->arguments[1], zero = expr_index(pool, 0);
    Parted parted = take_apart(division->discharge, node->arguments[0], n);
    Expr rest = parted.rest;
    if (!parted.quotient)
        return node;
    bool positive = proves(division, expr_lt(pool, zero, n));
    bool is_rest = positive && proves(division, expr_le(pool, zero, rest)) &&
                   proves(division, expr_lt(pool, rest, n));
    if (node->op == OP_MOD)
        return is_rest ? rest : expr_mod(pool, rest, n);
    if (!positive)
        return node;
    return is_rest ? parted.quotient : expr_add(pool, parted.quotient, expr_div(pool, rest, n));
}

Expr divide_out(Discharge *discharge, Expr goal, const ContextFact *context, ProveUnder *prove,
                const void *data) {
    DivideOut division = {discharge, discharge->pool, prove, data, context, {0}};
    ExprMemo memo = expr_memo(discharge->arena);
    return expr_rewrite(discharge->pool, &memo, goal, divide_node, &division);
}
