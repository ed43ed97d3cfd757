/* explain.h -- prints the loop nest that a schedule makes, for people. */
#ifndef HLC_LOWER_REPORT_EXPLAIN_H
#define HLC_LOWER_REPORT_EXPLAIN_H

#include "lower/lower.h"

/* Returns the value of a startup variable: a parameter, `input.extent.0`, `out.min.1`; false if it
 * is not given. */
typedef struct ExplainValues {
    bool (*value)(void *data, Symbol name, Bits *bits);
    void *data;
} ExplainValues;

/* Prints one indented line a loop: its name, its start, its number of iterations, its traversal,
 * and its tails.  The number is a formula, and a number or an upper limit if that is known.
 *
 * Between the loops stand the allocations and computations of funcs, with the size of their memory.
 * With them stands what is recomputed from one iteration of a loop to the next.  `values` (null:
 * none) are put into the formulas; if all are given, the computed points are counted.  `lowered`
 * has been through all passes and is changed. */
void explain_nest(FILE *out, Lowered *lowered, Arena *arena, const ExplainValues *values);

#endif
