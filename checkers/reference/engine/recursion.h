/* recursion.h -- evaluates recurrences in the reference interpreter: point by point, on demand.
 *
 * Funcs of a recurrence read themselves, so the order of their points is not known beforehand.
 * Each point is evaluated alone by *lazy code*, in which `select` runs one arm only.  A read may
 * give an *unknown* value.  It spreads like an error value, so one evaluation finds all points that
 * the point surely needs.  A point without all its operands waits on a stack while they are
 * computed, and is then evaluated again.  So there is no recursion in C, however deep the
 * recurrence.
 *
 * Points of funcs outside the recurrence are requested in large portions, and computed by frames
 * (engine.h).
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_RECURSION_H
#define HLC_CHECKERS_REFERENCE_ENGINE_RECURSION_H

#include "checkers/reference/engine/engine.h"

#define STATE_UNKNOWN 255 /* of a register; others are its ErrorValue */

typedef enum LazyKind {
    LAZY_LEAF,    /* a pure variable, or a startup expression */
    LAZY_OPERATE, /* operation(operands) */
    LAZY_SELECT,  /* operand 1 or 2, chosen by operand 0; unknown if operand 0 is unknown */
    LAZY_MEMBER,  /* the component of a func of the recurrence, at the operands */
    LAZY_OTHER,   /* the same for another func */
    LAZY_IMAGE    /* the element of an image */
} LazyKind;

/* A node by number, plus a constant. */
typedef struct LazyOperand {
    int number;
    int32_t offset; /* of reads; else 0 */
} LazyOperand;

typedef struct LazyNode {
    LazyKind kind;
    uint16_t component, operand_count;
    uint16_t need_count;
    LazyOperand operands[MAX_DIMENSIONS];
    struct LazyNode *needs[MAX_DIMENSIONS]; /* nodes to run before: operands that are no leaves */
    uint64_t ran;                           /* the last evaluation that ran it; 1 less: it waits */
    int number;
    Operation operation;
    Value value; /* of a leaf that is no variable */
    size_t image;
    Version *version;
} LazyNode;

/* One stage's values: each node of the graph once. */
struct LazyCode {
    Vec(LazyNode) nodes; /* the pure variables come first; operands before their users */
    Bits *bits;          /* by node: its value, and its state */
    uint8_t *states;
    uint64_t evaluation; /* an even number */
    LazyNode **waiting;  /* a stack of nodes that are needed */
    int *roots;
    int root_count;
};

/* A point of a func of the recurrence. */
typedef struct RecursionPoint {
    Version *version;
    Bits location;
} RecursionPoint;

typedef Vec(RecursionPoint) RecursionPoints;

/* One recurrence's evaluation, shared by the versions of its funcs. */
struct Recursion {
    const Recurrence *recurrence;
    int64_t first[MAX_DIMENSIONS], last[MAX_DIMENSIONS]; /* by dimension; batch ones: all of i32 */
    bool bounds_err;             /* formal: a bound of the domain is an error (RDom-Err) */
    Vec(Version *) versions;     /* of its funcs */
    Vec(Version *) others;       /* outside of it, read by its funcs */
    size_t asked;                /* points that were requested of `others` and not demanded */
    bool demanding;              /* wait until all of them are known */
    size_t chunk, chunk_end;     /* the part of the frame's points that is evaluated together */
    RecursionPoints missing;     /* of the evaluation in progress */
    Vec(RecursionPoint *) pages; /* the stack, in pages */
    size_t depth;
};

/* lazy.c */

LazyCode *lazy_compile(Engine *engine, const Version *version);
/* Evaluates at the point in the first registers.  Missing points go to `missing`, or are requested;
 * then the state of some root is STATE_UNKNOWN. */
Status lazy_run(Engine *engine, EngineFrame *frame, const Version *version, bool recorded);

#endif
