/* semantics.h -- THE reference: Figure 6 of the report, one function a rule, in semantics.c.
 *
 * It is for windows of about 24x16 points and rdoms of some hundred iterations: each point tries
 * each update.  engine/reference.h gives the same answers faster, and shares nothing with it but
 * ir/.  Tests and the fuzzer compare the two.
 *
 * This reference is as lazy as the figure.  So it may answer where the engine refuses something
 * that no point needs.  That is a read beyond an image, a coordinate beyond 32 bits, an index
 * beyond 64, or an rdom of negative length.  It never refuses where the engine answers.
 */
#ifndef HLC_CHECKERS_REFERENCE_SEMANTICS_H
#define HLC_CHECKERS_REFERENCE_SEMANTICS_H

#include "ir/algorithm.h"
#include "ir/argument.h"

typedef struct SemanticsOptions {
    bool formal;     /* report error values as Def 4.1 has them */
    bool strict;     /* formal, and `select` keeps the error of the arm not chosen */
    uint64_t budget; /* HLC_ERROR_BUDGET if more steps are needed; 0: no limit */
} SemanticsOptions;

/* Computes every point of every output's window.  In the formal reading `*first_error`, which may
 * be null, is the first point whose value is an error. */
Outcome semantics_realize(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                          const SemanticsOptions *options, ErrorPoint *first_error);

/* Computes one point of any func; `values` gets one value a component. */
Outcome semantics_point(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                        const SemanticsOptions *options, Symbol func, const int64_t *point,
                        Value *values);

#endif
