/* splice.h -- replaces statements by the statements inside them, and copies loops. */
#ifndef HLC_LOWER_PASSES_SPLICE_H
#define HLC_LOWER_PASSES_SPLICE_H

#include "ir/stmt.h"

/* Replaces a let by its body, or an `if` with a constant condition by the branch that it takes.
 * The statement stays if the body allocates and something follows it: an allocation must never live
 * longer than before.  The let's variable is used nowhere. */
void splice_unwrap(Stmt *stmt);
/* Does so with an `if`, and removes loops and lets around it that are then empty. */
void splice_branch(Stmt *branch);
/* Copies a loop; each compute statement in the copy has a number of its own. */
Stmt *splice_copy_loop(Program *program, const Stmt *loop);
/* Sets the sites of each func to those in the program, in program order. */
void splice_register(Program *program);

#endif
