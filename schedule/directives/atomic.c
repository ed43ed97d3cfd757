/* atomic.c -- atomic(f.s1): each write of an update reads its element and writes it in one step.
 *
 *     for f.s1.r in .. do                         for f.s1.r in .. parallel do
 *       f[e] <- f[e] + v             =>             atomic f[e] <- f[e] + v
 *
 * Then a reduction loop of the stage may be parallel as it stands, without partial results.  This
 * serves updates that scatter into much memory: with rfactor each stretch would need a copy of it.
 *
 * Why it is sound.  Threads run the updates in an unknown order.  Any order gives the algorithm's
 * values, because the operator is proved associative and commutative (reorder_reduction.c).  The
 * contribution of an iteration, its point and its condition do not read f, except for the element
 * in the value.  So an update is one step on one element, and steps on an element have an order.
 * Only integers and bools are allowed: sums of floats would differ from run to run, whatever the
 * pipeline grants.
 *
 * The directive belongs to phase 2, so it is known in all questions about loops, wherever it is
 * written.  Phase 0 also looks for it in the whole schedule, so `parallel(f.s1.r)` then implies no
 * rfactor.  A store is atomic while a reduction loop of its stage around it is parallel.  No loop
 * of such a nest is vectorized then, and none of its tails blends.
 */
#include "schedule/directive_record.h"

#include "ir/atomic.h"
#include "schedule/directives/atomic.h"
#include "schedule/reorder_reduction.h"

/* ---- which updates are atomic ---- */

enum { ANY_STAGE = -1 };

static Symbol said_key(const Resolver *resolver, Symbol func, int stage) {
    SymbolTable *symbols = &resolver->context->symbols;
    return stage == ANY_STAGE ? func : symbol_format(symbols, "%s.s%d", func->text, stage);
}

static void note(Resolver *resolver, const Directive *atomic) {
    const LoopReference *of = &directive_argument(atomic, 0)->loop;
    map_put(&resolver->atomic, said_key(resolver, of->func, of->stage), atomic);
    map_put(&resolver->atomic, said_key(resolver, of->func, ANY_STAGE), atomic);
}

void atomic_collect(Resolver *resolver, const Directives *directives) {
    for (size_t i = 0; i < directives->length; i++)
        if (directives->data[i].kind == DIRECTIVE_ATOMIC)
            note(resolver, &directives->data[i]);
}

bool atomic_is_said(const Resolver *resolver, Symbol func, int stage) {
    return map_get(&resolver->atomic, said_key(resolver, func, stage));
}

bool atomic_is_said_of(const Resolver *resolver, const DirectiveArgument *loop) {
    size_t variable;
    Resolver silent = resolver_silent(resolver);
    if (!atomic_is_said(resolver, loop->loop.func, ANY_STAGE))
        return false;
    const Stage *stage = loop->loop.stage < 0 ? resolve_reduction(&silent, loop, &variable) : NULL;
    return atomic_is_said(resolver, loop->loop.func,
                          stage                  ? stage->number
                          : loop->loop.stage < 0 ? ANY_STAGE
                                                 : loop->loop.stage);
}

/* ---- is it legal? ---- */

static const char rfactor_remedy[] = "leave it out: `parallel` of a reduction loop alone, and "
                                     "`rfactor`, make partial results, which "
                                     "are merged in an order that is fixed";

static bool refuse_update(const Resolver *resolver, const Directive *directive, const char *reason,
                          const char *remedy) {
    const DirectiveArgument *argument = directive_argument(directive, 0);
    return refuse(
        resolver, DIAG_ATOMIC_UPDATE, argument->place,
        arena_format(resolver->arena, "%s.s%d", argument->loop.func->text, argument->loop.stage),
        reason, remedy);
}

static bool reads(const Resolver *resolver, Expr expr, Symbol func) {
    Exprs accesses = {0};
    if (expr)
        expr_accesses(resolver->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->name == func)
            return true;
    return false;
}

static bool check_element(const Resolver *resolver, const Directive *directive,
                          const FuncShape *shape) {
    if (shape->components > 1)
        return refuse_update(resolver, directive,
                             "its elements are tuples, which are not written in one step",
                             rfactor_remedy);
    return atomic_has_type(shape->types[0]) ||
           refuse_update(resolver, directive,
                         "threads would add floats in an order that differs from run to run, and "
                         "so would what they leave, also where `reassociation` is granted",
                         rfactor_remedy);
}

static bool check_operator(const Resolver *resolver, const Directive *directive, const Func *func,
                           const Stage *stage) {
    if (stage->has_distances)
        return refuse_update(resolver, directive,
                             "its iterations need each other, as those of a recurrence do",
                             "leave it out: loops that carry no dependence may be parallel as they "
                             "are");
    if (reads(resolver, stage->predicate, func->shape->name))
        return refuse_update(resolver, directive,
                             "its condition reads what it writes, before the step",
                             "write the condition into the value: `select(condition, value, "
                             "f(..))` with what the func holds");
    const ReductionOrder *order = reduction_order(resolver, func, stage->number);
    return order->is_free ||
           refuse_update(resolver, directive,
                         arena_format(resolver->arena,
                                      "threads bring its updates in any order, and %s",
                                      order->reason),
                         arena_format(resolver->arena,
                                      "`hlc explain FILE --associative=%s` tells how its operator "
                                      "is taken apart",
                                      func->shape->name->text));
}

bool atomic_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 0);
    DirectiveArgument subject = directive_subject(directive);
    const Func *func = resolve_func(resolver, &subject);
    if (!func)
        return false;
    int number = argument->loop.stage;
    if (number >= (int)func->stages.length)
        return refuse(resolver, DIAG_STAGE_UNKNOWN, argument->place, func->shape->name->text,
                      arena_format(resolver->arena, "s%d", number),
                      func->stages.length > 1
                          ? arena_format(resolver->arena, "s0..s%zu", func->stages.length - 1)
                          : "s0");
    if (number == 0)
        return refuse_update(resolver, directive,
                             "it is the first stage, each of whose iterations writes a point of "
                             "its own",
                             "leave it out: loops of a first stage may be parallel as they are");
    if (atomic_is_said(resolver, func->shape->name, number))
        return refuse_update(resolver, directive, "that is said already",
                             "leave out one of the two");
    return check_element(resolver, directive, func->shape) &&
           check_operator(resolver, directive, func, func->stages.data[number]);
}

void atomic_apply(Scheduler *scheduler, const Directive *directive) {
    note(&scheduler->resolver, directive);
}

/* ---- loops ---- */

static bool refuse_lanes(const Resolver *resolver, const LoopName *vectorized, Place place) {
    return refuse(
        resolver, DIAG_ATOMIC_LOOP, place, loop_text(resolver, vectorized),
        traversal_text(TRAVERSE_VECTORIZED),
        arena_format(resolver->arena, "%s.s%d", vectorized->func->text, vectorized->stage));
}

/* Finds the name of a loop of the same nest that runs so: a pure loop or a reduction loop. */
static bool find_loop(const Scheduler *scheduler, const LoopName *of, bool is_pure,
                      Traversal traversal, LoopName *found) {
    size_t position;
    const LoopNest *nest = nest_of(&scheduler->resolver, of, &position);
    for (size_t i = 0; i < nest->loops.length; i++) {
        *found = nest_loop_name(nest, nest->loops.data[i].variable);
        if (nest->loops.data[i].pure == is_pure && found->variable != of->variable &&
            loop_named(scheduler, found)->loop.traversal == traversal)
            return true;
    }
    return false;
}

bool atomic_allows(const Scheduler *scheduler, const Stmt *loop, Traversal traversal, Place place) {
    const LoopName *name = &loop->loop.name;
    LoopName other;
    if (traversal == TRAVERSE_VECTORIZED &&
        (!loop->loop.pure || find_loop(scheduler, name, false, TRAVERSE_PARALLEL, &other)))
        return refuse_lanes(&scheduler->resolver, name, place);
    if (traversal == TRAVERSE_PARALLEL && !loop->loop.pure &&
        find_loop(scheduler, name, true, TRAVERSE_VECTORIZED, &other))
        return refuse_lanes(&scheduler->resolver, &other, place);
    return true;
}

/* Is the store inside a parallel reduction loop of its own stage? */
static bool has_rivals(const Stmt *store) {
    for (const Stmt *loop = stmt_parent(store); loop; loop = stmt_parent(loop))
        if (loop->kind == STMT_FOR && loop->loop.name.func == store->store.func->name &&
            !loop->loop.pure && loop->loop.traversal == TRAVERSE_PARALLEL)
            return true;
    return false;
}

static bool mark_store(void *data, Stmt *stmt) {
    const Stmt *loop = data;
    if (stmt->kind == STMT_STORE && stmt->store.func->name == loop->loop.name.func)
        stmt->store.is_atomic = has_rivals(stmt);
    return true;
}

void atomic_mark(Stmt *loop) {
    StmtVisitor visitor = {.data = loop, .enter = mark_store};
    block_visit(&loop->loop.body, &visitor);
}

/* ---- when the nests are finished ---- */

static bool find_atomic(void *data, Stmt *stmt) {
    bool *found = data;
    *found |= stmt->kind == STMT_STORE && stmt->store.is_atomic;
    return true;
}

bool atomic_judge(const Scheduler *scheduler) {
    for (size_t i = 0; i < scheduler->blended.length; i++) {
        const Directive *split = scheduler->blended.data[i];
        const LoopReference *of = &directive_argument(split, 0)->loop;
        const FuncPlan *plan = scheduler_plan(scheduler, of->func);
        Stmt *compute = compute_of(scheduler, plan->func, of->specialization);
        bool is_atomic = false;
        StmtVisitor visitor = {.data = &is_atomic, .enter = find_atomic};
        block_visit(&stage_innermost(compute, of->stage)->loop.body, &visitor);
        if (is_atomic)
            return refuse_update(&scheduler->resolver, split,
                                 "a tail that blends writes again what other iterations update",
                                 "choose another tail, such as guard");
    }
    return true;
}

void atomic_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        LoopReference of = {.func = plan->func->shape->name, .stage = (int)j};
        DirectiveArgument stage = {.kind = ARGUMENT_STAGE, .loop = of};
        if (plan->func->stages.data[j]->reduction.length)
            candidate_offer(search, candidate(search, stage));
    }
}
