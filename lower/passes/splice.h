/* splice.h -- replaces statements by the statements inside them. */
#ifndef HLC_LOWER_PASSES_SPLICE_H
#define HLC_LOWER_PASSES_SPLICE_H

#include "ir/stmt.h"

/* Replaces a let by its body, or an `if` with a constant condition by the branch that it takes.
 * The statement stays if the body allocates and something follows it: an allocation must never live
 * longer than before.  The let's variable is used nowhere. */
void splice_unwrap(Stmt *stmt);
/* Sets the sites of each func to those in the program, in program order. */
void splice_register(Program *program);

#endif
