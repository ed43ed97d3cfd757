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

/* What changes the loops of one nest: as names show whether it may, and what it does to them. */
static const struct Change {
    bool (*check)(const Resolver *resolver, const Directive *directive, Nest **nest,
                  size_t *position);
    void (*follow)(const Resolver *resolver, const Directive *directive);
} changes[DIRECTIVE_COUNT] = {
    [DIRECTIVE_SPLIT] = {split_check_names, split_follow},
    [DIRECTIVE_FUSE] = {fuse_check_names, fuse_follow},
    [DIRECTIVE_SWAP] = {swap_check_names, swap_follow},
    [DIRECTIVE_START_EARLY] = {start_early_check_names, start_early_follow},
};

/* Of directives that name a loop and leave it where it is: which argument that is. */
static size_t named_loop(const Directive *primitive) {
    bool is_prefetch = primitive->kind == DIRECTIVE_PREFETCH;
    hlc_assert(is_prefetch || primitive->kind == DIRECTIVE_TRAVERSE,
               "only primitives of phases 1 and 3 are about nests");
    return is_prefetch ? 1 : 0;
}

bool nests_follow(Nests *nests, const Resolver *resolver, const Directive *primitive) {
    const struct Change *change = &changes[primitive->kind];
    Nest *nest;
    size_t position;
    LoopName name;
    if (primitive->kind == DIRECTIVE_SPECIALIZE)
        return follow_specialize(nests, resolver, primitive);
    if (!change->check)
        return resolve_loop(resolver, directive_argument(primitive, named_loop(primitive)), &name);
    if (!change->check(resolver, primitive, &nest, &position))
        return false;
    change->follow(resolver, primitive);
    return true;
}
