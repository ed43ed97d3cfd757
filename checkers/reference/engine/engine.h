/* engine.h -- the inside of the reference interpreter: versions, code, frames.
 *
 * A func is cut into *versions*. A pointwise version is the pure stage, or the version before,
 * followed by updates in which every dimension is pure (Def 4.3). By Def 4.2 such updates read and
 * write their own point only. So a version's value at a point is computed from left to right,
 * without other points of the func.
 *
 * A scatter version is one update with a reduction dimension. Its rdom runs forward once for each
 * tuple of pure coordinates (a *slice*) into the version's table. A point that no update wrote has
 * the value of the version before. Each version has one table. Versions are numbered in definition
 * order, and a version reads only those with smaller numbers.
 *
 * A *frame* computes the requested points of one version. Its code (code.c) requests points of
 * other versions with LOCATE and waits for them with DEMAND. DEMAND pushes the frame that computes
 * them; the first frame resumes when that frame is done. Numbers fall strictly from the bottom of
 * the stack to its top. So the stack is bounded, and a point may be marked as requested before it
 * has its value. (Versions of a recurrence's funcs are numbered among the others, and one frame
 * evaluates them together: recursion.h.)
 */
#ifndef HLC_CHECKERS_REFERENCE_ENGINE_ENGINE_H
#define HLC_CHECKERS_REFERENCE_ENGINE_ENGINE_H

#include "checkers/reference/engine/reference.h"
#include "checkers/reference/engine/table.h"
#include "ir/extern.h"
#include "runtime/hlc_runtime.h"

#define LANES 1024 /* greatest number of points per instruction */

/* A register: one value for each of the engine's lanes. */
typedef struct Vector {
    uint8_t *errors; /* ErrorValue; meaningful in the formal reading only */
    Bits bits[];
} Vector;

typedef struct Version Version;
typedef struct Recursion Recursion;
typedef struct LazyCode LazyCode;

typedef enum BatchKind {
    CODE_OPERATE,    /* result = op(arguments) */
    CODE_LOCATE,     /* result = locations in `target` of the points (arguments); requests these
                        points */
    CODE_DEMAND,     /* waits until all requested points of `targets` are known */
    CODE_LOAD,       /* result = component of `target` at the locations in argument 0 */
    CODE_IMAGE,      /* result = element of `image` at the points (arguments) */
    CODE_SELF,       /* result = current component of the lane's own point (pointwise versions) */
    CODE_LOCATE_SELF /* result = locations in the own table, each with a value (scatter versions) */
} BatchKind;

typedef struct BatchInstruction {
    BatchKind kind;
    uint16_t op, component, argument_count;
    Type type, operands[OP_MAX_ARITY];
    int arguments[MAX_DIMENSIONS], result; /* register numbers */
    uint8_t release;                       /* bit i: frees argument i's register */
    bool picks_write; /* a select by the number of the write, which is no operation of the func */
    Version *target;
    Version **targets; /* ascending */
    size_t target_count;
    size_t image;
} BatchInstruction;

typedef Vec(BatchInstruction) BatchInstructions;

/* The code of some expressions (roots). `wide` instructions do not depend on the func's own values,
 * so they run for many steps of the rdom at once. `narrow` instructions run for one step at a time.
 */
typedef struct BatchCode {
    BatchInstructions wide, narrow;
    int variable_count; /* registers 0 .. variable_count - 1: the pure variables, then the rdom's, then the number of the write */
    int register_count;
    Vector **initial; /* by register: its constant vector, or null */
    bool *is_wide;    /* by register */
    int *roots;
    int root_count;
} BatchCode;

/* A stage that a C function computes. */
typedef struct ExternStage {
    ExternParts parts;
    hlc_extern_rule *rules;
    Version **targets; /* by part: the version that is read; null for an image and a scalar */
} ExternStage;

typedef struct StageCode {
    const Stage *stage;
    const ExternStage *external; /* then `value` has the roots of extern.c; null: none */
    BatchCode target; /* the indices of reduction dimensions, then the predicate if there is one */
    BatchCode value;  /* one root per component */
    bool sequential; /* `target` depends on the func's own values: one step of the rdom at a time */
    bool bounds_err; /* formal: a bound of the rdom is an error (RDom-Err) */
    int64_t *minimum, *length; /* by reduction variable */
    bool empty;                /* some length is 0 */
} StageCode;

/* Requested points: `count` times `dimensions` coordinates. */
typedef struct PointList {
    Vec(int32_t) coordinates;
    size_t count;
} PointList;

struct Version {
    const Func *func;
    Version *previous; /* the version before, of the same func; or null */
    int number;
    bool scatter;
    StageCode *stages; /* stage 0 of the func has only a `value` */
    size_t stage_count;
    bool pure[MAX_DIMENSIONS]; /* scatter: the pure dimensions of its stage */
    PointTable table;
    PointList asked;      /* requested, but not yet taken by a frame */
    Recursion *recursion; /* for a func of a recurrence, whose code is `lazy`; else null */
    LazyCode *lazy;
    PointTable
        slices; /* scatter: the `asked` bit means that the slice has run; the value is the error of
                   its unwritten points */
    FuncShape slice_shape;
};

typedef enum Status { STATUS_DONE, STATUS_WAITING, STATUS_REFUSED } Status;

typedef enum Step {
    STEP_COLLECT, /* scatter: find the slices that must run */
    STEP_BATCH,   /* take lanes from the next points */
    STEP_PURE,    /* pointwise: compute stage 0, or load the version before */
    STEP_CHUNK,   /* begin the next chunk of rdom steps */
    STEP_TARGET,  /* compute the points to write, and the predicate */
    STEP_VALUE,   /* compute the wide part of the values to write */
    STEP_WRITE,   /* for each step: compute the narrow part, then write */
    STEP_KEEP,    /* pointwise: store the lanes' values in the table */
    STEP_FILL     /* scatter: fill the points that no update wrote */
} Step;

/* Formal reading: an error that a write of the step gives to points that it does not write. */
typedef struct Poison {
    size_t lane; /* in the batch */
    int write;
    uint8_t error;
    bool is_point; /* of this point alone */
    int64_t point[MAX_DIMENSIONS];
} Poison;

typedef struct EngineFrame {
    Version *version;
    PointList points, tuples;
    size_t next; /* first point (or tuple) that is not in a batch yet */
    Step step;
    Pins pins;
    /* The batch: its pure coordinates and, in pointwise versions, its current values. */
    size_t lanes;
    Vector *coordinates[MAX_DIMENSIONS];
    Vector **current;
    /* The current update; `at` is the next step of the rdom. */
    size_t stage;
    int64_t *at, *chunk_at; /* `chunk_at`: first step of the chunk */
    bool begun, exhausted, one_step;
    /* The chunk: `wide_lanes` lanes of `steps` steps. Step s begins at lane `segments[s]`. */
    size_t steps, wide_lanes, current_step;
    Vector **variables;
    Vector *targets[MAX_DIMENSIONS];
    Vector *guard;       /* formal: the predicate's errors */
    Vec(Poison) poisons; /* formal: of the only step, by write */
    uint16_t *tuple;     /* by wide lane: its lane in the batch */
    uint16_t *segments;  /* steps + 1 entries */
    /* The running code. */
    const BatchCode *code;
    Vector **registers;
    size_t register_capacity, pc;
    bool in_narrow;
} EngineFrame;

typedef struct Uniform {
    Value value;
    Vector *vector; /* null until first used */
} Uniform;

typedef struct Engine {
    const Pipeline *pipeline;
    const Arguments *arguments;
    ReferenceOptions options;
    size_t lanes; /* of a register, at most LANES */
    Arena *arena;
    PointStore *store;
    Vec(Func *) reached;     /* funcs to evaluate, in definition order */
    Vec(Version *) versions; /* by number */
    Map last_version;        /* Symbol -> Version */
    Map uniforms;            /* Expr -> Uniform, for startup expressions */
    Vec(Vector *) free_vectors;
    Vec(EngineFrame *) frames;                               /* kept for reuse */
    size_t depth;                                            /* number of running frames */
    size_t most_components, most_variables, most_reductions; /* greatest numbers over all stages */
    EngineFrame root; /* requests the points of the outputs; never runs */
    Outcome outcome;
    const Requirement *erring;   /* the first requirement whose condition is an error, or null */
    struct Recording *recording; /* null, or the reads collected for `--why` */
} Engine;

/* Copies the point's coordinates in pure dimensions of a scatter version to `tuple`. Returns their
 * number. */
static inline int version_slice(const Version *version, const int32_t *point, int32_t *tuple) {
    int pure = 0;
    for (int d = 0; d < version->func->shape->dimensions; d++)
        if (version->pure[d])
            tuple[pure++] = point[d];
    return pure;
}

/* engine.c */

/* Records the refusal, if it is the first, and returns STATUS_REFUSED. */
Status engine_refuse(Engine *engine, int error, const char *subject, const int64_t *numbers,
                     int count);
#define refuse(engine, error, subject, ...)                                                        \
    engine_refuse((engine), (error), (subject), (const int64_t[]){__VA_ARGS__},                    \
                  (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* Returns the number of the image. */
size_t engine_image(const Engine *engine, Symbol name);
Vector *vector_create(const Engine *engine);
Vector *vector_take(Engine *engine);
void vector_give(Engine *engine, Vector **vector);
/* Pushes a frame for the requested points of a version. */
Status engine_push(Engine *engine, Version *version);

/* startup.c */

/* Lists the funcs that `func` (null: all outputs) reaches, in definition order, in `reached`. */
void startup_reach(Engine *engine, Symbol func);
/* Checks the arguments before a run. Returns STATUS_REFUSED if the run may not start. */
Status startup_check(Engine *engine);
/* Returns the value of an expression whose variables are parameters and buffer fields; null for
 * other expressions. The value keeps errors of the formal reading, and ERROR_INDEX. */
Uniform *startup_value(Engine *engine, Expr expr);

/* versions.c */

/* Makes the versions of all reached funcs. */
void versions_create(Engine *engine);

/* code.c */

/* Compiles the roots, of this stage. `variables` name the first registers. `self` is the version
 * whose func the code may read. */
void code_compile(Engine *engine, BatchCode *code, const Version *self, const Stage *stage,
                  const Symbol *variables, int variable_count, const Expr *roots, int root_count);

/* execute.c */

/* Sets up the registers. The frame keeps ownership of `variables`. */
void execute_begin(Engine *engine, EngineFrame *frame, const BatchCode *code,
                   Vector *const *variables);
/* Runs (or resumes) the wide or the narrow instructions for `count` lanes. Narrow instructions read
 * wide registers from lane `offset` on. */
Status execute(Engine *engine, EngineFrame *frame, bool narrow, size_t offset, size_t count);
void execute_end(Engine *engine, EngineFrame *frame);
/* Marks a point as requested, pins its block, and returns its location. */
Bits execute_locate(Engine *engine, EngineFrame *frame, Version *target, const int32_t *point);
/* Copies values from the version before to those own locations that have no value. */
Status execute_fill(Engine *engine, EngineFrame *frame, const Bits *locations, size_t count);
/* Reads the element of an image at coordinates; refuses if they lie outside. */
Status execute_image(Engine *engine, size_t image, const int64_t *coordinates, Bits *bits);
/* Records a read by the func's code, if reads are recorded. */
void execute_record(Engine *engine, const PointTable *table, int component, Bits location,
                    Value value);
void execute_record_image(Engine *engine, size_t image, const int64_t *coordinates, Value value);

/* extern.c */

/* Compiles the stage of an extern func. */
void extern_compile(Engine *engine, const Version *version, StageCode *code,
                    const Symbol *variables, int variable_count);
/* Computes the batch of a frame; runs again after waiting. */
Status extern_step(Engine *engine, EngineFrame *frame);

/* frame.c */

/* Runs until all requested points of `version` are known (requests: execute_locate on
 * engine->root). */
Status engine_run(Engine *engine, Version *version);

/* update.c */

/* Prepares the frame for an update of its version. update_step resumes until the update is done. */
void update_begin(EngineFrame *frame, size_t stage);
Status update_step(Engine *engine, EngineFrame *frame);

/* recursion.c */

/* Sets up the evaluation of a recurrence. The versions of its funcs must exist. */
void recursion_create(Engine *engine, const Recurrence *recurrence);
Status recursion_step(Engine *engine, EngineFrame *frame);

/* record.c */
typedef struct Recording {
    Symbol func;          /* the func whose code's reads are recorded */
    const int64_t *point; /* in recurrences: records only reads at this point */
    ReferenceReads *reads;
    Arena *arena;
    size_t *slots; /* 1 + index into reads */
    size_t capacity;
} Recording;
void record_read(Recording *recording, const ReferenceRead *read);

#endif
