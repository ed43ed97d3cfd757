/* reference.h -- the reference interpreter: it defines the answer (Figure 6).
 *
 * Evaluation is lazy and pointwise.  It knows nothing of loops, windows, buffers or schedules.  It
 * memoises by blocks, and evaluates many points at once with the one evaluator (value.h).  It works
 * through a list instead of recursing.  It runs a stage's rdom forward once per tuple of pure
 * coordinates into a map of written points (equal to Update-Eval: later shadows earlier).
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_REFERENCE_H
#define HLC_CHECKERS_REFERENCE_ENGINE_REFERENCE_H

#include "ir/algorithm.h"
#include "ir/argument.h"

typedef struct ReferenceOptions {
    bool formal;         /* report error values as Def 4.1 has them */
    bool strict;         /* formal, and `select` keeps the error of the arm not chosen */
    size_t memory_limit; /* bytes of remembered points; 0 for the default */
    void (*progress)(void *data, double done); /* may be null; called a few times a second */
    void *progress_data;
} ReferenceOptions;

/* Computes every point of every output's window.  In the formal reading `*first_error` is the first
 * point whose value is an error (error ERROR_NONE if there is none). */
Outcome reference_realize(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                          const ReferenceOptions *options, ErrorPoint *first_error);

/* A read by an evaluation, with its value. */
typedef struct ReferenceRead {
    Symbol name;
    bool is_image;
    int component, dimensions;
    int64_t point[MAX_DIMENSIONS];
    Type type;
    Value value;
} ReferenceRead;
typedef Vec(ReferenceRead) ReferenceReads;

/* Computes one point of any func; `values` gets one value a component.  `reads` (may be null)
 * receives the points that its definition read directly, in order, each once. */
Outcome reference_point(const Pipeline *pipeline, Arena *arena, const Arguments *arguments,
                        const ReferenceOptions *options, Symbol func, const int64_t *point,
                        Value *values, ReferenceReads *reads);

#endif
