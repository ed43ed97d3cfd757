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
    int64_t extent; /* of the first two dimensions of a buffer */
    Map values;     /* Symbol of a loop or let -> Expr, a constant; of others: not known */
    ExprMemo memo;
} Typical;

/* A picture's extent; and one as long as a picture has points, for programs that go through their
 * images in long stretches. */
enum { TYPICAL_EXTENT = 2000, TYPICAL_LENGTH = 4000000 };

Typical typical_create(const Program *program, Arena *arena, int64_t extent);
/* The loop's or let's variable has a value from here on; other statements say nothing. */
void typical_bind(Typical *typical, const Stmt *stmt);
/* Of an index, an integer or a condition; false where it depends on memory. */
bool typical_value(Typical *typical, Expr expr, int64_t *value);

#endif
