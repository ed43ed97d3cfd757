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
    Nest **nests;
} FuncNests;

static void fill(Nests *nests, const Func *func, FuncNests *of) {
    size_t stages = func->stages.length, count = (size_t)(of->specializations + 1) * stages;
    of->nests = arena_array(nests->arena, Nest *, count);
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

static Nest *find_nest(void *data, const Func *func, int specialization, int stage) {
    return nests_of(data, func)
        ->nests[(size_t)specialization * func->stages.length + (size_t)stage];
}

void nests_resolve_with(Nests *nests, Resolver *resolver) {
    resolver->data = nests;
    resolver->specializations = count_specializations;
    resolver->nest = find_nest;
}

static bool follow_specialize(Nests *nests, const Resolver *resolver, const Directive *directive) {
    const Func *func;
    if (!specialize_check_names(resolver, directive, &func))
        return false;
    FuncNests *of = nests_of(nests, func);
    of->specializations = (int)directive->arguments.length - 1;
    fill(nests, func, of);
    return true;
}

bool nests_follow(Nests *nests, const Resolver *resolver, const Directive *primitive) {
    Nest *nest;
    size_t position;
    LoopName name;
    switch (primitive->kind) {
    case DIRECTIVE_SPECIALIZE:
        return follow_specialize(nests, resolver, primitive);
    case DIRECTIVE_SPLIT:
        if (!split_check_names(resolver, primitive, &nest, &position))
            return false;
        split_follow(resolver, primitive);
        return true;
    case DIRECTIVE_FUSE:
        if (!fuse_check_names(resolver, primitive, &nest, &position))
            return false;
        fuse_follow(resolver, primitive);
        return true;
    case DIRECTIVE_SWAP:
        if (!swap_check_names(resolver, primitive, &nest, &position))
            return false;
        swap_follow(resolver, primitive);
        return true;
    case DIRECTIVE_START_EARLY:
        if (!start_early_check_names(resolver, primitive, &nest, &position))
            return false;
        start_early_follow(resolver, primitive);
        return true;
    case DIRECTIVE_TRAVERSE:
        return resolve_loop(resolver, directive_argument(primitive, 0), &name);
    case DIRECTIVE_PREFETCH:
        return resolve_loop(resolver, directive_argument(primitive, 1), &name);
    case DIRECTIVE_INLINE:
    case DIRECTIVE_WRAP:
    case DIRECTIVE_EAGER:
    case DIRECTIVE_RFACTOR:
    case DIRECTIVE_SPLIT_REDUCTION:
    case DIRECTIVE_COMPUTE_AT:
    case DIRECTIVE_COMPUTE_ROOT:
    case DIRECTIVE_STORE_AT:
    case DIRECTIVE_STORE_ROOT:
    case DIRECTIVE_FOLD_STORAGE:
    case DIRECTIVE_HOIST_STORAGE:
    case DIRECTIVE_HOIST_STORAGE_ROOT:
    case DIRECTIVE_REORDER_STORAGE:
    case DIRECTIVE_STORE_IN:
    case DIRECTIVE_STREAM:
    case DIRECTIVE_ALIGN_STORAGE:
    case DIRECTIVE_BOUND_STORAGE:
    case DIRECTIVE_BOUND:
    case DIRECTIVE_BOUND_EXTENT:
    case DIRECTIVE_ALIGN_BOUNDS:
    case DIRECTIVE_TILE:
    case DIRECTIVE_REORDER:
    case DIRECTIVE_VECTORIZE:
    case DIRECTIVE_UNROLL:
    case DIRECTIVE_PARALLEL:
    case DIRECTIVE_COUNT:
        break;
    }
    hlc_assert(false, "only primitives of phases 1 and 2 change nests");
    return false;
}
