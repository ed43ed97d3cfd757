/* partition.h -- inside PASS_PARTITION: what partition.c and likely.c share. */
#ifndef HLC_LOWER_PARTITION_H
#define HLC_LOWER_PARTITION_H

#include "lower/passes/knowledge.h"
#include "lower/lower.h"
#include "lower/passes/typical.h"

/* Of a loop's variable: it is at least each of `least`, at most each of `most`; expressions that
 * are known where the loop begins. */
typedef struct Within {
    Exprs least, most;
} Within;

/* Of the pieces of a loop: first <= begin <= stop <= end, where `may_cross` says that `stop` is to
 * be raised to `begin` for that. */
typedef struct LoopEnds {
    Expr first, begin, stop, end;
    bool may_cross;
} LoopEnds;

/* A loop that may be partitioned. */
typedef struct Partition {
    Stmt *loop;
    size_t depth;     /* loops and lets around it */
    bool may_split;   /* otherwise it may only be trimmed */
    Within alive;     /* outside, an iteration does nothing */
    Within predicate; /* of these limits, those that the predicate of an update sets */
    Within steady;    /* inside, every test that was chosen has its likely outcome */
    int64_t from, to; /* the steady state in a typical run, inclusive */
    LoopEnds ends;
    Extent let_through;   /* by the predicate of an update; minimum null: all */
    bool is_changed;      /* its interval is no longer the one it was written with */
} Partition;

/* A statement's own expressions for the steady state, in the order of stmt_map_own_exprs. */
typedef struct Rewritten {
    Stmt *stmt;
    Exprs exprs;
} Rewritten;

typedef struct Partitioner {
    Program *program;
    Arena *arena;
    Knowledge knowledge;
    Simplifier *ranges; /* of each variable, in all of its scope */
    Typical typical;
    Map partitions;     /* Stmt -> Partition */
    Map depths;         /* Symbol of a loop or let around -> Partitioner.around's length, inside */
    Vec(Stmt *) around; /* loops and lets */
    Vec(Partition *) changed; /* inner ones before those around them */
    Vec(Rewritten *) rewritten;
    PartitionCounts counts;
    Map outcomes; /* Expr, a condition of the current statement -> whether it was chosen */
    Map solved;   /* Expr, a condition of it -> its intervals, by variable */
} Partitioner;

/* likely.c */
/* `expr` with each test replaced by its likely outcome, where a loop could be limited to the
 * iterations that have it. */
Expr partition_likely(Partitioner *partitioner, Expr expr);
/* The condition: `true` or `false` where a loop could be so limited, else itself. */
Expr partition_likely_condition(Partitioner *partitioner, Expr condition);
/* Of an `if` that is all there is in the loops around it: limits the innermost one to where the
 * condition may hold.  True where it holds in all iterations that are left. */
bool partition_trim(Partitioner *partitioner, const Stmt *branch);

#endif
