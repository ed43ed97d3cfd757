/* traverse.c -- traverse(l, t): sets the manner in which a loop runs.
 *
 * `parallel` and `vectorized` reorder iterations, so the loop must be pure: its iterations then
 * touch disjoint points (Def 4.2).  A reduction loop may run so where its iterations are proved to
 * touch different elements (dependence.h).  Of others they mean something else, which is done in
 * phase 0: reduction_loops.c; but where the update is atomic, they may be parallel: atomic.c.
 * `vectorized` and `unrolled` need a constant length.  If neither the program nor a `bound`, which is
 * recorded before, has one, the oracle must find a greatest length: that of the region which the
 * consumer's iterations need (bounds/lengths.c).  What stands inside a vectorized loop is judged when
 * the nests are finished: no parallel loop.  Of two vectorized loops the inner one has the lanes, and
 * the outer one is unrolled; so is one in which a func is computed (levels.c).
 */
#include "schedule/directive_record.h"

#include "ir/walk.h"
#include "schedule/directives/atomic.h"
#include "schedule/dependence.h"
#include "schedule/meeting.h"
#include "schedule/reduction_loops.h"
#include "schedule/reorder_reduction.h"

enum { LONGEST_VECTOR = 256, LONGEST_UNROLLED = 1024 };

bool loop_check_serial(const Scheduler *scheduler, const Stmt *loop, Place place) {
    const Resolver *resolver = &scheduler->resolver;
    if (loop->loop.prefetches)
        return refuse(resolver, DIAG_LOOP_NOT_SERIAL, place, loop_text(resolver, &loop->loop.name),
                      "prefetched in");
    if (loop->loop.traversal == TRAVERSE_SERIAL)
        return true;
    return refuse(resolver, DIAG_LOOP_NOT_SERIAL, place, loop_text(resolver, &loop->loop.name),
                  traversal_text(loop->loop.traversal));
}

typedef struct FixedLengths {
    const Scheduler *scheduler;
    bool are_exact; /* requests that the oracle may exceed do not count */
} FixedLengths;

/* Replaces the hole of a dimension's length by the constant that a request fixes it to, unless the
 * dimension is also aligned.  Other holes stay. */
static Expr fill_fixed_length(void *data, Pool *pool, Expr node) {
    const FixedLengths *lengths = data;
    const Scheduler *scheduler = lengths->scheduler;
    (void)pool;
    if (node->op != OP_HOLE)
        return node;
    const FuncShape *shape = scheduler_plan(scheduler, node->hole->func)->func->shape;
    Expr fixed = node;
    int64_t constant;
    for (size_t i = 0; node->hole->end == HOLE_LENGTH && i < scheduler->bounds->requests.length;
         i++) {
        const BoundRequest *request = &scheduler->bounds->requests.data[i];
        if (request->func != node->hole->func ||
            shape->variables[request->dimension] != node->hole->variable)
            continue;
        if (request->kind == BOUND_ALIGN ||
            (lengths->are_exact && (request->is_least || request->is_of_nest)))
            return node;
        if (expr_constant_integer(request->length, &constant))
            fixed = request->length;
    }
    return fixed;
}

static bool find_length(const FixedLengths *lengths, Expr length, int64_t *value) {
    const Scheduler *scheduler = lengths->scheduler;
    length = expr_rewrite_alone(scheduler->pool, scheduler->resolver.arena, length,
                                fill_fixed_length, (void *)lengths);
    return expr_constant_integer(length, value);
}

bool loop_has_constant_length(const Scheduler *scheduler, Expr length, int64_t *value) {
    return find_length(&(FixedLengths){scheduler, false}, length, value);
}

bool loop_has_exact_length(const Scheduler *scheduler, Expr length, int64_t *value) {
    return find_length(&(FixedLengths){scheduler, true}, length, value);
}

static bool is_of_constant_length(Traversal traversal) {
    return traversal == TRAVERSE_VECTORIZED || traversal == TRAVERSE_UNROLLED;
}

static int64_t longest_of(Traversal traversal) {
    return traversal == TRAVERSE_VECTORIZED ? LONGEST_VECTOR : LONGEST_UNROLLED;
}

/* A length that is not known yet is the oracle's to find, unless a reduction runs over it. */
static bool check_length(const Scheduler *scheduler, const Stmt *loop, Traversal traversal,
                         Place place) {
    const Resolver *resolver = &scheduler->resolver;
    const char *text = traversal_text(traversal), *of_loop = loop_text(resolver, &loop->loop.name);
    int64_t length, longest = longest_of(traversal);
    if (!loop_has_constant_length(scheduler, loop->loop.interval.length, &length))
        return loop->loop.pure || refuse(resolver, DIAG_TRAVERSE_LENGTH, place, of_loop, text);
    if (length > longest)
        return refuse(resolver, DIAG_TRAVERSE_TOO_LONG, place, of_loop,
                      number_text(resolver, length), text, number_text(resolver, longest));
    return true;
}

/* Phase 0 has already expanded what reductions allow (reduction_loops.c), so refuses the rest. */
static bool refuse_reduction(const Resolver *resolver, const LoopName *loop, Traversal traversal,
                             Place place) {
    const Func *func = pipeline_func(resolver->pipeline, loop->func);
    if (func->stages.data[loop->stage]->has_distances)
        return refuse(resolver, DIAG_TRAVERSE_DEPENDENT, place, loop_text(resolver, loop),
                      traversal_text(traversal));
    const ReductionOrder *order = reduction_order(resolver, func, loop->stage);
    return refuse(resolver, DIAG_TRAVERSE_REDUCTION, place, loop_text(resolver, loop),
                  traversal_text(traversal),
                  order->is_free
                      ? "it is no variable of the reduction, but made of such"
                      : meeting_reason(resolver, func, loop->stage, loop->variable, order->reason));
}

static bool is_independent(const Scheduler *scheduler, const LoopName *name) {
    size_t position;
    const LoopNest *nest = nest_of(&scheduler->resolver, name, &position);
    return dependences_allow_together(&scheduler->resolver, nest, position);
}

bool traverse_follow(const Resolver *resolver, const Directive *directive) {
    LoopName name;
    return resolve_loop(resolver, directive_argument(directive, 0), &name);
}

bool traverse_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 0);
    Traversal traversal = directive_argument(directive, 1)->traversal;
    LoopName name;
    if (!resolve_loop(resolver, argument, &name))
        return false;
    const Stmt *loop = loop_named(scheduler, &name);
    bool reorders = runs_side_by_side(traversal),
         is_atomic = atomic_is_said(resolver, name.func, name.stage);
    if (is_atomic && !atomic_allows(scheduler, loop, traversal, argument->place))
        return false;
    if (reorders && !loop->loop.pure && !is_atomic && !is_independent(scheduler, &name))
        return refuse_reduction(resolver, &name, traversal, argument->place);
    return !is_of_constant_length(traversal) ||
           check_length(scheduler, loop, traversal, argument->place);
}

void traverse_apply(Scheduler *scheduler, const Directive *directive) {
    Traversal traversal = directive_argument(directive, 1)->traversal;
    Stmt *loop = loop_of_argument(scheduler, directive, 0);
    loop->loop.traversal = traversal;
    Place place = directive_argument(directive, 0)->place;
    if (traversal == TRAVERSE_UNROLLED && place.line) /* for DIAG_NOT_UNROLLED */
        loop->place = place;
    bool is_atomic =
        atomic_is_said(&scheduler->resolver, loop->loop.name.func, loop->loop.name.stage);
    loop->loop.independent = !loop->loop.pure && !is_atomic && runs_side_by_side(traversal);
    if (is_atomic)
        atomic_mark(loop);
    int64_t length;
    if (is_of_constant_length(traversal) &&
        !loop_has_constant_length(scheduler, loop->loop.interval.length, &length))
        vec_push(scheduler->program->arena, &scheduler->bounds->lengths,
                 (LengthRequest){loop->loop.name, longest_of(traversal), traversal,
                                 directive_argument(directive, 0)->place});
    if (loop->loop.independent)
        vec_push(scheduler->resolver.arena, &scheduler->independent, directive);
    if (traversal == TRAVERSE_VECTORIZED)
        vec_push(scheduler->resolver.arena, &scheduler->vectorized, directive);
}

void loop_unroll(Stmt *loop) {
    loop->loop.traversal = TRAVERSE_UNROLLED;
    loop->loop.independent = false;
}

/* Unrolls a vectorized loop around a vectorized or a parallel one: one thread runs all lanes. */
static void unroll_around(Stmt *vectorized) {
    for (const Stmt *loop = loop_inside(vectorized); loop; loop = loop_inside(loop))
        if (runs_side_by_side(loop->loop.traversal)) {
            loop_unroll(vectorized);
            return;
        }
}

/* Checks independent loops again: loops may have changed places since. */
static bool judge_independent(Scheduler *scheduler, const Resolver *silent) {
    const Resolver *resolver = &scheduler->resolver;
    for (size_t i = 0; i < scheduler->independent.length; i++) {
        const Directive *directive = scheduler->independent.data[i];
        LoopName name;
        if (!resolve_loop(silent, directive_argument(directive, 0), &name))
            continue;
        const Stmt *loop = loop_named(scheduler, &name);
        if (loop->loop.independent && !is_independent(scheduler, &name))
            return refuse(resolver, DIAG_TRAVERSE_DEPENDENT, directive->place,
                          loop_text(resolver, &name), traversal_text(loop->loop.traversal));
    }
    return true;
}

/* A vectorized loop keeps its name.  A name that is not found belongs to a loop that was split or
 * fused since, and is no longer vectorized. */
bool traverse_judge(Scheduler *scheduler) {
    Resolver silent = resolver_silent(&scheduler->resolver);
    bool sound = judge_independent(scheduler, &silent);
    for (size_t i = 0; i < scheduler->vectorized.length; i++) {
        const Directive *directive = scheduler->vectorized.data[i];
        LoopName name;
        if (!resolve_loop(&silent, directive_argument(directive, 0), &name))
            continue;
        Stmt *loop = loop_named(scheduler, &name);
        if (loop->loop.traversal == TRAVERSE_VECTORIZED)
            unroll_around(loop);
    }
    return sound;
}

/* ---- candidates ---- */

Directive *traverse_candidate(const LegalSearch *search, const LoopNest *nest, size_t position,
                              Traversal traversal) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    const Stmt *loop = loop_named(search->scheduler, &name);
    int64_t length;
    if (loop->loop.traversal == traversal)
        return NULL;
    if (is_of_constant_length(traversal) && loop->loop.pure && !search->choices->open_lengths &&
        !loop_has_constant_length(search->scheduler, loop->loop.interval.length, &length))
        return NULL;
    return candidate_of_kind(search, DIRECTIVE_TRAVERSE, argument_loop(&name),
                             argument_traversal(traversal));
}

void traverse_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    for (int t = TRAVERSE_SERIAL; t <= TRAVERSE_UNROLLED; t++) {
        const Directive *directive = traverse_candidate(search, nest, position, (Traversal)t);
        if (directive && reduction_loop_check(&search->scheduler->resolver, directive))
            candidate_accept(search, directive);
        else if (directive)
            candidate_offer(search, directive);
    }
}
