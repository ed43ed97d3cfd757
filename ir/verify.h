/* verify.h -- is a target program well formed?  Run after every pass in debug builds.
 *
 * Binders unique; every variable in scope; types fit; every read of a func dominated by its compute
 * and allocate statements (Lemma 6.2); loop names unique up to copies (Lemma 6.1); links
 * consistent.
 */
#ifndef HLC_IR_VERIFY_H
#define HLC_IR_VERIFY_H

#include "ir/stmt.h"

/* Null when well formed, else one sentence that names the invariant and the statement. */
const char *program_verify(Arena *scratch, const Program *program, bool holes_allowed);
/* The same; into `*place` that of the statement at fault, nowhere where it is of no statement. */
const char *program_verify_place(Arena *scratch, const Program *program, bool holes_allowed,
                                 Place *place);

#endif
