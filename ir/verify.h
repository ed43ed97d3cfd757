/* verify.h -- checks that a target program is well formed. Debug builds run it after every pass.
 *
 * Binders are unique. Every variable is in scope. Types fit. Compute and allocate statements
 * dominate every read of a func (Lemma 6.2). Loop names are unique up to copies (Lemma 6.1). Links
 * are consistent.
 */
#ifndef HLC_IR_VERIFY_H
#define HLC_IR_VERIFY_H

#include "ir/stmt.h"

/* Returns null if the program is well formed, else a sentence with the invariant and the statement.
 */
const char *program_verify(Arena *scratch, const Program *program, bool holes_allowed);
/* Verifies as above. Sets `*place` to the place of the faulty statement, or to no place. */
const char *program_verify_place(Arena *scratch, const Program *program, bool holes_allowed,
                                 Place *place);

#endif
