/* view.c -- ranges as seen from a block.  Variables bound inside the block are eliminated;
 * variables bound around it stand for themselves.
 *
 * Binders are unique in a program, so one table of variables serves a whole view.  Before the range
 * of an expression is computed, the loops and lets between the base and its statement are bound,
 * the outermost first.
 *
 * The variable of a split or fused loop is a let with the domain of the loop that it replaces.
 * Seen from outside all new loops, it ranges over exactly its domain, and only that is used: `m +
 * vo*k + vi` over all `vo` and `vi` would round up.  Seen from between them, it lies in both
 * ranges; so a guard clips the last tile.  The variable of a round-up tail may leave its domain:
 * `beyond` says whether that counts.
 */
#include "bounds/inference.h"

#include "decide/decide.h"

#include <string.h>

/* Larger trees keep their lets in a question for a greatest value. */
#define LARGEST_EXPANDED 400

struct View {
    BoundsInference *bounds;
    const Block *base;
    bool beyond;
    Realization *self; /* its holes are `symbolic` */
    const Interval *symbolic;
    Map resolved; /* with a self: Expr -> Expr */
    Ranges ranges;
    Map bound;      /* Stmt -> itself: its binder is in `ranges` */
    Map partial;    /* Symbol of a let that does not run over its whole domain -> itself */
    Map masked;     /* Symbol of such a let, or of a loop -> the condition that it has a value; true
                       if it always has */
    Map bound_lets; /* BlockLets -> size_t: how many of them are bound */
    Vec(Stmt *) path; /* scratch: statements that are being bound */
};

typedef struct Views {
    View *within, *beyond;
} Views;

static View *view_create(BoundsInference *bounds, const Block *base, bool beyond) {
    Arena *arena = bounds->arena;
    View *view = arena_new(arena, View);
    view->bounds = bounds;
    view->base = base;
    view->beyond = beyond;
    view->ranges = ranges_create(bounds->pool, arena, bounds->simplifier);
    view->resolved = map_create(arena);
    view->bound = map_create(arena);
    view->partial = map_create(arena);
    view->masked = map_create(arena);
    view->bound_lets = map_create(arena);
    return view;
}

View *view_from(BoundsInference *bounds, const Block *base, bool beyond) {
    Views *views = map_get(&bounds->views, base);
    if (!views) {
        views = arena_new(bounds->arena, Views);
        map_put(&bounds->views, base, views);
    }
    View **view = beyond && bounds->has_beyond ? &views->beyond : &views->within;
    if (!*view)
        *view = view_create(bounds, base, beyond);
    return *view;
}

View *view_of_images(BoundsInference *bounds, const Block *base) {
    if (!bounds->pipeline->signature.windows)
        return view_from(bounds, base, true);
    View *view = view_create(bounds, base, true);
    view->ranges.folds_exactly = true;
    return view;
}

View *view_of_self(BoundsInference *bounds, const Block *base, Realization *realization,
                   const Interval *symbolic) {
    View *view = view_create(bounds, base, false);
    view->self = realization;
    view->symbolic = symbolic;
    return view;
}

/* ---- holes ---- */

static Expr view_resolve(View *view, Expr expr) {
    if (!view->self)
        return inference_resolve(view->bounds, expr);
    return !expr_holds(expr, HOLDS_HOLE)
               ? expr
               : inference_resolve_symbolic(view->bounds, view->self, view->symbolic,
                                            &view->resolved, expr);
}

/* Is the interval the pair of holes of one dimension? */
static bool is_hole_pair(Extent interval) {
    if (interval.minimum->op != OP_HOLE || interval.length->op != OP_HOLE)
        return false;
    Hole minimum = *interval.minimum->hole, length = *interval.length->hole;
    return minimum.end == HOLE_MINIMUM && length.end == HOLE_LENGTH &&
           minimum.kind == length.kind && minimum.func == length.func &&
           minimum.copy == length.copy && minimum.variable == length.variable;
}

/* ---- binding ---- */

static bool encloses(const Block *base, const Stmt *stmt) {
    for (; stmt; stmt = stmt_parent(stmt))
        if (stmt->block == base)
            return true;
    return false;
}

/* Returns the coordinates that a realization computes in dimension k.  Seen from inside the
 * realization (from a split's domain, below a producer's level), these are the coordinates of the
 * current run, without what earlier runs hold.  Seen from further out, they are those of all runs,
 * which together compute what each run holds. */
static Interval realization_range(View *view, Realization *realization, int k) {
    const Block *base =
        encloses(view->base, realization->root) ? view->base : realization_block(realization);
    if (base == realization_block(realization) && realization->held)
        return realization->slid[k];
    return view->bounds->required_region_at(view->bounds, realization, base)->compute[k];
}

typedef struct HoleSearch {
    const View *view;
    bool found;
} HoleSearch;

static void search_hole(void *data, Expr node) {
    HoleSearch *search = data;
    if (node->op != OP_HOLE)
        return;
    const Realization *realization = realization_of_hole(search->view->bounds, node);
    search->found |= !realization->solved && realization != search->view->self;
}

/* Does the interval of a shared loop mention the computed region of a func that is solved later? */
static bool is_open(const View *view, Extent interval) {
    HoleSearch search = {view, false};
    expr_visit(view->bounds->arena, interval.minimum, search_hole, &search);
    expr_visit(view->bounds->arena, interval.length, search_hole, &search);
    return search.found;
}

/* Returns every value of a variable that runs over the interval.  The interval of a shared loop may
 * not be known yet.  Then only lets with their own domains mention its variable. */
static Interval interval_range(View *view, Extent interval) {
    BoundsInference *bounds = view->bounds;
    Pool *pool = bounds->pool;
    if (is_hole_pair(interval)) {
        Realization *realization = realization_of_hole(bounds, interval.minimum);
        int k = shape_dimension(realization->shape, interval.minimum->hole->variable);
        return realization == view->self ? view->symbolic[k]
                                         : realization_range(view, realization, k);
    }
    if (is_open(view, interval))
        return (Interval){NULL, NULL, interval.minimum};
    Expr minimum = view_resolve(view, interval.minimum),
         length = view_resolve(view, interval.length);
    Expr last = simplify(bounds->simplifier,
                         expr_sub(pool, expr_add(pool, minimum, length), expr_index(pool, 1)));
    minimum = simplify(bounds->simplifier, minimum); /* what cancels would widen the range */
    Interval first = ranges_of(&view->ranges, minimum), final = ranges_of(&view->ranges, last);
    return (Interval){first.lower, final.upper, first.culprit ? first.culprit : final.culprit};
}

/* Does the let's value depend, other than through its domain, on a loop that this view does not
 * eliminate?  If not, the variable runs over the whole domain. */
static bool is_partial(View *view, Expr value, Extent domain) {
    BoundsInference *bounds = view->bounds;
    Exprs variables = expr_variables_of(bounds->arena, value);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        bool whole = map_get(&view->ranges.variables, name) && !map_get(&view->partial, name);
        if (map_get(&bounds->binders, name) && !whole &&
            !expr_mentions(bounds->arena, domain.minimum, name) &&
            !expr_mentions(bounds->arena, domain.length, name))
            return true;
    }
    return false;
}

/* Is the let's variable limited to the values for which the stage runs at all?  Then it belongs to
 * the free variables of a recurrence (schedule/recurrence/needed.c). */
static bool is_narrowed(const Stmt *let) {
    const Stmt *guard = let->let.body.first;
    return let->let.value->op == OP_VARIABLE && guard && guard->kind == STMT_IF &&
           guard->branch.role == IF_PREDICATE;
}

static Interval let_range(View *view, const Stmt *let) {
    Expr value = view_resolve(view, let->let.value);
    if (type_is_float(value->type))
        return ranges_of(&view->ranges, value);
    if (!type_is_index(value->type) && !type_is_machine_integer(value->type))
        return range_whole_type(view->bounds->pool, value->type, value);
    if (let->let.tail == TAIL_NONE || (let->let.tail == TAIL_BEYOND && view->beyond))
        return ranges_of(&view->ranges, value);
    Interval domain = interval_range(view, let->let.domain);
    /* The value shows its loops only before its holes are resolved. */
    if (!is_narrowed(let) && !is_partial(view, let->let.value, let->let.domain))
        return domain;
    map_put(&view->partial, let->let.binder, let->let.binder);
    return range_meet(&view->ranges, ranges_of(&view->ranges, value), domain);
}

static void bind_statement(View *view, Stmt *stmt) {
    if (map_get(&view->bound, stmt))
        return;
    if (stmt->kind == STMT_FOR)
        ranges_bind(&view->ranges, stmt->loop.binder, interval_range(view, stmt->loop.interval));
    if (stmt->kind == STMT_LET)
        ranges_bind(&view->ranges, stmt->let.binder, let_range(view, stmt));
    map_put(&view->bound, stmt, stmt);
}

/* Binds the oracle's own lets around the block. */
static void bind_lets(View *view, const Block *block) {
    BlockLets *lets = map_get(&view->bounds->lets_by_block, block);
    if (!lets)
        return;
    size_t *bound = map_get(&view->bound_lets, lets);
    if (!bound) {
        bound = arena_new(view->bounds->arena, size_t);
        map_put(&view->bound_lets, lets, bound);
    }
    for (; *bound < lets->lets.length; ++*bound) {
        const LetBinding *let = lets->lets.data[*bound];
        ranges_bind(&view->ranges, let->name, ranges_of(&view->ranges, let->value));
    }
}

/* Binds everything between the base and `stmt`, the outermost first. */
static void bind_path(View *view, Stmt *stmt) {
    const size_t start = view->path.length;
    for (Stmt *inner = stmt; inner->block != view->base; inner = stmt_parent(inner)) {
        hlc_assert(stmt_parent(inner), "a view sees only what is inside its base");
        vec_push(view->bounds->arena, &view->path, inner);
    }
    for (size_t i = view->path.length; i-- > start;) { /* binding may look at other paths */
        Stmt *inner = view->path.data[i];
        bind_statement(view, stmt_parent(inner));
        bind_lets(view, inner->block);
    }
    view->path.length = start;
}

/* What a narrowed specialization says in the branch that `stmt` stands in; null for other statements,
 * and for large conditions. */
static Expr narrowed_condition(View *view, const Stmt *outer, const Stmt *stmt) {
    if (!map_get(&view->bounds->narrowed, outer))
        return NULL;
    Expr condition = inference_branch(view->bounds, outer, stmt->block);
    return condition->tree_size > LARGEST_CONDITION ? NULL : condition;
}

/* Learns that the minima and extents in the condition fit in 32 bits, as the entry checks. So `i32(f.extent.0)`
 * in it is the extent. */
static void learn_fields(BoundsInference *bounds, Expr condition) {
    Exprs variables = expr_variables_of(bounds->arena, condition);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        Symbol buffer;
        BufferField field;
        int d;
        if (!type_is_index(variable->type) ||
            !buffer_field_parse(bounds->context, variable->name, &buffer, &field, &d) ||
            field == FIELD_STRIDE)
            continue;
        simplifier_learn(bounds->simplifier,
                         expr_le(bounds->pool, expr_index(bounds->pool, INT32_MIN), variable));
        simplifier_learn(bounds->simplifier,
                         expr_le(bounds->pool, variable, expr_index(bounds->pool, INT32_MAX)));
    }
}

/* Learns what the narrowed branches between the base and the statement say; false if there are none. */
static bool learn_narrowed(View *view, const Stmt *stmt) {
    BoundsInference *bounds = view->bounds;
    bool learns = false;
    for (; stmt->block != view->base; stmt = stmt_parent(stmt)) {
        const Stmt *outer = stmt_parent(stmt);
        Expr condition = outer->kind == STMT_IF && outer->branch.role == IF_SPECIALIZE
                             ? narrowed_condition(view, outer, stmt)
                             : NULL;
        if (!condition)
            continue;
        learn_fields(bounds, condition);
        simplifier_learn(bounds->simplifier, condition);
        learns = true;
    }
    return learns;
}

Interval view_range(View *view, Stmt *stmt, Expr expr) {
    Simplifier *simplifier = view->bounds->simplifier;
    inference_enter(view->bounds, view->base);
    bind_path(view, stmt);
    Interval range = ranges_of(&view->ranges, view_resolve(view, expr));
    FactMark mark = simplifier_mark(simplifier);
    if (learn_narrowed(view, stmt)) {
        range.lower = range.lower ? simplify(simplifier, range.lower) : NULL;
        range.upper = range.upper ? simplify(simplifier, range.upper) : NULL;
    }
    simplifier_release(simplifier, mark);
    return range;
}

/* Returns the condition that a loop's variable has a value in one iteration of the loops around the
 * base.  For a let's variable: a value that its guard lets through.  Null if that is proved. */
static Expr value_condition(View *view, Symbol binder) {
    BoundsInference *bounds = view->bounds;
    Expr condition = map_get(&view->masked, binder);
    if (!condition) {
        const Interval *range = map_get(&view->ranges.variables, binder);
        bool is_known = range_is_unknown(*range) ||
                        decide_proves_le(bounds->simplifier, range->lower, range->upper);
        condition = is_known ? expr_bool(bounds->pool, true)
                             : simplify(bounds->simplifier,
                                        expr_le(bounds->pool, range->lower, range->upper));
        map_put(&view->masked, binder, condition);
    }
    return expr_is_true(condition) ? NULL : condition;
}

/* The same for a variable of a recurrence. */
static Expr recurrence_condition(View *view, Symbol binder) {
    Expr condition = value_condition(view, binder);
    return condition && condition->tree_size > LARGEST_CONDITION ? NULL : condition;
}

static Expr both(const View *view, Expr a, Expr b) {
    return a && b ? expr_and(view->bounds->pool, a, b) : a ? a : b;
}

/* Returns the condition that something is read of the func that `stmt`, in the base, computes. */
static Expr reader_condition(View *view, const Stmt *stmt, Symbol reader) {
    const FuncSolution *solution = reader ? map_get(&view->bounds->by_func, reader) : NULL;
    for (size_t i = 0; solution && i < solution->realizations.length; i++)
        if (solution->realizations.data[i]->root == stmt)
            return view->bounds
                ->required_region_at(view->bounds, solution->realizations.data[i], view->base)
                ->condition;
    return NULL;
}

static bool has_hole(Extent interval) {
    return expr_holds(interval.minimum, HOLDS_HOLE) || expr_holds(interval.length, HOLDS_HOLE);
}

/* Is it a reduction that ends where nothing more is needed?  (A reduction over its own domain
 * mostly has iterations, so its condition is not worth long formulas.) */
static bool ends_as_needed(const Stmt *loop) {
    return !loop->loop.pure && has_hole(loop->loop.interval);
}

/* Is it the variable of such a reduction with an early start?  The loop always has iterations; the
 * guard lets none through if there are no others. */
static bool starts_early(const View *view, const Stmt *let) {
    Expr value = let->let.value;
    const Stmt *loop =
        value->op == OP_VARIABLE ? map_get(&view->bounds->binders, value->name) : NULL;
    return let->let.tail == TAIL_INSIDE && loop && loop->kind == STMT_FOR && ends_as_needed(loop) &&
           has_hole(let->let.domain);
}

Expr view_branches(View *view, const Stmt *stmt) {
    Expr all = NULL;
    for (; stmt->block != view->base; stmt = stmt_parent(stmt)) {
        const Stmt *outer = stmt_parent(stmt);
        if (outer->kind == STMT_IF && outer->branch.role == IF_SPECIALIZE)
            all = both(view, all, narrowed_condition(view, outer, stmt));
    }
    return all;
}

Expr view_condition(View *view, const AccessUse *use, bool with_guards) {
    Expr all = NULL;
    const Stmt *stmt = use->stmt;
    for (; stmt->block != view->base; stmt = stmt_parent(stmt)) {
        const Stmt *outer = stmt_parent(stmt);
        if (outer->kind == STMT_FOR && ends_as_needed(outer))
            all = both(view, all, recurrence_condition(view, outer->loop.binder));
        if (outer->kind == STMT_IF && outer->branch.role == IF_SPECIALIZE)
            all = both(view, all, narrowed_condition(view, outer, stmt));
        if (!with_guards || outer->kind != STMT_LET ||
            !(map_get(&view->partial, outer->let.binder) || starts_early(view, outer)))
            continue;
        all = both(view, all,
                   is_narrowed(outer) || starts_early(view, outer)
                       ? recurrence_condition(view, outer->let.binder)
                       : value_condition(view, outer->let.binder));
    }
    return view->self ? all : both(view, all, reader_condition(view, stmt, use->reader));
}

Expr view_greatest(View *view, Stmt *stmt, Expr expr) {
    inference_enter(view->bounds, view->base);
    bind_path(view, stmt);
    /* A let's variable would hide terms that cancel. */
    expr = view_resolve(view, expr);
    if (expr->tree_size <= LARGEST_EXPANDED)
        expr = inference_expand(view->bounds, expr);
    return ranges_greatest(&view->ranges, expr);
}

/* ---- explaining the elimination ---- */

static const char *variable_text(const Symbol binder) {
    const char *dot = strrchr(binder->text, '.');
    return dot ? dot + 1 : binder->text;
}

/* Returns a loop that the let depends on and that the view does not eliminate. */
static Symbol fixed_loop(const View *view, const Stmt *let) {
    Exprs variables = expr_variables_of(view->bounds->arena, let->let.value);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        const Stmt *binder = map_get(&view->bounds->binders, name);
        bool whole = map_get(&view->ranges.variables, name) && !map_get(&view->partial, name);
        if (binder && !whole)
            return name;
    }
    return let->let.binder;
}

static const char *explain_interval(const View *view, Symbol binder, Extent interval) {
    Arena *arena = view->bounds->arena;
    if (is_hole_pair(interval))
        return arena_format(arena, "%s over what is computed of %s", variable_text(binder),
                            interval.minimum->hole->func->text);
    return arena_format(arena, "%s over the whole loop", variable_text(binder));
}

static const char *explain_binder(const View *view, const Stmt *stmt) {
    Arena *arena = view->bounds->arena;
    if (stmt->kind == STMT_FOR && !stmt->loop.pure)
        return arena_format(arena, "%s over its domain", variable_text(stmt->loop.binder));
    if (stmt->kind == STMT_FOR)
        return explain_interval(view, stmt->loop.binder, stmt->loop.interval);
    if (stmt->let.tail == TAIL_NONE)
        return NULL;
    bool beyond = stmt->let.tail == TAIL_BEYOND && view->beyond;
    const char *place = stmt->place.line
                            ? arena_format(arena, " (%s)", origin_place(view->bounds, stmt->place))
                            : "";
    if (!beyond && !map_get(&view->partial, stmt->let.binder))
        return explain_interval(view, stmt->let.binder, stmt->let.domain);
    return arena_format(arena, "%s over one iteration of %s, %s%s", variable_text(stmt->let.binder),
                        fixed_loop(view, stmt)->text,
                        beyond ? "rounded up" : "clipped to the whole loop", place);
}

const char *view_explain(const View *view, Expr expr) {
    BoundsInference *bounds = view->bounds;
    const char *text = NULL;
    Exprs variables = expr_variables_of(bounds->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name;
        const Stmt *binder = map_get(&bounds->binders, name);
        const char *how =
            binder && map_get(&view->ranges.variables, name) ? explain_binder(view, binder) : NULL;
        if (how)
            text = text ? arena_format(bounds->arena, "%s; %s", text, how) : how;
    }
    return text;
}
