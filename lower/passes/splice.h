/* splice.h -- statements taken out, and replaced by what stands in them. */
#ifndef HLC_LOWER_SPLICE_H
#define HLC_LOWER_SPLICE_H

#include "ir/stmt.h"

/* The statements of a let's body, or of that branch of an `if` that its constant condition takes,
 * stand where the statement stood.  It stays where they allocate and something follows it: what is
 * allocated never lives longer than before.  The let's variable is used nowhere. */
void splice_unwrap(Stmt *stmt);
/* The sites of each func are those that are there, in program order. */
void splice_register(Program *program);

#endif
