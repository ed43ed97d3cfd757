/* chosen.c -- updates that keep the first or the last match of all iterations, with a mark for "no
 * match yet".
 *
 *   last    if p: f <- {v, w}            {select(y.0 == none, x.0, y.0), select(y.0 == none, ..)}
 *           `none` is a value that v never has; the injected value is v if p holds, else none
 *   first   if f.0 < 0 && p: f <- v      select(x.0 == -1, y.0, x.0)
 *           f begins with -1, and v is not negative: -1 means that nothing was found
 *
 * Both operators select all of x or all of y by a condition on one of them. So they are associative
 * for all values (prove.c), and the identity is neutral for all values. It remains to show that the
 * update equals the operator with the injected value, for all values that occur: those that the
 * update makes from the func's first value and from the identity.
 *
 *   last    p and the new value are free of the func; if p does not hold, nothing changes
 *   first   the identity is the first value, and the injected value is the update of it. The only
 *           values that occur are this one, and tuples whose component 0 is on one side of it
 *           (`side`). The update leaves those unchanged, and makes only such tuples from the first
 *           value
 *
 * A func of one component that is only set to one constant holds this constant or its first value.
 * The operator is then the maximum or the minimum of both, which commutes.
 */
#include "associative/internal.h"

#include "decide/decide.h"

/* ---- the last one ---- */

/* When a component is set, and to which value. */
typedef struct ConditionalSetting {
    Expr condition, value; /* free of the func; value null: never set */
} ConditionalSetting;

static bool find_setting(Recogniser *r, Expr x, Expr update, ConditionalSetting *out);

static bool find_setting_in_cases(Recogniser *r, Expr x, Expr update, ConditionalSetting *out) {
    Expr p = update->arguments[0];
    ConditionalSetting cases[2];
    if (has_x(r, p) || !find_setting(r, x, update->arguments[1], &cases[1]) ||
        !find_setting(r, x, update->arguments[2], &cases[0]))
        return false;
    out->condition = expr_or(r->pool, expr_and(r->pool, p, cases[1].condition),
                             expr_and(r->pool, expr_not(r->pool, p), cases[0].condition));
    if (cases[0].value && cases[1].value)
        out->value = expr_select(r->pool, p, cases[1].value, cases[0].value);
    else
        out->value = cases[1].value ? cases[1].value : cases[0].value;
    return true;
}

static bool find_setting(Recogniser *r, Expr x, Expr update, ConditionalSetting *out) {
    bool is_or = update->op == OP_OR;
    if (update == x) {
        *out = (ConditionalSetting){expr_bool(r->pool, false), NULL};
        return true;
    }
    if (!has_x(r, update)) {
        *out = (ConditionalSetting){expr_bool(r->pool, true), update};
        return true;
    }
    if (update->op == OP_SELECT)
        return find_setting_in_cases(r, x, update, out);
    if ((!is_or && update->op != OP_AND) || update->arguments[0] != x ||
        has_x(r, update->arguments[1]))
        return false;
    Expr rest = update->arguments[1]; /* x || rest is true if rest is */
    *out = (ConditionalSetting){is_or ? rest : expr_not(r->pool, rest), expr_bool(r->pool, is_or)};
    return true;
}

/* Returns a constant that the value never equals, preferably the func's first value; null: none
 * known. */
static Expr spare_value(Recogniser *r, int element, Expr value) {
    Type type = value->type;
    if (type_is_bool(type))
        return expr_is_constant(value) ? expr_bool(r->pool, !value->bits) : NULL;
    if (!type_is_machine_integer(type))
        return NULL;
    Expr first = r->update->first ? r->update->first[element] : NULL;
    Expr tried[] = {first, pattern_number(r->pool, type, -1), pattern_number(r->pool, type, 0),
                    pattern_end(r->pool, type, false), pattern_end(r->pool, type, true)};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i] && expr_is_constant(tried[i]) &&
            decide_proves(r->simplifier, expr_not(r->pool, expr_eq(r->pool, value, tried[i]))))
            return tried[i];
    return NULL;
}

static bool keeps_last(Recogniser *r, const Expr *values, const Elements *group, Found *found) {
    ConditionalSetting settings[ASSOCIATIVE_MAX];
    int flag = -1;
    Expr none = NULL, condition = NULL;
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        Expr update = canonical_form(r, values[element]);
        if (!find_setting(r, r->x[element], update, &settings[i]) || !settings[i].value)
            return false;
        Expr own = simplify(r->simplifier, settings[i].condition);
        condition = condition ? condition : own;
        if (own != condition || expr_is_constant(own))
            return false;
    }
    for (int i = 0; i < group->count && !none; i++) {
        flag = group->elements[i];
        none = spare_value(r, flag, settings[i].value);
    }
    if (!none) {
        r->near_miss = "where its condition does not hold nothing is set, and no value is known "
                       "that is never set, to say so: keep a flag beside it, {true, ..} from "
                       "{false, ..}";
        return false;
    }
    Expr is_none = simplify(r->simplifier, expr_eq(r->pool, r->y[flag], none));
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        Expr zero = pattern_number(r->pool, r->update->types[element], 0);
        found->identity[element] = element == flag ? none : zero;
        found->operator[element] = expr_select(r->pool, is_none, r->x[element], r->y[element]);
        found->injected[element] =
            expr_select(r->pool, condition, settings[i].value, found->identity[element]);
    }
    return true;
}

/* ---- the first one ---- */

enum { LESS, GREATER, OTHER, SIDES };

static Expr on_side(Pool *pool, int side, Expr value, Expr first) {
    return side == LESS      ? expr_lt(pool, value, first)
           : side == GREATER ? expr_lt(pool, first, value)
                             : expr_not(pool, expr_eq(pool, value, first));
}

static bool is_left(Recogniser *r, Expr value, Expr x) {
    return simplify(r->simplifier, value) == x ||
           (!type_is_float(x->type) && decide_proves(r->simplifier, expr_eq(r->pool, value, x)));
}

/* Does the update leave values on this side unchanged? */
static bool leaves(Recogniser *r, const Expr *values, const Elements *group, int flag, int side) {
    FactMark mark = simplifier_mark(r->simplifier);
    bool all = true;
    simplifier_learn(r->simplifier, simplify(r->simplifier, on_side(r->pool, side, r->x[flag],
                                                                    r->update->first[flag])));
    for (int i = 0; i < group->count && all; i++) {
        int element = group->elements[i];
        all = is_left(r, values[element], r->x[element]);
    }
    simplifier_release(r->simplifier, mark);
    return all;
}

/* The update of the func's first value. */
typedef struct Made {
    Recogniser *r;
    const Elements *group;
    const Expr *values;
    int flag, side;
    bool goes_on; /* something changes although there is no match */
} Made;

/* Do all components have their first values, under the facts here? */
static bool is_all_first(Made *made) {
    for (int i = 0; i < made->group->count; i++) {
        int element = made->group->elements[i];
        made->goes_on |= !is_left(made->r, made->values[element], made->r->update->first[element]);
    }
    return !made->goes_on;
}

static bool holds_where(Made *made, Expr condition, bool value);

/* Is the flag on the side, or the first one without a match? An update that changes other
 * components but not the flag would start again in each stretch. */
static bool tells_what_is_found(Made *made) {
    Recogniser *r = made->r;
    Expr first = r->update->first[made->flag], flag = made->values[made->flag];
    if (flag == first)
        return is_all_first(made);
    bool is_open = type_is_bool(flag->type) && !expr_is_constant(flag);
    if (flag->op == OP_SELECT || is_open) {
        Expr condition = flag->op == OP_SELECT ? flag->arguments[0] : flag;
        return holds_where(made, condition, true) && holds_where(made, condition, false);
    }
    return decide_proves(r->simplifier, on_side(r->pool, made->side, flag, first));
}

static bool holds_where(Made *made, Expr condition, bool value) {
    Recogniser *r = made->r;
    Expr values[ASSOCIATIVE_MAX], told = expr_bool(r->pool, value);
    Made inner = *made;
    FactMark mark = simplifier_mark(r->simplifier);
    simplifier_learn(r->simplifier,
                     simplify(r->simplifier, value ? condition : expr_not(r->pool, condition)));
    for (int i = 0; i < made->group->count; i++) {
        int element = made->group->elements[i];
        Expr chosen = expr_exchange(r->pool, r->arena, made->values[element], condition, told);
        values[element] = simplify(r->simplifier, chosen);
    }
    inner.values = values;
    bool holds = tells_what_is_found(&inner);
    simplifier_release(r->simplifier, mark);
    made->goes_on |= inner.goes_on;
    return holds;
}

/* Is some value set that is neither constant nor the func's first value? */
static bool finds_something(Expr value, Expr first) {
    if (value->op == OP_SELECT)
        return finds_something(value->arguments[1], first) ||
               finds_something(value->arguments[2], first);
    return value != first && !expr_is_constant(value);
}

static bool keeps_first_by(Recogniser *r, const Expr *values, const Elements *group, int flag,
                           const Expr *made_of_first) {
    bool has_left = false, goes_on = false;
    for (int side = 0; side < SIDES; side++) {
        if (type_is_bool(r->update->types[flag]) && side != OTHER)
            continue;
        if (!leaves(r, values, group, flag, side))
            continue;
        has_left = true;
        Made made = {r, group, made_of_first, flag, side, false};
        if (tells_what_is_found(&made))
            return true;
        goes_on |= made.goes_on;
    }
    if (goes_on)
        r->near_miss = "something changes before what is looked for is found, which a stretch "
                       "behind would begin anew: what is added up until then is, {f.0 || p, "
                       "f.1 + v} if !f.0";
    else if (has_left && finds_something(made_of_first[flag], r->update->first[flag]))
        r->near_miss = "what the func begins with says that nothing was found yet, and an "
                       "iteration may find a value that says so, too: keep a flag beside it, "
                       "{true, ..} from {false, ..}";
    return false;
}

static bool keeps_first(Recogniser *r, const Expr *values, const Elements *group, Found *found) {
    Expr made[ASSOCIATIVE_MAX];
    if (!r->update->first)
        return false;
    for (int i = 0; i < group->count; i++) {
        Expr first = r->update->first[group->elements[i]];
        if (!first || !has_x(r, values[group->elements[i]]))
            return false;
    }
    for (int i = 0; i < group->count; i++) {
        int element = group->elements[i];
        made[element] = simplify(r->simplifier,
                                 with_elements(r, group, r->x, r->update->first, values[element]));
        if (has_x(r, made[element]))
            return false;
    }
    for (int i = 0; i < group->count; i++) {
        int flag = group->elements[i];
        Type type = r->update->types[flag];
        if ((!type_is_bool(type) && !type_is_machine_integer(type)) ||
            made[flag] == r->update->first[flag] || !keeps_first_by(r, values, group, flag, made))
            continue;
        Expr is_none =
            simplify(r->simplifier, expr_eq(r->pool, r->x[flag], r->update->first[flag]));
        for (int j = 0; j < group->count; j++) {
            int element = group->elements[j];
            found->identity[element] = r->update->first[element];
            found->injected[element] = made[element];
            found->operator[element] = expr_select(r->pool, is_none, r->y[element], r->x[element]);
        }
        return true;
    }
    return false;
}

/* ---- one constant ---- */

/* Finds the only constant, besides the func's first value, to which it is set. */
static bool find_constant(Expr injected, Expr first, Expr identity, Expr *only) {
    if (injected == first || injected == identity)
        return true;
    if (injected->op == OP_SELECT)
        return find_constant(injected->arguments[1], first, identity, only) &&
               find_constant(injected->arguments[2], first, identity, only);
    if (!expr_is_constant(injected) || (*only && *only != injected))
        return false;
    *only = injected;
    return true;
}

static Expr exchange_constant(Pool *pool, Expr injected, Expr from, Expr to) {
    if (injected == from)
        return to;
    if (injected->op != OP_SELECT)
        return injected;
    return expr_select(pool, injected->arguments[0],
                       exchange_constant(pool, injected->arguments[1], from, to),
                       exchange_constant(pool, injected->arguments[2], from, to));
}

static void use_extremum(Recogniser *r, int element, Found *found) {
    Expr first = r->update->first ? r->update->first[element] : NULL, only = NULL;
    Expr identity = found->identity[element];
    if (!first || !expr_is_constant(first) || !type_is_machine_integer(first->type) ||
        !find_constant(found->injected[element], first, identity, &only) || !only)
        return;
    Expr grows = simplify(r->simplifier, expr_lt(r->pool, first, only));
    found->operator[element] = expr_is_true(grows)
        ? expr_max(r->pool, r->x[element], r->y[element])
        : expr_min(r->pool, r->x[element], r->y[element]);
    found->injected[element] =
        exchange_constant(r->pool, found->injected[element], identity, first);
    found->identity[element] = first;
    found->commutes = true;
}

bool recognise_chosen(Recogniser *r, const Expr *values, uint32_t elements, Found *found) {
    Elements group = elements_of(r, elements);
    *found = (Found){.has_identity = true};
    if (r->as_written ||
        (!keeps_last(r, values, &group, found) && !keeps_first(r, values, &group, found)))
        return false;
    if (group.count == 1)
        use_extremum(r, group.elements[0], found);
    return true;
}
