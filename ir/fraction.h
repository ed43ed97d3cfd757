/* fraction.h -- treats float expressions as reals: quotients of polynomials.
 *
 * Two expressions of + - * / are equal wherever no divisor is 0 if cross-multiplying their
 * quotients gives the same polynomial. Any other operation is an unknown. A constant that is not a
 * small integer is an unknown, too: what holds for all values holds for this one. The sign of a
 * polynomial is known only if it has no minus and all its unknowns are positive (or nonnegative).
 *
 *     a + (b - a)/(n + 1)    is    (a*n + b)/(n + 1)
 */
#ifndef HLC_IR_FRACTION_H
#define HLC_IR_FRACTION_H

#include "ir/walk.h"

/* Unknowns with a known sign. */
typedef struct FractionSigns {
    Exprs positive, not_negative;
} FractionSigns;

/* Are the two equal wherever no divisor in either is 0? Returns false if it finds no proof. It does
 * not multiply out products of more than `terms` terms. */
bool fraction_same(Arena *arena, Expr a, Expr b, int terms);
/* Returns the normal form `numerator/denominator`, or only the numerator. Returns `expr` if it
 * finds no form with few terms. */
Expr fraction_form(Pool *pool, Arena *arena, Expr expr);
/* Is it known to be more than 0? */
bool fraction_is_positive(Arena *arena, Expr expr, const FractionSigns *signs);
/* Replaces each select by one arm if the signs decide its condition. */
Expr fraction_choose(Pool *pool, Arena *arena, Expr expr, const FractionSigns *signs);
/* Is every divisor in it known to be more than 0? */
bool fraction_is_defined(Arena *arena, Expr expr, const FractionSigns *signs);

#endif
