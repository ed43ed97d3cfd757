/* atomic.h -- atomic stores: an update reads and writes an element in one step, even while other
 * iterations of a parallel loop update it.
 *
 *     for f.s1.r in (0, n) reduction parallel do
 *       atomic f[index(a[f.s1.r])] <- f[index(a[f.s1.r])] + 1:i32
 *
 * The func has one component, an integer or a bool.  The store reads of its func only the element
 * that it writes.  If the operator is associative and commutative, the updates of an element give
 * the same value in any order.  The directive that makes a store atomic must show this
 * (schedule/directives/atomic.c). A vectorized loop contains no atomic store.
 */
#ifndef HLC_IR_ATOMIC_H
#define HLC_IR_ATOMIC_H

#include "ir/stmt.h"
#include "ir/walk.h"

/* Can an element of this type be read and written in one step? */
bool atomic_has_type(Type type);
/* Does the store read of its func only the element that it writes, and only in its value? */
bool atomic_reads_in_place(Arena *scratch, const Stmt *store);
/* Makes the index inside the value of each atomic store equal to the index of the store again. A
 * pass may have rewritten one and not the other. */
void atomic_settle(Program *program, Arena *scratch);
/* Is the statement inside a parallel loop? */
bool atomic_is_needed(const Stmt *stmt);
/* Are both atomic stores of one stage? Then they may run in either order. */
bool atomic_is_same_update(const Stmt *one, const Stmt *other);

#endif
