/* typical.h -- the values of expressions at the middle of a typical run.
 *
 * Each extent has a usual size, each minimum is 0, each parameter has its default, and each loop
 * stands at its middle iteration.  What holds there is what usually holds: a guess, on which
 * nothing that must be right may rest.
 */
#ifndef HLC_LOWER_TYPICAL_H
#define HLC_LOWER_TYPICAL_H

#include "ir/stmt.h"
#include "ir/walk.h"

typedef struct Typical {
    const Program *program;
    Map values; /* Symbol of a loop or let -> Expr, a constant; of others: not known */
    ExprMemo memo;
} Typical;

Typical typical_create(const Program *program, Arena *arena);
/* The loop's or let's variable has a value from here on; other statements say nothing. */
void typical_bind(Typical *typical, const Stmt *stmt);
/* Of an index, an integer or a condition; false where it depends on memory. */
bool typical_value(Typical *typical, Expr expr, int64_t *value);

#endif
