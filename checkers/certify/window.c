/* window.c -- the clause on the windows of outputs: if a window has points, the output is computed,
 * and the window lies in its compute region.
 *
 *     if 0 < out.extent.0 then      the condition follows from "the window has points"
 *       compute out on [..]         the window lies in the region
 *
 * The verifier has checked that an output is computed wherever the block that serves it runs
 * (ir/verify.c).  So only the conditions of the ifs around such a block are asked.
 */
#include "checkers/certify/internal.h"

/* Returns the facts if the window has points; `window` gets its intervals. */
static const ContextFact *assume_points(CertifyWalk *walk, const FuncShape *shape, Extent *window) {
    for (int k = 0; k < shape->dimensions; k++)
        window[k] = (Extent){expr_buffer_field(walk->pool, shape->name, FIELD_MINIMUM, k),
                             expr_buffer_field(walk->pool, shape->name, FIELD_EXTENT, k)};
    return fact_has_points(walk, walk->context, window, shape->dimensions);
}

static Obligation *ask_computed(CertifyWalk *walk, Stmt *stmt, const FuncShape *shape,
                                const ContextFact *context, Expr condition) {
    Obligation *obligation = obligation_add(
        walk, CLAUSE_WINDOW, stmt, shape->name, condition,
        arena_format(walk->arena, "where the window of %s has points, it is computed",
                     shape->name->text));
    obligation->context = context;
    return obligation;
}

void window_at_compute(CertifyWalk *walk, Stmt *compute) {
    const FuncShape *shape = compute->compute.func;
    Pool *pool = walk->pool;
    Extent window[MAX_DIMENSIONS];
    const ContextFact *context = assume_points(walk, shape, window);
    vec_push(walk->arena, &walk->entries, context);
    Expr runs = walk_state(walk, shape->name)->runs;
    if (runs)
        ask_computed(walk, compute, shape, context, runs)->is_exact = false;
    for (int k = 0; k < shape->dimensions; k++) {
        Extent region = compute->compute.intervals[k];
        Expr last = expr_add(pool, window[k].minimum,
                             expr_sub(pool, window[k].length, expr_index(pool, 1)));
        Expr goal = goal_both(pool, expr_le(pool, region.minimum, window[k].minimum),
                              expr_lt(pool, last, expr_add(pool, region.minimum, region.length)));
        Obligation *obligation =
            obligation_add(walk, CLAUSE_WINDOW, compute, shape->name, goal,
                           arena_format(walk->arena, "the window of %s: %s", shape->name->text,
                                        origin_dimension(shape, k)));
        obligation->context = context;
        origin_of_level(walk, obligation, shape->name);
    }
}

/* Counts the compute statements in the block. */
static size_t count_inside(const FuncSites *sites, const Block *block) {
    size_t count = 0;
    for (size_t i = 0; i < sites->computes.length; i++) {
        const Stmt *stmt = sites->computes.data[i];
        while (stmt && stmt->block != block)
            stmt = stmt_parent(stmt);
        count += stmt != NULL;
    }
    return count;
}

/* For an output that one branch of the if computes and the other does not. */
static void ask_served(CertifyWalk *walk, Stmt *branch, const FuncShape *shape) {
    const FuncSites *sites = program_func(walk->program, shape->name);
    size_t taken = count_inside(sites, &branch->branch.body),
           other = count_inside(sites, &branch->branch.otherwise);
    if (!taken == !other)
        return;
    Expr condition = branch->branch.condition;
    Extent window[MAX_DIMENSIONS];
    ask_computed(walk, branch, shape, assume_points(walk, shape, window),
                 taken ? condition : expr_not(walk->pool, condition))
        ->is_exact = taken + other == sites->computes.length;
}

void window_at_branch(CertifyWalk *walk, Stmt *branch) {
    const Signature *signature = walk->program->signature;
    if (!block_is_outermost(&branch->branch.body))
        return;
    for (size_t i = 0; i < signature->outputs.length; i++)
        ask_served(walk, branch, signature_func(signature, signature->outputs.data[i].func));
}
