/* solve.h -- conditions solved for a variable: moved left and up, and the values that satisfy them.
 *
 * docs/simplifier.md ("Solving") says how.  Everything holds for all integers, under what the
 * simplifier has learned.
 */
#ifndef HLC_SIMPLIFY_SOLVE_H
#define HLC_SIMPLIFY_SOLVE_H

#include "simplify/simplify.h"

/* An expression with the value of `expr`: of a condition, one in which `variable` stands as seldom
 * as was found, and alone on its side of comparisons; of an integer, the sum whose terms with the
 * variable come first.  What cannot be solved stays as `simplify` has it.  Comparisons are built
 * with `<` and `<=`: expr_text_toward prints them with the variable on the left. */
Expr simplify_solve(Simplifier *simplifier, Expr expr, Symbol variable);

/* [minimum, maximum] over the integers, free of the variable; a null end is infinite.  It may be
 * empty without `is_empty`, where minimum > maximum for some values of the other unknowns. */
typedef struct SolvedInterval {
    bool is_empty;
    Expr minimum, maximum;
} SolvedInterval;

/* Of a condition in a variable: all values in `inner` satisfy it, all that satisfy it are in
 * `outer`, whatever the other unknowns are.  An inner interval is not always the largest one, nor
 * an outer one the smallest. */
typedef struct SolvedIntervals {
    SolvedInterval inner, outer;
} SolvedIntervals;
SolvedIntervals simplify_solve_interval(Simplifier *simplifier, Expr condition, Symbol variable);

#endif
