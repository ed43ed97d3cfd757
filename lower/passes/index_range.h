/* index_range.h -- does the arithmetic of a program's indices stay within 64 bits?
 *
 * The pass computes constant intervals of index expressions.  The limits of variables come from
 * facts that the entry asserts.  Parameters have ranges.  Images, windows, coordinates of funcs and
 * reduction variables lie in 32 bits.  No length is above 2^31 - 1.  Every index operation whose
 * interval leaves 64 bits is a fault.
 */
#ifndef HLC_LOWER_PASSES_INDEX_RANGE_H
#define HLC_LOWER_PASSES_INDEX_RANGE_H

#include "ir/algorithm.h"
#include "ir/stmt.h"

typedef struct IndexRanges IndexRanges;

IndexRanges *index_ranges_create(const Program *program, const Pipeline *pipeline, Arena *arena);

/* Handles an index operation that may leave 64 bits; its arguments do not.  `size` is its magnitude
 * in f64, in startup variables (magnitude.h), so the handler makes the entry check it.  It is null if
 * nothing limits it.  From then on the node counts as at most 2^62 in magnitude.  `stmt` is null for
 * an expression of index_ranges_check. */
typedef void IndexFault(void *data, Expr node, Expr size, const Stmt *stmt);

/* Passes the faults of a startup expression to the handler, arguments before users. */
void index_ranges_check(IndexRanges *ranges, Expr expr, IndexFault *fault, void *data);
/* The same for the value of a let, whose variable has a range from then on. */
void index_ranges_check_let(IndexRanges *ranges, Stmt *let, IndexFault *fault, void *data);
/* The same for every expression of the block's statements, in program order. */
void index_ranges_check_block(IndexRanges *ranges, Block *block, IndexFault *fault, void *data);

#endif
