/* operators.h -- the table of associative operators while it is compiled; associative/operators/.
 *
 *     # comment
 *     over machine [types]
 *     sum     x + y -> 0  commutes
 *     argmin  {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)} -> {highest, 0}
 *     last    y -> none
 *
 * A section says what numbers are: machine, float, number (either), bool, any, or one of these for
 * each element, `over bool, machine`.  Behind the arrow stands the right-neutral element: `none`
 * where it is proved that there is none, `unknown` where none was found; then whether it commutes;
 * then, of floats, `where 0 <= x.0`: of which tuples it holds.
 *
 * Terms are read as expressions are everywhere (ir/read.h).  `k` is any constant, `lowest` and
 * `highest` are the ends of the element's type.
 */
#ifndef HLC_RULEC_OPERATORS_H
#define HLC_RULEC_OPERATORS_H

#include "associative/operator_table.h"
#include "base/vec.h"
#include "ir/expr.h"

#include <stdio.h>

typedef struct OperatorSet {
    Context *context;
    Arena *arena;
    Pool *pool;
    Vec(OperatorEntry) entries;
    Vec(const char *) errors; /* "file:line: sentence" */
} OperatorSet;

/* Appends the entries of one text. */
void operators_read(OperatorSet *set, const char *file, const char *text);
/* An error for each entry that the record, `NAME WORD HASH` a line, does not say to be proved. */
void operators_check_proofs(OperatorSet *set, const char *file, const char *text);
/* Of all that is proved of an entry: its text and its types. */
uint64_t operator_hash(const OperatorEntry *entry);
/* The table as C. */
void operators_write(const OperatorSet *set, FILE *out);

#endif
