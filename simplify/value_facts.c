/* value_facts.c -- the known interval and residue of a node, from those of its arguments and from
 * the facts. Memoised by node and epoch (memo_epoch). Visits arguments first, without recursion.
 */
#include "simplify/internal.h"

#include <string.h>

ConstantInterval fact_interval(const Simplifier *s, const void *key) {
    size_t found = (size_t)(uintptr_t)map_get(&s->fact_index, key);
    return found ? s->facts.data[found - 1].interval : EVERYTHING;
}

/* u64 above INT64_MAX has no 64-bit name: such a constant is only known to be large. */
KnownValue known_constant(Type type, Bits bits) {
    if (type_is_float(type))
        return (KnownValue){EVERYTHING, ANY_RESIDUE};
    if (type.kind == TYPE_UINT && bits < 0)
        return (KnownValue){{true, false, INT64_MAX, 0}, ANY_RESIDUE};
    return (KnownValue){interval_point(bits), residue_point(bits)};
}

/* to - from modulo `modulus`; 0 on overflow. Both are less than it, whatever their signs. */
static int64_t distance(int64_t from, int64_t to, int64_t modulus) {
    int64_t offset;
    if (__builtin_sub_overflow(to, from, &offset))
        return 0;
    if (offset <= -modulus || offset >= modulus)
        offset %= modulus;
    return offset < 0 ? offset + modulus : offset;
}

/* Refines interval and residue by each other: ends move to the next number with the residue. */
static KnownValue agree(KnownValue known) {
    Residue r = known.residue;
    ConstantInterval *i = &known.interval;
    if (r.modulus == 0)
        known.interval = interval_intersect(interval_point(r.remainder), *i);
    if (r.modulus > 1) {
        int64_t low = 0, high = 0;
        if (i->has_minimum)
            low = distance(i->minimum % r.modulus, r.remainder, r.modulus);
        if (i->has_maximum)
            high = distance(r.remainder, i->maximum % r.modulus, r.modulus);
        ConstantInterval tight = *i;
        bool over = __builtin_add_overflow(tight.minimum, low, &tight.minimum) ||
                    __builtin_sub_overflow(tight.maximum, high, &tight.maximum);
        if (!over && !(i->has_minimum && i->has_maximum && tight.minimum > tight.maximum))
            *i = tight;
    }
    if (interval_is_point(*i))
        known.residue = residue_point(i->minimum);
    return known;
}

static bool says_nothing(const KnownValue *known) {
    return !known->interval.has_minimum && !known->interval.has_maximum &&
           known->residue.modulus == 1;
}

static const KnownValue nothing = {EVERYTHING, ANY_RESIDUE};

/* Handles the most frequent nodes over the integers without interval.c and modulus.c: sums with an
 * unknown; products, quotients, remainders, min and max of unknowns; comparisons with one. False
 * for other nodes. */
static bool is_plain(Op op, const KnownValue *a, const KnownValue *b, KnownValue *result) {
    bool unknown = says_nothing(a), both = unknown && says_nothing(b);
    int64_t constant = b->residue.modulus == 0 ? b->residue.remainder : 0;
    *result = nothing;
    switch ((int)op) {
    case OP_ADD:
    case OP_SUB:
        return unknown || says_nothing(b);
    case OP_MUL:
        if (unknown && constant > 0)
            result->residue.modulus = constant;
        return both || (unknown && constant > 0);
    case OP_MIN:
    case OP_MAX:
        return both;
    case OP_DIV:
        return unknown && constant > 0;
    case OP_MOD:
        if (constant > 1)
            result->interval = (ConstantInterval){true, true, 0, constant - 1};
        return unknown && constant > 1;
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
        result->interval = (ConstantInterval){true, true, 0, 1};
        return unknown || says_nothing(b);
    default: /* ask */
        return false;
    }
}

KnownValue known_apply(Op op, Type type, const KnownValue *arguments) {
    KnownValue plain;
    if (op_info(op)->arity == 2 && (type_is_index(type) || type_is_bool(type)) &&
        is_plain(op, &arguments[0], &arguments[1], &plain))
        return plain;
    ConstantInterval intervals[OP_MAX_ARITY] = {arguments[0].interval};
    for (int i = 1; i < op_info(op)->arity; i++)
        intervals[i] = arguments[i].interval;
    KnownValue known = {interval_apply(op, type, intervals), ANY_RESIDUE};
    if ((op == OP_EQ || op == OP_NE) &&
        !residue_may_equal(arguments[0].residue, arguments[1].residue))
        known.interval = interval_point(op == OP_NE);
    if (op == OP_SELECT && interval_is_point(intervals[0]))
        known.residue = arguments[intervals[0].minimum ? 1 : 2].residue;
    else
        known.residue = residue_apply(op, type, arguments, known.interval);
    return agree(known);
}

static bool is_sum(Expr expr) {
    bool of_index = type_is_index(expr->type) && expr->type.lanes == 1;
    return of_index && (expr->op == OP_ADD || expr->op == OP_SUB);
}

/* Facts about a ramp or broadcast that hold for each lane. */
static KnownValue known_lanes(const Simplifier *s, Expr expr) {
    KnownValue base = *memo_known(s, expr->arguments[0]);
    if (expr->op == OP_BROADCAST)
        return base;
    ConstantInterval steps[] = {memo_known(s, expr->arguments[1])->interval,
                                {true, true, 0, expr->type.lanes - 1}};
    ConstantInterval rise = interval_apply(OP_MUL, INDEX, steps);
    return (KnownValue){interval_add(base.interval, rise), ANY_RESIDUE};
}

static ConstantInterval integer_interval(Simplifier *s, Expr expr) {
    return known_of(s, expr)->interval;
}

/* From the arguments, all of which are known. */
static KnownValue from_arguments(Simplifier *s, Expr expr) {
    KnownValue known = {interval_of_type(expr->type), ANY_RESIDUE}, arguments[OP_MAX_ARITY];
    bool is_cast = expr->op == OP_CAST || expr->op == OP_SATURATING_CAST;
    for (int i = 0; i < expr->arity; i++) {
        if (type_is_float(expr->arguments[i]->type)) {
            if (is_cast && type_is_machine_integer(expr->type) && expr->type.lanes == 1)
                known.interval = float_cast_interval(
                    float_interval(s, integer_interval, expr->arguments[i]), expr);
            return known;
        }
        arguments[i] = *memo_known(s, expr->arguments[i]);
    }
    return known_apply((Op)expr->op, expr->type, arguments);
}

/* `expr` with all arguments known. */
static KnownValue compute(Simplifier *s, Expr expr) {
    KnownValue known;
    if (expr->op == OP_CONSTANT)
        return known_constant(expr->type, expr->bits);
    if (expr->op == OP_BROADCAST || expr->op == OP_RAMP)
        known = known_lanes(s, expr);
    else if (expr->op >= OP_COUNT || type_is_float(expr->type))
        known = (KnownValue){interval_of_type(expr->type), ANY_RESIDUE};
    else
        known = from_arguments(s, expr);
    if (!s->facts.length)
        return known;
    if (expr->op == OP_VARIABLE)
        known.interval = interval_intersect(known.interval, fact_interval(s, expr->name));
    known.interval = interval_intersect(known.interval, fact_interval(s, expr));
    if (is_sum(expr) && s->sum_facts) {
        LinearSum sum;
        sum_of(&sum, expr);
        known.interval = interval_intersect(known.interval, sum_interval(s, &sum));
    }
    return agree(known);
}

static bool has(Simplifier *s, Expr expr) {
    return memo_of(s, expr)->known_epoch == memo_epoch(s, expr);
}

static void settle(Simplifier *s, Expr expr) {
    NodeMemo *memo = memo_of(s, expr);
    bool plain = !s->facts.length && expr->arity == 2 && expr->op < OP_COUNT &&
                 type_is_index(expr->arguments[1]->type) &&
                 is_plain((Op)expr->op, memo_known(s, expr->arguments[0]),
                          memo_known(s, expr->arguments[1]), &memo->known);
    if (!plain)
        memo->known = compute(s, expr);
    memo->known_epoch = memo_epoch(s, expr);
}

/* Are all arguments known? Leaves are known at once. With `pushes`, the others are pushed. */
static bool is_ready(Simplifier *s, Expr expr, bool pushes) {
    bool ready = true;
    for (int i = expr->arity - 1; i >= 0; i--) {
        Expr argument = expr->arguments[i];
        if (has(s, argument))
            continue;
        if (!argument->arity) {
            settle(s, argument);
            continue;
        }
        ready = false;
        if (!pushes)
            break;
        vec_push(s->arena, &s->known_stack, argument);
    }
    return ready;
}

const KnownValue *known_of(Simplifier *s, Expr expr) {
    if (has(s, expr))
        return memo_known(s, expr);
    size_t base = s->known_stack.length;
    if (is_ready(s, expr, false))
        settle(s, expr);
    else
        vec_push(s->arena, &s->known_stack, expr);
    while (s->known_stack.length > base) {
        Expr top = s->known_stack.data[s->known_stack.length - 1];
        if (!is_ready(s, top, true))
            continue;
        s->known_stack.length--;
        settle(s, top);
    }
    return memo_known(s, expr);
}

/* ---- sums ---- */

ConstantInterval sum_interval(Simplifier *s, const LinearSum *sum) {
    if (sum->failed)
        return EVERYTHING;
    ConstantInterval total = interval_point(sum->constant);
    for (int i = 0; i < sum->count && (total.has_minimum || total.has_maximum); i++)
        total = interval_add(total, interval_scale(known_of(s, sum->terms[i].atom)->interval,
                                                   sum->terms[i].coefficient));
    int64_t scale;
    bool may_be_known = s->sum_facts && s->sum_slots[sum_slot(sum)];
    Expr key = may_be_known ? sum_key(s->pool, sum, &scale) : NULL;
    if (!key)
        return total;
    ConstantInterval fact = interval_scale(fact_interval(s, key), scale);
    return interval_intersect(total, interval_add(fact, interval_point(sum->constant)));
}

ConstantInterval simplify_interval(Simplifier *simplifier, Expr expr) {
    return known_of(simplifier, simplify(simplifier, expr))->interval;
}

FloatInterval simplify_float_interval(Simplifier *simplifier, Expr expr) {
    return float_interval(simplifier, integer_interval, expr);
}
