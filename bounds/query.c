/* query.c -- B(S) on concrete numbers: a walk over statement instances with a stack of open bodies.
 */
#include "bounds/query.h"

#include "ir/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Box {
    int64_t lower[MAX_DIMENSIONS], upper[MAX_DIMENSIONS]; /* inclusive */
} Box;

/* An image: what is said to be read of it, and what is. */
typedef struct Input {
    const Region *region;
    Box box, asked;
} Input;

/* What is true of a func at this moment of the run. */
typedef struct State {
    const Func *func;
    bool allocated, computed;
    Box memory, compute, held, asked; /* held: what is right once it is computed */
    unsigned char *right;             /* of a slid one, a byte a point of memory: is it computed? */
    size_t points, capacity;          /* in `right`; how many there is room for */
    bool slides;                      /* `right` says what is so since it was allocated */
    unsigned char *covered[MAX_DIMENSIONS]; /* by the stage that runs: a byte a coordinate of Cpu */
    QuerySlack slack[MAX_DIMENSIONS];
} State;

typedef struct Frame {
    Stmt *owner; /* null for the program's block */
    Stmt *next;
    int64_t value, last; /* of a loop */
} Frame;

/* A node of an expression, with its operator where it has one. */
typedef struct Step {
    Expr node;
    Operation operation;
} Step;

/* An expression's nodes, arguments before users. */
typedef Vec(Step) Code;

/* A node's value in the statement instance with this number. */
typedef struct Known {
    Bits bits;
    uint64_t instance;
} Known;

typedef struct Query {
    const Program *program;
    const Pipeline *pipeline;
    const BoundsResult *result;
    const QueryOptions *options;
    Arena *arena;
    Map variables;     /* Symbol -> Bits: of loops, lets, and startup variables met so far */
    Map images;        /* Symbol -> Input */
    Map code;          /* Expr -> Code */
    Map accesses;      /* Expr -> Exprs */
    Map states;        /* Symbol -> State */
    Known *known;      /* by a node's number */
    uint64_t instance; /* at work; one sees one value of each read */
    Vec(State *) order;
    Vec(Frame) frames;
    uint64_t random;
    QueryAnswer answer;
} Query;

static void violate(Query *query, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void violate(Query *query, const char *format, ...) {
    char text[400];
    if (query->answer.violation)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    query->answer.violation = arena_format(query->arena, "%s", text);
}

/* ---- expressions ---- */

static uint64_t draw(Query *query) {
    query->random = query->random * 6364136223846793005u + 1442695040888963407u;
    return query->random >> 16 ^ query->random << 40;
}

/* Any value of the type: often an end of it. */
static Bits draw_value(Query *query, Type type) {
    uint64_t choice = draw(query) % 8;
    if (type_is_machine_integer(type) && choice < 2)
        return choice ? type_maximum(type) : type_minimum(type);
    return bits_wrap(type, (int64_t)draw(query));
}

static void bind(Query *query, Symbol name, Bits value) {
    Bits *bound = map_get(&query->variables, name);
    if (!bound) {
        bound = arena_new(query->arena, Bits);
        map_put(&query->variables, name, bound);
    }
    *bound = value;
}

static Bits variable_value(Query *query, Expr node) {
    Bits *bound = map_get(&query->variables, node->name), bits = 0;
    if (bound)
        return *bound;
    bool known = query->options->variable(query->options->data, node->name, &bits);
    hlc_assert(known, "a free variable is a parameter or a buffer's field");
    bind(query, node->name, bits);
    return bits;
}

static void push_step(void *data, Expr node) {
    Query *query = ((void **)data)[0];
    Code *code = ((void **)data)[1];
    Step step = {.node = node};
    Type types[OP_MAX_ARITY];
    for (int i = 0; i < node->arity && node->op < OP_COUNT; i++)
        types[i] = node->arguments[i]->type;
    if (node->op < OP_COUNT && node->op != OP_CONSTANT)
        step.operation = operation_of((Op)node->op, node->type, types);
    vec_push(query->arena, code, step);
}

static Code *code_of(Query *query, Expr expr) {
    Code *code = map_get(&query->code, expr);
    if (code)
        return code;
    code = arena_new(query->arena, Code);
    expr_visit(query->arena, expr, push_step, (void *[]){query, code});
    map_put(&query->code, expr, code);
    return code;
}

static Bits step_value(Query *query, const Step *step) {
    Expr node = step->node;
    Bits arguments[OP_MAX_ARITY];
    switch (node->op) {
    case OP_CONSTANT:
        return node->bits;
    case OP_VARIABLE:
        return variable_value(query, node);
    case OP_ACCESS:
        return draw_value(query, node->type);
    case OP_HOLE:
        hlc_assert(false, "a program is asked about when its holes are filled");
        return 0;
    default:
        break;
    }
    for (int i = 0; i < node->arity; i++)
        arguments[i] = query->known[node->arguments[i]->number].bits;
    return operation_apply(&step->operation, arguments, NULL).bits;
}

static Bits evaluate(Query *query, Expr expr) {
    const Code *code = code_of(query, expr);
    for (size_t i = 0; i < code->length; i++) {
        Known *known = &query->known[code->data[i].node->number];
        if (known->instance == query->instance)
            continue;
        known->bits = step_value(query, &code->data[i]);
        known->instance = query->instance;
    }
    return query->known[expr->number].bits;
}

static const Exprs *accesses_of(Query *query, Expr expr) {
    Exprs *accesses = map_get(&query->accesses, expr);
    if (!accesses) {
        accesses = arena_new(query->arena, Exprs);
        expr_accesses(query->arena, expr, accesses);
        map_put(&query->accesses, expr, accesses);
    }
    return accesses;
}

/* ---- boxes ---- */

static bool is_empty(const Box *box, int dimensions) {
    for (int k = 0; k < dimensions; k++)
        if (box->lower[k] > box->upper[k])
            return true;
    return false;
}

static bool contains(const Box *box, const int64_t *point, int dimensions, int *outside) {
    for (int k = 0; k < dimensions; k++)
        if (point[k] < box->lower[k] || point[k] > box->upper[k]) {
            *outside = k;
            return false;
        }
    return true;
}

static Box evaluate_box(Query *query, const Interval *intervals, int dimensions, const char *what,
                        Symbol func) {
    Box box;
    for (int k = 0; k < dimensions; k++) {
        int64_t minimum = evaluate(query, intervals[k].minimum),
                length = evaluate(query, intervals[k].length);
        if (length < 0)
            violate(query, "lengths: %s of %s has length %" PRId64 " in dimension %d", what,
                    func->text, length, k);
        box.lower[k] = minimum;
        box.upper[k] = minimum + length - 1;
    }
    return box;
}

/* ---- what earlier runs of a slid compute statement left ---- */

static const char *point_text(Query *query, Symbol name, const int64_t *point, int dimensions);

/* The point's place among those of memory, in which it lies. */
static size_t point_number(const State *state, const int64_t *point) {
    size_t number = 0;
    for (int k = state->func->shape->dimensions; k-- > 0;)
        number = number * (size_t)(state->memory.upper[k] - state->memory.lower[k] + 1) +
                 (size_t)(point[k] - state->memory.lower[k]);
    return number;
}

/* The next point of a box, dimension 0 first; false after the last. */
static bool next_point(const Box *box, int64_t *point, int dimensions) {
    for (int k = 0; k < dimensions; k++) {
        if (point[k]++ < box->upper[k])
            return true;
        point[k] = box->lower[k];
    }
    return false;
}

/* From the allocation on nothing is right. */
static void start_sliding(Query *query, State *state) {
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

/* Held is what is computed now, and what was computed before and not written since. */
static void ask_held(Query *query, State *state) {
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
            violate(query, "held: %s is held outside of its memory in dimension %d",
                    point_text(query, shape->name, point, dimensions), outside);
            return;
        }
        bool is_new = contains(&state->compute, point, dimensions, &outside);
        unsigned char *right = &state->right[point_number(state, point)];
        if (!is_new && !*right)
            violate(query, "held: %s is neither computed now nor before",
                    point_text(query, shape->name, point, dimensions));
        *right = 1;
    } while (next_point(&state->held, point, dimensions));
}

/* ---- reads and writes ---- */

static void widen(Box *asked, const int64_t *point, int dimensions) {
    for (int k = 0; k < dimensions; k++) {
        if (point[k] < asked->lower[k])
            asked->lower[k] = point[k];
        if (point[k] > asked->upper[k])
            asked->upper[k] = point[k];
    }
}

static void ask_nothing(Box *asked, int dimensions) {
    for (int k = 0; k < dimensions; k++) {
        asked->lower[k] = INT64_MAX;
        asked->upper[k] = INT64_MIN;
    }
}

static const char *point_text(Query *query, Symbol name, const int64_t *point, int dimensions) {
    char text[200];
    int length = snprintf(text, sizeof text, "%s(", name->text);
    for (int k = 0; k < dimensions; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64, k ? ", " : "",
                           point[k]);
    return arena_format(query->arena, "%s)", text);
}

static void check_image_read(Query *query, Expr access, const int64_t *point) {
    Input *input = map_get(&query->images, access->name);
    int k;
    if (!contains(&input->box, point, access->arity, &k))
        violate(query, "mem: %s is read outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                point_text(query, access->name, point, access->arity), input->box.lower[k],
                input->box.upper[k], k);
    widen(&input->asked, point, access->arity);
}

/* `counts`: the read must be right. */
static void check_read(Query *query, Expr access, bool counts) {
    int64_t point[MAX_DIMENSIONS];
    int outside;
    for (int k = 0; k < access->arity; k++)
        point[k] = evaluate(query, access->arguments[k]);
    State *state = map_get(&query->states, access->name);
    if (!state) {
        check_image_read(query, access, point);
        return;
    }
    if (!state->allocated || !state->computed)
        violate(query, "mem: %s is read before it is computed",
                point_text(query, access->name, point, access->arity));
    else if (!contains(&state->memory, point, access->arity, &outside))
        violate(query, "mem: %s is read outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                point_text(query, access->name, point, access->arity), state->memory.lower[outside],
                state->memory.upper[outside], outside);
    else if (counts && !contains(&state->held, point, access->arity, &outside))
        violate(query, "cpu: %s is needed outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                point_text(query, access->name, point, access->arity), state->held.lower[outside],
                state->held.upper[outside], outside);
    if (counts)
        widen(&state->asked, point, access->arity);
}

static void check_reads(Query *query, Expr expr, bool counts) {
    const Exprs *accesses = accesses_of(query, expr);
    for (size_t i = 0; i < accesses->length; i++)
        check_read(query, accesses->data[i], counts);
}

static void check_store(Query *query, const Stmt *stmt) {
    const FuncShape *shape = stmt->store.func;
    State *state = map_get(&query->states, shape->name);
    int64_t point[MAX_DIMENSIONS];
    int outside;
    for (int k = 0; k < shape->dimensions; k++)
        point[k] = evaluate(query, stmt->store.indices[k]);
    if (!contains(&state->memory, point, shape->dimensions, &outside))
        violate(query, "mem: %s is written outside [%" PRId64 ", %" PRId64 "] in dimension %d",
                point_text(query, shape->name, point, shape->dimensions),
                state->memory.lower[outside], state->memory.upper[outside], outside);
    bool counts = contains(&state->compute, point, shape->dimensions, &outside);
    if (!counts && state->slides && !query->answer.violation)
        state->right[point_number(state, point)] = 0;
    for (int k = 0; k < shape->dimensions; k++)
        check_reads(query, stmt->store.indices[k], true);
    for (int i = 0; i < shape->components; i++)
        check_reads(query, stmt->store.values[i], counts);
}

/* ---- coverage ---- */

static const Stage *stage_of(const State *state, int number) {
    size_t i = 0;
    while (i < state->func->stages.length && state->func->stages.data[i]->number != number)
        i++;
    hlc_assert(i < state->func->stages.length, "a statement names a stage of its func");
    return state->func->stages.data[i];
}

/* Above the predicate, below the guards. */
static void cover(Query *query, const Stmt *store) {
    State *state = map_get(&query->states, store->store.func->name);
    const Stage *stage = stage_of(state, store->store.stage);
    for (int k = 0; k < store->store.func->dimensions; k++) {
        if (!stage->pure[k])
            continue;
        int64_t at = evaluate(query, store->store.indices[k]);
        if (at >= state->compute.lower[k] && at <= state->compute.upper[k])
            state->covered[k][at - state->compute.lower[k]] |= 1;
    }
}

/* The state and stage of `label s1` inside `label f` inside `compute f`; null for other labels. */
static State *labelled_stage(Query *query, const Stmt *label, const Stage **stage) {
    const Stmt *outer = stmt_parent(label), *compute = outer ? stmt_parent(outer) : NULL;
    int number;
    if (!outer || outer->kind != STMT_LABEL || sscanf(label->label.name->text, "s%d", &number) != 1)
        return NULL;
    while (compute && compute->kind == STMT_IF)
        compute = stmt_parent(compute);
    hlc_assert(compute && compute->kind == STMT_COMPUTE,
               "a func's label stands in its compute statement");
    State *state = map_get(&query->states, compute->compute.func->name);
    *stage = stage_of(state, number);
    return state;
}

static size_t count_of(const Box *box, int k) {
    return box->upper[k] < box->lower[k] ? 0 : (size_t)(box->upper[k] - box->lower[k] + 1);
}

/* Cpu lies in Mem: asked where the func's stages run, as a func that only an empty window needs has
 * no memory.  A region with an empty dimension is no region. */
static void ask_inside(Query *query, const State *state) {
    const FuncShape *shape = state->func->shape;
    if (is_empty(&state->compute, shape->dimensions))
        return;
    for (int k = 0; k < shape->dimensions; k++)
        if (state->compute.lower[k] < state->memory.lower[k] ||
            state->compute.upper[k] > state->memory.upper[k])
            violate(query, "inside: the compute region of %s leaves its memory in dimension %d",
                    shape->name->text, k);
}

static void enter_stage(Query *query, const Stmt *label) {
    const Stage *stage;
    State *state = labelled_stage(query, label, &stage);
    if (state)
        ask_inside(query, state);
    for (int k = 0; state && k < state->func->shape->dimensions; k++)
        state->covered[k] =
            arena_array(query->arena, unsigned char, count_of(&state->compute, k) + 1);
}

static void leave_stage(Query *query, const Stmt *label) {
    const Stage *stage;
    State *state = labelled_stage(query, label, &stage);
    if (!state || is_empty(&state->compute, state->func->shape->dimensions))
        return;
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (evaluate(query, stage->reduction.data[r].interval.length) <= 0)
            return; /* no iteration reaches the write */
    for (int k = 0; k < state->func->shape->dimensions; k++)
        for (size_t i = 0; stage->pure[k] && i < count_of(&state->compute, k); i++)
            if (!state->covered[k][i])
                violate(query, "loop: stage %d of %s does not reach %" PRId64 " in dimension %d",
                        stage->number, state->func->shape->name->text,
                        state->compute.lower[k] + (int64_t)i, k);
}

/* ---- compute statements ---- */

/* What nobody asked of the run that ends. */
static void settle_slack(State *state) {
    int dimensions = state->func->shape->dimensions;
    if (!state->computed || is_empty(&state->compute, dimensions))
        return;
    for (int k = 0; k < dimensions; k++) {
        int64_t computed = (int64_t)count_of(&state->compute, k),
                asked = (int64_t)count_of(&state->asked, k);
        state->slack[k].computed += computed;
        state->slack[k].unasked += computed > asked ? computed - asked : 0;
    }
}

static QuerySlack input_slack(const Input *input, int k) {
    int64_t stated = (int64_t)count_of(&input->box, k), read = (int64_t)count_of(&input->asked, k);
    return (QuerySlack){input->region->func, k, stated, stated > read ? stated - read : 0};
}

static void ask_window(Query *query, State *state) {
    const FuncShape *shape = state->func->shape;
    Box window;
    for (int k = 0; k < shape->dimensions; k++) {
        Expr minimum = expr_buffer_field(query->program->pool, shape->name, FIELD_MINIMUM, k),
             extent = expr_buffer_field(query->program->pool, shape->name, FIELD_EXTENT, k);
        window.lower[k] = evaluate(query, minimum);
        window.upper[k] = window.lower[k] + evaluate(query, extent) - 1;
    }
    if (is_empty(&window, shape->dimensions))
        return;
    int outside;
    if (!contains(&state->compute, window.lower, shape->dimensions, &outside) ||
        !contains(&state->compute, window.upper, shape->dimensions, &outside))
        violate(query, "window: the window of %s leaves its compute region in dimension %d",
                shape->name->text, outside);
    widen(&state->asked, window.lower, shape->dimensions);
    widen(&state->asked, window.upper, shape->dimensions);
}

static void enter_compute(Query *query, const Stmt *stmt) {
    const FuncShape *shape = stmt->compute.func;
    State *state = map_get(&query->states, shape->name);
    settle_slack(state);
    if (!state->allocated)
        violate(query, "mem: %s is computed before it is allocated", shape->name->text);
    state->computed = true;
    state->compute = evaluate_box(query, stmt->compute.intervals, shape->dimensions,
                                  "the compute region", shape->name);
    state->held = stmt->compute.held ? evaluate_box(query, stmt->compute.held, shape->dimensions,
                                                    "what is held", shape->name)
                                     : state->compute;
    if (stmt->compute.held && state->allocated && !query->answer.violation)
        ask_held(query, state);
    ask_nothing(&state->asked, shape->dimensions);
    if (shape->is_output)
        ask_window(query, state);
}

/* ---- the walk ---- */

static void push_body(Query *query, Stmt *owner, Stmt *first, int64_t value, int64_t last) {
    vec_push(query->arena, &query->frames, (Frame){owner, first, value, last});
}

static void enter_loop(Query *query, Stmt *stmt) {
    check_reads(query, stmt->loop.interval.minimum, true);
    check_reads(query, stmt->loop.interval.length, true);
    int64_t minimum = evaluate(query, stmt->loop.interval.minimum),
            length = evaluate(query, stmt->loop.interval.length);
    if (length < 0)
        violate(query, "lengths: loop %s has length %" PRId64, stmt->loop.binder->text, length);
    if (length <= 0)
        return;
    bind(query, stmt->loop.binder, minimum);
    push_body(query, stmt, stmt->loop.body.first, minimum, minimum + length - 1);
}

static void enter_branch(Query *query, Stmt *stmt) {
    check_reads(query, stmt->branch.condition, true);
    if (stmt->branch.role == IF_PREDICATE && stmt->branch.body.first &&
        stmt->branch.body.first->kind == STMT_STORE)
        cover(query, stmt->branch.body.first);
    bool chosen = evaluate(query, stmt->branch.condition);
    push_body(query, stmt, chosen ? stmt->branch.body.first : stmt->branch.otherwise.first, 0, 0);
}

static void enter(Query *query, Stmt *stmt) {
    query->instance++;
    query->answer.instances++;
    State *state;
    switch (stmt->kind) {
    case STMT_NOP:
        break;
    case STMT_ASSERT:
        /* Of how much an image holds nothing is asked: its reads are compared with `whole`. */
        if (stmt->assertion.error != HLC_ERROR_ACCESS_OUT_OF_BOUNDS)
            query->answer.refused |= !evaluate(query, stmt->assertion.condition);
        break;
    case STMT_ALLOCATE:
        state = map_get(&query->states, stmt->allocate.func->name);
        state->memory =
            evaluate_box(query, stmt->allocate.intervals, stmt->allocate.func->dimensions,
                         "the memory", stmt->allocate.func->name);
        state->allocated = true;
        state->slides = false;
        break;
    case STMT_STORE:
        cover(query, stmt);
        check_store(query, stmt);
        break;
    case STMT_IF:
        enter_branch(query, stmt);
        break;
    case STMT_FOR:
        enter_loop(query, stmt);
        break;
    case STMT_LET:
        check_reads(query, stmt->let.value, true);
        bind(query, stmt->let.binder, evaluate(query, stmt->let.value));
        push_body(query, stmt, stmt->let.body.first, 0, 0);
        break;
    case STMT_COMPUTE:
        enter_compute(query, stmt);
        push_body(query, stmt, stmt->compute.body.first, 0, 0);
        break;
    case STMT_LABEL:
        enter_stage(query, stmt);
        push_body(query, stmt, stmt->label.body.first, 0, 0);
        break;
    }
}

/* The body on top has ended: the loop's next iteration, or out. */
static void leave(Query *query) {
    Frame *frame = &query->frames.data[query->frames.length - 1];
    Stmt *owner = frame->owner;
    if (owner && owner->kind == STMT_FOR && frame->value < frame->last) {
        frame->value++;
        frame->next = owner->loop.body.first;
        bind(query, owner->loop.binder, frame->value);
        return;
    }
    query->frames.length--;
    query->instance++;
    if (owner && owner->kind == STMT_LABEL)
        leave_stage(query, owner);
}

static void walk(Query *query) {
    const QueryAnswer *answer = &query->answer;
    push_body(query, NULL, query->program->body.first, 0, 0);
    while (query->frames.length && !answer->violation && !answer->refused) {
        Frame *frame = &query->frames.data[query->frames.length - 1];
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
static bool asks_for_nothing(Query *query) {
    const Signature *signature = &query->pipeline->signature;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        bool empty = false;
        for (int k = 0; k < shape->dimensions; k++)
            empty |= evaluate(query, expr_buffer_field(query->program->pool, shape->name,
                                                       FIELD_EXTENT, k)) <= 0;
        if (!empty)
            return false;
    }
    return true;
}

/* Regions are stated for windows that ask for something. */
static Box input_box(Query *query, const Region *region) {
    if (!asks_for_nothing(query))
        return evaluate_box(query, region->whole, region->dimensions, "the region", region->func);
    Box nothing;
    ask_nothing(&nothing, region->dimensions);
    return nothing;
}

QueryAnswer bounds_query(const Program *program, const Pipeline *pipeline,
                         const BoundsResult *result, Arena *arena, const QueryOptions *options) {
    Query query = {.program = program,
                   .pipeline = pipeline,
                   .result = result,
                   .options = options,
                   .arena = arena,
                   .variables = map_create(arena),
                   .images = map_create(arena),
                   .code = map_create(arena),
                   .accesses = map_create(arena),
                   .states = map_create(arena),
                   .known = arena_array(arena, Known, program->pool->next_number),
                   .instance = 1,
                   .random = options->seed};
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        State *state = arena_new(arena, State);
        state->func = pipeline->funcs.data[i];
        map_put(&query.states, state->func->shape->name, state);
        vec_push(arena, &query.order, state);
    }
    Vec(Input *) inputs = {0};
    for (size_t i = 0; i < result->images.length; i++) {
        const Region *region = result->images.data[i];
        Input *input = arena_new(arena, Input);
        input->region = region;
        input->box = input_box(&query, region);
        ask_nothing(&input->asked, region->dimensions);
        map_put(&query.images, region->func, input);
        vec_push(arena, &inputs, input);
    }
    walk(&query);
    for (size_t i = 0; i < query.order.length; i++) {
        State *state = query.order.data[i];
        settle_slack(state);
        for (int k = 0; k < state->func->shape->dimensions; k++) {
            state->slack[k].func = state->func->shape->name;
            state->slack[k].dimension = k;
            vec_push(arena, &query.answer.slack, state->slack[k]);
        }
    }
    for (size_t i = 0; i < inputs.length; i++)
        for (int k = 0; k < inputs.data[i]->region->dimensions; k++)
            vec_push(arena, &query.answer.slack, input_slack(inputs.data[i], k));
    return query.answer;
}
