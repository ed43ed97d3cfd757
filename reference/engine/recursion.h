/* recursion.h -- how the reference interpreter evaluates recurrences: point by point, on demand.
 *
 * Funcs of a recurrence read themselves, so their points have no order that is known beforehand.
 * Each point is evaluated alone by *lazy code*, in which `select` runs one arm only.  What a read
 * gives may be *unknown* yet; unknown spreads like an error value, so one evaluation finds all that
 * the point surely needs.  A point that lacks something waits on a stack while its operands are
 * computed, and is then evaluated again: no recursion in C, however deep the recurrence.
 *
 * Points of funcs outside of the recurrence are asked for in large portions, and computed by frames
 * (engine.h).
 */
#ifndef HLC_REFERENCE_ENGINE_RECURSION_H
#define HLC_REFERENCE_ENGINE_RECURSION_H

#include "reference/engine/engine.h"

#define STATE_UNKNOWN 255 /* of a register; others are its ErrorValue */

typedef enum LazyKind {
    LAZY_OPERATE, /* result = operation(operands) */
    LAZY_BRANCH,  /* operand 0 true: on; false: to `target`; unknown: so is the result, to `end` */
    LAZY_CHOOSE,  /* result = operand 1, chosen by operand 0; to `target` */
    LAZY_CALL,    /* runs the procedure `procedure` at `target`, once an evaluation */
    LAZY_RETURN,
    LAZY_MEMBER, /* result = component of a func of the recurrence, at the operands */
    LAZY_OTHER,  /* the same of another func */
    LAZY_IMAGE
} LazyKind;

/* A register plus a constant. */
typedef struct LazyOperand {
    int number;
    int32_t offset; /* of reads; else 0 */
} LazyOperand;

typedef struct LazyInstruction {
    LazyKind kind;
    uint16_t component, operand_count;
    int result;
    LazyOperand operands[MAX_DIMENSIONS];
    Operation operation;
    Type type;
    size_t target, end, procedure, image;
    Version *version;
} LazyInstruction;

/* One stage's values.  A node that several arms need, and none alone, is a procedure of its own:
 * the code has each node once, however they share. */
struct LazyCode {
    Vec(LazyInstruction) instructions; /* ends with a RETURN */
    int register_count;                /* the pure variables come first */
    Bits *bits;                        /* the registers; constants have their values */
    uint8_t *states;
    int *roots;
    int root_count;
    size_t procedure_count;
    uint64_t *ran; /* by procedure: the evaluation that ran it last */
    uint64_t evaluation;
    size_t *returns; /* where the procedures that run go on */
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
    bool bounds_err;         /* formal: a bound of the domain is an error (RDom-Err) */
    Vec(Version *) versions; /* of its funcs */
    Vec(Version *) others;   /* outside of it, read by its funcs */
    size_t asked;            /* points that were asked of `others` and not demanded */
    bool demanding;          /* wait until all of them are known */
    size_t chunk, chunk_end; /* of the frame's points: those that are looked at together */
    bool looked;
    RecursionPoints missing;     /* of the evaluation in progress */
    Vec(RecursionPoint *) pages; /* the stack, in pages */
    size_t depth;
};

/* lazy.c */

LazyCode *lazy_compile(Engine *engine, const Version *version);
/* Evaluates at the point in the first registers.  What it lacks goes to `missing`, or is asked for;
 * then the state of some root is STATE_UNKNOWN. */
Status lazy_run(Engine *engine, EngineFrame *frame, const Version *version, bool recorded);

#endif
