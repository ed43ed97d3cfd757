/* recompute_count.c -- runs the loops around compute statements, and marks the points that each of
 * them computes.
 *
 * Only bodies that compute a func are entered.  The loops of a compute statement compute its box
 * and the points that tails add.  If a last block is shifted, some points of it are computed twice.
 * The loops run twice.  The first run finds the hull of each func's boxes.  The second run paints
 * the boxes into it, a byte a point, row by row.  A func that is too large for that is not counted
 * and not mentioned.
 */
#include "lower/report/recompute_count.h"

#include "ir/interpret/evaluate.h"

#include <string.h>

enum { MOST_STEPS = 1 << 22, MOST_CELLS = 1 << 27 /* of all funcs together */ };
#define MOST_PAINTED ((int64_t)1 << 31) /* points of all funcs together */

typedef struct ComputedBox {
    int64_t minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS];
    int64_t runs[MAX_DIMENSIONS]; /* iterations of the loops, at least the length */
} ComputedBox;

typedef struct FuncBoxes {
    const FuncShape *shape;
    RecomputeCount count;
    ComputedBox hull;
    unsigned char *cells; /* of the hull, while painting; null if nothing is to be painted */
    bool unknown;
} FuncBoxes;

typedef struct CountFrame {
    Stmt *owner, *next; /* the owner is null for the program's block */
    int64_t value, last;
} CountFrame;

typedef struct RecomputeCounter {
    const Program *program;
    Arena *arena;
    const Map *tails;
    Map computing; /* Stmt around a compute statement -> itself */
    Map code;      /* Expr -> ExprCode */
    Map variables; /* Symbol -> Bits */
    Map by_func;   /* Symbol -> FuncBoxes */
    Vec(FuncBoxes *) funcs;
    Vec(CountFrame) frames;
    size_t steps;
    bool painting; /* the second run */
} RecomputeCounter;

/* ---- expressions ---- */

static bool variable_value(void *data, Symbol name, Bits *value) {
    const Bits *bound = map_get(&((const RecomputeCounter *)data)->variables, name);
    *value = bound ? *bound : 0;
    return bound != NULL;
}

/* Evaluates; false if the expression depends on memory, or on a variable without a value. */
static bool evaluate(RecomputeCounter *counter, Expr expr, Bits *value) {
    ExprCode *code = map_get(&counter->code, expr);
    if (!code)
        map_put(&counter->code, expr, code = expr_code(counter->arena, expr));
    return expr_code_run(code, variable_value, counter, value);
}

static void bind(RecomputeCounter *counter, Symbol name, Bits value) {
    Bits *bound = map_get(&counter->variables, name);
    if (!bound) {
        bound = arena_new(counter->arena, Bits);
        map_put(&counter->variables, name, bound);
    }
    *bound = value;
}

/* ---- boxes ---- */

static int64_t product(const int64_t *lengths, int dimensions) {
    int64_t points = 1;
    for (int d = 0; d < dimensions; d++)
        if (__builtin_mul_overflow(points, lengths[d], &points))
            return INT64_MAX;
    return points;
}

static void extend_hull(FuncBoxes *func, const ComputedBox *box) {
    ComputedBox *hull = &func->hull;
    int dimensions = func->shape->dimensions;
    func->unknown |= __builtin_add_overflow(func->count.computed, product(box->runs, dimensions),
                                            &func->count.computed);
    if (func->count.boxes++ == 0)
        *hull = *box;
    for (int d = 0; d < dimensions; d++) {
        int64_t minimum = hull->minimum[d] < box->minimum[d] ? hull->minimum[d] : box->minimum[d];
        int64_t end = hull->minimum[d] + hull->length[d], other = box->minimum[d] + box->length[d];
        hull->minimum[d] = minimum;
        hull->length[d] = (end > other ? end : other) - minimum;
    }
}

/* Paints the box's rows into the cells of the hull.  Returns the number of cells that were
 * blank. */
static int64_t paint(unsigned char *cells, const ComputedBox *hull, const ComputedBox *box,
                     int dimensions) {
    int64_t at[MAX_DIMENSIONS] = {0}, fresh = 0, row = dimensions ? box->length[0] : 1;
    for (;;) {
        int64_t offset = 0;
        for (int d = dimensions; d-- > 0;)
            offset = offset * hull->length[d] + box->minimum[d] - hull->minimum[d] + at[d];
        for (int64_t x = 0; x < row; x++)
            fresh += !cells[offset + x];
        memset(cells + offset, 1, (size_t)row);
        int d = 1;
        while (d < dimensions && ++at[d] == box->length[d])
            at[d++] = 0;
        if (d >= dimensions)
            return fresh;
    }
}

/* ---- the run ---- */

static bool mark_around(void *data, Stmt *stmt) {
    RecomputeCounter *counter = data;
    if (stmt->kind == STMT_COMPUTE)
        for (Stmt *at = stmt; at; at = stmt_parent(at))
            map_put(&counter->computing, at, at);
    return true;
}

/* Marks the funcs computed in a body that cannot be followed as unknown. */
static bool give_up(void *data, Stmt *stmt) {
    RecomputeCounter *counter = data;
    if (stmt->kind == STMT_COMPUTE)
        ((FuncBoxes *)map_get(&counter->by_func, stmt->compute.func->name))->unknown = true;
    return true;
}

static void give_up_inside(RecomputeCounter *counter, Stmt *stmt) {
    StmtVisitor visitor = {.data = counter, .enter = give_up};
    give_up(counter, stmt);
    if (stmt_body(stmt))
        block_visit(stmt_body(stmt), &visitor);
    if (stmt->kind == STMT_IF)
        block_visit(&stmt->branch.otherwise, &visitor);
}

/* Sets the coordinates that the loops compute if the box is needed. */
static bool put_tail(RecomputeCounter *counter, const DimensionTail *tail, ComputedBox *box,
                     int d) {
    Bits k;
    if (!evaluate(counter, tail->factor, &k) || (int64_t)k <= 0)
        return false;
    int64_t factor = (int64_t)k, *length = &box->length[d];
    box->runs[d] = (*length + factor - 1) / factor * factor;
    int64_t computed = tail->shifts && *length > factor ? *length : box->runs[d];
    if (tail->shifts)
        box->minimum[d] -= computed - *length;
    *length = computed;
    return true;
}

static void meet_box(RecomputeCounter *counter, const Stmt *compute) {
    const Tails *tails = map_get(counter->tails, compute);
    FuncBoxes *func = map_get(&counter->by_func, compute->compute.func->name);
    int dimensions = func->shape->dimensions;
    ComputedBox box = {0};
    for (int d = 0; d < dimensions && !func->unknown; d++) {
        const Extent *interval = &compute->compute.intervals[d];
        func->unknown |= !evaluate(counter, interval->minimum, &box.minimum[d]) ||
                         !evaluate(counter, interval->length, &box.length[d]);
        if (box.length[d] <= 0)
            return;
        box.runs[d] = box.length[d];
        if (tails && tails->of[d].factor)
            func->unknown |= !put_tail(counter, &tails->of[d], &box, d);
    }
    func->unknown |= tails && tails->is_uncounted;
    if (counter->painting && func->cells)
        func->count.distinct += paint(func->cells, &func->hull, &box, dimensions);
    else if (!counter->painting && !func->unknown)
        extend_hull(func, &box);
}

static void push(RecomputeCounter *counter, Stmt *owner, const Block *block, int64_t value,
                 int64_t last) {
    vec_push(counter->arena, &counter->frames, (CountFrame){owner, block->first, value, last});
}

static void enter_loop(RecomputeCounter *counter, Stmt *loop) {
    Bits minimum, length;
    if (!evaluate(counter, loop->loop.interval.minimum, &minimum) ||
        !evaluate(counter, loop->loop.interval.length, &length)) {
        give_up_inside(counter, loop);
    } else if (length > 0) {
        bind(counter, loop->loop.binder, minimum);
        push(counter, loop, &loop->loop.body, minimum, minimum + length - 1);
    }
}

static void enter_branch(RecomputeCounter *counter, Stmt *branch) {
    Bits condition;
    if (evaluate(counter, branch->branch.condition, &condition))
        push(counter, branch, condition ? &branch->branch.body : &branch->branch.otherwise, 0, 0);
    else
        give_up_inside(counter, branch);
}

static void step(RecomputeCounter *counter, Stmt *stmt) {
    Bits value;
    if (!map_get(&counter->computing, stmt))
        return;
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_PREFETCH:
        return;
    case STMT_COMPUTE:
        meet_box(counter, stmt);
        push(counter, stmt, &stmt->compute.body, 0, 0);
        return;
    case STMT_LABEL:
        push(counter, stmt, &stmt->label.body, 0, 0);
        return;
    case STMT_FOR:
        enter_loop(counter, stmt);
        return;
    case STMT_LET:
        if (evaluate(counter, stmt->let.value, &value))
            bind(counter, stmt->let.binder, value);
        push(counter, stmt, &stmt->let.body, 0, 0);
        return;
    case STMT_IF:
        enter_branch(counter, stmt);
        return;
    }
}

/* Runs; false if it takes too long. */
static bool run(RecomputeCounter *counter) {
    counter->steps = 0;
    push(counter, NULL, &counter->program->body, 0, 0);
    while (counter->frames.length > 0) {
        CountFrame *frame = &counter->frames.data[counter->frames.length - 1];
        if (counter->steps++ > MOST_STEPS)
            return false;
        if (frame->next) {
            Stmt *stmt = frame->next;
            frame->next = stmt->next;
            step(counter, stmt);
        } else if (frame->value < frame->last) {
            bind(counter, frame->owner->loop.binder, ++frame->value);
            frame->next = frame->owner->loop.body.first;
        } else {
            counter->frames.length--;
        }
    }
    return true;
}

/* Runs between the two runs.  A func that is computed in one piece needs no painting. */
static void prepare(FuncBoxes *func, int64_t *to_paint, int64_t *held, Arena *scratch) {
    int64_t cells = product(func->hull.length, func->shape->dimensions);
    if (func->count.boxes <= 1)
        func->count.distinct = func->count.boxes == 0 ? 0 : cells;
    else if (cells > MOST_CELLS - *held || func->count.computed > MOST_PAINTED - *to_paint)
        func->unknown = true;
    else {
        *to_paint += func->count.computed;
        *held += cells;
        func->cells = arena_allocate(scratch, (size_t)cells);
    }
}

static void begin(RecomputeCounter *counter) {
    const Program *program = counter->program;
    for (size_t i = 0; i < program->funcs.length; i++) {
        FuncBoxes *func = arena_new(counter->arena, FuncBoxes);
        func->shape = program->funcs.data[i]->func;
        func->count.func = func->shape->name;
        vec_push(counter->arena, &counter->funcs, func);
        map_put(&counter->by_func, func->shape->name, func);
    }
    StmtVisitor visitor = {.data = counter, .enter = mark_around};
    block_visit((Block *)&program->body, &visitor);
}

RecomputeCounts recompute_counts(const Program *program, const Map *tails, Arena *arena) {
    RecomputeCounts counts = {0};
    Arena *scratch = arena_create(&program->pool->context->memory);
    RecomputeCounter counter = {.program = program,
                                .arena = scratch,
                                .tails = tails,
                                .computing = map_create(scratch),
                                .code = map_create(scratch),
                                .variables = map_create(scratch),
                                .by_func = map_create(scratch)};
    begin(&counter);
    bool done = run(&counter);
    int64_t to_paint = 0, held = 0;
    for (size_t i = 0; i < counter.funcs.length && done; i++)
        prepare(counter.funcs.data[i], &to_paint, &held, scratch);
    counter.painting = true;
    done = done && run(&counter);
    for (size_t i = 0; i < counter.funcs.length && done; i++)
        if (!counter.funcs.data[i]->unknown)
            vec_push(arena, &counts, counter.funcs.data[i]->count);
    arena_destroy(scratch);
    return counts;
}
