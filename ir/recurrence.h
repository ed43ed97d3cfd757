/* recurrence.h -- the distances at which the equations of a recurrence read each other ("Design of
 * Merge Ures": order and distance constraints).
 *
 * If `f` at (i, j) reads g(i - 1, j + 2), the distance is (1, -2): the read point lies that many
 * steps *back*.
 */
#ifndef HLC_IR_RECURRENCE_H
#define HLC_IR_RECURRENCE_H

#include "ir/algorithm.h"

/* Finds the offset of the index back from its variable; false if it is not constant. */
bool recurrence_offset(Expr variable, Expr index, int64_t *offset);
/* Finds the distance of an access in the func's pure stage, one number a dimension; false if one is
 * not constant. */
bool recurrence_distance(const Func *reader, Expr access, int64_t *distance);
/* The dimension of a domain's variable in the recurrence's funcs. */
int recurrence_dimension(const Recurrence *recurrence, size_t variable);
/* Does the recurrence have a func of that name? */
bool recurrence_has(const Pipeline *pipeline, const Recurrence *recurrence, Symbol func);
/* Returns the name of the func of a nest of equations, if the first of them, `func`, is an output
 * that must stay a func of its own: `f_merged`. */
Symbol recurrence_nest_name(Context *context, Symbol func);

#endif
