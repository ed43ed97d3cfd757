/* explain.h -- the loop nest that a schedule makes, for people. */
#ifndef HLC_LOWER_EXPLAIN_H
#define HLC_LOWER_EXPLAIN_H

#include "lower/lower.h"

/* The value of a startup variable: a parameter, `input.extent.0`, `out.min.1`; false where it is
 * not given. */
typedef struct ExplainValues {
    bool (*value)(void *data, Symbol name, Bits *bits);
    void *data;
} ExplainValues;

/* One line a loop, indented: its name, where it begins and how often it runs (as a formula, and as
 * a number or an upper limit where that is known), in what manner, and its tails.  Between them
 * where each func is stored and computed, how large its memory is, and what is computed again from
 * one iteration of a loop to the next.  `values` (null: none) are put into the formulas; with all
 * of them the points that are computed are counted.  `lowered` has been through all passes and is
 * changed. */
void explain_nest(FILE *out, Lowered *lowered, Arena *arena, const ExplainValues *values);

#endif
