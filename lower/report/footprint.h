/* footprint.h -- the memory of a run, as formulas over sizes and the number of threads. */
#ifndef HLC_LOWER_REPORT_FOOTPRINT_H
#define HLC_LOWER_REPORT_FOOTPRINT_H

#include "ir/stmt.h"

/* The memory of one allocate statement at a time. */
typedef struct Holding {
    const Stmt *allocate;
    Symbol name;  /* the func's; for a second statement `g'2` */
    Expr bytes;   /* in startup variables: the most over all iterations around; null: not known */
    Expr staged;  /* of an output: our memory stands in for the user's if it holds; null: always */
    bool stacked; /* on the stack, and not counted */
    const Stmt *parallel; /* the innermost parallel loop around it, or null */
    Expr iterations;      /* of all parallel loops around together, at most; null: not known */
} Holding;

typedef struct Footprint {
    Vec(Holding) holdings; /* in the program's order; those without memory are left out */
    Symbol threads;        /* the number of threads that a parallel loop uses */
    Expr peak;             /* in the holdings' names and `threads`; null if some are not known */
    Expr bytes;            /* the same in startup variables and `threads` */
} Footprint;

/* Returns the greatest number of bytes that the run-time library's allocator holds at one time;
 * each block is rounded up by at most 64 more.  The outputs' buffers have the layout in which they
 * are computed fastest.  `program` has been through all passes, or is the text of such a
 * program. */
Footprint footprint_of(const Program *program, Arena *arena);

#endif
