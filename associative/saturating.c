/* saturating.c -- sums that stop at a limit: min(f + v, k), with v never negative, and max(f - v,
 * -k).
 *
 * For nonnegative integers x, y, z both min(min(x + y, k) + z, k) and min(x + min(y + z, k), k) are
 * min(x + y + z, k). So the operator is associative, it commutes, and 0 is neutral for values up to
 * k. Intervals show that the machine's numbers are such integers. The func begins between 0 and k,
 * and stays there. No step of the update leaves the type, nor does the sum of two partial results,
 * which are also at most k. If that sum might leave the type, unsigned numbers are added by
 * `saturating_add`, which stops at the end of the type: not before k. With opposite signs, the same
 * holds for max and a k that is not positive.
 *
 * A choice, such as select(f > k - v, k, f + v), is proved equal to such a min by the decision tier.
 * The sum may wrap if k is the greatest number of the type: select(f + v < f, 255, f + v). Then the
 * update is proved equal to saturating_add(f, v), and any first value will do.
 */
#include "associative/internal.h"

#include "decide/decide.h"

typedef struct Saturating {
    Recogniser *r;
    Expr x, limit;
    Op op; /* OP_MIN, OP_MAX */
} Saturating;

/* ---- terms ---- */

/* Returns the summand added to x; null for other sums. */
static Expr added(Saturating *s, Expr sum) {
    Expr rest = simplify(s->r->simplifier, expr_sub(s->r->pool, sum, s->x));
    return has_x(s->r, rest) ? NULL : rest;
}

/* All iterations stop at the same limit. */
static bool agrees(Saturating *s, Op op, Expr limit) {
    if (!s->limit) {
        s->limit = limit;
        s->op = op;
    }
    return s->limit == limit && s->op == op;
}

static bool is_limit(const Saturating *s, Expr limit) {
    return !has_x(s->r, limit) && is_the_same_always(s->r, limit) && !expr_has_access(limit);
}

/* min(x + v, limit). */
static Expr clamped_term(Saturating *s, Expr update) {
    if ((update->op != OP_MIN && update->op != OP_MAX) || !has_x(s->r, update->arguments[0]))
        return NULL;
    Expr limit = update->arguments[1], term = added(s, update->arguments[0]);
    return term && is_limit(s, limit) && agrees(s, (Op)update->op, limit) ? term : NULL;
}

/* ---- intervals ---- */

/* Negates the range if the limit is below, so everything is as with min. */
static WideRange turned(const Saturating *s, WideRange reach) {
    return s->op == OP_MIN ? reach : (WideRange){-reach.most, -reach.least};
}

static WideRange range_of_expr(const Saturating *s, Expr expr) {
    return turned(s, range_of_interval(s->x->type, simplify_interval(s->r->simplifier, expr)));
}

/* Is the summand never negative, and does it stay in the type? */
static bool stays_within(Saturating *s, Expr term) {
    WideRange type = turned(s, range_of_interval(s->x->type, (ConstantInterval){0}));
    WideRange limit = range_of_expr(s, s->limit), step = range_of_expr(s, term);
    if (step.least < 0)
        s->r->near_miss = s->op == OP_MIN
                              ? "what is added up to a limit may be negative: say in the update's "
                                "condition that it is not, or keep the sum of it beside, {f.0 + v, "
                                "min(f.1 + v, k)}"
                              : "what is taken away down to a limit may be negative: say in the "
                                "update's condition that it is not, or keep the sum of it beside, "
                                "{f.0 - v, max(f.1 - v, k)}";
    return step.least >= 0 && limit.most + step.most <= type.most;
}

/* ---- selects ---- */

typedef struct ConstantSearch {
    Type type;
    Expr found[8];
    int count;
} ConstantSearch;

static void find_constants(void *data, Expr node) {
    ConstantSearch *constants = data;
    enum { ROOM = sizeof constants->found / sizeof *constants->found };
    if (node->op == OP_CONSTANT && type_equal(node->type, constants->type) &&
        constants->count < ROOM)
        constants->found[constants->count++] = node;
}

/* Does it equal `min(x + term, limit)` for all x from 0 to the limit? At the limit the result is
 * the limit, although the sum may leave the type; for smaller x no sum does. */
static bool is_clamped(Saturating *s, Expr update, Expr term, Expr limit, Op op) {
    Recogniser *r = s->r;
    Expr zero = pattern_number(r->pool, s->x->type, 0);
    Expr at_limit = expr_substitute(r->pool, r->arena, update, s->x->name, limit);
    Expr clamped = expr_binary(r->pool, op, expr_add(r->pool, s->x, term), limit);
    Expr ends[] = {op == OP_MIN ? zero : limit, op == OP_MIN ? limit : zero};
    __int128 last = (__int128)limit->bits + term->bits - (op == OP_MIN ? 1 : -1);
    if (last < type_minimum(s->x->type) || last > type_maximum(s->x->type) ||
        simplify(r->simplifier, at_limit) != limit)
        return false;
    FactMark mark = simplifier_mark(r->simplifier);
    simplifier_learn(r->simplifier, expr_le(r->pool, ends[0], s->x));
    simplifier_learn(r->simplifier, expr_le(r->pool, s->x, ends[1]));
    simplifier_learn(r->simplifier, expr_not(r->pool, expr_eq(r->pool, s->x, limit)));
    bool holds = decide_proves(r->simplifier, expr_eq(r->pool, update, clamped));
    simplifier_release(r->simplifier, mark);
    return holds;
}

/* Does it equal `min(x + term, limit)` for all x from 0 to the limit? */
static bool is_limited(Saturating *s, Expr update, Expr term, Expr limit, Op op) {
    Recogniser *r = s->r;
    Pool *pool = r->pool;
    WideRange range = range_of_interval(s->x->type, simplify_interval(r->simplifier, limit));
    if (op == OP_MIN ? range.most < 0 : range.least > 0)
        return false;
    Expr zero = pattern_number(pool, s->x->type, 0), sum = expr_add(pool, s->x, term);
    Expr claim = expr_eq(pool, update, expr_binary(pool, op, sum, limit));
    Exprs facts = {0};
    vec_push(r->arena, &facts, expr_le(pool, op == OP_MIN ? zero : limit, s->x));
    vec_push(r->arena, &facts, expr_le(pool, s->x, op == OP_MIN ? limit : zero));
    vec_push(r->arena, &facts,
             expr_le(pool, op == OP_MIN ? zero : term, op == OP_MIN ? term : zero));
    return decide(pool, r->arena, simplify(r->simplifier, claim), &facts, DECIDE_ALONE).verdict ==
           VERDICT_VALID;
}

/* Is it the greatest number of a type without sign? */
static bool is_end(const Saturating *s, Expr limit) {
    return limit->op == OP_CONSTANT && !type_is_signed(s->x->type) &&
           limit->bits == bits_wrap(s->x->type, -1);
}

/* Is it `saturating_add(x, term)` of numbers without sign? */
static bool is_saturating(Saturating *s, Expr update, Expr term) {
    Pool *pool = s->r->pool;
    Expr sum = expr_add(pool, expr_cast(pool, INDEX, s->x), expr_cast(pool, INDEX, term)),
         most = expr_index(pool, type_maximum(s->x->type));
    Expr claim = expr_eq(pool, expr_cast(pool, INDEX, update), expr_min(pool, sum, most));
    return decide(pool, s->r->arena, simplify(s->r->simplifier, claim), NULL, DECIDE_ALONE)
               .verdict == VERDICT_VALID;
}

/* Handles the form whose arms are the limit and the sum, such as select(x > 255 - v, 255, x + v).
 * The sum may leave a type whose end is the limit: then the update is no sum there. */
static Expr limited_term(Saturating *s, Expr update) {
    static const Op ops[] = {OP_MIN, OP_MAX};
    for (int i = 0; i < 4; i++) {
        Expr limit = update->arguments[1 + i % 2], sum = update->arguments[2 - i % 2];
        Expr term = has_x(s->r, sum) && is_limit(s, limit) ? added(s, sum) : NULL;
        if (term && i < 2 && is_end(s, limit) && is_saturating(s, update, term))
            return agrees(s, OP_MIN, limit) ? term : NULL;
        if (term && is_limited(s, update, term, limit, ops[i / 2]))
            return agrees(s, ops[i / 2], limit) && stays_within(s, term) ? term : NULL;
    }
    return NULL;
}

/* Handles the form with a select, such as select(x < 255, x + 1, x). */
static Expr chosen_term(Saturating *s, Expr update) {
    Recogniser *r = s->r;
    ConstantSearch constants = {.type = s->x->type};
    Expr zero = pattern_number(r->pool, s->x->type, 0);
    Expr term =
        simplify(r->simplifier, expr_substitute(r->pool, r->arena, update, s->x->name, zero));
    if (!expr_is_constant(term) || term == zero)
        return NULL;
    Op op = term->bits < 0 ? OP_MAX : OP_MIN;
    expr_visit(r->arena, update, find_constants, &constants);
    for (int i = 0; i < constants.count; i++)
        if (is_clamped(s, update, term, constants.found[i], op))
            return agrees(s, op, constants.found[i]) ? term : NULL;
    return NULL;
}

/* ---- cases ---- */

/* Returns the injected value, free of the func; null for other updates. */
static Expr injected_by(Saturating *s, Expr update) {
    Recogniser *r = s->r;
    if (update == s->x)
        return pattern_number(r->pool, s->x->type, 0);
    if (update->op == OP_SELECT && !has_x(r, update->arguments[0])) {
        Expr p = update->arguments[0], arms[2];
        for (int holds = 0; holds < 2; holds++) {
            FactMark mark = simplifier_mark(r->simplifier);
            simplifier_learn(r->simplifier, holds ? p : expr_not(r->pool, p));
            arms[holds] = injected_by(s, update->arguments[holds ? 1 : 2]);
            simplifier_release(r->simplifier, mark);
            if (!arms[holds])
                return NULL;
        }
        return expr_select(r->pool, p, arms[1], arms[0]);
    }
    Expr term = clamped_term(s, update);
    if (term)
        return stays_within(s, term) ? term : NULL;
    if (update->op != OP_SELECT)
        return NULL;
    term = limited_term(s, update);
    return term ? term : chosen_term(s, update);
}

bool recognise_saturating(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    int element = group.elements[0];
    Type type = r->update->types[element];
    Saturating s = {.r = r, .x = r->x[element]};
    *found = (Found){.has_identity = true, .commutes = true};
    if (r->as_written || group.count != 1 || !type_is_machine_integer(type))
        return false;
    if (!type_is_signed(type) && type.bits == 64)
        return false; /* its intervals cannot be distinguished from signed ones */
    Expr injected = injected_by(&s, canonical_form(r, values[element]));
    if (!injected || !s.limit)
        return false;
    found->identity[element] = pattern_number(r->pool, type, 0);
    found->injected[element] = injected;
    found->operator[element] = expr_binary(r->pool, OP_SATURATING_ADD, s.x, r->y[element]);
    if (s.op == OP_MIN && is_end(&s, s.limit))
        return true;
    if (!r->update->initial)
        return false;
    WideRange first = turned(&s, range_of_interval(type, r->update->initial[element]));
    WideRange limit = range_of_expr(&s, s.limit),
              ends = turned(&s, range_of_interval(type, (ConstantInterval){0}));
    bool is_plain = 2 * limit.most <= ends.most;
    if (first.least < 0 || first.most > limit.least || (!is_plain && type_is_signed(type))) {
        r->near_miss =
            first.least < 0 || first.most > limit.least
                ? "a sum that stops at a limit is factored where the func begins between 0 and "
                  "the limit: keep the sum of what is added beside it, {f.0 + v, "
                  "min(f.1 + v, k)}"
                : "the sum of two partial results may leave the type: a wider one holds it";
        return false;
    }
    Expr sum = is_plain ? expr_add(r->pool, s.x, r->y[element]) : found->operator[element];
    found->operator[element] = expr_binary(r->pool, s.op, sum, s.limit);
    return true;
}
