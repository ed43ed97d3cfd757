/* model.h -- the loops that a random schedule has made so far: a light model of the compiler's.
 *
 * The model knows the loops of each stage of each specialization (branch) by name, outermost first,
 * which are pure, and which have a constant length; it changes with each directive as the
 * compiler's nests do.
 */
#ifndef HLC_FUZZ_MODEL_H
#define HLC_FUZZ_MODEL_H

#include "fuzz/generate.h"

enum { MODEL_STAGES = 3, MODEL_LOOPS = 16, MODEL_BRANCHES = 3 };

typedef enum ModelTraversal {
    MODEL_SERIAL,
    MODEL_PARALLEL,
    MODEL_VECTORIZED,
    MODEL_UNROLLED
} ModelTraversal;

typedef struct ModelLoop {
    const char *name;
    bool pure;
    bool fresh; /* a dimension as lowered: only such a loop takes the tails without a guard */
    int length; /* 0 where it is not a constant */
    ModelTraversal traversal;
} ModelLoop;

typedef struct ModelStage {
    ModelLoop loops[MODEL_LOOPS]; /* outermost first */
    int count;
} ModelStage;

/* Where a func is computed: a loop of a stage of a later func, by name, in whatever branch. */
typedef struct ModelPlace {
    bool placed, inlined, bounded;
    bool unguarded; /* has extra points: it is stored where it is computed */
    int func, stage;
    const char *loop;
} ModelPlace;

typedef struct Model {
    Arena *arena;
    Random *random;
    Case *c;
    ModelStage stages[CASE_FUNCS][MODEL_BRANCHES][MODEL_STAGES];
    int branch_count[CASE_FUNCS], stage_count[CASE_FUNCS];
    ModelPlace places[CASE_FUNCS];
    int fresh;
} Model;

/* A stage of a specialization. */
typedef struct Cursor {
    int func, branch, stage;
} Cursor;

Model *model_create(Arena *arena, Random *random, Case *c);
/* Appends a directive. */
void model_say(Model *model, const char *directive);
/* The func gets `branches - 1` specializations, whose loops are those of the func as they are. */
void model_specialize(Model *model, int func, int branches);
ModelStage *model_stage(Model *model, Cursor at);
/* The position of the loop with this name; -1 when there is none. */
int model_find(const ModelStage *stage, const char *name);
/* `f.s0.x`, `<f, z0, s0, x>`, `f.z1.s0.x`. */
const char *model_loop_name(Model *model, Cursor at, const char *loop);
/* A name that no loop has. */
const char *model_fresh_name(Model *model, const char *stem);
/* Does the text mention the name, as a word? */
bool model_mentions(const char *text, const char *name);
/* Does stage `stage` of `func` read `producer`? */
bool model_reads(const Model *model, int func, int stage, int producer);

/* generate_loops.c: one random directive about loops, or none. */
void generate_loop_directive(Model *model);

#endif
