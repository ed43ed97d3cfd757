/* explain.h -- the loop nest that a schedule makes, for people. */
#ifndef HLC_LOWER_EXPLAIN_H
#define HLC_LOWER_EXPLAIN_H

#include "lower/lower.h"

/* One line a loop, indented: its name, where it begins and how often it runs (as a formula, and as
 * a number or an upper limit where that is known), in what manner, and its tail.  Between them
 * where each func is stored and computed, how large its memory is, and what is computed again from
 * one iteration of a loop to the next.  `lowered` has been through all passes. */
void explain_nest(FILE *out, const Lowered *lowered, Arena *arena);

#endif
