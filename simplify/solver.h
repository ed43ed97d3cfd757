/* solver.h -- inside the solver: the state and the functions that solve*.c share.
 *
 *   solve.c           conditions: chains, selects, negations; the entry
 *   solve_terms.c     questions about terms: do they contain the variable?
 *   solve_compare.c   one integer comparison: brings its sum into the forms of the rules
 *   rules/solve.rules the rules for it (match.c applies them)
 *   solve_decrease.c  checks on actual terms that these rules decrease the order
 *   solve_merge.c     merges conditions on one variable
 *   solve_interval.c  the interval of values that satisfy a condition
 */
#ifndef HLC_SIMPLIFY_SOLVER_H
#define HLC_SIMPLIFY_SOLVER_H

#include "simplify/internal.h"
#include "simplify/solve.h"

/* The nodes that contain the variable, by their number. */
typedef struct SolverMentioned {
    Map known;   /* Expr, a node with arguments -> whether it contains the variable, a bool */
    Exprs stack; /* the nodes being visited */
} SolverMentioned;

typedef struct EquationSolver EquationSolver;
struct EquationSolver {
    Simplifier *simplifier;
    Pool *pool;
    Arena *arena;
    Expr (*condition)(EquationSolver *solver, Expr condition); /* solves a part; solve.c's */
    Expr target;                                               /* the variable */
    Map solved;                                                /* condition -> its solution */
    SolverMentioned *mentioned;
    int depth;      /* of nested calls */
    bool comparing; /* within a comparison */
    bool splitting; /* apply only rules that leave fewer arms to split */
    int budget;     /* the terms that may still be split into arms; negative: exceeded */
};

/* solve.c */
/* Creates a solver for conditions with the unknowns of `expr`. The target is null if the variable
 * is not among them. */
EquationSolver solver_create(Simplifier *simplifier, Expr expr, Symbol variable);
Expr solver_condition(EquationSolver *solver, Expr condition);

/* solve_terms.c */
bool solver_mentions(const EquationSolver *solver, Expr expr);
/* Like simplify_prove_briefly, unless the condition is too large to try. */
Proof solver_prove(const EquationSolver *solver, Expr condition);
/* Returns `expr`, or its simplified form if that is no larger. */
Expr solver_small(EquationSolver *solver, Expr expr);

/* solve_compare.c */
/* Solves `value op 0` for OP_LE, OP_EQ, OP_NE; `value` is an integer. */
Expr solver_compare(EquationSolver *solver, Op op, Expr value);
/* Writes the sum of terms with the variable as `k * atom`: its only term, or `x*(y + z)` for `x*y +
 * x*z`. False for other sums. */
bool solver_one_term(EquationSolver *solver, const LinearSum *mentioning, int64_t *k, Expr *atom);

/* match.c: applies the first matching rule of the solver to `op` over these arguments. Null if none
 * matches, or if no argument contains the target. */
Expr match_solve(EquationSolver *solver, Op op, const Expr *arguments);

/* solve_decrease.c */
/* Is `after` less than `before` in the solver's reduction order? */
bool solve_decrease_holds(const EquationSolver *solver, Expr before, Expr after);
/* Asserts that the rule's result is less. */
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
/* Returns the chain of solved operands. */
Expr solver_merge(EquationSolver *solver, Op op, const Exprs *operands);

#endif
