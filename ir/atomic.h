/* atomic.h -- stores that are atomic: an update whose reading of an element and writing of it is
 * one step, whatever other iterations of a parallel loop do meanwhile.
 *
 *     for f.s1.r in (0, n) reduction parallel do
 *       atomic f[index(a[f.s1.r])] <- f[index(a[f.s1.r])] + 1:i32
 *
 * Of its own func, which has one component of integers or bools, such a store reads the element
 * that it writes and nothing else.  So an operator that is associative and commutative makes the
 * same of all the updates of an element in whatever order they come; who makes a store atomic shows
 * that it is one (schedule/atomic.c).  It stands in no vectorized loop.
 */
#ifndef HLC_IR_ATOMIC_H
#define HLC_IR_ATOMIC_H

#include "ir/stmt.h"
#include "ir/walk.h"

/* Can an element of this type be read and written in one step? */
bool atomic_has_type(Type type);
/* Is all that the store reads of its func the element that it writes, and that in its value? */
bool atomic_reads_in_place(Arena *scratch, const Stmt *store);
/* An index that a pass has rewritten in its place in a value may say the point of an atomic store
 * in other words than the store's own does: afterwards all of the program's say it in the same. */
void atomic_settle(Program *program, Arena *scratch);
/* Does the statement stand in a parallel loop? */
bool atomic_is_needed(const Stmt *stmt);
/* Are both atomic stores of one stage, of which it does not matter which comes first? */
bool atomic_is_same_update(const Stmt *one, const Stmt *other);

#endif
