/* compute_at.c -- compute-at(f, l) and compute-root(f).
 *
 * compute-at moves the `compute f` statement to the front of loop l's body, with `allocate f`.  One
 * phase later, a store-at moves the allocate statement out again:
 *
 *     allocate f; compute f: s                   for l in I do
 *     compute g: for l in I do t      becomes      allocate f; compute f: s
 *                                                  t
 *
 * A specialized func moves as one statement, its whole if-tree.  If l's func has specializations or
 * copies, l stands for one loop in each.  Each of these loops gets a copy of f with its own holes.
 *
 * What must hold: f comes before every read of it from outside itself (Lemma 6.2), so each reading
 * stage must stand inside l.  Directives of this phase come from the last-defined func to the
 * first.  So f's readers already have their final place, and f itself stands at root with nothing
 * inside.  l must be a loop of a func defined later: otherwise a func could come to stand inside
 * itself.
 */
#include "schedule/directive_record.h"

#include "ir/print.h"

/* Returns `out.s0`, or `out.z1.s0` for a specialization. */
static const char *stage_text(const Scheduler *scheduler, const Consumer *consumer,
                              int specialization) {
    Arena *arena = scheduler->resolver.arena;
    const char *copy = specialization ? arena_format(arena, ".z%d", specialization) : "";
    return arena_format(arena, "%s%s.s%d", consumer->plan->func->shape->name->text, copy,
                        consumer->stage->number);
}

/* Returns `f[x + 1, y]`, or the func's name if that text is long. */
static const char *read_text(const Scheduler *scheduler, const Consumer *consumer) {
    enum { LONGEST = 40 };
    Expr access = consumer->access;
    return access->tree_size <= LONGEST ? expr_text(scheduler->resolver.arena, access)
                                        : access->name->text;
}

static bool is_inside(const Stmt *stmt, const LoopName *level) {
    for (; stmt; stmt = stmt_parent(stmt))
        if (loop_is(stmt, level))
            return true;
    return false;
}

/* Returns the consumer's first copy that reads outside the loop; null if there is none. */
static const Stmt *outside_copy(const Consumer *consumer, const LoopName *level) {
    const FuncSites *sites = consumer->plan->sites;
    for (size_t i = 0; i < sites->computes.length; i++)
        if (!is_inside(stage_innermost(sites->computes.data[i], consumer->stage->number), level))
            return sites->computes.data[i];
    return NULL;
}

bool compute_at_dominates(const Scheduler *scheduler, const Directive *directive,
                          const FuncPlan *plan, const LoopName *level) {
    const Resolver *resolver = &scheduler->resolver;
    for (size_t i = 0; i < plan->consumers.length; i++) {
        const Consumer *consumer = &plan->consumers.data[i];
        const Stmt *copy = outside_copy(consumer, level);
        if (copy)
            return refuse(resolver, DIAG_COMPUTE_NOT_DOMINATING,
                          directive_argument(directive, 1)->place, plan->func->shape->name->text,
                          stage_text(scheduler, consumer, copy->compute.specialization),
                          loop_text(resolver, level), levels_around_reads(scheduler, plan),
                          read_text(scheduler, consumer));
    }
    return true;
}

/* Returns the loop in every specialization and copy of its func that has it. */
static LoopStmts targets(const Scheduler *scheduler, const LoopName *level) {
    const FuncSites *sites = scheduler_plan(scheduler, level->func)->sites;
    LoopStmts loops = {0};
    for (size_t i = 0; i < sites->computes.length; i++) {
        Stmt *loop = loop_in(sites->computes.data[i], level->stage, level->variable);
        if (loop)
            vec_push(scheduler->resolver.arena, &loops, loop);
    }
    return loops;
}

bool compute_at_has_room(const Scheduler *scheduler, const Directive *directive,
                         const FuncPlan *plan, size_t targets_count) {
    const Resolver *resolver = &scheduler->resolver;
    size_t limit = resolver->context->limits.copies,
           copies = (targets_count - 1) * plan->sites->computes.length;
    return scheduler->copies + copies <= limit ||
           refuse(resolver, DIAG_COPIES_TOO_MANY, directive->place, plan->func->shape->name->text,
                  number_text(resolver, (int64_t)limit));
}

bool compute_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 1);
    LoopName level;
    const FuncPlan *plan = plan_of_level(scheduler, directive, &level);
    if (!plan)
        return false;
    const char *name = plan->func->shape->name->text;
    if (plan->compute)
        return refuse(resolver, DIAG_COMPUTE_TWICE, directive->place, name);
    if (!argument)
        return true;
    if (scheduler_plan(scheduler, level.func)->order <= plan->order)
        return refuse(resolver, DIAG_LEVEL_ORDER, argument->place, name,
                      loop_text(resolver, &level), levels_around_reads(scheduler, plan));
    return compute_at_dominates(scheduler, directive, plan, &level) &&
           compute_at_has_room(scheduler, directive, plan, targets(scheduler, &level).length);
}

/* Returns the if-tree around the func's compute statements; the compute statement if the func is
 * not specialized.  The func stands at root, so every branch above it is its own. */
static Stmt *whole_compute(const FuncPlan *plan) {
    Stmt *stmt = plan->sites->computes.data[0];
    while (stmt_parent(stmt)) {
        stmt = stmt_parent(stmt);
        hlc_assert(stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE,
                   "a func stands at root until it is moved");
    }
    return stmt;
}

static Stmt *copy_compute(Scheduler *scheduler, const FuncPlan *plan, const Stmt *whole, int copy) {
    size_t before = plan->sites->computes.length;
    Stmt *made = stmt_copy(scheduler->program, whole);
    renumber_holes(scheduler, made, plan->func->shape->name, copy);
    for (size_t i = before; i < plan->sites->computes.length; i++)
        plan->sites->computes.data[i]->compute.copy = copy;
    scheduler->copies += plan->sites->computes.length - before;
    return made;
}

MovedFunc *compute_at_take(Scheduler *scheduler, const FuncPlan *plan, size_t count) {
    MovedFunc *moved = arena_array(scheduler->resolver.arena, MovedFunc, count);
    moved[0] = (MovedFunc){whole_compute(plan), plan->sites->allocates.data[0]};
    stmt_unlink(moved[0].compute);
    stmt_unlink(moved[0].allocate);
    for (size_t i = 1; i < count; i++) {
        moved[i] = (MovedFunc){copy_compute(scheduler, plan, moved[0].compute, (int)i),
                               stmt_copy(scheduler->program, moved[0].allocate)};
        renumber_holes(scheduler, moved[i].allocate, plan->func->shape->name, (int)i);
    }
    return moved;
}

void compute_apply(Scheduler *scheduler, const Directive *directive) {
    FuncPlan *plan = plan_of_directive(scheduler, directive);
    LoopName level;
    plan->compute = directive;
    if (!directive_argument(directive, 1))
        return; /* it already stands at root */
    resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &level);
    LoopStmts loops = targets(scheduler, &level);
    const MovedFunc *moved = compute_at_take(scheduler, plan, loops.length);
    for (size_t i = 0; i < loops.length; i++) {
        block_prepend(&loops.data[i]->loop.body, moved[i].compute);
        block_prepend(&loops.data[i]->loop.body, moved[i].allocate);
    }
}
