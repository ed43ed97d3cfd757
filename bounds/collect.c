/* collect.c -- one walk over the program: the sites of each func, its reads and writes, all
 * binders. */
#include "bounds/solver.h"

/* All that is computed in one place: the outermost of the funcs that share loops, or the choice of
 * a specialization. */
static Stmt *whole_root(Stmt *compute) {
    Stmt *root = stmt_group(compute);
    for (Stmt *parent = stmt_parent(root);
         parent && parent->kind == STMT_IF && parent->branch.role == IF_SPECIALIZE;
         parent = stmt_parent(root))
        root = parent;
    return root;
}

/* Does a stage of the func stand around another compute statement? */
static bool surrounds_another(const Stmt *compute) {
    const Stmt *func = compute->compute.body.first;
    for (const Stmt *stage = func->label.body.first; stage; stage = stage->next)
        if (stage->label.body.last && stage->label.body.last->kind == STMT_COMPUTE)
            return true;
    return false;
}

/* The allocate statement in whose scope `root` stands: before it in its block or one around. */
static Stmt *enclosing_allocate(const FuncSites *sites, const Stmt *root) {
    for (const Stmt *stmt = root; stmt; stmt = stmt_parent(stmt))
        for (size_t i = 0; i < sites->allocates.length; i++)
            if (sites->allocates.data[i]->block == stmt->block)
                return sites->allocates.data[i];
    return NULL;
}

/* Copies of a compute statement have holes of their own; specializations share them. */
static void collect_sites(BoundsInference *solver, const FuncSites *sites) {
    FuncSolution *solution = arena_new(solver->arena, FuncSolution);
    solution->shape = sites->func;
    for (size_t i = 0; i < sites->computes.length; i++) {
        Stmt *compute = sites->computes.data[i], *root = whole_root(compute);
        bool known = false;
        for (size_t k = 0; k < solution->sites.length; k++)
            known |= solution->sites.data[k]->root == root;
        if (known)
            continue;
        ComputeSite *site = arena_new(solver->arena, ComputeSite);
        site->shape = sites->func;
        site->copy = compute->compute.copy;
        site->root = root;
        site->shares = stmt_is_grouped(compute) || surrounds_another(compute);
        site->allocate = enclosing_allocate(sites, root);
        hlc_assert(site->allocate, "allocate dominates compute (Lemma 6.2)");
        vec_push(solver->arena, &solution->sites, site);
    }
    vec_push(solver->arena, &solver->funcs, solution);
    map_put(&solver->by_func, sites->func->name, solution);
}

/* The site that must have computed what `stmt` reads of the func: in a block around it. */
static ComputeSite *serving_site(const FuncSolution *solution, const Stmt *stmt) {
    for (; stmt; stmt = stmt_parent(stmt))
        for (size_t i = 0; i < solution->sites.length; i++)
            if (site_block(solution->sites.data[i]) == stmt->block)
                return solution->sites.data[i];
    return NULL;
}

/* The values of the statement's variable, where it is that of a reduction, or one that others stand
 * for: its parts, or a front; else null. */
static Expr reduction_length(const Stmt *stmt) {
    if (stmt->kind == STMT_FOR && !stmt->loop.pure)
        return stmt->loop.interval.length;
    return stmt->kind == STMT_LET && stmt->let.tail == TAIL_INSIDE ? stmt->let.domain.length : NULL;
}

/* Does it stand in a reduction over no point?  What stands there reads and writes nothing. */
static bool never_runs(const BoundsInference *solver, const Stmt *stmt) {
    for (const Stmt *outer = stmt_parent(stmt); outer; outer = stmt_parent(outer)) {
        Expr values = reduction_length(outer);
        if (!values)
            continue;
        ConstantInterval length = simplify_interval(solver->simplifier, values);
        if (length.has_maximum && length.maximum <= 0)
            return true;
    }
    return false;
}

/* Without a pure dimension an update runs although nobody reads its func; and what it reads of the
 * func itself decides where it writes, and whether. */
static bool runs_in_any_case(const Func *func, const Stage *stage) {
    for (int k = 0; k < func->shape->dimensions; k++)
        if (stage->pure[k])
            return false;
    for (size_t i = 0; i < stage->sites.length; i++)
        if (stage->sites.data[i].access->name == func->shape->name)
            return true;
    return false;
}

static bool needs_itself(const BoundsInference *solver, Symbol name) {
    const Func *func = pipeline_func(solver->pipeline, name);
    for (size_t i = 1; i < func->stages.length; i++)
        if (runs_in_any_case(func, func->stages.data[i]))
            return true;
    return false;
}

static void collect_access(BoundsInference *solver, Stmt *stmt, Expr access, bool unconditional,
                           bool runs) {
    AccessUse use = {stmt, access, unconditional, stmt_func(stmt), 0};
    Uses *image = map_get(&solver->image_index, access->name);
    if (image && runs)
        vec_push(solver->arena, image, use);
    if (image)
        return;
    FuncSolution *solution = map_get(&solver->by_func, access->name);
    hlc_assert(solution, "an access names a func or an image");
    ComputeSite *site = serving_site(solution, stmt);
    hlc_assert(site, "compute dominates every read (Lemma 6.2)");
    bool is_own = use.reader == access->name;
    if (runs || (!is_own && needs_itself(solver, access->name)))
        vec_push(solver->arena, is_own ? &site->own : &site->reads, use);
}

static void collect_expr(BoundsInference *solver, Stmt *stmt, Expr expr, bool unconditional,
                         bool runs) {
    Exprs accesses = {0};
    expr_accesses(solver->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        collect_access(solver, stmt, accesses.data[i], unconditional, runs);
}

static void collect_store(BoundsInference *solver, Stmt *stmt, bool runs) {
    for (int k = 0; k < stmt->store.func->dimensions; k++)
        collect_expr(solver, stmt, stmt->store.indices[k], true, runs);
    for (int i = 0; i < stmt->store.func->components; i++)
        collect_expr(solver, stmt, stmt->store.values[i], false, runs);
    FuncSolution *solution = map_get(&solver->by_func, stmt->store.func->name);
    ComputeSite *site = serving_site(solution, stmt);
    hlc_assert(site && stmt_is_inside(stmt, site->root), "a store stands inside its compute");
    if (runs)
        vec_push(solver->arena, &site->stores, stmt);
}

static void collect_uses(BoundsInference *solver, Stmt *stmt, bool runs) {
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_COMPUTE:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    case STMT_STORE:
        collect_store(solver, stmt, runs);
        break;
    case STMT_IF:
        collect_expr(solver, stmt, stmt->branch.condition, true, runs);
        break;
    case STMT_FOR:
        collect_expr(solver, stmt, stmt->loop.interval.minimum, true, runs);
        collect_expr(solver, stmt, stmt->loop.interval.length, true, runs);
        break;
    case STMT_LET:
        collect_expr(solver, stmt, stmt->let.value, true, runs);
        break;
    }
}

static bool collect_statement(void *data, Stmt *stmt) {
    BoundsInference *solver = data;
    if (stmt->kind == STMT_FOR)
        map_put(&solver->binders, stmt->loop.binder, stmt);
    if (stmt->kind == STMT_LET) {
        map_put(&solver->binders, stmt->let.binder, stmt);
        solver->has_beyond |= stmt->let.tail == TAIL_BEYOND;
    }
    collect_uses(solver, stmt, !never_runs(solver, stmt));
    return true;
}

void collect_program(BoundsInference *solver) {
    const Signature *signature = &solver->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        Uses *uses = arena_new(solver->arena, Uses);
        vec_push(solver->arena, &solver->image_uses, uses);
        map_put(&solver->image_index, signature->images.data[i].name, uses);
    }
    for (size_t i = 0; i < solver->program->funcs.length; i++)
        collect_sites(solver, solver->program->funcs.data[i]);
    block_visit(&solver->program->body, &(StmtVisitor){solver, collect_statement, NULL});
}

ComputeSite *site_of_hole(BoundsInference *solver, Expr hole) {
    ComputeSite *site = map_get(&solver->hole_sites, hole);
    if (site)
        return site;
    FuncSolution *solution = map_get(&solver->by_func, hole->hole->func);
    hlc_assert(solution && hole->hole->kind != HOLE_MEM,
               "loops mention cpu and for holes of the program's funcs");
    for (size_t i = 0; i < solution->sites.length; i++)
        if (solution->sites.data[i]->copy == hole->hole->copy) {
            hlc_assert(!site, "each site of a func has a copy number of its own");
            site = solution->sites.data[i];
        }
    hlc_assert(site, "a hole belongs to a compute statement");
    map_put(&solver->hole_sites, hole, site);
    return site;
}
