/* partition.h -- inside PASS_PARTITION: shared by partition.c and likely.c. */
#ifndef HLC_LOWER_PASSES_PARTITION_H
#define HLC_LOWER_PASSES_PARTITION_H

#include "lower/passes/knowledge.h"
#include "lower/lower.h"
#include "lower/passes/typical.h"

/* Limits of a loop's variable: at least each of `least`, at most each of `most`.  The expressions
 * are known where the loop begins. */
typedef struct Within {
    Exprs least, most;
} Within;

/* The pieces of a loop: first <= begin <= stop <= end.  With `may_cross`, `stop` must be raised to
 * `begin` for that. */
typedef struct LoopEnds {
    Expr first, begin, stop, end;
    bool may_cross;
} LoopEnds;

/* For which tests a loop may be split. */
typedef enum SplitsFor {
    SPLITS_FOR_NONE,  /* it may only be trimmed */
    SPLITS_LAST,      /* for tests that differ among lanes, if no other loop splits for them */
    SPLITS_FOR_LANES, /* for tests that differ among the lanes of a vector */
    SPLITS_FOR_INNER, /* and for all others but clamps that the loops inside do not change */
    SPLITS_FOR_ALL
} SplitsFor;

/* A loop that may be partitioned. */
typedef struct Partition {
    Stmt *loop;
    size_t depth; /* loops and lets around it */
    SplitsFor splits_for;
    Within alive;     /* outside these limits, an iteration does nothing */
    Within predicate; /* those of the limits that the predicate of an update sets */
    Within steady;    /* inside, every chosen test has its likely outcome */
    int64_t inside;   /* the iterations of the longest nest of serial loops inside, at most a few */
    int64_t from, to; /* the steady state in a typical run, inclusive */
    LoopEnds ends;
    Extent let_through; /* iterations that an update's predicate lets through; minimum null: all */
    bool is_short;      /* an innermost loop of few iterations, which is unrolled later (short.c) */
    bool is_changed;    /* its interval is not the original one */
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
    Simplifier *ranges; /* the range of each variable in all of its scope */
    Typical typical;
    Map partitions;     /* Stmt -> Partition */
    Map depths;         /* Symbol of a loop or let around -> Partitioner.around's length, inside */
    Vec(Stmt *) around; /* loops and lets */
    Vec(Partition *) changed; /* inner loops before outer ones */
    Vec(Rewritten *) rewritten;
    PartitionCounts counts;
    bool is_clamp;  /* the current test is a min or max, and tells no length */
    bool is_length; /* the current expression is the length of a loop */
    Map outcomes;   /* Expr, a condition of the current statement -> whether it was chosen */
    Map solved;     /* Expr, a condition of it -> its intervals, by variable */
} Partitioner;

/* likely.c */
/* Returns `expr` with each test replaced by its likely outcome, if a loop can be limited to the
 * iterations that have it. */
Expr partition_likely(Partitioner *partitioner, Expr expr);
/* Returns `true` or `false` if a loop can be so limited, else the condition itself. */
Expr partition_likely_condition(Partitioner *partitioner, Expr condition);
/* For an `if` that is alone in the loops around it: limits the innermost loop to where the
 * condition may hold.  True if it holds in all remaining iterations. */
bool partition_trim(Partitioner *partitioner, const Stmt *branch);

#endif
