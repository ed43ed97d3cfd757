/* hoist_storage.c -- hoist-storage(f, l) and hoist-storage-root(f).
 *
 * The memory of f is taken once at the start of each iteration of l (at the root: once), for all
 * iterations of the loops between l and the place where f is stored:
 *
 *     for l in I do for k in J do            for l in I do (room for f: the most that it needs)
 *       allocate f; compute f: s    becomes    for k in J do
 *                                                allocate f (in that room); compute f: s
 *
 * What f holds still begins anew at each allocate statement: nothing slides for it.  Where f is
 * stored is known when all of its directives have been applied, so what must hold is judged then
 * (levels.c).
 */
#include "schedule/scheduler.h"

static bool check_func(Scheduler *scheduler, const Directive *directive, const FuncPlan **plan) {
    const Resolver *resolver = &scheduler->resolver;
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    if (!func)
        return false;
    const char *name = func->shape->name->text;
    *plan = scheduler_plan(scheduler, func->shape->name);
    if (func->shape->is_output)
        return refuse(resolver, DIAG_STORAGE_OF_OUTPUT, directive_argument(directive, 0)->place,
                      name);
    return !(*plan)->hoist || refuse(resolver, DIAG_HOIST_TWICE, directive->place, name);
}

bool hoist_storage_check(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan;
    LoopName level;
    return check_func(scheduler, directive, &plan) &&
           resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &level);
}

bool hoist_storage_root_check(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan;
    return check_func(scheduler, directive, &plan);
}

void hoist_storage_apply(Scheduler *scheduler, const Directive *directive) {
    scheduler_plan(scheduler, directive_argument(directive, 0)->name)->hoist = directive;
}

void hoist_storage_root_apply(Scheduler *scheduler, const Directive *directive) {
    hoist_storage_apply(scheduler, directive);
}

/* ---- the judgement ---- */

/* How many loops stand between the level and `allocate`; -1 where it does not stand in the level.
 */
static int loops_between(const Stmt *allocate, const LoopName *level) {
    int count = 0;
    for (const Stmt *stmt = stmt_parent(allocate); stmt; stmt = stmt_parent(stmt)) {
        if (stmt->kind != STMT_FOR)
            continue;
        if (level && loop_is(stmt, level))
            return count;
        count++;
    }
    return level ? -1 : count;
}

static bool judge_between(const Scheduler *scheduler, const FuncPlan *plan, const Stmt *allocate,
                          int count) {
    const Resolver *resolver = &scheduler->resolver;
    for (const Stmt *stmt = stmt_parent(allocate); count; stmt = stmt_parent(stmt)) {
        if (stmt->kind != STMT_FOR)
            continue;
        count--;
        bool is_parallel = stmt->loop.traversal == TRAVERSE_PARALLEL;
        if (is_parallel || stmt->loop.traversal == TRAVERSE_VECTORIZED)
            return refuse(resolver, DIAG_STORE_RACE, plan->hoist->place,
                          plan->func->shape->name->text,
                          loop_symbol(resolver->context, &stmt->loop.name)->text,
                          is_parallel ? "parallel" : "vectorized");
    }
    return true;
}

bool hoist_storage_judge(Scheduler *scheduler, const FuncPlan *plan) {
    const Resolver *resolver = &scheduler->resolver;
    const char *name = plan->func->shape->name->text;
    const DirectiveArgument *argument = directive_argument(plan->hoist, 1);
    LoopName level;
    if (plan->sites->allocates.length > 1)
        return refuse(resolver, DIAG_HOIST_COPIES, plan->hoist->place, name);
    if (argument && !resolve_loop(resolver, argument, &level))
        return false;
    Stmt *allocate = plan->sites->allocates.data[0];
    int count = loops_between(allocate, argument ? &level : NULL);
    if (count < 0)
        return refuse(resolver, DIAG_HOIST_LEVEL, argument->place, name,
                      loop_symbol(resolver->context, &level)->text);
    if (!judge_between(scheduler, plan, allocate, count))
        return false;
    allocate->allocate.hoisted = count;
    return true;
}
