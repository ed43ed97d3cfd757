/* collect.c -- walks over the program once.  It collects the realizations of each func, its reads
 * and writes, and all binders.
 *
 *     compute f on ..: ..                    f: one realization
 *     compute g on ..
 *       .. g[x] <- f[x - 1] + in[x]          f.reads: f[x - 1]; uses of in: in[x]; g.stores
 *
 * Each access goes to the realization that serves it.  Lemma 6.2 says that one exists: its compute
 * statement stands in a block around the access.  A statement in a reduction over no point reads
 * and writes nothing, so its accesses are dropped, unless the func that it reads runs in any case.
 * Nothing else is dropped here: a lost read would make a region too small. */
#include "bounds/inference.h"

/* Returns the statement that holds all that is computed in one place: the outermost of the funcs
 * that share loops, or the choice of a specialization. */
static Stmt *whole_root(Stmt *compute) {
    Stmt *root = stmt_group(compute);
    for (Stmt *parent = stmt_parent(root);
         parent && parent->kind == STMT_IF && parent->branch.role == IF_SPECIALIZE;
         parent = stmt_parent(root))
        root = parent;
    return root;
}

/* Does a stage of the func contain another compute statement? */
static bool surrounds_another(const Stmt *compute) {
    const Stmt *func = compute->compute.body.first;
    for (const Stmt *stage = func->label.body.first; stage; stage = stage->next)
        if (stage->label.body.last && stage->label.body.last->kind == STMT_COMPUTE)
            return true;
    return false;
}

/* Returns the allocate statement whose scope holds `root`: before it in its block or one around. */
static Stmt *enclosing_allocate(const FuncSites *sites, const Stmt *root) {
    for (const Stmt *stmt = root; stmt; stmt = stmt_parent(stmt))
        for (size_t i = 0; i < sites->allocates.length; i++)
            if (sites->allocates.data[i]->block == stmt->block)
                return sites->allocates.data[i];
    return NULL;
}

/* Makes the realizations.  Copies of a compute statement have their own holes; specializations
 * share them. */
static void collect_realizations(BoundsInference *bounds, const FuncSites *sites) {
    FuncSolution *solution = arena_new(bounds->arena, FuncSolution);
    solution->shape = sites->func;
    for (size_t i = 0; i < sites->computes.length; i++) {
        Stmt *compute = sites->computes.data[i], *root = whole_root(compute);
        bool known = false;
        for (size_t k = 0; k < solution->realizations.length; k++)
            known |= solution->realizations.data[k]->root == root;
        if (known)
            continue;
        Realization *realization = arena_new(bounds->arena, Realization);
        realization->shape = sites->func;
        realization->copy = compute->compute.copy;
        realization->root = root;
        realization->shares = stmt_is_grouped(compute) || surrounds_another(compute);
        realization->allocate = enclosing_allocate(sites, root);
        hlc_assert(realization->allocate, "allocate dominates compute (Lemma 6.2)");
        vec_push(bounds->arena, &solution->realizations, realization);
    }
    vec_push(bounds->arena, &bounds->funcs, solution);
    map_put(&bounds->by_func, sites->func->name, solution);
}

Realization *realization_of_compute(const BoundsInference *bounds, const Stmt *compute) {
    const FuncSolution *solution = map_get(&bounds->by_func, compute->compute.func->name);
    for (size_t i = 0; i < solution->realizations.length; i++) {
        Realization *realization = solution->realizations.data[i];
        if (realization->root == compute || stmt_is_inside(compute, realization->root))
            return realization;
    }
    hlc_assert(false, "a compute statement belongs to a realization");
    return NULL;
}

/* It stands in a block around. */
Realization *serving_realization(const FuncSolution *solution, const Stmt *stmt) {
    for (; stmt; stmt = stmt_parent(stmt))
        for (size_t i = 0; i < solution->realizations.length; i++)
            if (realization_block(solution->realizations.data[i]) == stmt->block)
                return solution->realizations.data[i];
    return NULL;
}

/* Returns the number of values of the statement's variable, or null.  The statement is a reduction
 * loop, or a let of a variable whose parts or front are loops. */
static Expr reduction_length(const Stmt *stmt) {
    if (stmt->kind == STMT_FOR && !stmt->loop.pure)
        return stmt->loop.interval.length;
    return stmt->kind == STMT_LET && stmt->let.tail == TAIL_INSIDE ? stmt->let.domain.length : NULL;
}

/* Does the statement stand in a reduction over no point?  Then it reads and writes nothing. */
static bool never_runs(const BoundsInference *bounds, const Stmt *stmt) {
    for (const Stmt *outer = stmt_parent(stmt); outer; outer = stmt_parent(outer)) {
        Expr values = reduction_length(outer);
        if (!values)
            continue;
        ConstantInterval length = simplify_interval(bounds->simplifier, values);
        if (length.has_maximum && length.maximum <= 0)
            return true;
    }
    return false;
}

/* An update without a pure dimension runs even if nobody reads its func.  Its reads of the func
 * itself decide where it writes, and whether. */
static bool runs_in_any_case(const Func *func, const Stage *stage) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (stage->pure[k])
            return false;
    for (size_t i = 0; i < stage->sites.length; i++)
        if (stage->sites.data[i].access->name == func->shape->name)
            return true;
    return false;
}

static bool needs_itself(const BoundsInference *bounds, Symbol name) {
    const Func *func = pipeline_func(bounds->pipeline, name);
    for (size_t i = 1; i < func->stages.length; i++)
        if (runs_in_any_case(func, func->stages.data[i]))
            return true;
    return false;
}

static void collect_access(BoundsInference *bounds, Stmt *stmt, Expr access, bool unconditional,
                           bool runs) {
    AccessUse use = {stmt, access, unconditional, stmt_func(stmt), 0};
    Uses *image = map_get(&bounds->image_index, access->name);
    if (image && runs)
        vec_push(bounds->arena, image, use);
    if (image)
        return;
    FuncSolution *solution = map_get(&bounds->by_func, access->name);
    hlc_assert(solution, "an access names a func or an image");
    Realization *realization = serving_realization(solution, stmt);
    hlc_assert(realization, "compute dominates every read (Lemma 6.2)");
    bool is_own = use.reader == access->name;
    if (runs || (!is_own && needs_itself(bounds, access->name)))
        vec_push(bounds->arena, is_own ? &realization->own : &realization->reads, use);
}

static void collect_expr(BoundsInference *bounds, Stmt *stmt, Expr expr, bool unconditional,
                         bool runs) {
    Exprs accesses = expr_accesses_of(bounds->arena, expr);
    for (size_t i = 0; i < accesses.length; i++)
        collect_access(bounds, stmt, accesses.data[i], unconditional, runs);
}

static void collect_store(BoundsInference *bounds, Stmt *stmt, bool runs) {
    for (int k = 0; k < stmt->store.func->dimensions; k++)
        collect_expr(bounds, stmt, stmt->store.indices[k], true, runs);
    for (int i = 0; i < stmt->store.func->components; i++)
        collect_expr(bounds, stmt, stmt_stored_value(bounds->pool, bounds->arena, stmt, i), false,
                     runs);
    FuncSolution *solution = map_get(&bounds->by_func, stmt->store.func->name);
    Realization *realization = serving_realization(solution, stmt);
    hlc_assert(realization && stmt_is_inside(stmt, realization->root),
               "a store stands inside its compute");
    if (runs)
        vec_push(bounds->arena, &realization->stores, stmt);
}

static void collect_uses(BoundsInference *bounds, Stmt *stmt, bool runs) {
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_COMPUTE:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    case STMT_STORE:
        collect_store(bounds, stmt, runs);
        break;
    case STMT_IF:
        collect_expr(bounds, stmt, stmt->branch.condition, true, runs);
        break;
    case STMT_FOR:
        collect_expr(bounds, stmt, stmt->loop.interval.minimum, true, runs);
        collect_expr(bounds, stmt, stmt->loop.interval.length, true, runs);
        break;
    case STMT_LET:
        if (!stmt_holds(stmt))
            collect_expr(bounds, stmt, stmt->let.value, true, runs);
        break;
    }
}

static bool collect_statement(void *data, Stmt *stmt) {
    BoundsInference *bounds = data;
    if (stmt->kind == STMT_FOR)
        map_put(&bounds->binders, stmt->loop.binder, stmt);
    if (stmt->kind == STMT_LET) {
        map_put(&bounds->binders, stmt->let.binder, stmt);
        bounds->has_beyond |= stmt->let.tail == TAIL_BEYOND;
    }
    collect_uses(bounds, stmt, !never_runs(bounds, stmt));
    return true;
}

void collect_program(BoundsInference *bounds) {
    const Signature *signature = &bounds->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        Uses *uses = arena_new(bounds->arena, Uses);
        vec_push(bounds->arena, &bounds->image_uses, uses);
        map_put(&bounds->image_index, signature->images.data[i].name, uses);
    }
    for (size_t i = 0; i < bounds->program->funcs.length; i++)
        collect_realizations(bounds, bounds->program->funcs.data[i]);
}

void collect_accesses(BoundsInference *bounds) {
    block_visit(&bounds->program->body, &(StmtVisitor){bounds, collect_statement, NULL});
}

Realization *realization_of_hole(BoundsInference *bounds, Expr hole) {
    Realization *realization = map_get(&bounds->hole_realizations, hole);
    if (realization)
        return realization;
    FuncSolution *solution = map_get(&bounds->by_func, hole->hole->func);
    hlc_assert(solution && hole->hole->kind != HOLE_MEM,
               "loops mention cpu and for holes of the program's funcs");
    for (size_t i = 0; i < solution->realizations.length; i++)
        if (solution->realizations.data[i]->copy == hole->hole->copy) {
            hlc_assert(!realization, "each realization of a func has a copy number of its own");
            realization = solution->realizations.data[i];
        }
    hlc_assert(realization, "a hole belongs to a compute statement");
    map_put(&bounds->hole_realizations, hole, realization);
    return realization;
}
