/* region.h -- symbolic intervals of expressions, and hulls of them.
 *
 * An Interval holds the inclusive ends of an expression's value.  The value is of sort index, or
 * the number that a machine integer stands for.  The ends are expressions of sort index; each may
 * be unknown.  Of a float the ends are floats (float_rules.c).
 *
 * `ranges_of` takes an expression apart.  A bound variable stands for every value of its range, and
 * is eliminated.  Every other variable is in scope and stands for itself.  A value read from memory
 * stands for every value of its type (semantics.md, 5e).  The result mentions neither bound
 * variables nor memory.
 *
 * The condition of a select narrows bound variables in its arms: `select(x < 8, x, x - 8)` with x in
 * [0, 15] lies in [0, 7].
 *
 * An end is unknown where only the type's range is known and the type has 32 bits or more: such a
 * box could not be allocated sensibly.  Then `culprit` is the subexpression that nothing bounds.
 */
#ifndef HLC_BOUNDS_REGION_H
#define HLC_BOUNDS_REGION_H

#include "bounds/oracle.h"

typedef struct Interval {
    Expr lower, upper; /* inclusive; null is unknown */
    Expr culprit;      /* set if an end is unknown */
} Interval;

static inline bool range_is_unknown(Interval range) {
    return !range.lower || !range.upper;
}

typedef struct Ranges {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Map variables;      /* Symbol -> const Interval: the variables to eliminate */
    Map memo;           /* Expr -> what is known of it */
    const Map *calls;   /* Symbol of a func -> const Interval *, the ranges of its components; null:
                         no func's values are known (values.c) */
    int choices;        /* conditions of selects that narrow variables here */
    bool folds_exactly; /* closer ranges of folded coordinates */
} Ranges;

Ranges ranges_create(Pool *pool, Arena *arena, Simplifier *simplifier);
/* Eliminates `variable` from here on.  It must not have been met before. */
void ranges_bind(Ranges *ranges, Symbol variable, Interval range);
/* Returns the range of a number without holes, with simple ends. */
Interval ranges_of(Ranges *ranges, Expr expr);

/* Does the expression mention neither a bound variable nor memory?  Then it is its own range. */
bool ranges_is_fixed(Ranges *ranges, Expr expr);
/* Returns an upper limit of all its values; null if nothing bounds it.  The limit is closer than
 * ranges_of(..).upper if a variable occurs several times, and costs more (greatest.c).  For
 * lengths. */
Expr ranges_greatest(Ranges *ranges, Expr expr);

/* Returns the values in both ranges, for a variable about which two facts are known. */
Interval range_meet(Ranges *ranges, Interval a, Interval b);

/* Applies the rule of one operator whose operands are not all fixed; only ranges_of uses it.
 * `node` is of sort index or a machine integer.  Operands of other types are ranges with unknown
 * ends. */
Interval range_rule(Ranges *ranges, Expr node, const Interval *operands);
/* The same for a float node, and for one that is its own range (float_rules.c). */
Interval range_float_rule(const Ranges *ranges, Expr node, const Interval *operands);
Interval range_fixed_float(const Ranges *ranges, Expr node);
/* The same for a conversion of a float to a machine integer, all of whose values are `whole`.  The
 * range holds 0 if the float may be NaN. */
Interval range_truncated(const Ranges *ranges, Expr node, Interval operand, Interval whole);
/* Is it `i32(x)` of a loop variable?  The entry checks keep every coordinate and reduction variable
 * in i32, so it is the variable's value. */
bool range_is_checked_coordinate(Expr node);
/* All values of an integer type (or bool); unknown ends as above. */
Interval range_whole_type(Pool *pool, Type type, Expr culprit);

/* One side of a region under construction: the least (or greatest) of some ends, none of which is
 * provably redundant. */
typedef struct Hull {
    bool is_lower;
    Vec(RegionEnd) ends;
} Hull;

/* Adds an end.  The caller fills in the provenance of the result, which lives until the next
 * addition.  Null if the hull already reaches as far. */
RegionEnd *hull_add(Hull *hull, const Ranges *ranges, Expr end);
/* Returns the least or greatest of the ends, simplified, with its origin.  The hull is not
 * empty. */
RegionEnd hull_end(const Hull *hull, const Ranges *ranges);

#endif
