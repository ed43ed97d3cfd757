/* decision.h -- what a schedule decides for each func, before it is written as directives.
 *
 * A func is inlined, or computed at root, or computed inside the loops of its host: the one stage at
 * root whose loops enclose all of its reads. The host is not decided; it follows from the placements
 * of the readers. A func at root that has loops over blocks can be a host:
 *
 *     tile    the innermost loop over tiles that tiles of registers stand in
 *     block   the innermost loop over blocks: strips of rows, tiles, or the tiles of registers
 *     row     the loop over the rows of a block
 *     lanes   the loop over the vectors of a row
 */
#ifndef HLC_AUTOSCHEDULE_DECISION_H
#define HLC_AUTOSCHEDULE_DECISION_H

#include "autoschedule/machine.h"
#include "autoschedule/model.h"
#include "ir/algorithm.h"
#include "schedule/schedule.h"

typedef enum Placement {
    PLACE_ROOT,
    PLACE_INLINE,
    PLACE_TILE, /* around the tiles of registers, if these stand in tiles; else as in blocks */
    PLACE_BLOCK,
    PLACE_ROW,
    PLACE_SLIDE, /* computed in rows, stored in blocks: rows that the next row needs are kept */
    PLACE_LANES
} Placement;

/* Where the loops stand that are neither the lanes nor the rows. */
typedef enum OtherLoops {
    ORDER_OUTSIDE, /* around the rows: plane by plane */
    ORDER_ROWS,    /* inside a row: row by row */
    ORDER_VECTORS, /* inside a vector's place: pixel by pixel */
    ORDER_UNROLLED /* the same, and short ones are unrolled: a choice by one of their variables is made when
                      the code is, and what does not depend on them is computed once */
} OtherLoops;

/* The loops of an update. */
typedef enum Sweep {
    SWEEP_INSIDE,    /* reductions inside: a vector of sums at a time */
    SWEEP_ROWS,      /* reductions around a row of sums */
    SWEEP_TILE,      /* reductions around a tile of sums in registers */
    SWEEP_LANES,     /* the reduction in lanes, and in stretches for the threads */
    SWEEP_STRETCHES, /* the reduction in stretches for the threads */
    SWEEP_TABLES /* of places that values choose: neighbours in tables of their own, and stretches */
} Sweep;

typedef struct FuncChoice {
    Placement placement;
    OtherLoops order;
    Sweep sweep;
    int lanes;          /* 1: not vectorized */
    int rows, columns;  /* of a block; 0: not split */
    int vectors, lines; /* of the tile in registers; of a strip, lines that are unrolled */
    bool registers;     /* the blocks are tiles that stay in registers */
    bool whole;         /* of blocks in vectors: the last one is shifted inwards */
} FuncChoice;

/* A stage that reads the func. */
typedef struct Reader {
    int func, stage;
} Reader;

typedef struct DecisionSubject {
    const Func *func;
    bool is_output;
    bool is_fixed; /* an equation, made by a C function, or named in the base: it stays as it is */
    bool is_inlinable, is_cheap;
    int nodes;         /* of the pure values, shared ones counted once */
    bool reads_across; /* neighbours in memory for neighbouring rows, as a transposed copy does */
    bool chooses;      /* by the variable of a short dimension: between planes, say */
    int lane, row;     /* dimensions; -1: none */
    int natural_lanes;
    double length[MAX_DIMENSIONS];
    Vec(Reader) readers;
} DecisionSubject;

/* The funcs of a pipeline, in the order of their definition, and what is known of them. */
typedef struct Decisions {
    const Pipeline *pipeline;
    const Schedule *base; /* null: none */
    const Machine *machine;
    int threads, count;
    DecisionSubject *subjects;
    Arena *arena;
} Decisions;

/* `empty` is the estimate of the base schedule (null: the empty one), which has the lengths of all
 * funcs. */
Decisions *decisions_create(const Pipeline *pipeline, const Schedule *base, const Machine *machine,
                            int threads, const Estimate *empty, Arena *arena);
/* The accesses to funcs and images in a stage. */
Exprs decisions_accesses(Arena *arena, const Stage *stage, const Func *func);
/* Finds the host of a func and the stage; false if its reads have no common one.  Then, and if its
 * level lies inside that of a reader, it can only be computed at root. */
bool decisions_host(const Decisions *decisions, const FuncChoice *choices, int func, Reader *host);
/* About how many nodes the bodies of the inlined funcs come to, where they are put in. */
double decisions_inlined_nodes(const Decisions *decisions, const FuncChoice *choices,
                               Arena *scratch);
/* The choice from which the search begins for each func: at root, in strips and vectors. */
FuncChoice decisions_plain(const Decisions *decisions, int func);
/* The reduction variables' number of the func's last stage. */
bool subject_has_updates(const DecisionSubject *subject);
/* Do the tiles of registers stand in tiles of `columns` by `rows`? */
bool choice_has_tiles(const FuncChoice *choice);
/* The least window that holds a whole block, in lanes and in lines. */
void choice_whole_block(const DecisionSubject *subject, const FuncChoice *choice, int *columns,
                        int *lines);
/* Are the strips of such a func whole, too?  Then none of the unrolled lines has a guard. */
bool choice_has_whole_strips(const DecisionSubject *subject, const FuncChoice *choice);
/* Can all blocks of the choice be whole? Only where no point is updated: some are computed twice. */
bool subject_can_be_whole(const DecisionSubject *subject, const FuncChoice *choice);
/* Is the dimension neither the lanes' nor the rows', and so short that its loop may be unrolled? */
bool subject_is_short(const DecisionSubject *subject, int dimension);
/* Are so many lines of a strip unrolled?  They share what they read. */
bool choice_unrolls_lines(const DecisionSubject *subject, const FuncChoice *choice);
/* Do values that are read choose the places that the update writes, as in a histogram? */
bool stage_scatters(const Stage *stage, const FuncShape *shape);
/* Is the dimension pure in this stage, and is there a loop over it? */
bool stage_has_dimension(const Stage *stage, int dimension);

#endif
