/* recurrence.h -- the distances at which the equations of a recurrence read each other ("Design of
 * Merge Ures": order and distance constraints).
 *
 * If `f` at (i, j) reads g(i - 1, j + 2), the distance is (1, -2): the read point lies that many
 * steps *back*.
 */
#ifndef HLC_IR_RECURRENCE_H
#define HLC_IR_RECURRENCE_H

#include "ir/algorithm.h"

/* Finds how far the index lies back from its variable; false if that is not constant. */
bool recurrence_offset(Expr variable, Expr index, int64_t *offset);
/* Finds the distance of an access in the func's pure stage, one number for each dimension. Returns
 * false if one is not constant. */
bool recurrence_distance(const Func *reader, Expr access, int64_t *distance);
/* Returns the dimension of a domain variable in the recurrence's funcs. */
int recurrence_dimension(const Recurrence *recurrence, size_t variable);
/* Does the recurrence have a func of that name? */
bool recurrence_has(const Pipeline *pipeline, const Recurrence *recurrence, Symbol func);
/* Returns the name `f_merged` for the func of a nest of equations. The nest needs it if its first
 * equation `func` is an output, which must stay a func of its own. */
Symbol recurrence_nest_name(Context *context, Symbol func);

#endif
