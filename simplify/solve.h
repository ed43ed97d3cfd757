/* solve.h -- conditions solved for a variable: moved left and up, and the values that satisfy them.
 *
 * docs/simplifier.md ("Solving") describes the method. All results hold for all integers, under the
 * facts of the simplifier.
 */
#ifndef HLC_SIMPLIFY_SOLVE_H
#define HLC_SIMPLIFY_SOLVE_H

#include "simplify/simplify.h"

/* Returns an expression with the value of `expr`. In a condition, `variable` occurs as rarely as
 * the solver achieves, and alone on its side of comparisons. In an integer, the terms with the
 * variable come first. Parts that cannot be solved stay as `simplify` leaves them. Comparisons are
 * built with `<` and `<=`: expr_text_toward prints them with the variable on the left. */
Expr simplify_solve(Simplifier *simplifier, Expr expr, Symbol variable);

/* [minimum, maximum] over the integers, free of the variable. A null end is infinite. The interval
 * may be empty without `is_empty`, if minimum > maximum for some values of the other unknowns. */
typedef struct SolvedInterval {
    bool is_empty;
    Expr minimum, maximum;
} SolvedInterval;

/* For a condition in a variable: all values in `inner` satisfy it, and all values that satisfy it
 * are in `outer`, whatever the other unknowns are. An inner interval is not always the largest one,
 * nor an outer one the smallest. */
typedef struct SolvedIntervals {
    SolvedInterval inner, outer;
} SolvedIntervals;
SolvedIntervals simplify_solve_interval(Simplifier *simplifier, Expr condition, Symbol variable);

#endif
