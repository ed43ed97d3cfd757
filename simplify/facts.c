/* facts.c -- the facts at a place: a stack of (expression, constant interval).
 *
 * Learning splits a condition. Conjunctions (and negated disjunctions) become their parts. An
 * integer comparison becomes an interval of its sum without the constant (sum_key), so `x <= y + 3`
 * also decides `x - y < 4` and `y - x`. A comparison of a machine integer with a constant becomes
 * an interval of that integer. The condition itself becomes 1, and its complement 0
 * (learn_complement).
 *
 * Each fact starts a new epoch for its unknowns. Epochs are part of the key of remembered results
 * (memo_epoch). A release returns to the earlier epochs, and the results of that time are valid
 * again.
 */
#include "simplify/internal.h"

static uint64_t unknowns_of(const SimplifierFact *fact) {
    return fact->is_symbol ? expr_unknown_bit(((Symbol)fact->key)->hash)
                           : ((Expr)fact->key)->unknowns;
}

static void begin_epochs(Simplifier *s, const SimplifierFact *fact) {
    s->last_epoch++;
    for (uint64_t left = unknowns_of(fact); left; left &= left - 1) {
        uint32_t *epoch = &s->epochs[__builtin_ctzll(left)];
        vec_push(s->arena, &s->old_epochs, *epoch);
        *epoch = s->last_epoch;
    }
}

static void end_epochs(Simplifier *s, const SimplifierFact *fact) {
    uint64_t bits = unknowns_of(fact);
    s->old_epochs.length -= (size_t)__builtin_popcountll(bits);
    const uint32_t *old = s->old_epochs.data + s->old_epochs.length;
    for (uint64_t left = bits; left; left &= left - 1)
        s->epochs[__builtin_ctzll(left)] = *old++;
}

static uint8_t slot_of(Expr key) {
    LinearSum sum;
    sum_of(&sum, key);
    return sum_slot(&sum);
}

static void add(Simplifier *s, const void *key, ConstantInterval interval, bool is_symbol,
                bool is_sum) {
    size_t previous = (size_t)(uintptr_t)map_get(&s->fact_index, key);
    if (previous)
        interval = interval_intersect(s->facts.data[previous - 1].interval, interval);
    SimplifierFact fact = {.key = key,
                           .is_symbol = is_symbol,
                           .is_sum = is_sum,
                           .interval = interval,
                           .previous = previous,
                           .slot = is_sum ? slot_of(key) : 0};
    vec_push(s->arena, &s->facts, fact);
    map_put(&s->fact_index, key, (void *)(uintptr_t)s->facts.length);
    s->sum_facts += is_sum;
    s->sum_slots[fact.slot] += is_sum;
    begin_epochs(s, &fact);
}

FactMark simplifier_mark(Simplifier *simplifier) {
    return simplifier->facts.length;
}

void simplifier_release(Simplifier *s, FactMark mark) {
    hlc_assert(mark <= s->facts.length, "facts are released in the order of their marks");
    while (s->facts.length > mark) {
        const SimplifierFact *fact = &s->facts.data[--s->facts.length];
        map_put(&s->fact_index, fact->key, (void *)(uintptr_t)fact->previous);
        s->sum_facts -= fact->is_sum;
        s->sum_slots[fact->slot] -= fact->is_sum;
        end_epochs(s, fact);
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
static void learn_sum(Simplifier *s, const LinearSum *sum, bool equal) {
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

/* Returns the integer that a machine integer is the value of, if no bit of it is lost: `e` of i32(e)
 * where e fits, and constants. Else null. */
static Expr exact_index(Simplifier *s, Expr expr) {
    int64_t value;
    if (expr_constant_integer(expr, &value))
        return expr_index(s->pool, value);
    bool unsigned64 = expr->type.kind == TYPE_UINT && expr->type.bits == 64;
    if (expr->op != OP_CAST || unsigned64 || !type_is_index(expr->arguments[0]->type))
        return NULL;
    ConstantInterval known = simplify_interval(s, expr->arguments[0]);
    return known.has_minimum && known.has_maximum && known.minimum >= type_minimum(expr->type) &&
                   known.maximum <= type_maximum(expr->type)
               ? expr->arguments[0]
               : NULL;
}

static void learn_comparison(Simplifier *s, Op op, Expr a, Expr b) {
    bool is_index = type_is_index(a->type);
    if (!is_index)
        learn_machine(s, op, a, b);
    if (!is_index && type_is_machine_integer(a->type) && (a->op == OP_CAST || b->op == OP_CAST)) {
        a = exact_index(s, a);
        b = exact_index(s, b);
        is_index = a && b;
    }
    if (!is_index)
        return;
    LinearSum sum;
    sum_of_difference(&sum, a, b);
    sum_add_constant(&sum, op == OP_LT, 1);
    sum_sort(&sum);
    learn_sum(s, &sum, op == OP_EQ);
}

/* Learns sum != 0: if 0 is an end of the known interval, the end moves. */
static void learn_unequal(Simplifier *s, Expr a, Expr b) {
    int64_t sign;
    LinearSum sum;
    sum_clear(&sum);
    if (!type_is_index(a->type))
        return;
    sum_add(&sum, a, 1);
    sum_add(&sum, b, -1);
    sum_sort(&sum);
    int64_t limit = -sum.constant;
    sum.constant = 0;
    Expr key = sum.failed || !sum.count ? NULL : sum_key(s->pool, &sum, &sign);
    if (!key || (sign != 1 && sign != -1))
        return;
    ConstantInterval known = interval_scale(sum_interval(s, &sum), sign);
    limit *= sign;
    if (known.has_minimum && known.minimum == limit)
        add(s, key, at_least(limit + 1), false, true);
    else if (known.has_maximum && known.maximum == limit)
        add(s, key, at_most(limit - 1), false, true);
}

typedef struct FactClaim {
    Expr condition;
    bool holds;
} FactClaim;

typedef Vec(FactClaim) Claims;

/* a <= min(p, q) means a <= p and a <= q; max(p, q) <= b likewise. */
static bool split_extreme(Simplifier *s, Claims *claims, Expr c) {
    Expr a = c->arguments[0], b = c->arguments[1];
    bool left = a->op == OP_MAX && type_is_index(a->type);
    bool right = b->op == OP_MIN && type_is_index(b->type);
    for (int i = 0; i < 2 && (left || right); i++) {
        Expr lesser = left ? a->arguments[i] : a, greater = left ? b : b->arguments[i];
        Expr part = simplify(s, expr_binary(s->pool, (Op)c->op, lesser, greater));
        vec_push(s->arena, claims, (FactClaim){part, true});
    }
    return left || right;
}

/* Of a == b and a != b one holds. If a < b holds, b <= a does not; of NaN both are false. Over the
 * integers an order is decided by its sum.
 */
static void learn_complement(Simplifier *s, Expr c, bool holds) {
    Expr a = c->arguments[0], b = c->arguments[1], complement;
    if (c->op == OP_EQ || c->op == OP_NE)
        complement = expr_binary(s->pool, c->op == OP_EQ ? OP_NE : OP_EQ, a, b);
    else if ((c->op == OP_LT || c->op == OP_LE) && holds && !type_is_index(a->type))
        complement = expr_binary(s->pool, c->op == OP_LT ? OP_LE : OP_LT, b, a);
    else
        return;
    add(s, complement, interval_point(!holds), false, false);
    s->facts.data[s->facts.length - 1].is_complement = true;
}

static void learn_claim(Simplifier *s, Claims *claims, FactClaim claim) {
    Expr c = claim.condition;
    if (c->op == OP_CONSTANT)
        return;
    bool parts = claim.holds ? c->op == OP_AND : c->op == OP_OR;
    if (parts || c->op == OP_NOT) {
        for (int i = c->arity - 1; i >= 0; i--)
            vec_push(s->arena, claims,
                     (FactClaim){c->arguments[i], claim.holds != (c->op == OP_NOT)});
        return;
    }
    bool ordered = c->op == OP_LT || c->op == OP_LE;
    add(s, c, interval_point(claim.holds), false, false);
    learn_complement(s, c, claim.holds);
    if (claim.holds && ordered && split_extreme(s, claims, c))
        return;
    if (ordered && !claim.holds && !type_is_float(c->arguments[0]->type)) {
        /* !(a <= b) is b < a. */
        Op reverse = c->op == OP_LT ? OP_LE : OP_LT;
        vec_push(
            s->arena, claims,
            (FactClaim){expr_binary(s->pool, reverse, c->arguments[1], c->arguments[0]), true});
        return;
    }
    if ((c->op == OP_NE && claim.holds) || (c->op == OP_EQ && !claim.holds))
        learn_unequal(s, c->arguments[0], c->arguments[1]);
    else if ((ordered && claim.holds) || c->op == OP_EQ || c->op == OP_NE)
        learn_comparison(s, c->op == OP_NE ? OP_EQ : (Op)c->op, c->arguments[0], c->arguments[1]);
}

#define MAX_CLAIMS 256

void fact_learn(Simplifier *s, Expr condition, bool holds) {
    Claims claims = {0};
    hlc_assert(!type_is_vector(condition->type), "a fact is one condition");
    vec_push(s->arena, &claims, (FactClaim){condition, holds});
    for (int i = 0; claims.length && i < MAX_CLAIMS; i++) {
        FactClaim claim = claims.data[--claims.length];
        learn_claim(s, &claims, claim);
    }
}

void simplifier_learn(Simplifier *s, Expr condition) {
    fact_learn(s, simplify(s, condition), true);
}

void simplifier_learn_range(Simplifier *s, Symbol variable, ConstantInterval interval) {
    add(s, variable, interval, true, false);
}

/* ---- facts as conditions ---- */

/* A question's cost must not grow with the program. */
#define FACTS_LOOKED_AT     200 /* the latest */
#define LARGEST_FACT        24  /* nodes as a tree */
#define LARGEST_LOOKED_INTO 200
#define MOST_OTHERS         64

/* Returns the variable of a fact about a symbol; null if it is none of these. */
static Expr named(const Exprs *variables, Symbol name) {
    for (size_t i = 0; i < variables->length; i++)
        if (variables->data[i]->name == name)
            return variables->data[i];
    return NULL;
}

/* Comparisons over the integers also exist as intervals of sums, and complements as what they are
 * learned from. */
static bool is_repeated(const SimplifierFact *fact) {
    if (fact->is_complement)
        return true;
    if (fact->is_symbol || fact->is_sum)
        return false;
    Expr key = fact->key;
    bool compares = key->op == OP_LT || key->op == OP_LE || key->op == OP_EQ;
    return compares && type_is_index(key->arguments[0]->type);
}

/* Returns the condition that `key` lies in the fact's interval; null if it is trivial. */
static Expr condition_of(Pool *pool, Expr key, ConstantInterval interval) {
    if (type_is_bool(key->type)) {
        if (!interval_is_point(interval))
            return NULL;
        return interval.minimum ? key : expr_not(pool, key);
    }
    Expr lower = NULL, upper = NULL;
    if (interval.has_minimum)
        lower = expr_le(pool, expr_constant(pool, key->type, interval.minimum), key);
    if (interval.has_maximum)
        upper = expr_le(pool, key, expr_constant(pool, key->type, interval.maximum));
    return lower && upper ? expr_and(pool, lower, upper) : lower ? lower : upper;
}

/* The facts gathered for a question. */
typedef struct FactGathering {
    const Simplifier *s;
    Arena *arena;
    bool taken[FACTS_LOOKED_AT];
    size_t most;
    Exprs *facts, *others;
    Exprs mentioned; /* the question's variables, and those of `facts` */
    bool complete;
} FactGathering;

static bool mentions_one(const Exprs *own, const Exprs *variables) {
    for (size_t i = 0; i < own->length; i++)
        if (exprs_find(variables, own->data[i]) < variables->length)
            return true;
    return false;
}

/* Takes a fact about the question; small ones while there is room. */
static void take(FactGathering *g, Expr condition, bool is_large, const Exprs *own) {
    if (is_large || g->facts->length == g->most) {
        g->complete &= g->others && g->others->length < MOST_OTHERS;
        if (g->complete)
            vec_push(g->arena, g->others, condition);
        return;
    }
    vec_push(g->arena, g->facts, condition);
    for (size_t j = 0; j < own->length; j++)
        exprs_add(g->arena, &g->mentioned, own->data[j]);
}

/* Adds the facts that mention one of `variables`. */
static void gather(FactGathering *g, const Exprs *variables) {
    const Simplifier *s = g->s;
    size_t first = s->facts.length > FACTS_LOOKED_AT ? s->facts.length - FACTS_LOOKED_AT : 0;
    g->complete &= first == 0;
    for (size_t i = s->facts.length; i-- > first;) {
        const SimplifierFact *fact = &s->facts.data[i];
        bool is_hidden = (size_t)(uintptr_t)map_get(&s->fact_index, fact->key) != i + 1;
        Exprs own = {0};
        if (g->taken[i - first] || is_hidden || is_repeated(fact))
            continue;
        Expr key = fact->is_symbol ? named(variables, fact->key) : (Expr)fact->key;
        bool is_large = key && key->tree_size > LARGEST_FACT;
        bool relevant = is_large && key->tree_size > LARGEST_LOOKED_INTO;
        if (key && !relevant)
            expr_variables(g->arena, key, &own);
        relevant = relevant || mentions_one(&own, variables);
        /* A large fact that is not a sum is useful only as it is. */
        Expr condition = relevant && (!is_large || fact->is_sum)
                             ? condition_of(s->pool, key, fact->interval)
                             : NULL;
        if (!condition)
            continue;
        g->taken[i - first] = true;
        take(g, condition, is_large, &own);
    }
}

bool simplifier_facts(const Simplifier *s, Arena *arena, Expr expr, size_t most, Exprs *facts,
                      Exprs *others) {
    FactGathering g = {
        .s = s, .arena = arena, .most = most, .facts = facts, .others = others, .complete = true};
    Exprs variables = {0};
    expr_variables(arena, expr, &variables);
    for (size_t i = 0; i < variables.length; i++)
        vec_push(arena, &g.mentioned, variables.data[i]);
    gather(&g, &variables);
    variables = g.mentioned;
    g.mentioned = (Exprs){0};
    gather(&g, &variables);
    return g.complete;
}

Pool *simplifier_pool(const Simplifier *s) {
    return s->pool;
}
