/* store_at.c -- store-at(f, l) and store-root(f).
 *
 * store-at moves the `allocate f` statement to the front of loop l's body; l must stand around (or
 * be) the loop that f is computed in:
 *
 *     for l in I do for k in J do            for l in I do
 *       allocate f; compute f: s    becomes    allocate f; for k in J do
 *       t                                        compute f: s
 *                                                t
 *
 * Where there are several `compute f`, one allocate statement stands in each loop l around one of
 * them.  Whether a loop in between would race is judged when all levels are known (levels.c).
 */
#include "schedule/scheduler.h"

static Stmt *level_around(Stmt *stmt, const LoopName *level) {
    while (stmt && !loop_is(stmt, level))
        stmt = stmt_parent(stmt);
    return stmt;
}

static bool check_once(const Scheduler *scheduler, const Directive *directive,
                       const FuncPlan *plan) {
    return !plan->store || refuse(&scheduler->resolver, DIAG_STORE_TWICE, directive->place,
                                  plan->func->shape->name->text);
}

bool store_at_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 1);
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    LoopName level;
    if (!func)
        return false;
    if (func->shape->is_output)
        return refuse(resolver, DIAG_LEVEL_OF_OUTPUT, directive_argument(directive, 0)->place,
                      func->shape->name->text);
    if (!resolve_loop(resolver, argument, &level))
        return false;
    const FuncPlan *plan = scheduler_plan(scheduler, func->shape->name);
    if (!check_once(scheduler, directive, plan))
        return false;
    for (size_t i = 0; i < plan->sites->computes.length; i++)
        if (!level_around(plan->sites->computes.data[i], &level))
            return refuse(resolver, DIAG_STORE_INSIDE_COMPUTE, argument->place,
                          func->shape->name->text, loop_symbol(resolver->context, &level)->text,
                          levels_around_computes(scheduler, plan));
    return true;
}

/* Takes all allocate statements out of the program and returns the first, with the holes of copy 0.
 */
static Stmt *take_allocates(const FuncPlan *plan) {
    for (size_t i = 0; i < plan->sites->allocates.length; i++)
        stmt_unlink(plan->sites->allocates.data[i]);
    plan->sites->allocates.length = 1;
    return plan->sites->allocates.data[0];
}

void store_at_apply(Scheduler *scheduler, const Directive *directive) {
    FuncPlan *plan = scheduler_plan(scheduler, directive_argument(directive, 0)->name);
    LoopName level;
    resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &level);
    plan->store = directive;
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

bool store_root_check(Scheduler *scheduler, const Directive *directive) {
    const Func *func = resolve_func(&scheduler->resolver, directive_argument(directive, 0));
    return func && check_once(scheduler, directive, scheduler_plan(scheduler, func->shape->name));
}

void store_root_apply(Scheduler *scheduler, const Directive *directive) {
    FuncPlan *plan = scheduler_plan(scheduler, directive_argument(directive, 0)->name);
    plan->store = directive;
    Stmt *top = plan->sites->computes.data[0];
    while (stmt_parent(top))
        top = stmt_parent(top);
    Stmt *allocate = take_allocates(plan);
    stmt_insert_before(top, allocate);
}
