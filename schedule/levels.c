/* levels.c -- compute and storage levels: the loops that a directive could name, and a rule that only
 * a finished program can break.
 *
 * No parallel or vectorized loop stands between the allocation of a func and its compute statement:
 * its iterations would share the memory.  (The report, as printed, allows that race.)  It is judged
 * at the end of phase 5.
 *
 * A vectorized loop in which a func is computed is unrolled, at the end of phase 4. */
#include "schedule/scheduler.h"

typedef Vec(const Stmt *) Path;

/* Returns the loops around `stmt`, innermost first. */
static Path loops_around(Arena *arena, const Stmt *stmt) {
    Path path = {0};
    for (; stmt; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_FOR)
            vec_push(arena, &path, stmt);
    return path;
}

/* Keeps those loops of `path` that `other` has too, up to copies. */
static void intersect(Path *path, const Path *other) {
    size_t kept = 0;
    for (size_t i = 0; i < path->length; i++)
        for (size_t j = 0; j < other->length; j++)
            if (loop_is(other->data[j], &path->data[i]->loop.name)) {
                path->data[kept++] = path->data[i];
                break;
            }
    path->length = kept;
}

typedef struct Common {
    Arena *arena;
    Path path;
    bool any;
} Common;

static void add_path(Common *common, const Stmt *stmt) {
    Path path = loops_around(common->arena, stmt);
    if (common->any)
        intersect(&common->path, &path);
    else
        common->path = path;
    common->any = true;
}

/* Returns the names as a list, outermost first. */
static char *common_text(const Scheduler *scheduler, const Common *common, char *none) {
    char *text = none;
    for (size_t i = common->path.length; i-- > 0;) {
        const char *name = loop_text(&scheduler->resolver, &common->path.data[i]->loop.name);
        bool first = i + 1 == common->path.length;
        text = arena_format(common->arena, "%s%s%s", first ? "" : text, first ? "" : ", ", name);
    }
    return text;
}

char *levels_around_reads(const Scheduler *scheduler, const FuncPlan *plan) {
    Common common = {.arena = scheduler->resolver.arena};
    for (size_t i = 0; i < plan->consumers.length; i++) {
        const Consumer *consumer = &plan->consumers.data[i];
        const FuncSites *sites = consumer->plan->sites;
        for (size_t c = 0; c < sites->computes.length; c++)
            add_path(&common, stage_innermost(sites->computes.data[c], consumer->stage->number));
    }
    return common_text(scheduler, &common, "none (leave it at root)");
}

char *levels_around_computes(const Scheduler *scheduler, const FuncPlan *plan) {
    Common common = {.arena = scheduler->resolver.arena};
    for (size_t c = 0; c < plan->sites->computes.length; c++)
        add_path(&common, plan->sites->computes.data[c]);
    return common_text(scheduler, &common,
                       "none (computed at root, it is stored there; compute-at comes first)");
}

const FuncPlan *plan_of_level(const Scheduler *scheduler, const Directive *directive,
                              LoopName *level) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *subject = directive_argument(directive, 0),
                            *argument = directive_argument(directive, 1);
    const Func *func = resolve_func(resolver, subject);
    if (func && argument && func->shape->is_output)
        refuse(resolver, DIAG_LEVEL_OF_OUTPUT, subject->place, func->shape->name->text);
    else if (func && (!argument || resolve_loop(resolver, argument, level)))
        return scheduler_plan(scheduler, func->shape->name);
    return NULL;
}

/* ---- lanes ---- */

void levels_unroll(Scheduler *scheduler) {
    for (size_t i = 0; i < scheduler->plans.length; i++) {
        const FuncSites *sites = scheduler->plans.data[i]->sites;
        for (size_t c = 0; c < sites->computes.length; c++)
            for (Stmt *stmt = sites->computes.data[c]; stmt; stmt = stmt_parent(stmt))
                if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED)
                    loop_unroll(stmt);
    }
}

/* ---- the judgement ---- */

static bool judge_between(const Scheduler *scheduler, const FuncPlan *plan, const Stmt *loop) {
    Place place = plan->store     ? plan->store->place
                  : plan->compute ? plan->compute->place
                                  : plan->func->place;
    return loop_check_memory(scheduler, loop, plan->func, place);
}

/* Checks the loops from a compute statement up through the block of its allocation to the top. */
static bool judge_compute(const Scheduler *scheduler, const FuncPlan *plan, const Map *allocating,
                          const Stmt *compute) {
    bool stored = false;
    for (const Stmt *stmt = compute; stmt; stmt = stmt_parent(stmt)) {
        if (stmt->kind == STMT_FOR && !stored && !judge_between(scheduler, plan, stmt))
            return false;
        stored |= map_get(allocating, stmt->block) != NULL;
    }
    hlc_assert(stored, "each compute statement is dominated by an allocate statement (Lemma 6.2)");
    return true;
}

bool levels_judge(Scheduler *scheduler) {
    bool sound = true;
    for (size_t i = 0; i < scheduler->plans.length; i++) {
        const FuncPlan *plan = scheduler->plans.data[i];
        if (plan->hoist)
            sound &= hoist_storage_judge(scheduler, plan);
        if (!plan->compute && !plan->store)
            continue;
        Map allocating = map_create(scheduler->resolver.arena);
        for (size_t a = 0; a < plan->sites->allocates.length; a++)
            map_put(&allocating, plan->sites->allocates.data[a]->block, plan);
        bool agrees = true;
        for (size_t c = 0; c < plan->sites->computes.length && agrees; c++)
            agrees = judge_compute(scheduler, plan, &allocating, plan->sites->computes.data[c]);
        sound &= agrees;
    }
    return sound;
}
