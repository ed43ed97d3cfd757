/* solver.h -- inside the solver: what solve*.c share.
 *
 *   solve.c           conditions: chains, selects, negations; the entry
 *   solve_terms.c     questions about terms: is the variable in them?
 *   solve_compare.c   one integer comparison: its sum in the forms that the rules are written for
 *   rules/solve.rules what becomes of it (match.c applies them)
 *   solve_decrease.c  that these rules go down, on actual terms
 *   solve_merge.c     several conditions of one variable as fewer
 *   solve_interval.c  the values between which a condition holds
 */
#ifndef HLC_SIMPLIFY_SOLVER_H
#define HLC_SIMPLIFY_SOLVER_H

#include "simplify/internal.h"
#include "simplify/solve.h"

/* Which nodes have the variable, by their number. */
typedef struct SolverMentioned {
    Map known;   /* Expr, a node with arguments -> whether the variable stands in it, a bool */
    Exprs stack; /* of those that are being looked at */
} SolverMentioned;

typedef struct EquationSolver EquationSolver;
struct EquationSolver {
    Simplifier *simplifier;
    Pool *pool;
    Arena *arena;
    Expr (*condition)(EquationSolver *solver, Expr condition); /* solves a part; solve.c's */
    Expr target;                                               /* the variable */
    Map solved; /* conditions, what was made of them */
    SolverMentioned *mentioned;
    int depth;      /* of calls within one another */
    bool comparing; /* within a comparison */
    bool splitting; /* only rules that leave fewer arms to split apply */
    int budget;     /* its terms that may still be split into arms; negative: it needs more */
};

/* solve.c */
/* For conditions with the unknowns of `expr`; the target is null where the variable is none. */
EquationSolver solver_create(Simplifier *simplifier, Expr expr, Symbol variable);
Expr solver_condition(EquationSolver *solver, Expr condition);

/* solve_terms.c */
bool solver_mentions(const EquationSolver *solver, Expr expr);
/* As simplify_prove_briefly, where the condition is not too large to be tried. */
Proof solver_prove(const EquationSolver *solver, Expr condition);
/* `expr`, or what the simplifier makes of it where that is no larger. */
Expr solver_small(EquationSolver *solver, Expr expr);

/* solve_compare.c */
/* `value op 0` for OP_LE, OP_EQ, OP_NE, solved; `value` is an integer. */
Expr solver_compare(EquationSolver *solver, Op op, Expr value);
/* The sum of terms with the variable as `k * atom`: its only term, or `x*(y + z)` for `x*y + x*z`;
 * false where it is neither. */
bool solver_one_term(EquationSolver *solver, const LinearSum *mentioning, int64_t *k, Expr *atom);

/* match.c: what the first rule of the solver that matches makes of `op` over these arguments; null
 * for none, as where no argument has the target. */
Expr match_solve(EquationSolver *solver, Op op, const Expr *arguments);

/* solve_decrease.c */
/* Is `after` less than `before` in the solver's reduction order? */
bool solve_decrease_holds(const EquationSolver *solver, Expr before, Expr after);
/* Asserts it of what the rule made. */
void solve_decrease_check(const EquationSolver *solver, const Rule *rule, Expr before, Expr after);

/* solve_merge.c */
typedef enum SolverSide {
    SIDE_NONE,
    SIDE_AT_MOST,
    SIDE_AT_LEAST,
    SIDE_EQUAL,
    SIDE_UNEQUAL
} SolverSide;
/* Is it `variable <= e`, `e <= variable`, ==, !=, with an integer e free of the variable? */
SolverSide solver_side(const EquationSolver *solver, Expr condition, Expr *limit);
Expr solver_side_build(EquationSolver *solver, SolverSide side, Expr limit);
/* Appends the operands of the chain `expr` of `op` (OP_AND, OP_OR) in order. */
void solver_operands(const EquationSolver *solver, Op op, Expr expr, Exprs *operands);
/* The chain of operands that have been solved. */
Expr solver_merge(EquationSolver *solver, Op op, const Exprs *operands);

#endif
