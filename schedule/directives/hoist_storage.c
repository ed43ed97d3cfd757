/* hoist_storage.c -- hoist-storage(f, l) and hoist-storage-root(f).
 *
 * Takes the memory of f once at the start of each iteration of l (at the root: once).  All
 * iterations of the loops between l and the place of `allocate f` use the same memory:
 *
 *     for l in I do for k in J do            for l in I do (room for f: the most that it needs)
 *       allocate f; compute f: s    becomes    for k in J do
 *                                                allocate f (in that room); compute f: s
 *
 * The contents of f still begin anew at each allocate statement, so nothing slides because of it.
 * Several allocate statements are in branches of a specialization.  Outside of it they share their
 * memory: only one of them runs.
 *
 * The storage level of f is known only when all of f's directives have been applied.  So the rules
 * are judged then (levels.c).
 */
#include "schedule/directive_record.h"

bool hoist_storage_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    const DirectiveArgument *argument = directive_argument(directive, 1);
    LoopName level;
    if (plan && plan->func->shape->is_shared) /* indices of hoisted memory are no coordinates */
        return refuse(resolver, DIAG_EXTERN_MEMORY, directive->place, "hoist-storage",
                      plan->func->shape->name->text, "reads or writes",
                      "store it where it is, or further out with store-at");
    if (plan && plan->hoist)
        return refuse(resolver, DIAG_HOIST_TWICE, directive->place, plan->func->shape->name->text);
    return plan && (!argument || resolve_loop(resolver, argument, &level));
}

void hoist_storage_apply(Scheduler *scheduler, const Directive *directive) {
    plan_of_directive(scheduler, directive)->hoist = directive;
}

/* ---- the judgement ---- */

/* Counts the loops between the level and `allocate`; -1 if `allocate` stands outside the level. */
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
    for (const Stmt *stmt = stmt_parent(allocate); count; stmt = stmt_parent(stmt)) {
        if (stmt->kind != STMT_FOR)
            continue;
        count--;
        if (!loop_check_memory(scheduler, stmt, plan->func, plan->hoist->place))
            return false;
    }
    return true;
}

static bool judge_allocate(const Scheduler *scheduler, const FuncPlan *plan, Stmt *allocate,
                           const LoopName *level) {
    const Resolver *resolver = &scheduler->resolver;
    int count = loops_between(allocate, level);
    if (count < 0)
        return refuse(resolver, DIAG_HOIST_LEVEL, directive_argument(plan->hoist, 1)->place,
                      plan->func->shape->name->text, loop_text(resolver, level));
    if (!judge_between(scheduler, plan, allocate, count))
        return false;
    allocate->allocate.hoisted = count;
    return true;
}

bool hoist_storage_judge(Scheduler *scheduler, const FuncPlan *plan) {
    const DirectiveArgument *argument = directive_argument(plan->hoist, 1);
    const FuncSites *sites = plan->sites;
    LoopName level;
    if (argument && !resolve_loop(&scheduler->resolver, argument, &level))
        return false;
    bool sound = true;
    for (size_t i = 0; i < sites->allocates.length && sound; i++)
        sound = judge_allocate(scheduler, plan, sites->allocates.data[i], argument ? &level : NULL);
    return sound;
}
