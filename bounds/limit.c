/* limit.c -- the least constant that a length never exceeds, in any run of a statement.
 *
 * Two intervals and the decision tier look for it.  The first interval is that of the greatest value
 * over all loops (view.c); the second, that of the value in one run, whose facts are known.  Mostly
 * one of them is exact, and one attempt at a proof says so.
 */
#include "bounds/inference.h"

#include "decide/decide.h"

enum { LARGEST_TRIED = 64 };

/* In each run; its facts are known. */
static bool proves_at_most(BoundsInference *bounds, Expr length, int64_t count) {
    return decide_proves_le(bounds->simplifier, length, expr_index(bounds->pool, count));
}

/* The least constant that intervals give: of all runs, or of each; 0 where they give none that is
 * at most `largest`. */
static int64_t known_limit(BoundsInference *bounds, Expr most, Expr length, int64_t largest) {
    ConstantInterval all = {0}, each = simplify_interval(bounds->simplifier, length);
    int64_t limit = largest + 1;
    if (most)
        all = simplify_interval(bounds->simplifier, most);
    if (all.has_maximum && all.maximum < limit)
        limit = all.maximum;
    if (each.has_maximum && each.maximum < limit)
        limit = each.maximum;
    return limit > largest ? 0 : limit < 1 ? 1 : limit;
}

static int64_t least_constant(BoundsInference *bounds, Expr most, Expr length, int64_t largest) {
    int64_t enough = known_limit(bounds, most, length, largest), few = 0; /* not proved */
    if (enough && (enough == 1 || !proves_at_most(bounds, length, enough - 1)))
        return enough;
    for (int64_t count = 1; !enough && count <= LARGEST_TRIED; count *= 2)
        if (proves_at_most(bounds, length, count))
            enough = count;
        else
            few = count;
    while (enough - few > 1) {
        int64_t between = few + (enough - few) / 2;
        if (proves_at_most(bounds, length, between))
            enough = between;
        else
            few = between;
    }
    return enough;
}

int64_t limit_constant(BoundsInference *bounds, Stmt *stmt, Expr length, int64_t largest,
                       Expr *most) {
    *most = view_greatest(view_from(bounds, &bounds->program->body, false), stmt, length);
    if (*most)
        *most = simplify(bounds->simplifier, inference_expand(bounds, *most));
    inference_enter(bounds, stmt->block);
    length =
        simplify(bounds->simplifier, inference_expand(bounds, inference_resolve(bounds, length)));
    return least_constant(bounds, *most, length, largest);
}
