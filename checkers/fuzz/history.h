/* history.h -- shows where a point's value comes from, in the reference and in the target
 * interpreter.
 */
#ifndef HLC_FUZZ_HISTORY_H
#define HLC_FUZZ_HISTORY_H

#include "checkers/fuzz/trial.h"

/* A point of a func: a component of an output, and what it was made from. */
typedef struct HistoryPoint {
    Symbol name;
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
} HistoryPoint;

/* For the output buffer `output` of the trial, which has its images and outputs: the point's value
 * in the reference with all that it was read from, as a tree; then the same of a run of the
 * program: who wrote the point last, what that read, who wrote that before. */
void history_print(CaseTrial *trial, const Program *program, int output, const int64_t *point,
                   FILE *out);
/* The same of a case, which is loaded and lowered anew. */
void history_of_case(const Case *fuzz_case, int output, const int64_t *point, FILE *out);

#endif
