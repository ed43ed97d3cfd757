/* tails.c -- see tails.h.
 *
 * The tails come from the directives: in the lowered program the lets and guards of splits may be
 * simplified away.  Such a tail is a guard unless the loop is a whole dimension, or no iteration
 * lies outside the loop (schedule/directives/split.c).  A piece of constant length may still be
 * shifted.
 */
#include "lower/report/tails.h"

typedef struct TailSearch {
    const Lowered *lowered;
    Arena *arena;
    const TailValues *values;
    Map tails;
} TailSearch;

/* Is the directive a split of the pure stage of the statement? */
static bool is_of(const Directive *split, const Stmt *compute) {
    if (split->kind != DIRECTIVE_SPLIT)
        return false;
    const LoopReference *loop = &split->arguments.data[0].loop;
    return loop->func == compute->compute.func->name && loop->stage == 0 &&
           loop->specialization == compute->compute.specialization;
}

/* Returns the dimension that the loop runs over as a whole; -1 for a piece of one, or of several.
 * No other loop of a stage has the name of a dimension. */
static int dimension_of(const Directive *split, const Stmt *compute) {
    const FuncShape *shape = compute->compute.func;
    for (int d = 0; d < shape->dimensions; d++)
        if (shape->variables[d] == split->arguments.data[0].loop.variable)
            return d;
    return -1;
}

static int64_t constant_factor(const Directive *split) {
    int64_t factor;
    return expr_constant_integer(split->arguments.data[3].expr, &factor) ? factor : 0;
}

/* Is the loop the inner one of a split, and does this split's factor divide that split's, or exceed
 * it?  Then no point is computed twice. */
static bool fits_piece(const Directives *primitives, size_t at, const Stmt *compute) {
    const Directive *split = &primitives->data[at];
    int64_t factor = constant_factor(split);
    for (size_t i = at; i-- > 0;)
        if (is_of(&primitives->data[i], compute) &&
            primitives->data[i].arguments.data[2].name == split->arguments.data[0].loop.variable)
            return factor > 0 && (constant_factor(&primitives->data[i]) % factor == 0 ||
                                  constant_factor(&primitives->data[i]) < factor);
    return false;
}

static void add_tail(const TailSearch *finding, Tails *tails, size_t at, const Stmt *compute) {
    const Directives *primitives = &finding->lowered->primitives;
    const Directive *split = &primitives->data[at];
    bool shifts = split->arguments.data[4].tail == TAILS_SHIFT_INWARDS;
    Expr factor = split->arguments.data[3].expr;
    if (finding->values)
        factor = finding->values->put(finding->values->data, factor);
    int d = dimension_of(split, compute);
    if (d >= 0)
        tails->of[d] = (DimensionTail){factor, shifts};
    else if (!shifts || fits_piece(primitives, at, compute))
        return; /* in a piece only a shifted block may compute more than is needed */
    else
        tails->is_uncounted = true;
    if (shifts)
        tails->shifted = split->arguments.data[0].loop.variable;
}

static bool find(void *data, Stmt *stmt) {
    TailSearch *finding = data;
    const Directives *primitives = &finding->lowered->primitives;
    Tails *tails = NULL;
    for (size_t i = 0; stmt->kind == STMT_COMPUTE && i < primitives->length; i++) {
        const Directive *split = &primitives->data[i];
        if (!is_of(split, stmt) || split->arguments.length <= 4 ||
            tail_guards(split->arguments.data[4].tail))
            continue;
        if (!tails)
            tails = arena_new(finding->arena, Tails);
        add_tail(finding, tails, i, stmt);
    }
    if (tails)
        map_put(&finding->tails, stmt, tails);
    return true;
}

Map tails_of_program(const Lowered *lowered, Arena *arena, const TailValues *values) {
    TailSearch finding = {lowered, arena, values, map_create(arena)};
    block_visit(&lowered->program->body, &(StmtVisitor){.data = &finding, .enter = find});
    return finding.tails;
}

Extent tails_interval(Pool *pool, const DimensionTail *tail, Extent asked) {
    Expr k = tail->factor, length = asked.length;
    if (!k)
        return asked;
    if (!tail->shifts) {
        Expr blocks =
            expr_div(pool, expr_sub(pool, expr_add(pool, length, k), expr_index(pool, 1)), k);
        return (Extent){asked.minimum, expr_mul(pool, blocks, k)};
    }
    Expr last = expr_sub(pool, expr_add(pool, asked.minimum, length), k);
    return (Extent){expr_min(pool, asked.minimum, last), expr_max(pool, length, k)};
}
