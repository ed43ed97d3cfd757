/* query.h -- checks B(S) of Figure 10 (as semantics.md, section 5, mends it) on a filled program
 * with concrete numbers.
 *
 * The oracle's answer is never trusted blindly.  This checker runs the program's loops for given
 * values of the startup variables, and computes only indices.  A value read from memory is drawn at
 * random from its type.  For each executed statement instance it checks the clauses of B:
 *
 *   lengths  of loops, compute and allocate intervals are at least 0
 *   mem      every evaluated read, and every write, lies in the allocation (for images: in `whole`)
 *   cpu      the reads of a write that lies in Cpu lie in the Cpu of their funcs (of a slid one: in
 *            what it holds); those in write indices, predicates and loop bounds in any case
 *   held     what a slid compute statement holds was computed now, or before and not written since
 *   inside   Cpu lies in Mem, at compute
 *   loop     each stage's loops cover Cpu in its pure dimensions, guards included, predicate not
 *   window   the output's window lies in its Cpu
 *
 * It also measures the part of each Cpu that nothing needs.
 */
#ifndef HLC_CHECKERS_QUERY_QUERY_H
#define HLC_CHECKERS_QUERY_QUERY_H

#include "bounds/oracle.h"

/* Returns the value of a parameter or a buffer field; false if `name` is neither. */
typedef bool QueryVariable(void *data, Symbol name, Bits *bits);

/* The slack of one func and dimension.  It covers the compute intervals of all runs together; if
 * the func slides, the interval of all runs that hold for one another.
 *
 * `unasked` counts the coordinates outside the hull of what B needs.  `unread` counts those outside
 * the hull of all reads in the algorithm.  They differ if an iteration of a reduction writes
 * outside Cpu: B ignores its reads, but the algorithm evaluates them, so they decide which inputs
 * are refused.
 *
 * For an image: the region that the program claims to read. */
typedef struct QuerySlack {
    Symbol func;
    int dimension;
    int64_t computed, unasked, unread;
} QuerySlack;

typedef struct QueryOptions {
    QueryVariable *variable;
    void *data;
    uint64_t seed;
    uint64_t budget; /* statement instances; beyond it the answer is unfinished */
} QueryOptions;

typedef struct QueryAnswer {
    const char *violation; /* null if B holds; else the clause, the statement and the numbers */
    bool refused;          /* an assertion of the program failed: nothing was checked */
    bool finished;
    uint64_t instances;
    Vec(QuerySlack) slack; /* by func in definition order, then image; by dimension */
} QueryAnswer;

QueryAnswer bounds_query(const Program *program, const Pipeline *pipeline,
                         const BoundsResult *result, Arena *arena, const QueryOptions *options);

#endif
