/* internal.h -- shared by the files of the model: model.c walks the statements, body.c counts what a
 * store costs, traffic.c counts bytes. */
#ifndef HLC_AUTOSCHEDULE_INTERNAL_H
#define HLC_AUTOSCHEDULE_INTERNAL_H

#include "autoschedule/model.h"
#include "autoschedule/worlds.h"

typedef struct ModelCost {
    double cycles;                /* arithmetic, access and latency */
    double traffic[CACHE_LEVELS]; /* bytes that come into each cache */
    double overhead;              /* of parallel loops; never divided by the threads */
} ModelCost;

/* The memory of a component of a func, or of an image. */
typedef struct Buffer {
    int dimensions, element;                             /* bytes */
    double length[MAX_DIMENSIONS], step[MAX_DIMENSIONS]; /* in elements */
    double fold[MAX_DIMENSIONS];                         /* 0: none */
    const WorldValue *minimum[MAX_DIMENSIONS];           /* null: 0 */
    int world;         /* of the innermost loop around its allocation; 0: none */
    bool is_temporary; /* a func's that is no output */
    unsigned stamp;    /* of the footprint that is being measured */
    double low[MAX_DIMENSIONS], high[MAX_DIMENSIONS];
    bool is_stored;
} Buffer;

/* One access of a store statement, in numbers. */
typedef struct Access {
    Buffer *buffer;
    bool is_store;
    int worlds;                   /* loops around it: worlds 1 to worlds - 1 */
    double base[MAX_DIMENSIONS];  /* relative to the buffer's minimum */
    bool unknown[MAX_DIMENSIONS]; /* anywhere in this dimension */
    double *stride;               /* [world * MAX_DIMENSIONS + dimension] */
    const double *iterations;     /* by world */
} Access;

typedef enum LoopKind { LOOP_SERIAL, LOOP_UNROLLED, LOOP_LANES } LoopKind;

/* A statement whose body is being walked. */
typedef struct Frame {
    const Stmt *stmt;
    double iterations; /* of a loop */
    int world;         /* of a loop; 0: none */
    LoopKind kind;
    uint32_t masked; /* of lanes: the loops at whose end some are masked, a bit for each world */
    double tail;     /* cycles of the partial vector of a row, of the loop of lanes inside */
    double share;    /* of its body's executions that do anything */
    bool is_whole;   /* of a split: its loops have as many iterations as its domain is long */
    ModelCost cost;  /* of one execution of its body */
    size_t first_access;
} Frame;

typedef struct Model {
    const Program *program;
    const Machine *machine;
    int threads;
    Arena *arena;
    Worlds worlds;
    double iterations[MOST_WORLDS];
    Vec(Frame) frames;
    Vec(Access *) accesses;
    Map unrolled; /* vectorized loops that are run as unrolled ones -> itself */
    Map buffers;  /* Symbol -> Buffer, by component */
    Vec(ModelCost) phases;
    unsigned stamp;
    double all_bytes; /* of images, and of funcs at root */
    Estimate *estimate;
} Model;

/* body.c */

/* The cost of one execution of a store, all lanes together. Records its accesses. */
ModelCost model_store(Model *model, const Stmt *store);
/* How many iterations of the loops inside share one execution of what depends on these loops. What is
 * loaded is only shared by the iterations of unrolled loops. `live`, if not null, gets how many values
 * of it live at a time. */
double model_shared(const Model *model, uint32_t depends, bool is_loaded, double *live);

/* traffic.c */

/* Returns the memory of an image or func that a statement accesses; null if it is not known. */
Buffer *model_buffer(Model *model, Symbol name, int component);
void model_allocate(Model *model, const Stmt *allocate);
/* Records the access. `indices` are its places. */
Access *model_access(Model *model, Buffer *buffer, const Expr *indices, bool is_store);
/* The distance in elements between neighbouring lanes; `*is_known` false for unrelated places. */
double access_step(const Access *access, int world, bool *is_known);
/* The traffic of all iterations of the loop, from that of one. */
void model_loop_traffic(Model *model, const Frame *frame, double *traffic);

#endif
