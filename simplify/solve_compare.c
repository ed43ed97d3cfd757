/* solve_compare.c -- solves one integer comparison: a sum against 0.
 *
 * The sum's normal form has collected the variable from both sides. This is linear arithmetic
 * modulo associativity, commutativity and inverses; no decreasing rule could do it. The rules of
 * the solver (rules/solve.rules) then get the sum in the forms that they expect, and their results
 * are solved in turn:
 *
 * - `A <= R`, `R <= A`, `A == R`: a term A of min, max, select or abs with the target, its
 *   coefficient in its arms, and the rest of the sum;
 * - `A / n * c <= R`, `(A + y) / n * c <= R`, `R <= ..`: where a min or max stands under a
 *   quotient.  In these three forms only rules that split apply;
 * - `A + B`: two terms with the target, in either order;
 * - `T <= N`, `N <= T`, `T == N`: all terms with the target, and those without it.  x*y + x*z is
 *   shown as x*(y + z).
 *
 * A part that simplify_prove decides becomes true or false. A sum that no rule matches stays.
 */
#include "simplify/solver.h"

static Expr build_sum(EquationSolver *s, LinearSum *sum) {
    sum_sort(sum);
    return sum_build(s->pool, sum);
}

static Expr unsolved(EquationSolver *s, Op op, Expr value) {
    return simplify(s->simplifier, expr_binary(s->pool, op, value, expr_index(s->pool, 0)));
}

/* ---- the forms for the rules ---- */

/* Applies the rules to `a op b`, and solves the result; null if none matches. */
static Expr ruled(EquationSolver *s, Op op, Expr a, Expr b) {
    Expr arguments[] = {a, b}, result = match_solve(s, op, arguments);
    s->splitting = false; /* all rules solve the result */
    return result ? s->condition(s, result) : NULL;
}

/* `a op rest` for positive k, `rest op a` for negative. */
static Expr on_its_side(EquationSolver *s, Op op, int64_t k, Expr a, Expr rest) {
    return k > 0 || op != OP_LE ? ruled(s, op, a, rest) : ruled(s, op, rest, a);
}

/* Multiplies `atom` by a constant, inside its arms: a positive constant, or any for min or max. */
static Expr scaled_arms(EquationSolver *s, Expr atom, int64_t k) {
    Expr arms[OP_MAX_ARITY];
    Op op = (Op)atom->op;
    if (k < 0)
        op = op == OP_MIN ? OP_MAX : OP_MIN;
    for (int i = 0; i < atom->arity; i++)
        arms[i] = type_is_bool(atom->arguments[i]->type)
                      ? atom->arguments[i]
                      : expr_mul(s->pool, atom->arguments[i], expr_index(s->pool, k));
    return k == 1 ? atom : expr_apply(s->pool, op, arms);
}

static bool has_arms(const EquationSolver *s, Expr atom) {
    bool arms = atom->op == OP_SELECT || atom->op == OP_MIN || atom->op == OP_MAX;
    return (arms || atom->op == OP_ABS) && solver_mentions(s, atom);
}

/* Returns `quotient * k` with the first min or max of its dividend before the rest; null for none.
 */
static Expr arms_under_quotient(EquationSolver *s, Expr quotient, int64_t k) {
    LinearSum dividend = {0}, rest = {0};
    sum_add(&dividend, quotient->arguments[0], 1);
    int at = 0;
    while (at < dividend.count &&
           (dividend.terms[at].atom->op == OP_SELECT || dividend.terms[at].atom->op == OP_ABS ||
            !has_arms(s, dividend.terms[at].atom)))
        at++;
    if (dividend.failed || at == dividend.count)
        return NULL;
    SumTerm term = dividend.terms[at];
    sum_add_sum(&rest, &dividend, 1);
    sum_add_term(&rest, term.atom, -term.coefficient);
    Expr arms = scaled_arms(s, term.atom, term.coefficient);
    if (rest.count || rest.constant)
        arms = expr_add(s->pool, arms, build_sum(s, &rest));
    return expr_mul(s->pool, expr_div(s->pool, arms, quotient->arguments[1]),
                    expr_index(s->pool, k));
}

/* Solves with term i on one side, and the rest of the sum on the other. */
static Expr solve_arms(EquationSolver *s, Op op, const LinearSum *sum, int i) {
    SumTerm term = sum->terms[i];
    int64_t k = term.coefficient;
    LinearSum rest = {0};
    bool is_quotient = term.atom->op == OP_DIV && op == OP_LE;
    if (s->budget < 0 || !(is_quotient || has_arms(s, term.atom)) || k == INT64_MIN)
        return NULL;
    sum_add_sum(&rest, sum, k > 0 ? -1 : 1);
    sum_add_term(&rest, term.atom, k > 0 ? k : -k);
    if (rest.failed)
        return NULL;
    int64_t factor = k > 0 ? k : -k;
    Expr arms =
        is_quotient ? arms_under_quotient(s, term.atom, factor) : scaled_arms(s, term.atom, factor);
    if (!arms)
        return NULL;
    Expr other = build_sum(s, &rest);
    uint64_t before = s->simplifier->applied;
    s->budget--;
    s->splitting = s->budget >= 0;
    Expr result = s->budget < 0 ? NULL : on_its_side(s, op, k, arms, other);
    s->budget += s->simplifier->applied == before;
    return result;
}

/* Joins two terms with the target by a rule, and solves the result; null if no rule applies. */
static Expr solve_pair(EquationSolver *s, Op op, const LinearSum *sum, int i, int j) {
    SumTerm a = sum->terms[i], b = sum->terms[j];
    if (i == j || !solver_mentions(s, a.atom) || !solver_mentions(s, b.atom))
        return NULL;
    Expr two[] = {sum_term(s->pool, a), sum_term(s->pool, b)};
    Expr made = match_solve(s, OP_ADD, two);
    LinearSum rest = {0};
    if (!made)
        return NULL;
    sum_add_sum(&rest, sum, 1);
    sum_add_term(&rest, a.atom, -a.coefficient);
    sum_add_term(&rest, b.atom, -b.coefficient);
    sum_add(&rest, made, 1);
    return rest.failed ? NULL : solver_compare(s, op, build_sum(s, &rest));
}

/* Returns m if `atom` is the variable times m, with m free of the variable; else null. */
static Expr factor_of(const EquationSolver *s, Expr atom) {
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

/* ---- all terms ---- */

bool solver_one_term(EquationSolver *s, const LinearSum *mentioning, int64_t *k, Expr *atom) {
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

/* Solves with all terms with the target on one side, and the rest on the other. */
static Expr solve_terms(EquationSolver *s, Op op, const LinearSum *sum) {
    LinearSum mentioning = {0}, rest = {.constant = sum->constant};
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
        LinearSum left = {0};
        sum_add_sum(&left, &mentioning, k);
        atom = build_sum(s, &left);
    }
    LinearSum limit = {0};
    sum_add_sum(&limit, &rest, k > 0 ? -1 : 1);
    if (limit.failed || k == INT64_MIN)
        return NULL;
    Expr other = simplify(s->simplifier, build_sum(s, &limit));
    if (k != 1 && k != -1)
        atom = expr_mul(s->pool, atom, expr_index(s->pool, k > 0 ? k : -k));
    Expr result = on_its_side(s, op, k, atom, other);
    if (result)
        return result;
    return k > 0 || op != OP_LE ? expr_binary(s->pool, op, atom, other)
                                : expr_binary(s->pool, op, other, atom);
}

Expr solver_compare(EquationSolver *s, Op op, Expr value) {
    enum { MOST_DEPTH = 48 };
    LinearSum sum = {0};
    value = simplify(s->simplifier, value);
    sum_add(&sum, value, 1);
    if (sum.failed || !solver_mentions(s, value) || s->depth >= MOST_DEPTH)
        return unsolved(s, op, value);
    Expr comparison = expr_binary(s->pool, op, value, expr_index(s->pool, 0));
    Proof proof = solver_prove(s, comparison);
    if (proof != PROOF_UNKNOWN)
        return expr_bool(s->pool, proof == PROOF_HOLDS);
    s->depth++;
    sum_sort(&sum);
    Expr result = NULL;
    for (int i = 0; i < sum.count && !result; i++)
        result = solve_arms(s, op, &sum, i);
    for (int i = 0; i < sum.count * sum.count && !result; i++)
        result = solve_pair(s, op, &sum, i / sum.count, i % sum.count);
    if (!result)
        result = solve_terms(s, op, &sum);
    s->depth--;
    return result ? result : unsolved(s, op, value);
}
