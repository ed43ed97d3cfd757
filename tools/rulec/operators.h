/* operators.h -- compiles the table of associative operators, associative/operators/.
 *
 *     # comment
 *     over machine [types]
 *     sum     x + y -> 0  commutes
 *     argmin  {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)} -> {highest, 0}
 *     last    y -> none
 *
 * A section gives the kind of its numbers: machine, float, number (either), bool, any, or one of
 * these for each component, `over bool, machine`. After the arrow comes the right-neutral element:
 * `none` if it is proved that there is none, `unknown` if none was found. Then comes `commutes`, if
 * it does, and for floats `where 0 <= x.0`, the tuples for which the entry holds.
 *
 * Terms are ordinary expressions (ir/read.h). `k` is any constant; `lowest` and `highest` are the
 * ends of the component's type.
 */
#ifndef HLC_TOOLS_RULEC_OPERATORS_H
#define HLC_TOOLS_RULEC_OPERATORS_H

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
/* Adds an error for each entry that the record, `NAME WORD HASH` a line, does not list as proved.
 */
void operators_check_proofs(OperatorSet *set, const char *file, const char *text);
/* Hashes all that the proof of an entry depends on: its text and its types. */
uint64_t operator_hash(const OperatorEntry *entry);
/* Writes the table as C. */
void operators_write(const OperatorSet *set, FILE *out);

#endif
