/* prove.c -- proofs above simplification.
 *
 * A condition holds if it simplifies to `true`. Otherwise it is split into integer sums that must
 * be shown to be at least 0 (a <= b is b - a >= 0). The methods, in order:
 *
 *   interval   of the sum, with the facts;
 *   facts      a fact D >= low that shares a term: sum = D - low + rest; show the rest;
 *   cases      a min, max or select in the sum is replaced by its arms.  k*min(a, b) with k > 0 is
 *              at least 0 exactly where both are; with k < 0 either suffices, or each under its
 *              condition;
 *   quotients  c*(x/c) lies between x - c + 1 and x, after the sum has been multiplied by c.
 *
 * Each method is sound for all values. A budget of steps bounds the search, without a clock. A
 * condition is refuted if its complement holds.
 */
#include "ir/print.h"
#include "simplify/internal.h"

#define PROVE_BUDGET 400
#define BRIEF_BUDGET 4
#define PROVE_NODES  32 /* the nodes of an expression that cost one more step */
#define PROVE_DEPTH  10
#define PROVE_FACTS  24 /* the most facts tried for one sum, the latest first */

static bool nonnegative(Simplifier *s, const LinearSum *sum, int depth);

/* Spends the steps for this many nodes; false if none are left. */
static bool spend(Simplifier *s, uint32_t nodes) {
    s->prove_budget -=
        (int)(nodes / PROVE_NODES < PROVE_BUDGET ? nodes / PROVE_NODES : PROVE_BUDGET);
    return s->prove_budget > 0;
}

static bool at_least_zero(Simplifier *s, Expr expr, int depth) {
    LinearSum sum;
    sum_clear(&sum);
    if (!spend(s, expr->tree_size))
        return false;
    sum_add(&sum, simplify(s, expr), 1);
    return !sum.failed && nonnegative(s, &sum, depth);
}

/* Is the sum with `term` replaced by coefficient * `arm` at least 0? */
static bool with_arm(Simplifier *s, const LinearSum *sum, SumTerm term, Expr arm, int depth) {
    LinearSum changed = *sum;
    sum_add_term(&changed, term.atom, -term.coefficient);
    sum_add(&changed, arm, term.coefficient);
    if (changed.failed)
        return false;
    sum_sort(&changed);
    return at_least_zero(s, sum_build(s->pool, &changed), depth - 1);
}

static bool with_arm_under(Simplifier *s, const LinearSum *sum, SumTerm term, Expr arm,
                           Expr condition, int depth) {
    FactMark mark = simplifier_mark(s);
    simplifier_learn(s, condition);
    bool holds = with_arm(s, sum, term, arm, depth);
    simplifier_release(s, mark);
    return holds;
}

static bool split_extreme(Simplifier *s, const LinearSum *sum, SumTerm term, int depth) {
    Expr a = term.atom->arguments[0], b = term.atom->arguments[1];
    bool is_min = term.atom->op == OP_MIN;
    if (is_min == (term.coefficient > 0))
        return with_arm(s, sum, term, a, depth) && with_arm(s, sum, term, b, depth);
    if (with_arm(s, sum, term, a, depth) || with_arm(s, sum, term, b, depth))
        return true;
    Expr lesser = is_min ? a : b, greater = is_min ? b : a; /* condition of picking a */
    return with_arm_under(s, sum, term, a, expr_le(s->pool, lesser, greater), depth) &&
           with_arm_under(s, sum, term, b, expr_le(s->pool, greater, lesser), depth);
}

static bool split_select(Simplifier *s, const LinearSum *sum, SumTerm term, int depth) {
    const Expr *arguments = term.atom->arguments;
    return with_arm_under(s, sum, term, arguments[1], arguments[0], depth) &&
           with_arm_under(s, sum, term, arguments[2], expr_not(s->pool, arguments[0]), depth);
}

/* c * sum >= 1 - c suffices, because the sum is an integer. */
static bool split_quotient(Simplifier *s, const LinearSum *sum, SumTerm term, int depth) {
    int64_t divisor;
    if (!expr_constant_integer(term.atom->arguments[1], &divisor) || divisor <= 0)
        return false;
    LinearSum scaled, without = *sum;
    sum_clear(&scaled);
    sum_add_term(&without, term.atom, -term.coefficient);
    sum_add_sum(&scaled, &without, divisor);
    sum_add(&scaled, term.atom->arguments[0], term.coefficient);
    if (term.coefficient > 0)
        sum_add_constant(&scaled, 1 - divisor, term.coefficient);
    sum_add_constant(&scaled, divisor - 1, 1);
    if (scaled.failed)
        return false;
    sum_sort(&scaled);
    return at_least_zero(s, sum_build(s->pool, &scaled), depth - 1);
}

static bool split_term(Simplifier *s, const LinearSum *sum, SumTerm term, int depth) {
    switch (term.atom->op) {
    case OP_MIN:
    case OP_MAX:
        return split_extreme(s, sum, term, depth);
    case OP_SELECT:
        return split_select(s, sum, term, depth);
    case OP_DIV:
        return split_quotient(s, sum, term, depth);
    default: /* an unknown */
        return false;
    }
}

/* Subtracts factor * (key - limit), if this multiple of the fact cancels a term of the sum. */
static bool minus_fact(Simplifier *s, const LinearSum *sum, const LinearSum *key, int64_t limit,
                       int sign, int depth) {
    for (int i = 0; i < key->count; i++) {
        int64_t have = sum_coefficient(sum, key->terms[i].atom);
        int64_t unit = sign * key->terms[i].coefficient;
        if (!have || have % unit || have / unit <= 0)
            continue;
        LinearSum rest = *sum;
        sum_add_sum(&rest, key, -(have / unit) * sign);
        sum_add_constant(&rest, limit, (have / unit) * sign);
        if (!rest.failed && rest.count <= sum->count && nonnegative(s, &rest, depth - 1))
            return true;
    }
    return false;
}

static bool by_facts(Simplifier *s, const LinearSum *sum, int depth) {
    int tried = 0;
    for (size_t i = s->facts.length; i-- > 0 && tried < PROVE_FACTS && s->prove_budget > 0;) {
        SimplifierFact fact = s->facts.data[i];
        LinearSum key;
        sum_clear(&key);
        if (!fact.is_sum)
            continue;
        tried++;
        sum_add(&key, fact.key, 1);
        if (key.failed)
            continue;
        if (fact.interval.has_minimum && minus_fact(s, sum, &key, fact.interval.minimum, 1, depth))
            return true;
        if (fact.interval.has_maximum && minus_fact(s, sum, &key, fact.interval.maximum, -1, depth))
            return true;
    }
    return false;
}

static bool nonnegative(Simplifier *s, const LinearSum *sum, int depth) {
    ConstantInterval interval = sum_interval(s, sum);
    if (interval.has_minimum && interval.minimum >= 0)
        return true;
    if (depth <= 0 || --s->prove_budget <= 0 || (interval.has_maximum && interval.maximum < 0))
        return false;
    if (s->sum_facts && by_facts(s, sum, depth))
        return true;
    for (int i = 0; i < sum->count && s->prove_budget > 0; i++)
        if (split_term(s, sum, sum->terms[i], depth))
            return true;
    return false;
}

static bool holds(Simplifier *s, Expr condition, int depth);

/* Does b hold if a does not (or, with `given`, if a does)? */
static bool holds_given(Simplifier *s, Expr a, bool given, Expr b, int depth) {
    FactMark mark = simplifier_mark(s);
    simplifier_learn(s, given ? a : expr_not(s->pool, a));
    bool result = holds(s, b, depth);
    simplifier_release(s, mark);
    return result;
}

/* Shows greater - lesser >= margin, for the two sides of a simplified comparison: their difference
 * has no further step. */
static bool difference_holds(Simplifier *s, Expr greater, Expr lesser, int64_t margin, int depth) {
    LinearSum sum;
    sum_clear(&sum);
    uint32_t nodes = greater->tree_size;
    if (__builtin_add_overflow(nodes, lesser->tree_size, &nodes) || !spend(s, nodes))
        return false;
    sum_add(&sum, greater, 1);
    sum_add(&sum, lesser, -1);
    sum_add_constant(&sum, margin, -1);
    return !sum.failed && nonnegative(s, &sum, depth);
}

static bool compares_indices(Expr c) {
    bool compares = c->op == OP_LT || c->op == OP_LE || c->op == OP_EQ || c->op == OP_NE;
    return compares && type_is_index(c->arguments[0]->type);
}

static bool comparison_holds(Simplifier *s, Op op, Expr a, Expr b, int depth) {
    switch ((int)op) {
    case OP_LT:
        return difference_holds(s, b, a, 1, depth);
    case OP_LE:
        return difference_holds(s, b, a, 0, depth);
    case OP_EQ:
        return difference_holds(s, b, a, 0, depth) && difference_holds(s, a, b, 0, depth);
    case OP_NE:
        return difference_holds(s, b, a, 1, depth) || difference_holds(s, a, b, 1, depth);
    default:
        return false;
    }
}

static bool holds(Simplifier *s, Expr condition, int depth) {
    Expr c = simplify(s, condition);
    if (c->op == OP_CONSTANT)
        return c->bits;
    if (depth <= 0 || --s->prove_budget <= 0)
        return false;
    switch (c->op) {
    case OP_AND:
        return holds(s, c->arguments[0], depth - 1) && holds(s, c->arguments[1], depth - 1);
    case OP_OR:
        return holds_given(s, c->arguments[0], false, c->arguments[1], depth - 1) ||
               holds_given(s, c->arguments[1], false, c->arguments[0], depth - 1);
    case OP_NOT: /* of a conjunction: under one part, the other does not hold */
        return c->arguments[0]->op == OP_AND &&
               holds_given(s, c->arguments[0]->arguments[0], true,
                           expr_not(s->pool, c->arguments[0]->arguments[1]), depth - 1);
    case OP_SELECT:
        return holds_given(s, c->arguments[0], true, c->arguments[1], depth - 1) &&
               holds_given(s, c->arguments[0], false, c->arguments[2], depth - 1);
    default:
        return compares_indices(c) &&
               comparison_holds(s, (Op)c->op, c->arguments[0], c->arguments[1], depth);
    }
}

/* `c` is simplified. */
static bool proves(Simplifier *s, Expr c, int budget) {
    s->prove_budget = budget;
    return holds(s, c, PROVE_DEPTH);
}

/* Shows the complement; that of a comparison need not be built. */
static bool refutes(Simplifier *s, Expr c, int budget) {
    static const Op complements[OP_COUNT] = {
        [OP_LT] = OP_LE, [OP_LE] = OP_LT, [OP_EQ] = OP_NE, [OP_NE] = OP_EQ};
    if (!compares_indices(c))
        return proves(s, expr_not(s->pool, c), budget);
    s->prove_budget = budget - 1;
    return comparison_holds(s, complements[c->op], c->arguments[1], c->arguments[0], PROVE_DEPTH);
}

static Proof prove(Simplifier *s, Expr condition, int budget) {
    Expr c = simplify(s, condition);
    if (c->op == OP_CONSTANT)
        return c->bits ? PROOF_HOLDS : PROOF_REFUTED;
    if (proves(s, c, budget))
        return PROOF_HOLDS;
    return refutes(s, c, budget) ? PROOF_REFUTED : PROOF_UNKNOWN;
}

/* ---- questions ---- */

/* Questions may be recorded, one a line,
 *
 *     k:i32 c:bool <TAB> !(0 <= index(k) && ...) || ... <= ...
 *
 * the types of names that are not of sort index, then the condition under the facts about its
 * unknowns. bench/goals.c reads these lines. */
#define GOAL_FACTS 16

static Expr under_facts(Simplifier *s, Arena *arena, Expr condition) {
    Exprs facts = {0};
    Expr known = NULL;
    simplifier_facts(s, arena, condition, GOAL_FACTS, &facts, NULL);
    for (size_t i = 0; i < facts.length; i++)
        known = known ? expr_and(s->pool, known, facts.data[i]) : facts.data[i];
    return known ? expr_or(s->pool, expr_not(s->pool, known), condition) : condition;
}

static void goal_write(Simplifier *s, Expr condition) {
    FILE *out = s->pool->context->goals;
    if (!out)
        return;
    Arena *scratch = arena_create(&s->pool->context->memory);
    Exprs variables = {0};
    Expr goal = under_facts(s, scratch, condition);
    expr_variables(scratch, goal, &variables);
    for (size_t i = 0; i < variables.length; i++)
        if (!type_is_index(variables.data[i]->type))
            fprintf(out, "%s:%s ", variables.data[i]->name->text,
                    type_name(variables.data[i]->type));
    fputc('\t', out);
    expr_print(out, goal);
    fputc('\n', out);
    arena_destroy(scratch);
}

Proof simplify_prove(Simplifier *s, Expr condition) {
    Proof proof;
    goal_write(s, condition);
    if (simplifier_recall(s, PROOF_BY_RULES, condition, &proof))
        return proof;
    return simplifier_remember(s, PROOF_BY_RULES, condition, prove(s, condition, PROVE_BUDGET));
}

Proof simplify_prove_briefly(Simplifier *s, Expr condition) {
    Proof proof;
    goal_write(s, condition);
    if (simplifier_recall(s, PROOF_BY_RULES_BRIEFLY, condition, &proof))
        return proof;
    return simplifier_remember(s, PROOF_BY_RULES_BRIEFLY, condition,
                               prove(s, condition, BRIEF_BUDGET));
}

bool simplify_proves(Simplifier *s, Expr condition) {
    Proof proof;
    goal_write(s, condition);
    if (!simplifier_recall(s, PROOF_HOLDS_BY_RULES, condition, &proof)) {
        proof = proves(s, simplify(s, condition), PROVE_BUDGET) ? PROOF_HOLDS : PROOF_UNKNOWN;
        simplifier_remember(s, PROOF_HOLDS_BY_RULES, condition, proof);
    }
    return proof == PROOF_HOLDS;
}

bool simplify_proves_le(Simplifier *s, Expr a, Expr b) {
    return a == b || simplify_proves(s, expr_le(s->pool, a, b));
}
