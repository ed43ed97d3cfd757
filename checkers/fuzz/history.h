/* history.h -- shows where a point's value comes from, in the reference and in the target
 * interpreter.
 */
#ifndef HLC_CHECKERS_FUZZ_HISTORY_H
#define HLC_CHECKERS_FUZZ_HISTORY_H

#include "checkers/fuzz/trial.h"

/* A point of a func: a component of an output, and what it was made from. */
typedef struct HistoryPoint {
    Symbol name;
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
} HistoryPoint;

/* Prints the history of a point of the output buffer `output` of the trial, which has its images
 * and outputs.  First the point's value in the reference, and as a tree all values that it was made
 * of.  Then the same for a run of the program: the last write of the point, the reads of that
 * write, the writes of those points. */
void history_print(CaseTrial *trial, const Program *program, int output, const int64_t *point,
                   FILE *out);
/* The same for a case, which is loaded and lowered anew. */
void history_of_case(const Case *fuzz_case, int output, const int64_t *point, FILE *out);

#endif
