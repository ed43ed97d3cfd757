/* fold.c -- storage folding: memory for a ring of rows instead of all rows.
 *
 * Let the coordinates of N(v), fewer than F in one dimension, hold all that is needed at any time.
 * Then coordinates that are equal modulo F share memory:
 *
 *     allocate f: [(m, w), (n, h + 2)]         allocate f: [(m, w), (n, h + 2)] folding y by 4
 *     for y ..                            ->   for y ..
 *       compute f holding [.., (y, 3)]           compute f holding [.., (y, 3)]
 *
 * F comes from fold-storage, or the compiler chooses it: the least power of two that is proved to
 * be enough, if that is a constant and the dimension slides, or if one coordinate is enough.
 * lower/passes/fold.c makes remainders of indices.
 *
 * Why it is sound.  In one run of the compute statement all held coordinates have different
 * remainders, and nothing else is written: F is at least the extent of N(v) and of all writes.  The
 * value at a coordinate that leaves N(v) is overwritten.  Three loops could still need it:
 *   - this iteration, or a later one of the loops that the dimension slides along, does not: N does
 *     not come back, or is computed again;
 *   - the loops inside do not: their iterations need the same N(v) in this dimension (checked
 *     here), and have only added to it;
 *   - a loop around or between does, if another dimension slides along it: it would lose what it
 *     holds from its iteration before.  There nothing is folded.
 * If several places compute into the memory, they are in branches of a specialization, of which one
 * runs.  A fold that is asked for must be sound in each; unasked, such memory is not folded.
 *
 * A fold-storage that would be unsound is not met: the memory stays whole, and a warning says so.
 * If the dimension slides and F is too small, that is an error, or a refusal at entry.
 *
 * A dimension that does not slide is computed anew in each run.  It may be folded if nothing
 * slides, or if N does not depend on any of the loops, so no two runs differ in it.  Then all that
 * is computed is needed at a time, and F must be proved to be enough.
 */
#include "bounds/inference.h"

#include "decide/decide.h"

typedef struct Folding {
    BoundsInference *bounds;
    const Realization *realization;
    Vec(const Stmt *) loops; /* between the memory and the compute statement, innermost first */
} Folding;

/* ---- what may be folded ---- */

static void list_loops(Folding *folding) {
    const Block *block = folding->realization->allocate->block;
    for (const Stmt *stmt = folding->realization->root; stmt->block != block;) {
        stmt = stmt_parent(stmt);
        if (stmt->kind == STMT_FOR)
            vec_push(folding->bounds->arena, &folding->loops, stmt);
    }
}

/* Returns the dimension that slides along the loop; -1 for none. */
static int slides_along(const Folding *folding, const Stmt *loop) {
    for (size_t i = 0; i < folding->realization->slides.length; i++)
        if (folding->realization->slides.data[i].loop->name == loop->loop.binder)
            return folding->realization->slides.data[i].dimension;
    return -1;
}

static const Extent *held_of(const Realization *realization) {
    return realization->held ? realization->held : realization->compute;
}

/* Does the held region depend on one of the `count` innermost loops? */
static bool depends_on_loops(const Folding *folding, int k, size_t count) {
    BoundsInference *bounds = folding->bounds;
    const Extent *held = &held_of(folding->realization)[k];
    Expr ends[] = {inference_expand(bounds, held->minimum), inference_expand(bounds, held->length)};
    for (size_t i = 0; i < count; i++)
        for (int e = 0; e < 2; e++)
            if (expr_mentions(bounds->arena, ends[e], folding->loops.data[i]->loop.binder))
                return true;
    return false;
}

/* Says why a dimension that slides may not be folded; null if it may. */
static const char *why_not_slid(const Folding *folding, int k) {
    size_t first = folding->loops.length, last = 0;
    for (size_t i = 0; i < folding->loops.length; i++)
        if (slides_along(folding, folding->loops.data[i]) == k) {
            first = i < first ? i : first;
            last = i;
        }
    for (size_t i = first; i < folding->loops.length; i++) {
        int other = slides_along(folding, folding->loops.data[i]);
        if (other >= 0 && other != k)
            return "another dimension slides along a loop further out";
        if (other < 0 && i < last)
            return "another loop stands between those that it slides along";
    }
    return depends_on_loops(folding, k, first) ? "it moves with a loop further in, too" : NULL;
}

static const char *why_not_still(const Folding *folding, int k) {
    bool moves = depends_on_loops(folding, k, folding->loops.length);
    return folding->realization->slides.length && moves
               ? "another dimension slides, and this one moves"
               : NULL;
}

static bool does_slide(const Folding *folding, int k) {
    for (size_t i = 0; i < folding->realization->slides.length; i++)
        if (folding->realization->slides.data[i].dimension == k)
            return true;
    return false;
}

/* Do the statements stand in different branches of a specialization? */
static bool are_in_branches(const Stmt *a, const Stmt *b) {
    for (; a; a = stmt_parent(a)) {
        const Stmt *choice = stmt_parent(a);
        if (!choice || !stmt_is_inside(b, choice))
            continue;
        while (stmt_parent(b) != choice)
            b = stmt_parent(b);
        return choice->kind == STMT_IF && choice->branch.role == IF_SPECIALIZE &&
               a->block != b->block;
    }
    return false;
}

/* May other places compute into this memory? `in_branches`: in other branches of a specialization
 * they may. */
static bool is_alone(const Folding *folding, bool in_branches) {
    const Realization *realization = folding->realization;
    const FuncSolution *solution = map_get(&folding->bounds->by_func, realization->shape->name);
    for (size_t i = 0; i < solution->realizations.length; i++) {
        const Realization *other = solution->realizations.data[i];
        if (other != realization && other->allocate == realization->allocate &&
            !(in_branches && are_in_branches(other->root, realization->root)))
            return false;
    }
    return true;
}

/* Says why the dimension may not be folded; null if it may.  `all`: in all places that compute into
 * this memory. */
static const char *why_not(const Folding *folding, int k, bool all) {
    if (folding->realization->shape->is_output)
        return "it is an output";
    if (folding->realization->shape->is_shared)
        return "a C function reads or writes its memory";
    if (!is_alone(folding, all))
        return "several places compute into this memory";
    if (!func_is_pure(pipeline_func(folding->bounds->pipeline, folding->realization->shape->name),
                      k))
        return "an update may write anywhere in it";
    return does_slide(folding, k) ? why_not_slid(folding, k) : why_not_still(folding, k);
}

/* ---- how many coordinates ---- */

/* Returns the extent in one run: of what is held, and, if the dimension does not slide, of all
 * writes (a tail without a guard writes more). */
static Expr extent_of(const Folding *folding, int k) {
    BoundsInference *bounds = folding->bounds;
    const Realization *realization = folding->realization;
    const Block *base = realization_block(realization);
    if (does_slide(folding, k))
        return realization->held[k].length;
    Interval range = required_region_at(bounds, (Realization *)realization, base)->compute[k];
    for (size_t i = 0; i < realization->stores.length; i++) {
        Stmt *store = realization->stores.data[i];
        Interval written =
            view_range(view_from(bounds, base, true), store, store->store.indices[k]);
        hlc_assert(written.lower && written.upper, "a pure dimension is bounded");
        range = range_include(bounds, range, written);
    }
    return range_length(bounds, range);
}

enum { LARGEST_FOLD = 1024 };

/* How many coordinates of dimension k are needed at a time, in startup variables; null where nothing
 * bounds them.  It answers for folds that are asked for and for all others. */
static Expr needed_at_a_time(const Folding *folding, int k) {
    BoundsInference *bounds = folding->bounds;
    Expr extent = extent_of(folding, k), most;
    int64_t constant =
        limit_constant(bounds, folding->realization->root, extent, LARGEST_FOLD, &most);
    if (!constant)
        return most;
    Expr least = expr_index(bounds->pool, constant);
    return most ? simplify(bounds->simplifier, expr_min(bounds->pool, most, least)) : least;
}

/* The least power of two that is enough in all runs; 0 where none is known. */
static int64_t least_factor(const Folding *folding, Expr needed) {
    int64_t factor = 1;
    ConstantInterval limit = {0};
    if (needed)
        limit = simplify_interval(folding->bounds->simplifier, needed);
    if (!limit.has_maximum || limit.maximum > LARGEST_FOLD)
        return 0;
    while (factor < limit.maximum)
        factor *= 2;
    return factor;
}

static void fold(const Folding *folding, int k, Expr factor) {
    Stmt *allocate = folding->realization->allocate;
    if (!allocate->allocate.folds)
        allocate->allocate.folds = arena_array(folding->bounds->program->arena, Expr,
                                               folding->realization->shape->dimensions);
    allocate->allocate.folds[k] = factor;
}

/* ---- fold-storage ---- */

/* All places that compute into one memory. */
typedef Vec(Folding) FoldGroup;

/* Says why the request cannot be met at this place; null if it can.  `most`: how many coordinates
 * are needed at a time. */
static const char *why_unmet(const Folding *folding, const FoldRequest *request, Expr *most) {
    BoundsInference *bounds = folding->bounds;
    int k = request->dimension;
    inference_enter(bounds, realization_block(folding->realization));
    const char *reason = why_not(folding, k, true);
    *most = reason ? NULL : needed_at_a_time(folding, k);
    if (reason)
        return reason;
    if (!*most)
        return "nothing bounds how many coordinates are needed at a time";
    if (!does_slide(folding, k) && !decide_proves_le(bounds->simplifier, *most, request->factor))
        return "it slides along no loop, so all coordinates that are computed are needed at a time";
    return NULL;
}

/* Reports a constant factor that is too small for a dimension that slides. */
static void check_factor(const Folding *folding, const FoldRequest *request, Expr most) {
    BoundsInference *bounds = folding->bounds;
    const FuncShape *shape = folding->realization->shape;
    ConstantInterval needed = simplify_interval(bounds->simplifier, most);
    int64_t factor;
    if (!expr_constant_integer(request->factor, &factor) || !needed.has_minimum ||
        needed.minimum <= factor)
        return;
    bounds->failed = true;
    diag(bounds->context, DIAG_FOLD_UNSOUND, request->place, shape->name->text,
         shape->variables[request->dimension]->text,
         arena_format(bounds->arena, "%lld", (long long)needed.minimum));
}

/* Folds the memory, or warns that it stays whole.  Is it folded? */
static bool fold_as_asked(const FoldGroup *group, const FoldRequest *request) {
    BoundsInference *bounds = group->data[0].bounds;
    const FuncShape *shape = group->data[0].realization->shape;
    Expr *most = arena_array(bounds->arena, Expr, group->length);
    for (size_t i = 0; i < group->length; i++) {
        const char *reason = why_unmet(&group->data[i], request, &most[i]);
        if (reason) {
            diag(bounds->context, DIAG_FOLD_IDLE, request->place, shape->name->text,
                 shape->variables[request->dimension]->text, reason);
            return false;
        }
    }
    fold(&group->data[0], request->dimension, request->factor);
    for (size_t i = 0; i < group->length; i++) {
        check_factor(&group->data[i], request, most[i]);
        vec_push(bounds->arena, &bounds->folds,
                 (FoldCheck){.func = shape->name,
                             .dimension = request->dimension,
                             .factor = request->factor,
                             .most = most[i],
                             .place = request->place});
    }
    return true;
}

/* ---- folds that the compiler chooses ---- */

static bool find_vectorized(void *data, Stmt *stmt) {
    *(bool *)data |= stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_VECTORIZED;
    return true;
}

/* Remainders in the densest dimension would turn its vectors into gathers. */
static bool is_dense(const Folding *folding, int k) {
    bool vectorized = false;
    size_t i = 0;
    if (k > 0)
        return false;
    while (i + 1 < folding->loops.length && slides_along(folding, folding->loops.data[i]) != k)
        i++;
    block_visit((Block *)&folding->loops.data[i]->loop.body,
                &(StmtVisitor){&vectorized, find_vectorized, NULL});
    return vectorized;
}

static void fold_if_proved(const Folding *folding, int k) {
    BoundsInference *bounds = folding->bounds;
    bool slides = does_slide(folding, k);
    if ((!slides && !folding->loops.length) || why_not(folding, k, false) || is_dense(folding, k))
        return;
    int64_t factor = least_factor(folding, needed_at_a_time(folding, k)), memory;
    Expr length = folding->realization->allocate->allocate.intervals[k].length;
    if (!factor || (!slides && factor > 1) ||
        (expr_constant_integer(length, &memory) && memory <= factor))
        return;
    fold(folding, k, expr_index(bounds->pool, factor));
}

static void fold_memory(const FoldGroup *group) {
    const Folding *first = &group->data[0];
    BoundsInference *bounds = first->bounds;
    const FuncShape *shape = first->realization->shape;
    bool asked = false;
    for (size_t i = 0; i < bounds->requests->folds.length; i++)
        if (bounds->requests->folds.data[i].func == shape->name)
            asked |= fold_as_asked(group, &bounds->requests->folds.data[i]);
    inference_enter(bounds, realization_block(first->realization));
    for (int k = 0; !asked && group->length == 1 && k < shape->dimensions; k++)
        fold_if_proved(first, k);
}

void fold_func(BoundsInference *bounds, const FuncSolution *solution) {
    Map folded = map_create(bounds->arena); /* allocate statements */
    for (size_t i = 0; i < solution->realizations.length; i++) {
        const Stmt *allocate = solution->realizations.data[i]->allocate;
        FoldGroup group = {0};
        for (size_t k = i; !map_get(&folded, allocate) && k < solution->realizations.length; k++) {
            Folding folding = {.bounds = bounds, .realization = solution->realizations.data[k]};
            if (folding.realization->allocate != allocate)
                continue;
            list_loops(&folding);
            vec_push(bounds->arena, &group, folding);
        }
        map_put(&folded, allocate, solution);
        if (group.length)
            fold_memory(&group);
    }
}
