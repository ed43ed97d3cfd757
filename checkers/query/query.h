/* query.h -- B(S) of Figure 10 (as semantics.md, section 5, mends it), asked of a filled program on
 * concrete numbers.
 *
 * The oracle's answer is never trusted blindly.  This checker runs the program's loops for given
 * values of the startup variables, without computing anything but indices: what is read from memory
 * is drawn at random from all values of its type.  For each executed statement instance it asks the
 * clauses of B:
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
 * and it measures how much of each Cpu nobody asked for.
 */
#ifndef HLC_BOUNDS_QUERY_H
#define HLC_BOUNDS_QUERY_H

#include "bounds/oracle.h"

/* The value of a parameter or a buffer field; false where `name` is neither. */
typedef bool QueryVariable(void *data, Symbol name, Bits *bits);

/* One func and dimension: the compute intervals of all runs together (where it slides, of the runs
 * that hold for one another the interval of all), and how many of those
 * coordinates lie outside the hull of what B asks for (`unasked`), and outside the hull of what is
 * read at all in the algorithm (`unread`): where a reduction's iteration writes outside of Cpu, B
 * asks nothing of its reads, but the algorithm evaluates them, and so they decide which inputs are
 * refused.  For an image: the region that is said to be read. */
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
    const char *violation; /* null where B holds; else the clause, the statement and the numbers */
    bool refused;          /* an assertion of the program failed: nothing was asked */
    bool finished;
    uint64_t instances;
    Vec(QuerySlack) slack; /* by func in definition order, then image; by dimension */
} QueryAnswer;

QueryAnswer bounds_query(const Program *program, const Pipeline *pipeline,
                         const BoundsResult *result, Arena *arena, const QueryOptions *options);

#endif
