/* fraction.h -- treats expressions of floats as reals: quotients of polynomials.
 *
 * Two expressions of + - * / are the same function wherever no divisor is 0, if cross-multiplying
 * their quotients gives the same polynomial.  Any other operation is an unknown.  So is a constant
 * that is not a small whole number: a fact for all its values holds for its own.  The sign of a
 * polynomial is known only if all its unknowns are positive (or not negative) and it has no minus.
 *
 *     a + (b - a)/(n + 1)    is    (a*n + b)/(n + 1)
 */
#ifndef HLC_IR_FRACTION_H
#define HLC_IR_FRACTION_H

#include "ir/walk.h"

/* Unknowns of which something is known. */
typedef struct FractionSigns {
    Exprs positive, not_negative;
} FractionSigns;

/* Are the two the same wherever no divisor in either is 0?  False where that is not seen; no
 * product of more than `terms` terms is multiplied out. */
bool fraction_same(Arena *arena, Expr a, Expr b, int terms);
/* The value in normal form, `numerator/denominator`, or the numerator alone; the expression itself
 * where it has no such form of few terms. */
Expr fraction_form(Pool *pool, Arena *arena, Expr expr);
/* Is it seen to be more than 0? */
bool fraction_is_positive(Arena *arena, Expr expr, const FractionSigns *signs);
/* The arms of choices whose conditions these signs decide; comparisons of other things stay. */
Expr fraction_choose(Pool *pool, Arena *arena, Expr expr, const FractionSigns *signs);
/* Is every divisor in it seen to be more than 0? */
bool fraction_is_defined(Arena *arena, Expr expr, const FractionSigns *signs);

#endif
