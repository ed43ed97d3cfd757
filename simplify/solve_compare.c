/* solve_compare.c -- one integer comparison, solved: a sum against 0.
 *
 * The sum's normal form has collected the variable from both sides.  Then, with k a constant, A the
 * only term with the variable, R the rest:
 *
 *   k min(p, q) + R <= 0   k p + R <= 0 || k q + R <= 0 for k > 0, && for k < 0; max likewise
 *   k select(c, p, q) + R  select(c, k p + R <= 0, k q + R <= 0), also for == and !=
 *   k A + R <= 0           A <= -R / k for k > 0, A >= (R - k - 1) / -k for k < 0: rounded to the
 *                          inside, quotients being floors
 *   p / c <= b, c > 0      p <= b c + c - 1
 *   p / c >= b, c > 0      p >= b c
 *   k x + R == 0           R % k == 0 && x == -R / k; != likewise
 *   x m <= b, m > 0        x <= b / m
 *
 * A part that simplify_prove decides is true or false.  Each of these is an equivalence over the
 * integers.  What has another form is left with the variable's terms on one side.
 */
#include "simplify/solver.h"

static Expr build_sum(Solver *s, Sum *sum) {
    sum_sort(sum);
    return sum_build(s->pool, sum);
}

static Expr negated(Solver *s, Expr value) {
    return simplify(s->simplifier, expr_mul(s->pool, value, expr_index(s->pool, -1)));
}

static Expr plus(Solver *s, Expr value, int64_t constant) {
    return expr_add(s->pool, value, expr_index(s->pool, constant));
}

static Expr unsolved(Solver *s, Op op, Expr value) {
    return simplify(s->simplifier, expr_binary(s->pool, op, value, expr_index(s->pool, 0)));
}

static bool is_positive(Solver *s, Expr value) {
    ConstantInterval interval = simplify_interval(s->simplifier, value);
    if (interval.has_minimum && interval.minimum > 0)
        return true;
    return !expr_is_constant(value) &&
           simplify_prove(s->simplifier, expr_le(s->pool, expr_index(s->pool, 1), value)) ==
               PROOF_HOLDS;
}

/* ---- arms ---- */

/* Is the term to be split into arms? */
static bool splits(const Solver *s, Op op, const Sum *sum, Expr atom) {
    if (s->budget < 0 || !solver_mentions(s, atom))
        return false;
    int others = 0;
    for (int i = 0; i < sum->count; i++)
        others += sum->terms[i].atom != atom && solver_mentions(s, sum->terms[i].atom);
    switch (atom->op) {
    case OP_SELECT:
        return true;
    case OP_MIN:
    case OP_MAX:
        return op == OP_LE;
    case OP_ABS:
        return op == OP_LE && (s->apart || others);
    }
    return false;
}

/* The sum with term i replaced by its arm. */
static Expr with_arm(Solver *s, const Sum *sum, int i, Expr arm) {
    Sum result = {0};
    SumTerm term = sum->terms[i];
    sum_add_sum(&result, sum, 1);
    sum_add_term(&result, term.atom, -term.coefficient);
    sum_add(&result, arm, term.coefficient);
    return result.failed ? NULL : build_sum(s, &result);
}

/* Null where that cannot be computed. */
static Expr split_arms(Solver *s, Op op, const Sum *sum, int i) {
    if (--s->budget < 0)
        return NULL;
    Expr atom = sum->terms[i].atom;
    int first = atom->op == OP_SELECT;
    Expr other = atom->op == OP_ABS ? negated(s, atom->arguments[0]) : atom->arguments[first + 1];
    Expr yes = with_arm(s, sum, i, atom->arguments[first]), no = with_arm(s, sum, i, other);
    if (!yes || !no)
        return NULL;
    yes = solver_compare(s, op, yes);
    no = solver_compare(s, op, no);
    if (atom->op == OP_SELECT)
        return solver_select(s, solver_condition(s, atom->arguments[0]), yes, no);
    bool is_least = (atom->op == OP_MIN) == (sum->terms[i].coefficient > 0);
    Exprs operands = {0};
    Op chain = is_least ? OP_OR : OP_AND;
    solver_operands(s, chain, yes, &operands);
    solver_operands(s, chain, no, &operands);
    return solver_merge(s, chain, &operands);
}

/* ---- one term ---- */

/* m, where `atom` is the variable times m, and m is free of it; null for others. */
static Expr factor_of(const Solver *s, Expr atom) {
    if (atom == s->target)
        return expr_index(s->pool, 1);
    Expr factor = NULL, rest = atom;
    for (; rest->op == OP_MUL && rest != s->target;) {
        bool left = solver_mentions(s, rest->arguments[0]);
        Expr free = rest->arguments[left];
        if (solver_mentions(s, free))
            return NULL;
        factor = factor ? expr_mul(s->pool, free, factor) : free;
        rest = rest->arguments[!left];
    }
    return rest == s->target ? factor : NULL;
}

/* atom <= limit, or atom >= limit. */
static Expr solve_limit(Solver *s, Expr atom, bool at_most, Expr limit) {
    Pool *pool = s->pool;
    Expr divisor = atom->op == OP_DIV ? atom->arguments[1] : NULL, factor = factor_of(s, atom);
    if (divisor && !solver_mentions(s, divisor) && is_positive(s, divisor)) {
        Expr edge = expr_mul(pool, limit, divisor);
        if (at_most)
            edge = expr_add(pool, edge, plus(s, divisor, -1));
        Expr dividend = atom->arguments[0];
        return solver_compare(
            s, OP_LE, at_most ? expr_sub(pool, dividend, edge) : expr_sub(pool, edge, dividend));
    }
    if (factor && atom != s->target) {
        bool positive = is_positive(s, factor);
        if (!positive && is_positive(s, negated(s, factor))) {
            positive = true;
            factor = negated(s, factor);
            limit = negated(s, limit);
            at_most = !at_most;
        }
        if (positive) {
            Expr dividend = at_most ? limit : expr_add(pool, limit, plus(s, factor, -1));
            dividend = simplify(s->simplifier, dividend);
            limit = solver_small(s, expr_div(pool, dividend, factor));
            atom = s->target;
        }
    }
    return at_most ? expr_le(pool, atom, limit) : expr_le(pool, limit, atom);
}

/* -rest / k for k > 0, (rest - k - 1) / -k for k < 0; null where it cannot be computed. */
static Expr limit_of(Solver *s, int64_t k, const Sum *rest) {
    Sum dividend = {0};
    sum_add_sum(&dividend, rest, k > 0 ? -1 : 1);
    if (k < 0)
        sum_add_constant(&dividend, -k - 1, 1);
    if (dividend.failed)
        return NULL;
    Expr limit = simplify(s->simplifier, build_sum(s, &dividend));
    int64_t divisor = k > 0 ? k : -k;
    return divisor == 1 ? limit
                        : solver_small(s, expr_div(s->pool, limit, expr_index(s->pool, divisor)));
}

/* atom * factor == value (or !=), where factor > 0. */
static Expr divide_equality(Solver *s, Op op, Expr value, Expr factor) {
    Pool *pool = s->pool;
    Expr divides = expr_binary(pool, op, expr_mod(pool, value, factor), expr_index(pool, 0));
    Expr equals = expr_binary(pool, op, s->target, solver_small(s, expr_div(pool, value, factor)));
    Exprs operands = {0};
    vec_push(s->arena, &operands, equals);
    vec_push(s->arena, &operands, solver_small(s, divides));
    return solver_merge(s, op == OP_EQ ? OP_AND : OP_OR, &operands);
}

/* k atom + rest == 0, or != 0. */
static Expr solve_equality(Solver *s, Op op, int64_t k, Expr atom, const Sum *rest) {
    Sum value = {0};
    sum_add_sum(&value, rest, k > 0 ? -1 : 1);
    int64_t scale = k > 0 ? k : -k;
    if (value.failed)
        return NULL;
    Expr right = simplify(s->simplifier, build_sum(s, &value));
    Expr factor = factor_of(s, atom);
    if (factor)
        factor = simplify(s->simplifier, expr_mul(s->pool, factor, expr_index(s->pool, scale)));
    if (factor && is_positive(s, factor))
        return divide_equality(s, op, right, factor);
    if (factor && is_positive(s, negated(s, factor)))
        return divide_equality(s, op, negated(s, right), negated(s, factor));
    Expr left = scale == 1 ? atom : expr_mul(s->pool, atom, expr_index(s->pool, scale));
    return expr_binary(s->pool, op, left, right);
}

/* An equality as two comparisons. */
static Expr take_apart(Solver *s, Op op, Expr value) {
    bool equal = op == OP_EQ;
    Op chain = equal ? OP_AND : OP_OR;
    Exprs operands = {0};
    Expr below = equal ? value : plus(s, value, 1);
    Expr above = expr_sub(s->pool, expr_index(s->pool, equal ? 0 : 1), value);
    solver_operands(s, chain, solver_compare(s, OP_LE, below), &operands);
    solver_operands(s, chain, solver_compare(s, OP_LE, above), &operands);
    return solver_merge(s, chain, &operands);
}

/* ---- all terms ---- */

bool solver_one_term(Solver *s, const Sum *mentioning, int64_t *k, Expr *atom) {
    *k = 1;
    if (mentioning->count == 1) {
        *k = mentioning->terms[0].coefficient;
        *atom = mentioning->terms[0].atom;
        return true;
    }
    Expr total = expr_index(s->pool, 0);
    for (int i = 0; i < mentioning->count; i++) {
        Expr factor = factor_of(s, mentioning->terms[i].atom);
        if (!factor)
            return false;
        Expr coefficient = expr_index(s->pool, mentioning->terms[i].coefficient);
        total = expr_add(s->pool, total, expr_mul(s->pool, factor, coefficient));
    }
    *atom = expr_mul(s->pool, s->target, simplify(s->simplifier, total));
    return true;
}

static Expr solve_terms(Solver *s, Op op, const Sum *sum) {
    Sum mentioning = {0}, rest = {.constant = sum->constant};
    for (int i = 0; i < sum->count; i++) {
        SumTerm term = sum->terms[i];
        sum_add_term(solver_mentions(s, term.atom) ? &mentioning : &rest, term.atom,
                     term.coefficient);
    }
    int64_t k;
    Expr atom;
    if (!solver_one_term(s, &mentioning, &k, &atom)) {
        if (op != OP_LE && !rest.count && !rest.constant)
            return NULL;
        k = mentioning.terms[0].coefficient > 0 ? 1 : -1;
        Sum left = {0};
        sum_add_sum(&left, &mentioning, k);
        atom = build_sum(s, &left);
    }
    if (op != OP_LE)
        return solve_equality(s, op, k, atom, &rest);
    Expr limit = limit_of(s, k, &rest);
    return limit ? solve_limit(s, atom, k > 0, limit) : NULL;
}

Expr solver_compare(Solver *s, Op op, Expr value) {
    enum { MOST_DEPTH = 48, MOST_PROVED = 80 };
    Sum sum = {0};
    value = simplify(s->simplifier, value);
    sum_add(&sum, value, 1);
    if (sum.failed || !solver_mentions(s, value) || s->depth >= MOST_DEPTH)
        return unsolved(s, op, value);
    Expr comparison = expr_binary(s->pool, op, value, expr_index(s->pool, 0));
    bool is_small = value->tree_size <= MOST_PROVED;
    Proof proof = is_small ? simplify_prove(s->simplifier, comparison) : PROOF_UNKNOWN;
    if (proof != PROOF_UNKNOWN)
        return expr_bool(s->pool, proof == PROOF_HOLDS);
    s->depth++;
    sum_sort(&sum);
    Expr result = NULL;
    bool split = false;
    for (int i = 0; i < sum.count && !split; i++) {
        split = splits(s, op, &sum, sum.terms[i].atom);
        if (split)
            result = split_arms(s, op, &sum, i);
    }
    if (!split)
        result = solve_terms(s, op, &sum);
    Expr limit;
    if (!split && result && op != OP_LE && s->apart &&
        solver_side(s, result, &limit) == SIDE_NONE && (result->op == OP_EQ || result->op == OP_NE))
        result = take_apart(s, op, value);
    s->depth--;
    return result ? result : unsolved(s, op, value);
}
