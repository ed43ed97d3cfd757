/* recursion.h -- evaluates recurrences in the reference interpreter: point by point, on demand.
 *
 * Funcs of a recurrence read themselves, so the order of their points is not known beforehand.
 * *Lazy code*, in which `select` runs only one arm, evaluates each point alone. A read may give an
 * *unknown* value. It spreads like an error value, so one evaluation finds all points that the
 * point certainly needs. A point that lacks operands waits on a stack until they are computed, and
 * is then evaluated again. So C does not recurse, however deep the recurrence.
 *
 * Points of funcs outside the recurrence are requested in large portions, and computed by frames
 * (engine.h).
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_RECURSION_H
#define HLC_CHECKERS_REFERENCE_ENGINE_RECURSION_H

#include "checkers/reference/engine/engine.h"

#define STATE_UNKNOWN 255 /* the state of a register: this, or its ErrorValue */

typedef enum LazyKind {
    LAZY_LEAF,    /* a pure variable, or a startup expression */
    LAZY_OPERATE, /* operation(operands) */
    LAZY_SELECT,  /* operand 1 or 2, chosen by operand 0; unknown if operand 0 is unknown */
    LAZY_MEMBER,  /* component of a func of the recurrence, at the operands */
    LAZY_OTHER,   /* likewise, for another func */
    LAZY_IMAGE    /* element of an image, at the operands */
} LazyKind;

/* The value of a node, plus a constant. */
typedef struct LazyOperand {
    int number;
    int32_t offset; /* nonzero only for reads */
} LazyOperand;

typedef struct LazyNode {
    LazyKind kind;
    uint16_t component, operand_count;
    uint16_t need_count;
    LazyOperand operands[MAX_DIMENSIONS];
    struct LazyNode *needs[MAX_DIMENSIONS]; /* nodes that must run first: operands that are not
                                               leaves */
    uint64_t ran;                           /* the last evaluation that ran it; minus 1 while it
                                               waits */
    int number;
    Operation operation;
    Value value; /* for a leaf that is not a variable */
    size_t image;
    Version *version;
} LazyNode;

/* The values of one stage: each node of the graph once. */
struct LazyCode {
    Vec(LazyNode) nodes; /* the pure variables come first, and operands before their users */
    Bits *bits;          /* by node: its value, and its state */
    uint8_t *states;
    uint64_t evaluation; /* even */
    LazyNode **waiting;  /* a stack of needed nodes */
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
    int64_t first[MAX_DIMENSIONS], last[MAX_DIMENSIONS]; /* by dimension; for batch variables, all
                                                            of i32 */
    bool bounds_err;             /* formal: a bound of the domain is an error (RDom-Err) */
    Vec(Version *) versions;     /* versions of its funcs */
    Vec(Version *) others;       /* versions outside the recurrence that its funcs read */
    size_t asked;                /* number of points requested from `others` and not demanded yet */
    bool demanding;              /* waiting until all of them are known */
    size_t chunk, chunk_end;     /* the current chunk of the frame's points */
    RecursionPoints missing;     /* points that the current evaluation lacks */
    Vec(RecursionPoint *) pages; /* the stack, in pages */
    size_t depth;
};

/* lazy.c */

LazyCode *lazy_compile(Engine *engine, const Version *version);
/* Evaluates at the point in the first registers. Adds points that it lacks to `missing`, or
 * requests them; then the state of some root is STATE_UNKNOWN. */
Status lazy_run(Engine *engine, EngineFrame *frame, const Version *version, bool recorded);

#endif
