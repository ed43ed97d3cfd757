/* recurrence.h -- the distances at which the equations of a recurrence read each other ("Design of
 * Merge Ures": order and distance constraints).
 *
 * If `f` at (i, j) reads g(i - 1, j + 2), the distance is (1, -2): the read point lies that many
 * steps *back*.
 */
#ifndef HLC_IR_RECURRENCE_H
#define HLC_IR_RECURRENCE_H

#include "ir/algorithm.h"

/* How far the dimension's index lies behind its variable; false where that is no constant. */
bool recurrence_offset(Expr variable, Expr index, int64_t *offset);
/* The distance of an access that stands in the func's pure stage, one number a dimension; false
 * where some dimension has no constant one. */
bool recurrence_distance(const Func *reader, Expr access, int64_t *distance);
/* The dimension of a domain's variable in the recurrence's funcs. */
int recurrence_dimension(const Recurrence *recurrence, size_t variable);
/* Does the recurrence have a func of that name? */
bool recurrence_has(const Pipeline *pipeline, const Recurrence *recurrence, Symbol func);
/* What the func of a nest of equations is called where the first of them, `func`, is an output that
 * has to stay one of its own: `f_merged`. */
Symbol recurrence_nest_name(Context *context, Symbol func);

#endif
