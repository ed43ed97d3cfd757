/* counted.c -- sums of integers that cannot leave their type, by the size of each summand and the
 * number of iterations. Examples are the balance of parentheses and its minimum, the greatest sum
 * of a stretch, and the sum of what increases.
 *
 *     {f.0 + v, min(f.1, f.0 + v)}        is   {x.0 + y.0, min(x.1, x.0 + y.1)}
 *     max(f + v, f)                       is   x + y, of max(v, 0)
 *
 * The table has such operators for the reals, because on integers that wrap they are not
 * associative. The update is recognised as one of reals. Suppose that an entry computes it, and
 * consists only of minima, maxima and sums of a component of x and one of y. Then no component of
 * the result is further from 0 than the furthest of x plus the furthest of y. Each iteration
 * injects values of at most v in magnitude. So after n iterations every value is at most S = n*v
 * plus the first value of the func, in any grouping. If all sums of such numbers stay in the type,
 * they are sums of true integers, which are reals.
 *
 * Infinite components of the identity become 2*S or -2*S, more than any number that occurs. This
 * file proves them neutral, on both sides, for all numbers up to S. Such a component, injected by a
 * condition beside a number, may have drifted by up to S before it is added. At most two of them
 * are added. So 6*S must stay in the type.
 */
#include "associative/internal.h"

#include "decide/decide.h"

enum { DEPTH = 60 };

/* The update as one of reals: a term that does not read the func is a variable. */
typedef struct Counted {
    Recogniser *r;
    const Elements *group;
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX]; /* of reals, by element */
    Exprs terms, variables;                      /* terms, and the variables in their place */
    Type type;
    __int128 furthest; /* 2*S */
    bool is_other;     /* something is of another kind */
} Counted;

/* ---- as reals ---- */

static Expr name_term(Counted *c, Expr term) {
    size_t number = exprs_add(c->r->arena, &c->terms, term);
    if (number == c->variables.length) {
        Symbol name = symbol_format(&c->r->pool->context->symbols, "t.%zu", number);
        vec_push(c->r->arena, &c->variables,
                 expr_variable(c->r->pool, name, type_is_bool(term->type) ? BOOL : F64));
    }
    return c->variables.data[number];
}

static Expr to_real(Counted *c, Expr expr, int depth) {
    bool is_bool = type_is_bool(expr->type);
    for (int i = 0; i < c->group->count; i++)
        if (expr == c->r->x[c->group->elements[i]])
            return c->x[c->group->elements[i]];
    c->is_other |= depth > DEPTH || (!is_bool && !type_equal(expr->type, c->type));
    if (c->is_other || !has_x(c->r, expr)) {
        bool is_number = expr_is_constant(expr) && !is_bool;
        return is_number ? expr_float(c->r->pool, F64, (double)expr->bits) : name_term(c, expr);
    }
    switch (expr->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_SELECT: {
        Expr arguments[OP_MAX_ARITY];
        for (int i = 0; i < expr->arity; i++)
            arguments[i] = to_real(c, expr->arguments[i], depth + 1);
        return c->is_other ? expr : expr_apply(c->r->pool, (Op)expr->op, arguments);
    }
    default: /* no sum, and no choice */
        c->is_other = true;
        return expr;
    }
}

/* ---- and back ---- */

static Expr from_number(Counted *c, Expr number) {
    double value = bits_to_double(F64, number->bits);
    c->is_other |= value < 0 && !type_is_signed(c->type);
    if (__builtin_isinf(value))
        return expr_constant(c->r->pool, c->type, (Bits)(value > 0 ? c->furthest : -c->furthest));
    c->is_other |= value < INT32_MIN || value > INT32_MAX || value != (double)(int32_t)value;
    return expr_constant(c->r->pool, c->type, c->is_other ? 0 : (Bits)value);
}

static Expr from_real(Counted *c, Expr expr) {
    for (int i = 0; i < c->r->update->arity; i++)
        if (expr == c->x[i] || expr == c->y[i])
            return expr == c->x[i] ? c->r->x[i] : c->r->y[i];
    for (size_t i = 0; i < c->variables.length; i++)
        if (expr == c->variables.data[i])
            return c->terms.data[i];
    if (expr->op == OP_CONSTANT && type_is_float(expr->type))
        return from_number(c, expr);
    Expr arguments[OP_MAX_ARITY];
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = from_real(c, expr->arguments[i]);
    return expr->arity ? expr_apply(c->r->pool, (Op)expr->op, arguments) : expr;
}

/* Minima and maxima of elements, and of sums of one of x and one of y? */
static bool is_of_sums(const Counted *c, Expr expr) {
    if (expr->arity == 0)
        return expr->op == OP_VARIABLE;
    Expr a = expr->arguments[0], b = expr->arity == 2 ? expr->arguments[1] : a;
    if (expr->op == OP_MIN || expr->op == OP_MAX)
        return is_of_sums(c, a) && is_of_sums(c, b);
    bool has[2] = {false, false};
    for (int i = 0; i < c->r->update->arity; i++) {
        has[0] |= a == c->x[i] || b == c->x[i];
        has[1] |= a == c->y[i] || b == c->y[i];
    }
    return expr->op == OP_ADD && has[0] && has[1];
}

/* ---- how far ---- */

static __int128 distance(ConstantInterval interval, Type type) {
    WideRange range = range_of_interval(type, interval);
    return -range.least > range.most ? -range.least : range.most;
}

static __int128 larger(__int128 a, __int128 b) {
    return a > b ? a : b;
}

/* Bounds the magnitude of the update's expression. Sets `is_other` if some sum leaves the type. */
static __int128 reach(Counted *c, Expr expr) {
    if (expr_is_constant(expr))
        return larger(expr->bits, -(__int128)expr->bits);
    if (!has_x(c->r, expr))
        return distance(simplify_interval(c->r->simplifier, expr), c->type);
    if (expr->op == OP_VARIABLE)
        return c->furthest;
    c->is_other |= !type_is_signed(c->type) && (expr->op == OP_SUB || expr->op == OP_NEG);
    int first = expr->op == OP_SELECT;
    __int128 a = reach(c, expr->arguments[first]),
             b = expr->arity > 1 ? reach(c, expr->arguments[first + 1]) : 0;
    if (first && has_x(c->r, expr->arguments[0])) {
        reach(c, expr->arguments[0]->arguments[0]);
        reach(c, expr->arguments[0]->arguments[1]);
    }
    if (expr->op != OP_ADD && expr->op != OP_SUB)
        return larger(a, b);
    c->is_other |= a + b > type_maximum(c->type);
    return a + b;
}

/* Bounds the magnitude of an injected value of reals. Sets `is_other` if an integer in its place, or
 * in that of a part, may not be the same number. */
static __int128 reach_of_real(Counted *c, Expr real) {
    if (real->arity == 0)
        return distance(simplify_interval(c->r->simplifier, from_real(c, real)), c->type);
    bool is_sum = real->op == OP_ADD || real->op == OP_SUB || real->op == OP_NEG;
    int first = real->op == OP_SELECT;
    c->is_other |= (!is_sum && !first && real->op != OP_MIN && real->op != OP_MAX) ||
                   (real->op != OP_ADD && is_sum && !type_is_signed(c->type));
    if (c->is_other)
        return 0;
    __int128 a = reach_of_real(c, real->arguments[first]),
             b = real->arity > 1 ? reach_of_real(c, real->arguments[first + 1]) : 0;
    __int128 most = is_sum ? a + b : larger(a, b);
    c->is_other |= most > type_maximum(c->type);
    return most;
}

/* Computes 2*S from the func's first value, the injected values, and the number of iterations.
 * False if a sum may leave the type. */
static bool find_furthest(Counted *c, const Found *of_reals, const Expr *values) {
    Recogniser *r = c->r;
    __int128 begins = 0, step = 0;
    for (int i = 0; i < c->group->count; i++) {
        int element = c->group->elements[i];
        Expr injected = from_real(c, of_reals->injected[element]);
        reach_of_real(c, of_reals->injected[element]);
        begins = larger(begins, distance(r->update->initial[element], c->type));
        step = larger(step, distance(simplify_interval(r->simplifier, injected), c->type));
    }
    c->furthest = 2 * (begins + step * r->update->iterations);
    if (r->update->iterations <= 0 || 3 * c->furthest > type_maximum(c->type)) {
        r->near_miss = "its integers may wrap, and only sums that do not are associative here: "
                       "few enough iterations, which `require` or a parameter's range may say, "
                       "or a wider type keep them from it";
        return false;
    }
    for (int i = 0; i < c->group->count; i++)
        reach(c, values[c->group->elements[i]]);
    return !c->is_other;
}

/* ---- the identity ---- */

/* Returns the operator's component as a term of integers. */
static Expr to_index(Counted *c, Expr expr) {
    if (expr->op == OP_CONSTANT)
        return expr_index(c->r->pool, expr->bits);
    if (expr->op == OP_VARIABLE)
        return expr_variable(c->r->pool, expr->name, INDEX);
    Expr arguments[OP_MAX_ARITY];
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = to_index(c, expr->arguments[i]);
    return expr_apply(c->r->pool, (Op)expr->op, arguments);
}

/* Is the identity neutral in place of these variables, up to S? */
static bool is_neutral(Counted *c, const Found *found, const Expr *at, const Expr *others) {
    Recogniser *r = c->r;
    Exprs facts = {0};
    int64_t most = (int64_t)(c->furthest / 2);
    for (int i = 0; i < c->group->count; i++) {
        int element = c->group->elements[i];
        Expr other = to_index(c, others[element]);
        vec_push(r->arena, &facts, expr_le(r->pool, expr_index(r->pool, -most), other));
        vec_push(r->arena, &facts, expr_le(r->pool, other, expr_index(r->pool, most)));
    }
    for (int i = 0; i < c->group->count; i++) {
        int element = c->group->elements[i];
        Expr merged = with_elements(r, c->group, at, found->identity, found->operator[element]);
        Expr claim = expr_eq(r->pool, to_index(c, merged), to_index(c, others[element]));
        if (decide(r->pool, r->arena, claim, &facts, DECIDE_ALONE).verdict != VERDICT_VALID)
            return false;
    }
    return true;
}

/* Is the operator of two identities the identity again? */
static bool is_idempotent(Counted *c, const Found *found) {
    Recogniser *r = c->r;
    for (int i = 0; i < c->group->count; i++) {
        int element = c->group->elements[i];
        Expr one = with_elements(r, c->group, r->x, found->identity, found->operator[element]);
        Expr both = with_elements(r, c->group, r->y, found->identity, one);
        if (simplify(r->simplifier, both) != found->identity[element])
            return false;
    }
    return true;
}

/* ---- all of it ---- */

/* Recognises the update of the group as one of reals; other components do not change. */
static bool recognise_reals(Counted *c, const Expr *values, uint32_t elements, Found *found) {
    Expr reals[ASSOCIATIVE_MAX];
    Type types[ASSOCIATIVE_MAX];
    for (int i = 0; i < c->r->update->arity; i++) {
        types[i] = F64;
        reals[i] = c->x[i] = associative_x(c->r->pool, i, F64);
        c->y[i] = associative_y(c->r->pool, i, F64);
    }
    for (int i = 0; i < c->group->count && !c->is_other; i++)
        reals[c->group->elements[i]] = to_real(c, values[c->group->elements[i]], 0);
    Symbol *names = arena_array(c->r->arena, Symbol, c->variables.length + 1);
    for (size_t i = 0; i < c->variables.length; i++)
        names[i] = c->variables.data[i]->name;
    AssociativeUpdate update = {.arity = c->r->update->arity,
                                .types = types,
                                .values = reals,
                                .reduction = names,
                                .reduction_count = (int)c->variables.length,
                                .reassociation = true};
    if (c->is_other)
        return false;
    Recogniser r = recogniser_create(c->r->pool, c->r->arena, &update);
    bool is_found = recognise_group(&r, reals, elements, found) ||
                    recognise_from_identity(&r, reals, elements, found);
    for (int i = 0; i < c->group->count && is_found; i++)
        is_found = is_of_sums(c, found->operator[c->group->elements[i]]);
    return is_found && found->has_identity;
}

bool recognise_counted(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    Counted c = {.r = r, .group = &group, .type = r->update->types[group.elements[0]]};
    Found of_reals;
    Expr own[ASSOCIATIVE_MAX];
    if (r->as_written || !r->update->initial || !type_is_machine_integer(c.type))
        return false;
    if (!type_is_signed(c.type) && c.type.bits == 64)
        return false; /* its intervals cannot be distinguished from signed ones */
    for (int i = 0; i < group.count; i++) {
        own[group.elements[i]] = canonical_form(r, values[group.elements[i]]);
        c.is_other |= !type_equal(r->update->types[group.elements[i]], c.type);
    }
    if (!recognise_reals(&c, own, elements, &of_reals) || !find_furthest(&c, &of_reals, own))
        return false;
    *found = of_reals;
    for (int i = 0; i < group.count; i++) {
        int element = group.elements[i];
        found->operator[element] = from_real(&c, of_reals.operator[element]);
        found->identity[element] = from_real(&c, of_reals.identity[element]);
        found->injected[element] = from_real(&c, of_reals.injected[element]);
    }
    return !c.is_other && is_idempotent(&c, found) && is_neutral(&c, found, r->x, r->y) &&
           is_neutral(&c, found, r->y, r->x);
}
