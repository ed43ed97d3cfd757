/* nests.c -- loop nests followed symbolically: sugar is expanded before a program exists.
 *
 * A symbolic nest lists the names of the loops, the outermost first, for each stage of each
 * specialization.  Figure 9 gives the first list; specialize, split, fuse, swap and start-early
 * change it.  No other directive changes the loops of a nest.  So at the end of phase 3 (LOOPS) the
 * names are those of the program.
 */
#include "schedule/loop.h"

/* The nests of one func: `stages` nests for each specialization, z0 first. */
typedef struct FuncNests {
    int specializations;
    LoopNest **nests;
} FuncNests;

static void fill(Nests *nests, const Func *func, FuncNests *of) {
    size_t stages = func->stages.length, count = (size_t)(of->specializations + 1) * stages;
    of->nests = arena_array(nests->arena, LoopNest *, count);
    for (size_t i = 0; i < count; i++)
        of->nests[i] =
            nest_initial(nests->context, nests->arena, func, (int)(i / stages), (int)(i % stages));
}

static FuncNests *nests_of(Nests *nests, const Func *func) {
    FuncNests *of = map_get(&nests->by_func, func->shape->name);
    if (!of) {
        of = arena_new(nests->arena, FuncNests);
        fill(nests, func, of);
        map_put(&nests->by_func, func->shape->name, of);
    }
    return of;
}

static int count_specializations(void *data, const Func *func) {
    return nests_of(data, func)->specializations;
}

static LoopNest *find_nest(void *data, const Func *func, int specialization, int stage) {
    return nests_of(data, func)
        ->nests[(size_t)specialization * func->stages.length + (size_t)stage];
}

void nests_resolve_with(Nests *nests, Resolver *resolver) {
    resolver->data = nests;
    resolver->specializations = count_specializations;
    resolver->nest = find_nest;
}

void nests_specialize(const Resolver *resolver, const Func *func, int specializations) {
    FuncNests *of = nests_of(resolver->data, func);
    of->specializations = specializations;
    fill(resolver->data, func, of);
}
