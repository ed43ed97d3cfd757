/* footprint.h -- how much memory a run takes, as formulas over sizes and the number of threads. */
#ifndef HLC_LOWER_FOOTPRINT_H
#define HLC_LOWER_FOOTPRINT_H

#include "ir/stmt.h"

/* What one allocate statement takes each time. */
typedef struct Holding {
    const Stmt *allocate;
    Symbol name;  /* the func's; of a second statement `g'2` */
    Expr bytes;   /* in startup variables: the most over all iterations around; null: not known */
    Expr staged;  /* of an output: where memory of our own stands for the user's; null: always */
    bool stacked; /* on the stack, and not among what is taken */
    const Stmt *parallel; /* the innermost parallel loop around it, or null */
    Expr iterations;      /* the most of all parallel loops around together; null: not known */
} Holding;

typedef struct Footprint {
    Vec(Holding) holdings; /* in the program's order; those that take nothing are left out */
    Symbol threads;        /* stands for how many threads a parallel loop uses */
    Expr peak;             /* in the holdings' names and `threads`; null where some are not known */
    Expr bytes;            /* the same in startup variables and `threads` */
} Footprint;

/* What is taken from the run-time library's allocator at one time, at most, in bytes; each block is
 * rounded up by at most 64 more.  The outputs' buffers have the layout in which they are computed
 * fastest.  `program` has been through all passes, or is the text of such a one. */
Footprint footprint_of(const Program *program, Arena *arena);

#endif
