/* region.h -- symbolic intervals of expressions, and hulls of them.
 *
 * An Interval says between which inclusive ends the value of an expression lies, if its sort is
 * index, or the number that it stands for, if it is a machine integer.  The ends are expressions of
 * sort index; each may be unknown.  `ranges_of` takes an expression apart: a variable that has been
 * bound stands for every value of its range and is thereby eliminated, every other variable is in
 * scope and stands for itself, and a value that is read from memory stands for every value of its
 * type (semantics.md, 5e).  The result mentions neither bound variables nor memory.
 *
 * What holds of a result: for all values of the bound variables inside their ranges the
 * expression's value lies in [lower, upper]; and it is inclusion-monotone, i.e. narrower ranges of
 * the variables give a result inside the wider one.  On expressions that use each bound variable
 * once and are linear or divide by a positive constant, the ends are attained.
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
    Expr culprit;      /* set where an end is unknown */
} Interval;

static inline bool range_is_unknown(Interval range) {
    return !range.lower || !range.upper;
}

typedef struct Ranges {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Map variables; /* Symbol -> const Interval: the variables to eliminate */
    Map memo;      /* Expr -> what is known of it */
    int choices;   /* conditions of selects that narrow variables here */
} Ranges;

Ranges ranges_create(Pool *pool, Arena *arena, Simplifier *simplifier);
/* From here on `variable` is eliminated.  It must not have been met before. */
void ranges_bind(Ranges *ranges, Symbol variable, Interval range);
/* The range of an index or machine integer expression without holes; its ends are simplified. */
Interval ranges_of(Ranges *ranges, Expr expr);

/* Does it mention neither a bound variable nor memory, so that it is its own range? */
bool ranges_is_fixed(Ranges *ranges, Expr expr);
/* At least all its values, null where nothing bounds it: closer than ranges_of(..).upper where a
 * variable occurs several times, and dearer (greatest.c).  For lengths. */
Expr ranges_greatest(Ranges *ranges, Expr expr);

/* The values in both: for a variable of which two things are known. */
Interval range_meet(Ranges *ranges, Interval a, Interval b);

/* The rule for one operator whose operands are not all fixed; used by ranges_of only.  `node` is of
 * sort index or a machine integer; operands that are neither are ranges with unknown ends. */
Interval range_rule(Ranges *ranges, Expr node, const Interval *operands);
/* Is it `i32(x)` of a loop variable?  The entry checks keep every coordinate and reduction variable
 * in i32, so it is the variable's value. */
bool range_is_checked_coordinate(Expr node);
/* All values of an integer type (or bool); unknown ends as above. */
Interval range_whole_type(Pool *pool, Type type, Expr culprit);

/* One side of a region under construction: the least (or greatest) of a few ends, none of which is
 * provably redundant. */
typedef struct Hull {
    bool is_lower;
    Vec(RegionEnd) ends;
} Hull;

/* Adds an end.  The result, whose provenance the caller fills in, lives until the next addition;
 * null where the hull reaches as far already. */
RegionEnd *hull_add(Hull *hull, const Ranges *ranges, Expr end);
/* The least or greatest of the ends, simplified, with where it comes from.  The hull is not empty.
 */
RegionEnd hull_end(const Hull *hull, const Ranges *ranges);

#endif
