/* nests.c -- loop nests followed symbolically, so that sugar can be expanded before there is a
 * program.
 *
 * For each stage of each specialization the loops' names from the outermost to the innermost, as
 * Figure 9 makes them and as specialize, split, fuse, swap and start-early change them.  Nothing
 * else changes the loops of a nest, so at the end of phase 2 the names are those of the program.
 */
#include "schedule/loop.h"

/* `stages` nests for each specialization, z0 first. */
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
