/* facts.c -- what is known to hold here: a stack of (expression, constant interval).
 *
 * A condition is taken apart: conjunctions (and denied disjunctions) into their parts; an integer
 * comparison becomes an interval of its sum without the constant (sum_key), so that `x <= y + 3` is
 * found again in `x - y < 4` and in `y - x`; a comparison of a machine integer with a constant an
 * interval of that integer; and the condition itself becomes 1, its complement 0.
 *
 * Each change of the facts starts an epoch, which is part of every memo's key; a release returns to
 * the epoch before, whose memo is then valid again.
 */
#include "simplify/internal.h"

ConstantInterval fact_interval(const Simplifier *s, const void *key) {
    size_t found = (size_t)(uintptr_t)map_get(&s->fact_index, key);
    return found ? s->facts.data[found - 1].interval : EVERYTHING;
}

static void add(Simplifier *s, const void *key, ConstantInterval interval, bool is_symbol,
                bool is_sum) {
    size_t previous = (size_t)(uintptr_t)map_get(&s->fact_index, key);
    if (previous)
        interval = interval_intersect(s->facts.data[previous - 1].interval, interval);
    Fact fact = {key, is_symbol, is_sum, interval, previous, s->epoch};
    vec_push(s->arena, &s->facts, fact);
    map_put(&s->fact_index, key, (void *)(uintptr_t)s->facts.length);
    s->sum_facts += is_sum;
    s->epoch = ++s->last_epoch;
}

FactMark simplifier_mark(Simplifier *simplifier) {
    return simplifier->facts.length;
}

void simplifier_release(Simplifier *s, FactMark mark) {
    hlc_assert(mark <= s->facts.length, "facts are released in the order of their marks");
    while (s->facts.length > mark) {
        const Fact *fact = &s->facts.data[--s->facts.length];
        map_put(&s->fact_index, fact->key, (void *)(uintptr_t)fact->previous);
        s->sum_facts -= fact->is_sum;
        s->epoch = fact->epoch;
    }
}

static ConstantInterval at_most(int64_t maximum) {
    return (ConstantInterval){false, true, 0, maximum};
}

static ConstantInterval at_least(int64_t minimum) {
    return (ConstantInterval){true, false, minimum, 0};
}

/* sum <= 0, or sum == 0.  A simplified comparison has no common factor: it is its key, or minus it.
 */
static void learn_sum(Simplifier *s, const Sum *sum, bool equal) {
    int64_t sign;
    if (sum->failed || !sum->count)
        return;
    Expr key = sum_key(s->pool, sum, &sign);
    if (!key || (sign != 1 && sign != -1))
        return;
    int64_t limit = -sum->constant * sign;
    add(s, key,
        equal      ? interval_point(limit)
        : sign > 0 ? at_most(limit)
                   : at_least(limit),
        false, true);
}

static void learn_machine(Simplifier *s, Op op, Expr a, Expr b) {
    int64_t value;
    bool unsigned64 = a->type.kind == TYPE_UINT && a->type.bits == 64;
    if (!type_is_machine_integer(a->type) || unsigned64)
        return;
    if (expr_constant_integer(b, &value)) {
        if (op == OP_EQ)
            add(s, a, interval_point(value), false, false);
        else if (op == OP_LE || value > INT64_MIN)
            add(s, a, at_most(value - (op == OP_LT)), false, false);
    } else if (expr_constant_integer(a, &value) && op != OP_EQ) {
        if (op == OP_LE || value < INT64_MAX)
            add(s, b, at_least(value + (op == OP_LT)), false, false);
    }
}

static void learn_comparison(Simplifier *s, Op op, Expr a, Expr b) {
    if (!type_is_index(a->type)) {
        learn_machine(s, op, a, b);
        return;
    }
    Sum sum = {0};
    sum_add(&sum, a, 1);
    sum_add(&sum, b, -1);
    sum_add_constant(&sum, op == OP_LT, 1);
    sum_sort(&sum);
    learn_sum(s, &sum, op == OP_EQ);
}

typedef struct Claim {
    Expr condition;
    bool holds;
} Claim;

typedef Vec(Claim) Claims;

/* a <= min(p, q) says a <= p and a <= q; max(p, q) <= b likewise. */
static bool split_extreme(Simplifier *s, Claims *claims, Expr c) {
    Expr a = c->arguments[0], b = c->arguments[1];
    bool left = a->op == OP_MAX && type_is_index(a->type);
    bool right = b->op == OP_MIN && type_is_index(b->type);
    for (int i = 0; i < 2 && (left || right); i++) {
        Expr lesser = left ? a->arguments[i] : a, greater = left ? b : b->arguments[i];
        Expr part = simplify(s, expr_binary(s->pool, (Op)c->op, lesser, greater));
        vec_push(s->arena, claims, (Claim){part, true});
    }
    return left || right;
}

static void learn_claim(Simplifier *s, Claims *claims, Claim claim) {
    Expr c = claim.condition;
    if (c->op == OP_CONSTANT)
        return;
    bool parts = claim.holds ? c->op == OP_AND : c->op == OP_OR;
    if (parts || c->op == OP_NOT) {
        for (int i = c->arity - 1; i >= 0; i--)
            vec_push(s->arena, claims, (Claim){c->arguments[i], claim.holds != (c->op == OP_NOT)});
        return;
    }
    add(s, c, interval_point(claim.holds), false, false);
    bool ordered = c->op == OP_LT || c->op == OP_LE;
    if (claim.holds && ordered && split_extreme(s, claims, c))
        return;
    if (ordered && !claim.holds && !type_is_float(c->arguments[0]->type)) {
        /* !(a <= b) is b < a. */
        Op reverse = c->op == OP_LT ? OP_LE : OP_LT;
        vec_push(s->arena, claims,
                 (Claim){expr_binary(s->pool, reverse, c->arguments[1], c->arguments[0]), true});
        return;
    }
    if ((ordered && claim.holds) || (c->op == OP_EQ && claim.holds) ||
        (c->op == OP_NE && !claim.holds))
        learn_comparison(s, c->op == OP_NE ? OP_EQ : (Op)c->op, c->arguments[0], c->arguments[1]);
}

#define MAX_CLAIMS 256

void simplifier_learn(Simplifier *s, Expr condition) {
    Claims claims = {0};
    vec_push(s->arena, &claims, (Claim){simplify(s, condition), true});
    for (int i = 0; claims.length && i < MAX_CLAIMS; i++) {
        Claim claim = claims.data[--claims.length];
        learn_claim(s, &claims, claim);
    }
}

void simplifier_learn_range(Simplifier *s, Symbol variable, ConstantInterval interval) {
    add(s, variable, interval, true, false);
}
