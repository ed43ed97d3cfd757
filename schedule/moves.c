/* moves.c -- makes every directive that the choices allow, and keeps what its check lets through.
 *
 * One function a kind (or two alike) fills in the arguments: loops from the nests as they are,
 * names that are new, numbers from the choices.  Of sugar the first primitive is checked; whether
 * the rest follows is known when the sugar is expanded and applied (lower/moves.c).
 *
 * Left out is what would change nothing: a loop's traversal as it is, a reorder of loops that stand
 * in that order.
 */
#include "schedule/dependence.h"
#include "schedule/moves.h"

#include "ir/walk.h"
#include "schedule/reduction_loops.h"
#include "schedule/reorder_reduction.h"
#include "schedule/scheduler.h"

/* ---- directives in the making ---- */

static Directive *begin(const Proposing *p, DirectiveKind kind) {
    Directive *directive = arena_new(p->arena, Directive);
    *directive = (Directive){.kind = kind};
    return directive;
}

static void put(const Proposing *p, Directive *directive, DirectiveArgument argument) {
    vec_push(p->arena, &directive->arguments, argument);
}

static void put_func(const Proposing *p, Directive *directive, const FuncPlan *plan) {
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = plan->func->shape->name});
}

static void put_name(const Proposing *p, Directive *directive, Symbol name) {
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_NAME, .name = name});
}

static void put_loop(const Proposing *p, Directive *directive, const Nest *nest, size_t position) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    LoopReference loop = {name.func, name.variable, name.specialization, name.stage};
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = loop});
}

static void put_number(const Proposing *p, Directive *directive, const MoveNumber *number) {
    put(p, directive,
        (DirectiveArgument){.kind = ARGUMENT_EXPR, .expr = number->expr, .text = number->text});
}

/* `which` counts the ways to end: 0 is nothing, t + 1 the tail t.  False where it is not wanted. */
static bool put_tail(const Proposing *p, Directive *directive, int which) {
    if (which == 0)
        return true;
    if (!(p->choices->tails >> (which - 1) & 1))
        return false;
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_TAIL, .tail = (Tail)(which - 1)});
    return true;
}
enum { TAIL_WAYS = TAILS_COUNT + 1 };

typedef bool Check(Scheduler *scheduler, const Directive *directive);

static void offer(const Proposing *p, const Directive *directive, Check *check) {
    if (check(p->scheduler, directive))
        vec_push(p->arena, p->moves, *directive);
}

/* A name that the nest accepts: the loop's with an ending, and where that is taken, a number. */
static Symbol fresh_name(const Proposing *p, const Nest *nest, size_t position,
                         const char *ending) {
    SymbolTable *symbols = &p->scheduler->resolver.context->symbols;
    const char *variable = nest->loops.data[position].variable->text;
    DirectiveArgument argument = {.kind = ARGUMENT_NAME,
                                  .name = symbol_format(symbols, "%s%s", variable, ending)};
    for (int n = 1; !nest_accepts_name(&p->scheduler->resolver, nest, &argument, NULL); n++)
        argument.name = symbol_format(symbols, "%s%s%d", variable, ending, n);
    return argument.name;
}

/* ---- loops ---- */

static const Stmt *statement(const Proposing *p, const Nest *nest, size_t position) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    return loop_named(p->scheduler, &name);
}

/* Null where the split is refused, or its tail is not wanted. */
static Directive *split(const Proposing *p, const Nest *nest, size_t l, Symbol outer, Symbol inner,
                        const MoveNumber *factor, int tail) {
    Directive *directive = begin(p, DIRECTIVE_SPLIT);
    put_loop(p, directive, nest, l);
    put_name(p, directive, outer);
    put_name(p, directive, inner);
    put_number(p, directive, factor);
    bool is_move = put_tail(p, directive, tail) && split_check(p->scheduler, directive);
    return is_move ? directive : NULL;
}

static void propose_split(const Proposing *p, const Nest *nest, size_t l) {
    Symbol outer = fresh_name(p, nest, l, "_o"), inner = fresh_name(p, nest, l, "_i");
    for (size_t i = 0; i < p->choices->factors.length; i++)
        for (int tail = 0; tail < TAIL_WAYS; tail++) {
            Directive *made = split(p, nest, l, outer, inner, &p->choices->factors.data[i], tail);
            if (made)
                vec_push(p->arena, p->moves, *made);
        }
}

static void propose_fuse(const Proposing *p, const Nest *nest, size_t l) {
    if (l + 1 == nest->loops.length)
        return;
    const char *ending = arena_format(p->arena, "_%s", nest->loops.data[l + 1].variable->text);
    Directive *fuse = begin(p, DIRECTIVE_FUSE);
    put_loop(p, fuse, nest, l);
    put_name(p, fuse, fresh_name(p, nest, l, ending));
    offer(p, fuse, fuse_check);
}

static void propose_start_early(const Proposing *p, const Nest *nest, size_t l) {
    for (size_t i = 0; i < p->choices->factors.length; i++) {
        Directive *early = begin(p, DIRECTIVE_START_EARLY);
        put_loop(p, early, nest, l);
        put_name(p, early, fresh_name(p, nest, l, "_e"));
        put_number(p, early, &p->choices->factors.data[i]);
        offer(p, early, start_early_check);
    }
}

static void propose_swap(const Proposing *p, const Nest *nest, size_t l) {
    Directive *swap = begin(p, DIRECTIVE_SWAP);
    put_loop(p, swap, nest, l);
    offer(p, swap, swap_check);
}

static Directive *traverse(const Proposing *p, const Nest *nest, size_t l, Traversal traversal) {
    Directive *directive = begin(p, DIRECTIVE_TRAVERSE);
    put_loop(p, directive, nest, l);
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_TRAVERSAL, .traversal = traversal});
    return directive;
}

/* Of what the loop's stage itself reads; the distance is a number that factors have. */
static void propose_prefetch(const Proposing *p, const Nest *nest, size_t l) {
    const Stage *stage = nest->func->stages.data[nest->stage];
    Exprs accesses = {0};
    Map seen = map_create(p->arena);
    for (int c = 0; c < nest->func->shape->components; c++)
        expr_accesses(p->arena, stage->values[c], &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Symbol name = accesses.data[i]->name;
        if (map_get(&seen, name) || name == nest->func->shape->name)
            continue;
        map_put(&seen, name, name);
        for (size_t k = 0; k < p->choices->factors.length; k++) {
            Directive *directive = begin(p, DIRECTIVE_PREFETCH);
            put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = name});
            put_loop(p, directive, nest, l);
            put_number(p, directive, &p->choices->factors.data[k]);
            offer(p, directive, prefetch_check);
        }
    }
}

static void propose_traverse(const Proposing *p, const Nest *nest, size_t l) {
    for (int t = TRAVERSE_SERIAL; t <= TRAVERSE_UNROLLED; t++) {
        const Directive *directive = traverse(p, nest, l, (Traversal)t);
        if (statement(p, nest, l)->loop.traversal == (Traversal)t)
            continue;
        if (reduction_loop_check(&p->scheduler->resolver, directive))
            vec_push(p->arena, p->moves, *directive);
        else
            offer(p, directive, traverse_check);
    }
}

/* ---- sugar ---- */

/* Of a reduction loop it means an rfactor, of the whole or of a part of it. */
static void propose_of_reduction(const Proposing *p, const Nest *nest, size_t l, DirectiveKind kind,
                                 const MoveNumbers *factors) {
    for (size_t i = 0; i <= factors->length; i++) {
        Directive *sugar = begin(p, kind);
        put_loop(p, sugar, nest, l);
        if (i > 0)
            put_number(p, sugar, &factors->data[i - 1]);
        if (reduction_loop_check(&p->scheduler->resolver, sugar))
            vec_push(p->arena, p->moves, *sugar);
    }
}

/* vectorize, unroll and parallel: the traverse alone, and after a split. */
static void propose_manner(const Proposing *p, const Nest *nest, size_t l, DirectiveKind kind,
                           Traversal traversal, const MoveNumbers *factors) {
    bool reorders = traversal != TRAVERSE_UNROLLED;
    if (reorders && !nest->loops.data[l].pure && !dependences_known(nest)) {
        propose_of_reduction(p, nest, l, kind, factors);
        return;
    }
    if (statement(p, nest, l)->loop.traversal != traversal &&
        traverse_check(p->scheduler, traverse(p, nest, l, traversal))) {
        Directive *alone = begin(p, kind);
        put_loop(p, alone, nest, l);
        vec_push(p->arena, p->moves, *alone);
    }
    Symbol outer = fresh_name(p, nest, l, "_o"), inner = fresh_name(p, nest, l, "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < TAIL_WAYS; tail++) {
            if (!split(p, nest, l, outer, inner, &factors->data[i], tail))
                continue;
            Directive *sugar = begin(p, kind);
            put_loop(p, sugar, nest, l);
            put_number(p, sugar, &factors->data[i]);
            put_tail(p, sugar, tail);
            vec_push(p->arena, p->moves, *sugar);
        }
}

static void propose_vectorize(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_VECTORIZE, TRAVERSE_VECTORIZED, &p->choices->widths);
}

static void propose_unroll(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_UNROLL, TRAVERSE_UNROLLED, &p->choices->factors);
}

static void propose_parallel(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_PARALLEL, TRAVERSE_PARALLEL, &p->choices->factors);
}

/* The loop and each one inside it, exchanged. */
static void propose_reorder(const Proposing *p, const Nest *nest, size_t l) {
    for (size_t inner = l + 1; inner < nest->loops.length; inner++) {
        bool keeps_updates =
            nest->loops.data[l].pure || nest->loops.data[inner].pure ||
            (inner == l + 1 && dependences_allow_swap(nest, l)) ||
            reduction_order(&p->scheduler->resolver, nest->func, nest->stage)->is_free;
        Directive *reorder = begin(p, DIRECTIVE_REORDER);
        put_loop(p, reorder, nest, l);
        put_loop(p, reorder, nest, inner);
        if (keeps_updates)
            vec_push(p->arena, p->moves, *reorder);
    }
}

/* The loop as y, and the one directly inside it as x. */
static void propose_tile(const Proposing *p, const Nest *nest, size_t l) {
    if (l + 1 == nest->loops.length)
        return;
    const MoveNumbers *factors = &p->choices->factors;
    Symbol names[4];
    for (int i = 0; i < 4; i++)
        names[i] = fresh_name(p, nest, i % 2 ? l : l + 1, i < 2 ? "_o" : "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < TAIL_WAYS; tail++) {
            const MoveNumber *a = &factors->data[i], *b = &factors->data[factors->length - 1 - i];
            if (!split(p, nest, l + 1, names[0], names[2], a, tail) ||
                !split(p, nest, l, names[1], names[3], b, tail))
                continue;
            Directive *tile = begin(p, DIRECTIVE_TILE);
            put_loop(p, tile, nest, l + 1);
            put_loop(p, tile, nest, l);
            for (int n = 0; n < 4; n++)
                put_name(p, tile, names[n]);
            put_number(p, tile, a);
            put_number(p, tile, b);
            put_tail(p, tile, tail);
            vec_push(p->arena, p->moves, *tile);
        }
}

/* ---- funcs ---- */

static void propose_of_func(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                            Check *check) {
    Directive *directive = begin(p, kind);
    put_func(p, directive, plan);
    offer(p, directive, check);
}

static bool check_inline(Scheduler *scheduler, const Directive *directive) {
    return inline_check(&scheduler->resolver, directive);
}

static void propose_inline(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_INLINE, check_inline);
}

static bool check_eager(Scheduler *scheduler, const Directive *directive) {
    return eager_check(&scheduler->resolver, directive);
}

static void propose_eager(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_EAGER, check_eager);
}

/* A name that nothing in the pipeline has: the func's with an ending, and a number if need be. */
static Symbol fresh_func_name(const Proposing *p, Symbol func, const char *ending) {
    Context *context = p->scheduler->resolver.context;
    const Pipeline *pipeline = p->scheduler->resolver.pipeline;
    const Signature *signature = &pipeline->signature;
    Symbol name = symbol_format(&context->symbols, "%s_%s", func->text, ending);
    for (int n = 1;
         pipeline_func(pipeline, name) || signature_image(signature, name) ||
         signature_parameter(signature, name) || map_get(&p->scheduler->resolver.inlined, name);
         n++)
        name = symbol_format(&context->symbols, "%s_%s%d", func->text, ending, n);
    return name;
}

static void offer_wrap(const Proposing *p, Symbol wrapped, const FuncPlan *consumer) {
    Directive *directive = begin(p, DIRECTIVE_WRAP);
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = wrapped});
    if (consumer)
        put_func(p, directive, consumer);
    put_name(p, directive, fresh_func_name(p, wrapped, "w"));
    vec_push(p->arena, p->moves, *directive);
}

/* The func for all that read it, and what it reads for it alone. */
static void propose_wrap(const Proposing *p, const FuncPlan *plan) {
    Symbol own = plan->func->shape->name;
    Map seen = map_create(p->arena);
    map_put(&seen, own, own);
    if (plan->consumers.length)
        offer_wrap(p, own, NULL);
    for (size_t j = 0; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        for (size_t i = 0; i < stage->sites.length; i++) {
            Symbol read = stage->sites.data[i].access->name;
            if (!map_get(&seen, read))
                offer_wrap(p, read, plan);
            map_put(&seen, read, read);
        }
    }
}

/* ---- reductions ---- */

static bool check_rfactor(Scheduler *scheduler, const Directive *directive) {
    return rfactor_check(&scheduler->resolver, directive);
}

static bool check_split_reduction(Scheduler *scheduler, const Directive *directive) {
    return split_reduction_check(&scheduler->resolver, directive);
}

static void put_reduction(const Proposing *p, Directive *directive, const FuncPlan *plan,
                          const Stage *stage, size_t r) {
    LoopReference loop = {.func = plan->func->shape->name,
                          .variable = stage->reduction.data[r].variable,
                          .stage = stage->number};
    put(p, directive, (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = loop});
}

/* Each variable alone, and the two outermost; the new dimensions have the variables' names. */
static void propose_rfactor(const Proposing *p, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        size_t count = stage->reduction.length;
        for (size_t r = 0; r < count + (count > 1); r++) {
            Directive *rfactor = begin(p, DIRECTIVE_RFACTOR);
            for (size_t k = r < count ? r : count - 2; k <= r && k < count; k++) {
                put_reduction(p, rfactor, plan, stage, k);
                put_name(p, rfactor, stage->reduction.data[k].variable);
            }
            put_name(p, rfactor, fresh_func_name(p, plan->func->shape->name, "p"));
            offer(p, rfactor, check_rfactor);
        }
    }
}

static void propose_split_reduction(const Proposing *p, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        const Nest *nest =
            nest_initial(p->scheduler->resolver.context, p->arena, plan->func, 0, stage->number);
        size_t count = stage->reduction.length;
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < p->choices->factors.length; i++) {
                size_t position = nest->loops.length - 1 - r; /* the first-named is innermost */
                Directive *split = begin(p, DIRECTIVE_SPLIT_REDUCTION);
                put_reduction(p, split, plan, stage, r);
                put_name(p, split, fresh_name(p, nest, position, "_o"));
                put_name(p, split, fresh_name(p, nest, position, "_i"));
                put_number(p, split, &p->choices->factors.data[i]);
                offer(p, split, check_split_reduction);
            }
    }
}

static void propose_specialize(const Proposing *p, const FuncPlan *plan) {
    for (size_t i = 0; i < p->choices->conditions.length; i++) {
        Directive *specialize = begin(p, DIRECTIVE_SPECIALIZE);
        put_func(p, specialize, plan);
        put_number(p, specialize, &p->choices->conditions.data[i]);
        offer(p, specialize, specialize_check);
    }
}

/* With one number, and with two where there is a second list. */
static void propose_bounds(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                           const MoveNumbers *first, const MoveNumbers *second, bool needs_second) {
    const FuncShape *shape = plan->func->shape;
    size_t seconds = second ? second->length : 0;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < first->length; i++)
            for (size_t j = needs_second; j <= seconds; j++) {
                Directive *directive = begin(p, kind);
                put_func(p, directive, plan);
                put_name(p, directive, shape->variables[d]);
                put_number(p, directive, &first->data[i]);
                if (j)
                    put_number(p, directive, &second->data[j - 1]);
                offer(p, directive, bound_check);
            }
}

static void propose_bound(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_BOUND, &p->choices->minima, &p->choices->lengths, true);
}

static void propose_bound_extent(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_BOUND_EXTENT, &p->choices->lengths, NULL, false);
}

static void propose_align_bounds(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_ALIGN_BOUNDS, &p->choices->moduli, &p->choices->remainders,
                   false);
}

static void propose_fold_storage(const Proposing *p, const FuncPlan *plan) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < p->choices->factors.length; i++) {
            Directive *directive = begin(p, DIRECTIVE_FOLD_STORAGE);
            put_func(p, directive, plan);
            put_name(p, directive, shape->variables[d]);
            put_number(p, directive, &p->choices->factors.data[i]);
            offer(p, directive, fold_storage_check);
        }
}

static void propose_compute_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_COMPUTE_ROOT, compute_root_check);
}

static void propose_store_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_STORE_ROOT, store_root_check);
}

static void propose_level(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                          Check *check) {
    for (size_t i = 0; i < p->nests.length; i++)
        for (size_t l = 0; l < p->nests.data[i]->loops.length; l++) {
            Directive *directive = begin(p, kind);
            put_func(p, directive, plan);
            put_loop(p, directive, p->nests.data[i], l);
            offer(p, directive, check);
        }
}

static void propose_compute_at(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_COMPUTE_AT, compute_at_check);
}

static void propose_store_at(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_STORE_AT, store_at_check);
}

static void propose_hoist_storage(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_HOIST_STORAGE, hoist_storage_check);
}

static void propose_hoist_storage_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_HOIST_STORAGE_ROOT, hoist_storage_root_check);
}

/* Each dimension as the closest, before the one that is. */
static void propose_reorder_storage(const Proposing *p, const FuncPlan *plan) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 1; d < shape->dimensions; d++) {
        Directive *directive = begin(p, DIRECTIVE_REORDER_STORAGE);
        put_func(p, directive, plan);
        put_name(p, directive, shape->variables[d]);
        put_name(p, directive, shape->variables[d - 1]);
        offer(p, directive, reorder_storage_check);
    }
}

static void propose_store_in(const Proposing *p, const FuncPlan *plan) {
    for (int m = MEMORY_STACK; m <= MEMORY_REGISTER; m++) {
        Directive *directive = begin(p, DIRECTIVE_STORE_IN);
        put_func(p, directive, plan);
        put(p, directive, (DirectiveArgument){.kind = ARGUMENT_MEMORY, .memory = (MemoryKind)m});
        offer(p, directive, store_in_check);
    }
}

static void propose_stream(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_STREAM, stream_check);
}

static void propose_size(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                         const MoveNumbers *numbers) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < numbers->length; i++) {
            Directive *directive = begin(p, kind);
            put_func(p, directive, plan);
            put_name(p, directive, shape->variables[d]);
            put_number(p, directive, &numbers->data[i]);
            offer(p, directive, size_storage_check);
        }
}

static void propose_align_storage(const Proposing *p, const FuncPlan *plan) {
    propose_size(p, plan, DIRECTIVE_ALIGN_STORAGE, &p->choices->moduli);
}

static void propose_bound_storage(const Proposing *p, const FuncPlan *plan) {
    propose_size(p, plan, DIRECTIVE_BOUND_STORAGE, &p->choices->lengths);
}

/* ---- what is proposed when ---- */

typedef struct Proposer {
    void (*of_func)(const Proposing *, const FuncPlan *);
    void (*of_loop)(const Proposing *, const Nest *, size_t);
} Proposer;

static const Proposer proposers[DIRECTIVE_COUNT] = {
    [DIRECTIVE_INLINE] = {.of_func = propose_inline},
    [DIRECTIVE_EAGER] = {.of_func = propose_eager},
    [DIRECTIVE_WRAP] = {.of_func = propose_wrap},
    [DIRECTIVE_RFACTOR] = {.of_func = propose_rfactor},
    [DIRECTIVE_SPLIT_REDUCTION] = {.of_func = propose_split_reduction},
    [DIRECTIVE_WAVEFRONT] = {.of_func = wavefront_propose},
    [DIRECTIVE_MERGE_URES] = {.of_func = merge_ures_propose},
    [DIRECTIVE_UNFOLD_STORAGE] = {.of_func = unfold_storage_propose},
    [DIRECTIVE_SPECIALIZE] = {.of_func = propose_specialize},
    [DIRECTIVE_BOUND] = {.of_func = propose_bound},
    [DIRECTIVE_BOUND_EXTENT] = {.of_func = propose_bound_extent},
    [DIRECTIVE_ALIGN_BOUNDS] = {.of_func = propose_align_bounds},
    [DIRECTIVE_SPLIT] = {.of_loop = propose_split},
    [DIRECTIVE_FUSE] = {.of_loop = propose_fuse},
    [DIRECTIVE_SWAP] = {.of_loop = propose_swap},
    [DIRECTIVE_START_EARLY] = {.of_loop = propose_start_early},
    [DIRECTIVE_TRAVERSE] = {.of_loop = propose_traverse},
    [DIRECTIVE_PREFETCH] = {.of_loop = propose_prefetch},
    [DIRECTIVE_TILE] = {.of_loop = propose_tile},
    [DIRECTIVE_REORDER] = {.of_loop = propose_reorder},
    [DIRECTIVE_VECTORIZE] = {.of_loop = propose_vectorize},
    [DIRECTIVE_UNROLL] = {.of_loop = propose_unroll},
    [DIRECTIVE_PARALLEL] = {.of_loop = propose_parallel},
    [DIRECTIVE_COMPUTE_AT] = {.of_func = propose_compute_at},
    [DIRECTIVE_COMPUTE_ROOT] = {.of_func = propose_compute_root},
    [DIRECTIVE_COMPUTE_WITH] = {.of_func = compute_with_propose},
    [DIRECTIVE_STORE_AT] = {.of_func = propose_store_at},
    [DIRECTIVE_STORE_ROOT] = {.of_func = propose_store_root},
    [DIRECTIVE_HOIST_STORAGE] = {.of_func = propose_hoist_storage},
    [DIRECTIVE_HOIST_STORAGE_ROOT] = {.of_func = propose_hoist_storage_root},
    [DIRECTIVE_FOLD_STORAGE] = {.of_func = propose_fold_storage},
    [DIRECTIVE_REORDER_STORAGE] = {.of_func = propose_reorder_storage},
    [DIRECTIVE_STORE_IN] = {.of_func = propose_store_in},
    [DIRECTIVE_STREAM] = {.of_func = propose_stream},
    [DIRECTIVE_ALIGN_STORAGE] = {.of_func = propose_align_storage},
    [DIRECTIVE_BOUND_STORAGE] = {.of_func = propose_bound_storage},
};

/* The nests of all funcs as they are now, by func, specialization, stage. */
static void read_nests(Proposing *p) {
    p->nests.length = 0;
    for (size_t i = 0; i < p->scheduler->plans.length; i++) {
        const FuncPlan *plan = p->scheduler->plans.data[i];
        int specializations = plan->specialize ? (int)plan->specialize->arguments.length : 1;
        for (int z = 0; z < specializations; z++)
            for (size_t j = 0; j < plan->func->stages.length; j++)
                vec_push(p->arena, &p->nests,
                         nest_read(p->scheduler, compute_of(p->scheduler, plan->func, z),
                                   plan->func, (int)j));
    }
}

static void propose(const Proposing *p, DirectiveKind kind, const FuncPlan *only) {
    const Proposer *proposer = &proposers[kind];
    for (size_t i = 0; proposer->of_func && i < p->scheduler->plans.length; i++)
        if (!only || p->scheduler->plans.data[i] == only)
            proposer->of_func(p, p->scheduler->plans.data[i]);
    for (size_t i = 0; proposer->of_loop && i < p->nests.length; i++)
        for (size_t l = 0; l < p->nests.data[i]->loops.length; l++)
            proposer->of_loop(p, p->nests.data[i], l);
}

void propose_phase(Proposing *p, Phase phase, const FuncPlan *only) {
    bool has_nests = false, was_silent = p->scheduler->resolver.silent;
    p->scheduler->resolver.silent = true;
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++) {
        Phase own = directive_info((DirectiveKind)kind)->phase;
        if (!(p->choices->kinds >> kind & 1) ||
            (own != phase && (own != PHASE_SUGAR || phase != PHASE_LOOPS)))
            continue;
        if (!has_nests && phase >= PHASE_LOOPS)
            read_nests(p);
        has_nests = true;
        propose(p, (DirectiveKind)kind, only);
    }
    p->scheduler->resolver.silent = was_silent;
}
