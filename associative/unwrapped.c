/* unwrapped.c -- operators that are associative over the integers, but not on a type that wraps,
 * such as max(min(k - x, y), x). Accepts them if intervals show that nothing wraps.
 *
 * The search is for a domain that contains the func's first value, the injected values, and the
 * operator of any two members, with no step outside the type. Inside the domain the machine's
 * arithmetic is integer arithmetic, for which associativity is then proved. The identity is an end
 * of the domain.
 */
#include "associative/internal.h"

#include "decide/decide.h"
#include "simplify/interval.h"

enum { ROUNDS = 4, DEPTH = 40 };

typedef struct ValueDomain {
    Recogniser *r;
    const Associativity *part;
    ConstantInterval interval;
    bool wraps; /* some step may leave the type, or is not supported */
} ValueDomain;

WideRange range_of_interval(Type type, ConstantInterval interval) {
    /* Intervals do not distinguish 64 unsigned bits from signed ones. */
    WideRange all = {type_minimum(type), type_maximum(type)};
    if (interval.has_minimum && interval.minimum > all.least)
        all.least = interval.minimum;
    if (interval.has_maximum && interval.maximum < all.most)
        all.most = interval.maximum;
    return all;
}

static bool is_understood(Expr expr) {
    switch (expr->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MUL:
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
        return true;
    case OP_SELECT:
        return expr->arguments[0]->arity > 0;
    default: /* any other operator */
        return false;
    }
}

static ConstantInterval interval_within(Type type, ConstantInterval interval) {
    return interval_intersect(interval_of_type(type), interval);
}

/* Returns the interval of the expression over the integers. */
static ConstantInterval interval_of(ValueDomain *d, Expr expr, int depth) {
    ConstantInterval arguments[OP_MAX_ARITY];
    if (expr == d->part->x[0] || expr == d->part->y[0])
        return d->interval;
    if (expr->op == OP_CONSTANT)
        return interval_point(expr->bits);
    if (expr->op == OP_VARIABLE)
        return interval_within(expr->type, simplify_interval(d->r->simplifier, expr));
    if (depth > DEPTH || !is_understood(expr)) {
        d->wraps = true;
        return interval_of_type(expr->type);
    }
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = interval_of(d, expr->arguments[i], depth + 1);
    if (type_is_bool(expr->type))
        return interval_of_type(BOOL);
    ConstantInterval interval = interval_apply((Op)expr->op, INDEX, arguments);
    d->wraps |= !interval_fits(interval, expr->type);
    return interval;
}

/* Grows the domain from the first value and the injected values; false if something may wrap. */
static bool find_domain(ValueDomain *d, Expr injected) {
    Type type = d->part->types[0];
    ConstantInterval known = simplify_interval(d->r->simplifier, injected);
    d->interval = interval_join(interval_within(type, d->r->update->initial[0]),
                                interval_within(type, known));
    for (int round = 0; round < ROUNDS; round++) {
        ConstantInterval result = interval_of(d, d->part->operator[0], 0);
        if (d->wraps)
            return false;
        if (result.minimum >= d->interval.minimum && result.maximum <= d->interval.maximum)
            return true;
        d->interval = interval_join(d->interval, result);
    }
    return false;
}

/* ---- over the integers ---- */

/* Numbers other than 0 and (for integers) 1 and -1 become unknowns, too: this claims more, and is
 * easier to decide. */
static Expr as_integer(Recogniser *r, Expr leaf) {
    if (leaf->op == OP_VARIABLE)
        return expr_variable(r->pool, leaf->name, INDEX);
    if (type_is_float(leaf->type) && bits_to_double(leaf->type, leaf->bits) == 0)
        return expr_index(r->pool, 0);
    if (!type_is_float(leaf->type) && leaf->bits >= -1 && leaf->bits <= 1)
        return expr_index(r->pool, leaf->bits);
    Symbol name =
        symbol_format(&r->pool->context->symbols, "c.%llu", (unsigned long long)leaf->bits);
    return expr_variable(r->pool, name, INDEX);
}

Expr integers_of(Recogniser *r, Expr expr) {
    if (expr->arity == 0)
        return type_is_bool(expr->type) ? expr : as_integer(r, expr);
    Expr arguments[OP_MAX_ARITY];
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = integers_of(r, expr->arguments[i]);
    return expr_apply(r->pool, (Op)expr->op, arguments);
}

static bool proves(Recogniser *r, Expr a, Expr b, const Exprs *facts) {
    Expr claim = simplify(r->simplifier, expr_eq(r->pool, a, b));
    return expr_is_true(claim) ||
           decide(r->pool, r->arena, claim, facts, DECIDE_ALONE).verdict == VERDICT_VALID;
}

static void find_identity_at_ends(Recogniser *r, const ValueDomain *d, Associativity *part, Expr x,
                                  Expr y, Expr operator) {
    int64_t ends[] = {d->interval.minimum, d->interval.maximum};
    Exprs within = {0};
    vec_push(r->arena, &within, expr_le(r->pool, expr_index(r->pool, ends[0]), x));
    vec_push(r->arena, &within, expr_le(r->pool, x, expr_index(r->pool, ends[1])));
    for (int i = 0; i < 2 && !part->has_identity; i++) {
        Expr applied =
            expr_substitute(r->pool, r->arena, operator, y->name, expr_index(r->pool, ends[i]));
        part->has_identity = proves(r, applied, x, &within);
        part->identity[0] = expr_constant(r->pool, part->types[0], ends[i]);
    }
}

bool prove_unwrapped(Recogniser *r, Associativity *part, Expr injected) {
    ValueDomain d = {.r = r, .part = part};
    if (part->arity != 1 || !r->update->initial || !injected ||
        !type_is_machine_integer(part->types[0]) || part->types[0].bits == 64 ||
        !find_domain(&d, injected))
        return false;
    Expr x = as_integer(r, part->x[0]), y = as_integer(r, part->y[0]);
    Expr operator= integers_of(r, part->operator[0]), left, right;
    associative_sides(r->pool, r->arena, 1, &x, &y, &operator, & left, &right);
    if (!proves(r, left, right, NULL))
        return false;
    Substitution turn = substitution_create(r->arena);
    substitution_add(&turn, x->name, y);
    substitution_add(&turn, y->name, x);
    Expr turned = substitution_apply(r->pool, &turn, operator);
    part->is_commutative = proves(r, operator, turned, NULL);
    find_identity_at_ends(r, &d, part, x, y, operator);
    return true;
}
