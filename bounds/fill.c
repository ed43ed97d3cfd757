/* fill.c -- the results take the place of the holes.
 *
 * One pass over the program replaces the cpu and for holes; the mem holes stand in the allocate
 * statements alone.  Then the lets that something mentions are put around all that stands in their
 * block: producers' allocations come before the consumers whose bounds they mention.
 *
 * What only some of several outputs need is put under the condition that one of their windows has
 * points; where funcs share loops, the condition is in what is computed of each (oracle.c).
 *
 *     compute f on [(?cpu.f.x.min, ..)]     let f.x.min = ..
 *       ..                             ->     let f.x.max = ..
 *                                               compute f on [(f.x.min, f.x.max - f.x.min + 1)]
 *                                                 ..
 */
#include "bounds/solver.h"

#include <string.h>

/* ---- which lets are used ---- */

static void mark_used(BoundsInference *solver, Expr expr) {
    Exprs variables = {0};
    expr_variables(solver->arena, expr, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        LetBinding *let = map_get(&solver->lets_by_name, variables.data[i]->name);
        if (let)
            let->used = true;
    }
}

static void mark_intervals(BoundsInference *solver, const Extent *intervals, int count) {
    for (int k = 0; k < count; k++) {
        mark_used(solver, intervals[k].minimum);
        mark_used(solver, intervals[k].length);
    }
}

static void mark_site(BoundsInference *solver, const ComputeSite *site) {
    if (site->held)
        mark_intervals(solver, site->held, site->shape->dimensions);
    mark_intervals(solver, site->compute, site->shape->dimensions);
    mark_intervals(solver, site->allocate->allocate.intervals, site->shape->dimensions);
    for (int k = 0; site->allocate->allocate.reserve && k < site->shape->dimensions; k++)
        mark_used(solver, site->allocate->allocate.reserve[k]);
}

static void mark_lets(BoundsInference *solver) {
    for (size_t i = 0; i < solver->funcs.length; i++)
        for (size_t k = 0; k < solver->funcs.data[i]->sites.length; k++)
            mark_site(solver, solver->funcs.data[i]->sites.data[k]);
    for (size_t i = solver->lets.length; i-- > 0;)
        if (solver->lets.data[i]->used)
            mark_used(solver, solver->lets.data[i]->value);
}

/* ---- funcs that not all outputs need ---- */

/* compute f on ..: s  becomes  compute f on ..: if some window that needs f has points then s. */
static void put_condition(BoundsInference *solver, Stmt *compute, Expr condition) {
    Stmt *branch = stmt_create(solver->program, STMT_IF, compute->place);
    branch->branch.role = IF_PLAIN;
    branch->branch.condition = condition;
    block_move_all(&branch->branch.body, &compute->compute.body);
    block_append(&compute->compute.body, branch);
}

static void put_conditions(BoundsInference *solver) {
    for (size_t i = 0; i < solver->funcs.length; i++) {
        const FuncSolution *solution = solver->funcs.data[i];
        const FuncSites *sites = program_func(solver->program, solution->shape->name);
        Expr condition = output_condition(solver, solution->needed_by);
        if (condition)
            mark_used(solver, condition);
        bool is_shared = solution->sites.length && solution->sites.data[0]->shares;
        for (size_t k = 0; condition && !is_shared && k < sites->computes.length; k++)
            put_condition(solver, sites->computes.data[k], condition);
    }
}

/* ---- putting them ---- */

static void put_lets(BoundsInference *solver, const BlockLets *lets) {
    Stmt *outermost = NULL, *innermost = NULL;
    for (size_t i = 0; i < lets->lets.length; i++) {
        const LetBinding *let = lets->lets.data[i];
        if (!let->used)
            continue;
        Stmt *stmt = stmt_create(solver->program, STMT_LET, NOWHERE);
        stmt->let.binder = let->name;
        stmt->let.value = let->value;
        stmt->let.tail = TAIL_NONE;
        if (innermost)
            block_append(&innermost->let.body, stmt);
        else
            outermost = stmt;
        innermost = stmt;
    }
    if (!innermost)
        return;
    block_move_all(&innermost->let.body, lets->block);
    block_append(lets->block, outermost);
}

static Expr without_holes(void *data, Pool *pool, Expr node) {
    (void)pool;
    return node->op == OP_HOLE ? inference_resolve(data, node) : node;
}

typedef struct Filling {
    BoundsInference *solver;
    ExprMemo memo;
} Filling;

static Expr fill_expr(void *data, Expr expr) {
    Filling *filling = data;
    if (!expr_holds(expr, HOLDS_HOLE))
        return expr;
    return expr_rewrite(filling->solver->pool, &filling->memo, expr, without_holes,
                        filling->solver);
}

static ComputeSite *site_of(const BoundsInference *solver, const Stmt *compute) {
    const FuncSolution *solution = map_get(&solver->by_func, compute->compute.func->name);
    for (size_t i = 0; i < solution->sites.length; i++) {
        ComputeSite *site = solution->sites.data[i];
        if (site->root == compute || stmt_is_inside(compute, site->root))
            return site;
    }
    hlc_assert(false, "a compute statement belongs to a site");
    return NULL;
}

static bool put_held(void *data, Stmt *stmt) {
    BoundsInference *solver = data;
    if (stmt->kind != STMT_COMPUTE)
        return true;
    const ComputeSite *site = site_of(solver, stmt);
    if (site->held) {
        int dimensions = site->shape->dimensions, count = (int)site->slides.length;
        stmt->compute.held = arena_array(solver->program->arena, Extent, dimensions);
        stmt->compute.slides = arena_array(solver->program->arena, Slide, count);
        memcpy(stmt->compute.held, site->held, sizeof(Extent) * (size_t)dimensions);
        memcpy(stmt->compute.slides, site->slides.data, sizeof(Slide) * (size_t)count);
        stmt->compute.slide_count = count;
    }
    return true;
}

void fill_holes(BoundsInference *solver) {
    block_visit(&solver->program->body, &(StmtVisitor){solver, put_held, NULL});
    Filling filling = {solver, expr_memo(solver->arena)};
    block_map_exprs(&solver->program->body, fill_expr, &filling);
    put_conditions(solver);
    mark_lets(solver);
    for (size_t i = 0; i < solver->blocks.length; i++)
        put_lets(solver, solver->blocks.data[i]);
}
