/* engine.h -- the inside of the reference interpreter: versions, code, frames.
 *
 * A func is cut into *versions*.  A pointwise version is the pure stage, or the version before,
 * followed by updates in which every dimension is pure (Def 4.3).  By Def 4.2 such updates read and
 * write their own point only.  So a version's value at a point is computed from left to right,
 * without other points of the func.
 *
 * A scatter version is one update with a reduction dimension.  Its rdom runs forward once for each
 * tuple of pure coordinates (a *slice*) into the version's table.  A point that no update wrote has
 * the value of the version before.  Each version has one table.  Versions are numbered in
 * definition order, and one reads only smaller numbers.
 *
 * A *frame* computes the requested points of one version.  Its code (code.c) requests points of
 * other versions with LOCATE and waits for them with DEMAND.  Then the frame that computes them is
 * pushed, and this frame goes on when that one is done.  Numbers fall strictly from the bottom of
 * the stack to its top.  So the stack is bounded, and a point may be marked as requested before it
 * has its value.  (Versions of a recurrence's funcs are numbered among the others, and one frame
 * evaluates them together: recursion.h.)
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_ENGINE_H
#define HLC_CHECKERS_REFERENCE_ENGINE_ENGINE_H

#include "checkers/reference/engine/reference.h"
#include "checkers/reference/engine/table.h"
#include "runtime/hlc_runtime.h"

#define LANES 1024 /* the greatest number of points that one instruction works on */

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
    uint8_t release;                       /* bit i: argument i's register is free afterwards */
    Version *target;
    Version **targets; /* ascending */
    size_t target_count;
    size_t image;
} BatchInstruction;

typedef Vec(BatchInstruction) BatchInstructions;

/* The code of some expressions (roots).  `wide` instructions do not depend on the func's own
 * values, so they run for many steps of the rdom at once.  `narrow` instructions run step by
 * step. */
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

/* Requested points: `count` times `dimensions` coordinates. */
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
    Recursion *recursion; /* for a func of a recurrence, whose code is `lazy`; else null */
    LazyCode *lazy;
    PointTable
        slices; /* scatter: `asked` bit: has run; the value: error of all its unwritten points */
    FuncShape slice_shape;
};

typedef enum Status { STATUS_DONE, STATUS_WAITING, STATUS_REFUSED } Status;

typedef enum Step {
    STEP_COLLECT, /* scatter: find the slices that must run */
    STEP_BATCH,   /* take the next lanes */
    STEP_PURE,    /* pointwise: stage 0, or load the version before */
    STEP_CHUNK,   /* begin the next steps of the rdom */
    STEP_TARGET,  /* the points that they write, and the condition */
    STEP_VALUE,   /* the values that they write: the part that is the same for all */
    STEP_WRITE,   /* step by step: the rest, and the write */
    STEP_KEEP,    /* pointwise: the lanes' values into the table */
    STEP_FILL     /* scatter: points that no update wrote */
} Step;

typedef struct EngineFrame {
    Version *version;
    PointList points, tuples;
    size_t next; /* first point (tuple) that is not yet in a batch */
    Step step;
    Pins pins;
    /* The batch: pure coordinates and, in pointwise versions, the values so far. */
    size_t lanes;
    Vector *coordinates[MAX_DIMENSIONS];
    Vector **current;
    /* The update in progress; `at` is the rdom's next step. */
    size_t stage;
    int64_t *at, *chunk_at; /* `chunk_at`: the beginning of the chunk */
    bool begun, exhausted, one_step;
    /* The chunk: `wide_lanes` lanes from `steps` steps, step s from `segments[s]`. */
    size_t steps, wide_lanes, current_step;
    Vector **variables;
    Vector *targets[MAX_DIMENSIONS];
    Vector *guard;      /* formal: the predicate's errors */
    uint16_t *tuple;    /* by wide lane: the lane of the batch */
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
    size_t depth;                                            /* number of running frames */
    size_t most_components, most_variables, most_reductions; /* of any stage */
    EngineFrame root; /* asks for the outputs' points; never runs */
    Outcome outcome;
    const Requirement *erring;   /* the first with an error as its condition; null: none */
    struct Recording *recording; /* null, or the reads collected for `--why` */
} Engine;

/* Sets the point's coordinates in pure dimensions of a scatter version.  Returns their number. */
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

/* Returns the number of the image. */
size_t engine_image(const Engine *engine, Symbol name);
Vector *vector_take(Engine *engine);
void vector_give(Engine *engine, Vector **vector);
/* Pushes the frame of a version with requested points. */
Status engine_push(Engine *engine, Version *version);

/* startup.c */

/* Lists the funcs that `func` (null: all outputs) reaches, in definition order, in `reached`. */
void startup_reach(Engine *engine, Symbol func);
/* Runs the first checks of an entry.  STATUS_REFUSED if the run may not start. */
Status startup_check(Engine *engine);
/* Returns the value of an expression whose variables are parameters and buffer fields; null for
 * others.  Errors of the formal reading are kept in its value, also ERROR_INDEX. */
Uniform *startup_value(Engine *engine, Expr expr);

/* versions.c */

/* Makes the versions of all reached funcs. */
void versions_create(Engine *engine);

/* code.c */

/* Compiles.  `variables` name the first registers; `self` is the version whose func may be read. */
void code_compile(Engine *engine, BatchCode *code, const Version *self, const Symbol *variables,
                  int variable_count, const Expr *roots, int root_count);

/* execute.c */

/* Sets up the registers.  `variables` stay the frame's. */
void execute_begin(Engine *engine, EngineFrame *frame, const BatchCode *code,
                   Vector *const *variables);
/* Runs (or continues) the wide or the narrow instructions for `count` lanes.  Narrow instructions
 * see wide registers from lane `offset` on. */
Status execute(Engine *engine, EngineFrame *frame, bool narrow, size_t offset, size_t count);
void execute_end(Engine *engine, EngineFrame *frame);
/* Marks a point as requested, pins its block, and returns its location. */
Bits execute_locate(Engine *engine, EngineFrame *frame, Version *target, const int32_t *point);
/* Copies values of the version before to those own locations that have none. */
Status execute_fill(Engine *engine, EngineFrame *frame, const Bits *locations, size_t count);
/* Reads the element of an image at coordinates; refuses if they lie outside. */
Status execute_image(Engine *engine, size_t image, const int64_t *coordinates, Bits *bits);
/* Records a read of the func's code, if reads are recorded. */
void execute_record(Engine *engine, const PointTable *table, int component, Bits location,
                    Value value);
void execute_record_image(Engine *engine, size_t image, const int64_t *coordinates, Value value);

/* frame.c */

/* Runs until all requested points of `version` (by execute_locate on engine->root) are known. */
Status engine_run(Engine *engine, Version *version);

/* update.c */

/* Prepares the frame for an update of its version; update_step continues until it is done. */
void update_begin(EngineFrame *frame, size_t stage);
Status update_step(Engine *engine, EngineFrame *frame);

/* recursion.c */

/* Sets up the evaluation of a recurrence; the versions of its funcs exist. */
void recursion_create(Engine *engine, const Recurrence *recurrence);
Status recursion_step(Engine *engine, EngineFrame *frame);

/* record.c */
typedef struct Recording {
    Symbol func;          /* the func whose code's reads are recorded */
    const int64_t *point; /* in recurrences: only reads at this point */
    ReferenceReads *reads;
    Arena *arena;
    size_t *slots; /* indices into reads, plus 1 */
    size_t capacity;
} Recording;
void record_read(Recording *recording, const ReferenceRead *read);

#endif
