/* reduction_loops.c -- reduction loops that run in parallel or in lanes.
 *
 * Iterations of such a loop touch the same points, so they cannot run side by side.  If the
 * operator is proved associative, stretches of iterations can: each stretch has its own partial
 * results.
 *
 *   vectorize(f.s1.r, k)   split-reduction(f.s1.r, r_o, r_v, k); rfactor(f.s1.r_v, r_v, f_r);
 *                          then r_v innermost in f_r and vectorized, densest in memory, and
 *                          unrolled in the merge: each lane has a partial result
 *   parallel(f.s1.r, k)    split-reduction(f.s1.r, r_p, r_i, k); rfactor(f.s1.r_p, r_p, f_r);
 *                          traverse(f_r.s1.r_p, parallel): each stretch has one
 *                          each without k, and traverse: the rfactor of the loop itself
 *
 * Lanes are merged for each point of f: f_r is computed inside the innermost pure loop of the merge
 * and takes a few registers.  Stretches are computed where f is.  Loops that stay in the partial
 * results keep their names as loops of f: `parallel(f.s1.r, 4096); vectorize(f.s1.r_i, 16)`.
 *
 * All of it is written as other directives, which `explain` prints: so whatever checks, interprets
 * and proves those does so here.
 *
 * Where iterations are proved to touch different elements (disjoint.c), the loop runs as it stands:
 * the directive then is one of loops, as for a pure loop (traverse.c).
 */
#include "schedule/reduction_loops.h"

#include "schedule/directives/atomic.h"
#include "schedule/directive_build.h"
#include "schedule/disjoint.h"
#include "schedule/meeting.h"
#include "schedule/redefine.h"
#include "schedule/reorder_reduction.h"
#include "schedule/sugar.h"

enum { MOST_UNROLLED = 64 };

typedef struct MovedLoop {
    int stage; /* the stage it belonged to; now it belongs to stage 1 */
    Symbol func;
} MovedLoop;

ReductionLoops reduction_loops_create(Arena *arena) {
    return (ReductionLoops){.arena = arena, .moved = map_create(arena)};
}

/* ---- requests ---- */

typedef struct OrderRequest {
    const Resolver *resolver;
    const Directive *directive;
    const DirectiveArgument *loop, *factor; /* factor: null if the whole loop is meant */
    Traversal traversal;
    Func *func;
    const Stage *stage;
    Symbol variable; /* the reduction variable of the stage */
    bool is_outermost;
} OrderRequest;

static bool asks_for_order(const Directive *directive, Traversal *traversal) {
    const DirectiveArgument *written = directive_find(directive, ARGUMENT_TRAVERSAL);
    const SugarManner *manner = sugar_manner(directive->kind);
    *traversal = manner ? manner->traversal : written ? written->traversal : TRAVERSE_SERIAL;
    return runs_side_by_side(*traversal);
}

bool reduction_loop_asks(const Directive *directive) {
    Traversal traversal;
    return asks_for_order(directive, &traversal);
}

/* Is no rfactor of a part of the variable allowed? */
static bool has_no_parts(const Resolver *resolver, Func *func, const Stage *stage, size_t at) {
    bool is_outermost = at + 1 == stage->reduction.length;
    return rfactor_obstacle(resolver, func, stage) ||
           (!is_outermost && !reduction_order(resolver, func, stage->number)->is_free);
}

static bool stands(const Resolver *resolver, Func *func, const Stage *stage, size_t at) {
    uint64_t others = ~((uint64_t)1 << (at & 63));
    return iterations_are_disjoint(resolver, func, stage->number, at, 0) ||
           (iterations_are_disjoint(resolver, func, stage->number, at, others) &&
            has_no_parts(resolver, func, stage, at));
}

bool reduction_loop_stands(const Resolver *resolver, const DirectiveArgument *loop) {
    Resolver silent = resolver_silent(resolver);
    size_t at;
    const Stage *stage = resolve_reduction(&silent, loop, &at);
    return stage && !stage->has_distances &&
           stands(resolver, pipeline_func(resolver->pipeline, loop->loop.func), stage, at);
}

static bool read_request(const Resolver *resolver, const Directive *directive,
                         OrderRequest *request) {
    const DirectiveArgument *tail = directive_find(directive, ARGUMENT_TAIL);
    Resolver silent = resolver_silent(resolver);
    *request = (OrderRequest){.resolver = resolver,
                              .directive = directive,
                              .loop = directive_argument(directive, 0),
                              .factor = directive_find(directive, ARGUMENT_EXPR)};
    if (!asks_for_order(directive, &request->traversal) || (tail && !tail_guards(tail->tail)))
        return false;
    size_t at;
    request->stage = resolve_reduction(&silent, request->loop, &at);
    if (!request->stage || request->loop->loop.specialization != 0 ||
        request->stage->has_distances || /* recurrences: dependence.c */
        atomic_is_said(resolver, request->loop->loop.func, request->stage->number))
        return false;
    request->func = pipeline_func(resolver->pipeline, request->loop->loop.func);
    request->variable = request->stage->reduction.data[at].variable;
    request->is_outermost = at + 1 == request->stage->reduction.length;
    return !stands(resolver, request->func, request->stage, at);
}

bool reduction_loop_is_meant(const Resolver *resolver, const Directive *directive) {
    OrderRequest request;
    return read_request(resolver, directive, &request);
}

static bool is_scatter(const OrderRequest *request) {
    for (int k = 0; k < request->func->shape->dimensions; k++)
        if (!request->stage->pure[k])
            return true;
    return false;
}

/* Checks the order of updates.  Lanes take turns, so they change the order.  So do stretches of
 * every loop but the outermost. */
static bool check_request(const OrderRequest *request) {
    const Resolver *resolver = request->resolver;
    bool in_lanes = request->traversal == TRAVERSE_VECTORIZED,
         keeps_order = request->is_outermost && (!in_lanes || !request->factor);
    const ReductionOrder *order = reduction_order(resolver, request->func, request->stage->number);
    const char *reason = rfactor_obstacle(resolver, request->func, request->stage);
    if (!reason && !keeps_order && !order->is_free)
        reason = order->reason;
    if (!reason && in_lanes && is_scatter(request))
        reason = "where it writes depends on the iteration, so that lanes would need a copy of all "
                 "points each: `rfactor` makes these, with a dimension to vectorize";
    LoopName name = {request->func->shape->name, 0, request->stage->number, request->variable};
    if (reason)
        reason = meeting_reason(resolver, request->func, request->stage->number, request->variable,
                                reason);
    return !reason ||
           refuse(resolver, DIAG_TRAVERSE_REDUCTION, request->loop->place,
                  loop_text(resolver, &name), traversal_text(request->traversal), reason);
}

bool reduction_loop_check(const Resolver *resolver, const Directive *directive) {
    OrderRequest request;
    return read_request(resolver, directive, &request) && check_request(&request);
}

/* ---- the directives of the expansion ---- */

typedef struct LoopExpansion {
    ReductionLoops *loops;
    OrderRequest request;
    MannerSplit split; /* if there is a number */
    Symbol kept;       /* the part that becomes a dimension, or the whole loop */
    Symbol stays;      /* the other part, in the partial results' reduction; null: there is none */
    Symbol partial;
    Directives *later;
} LoopExpansion;

static Directive begin(const LoopExpansion *e, DirectiveKind kind) {
    return (Directive){.kind = kind, .place = e->request.directive->place};
}

static void put(const LoopExpansion *e, Directive *directive, DirectiveArgument argument) {
    argument.place = e->request.loop->place;
    vec_push(e->loops->arena, &directive->arguments, argument);
}

static void put_name(const LoopExpansion *e, Directive *directive, Symbol name) {
    put(e, directive, argument_name(name));
}

static void put_loop(const LoopExpansion *e, Directive *directive, Symbol func, int stage,
                     Symbol variable) {
    LoopName loop = {func, 0, stage, variable};
    put(e, directive, argument_loop(&loop));
}

static void say(const LoopExpansion *e, const Directive *directive) {
    vec_push(e->loops->arena, e->later, *directive);
}

static void say_traverse(const LoopExpansion *e, Symbol func, int stage, Symbol variable,
                         Traversal traversal) {
    Directive directive = begin(e, DIRECTIVE_TRAVERSE);
    put_loop(e, &directive, func, stage, variable);
    put(e, &directive, argument_traversal(traversal));
    say(e, &directive);
}

/* Returns `f_r`, with the func and loop as written, and with a number if that name is taken. */
static Symbol fresh_name(const OrderRequest *request, const LoopReference *written) {
    const Resolver *resolver = request->resolver;
    SymbolTable *symbols = &resolver->context->symbols;
    const char *func = written->func->text, *variable = written->variable->text;
    Symbol name = symbol_format(symbols, "%s_%s", func, variable);
    for (int n = 2; pipeline_name_is_taken(resolver, name); n++)
        name = symbol_format(symbols, "%s_%s%d", func, variable, n);
    return name;
}

static void choose_names(LoopExpansion *e, const LoopReference *written) {
    const OrderRequest *request = &e->request;
    const MannerSplit *split = &e->split;
    e->partial = fresh_name(request, written);
    e->kept = request->variable;
    if (sugar_manner_split(request->resolver, request->directive, &e->split)) {
        e->kept = split->chosen;
        e->stays = split->chosen == split->inner ? split->outer : split->inner;
    }
}

static void factor(const LoopExpansion *e, Directives *factorings) {
    const OrderRequest *request = &e->request;
    Symbol func = request->func->shape->name;
    int stage = request->stage->number;
    if (request->factor) {
        Directive split = begin(e, DIRECTIVE_SPLIT_REDUCTION);
        put_loop(e, &split, func, stage, request->variable);
        put_name(e, &split, e->split.outer);
        put_name(e, &split, e->split.inner);
        vec_push(e->loops->arena, &split.arguments, *request->factor);
        vec_push(e->loops->arena, factorings, split);
    }
    Directive rfactor = begin(e, DIRECTIVE_RFACTOR);
    put_loop(e, &rfactor, func, stage, e->kept);
    put_name(e, &rfactor, e->kept);
    put_name(e, &rfactor, e->partial);
    vec_push(e->loops->arena, factorings, rfactor);
}

/* Puts the loops of the partial results' update inside the new dimension, the innermost first. */
static void put_inside(const LoopExpansion *e, Directive *reorder) {
    const OrderRequest *request = &e->request;
    const Stage *stage = request->stage;
    for (size_t r = 0; r < stage->reduction.length; r++) {
        Symbol variable = stage->reduction.data[r].variable;
        if (variable != request->variable)
            put_loop(e, reorder, e->partial, 1, variable);
        else if (e->stays)
            put_loop(e, reorder, e->partial, 1, e->stays);
    }
    for (int k = 0; k < request->func->shape->dimensions; k++)
        if (stage->pure[k])
            put_loop(e, reorder, e->partial, 1, request->func->shape->variables[k]);
}

/* Puts the lanes innermost among the loops and densest in memory. */
static void say_lanes(const LoopExpansion *e) {
    const FuncShape *shape = e->request.func->shape;
    Directive reorder = begin(e, DIRECTIVE_REORDER), dense = begin(e, DIRECTIVE_REORDER_STORAGE);
    put_loop(e, &reorder, e->partial, 1, e->kept);
    put_inside(e, &reorder);
    if (reorder.arguments.length > 1)
        say(e, &reorder);
    say_traverse(e, e->partial, 1, e->kept, TRAVERSE_VECTORIZED);
    put(e, &dense, argument_func_named(e->partial));
    put_name(e, &dense, e->kept);
    for (int k = 0; k < shape->dimensions; k++)
        put_name(e, &dense, shape->variables[k]);
    if (shape->dimensions)
        say(e, &dense);
    int64_t lanes;
    const DirectiveArgument *width = e->request.factor;
    if (width && expr_constant_integer(width->expr, &lanes) && lanes <= MOST_UNROLLED)
        say_traverse(e, shape->name, e->request.stage->number, e->kept, TRAVERSE_UNROLLED);
}

static Symbol moved_key(const Resolver *resolver, Symbol func, Symbol variable) {
    return symbol_format(&resolver->context->symbols, "%s.%s", func->text, variable->text);
}

/* Returns the record of a func of partial results; null for other funcs. */
static const PartialResults *find_partial(const ReductionLoops *loops, Symbol func) {
    for (size_t i = 0; i < loops->partials.length; i++)
        if (loops->partials.data[i].func == func)
            return &loops->partials.data[i];
    return NULL;
}

/* Refuses `parallel` after `vectorize`.  Stretches may have lanes; lanes may not have stretches,
 * because their loop would no longer be inside the others. */
static bool check_lanes(const ReductionLoops *loops, const OrderRequest *request) {
    const Resolver *resolver = request->resolver;
    const PartialResults *partial = find_partial(loops, request->func->shape->name);
    LoopName name = {request->func->shape->name, 0, request->stage->number, request->variable};
    return !partial || !partial->is_inner || request->traversal != TRAVERSE_PARALLEL ||
           refuse(resolver, DIAG_TRAVERSE_REDUCTION, request->loop->place,
                  loop_text(resolver, &name), traversal_text(request->traversal),
                  "the lanes inside of it have been made by `vectorize`, behind which this stands: "
                  "write it before that");
}

/* Records that the loop moved, also under the names of the funcs that this one was factored
 * from. */
static void move_loop(const LoopExpansion *e, Symbol variable) {
    const OrderRequest *request = &e->request;
    Symbol func = request->func->shape->name;
    int stage = request->stage->number;
    for (const PartialResults *of;; func = of->merged, stage = of->stage) {
        MovedLoop *moved = arena_new(e->loops->arena, MovedLoop);
        *moved = (MovedLoop){stage, e->partial};
        map_put(&e->loops->moved, moved_key(request->resolver, func, variable), moved);
        if (!(of = find_partial(e->loops, func)))
            return;
    }
}

static void move_loops(const LoopExpansion *e) {
    const Stage *stage = e->request.stage;
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (stage->reduction.data[r].variable != e->request.variable)
            move_loop(e, stage->reduction.data[r].variable);
    if (e->stays)
        move_loop(e, e->stays);
}

bool reduction_loop_expand(ReductionLoops *loops, const Resolver *resolver,
                           const Directive *directive, const LoopReference *written,
                           Directives *factorings, Directives *later) {
    LoopExpansion e = {.loops = loops, .later = later};
    bool is_request = read_request(resolver, directive, &e.request);
    hlc_assert(is_request, "a directive that is meant can be read");
    if (!check_request(&e.request) || !check_lanes(loops, &e.request))
        return false;
    choose_names(&e, written);
    factor(&e, factorings);
    move_loops(&e);
    bool in_lanes = e.request.traversal == TRAVERSE_VECTORIZED;
    if (in_lanes)
        say_lanes(&e);
    else
        say_traverse(&e, e.partial, 1, e.kept, TRAVERSE_PARALLEL);
    PartialResults partial = {e.partial, e.request.func->shape->name, e.request.stage->number,
                              in_lanes};
    vec_push(loops->arena, &loops->partials, partial);
    return true;
}

/* ---- references by other directives ---- */

/* Returns the stage; null if it no longer exists: eager removes funcs, and stages of its own
 * func. */
static const Stage *find_stage(const Resolver *resolver, Symbol name, int stage) {
    const Func *func = pipeline_func(resolver->pipeline, name);
    return func && (size_t)stage < func->stages.length ? func->stages.data[stage] : NULL;
}

/* Does the func still have a reduction variable of that name? */
static bool is_there(const Resolver *resolver, const LoopReference *loop, int stage) {
    const Stage *of = find_stage(resolver, loop->func, stage);
    for (size_t r = 0; of && r < of->reduction.length; r++)
        if (of->reduction.data[r].variable == loop->variable)
            return true;
    return false;
}

Directive reduction_loops_follow(const ReductionLoops *loops, const Resolver *resolver,
                                 const Directive *directive) {
    Directive result = directive_copy(loops->arena, directive);
    for (size_t i = 0; i < result.arguments.length; i++) {
        DirectiveArgument *argument = &result.arguments.data[i];
        LoopReference *loop = &argument->loop;
        const MovedLoop *moved = NULL;
        while (argument->kind == ARGUMENT_LOOP &&
               (moved = map_get(&loops->moved, moved_key(resolver, loop->func, loop->variable))) &&
               (loop->stage < 0 || loop->stage == moved->stage) &&
               !is_there(resolver, loop, moved->stage)) {
            loop->func = moved->func;
            loop->stage = 1;
        }
    }
    return result;
}

static bool is_compute(const Directive *directive) {
    return directive->kind == DIRECTIVE_COMPUTE_AT || directive->kind == DIRECTIVE_COMPUTE_ROOT;
}

/* Returns the compute directive of the func; null if there is none. */
static const Directive *level_of(const Schedule *schedule, Symbol func) {
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (is_compute(directive) && directive_argument(directive, 0)->name == func)
            return directive;
    }
    return NULL;
}

static bool is_vectorized(const Directives *primitives, const LoopName *name) {
    bool vectorized = false;
    for (size_t i = 0; i < primitives->length; i++) {
        const Directive *directive = &primitives->data[i];
        if (directive->kind != DIRECTIVE_TRAVERSE)
            continue;
        const LoopReference *loop = &directive_argument(directive, 0)->loop;
        if (loop->func == name->func && loop->stage == name->stage &&
            loop->variable == name->variable)
            vectorized = directive_argument(directive, 1)->traversal == TRAVERSE_VECTORIZED;
    }
    return vectorized;
}

/* Finds the innermost of the outer pure loops before the first vectorized one. */
static bool find_level(const PartialResults *partial, const Resolver *resolver,
                       const Directives *primitives, LoopName *level) {
    const Func *func = pipeline_func(resolver->pipeline, partial->merged);
    const LoopNest *nest = resolver->nest(resolver->data, func, 0, partial->stage);
    bool found = false;
    for (size_t i = 0; i < nest->loops.length && nest->loops.data[i].pure; i++) {
        LoopName name = nest_loop_name(nest, nest->loops.data[i].variable);
        if (is_vectorized(primitives, &name))
            break;
        *level = name;
        found = true;
    }
    return found;
}

/* A specialized func reads its partial results in all copies of its loops. */
static bool is_specialized(const Schedule *schedule, Symbol func) {
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (directive->kind == DIRECTIVE_SPECIALIZE &&
            directive_argument(directive, 0)->name == func)
            return true;
    }
    return false;
}

void reduction_loops_place(const ReductionLoops *loops, const Resolver *resolver,
                           const Directives *primitives, Schedule *schedule) {
    for (size_t i = 0; i < loops->partials.length; i++) {
        const PartialResults *partial = &loops->partials.data[i];
        const Directive *merged = level_of(schedule, partial->merged);
        Directive level = {.kind = DIRECTIVE_COMPUTE_AT, .place = schedule->place};
        LoopName name;
        bool stands = find_stage(resolver, partial->func, 1) &&
                      find_stage(resolver, partial->merged, partial->stage);
        if (!stands || level_of(schedule, partial->func))
            continue;
        vec_push(loops->arena, &level.arguments,
                 argument_at(argument_func_named(partial->func), schedule->place));
        if (partial->is_inner && !is_specialized(schedule, partial->merged) &&
            find_level(partial, resolver, primitives, &name)) {
            vec_push(loops->arena, &level.arguments,
                     argument_at(argument_loop(&name), schedule->place));
        } else if (merged && merged->kind == DIRECTIVE_COMPUTE_AT) {
            vec_push(loops->arena, &level.arguments, *directive_argument(merged, 1));
        } else {
            continue; /* at root, as without a directive */
        }
        vec_push(loops->arena, &schedule->directives, level);
    }
}
