/* reference.h -- the reference interpreter: it defines the answer (Figure 6).
 *
 * Evaluation is lazy and pointwise. It ignores loops, windows, buffers and schedules. It memoises
 * by blocks, and evaluates many points at once with the one evaluator (value.h). A work list
 * replaces recursion. A stage's rdom runs forward once for each tuple of pure coordinates, and
 * writes into a map of points (equal to Update-Eval: later updates shadow earlier ones).
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_REFERENCE_H
#define HLC_CHECKERS_REFERENCE_ENGINE_REFERENCE_H

#include "ir/algorithm.h"
#include "ir/argument.h"

typedef struct ReferenceOptions {
    bool formal;         /* report error values (Def 4.1) */
    bool strict;         /* formal, but `select` keeps the error of the arm it does not choose */
    size_t memory_limit; /* bytes of memoised points; 0 for the default */
    size_t lanes;        /* points that are computed together; 0 for the default, which is right for
                            many points. The fewer, the less memory is cleared for one point */
    void (*progress)(void *data, double done); /* may be null; called a few times a second */
    void *progress_data;
} ReferenceOptions;

/* Computes every point of every output's window. In the formal reading `*first_error` is the first
 * point whose value is an error; its error is ERROR_NONE if there is none. */
Outcome reference_realize(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                          const ReferenceOptions *options, ErrorPoint *first_error);

/* A read during an evaluation, and its value. */
typedef struct ReferenceRead {
    Symbol name;
    bool is_image;
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
    Type type;
    Value value;
} ReferenceRead;
typedef Vec(ReferenceRead) ReferenceReads;

/* Computes one point of any func; `values` gets one value per component. `reads` (may be null)
 * receives the points that its definition read directly: each once, in order. */
Outcome reference_point(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                        const ReferenceOptions *options, Symbol func, const int64_t *point,
                        Value *values, ReferenceReads *reads);

#endif
