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

/* Unknowns with a known sign. */
typedef struct FractionSigns {
    Exprs positive, not_negative;
} FractionSigns;

/* Are the two equal wherever no divisor in either is 0? False if no proof is found; products of
 * more than `terms` terms are not multiplied out. */
bool fraction_same(Arena *arena, Expr a, Expr b, int terms);
/* Returns the normal form, `numerator/denominator`, or only the numerator. Returns the expression
 * itself if it has no such form of few terms. */
Expr fraction_form(Pool *pool, Arena *arena, Expr expr);
/* Is it known to be more than 0? */
bool fraction_is_positive(Arena *arena, Expr expr, const FractionSigns *signs);
/* Replaces a choice by an arm if these signs decide its condition. */
Expr fraction_choose(Pool *pool, Arena *arena, Expr expr, const FractionSigns *signs);
/* Is every divisor in it known to be more than 0? */
bool fraction_is_defined(Arena *arena, Expr expr, const FractionSigns *signs);

#endif
