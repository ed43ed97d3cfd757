/* engine.h -- the inside of the reference interpreter: versions, code, frames.
 *
 * A func is cut into *versions*.  A pointwise version is the pure stage, or the version before,
 * followed by updates in which every dimension is pure (Def 4.3): by Def 4.2 they read and write
 * their own point only, so a version's value at a point is computed from left to right without
 * looking elsewhere in the func.  A scatter version is one update with a reduction dimension: its
 * rdom runs forward once for each tuple of pure coordinates (a *slice*) into the version's table; a
 * point that no update wrote has the value of the version before.  Each version has one table;
 * versions are numbered in definition order, and one reads only smaller numbers.
 *
 * A *frame* computes the points that were asked of one version.  Its code (code.h) asks for points
 * of others with LOCATE and waits for them with DEMAND; then the frame that computes them is pushed
 * and this one goes on when that one is done.  Numbers fall strictly from the bottom of the stack
 * to its top, so the stack is bounded, and a point may be marked as asked for before it has its
 * value.  (Versions of a recurrence's funcs are numbered among the others, and evaluated together,
 * by one frame: recursion.h.)
 */
#ifndef HLC_REFERENCE_ENGINE_ENGINE_H
#define HLC_REFERENCE_ENGINE_ENGINE_H

#include "checkers/reference/engine/reference.h"
#include "checkers/reference/engine/table.h"
#include "runtime/hlc_runtime.h"

#define LANES 1024 /* points that one instruction works on at a time, at most */

/* A register: one value a lane. */
typedef struct Vector {
    Bits bits[LANES];
    uint8_t errors[LANES]; /* ErrorValue; meaningful in the formal reading only */
} Vector;

typedef struct Version Version;
typedef struct Recursion Recursion;
typedef struct LazyCode LazyCode;

typedef enum BatchKind {
    CODE_OPERATE,    /* result = op(arguments) */
    CODE_LOCATE,     /* result = locations in `target` of the points (arguments); asks for them */
    CODE_DEMAND,     /* waits until all points asked of `targets` are known */
    CODE_LOAD,       /* result = component of `target` at the locations in argument 0 */
    CODE_IMAGE,      /* result = element of `image` at the points (arguments) */
    CODE_SELF,       /* result = current component of the lane's own point (pointwise versions) */
    CODE_LOCATE_SELF /* result = locations in the own table, with values there (scatter versions) */
} BatchKind;

typedef struct BatchInstruction {
    BatchKind kind;
    uint16_t op, component, argument_count;
    Type type, operands[OP_MAX_ARITY];
    int arguments[MAX_DIMENSIONS], result; /* register numbers */
    uint8_t release;                       /* bit i: argument i's register is not used any more */
    Version *target;
    Version **targets; /* ascending */
    size_t target_count;
    size_t image;
} BatchInstruction;

typedef Vec(BatchInstruction) BatchInstructions;

/* The code of some expressions (roots).  `wide` instructions do not depend on the func's own
 * values, so they run for many steps of the rdom at once; `narrow` ones run step by step. */
typedef struct BatchCode {
    BatchInstructions wide, narrow;
    int variable_count; /* registers 0 .. variable_count - 1: the pure variables, then the rdom's */
    int register_count;
    Vector **initial; /* constants' vectors by register; null for others */
    bool *is_wide;    /* by register */
    int *roots;
    int root_count;
} BatchCode;

typedef struct StageCode {
    const Stage *stage;
    BatchCode target; /* the indices of reduction dimensions, then the predicate if there is one */
    BatchCode value;  /* one root a component */
    bool sequential; /* `target` depends on the func's own values: one step of the rdom at a time */
    bool bounds_err; /* formal: a bound of the rdom is an error (RDom-Err) */
    int64_t *minimum, *length; /* of the reduction variables */
    bool empty;                /* some length is 0 */
} StageCode;

/* Points as they are asked for: `count` times `dimensions` coordinates. */
typedef struct PointList {
    Vec(int32_t) coordinates;
    size_t count;
} PointList;

struct Version {
    const Func *func;
    Version *previous; /* of the same func, or null */
    int number;
    bool scatter;
    StageCode *stages; /* stage 0 of the func has only `value` */
    size_t stage_count;
    bool pure[MAX_DIMENSIONS]; /* scatter: of its stage */
    PointTable table;
    PointList asked;      /* not yet taken by a frame */
    Recursion *recursion; /* of a func of a recurrence: then its code is `lazy`; else null */
    LazyCode *lazy;
    PointTable
        slices; /* scatter: `asked` bit: has run; the value: error of all its unwritten points */
    FuncShape slice_shape;
};

typedef enum Status { STATUS_DONE, STATUS_WAITING, STATUS_REFUSED } Status;

typedef enum Step {
    STEP_COLLECT, /* scatter: which slices must run */
    STEP_BATCH,   /* take the next lanes */
    STEP_PURE,    /* pointwise: stage 0, or load the version before */
    STEP_CHUNK,   /* begin the next steps of the rdom */
    STEP_TARGET,  /* where they write, and whether */
    STEP_VALUE,   /* what they write: the part that is the same for all */
    STEP_WRITE,   /* step by step: the rest, and the write */
    STEP_KEEP,    /* pointwise: the lanes' values into the table */
    STEP_FILL     /* scatter: points that no update wrote */
} Step;

typedef struct EngineFrame {
    Version *version;
    PointList points, tuples;
    size_t next; /* first point (tuple) that is in no batch yet */
    Step step;
    Pins pins;
    /* The batch: pure coordinates and, in pointwise versions, the values so far. */
    size_t lanes;
    Vector *coordinates[MAX_DIMENSIONS];
    Vector **current;
    /* The update in progress; `at` is the rdom's next step. */
    size_t stage;
    int64_t *at, *chunk_at; /* `chunk_at`: where the chunk began */
    bool begun, exhausted, one_step;
    /* The chunk: `wide_lanes` lanes from `steps` steps, step s from `segments[s]`. */
    size_t steps, wide_lanes, current_step;
    Vector **variables;
    Vector *targets[MAX_DIMENSIONS];
    Vector *guard;      /* formal: the predicate's errors */
    uint16_t *tuple;    /* by wide lane: which lane of the batch */
    uint16_t *segments; /* steps + 1 of them */
    /* The code in progress. */
    const BatchCode *code;
    Vector **registers;
    size_t register_capacity, pc;
    bool in_narrow;
} EngineFrame;

typedef struct Uniform {
    Value value;
    Vector *vector; /* made on first use */
} Uniform;

typedef struct Engine {
    const Pipeline *pipeline;
    const Arguments *arguments;
    ReferenceOptions options;
    Arena *arena;
    PointStore *store;
    Vec(Func *) reached;     /* funcs that matter, in definition order */
    Vec(Version *) versions; /* by number */
    Map last_version;        /* Symbol -> Version */
    Map uniforms;            /* Expr -> Uniform: startup expressions */
    Vec(Vector *) free_vectors;
    Vec(EngineFrame *) frames;                               /* kept for reuse */
    size_t depth;                                            /* how many of them run */
    size_t most_components, most_variables, most_reductions; /* of any stage */
    EngineFrame root; /* asks for the outputs' points; never runs */
    Outcome outcome;
    const Requirement *erring;   /* the first whose condition is an error; null: none */
    struct Recording *recording; /* null, or what `--why` collects */
} Engine;

/* The point's coordinates in pure dimensions of a scatter version; how many they are. */
static inline int version_slice(const Version *version, const int32_t *point, int32_t *tuple) {
    int pure = 0;
    for (int d = 0; d < version->func->shape->dimensions; d++)
        if (version->pure[d])
            tuple[pure++] = point[d];
    return pure;
}

/* engine.c */

/* Records the refusal (the first one stays) and returns STATUS_REFUSED. */
Status engine_refuse(Engine *engine, int error, const char *subject, const int64_t *numbers,
                     int count);
#define refuse(engine, error, subject, ...)                                                        \
    engine_refuse((engine), (error), (subject), (const int64_t[]){__VA_ARGS__},                    \
                  (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* The number of the image. */
size_t engine_image(const Engine *engine, Symbol name);
Vector *vector_take(Engine *engine);
void vector_give(Engine *engine, Vector **vector);
/* Pushes the frame of a version that was asked for points. */
Status engine_push(Engine *engine, Version *version);

/* startup.c */

/* The funcs that `func` (null: all outputs) reaches, in definition order, into `reached`. */
void startup_reach(Engine *engine, Symbol func);
/* What an entry checks first.  STATUS_REFUSED where the run may not start. */
Status startup_check(Engine *engine);
/* The value of an expression whose variables are parameters and buffer fields; null for others.
 * Errors of the formal reading are kept in its value; ERROR_INDEX too. */
Uniform *startup_value(Engine *engine, Expr expr);

/* versions.c */

/* Makes the versions of all reached funcs. */
void versions_create(Engine *engine);

/* code.c */

/* `variables` name the first registers; `self` is the version whose func may be read. */
void code_compile(Engine *engine, BatchCode *code, const Version *self, const Symbol *variables,
                  int variable_count, const Expr *roots, int root_count);

/* execute.c */

/* Sets up the registers.  `variables` stay the frame's. */
void execute_begin(Engine *engine, EngineFrame *frame, const BatchCode *code,
                   Vector *const *variables);
/* Runs (or goes on with) the wide or the narrow instructions for `count` lanes; narrow instructions
 * see wide registers from lane `offset` on. */
Status execute(Engine *engine, EngineFrame *frame, bool narrow, size_t offset, size_t count);
void execute_end(Engine *engine, EngineFrame *frame);
/* Marks a point as asked for, pins its block, gives its location. */
Bits execute_locate(Engine *engine, EngineFrame *frame, Version *target, const int32_t *point);
/* Brings values from the version before to those own locations that have none. */
Status execute_fill(Engine *engine, EngineFrame *frame, const Bits *locations, size_t count);
/* The element of an image at coordinates; refuses where they leave it. */
Status execute_image(Engine *engine, size_t image, const int64_t *coordinates, Bits *bits);
/* Notes a read that the func's code made, where reads are recorded. */
void execute_record(Engine *engine, const PointTable *table, int component, Bits location,
                    Value value);
void execute_record_image(Engine *engine, size_t image, const int64_t *coordinates, Value value);

/* frame.c */

/* Runs until all that was asked of `version` (by execute_locate on engine->root) is known. */
Status engine_run(Engine *engine, Version *version);

/* update.c */

/* Readies the frame for an update of its version; update_step goes on with it until it is done. */
void update_begin(EngineFrame *frame, size_t stage);
Status update_step(Engine *engine, EngineFrame *frame);

/* recursion.c */

/* The evaluation of a recurrence; its funcs' versions are there. */
void recursion_create(Engine *engine, const Recurrence *recurrence);
Status recursion_step(Engine *engine, EngineFrame *frame);

/* record.c */
typedef struct Recording {
    Symbol func;          /* reads made by this func's code are recorded */
    const int64_t *point; /* in recurrences: those made at this point */
    ReferenceReads *reads;
    Arena *arena;
    size_t *slots; /* indices into reads, plus 1 */
    size_t capacity;
} Recording;
void record_read(Recording *recording, const ReferenceRead *read);

#endif
