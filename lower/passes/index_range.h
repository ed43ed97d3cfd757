/* index_range.h -- does the arithmetic of a program's indices stay within 64 bits?
 *
 * Constant intervals over index expressions: what the entry has asserted (parameters' ranges,
 * images and windows in 32 bits, the coordinates of funcs and reduction variables in 32 bits, no
 * length above 2^31 - 1) gives the limits of variables; every index operation whose interval leaves
 * 64 bits is a fault.
 */
#ifndef HLC_LOWER_INDEX_RANGE_H
#define HLC_LOWER_INDEX_RANGE_H

#include "ir/algorithm.h"
#include "ir/stmt.h"

typedef struct IndexRanges IndexRanges;

IndexRanges *index_ranges_create(const Program *program, const Pipeline *pipeline, Arena *arena);

/* An index operation that may leave 64 bits; its arguments do not.  `startup`: no loop variable,
 * let or memory occurs in it, so that the entry can check it: then the handler does so, and from
 * here on the node counts as at most 2^62 in magnitude.  `stmt` is null for an expression of
 * index_ranges_check. */
typedef void IndexFault(void *data, Expr node, bool startup, const Stmt *stmt);

/* Hands over the faults of a startup expression, arguments before users. */
void index_ranges_check(IndexRanges *ranges, Expr expr, IndexFault *fault, void *data);
/* Those of every expression of the block's statements, in program order. */
void index_ranges_check_block(IndexRanges *ranges, Block *block, IndexFault *fault, void *data);

#endif
