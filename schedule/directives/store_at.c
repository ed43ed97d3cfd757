/* store_at.c -- store-at(f, l) and store-root(f).
 *
 * store-at moves the `allocate f` statement to the front of loop l's body.  Loop l must be, or
 * stand around, the loop that f is computed in:
 *
 *     for l in I do for k in J do            for l in I do
 *       allocate f; compute f: s    becomes    allocate f; for k in J do
 *       t                                        compute f: s
 *                                                t
 *
 * If there are several `compute f`, each loop l around one of them gets an allocate statement.
 * Races through a loop in between are judged when all levels are known (levels.c).
 */
#include "schedule/directive_record.h"

static Stmt *level_around(Stmt *stmt, const LoopName *level) {
    while (stmt && !loop_is(stmt, level))
        stmt = stmt_parent(stmt);
    return stmt;
}

bool store_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 1);
    LoopName level;
    const FuncPlan *plan = plan_of_level(scheduler, directive, &level);
    if (!plan)
        return false;
    const char *name = plan->func->shape->name->text;
    if (plan->store)
        return refuse(resolver, DIAG_STORE_TWICE, directive->place, name);
    for (size_t i = 0; argument && i < plan->sites->computes.length; i++)
        if (!level_around(plan->sites->computes.data[i], &level))
            return refuse(resolver, DIAG_STORE_INSIDE_COMPUTE, argument->place, name,
                          loop_text(resolver, &level), levels_around_computes(scheduler, plan));
    return true;
}

/* Takes all allocate statements out of the program.  Returns the first, with the holes of copy
 * 0. */
static Stmt *take_allocates(const FuncPlan *plan) {
    for (size_t i = 0; i < plan->sites->allocates.length; i++)
        stmt_unlink(plan->sites->allocates.data[i]);
    plan->sites->allocates.length = 1;
    return plan->sites->allocates.data[0];
}

static void store_at_root(FuncPlan *plan) {
    Stmt *top = plan->sites->computes.data[0];
    while (stmt_parent(top))
        top = stmt_parent(top);
    stmt_insert_before(top, take_allocates(plan));
}

void store_apply(Scheduler *scheduler, const Directive *directive) {
    FuncPlan *plan = plan_of_directive(scheduler, directive);
    LoopName level;
    plan->store = directive;
    if (!directive_argument(directive, 1)) {
        store_at_root(plan);
        return;
    }
    resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &level);
    Stmt *allocate = take_allocates(plan);
    Map done = map_create(scheduler->resolver.arena);
    int count = 0;
    for (size_t i = 0; i < plan->sites->computes.length; i++) {
        Stmt *loop = level_around(plan->sites->computes.data[i], &level);
        if (map_get(&done, loop))
            continue;
        map_put(&done, loop, loop);
        Stmt *here = allocate;
        if (count > 0) {
            here = stmt_copy(scheduler->program, allocate);
            renumber_holes(scheduler, here, plan->func->shape->name, count);
        }
        count++;
        block_prepend(&loop->loop.body, here);
    }
}
