/* query.c -- B(S) on concrete numbers (query.h): a walk over statement instances.
 *
 * The walk is an interpreter that computes only indices.  It keeps a stack of open bodies, so deep
 * nests need no recursion.  At each instance it calls the clauses of query_ask.c.  It ends at the
 * first violation, at a failed assertion (the entry refuses, so B asks nothing), or when the budget
 * of instances is spent.  The assertions about an image's size are skipped: the reads are compared
 * with the stated region instead, which tests that region. */
#include "checkers/query/query_run.h"

#include <inttypes.h>

/* ---- the walk ---- */

static void push_body(QueryState *query, Stmt *owner, Stmt *first, int64_t value, int64_t last) {
    vec_push(query->arena, &query->frames, (QueryFrame){owner, first, value, last});
}

static void enter_loop(QueryState *query, Stmt *stmt) {
    query_check_reads(query, stmt->loop.interval.minimum);
    query_check_reads(query, stmt->loop.interval.length);
    int64_t minimum = query_evaluate(query, stmt->loop.interval.minimum),
            length = query_evaluate(query, stmt->loop.interval.length);
    if (length < 0)
        query_violate(query, "lengths: loop %s has length %" PRId64, stmt->loop.binder->text,
                      length);
    if (length <= 0)
        return;
    query_bind(query, stmt->loop.binder, minimum);
    push_body(query, stmt, stmt->loop.body.first, minimum, minimum + length - 1);
}

static void enter_branch(QueryState *query, Stmt *stmt) {
    query_check_reads(query, stmt->branch.condition);
    query_cover_branch(query, stmt);
    bool chosen = query_evaluate(query, stmt->branch.condition);
    push_body(query, stmt, chosen ? stmt->branch.body.first : stmt->branch.otherwise.first, 0, 0);
}

static void enter(QueryState *query, Stmt *stmt) {
    query->instance++;
    query->answer.instances++;
    State *state;
    switch (stmt->kind) {
    case STMT_NOP:
        break;
    case STMT_ASSERT:
        /* Nothing is asked about the size of an image: its reads are compared with `whole`. */
        if (stmt->assertion.error != HLC_ERROR_ACCESS_OUT_OF_BOUNDS)
            query->answer.refused |= !query_evaluate(query, stmt->assertion.condition);
        break;
    case STMT_ALLOCATE:
        state = map_get(&query->states, stmt->allocate.func->name);
        state->memory = query_box(query, stmt->allocate.intervals, stmt->allocate.func->dimensions,
                                  "the memory", stmt->allocate.func->name);
        state->allocated = true;
        state->slides = false;
        break;
    case STMT_STORE:
        query_cover(query, stmt);
        query_check_store(query, stmt);
        break;
    case STMT_IF:
        enter_branch(query, stmt);
        break;
    case STMT_FOR:
        enter_loop(query, stmt);
        break;
    case STMT_LET:
        if (!stmt_holds(stmt))
            query_check_reads(query, stmt->let.value);
        query_bind(query, stmt->let.binder, query_evaluate(query, stmt->let.value));
        push_body(query, stmt, stmt->let.body.first, 0, 0);
        break;
    case STMT_PREFETCH:
        break;
    case STMT_COMPUTE:
        query_enter_compute(query, stmt);
        push_body(query, stmt, stmt->compute.body.first, 0, 0);
        break;
    case STMT_LABEL:
        query_enter_stage(query, stmt);
        push_body(query, stmt, stmt->label.body.first, 0, 0);
        break;
    }
}

/* The body on top has ended: starts the loop's next iteration, or leaves. */
static void leave(QueryState *query) {
    QueryFrame *frame = &query->frames.data[query->frames.length - 1];
    Stmt *owner = frame->owner;
    if (owner && owner->kind == STMT_FOR && frame->value < frame->last) {
        frame->value++;
        frame->next = owner->loop.body.first;
        query_bind(query, owner->loop.binder, frame->value);
        return;
    }
    query->frames.length--;
    query->instance++;
    if (owner && owner->kind == STMT_LABEL)
        query_leave_stage(query, owner);
}

static void walk(QueryState *query) {
    const QueryAnswer *answer = &query->answer;
    push_body(query, NULL, query->program->body.first, 0, 0);
    while (query->frames.length && !answer->violation && !answer->refused) {
        QueryFrame *frame = &query->frames.data[query->frames.length - 1];
        if (!frame->next) {
            leave(query);
            continue;
        }
        if (answer->instances >= query->options->budget)
            return;
        Stmt *stmt = frame->next;
        frame->next = stmt->next;
        enter(query, stmt);
    }
    query->answer.finished = true;
}

/* Has every output's window an empty dimension?  Then nothing runs. */
static bool asks_for_nothing(QueryState *query) {
    const Signature *signature = &query->pipeline->signature;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        bool empty = false;
        for (int k = 0; k < shape->dimensions; k++)
            empty |= query_evaluate(query, expr_buffer_field(query->program->pool, shape->name,
                                                             FIELD_EXTENT, k)) <= 0;
        if (!empty)
            return false;
    }
    return true;
}

/* Regions are stated for windows that ask for something. */
static QueryBox input_box(QueryState *query, const BoundsRegion *region) {
    if (!asks_for_nothing(query))
        return query_box(query, region->whole, region->dimensions, "the region", region->func);
    return query_no_box();
}

typedef struct StoredValues {
    Pool *pool;
    Arena *arena;
    Map values;
} StoredValues;

static bool note_store(void *data, Stmt *stmt) {
    StoredValues *stored = data;
    if (stmt->kind != STMT_STORE)
        return true;
    int count = stmt->store.func->components;
    Expr *values = arena_array(stored->arena, Expr, count);
    for (int c = 0; c < count; c++)
        values[c] = stmt_stored_value(stored->pool, stored->arena, stmt, c);
    map_put(&stored->values, stmt, values);
    return true;
}

QueryAnswer bounds_query(const Program *program, const Pipeline *pipeline,
                         const BoundsResult *result, Arena *arena, const QueryOptions *options) {
    StoredValues stored = {program->pool, arena, map_create(arena)}; /* before nodes are counted */
    block_visit((Block *)&program->body, &(StmtVisitor){.data = &stored, .enter = note_store});
    QueryState query = {.program = program,
                        .pipeline = pipeline,
                        .result = result,
                        .options = options,
                        .arena = arena,
                        .variables = map_create(arena),
                        .images = map_create(arena),
                        .code = map_create(arena),
                        .accesses = map_create(arena),
                        .states = map_create(arena),
                        .stored = stored.values,
                        .known = arena_array(arena, QueryKnown, program->pool->next_number),
                        .instance = 1,
                        .random = options->seed};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        State *state = arena_new(arena, State);
        state->func = pipeline->funcs.data[i];
        map_put(&query.states, state->func->shape->name, state);
        vec_push(arena, &query.order, state);
    }
    Vec(QueryInput *) inputs = {0};
    for (size_t i = 0; i < result->images.length; i++) {
        const BoundsRegion *region = result->images.data[i];
        QueryInput *input = arena_new(arena, QueryInput);
        input->region = region;
        input->box = input_box(&query, region);
        input->asked = query_no_box();
        map_put(&query.images, region->func, input);
        vec_push(arena, &inputs, input);
    }
    walk(&query);
    for (size_t i = 0; i < query.order.length; i++) {
        State *state = query.order.data[i];
        query_settle(state);
        for (int k = 0; k < state->func->shape->dimensions; k++) {
            state->slack[k].func = state->func->shape->name;
            state->slack[k].dimension = k;
            vec_push(arena, &query.answer.slack, state->slack[k]);
        }
    }
    for (size_t i = 0; i < inputs.length; i++)
        for (int k = 0; k < inputs.data[i]->region->dimensions; k++)
            vec_push(arena, &query.answer.slack, query_input_slack(inputs.data[i], k));
    return query.answer;
}
