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

/* A line of the loop nest. */
typedef struct ExplainLine {
    const Stmt *stmt;  /* that it is about: FOR, ALLOCATE, COMPUTE, STORE, IF, LABEL, ASSERT */
    bool is_otherwise; /* of an IF: its else branch begins */
    int depth;
    const char *text; /* without the indentation */
    /* Of a FOR its iterations, of an ALLOCATE its bytes, at most; of a COMPUTE how often it runs.
     * -1: not known. */
    int64_t count;
    int64_t computed, distinct; /* points of a COMPUTE, all together and different ones; -1 */
} ExplainLine;

typedef void ExplainTell(void *data, const ExplainLine *line);

/* Tells one line a loop: its name, its start, its number of iterations, its traversal,
 * and its tails.  The number is a formula, and a number or an upper limit if that is known.
 *
 * Between the loops stand the allocations and computations of funcs, with the size of their memory.
 * With them stands what is recomputed from one iteration of a loop to the next.  `values` (null:
 * none) are put into the formulas; if all are given, the computed points are counted.  `lowered`
 * has been through all passes and is changed. */
void explain_lines(Lowered *lowered, Arena *arena, const ExplainValues *values, ExplainTell *tell,
                   void *data);
/* The same, printed. */
void explain_nest(FILE *out, Lowered *lowered, Arena *arena, const ExplainValues *values);

#endif
