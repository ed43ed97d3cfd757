/* solve_terms.c -- questions about the terms of a condition that is being solved.
 */
#include "simplify/solver.h"

/* Whether a node with arguments mentions the variable; null if not yet known. */
static const bool *known_mention(const EquationSolver *s, Expr expr) {
    return map_get(&s->mentioned->known, expr);
}

/* Decides a node with known arguments. False if one is unknown; it is then pushed. */
static bool find_mention(const EquationSolver *s, Expr expr) {
    static const bool answers[2] = {false, true};
    SolverMentioned *m = s->mentioned;
    size_t before = m->stack.length;
    bool mentions = false;
    for (int i = 0; i < expr->arity; i++) {
        Expr argument = expr->arguments[i];
        const bool *known = argument->arity ? known_mention(s, argument) : NULL;
        mentions |= known ? *known : argument == s->target;
        if (argument->arity && !known)
            vec_push(s->arena, &m->stack, argument);
    }
    if (m->stack.length > before)
        return false;
    map_put(&m->known, expr, &answers[mentions]);
    return true;
}

bool solver_mentions(const EquationSolver *s, Expr expr) {
    if (!expr->arity)
        return expr == s->target;
    SolverMentioned *m = s->mentioned;
    const bool *known = known_mention(s, expr);
    if (known)
        return *known;
    vec_push(s->arena, &m->stack, expr);
    while (m->stack.length)
        if (find_mention(s, m->stack.data[m->stack.length - 1]))
            m->stack.length--;
    return *known_mention(s, expr);
}

Proof solver_prove(const EquationSolver *s, Expr condition) {
    enum { MOST_PROVED = 80 };
    return condition->tree_size <= MOST_PROVED ? simplify_prove_briefly(s->simplifier, condition)
                                               : PROOF_UNKNOWN;
}

Expr solver_small(EquationSolver *s, Expr expr) {
    Expr simplified = simplify(s->simplifier, expr);
    return simplified->tree_size <= expr->tree_size ? simplified : expr;
}
