/* query_ask.c -- the clauses of B, each checked when the walk meets its subject.
 *
 *   at a compute statement   lengths, held and window; it also sets Cpu and the held region
 *   at a stage's label       inside; the end of the stage checks loop
 *   at a store               mem of the write; mem and cpu of its reads
 *   at ifs, loops and lets   mem and cpu of the reads in their expressions, which must be right
 *
 * A violation names the clause, the statement and the numbers; the first one ends the walk. */
#include "checkers/query/query_run.h"

#include "ir/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void query_violate(QueryState *query, const char *format, ...) {
    char text[400];
    if (query->answer.violation)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    query->answer.violation = arena_format(query->arena, "%s", text);
}

/* ---- boxes ---- */

static bool is_empty(const QueryBox *box, int dimensions) {
    for (int k = 0; k < dimensions; k++)
        if (box->lower[k] > box->upper[k])
            return true;
    return false;
}

static bool contains(const QueryBox *box, const int64_t *point, int dimensions, int *outside) {
    for (int k = 0; k < dimensions; k++)
        if (point[k] < box->lower[k] || point[k] > box->upper[k]) {
            *outside = k;
            return false;
        }
    return true;
}

QueryBox query_box(QueryState *query, const Extent *intervals, int dimensions, const char *what,
                   Symbol func) {
    QueryBox box;
    for (int k = 0; k < dimensions; k++) {
        int64_t minimum = query_evaluate(query, intervals[k].minimum),
                length = query_evaluate(query, intervals[k].length);
        if (length < 0)
            query_violate(query, "lengths: %s of %s has length %" PRId64 " in dimension %d", what,
                          func->text, length, k);
        box.lower[k] = minimum;
        box.upper[k] = minimum + length - 1;
    }
    return box;
}

/* ---- the values that earlier runs of a slid compute statement left ---- */

static const char *point_text(QueryState *query, Symbol name, const int64_t *point, int dimensions);

/* Returns the place of a point among those of memory; it lies in memory. */
static size_t point_number(const State *state, const int64_t *point) {
    size_t number = 0;
    for (int k = state->func->shape->dimensions; k-- > 0;)
        number = number * (size_t)(state->memory.upper[k] - state->memory.lower[k] + 1) +
                 (size_t)(point[k] - state->memory.lower[k]);
    return number;
}

/* Goes to the next point of a box, dimension 0 first; false after the last. */
static bool next_point(const QueryBox *box, int64_t *point, int dimensions) {
    for (int k = 0; k < dimensions; k++) {
        if (point[k]++ < box->upper[k])
            return true;
        point[k] = box->lower[k];
    }
    return false;
}

/* After the allocation, no point is right. */
static void start_sliding(QueryState *query, State *state) {
    const FuncShape *shape = state->func->shape;
    state->points = 1;
    for (int k = 0; k < shape->dimensions; k++)
        state->points *= (size_t)(state->memory.upper[k] - state->memory.lower[k] + 1);
    if (state->points > state->capacity) {
        state->capacity = 2 * state->points;
        state->right = arena_array(query->arena, unsigned char, state->capacity);
    }
    memset(state->right, 0, state->points);
    state->slides = true;
}

/* Checks that each held point is computed now, or was computed before and not written since. */
static void ask_held(QueryState *query, State *state) {
    const FuncShape *shape = state->func->shape;
    int64_t point[MAX_DIMENSIONS];
    int outside, dimensions = shape->dimensions;
    if (is_empty(&state->held, dimensions))
        return;
    if (!state->slides)
        start_sliding(query, state);
    memcpy(point, state->held.lower, sizeof point);
    do {
        if (!contains(&state->memory, point, dimensions, &outside)) {
            query_violate(query, "held: %s is held outside of its memory in dimension %d",
                          point_text(query, shape->name, point, dimensions), outside);
            return;
        }
        bool is_new = contains(&state->compute, point, dimensions, &outside);
        unsigned char *right = &state->right[point_number(state, point)];
        if (!is_new && !*right)
            query_violate(query, "held: %s is neither computed now nor before",
                          point_text(query, shape->name, point, dimensions));
        *right = 1;
    } while (next_point(&state->held, point, dimensions));
}

/* ---- reads and writes ---- */

static void widen(QueryBox *asked, const int64_t *point, int dimensions) {
    for (int k = 0; k < dimensions; k++) {
        if (point[k] < asked->lower[k])
            asked->lower[k] = point[k];
        if (point[k] > asked->upper[k])
            asked->upper[k] = point[k];
    }
}

QueryBox query_no_box(void) {
    QueryBox box;
    for (int k = 0; k < MAX_DIMENSIONS; k++) {
        box.lower[k] = INT64_MAX;
        box.upper[k] = INT64_MIN;
    }
    return box;
}

static const char *point_text(QueryState *query, Symbol name, const int64_t *point,
                              int dimensions) {
    char text[200];
    int length = snprintf(text, sizeof text, "%s(", name->text);
    for (int k = 0; k < dimensions; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64, k ? ", " : "",
                           point[k]);
    return arena_format(query->arena, "%s)", text);
}

static void check_image_read(QueryState *query, Expr access, const int64_t *point) {
    QueryInput *input = map_get(&query->images, access->name);
    int k;
    if (!contains(&input->box, point, access->arity, &k))
        query_violate(query, "mem: %s is read outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                      point_text(query, access->name, point, access->arity), input->box.lower[k],
                      input->box.upper[k], k);
    widen(&input->asked, point, access->arity);
}

/* The purpose of a read.  Iterations of a reduction that write outside Cpu belong to the language:
 * their reads are made, and an input that lacks them is refused.  Iterations that a tail adds do
 * not. */
typedef enum Purpose { OVER_COMPUTED, WRITTEN_OUTSIDE, MUST_BE_RIGHT } Purpose;

static void check_read(QueryState *query, Expr access, Purpose purpose) {
    int64_t point[MAX_DIMENSIONS];
    int outside;
    for (int k = 0; k < access->arity; k++)
        point[k] = query_evaluate(query, access->arguments[k]);
    State *state = map_get(&query->states, access->name);
    if (!state) {
        check_image_read(query, access, point);
        return;
    }
    if (!state->allocated || !state->computed)
        query_violate(query, "mem: %s is read before it is computed",
                      point_text(query, access->name, point, access->arity));
    else if (!contains(&state->memory, point, access->arity, &outside))
        query_violate(query, "mem: %s is read outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                      point_text(query, access->name, point, access->arity),
                      state->memory.lower[outside], state->memory.upper[outside], outside);
    else if (purpose == MUST_BE_RIGHT && !contains(&state->held, point, access->arity, &outside))
        query_violate(query, "cpu: %s is needed outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                      point_text(query, access->name, point, access->arity),
                      state->held.lower[outside], state->held.upper[outside], outside);
    if (purpose == MUST_BE_RIGHT)
        widen(&state->asked, point, access->arity);
    if (purpose != OVER_COMPUTED)
        widen(&state->evaluated, point, access->arity);
}

static void check_reads(QueryState *query, Expr expr, Purpose purpose) {
    const Exprs *accesses = query_accesses(query, expr);
    for (size_t i = 0; i < accesses->length; i++)
        check_read(query, accesses->data[i], purpose);
}

void query_check_reads(QueryState *query, Expr expr) {
    check_reads(query, expr, MUST_BE_RIGHT);
}

static Purpose purpose_of(const State *state, const Stmt *store, const int64_t *point) {
    const Stage *stage = func_stage(state->func, store->store.stage);
    Purpose purpose = MUST_BE_RIGHT;
    for (int k = 0; k < store->store.func->dimensions; k++) {
        if (point[k] >= state->compute.lower[k] && point[k] <= state->compute.upper[k])
            continue;
        if (stage->pure[k])
            return OVER_COMPUTED;
        purpose = WRITTEN_OUTSIDE;
    }
    return purpose;
}

void query_check_store(QueryState *query, const Stmt *stmt) {
    const FuncShape *shape = stmt->store.func;
    State *state = map_get(&query->states, shape->name);
    int64_t point[MAX_DIMENSIONS];
    int outside;
    for (int k = 0; k < shape->dimensions; k++)
        point[k] = query_evaluate(query, stmt->store.indices[k]);
    if (!contains(&state->memory, point, shape->dimensions, &outside))
        query_violate(query,
                      "mem: %s is written outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                      point_text(query, shape->name, point, shape->dimensions),
                      state->memory.lower[outside], state->memory.upper[outside], outside);
    Purpose purpose = purpose_of(state, stmt, point);
    if (purpose != MUST_BE_RIGHT && state->slides && !query->answer.violation)
        state->right[point_number(state, point)] = 0;
    for (int k = 0; k < shape->dimensions; k++)
        check_reads(query, stmt->store.indices[k], MUST_BE_RIGHT);
    for (int i = 0; i < shape->components; i++)
        check_reads(query, ((Expr *)map_get(&query->stored, stmt))[i], purpose);
}

/* ---- coverage ---- */

void query_cover(QueryState *query, const Stmt *store) {
    State *state = map_get(&query->states, store->store.func->name);
    const Stage *stage = func_stage(state->func, store->store.stage);
    for (int k = 0; k < store->store.func->dimensions; k++) {
        if (!stage->pure[k])
            continue;
        int64_t at = query_evaluate(query, store->store.indices[k]);
        if (at >= state->compute.lower[k] && at <= state->compute.upper[k])
            state->covered[k][at - state->compute.lower[k]] |= 1;
    }
}

/* Is it the guard of a split reduction of which a part became a dimension of the func?  (A guard
 * stands in its let, alone or in another such guard.) */
static bool is_of_dimension(QueryState *query, const Stmt *guard, const FuncShape *shape,
                            const Stage *stage) {
    const Stmt *let = stmt_parent(guard);
    while (let && let->kind == STMT_IF)
        let = stmt_parent(let);
    for (size_t i = 0; let && let->kind == STMT_LET && i < stage->splits.length; i++) {
        const ReductionSplit *split = &stage->splits.data[i];
        for (int k = 0; binder_is_of(let->let.binder, split->variable) && k < shape->dimensions;
             k++)
            if (expr_mentions(query->arena, split->value, shape->variables[k]))
                return true;
    }
    return false;
}

void query_cover_branch(QueryState *query, const Stmt *branch) {
    const Stmt *store = branch->branch.body.first;
    while (store && (store->kind == STMT_IF || store->kind == STMT_LET))
        store = stmt_body((Stmt *)store)->first;
    if (!store || store->kind != STMT_STORE)
        return;
    const State *state = map_get(&query->states, store->store.func->name);
    if (branch->branch.role == IF_PREDICATE ||
        is_of_dimension(query, branch, state->func->shape,
                        func_stage(state->func, store->store.stage)))
        query_cover(query, store);
}

/* Returns the state and stage of `label s1` inside `label f`; null for other labels. */
static State *labelled_stage(QueryState *query, const Stmt *label, const Stage **stage) {
    const Stmt *outer = stmt_parent(label);
    int number;
    if (!outer || outer->kind != STMT_LABEL || sscanf(label->label.name->text, "s%d", &number) != 1)
        return NULL;
    State *state = map_get(&query->states, outer->label.name);
    hlc_assert(state, "the label around a stage's has the name of its func");
    *stage = func_stage(state->func, number);
    return state;
}

static size_t count_of(const QueryBox *box, int k) {
    return box->upper[k] < box->lower[k] ? 0 : (size_t)(box->upper[k] - box->lower[k] + 1);
}

/* Checks that Cpu lies in Mem, where the func's stages run: a func that only an empty window needs
 * has no memory.  A region with an empty dimension is no region. */
static void ask_inside(QueryState *query, const State *state) {
    const FuncShape *shape = state->func->shape;
    if (is_empty(&state->compute, shape->dimensions))
        return;
    for (int k = 0; k < shape->dimensions; k++)
        if (state->compute.lower[k] < state->memory.lower[k] ||
            state->compute.upper[k] > state->memory.upper[k])
            query_violate(query,
                          "inside: the compute region of %s leaves its memory in dimension %d",
                          shape->name->text, k);
}

void query_enter_stage(QueryState *query, const Stmt *label) {
    const Stage *stage;
    State *state = labelled_stage(query, label, &stage);
    if (state)
        ask_inside(query, state);
    for (int k = 0; state && k < state->func->shape->dimensions; k++)
        state->covered[k] =
            arena_array(query->arena, unsigned char, count_of(&state->compute, k) + 1);
}

/* The same as reduction_iterations, in numbers. */
static bool reduction_runs(QueryState *query, const State *state,
                           const ReductionVariable *variable) {
    int64_t first = query_evaluate(query, variable->interval.minimum),
            last = first + query_evaluate(query, variable->interval.length) - 1,
            lower = state->compute.lower[variable->dimension],
            upper = state->compute.upper[variable->dimension];
    if (variable->extent == ENDS_AS_NEEDED && upper < last)
        last = upper;
    if (variable->extent == BEGINS_AS_NEEDED && lower > first)
        first = lower;
    return first <= last;
}

void query_leave_stage(QueryState *query, const Stmt *label) {
    const Stage *stage;
    State *state = labelled_stage(query, label, &stage);
    if (!state || is_empty(&state->compute, state->func->shape->dimensions))
        return;
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (!reduction_runs(query, state, &stage->reduction.data[r]))
            return; /* no iteration reaches the write */
    for (int k = 0; k < state->func->shape->dimensions; k++)
        for (size_t i = 0; stage->pure[k] && i < count_of(&state->compute, k); i++)
            if (!state->covered[k][i])
                query_violate(query,
                              "loop: stage %d of %s does not reach %" PRId64 " in dimension %d",
                              stage->number, state->func->shape->name->text,
                              state->compute.lower[k] + (int64_t)i, k);
}

/* ---- compute statements ---- */

static int64_t beyond(int64_t computed, int64_t asked) {
    return computed > asked ? computed - asked : 0;
}

void query_settle(State *state) {
    int dimensions = state->func->shape->dimensions;
    if (!state->computed || is_empty(&state->total, dimensions))
        return;
    for (int k = 0; k < dimensions; k++) {
        int64_t computed = (int64_t)count_of(&state->total, k),
                asked = (int64_t)count_of(&state->asked, k),
                evaluated = (int64_t)count_of(&state->evaluated, k);
        state->slack[k].computed += computed;
        state->slack[k].unasked += beyond(computed, asked);
        state->slack[k].unread += beyond(computed, evaluated);
    }
}

QuerySlack query_input_slack(const QueryInput *input, int k) {
    int64_t stated = (int64_t)count_of(&input->box, k), read = (int64_t)count_of(&input->asked, k);
    return (QuerySlack){input->region->func, k, stated, beyond(stated, read), beyond(stated, read)};
}

static void ask_window(QueryState *query, State *state) {
    const FuncShape *shape = state->func->shape;
    QueryBox window;
    for (int k = 0; k < shape->dimensions; k++) {
        Expr minimum = expr_buffer_field(query->program->pool, shape->name, FIELD_MINIMUM, k),
             extent = expr_buffer_field(query->program->pool, shape->name, FIELD_EXTENT, k);
        window.lower[k] = query_evaluate(query, minimum);
        window.upper[k] = window.lower[k] + query_evaluate(query, extent) - 1;
    }
    if (is_empty(&window, shape->dimensions))
        return;
    int outside;
    if (!contains(&state->compute, window.lower, shape->dimensions, &outside) ||
        !contains(&state->compute, window.upper, shape->dimensions, &outside))
        query_violate(query, "window: the window of %s leaves its compute region in dimension %d",
                      shape->name->text, outside);
    QueryBox *const boxes[] = {&state->asked, &state->evaluated};
    for (int i = 0; i < 2; i++) {
        widen(boxes[i], window.lower, shape->dimensions);
        widen(boxes[i], window.upper, shape->dimensions);
    }
}

/* Does one `if` stand around all stages, whose condition does not hold now?  Then this run computes
 * nothing: the window that asks for it is empty, or a guard masks it. */
static bool is_skipped(QueryState *query, const Stmt *stmt) {
    const Stmt *only = stmt->compute.body.first;
    return only && only->kind == STMT_IF && !only->next && !only->branch.otherwise.first &&
           !query_evaluate(query, only->branch.condition);
}

void query_enter_compute(QueryState *query, const Stmt *stmt) {
    const FuncShape *shape = stmt->compute.func;
    State *state = map_get(&query->states, shape->name);
    bool goes_on = stmt->compute.held && state->slides;
    if (!goes_on) {
        query_settle(state);
        state->total = state->asked = state->evaluated = query_no_box();
    }
    if (!state->allocated)
        query_violate(query, "mem: %s is computed before it is allocated", shape->name->text);
    state->computed = true;
    state->compute = query_box(query, stmt->compute.intervals, shape->dimensions,
                               "the compute region", shape->name);
    state->held = stmt->compute.held ? query_box(query, stmt->compute.held, shape->dimensions,
                                                 "what is held", shape->name)
                                     : state->compute;
    if (stmt->compute.held && is_skipped(query, stmt))
        state->held = query_no_box(); /* so a read of it is a violation */
    if (stmt->compute.held && state->allocated && !query->answer.violation)
        ask_held(query, state);
    if (!is_empty(&state->compute, shape->dimensions)) {
        widen(&state->total, state->compute.lower, shape->dimensions);
        widen(&state->total, state->compute.upper, shape->dimensions);
    }
    if (shape->is_output)
        ask_window(query, state);
}
