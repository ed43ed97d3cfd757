/* needs.c -- the part of each input image that the program needs: `needs input [..]`.
 *
 * The checks at entry (checks.c) demand that these boxes lie inside the images.  So a bounds query
 * answers what a call accepts.  Here the boxes are written over startup variables alone: the
 * oracle's lets are expanded.  They include what the assertions say by their guards: if there is
 * nothing to compute, or the box is empty, nothing is needed.  The exception is a dimension into
 * which a boundary condition folds coordinates: it is never empty.  In the window form an empty need
 * lies at the domain's minimum.
 */
#include "lower/lower.h"

#include "lower/passes/lets.h"

typedef struct Needs {
    Pool *pool;
    const Pipeline *pipeline;
    Lets lets;
} Needs;

/* Does a boundary condition read dimension `dimension` of the image? */
static bool is_folded(const Pipeline *pipeline, Symbol image, int dimension) {
    for (size_t i = 0; i < pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &pipeline->boundaries.data[i];
        if (use->image == image && use->dimension == dimension)
            return true;
    }
    return false;
}

static Expr choose(Pool *pool, Expr condition, Expr yes, Expr no) {
    return expr_is_true(condition)    ? yes
           : expr_is_false(condition) ? no
                                      : expr_select(pool, condition, yes, no);
}

/* Is `part` one of the conjuncts of `all`? */
static bool is_joined(Expr all, Expr part) {
    while (all->op == OP_AND && all->arguments[0] != part && all->arguments[1] != part)
        all = all->arguments[all->arguments[1]->op == OP_AND];
    return all == part || all->op == OP_AND;
}

static Expr join(Pool *pool, Expr all, Expr part) {
    return expr_is_true(all)                            ? part
           : expr_is_true(part) || is_joined(all, part) ? all
                                                        : expr_and(pool, all, part);
}

static Need need_of(Needs *needs, const BoundsRegion *region, Expr has_points) {
    Pool *pool = needs->pool;
    Expr zero = expr_index(pool, 0), some = has_points;
    bool windows = needs->pipeline->signature.windows;
    Need need = {.image = signature_image(&needs->pipeline->signature, region->func)};
    for (int k = 0; k < region->dimensions; k++) {
        need.box[k].minimum = lets_expand(&needs->lets, region->whole[k].minimum);
        need.box[k].length = lets_expand(&needs->lets, region->whole[k].length);
        some = join(pool, some, expr_lt(pool, zero, need.box[k].length));
    }
    for (int k = 0; k < region->dimensions; k++) {
        Expr least = is_folded(needs->pipeline, region->func, k) ? expr_index(pool, 1) : zero;
        if (windows)
            need.box[k].minimum = choose(pool, some, need.box[k].minimum,
                                         signature_domain_field(&needs->pipeline->signature, pool,
                                                                region->func, FIELD_MINIMUM, k));
        need.box[k].length = choose(pool, some, need.box[k].length, least);
    }
    return need;
}

void lower_needs(Program *program, const Pipeline *pipeline, const BoundsResult *bounds,
                 Expr has_points, Arena *arena) {
    Needs needs = {
        .pool = program->pool, .pipeline = pipeline, .lets = lets_create(program->pool, arena)};
    for (size_t i = 0; i < bounds->lets.length; i++) {
        const BoundLet *let = &bounds->lets.data[i];
        lets_bind(&needs.lets, let->name, let->value);
    }
    for (size_t i = 0; i < bounds->images.length; i++)
        vec_push(program->arena, &program->needs,
                 need_of(&needs, bounds->images.data[i], has_points));
}
