/* worlds.h -- evaluates index expressions of a lowered program in numbers, in several worlds at once.
 *
 * World 0 is a typical iteration: each loop around the current statement stands in its middle.  In
 * world w, loop w alone stands at its end instead.  So the difference of a value between two worlds,
 * divided by that of the loop's variable, is the stride of the value along the loop.  No symbolic
 * arithmetic is needed: what sliding, guards and folded coordinates do to an index is in the numbers.
 *
 * Every binder of a program has its own symbol, so a value that was computed once stays right.
 */
#ifndef HLC_AUTOSCHEDULE_WORLDS_H
#define HLC_AUTOSCHEDULE_WORLDS_H

#include "ir/interpret/evaluate.h"
#include "ir/walk.h"

/* Loops that stand deeper have no world: nothing depends on them. */
enum { MOST_WORLDS = 32 };

/* The value of an expression in the worlds that existed when it was first asked for.  It is the same
 * in all later ones. */
typedef struct WorldValue {
    bool is_known; /* it reads no memory, and is an integer or a bool */
    uint32_t
        depends; /* a bit for each loop that its variables depend on; bit 0: on sizes or parameters */
    int count;
    int64_t *at;
} WorldValue;

typedef struct Worlds {
    Arena *arena;
    VariableValue *startup; /* of parameters, images and windows */
    void *data;
    Map variables; /* Symbol -> WorldValue */
    Map values;    /* Expr -> WorldValue */
    int count;     /* of worlds: 1 + the loops around */
} Worlds;

Worlds worlds_create(Arena *arena, VariableValue *startup, void *data);
/* Enters a loop.  Returns its number of iterations in world 0, at least 0, and the loop's world; 0 if
 * it gets none. */
int64_t worlds_enter_loop(Worlds *worlds, Symbol binder, const Extent *interval, int *world);
/* Leaves the loop that was entered last. */
void worlds_leave_loop(Worlds *worlds, int world);
/* Binds the variable of a let. */
void worlds_bind(Worlds *worlds, Symbol binder, Expr value);
const WorldValue *worlds_value(Worlds *worlds, Expr expr);
/* The value in world 0; `otherwise` if it is not known. */
int64_t worlds_typical(Worlds *worlds, Expr expr, int64_t otherwise);
/* The distance between the two iterations of a loop that the worlds look at. */
int64_t worlds_step(int64_t iterations);
/* The stride of a known value along the loop of this world. */
double worlds_stride(const Worlds *worlds, const WorldValue *value, int world, int64_t iterations);
/* Evaluates an expression as it is in iteration `i` of the loop of this world, which has so many, where its
 * variables step evenly.  False if it is not known. */
bool worlds_at(Worlds *worlds, Expr expr, int world, int64_t iterations, int64_t i, Bits *bits);

#endif
