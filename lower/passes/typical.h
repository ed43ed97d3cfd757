/* typical.h -- the values of expressions in the middle of a typical run.
 *
 * Each extent has a usual size, each minimum is 0, each parameter has its default, and each loop is
 * at its middle iteration.  An image that is read at larger coordinates is larger, and outputs are
 * smaller if a constant is the end of what they read.  Such a value is a guess about what usually
 * holds.  Nothing that must be right may depend on it.
 */
#ifndef HLC_LOWER_PASSES_TYPICAL_H
#define HLC_LOWER_PASSES_TYPICAL_H

#include "ir/stmt.h"
#include "ir/walk.h"

typedef struct Typical {
    const Program *program;
    int64_t extent; /* of the first two dimensions of a buffer */
    int64_t fitted; /* the extent for the next `typical` */
    Map values;     /* Symbol of a loop or let -> Expr, a constant; missing: not known */
    Map extents; /* Symbol of an image's extent -> Expr, a constant, if it is not the usual one */
    ExprMemo memo;
} Typical;

/* The usual extent of a picture.  The usual length of one dimension for programs that traverse
 * their images in long stretches: the number of points of a picture. */
enum { TYPICAL_EXTENT = 2000, TYPICAL_LENGTH = 4000000 };

Typical typical_create(const Program *program, Arena *arena, int64_t extent);
/* Gives the loop's or let's variable a value from here on; other statements change nothing. */
void typical_bind(Typical *typical, const Stmt *stmt);
/* Computes an index, an integer or a condition; false if it depends on memory. */
bool typical_value(Typical *typical, Expr expr, int64_t *value);
/* Does a test for the end of an image, such as min(x*2, image.extent.0), min(x, 639) or
 * x*2 % image.extent.0, find the middle of a typical run outside?  Then doubles the extent of the image, or halves the usual one, for the next
 * `typical`. */
bool typical_fit(Typical *typical, Expr expr);

#endif
