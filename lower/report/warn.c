/* warn.c -- looks at the loops of a simplified program for four faults of schedules:
 *
 *   strided     a vectorized or innermost loop writes elements that are apart in memory, and another
 *               loop runs along the dimension whose elements are adjacent
 *   parallel    a short parallel loop is all that a serial loop of many iterations holds
 *   recomputed  each point of a func is computed more than twice along the loop around it
 *   short       a vector is shorter than the shortest vector of any target
 *
 * Each figure is read off the program: constant lengths, and distances that are constant. Where
 * they are none, nothing is said. Nor is it where the algorithm leaves no other way: a recurrence
 * along the adjacent dimension, or a transposition, one side of which is strided in any order.
 *
 * The place is the directive's that made the loop so, or the last one about the func. Loops without
 * directives have none, and are never reported. */
#include "lower/report/warn.h"

#include "simplify/simplify.h"

typedef struct Warner {
    const Lowered *lowered;
    Context *context;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
} Warner;

/* ---- places ---- */

static bool is_about_loop(const Directive *directive, const LoopName *loop) {
    if (directive->kind != DIRECTIVE_TRAVERSE)
        return false;
    const LoopReference *written = &directive->arguments.data[0].loop;
    return written->func == loop->func && written->variable == loop->variable &&
           (written->stage < 0 || written->stage == loop->stage);
}

static bool is_about_func(const Directive *directive, Symbol func) {
    return directive->arguments.length > 0 && argument_func(&directive->arguments.data[0]) == func;
}

/* The last directive about the loop, else about its func; null if there is none. */
static const Directive *directive_of(const Warner *warner, const LoopName *loop) {
    const Directives *primitives = &warner->lowered->primitives;
    const Directive *found = NULL;
    for (size_t i = primitives->length; i-- > 0;) {
        const Directive *directive = &primitives->data[i];
        if (is_about_loop(directive, loop))
            return directive;
        if (!found && is_about_func(directive, loop->func))
            found = directive;
    }
    return found;
}

/* Where the schedule says where the func is computed; null if it does not. */
static const Directive *level_of(const Warner *warner, Symbol func) {
    const Directives *primitives = &warner->lowered->primitives;
    for (size_t i = primitives->length; i-- > 0;)
        if (primitives->data[i].kind == DIRECTIVE_COMPUTE_AT &&
            is_about_func(&primitives->data[i], func))
            return &primitives->data[i];
    return NULL;
}

static const char *name_of(const Warner *warner, const Stmt *loop) {
    const LoopName *name = &loop->loop.name;
    return arena_format(warner->arena, "%s.%s", name->func->text, name->variable->text);
}

/* ---- loops and indices ---- */

static bool is_same_nest(const Stmt *a, const Stmt *b) {
    return a->loop.name.func == b->loop.name.func && a->loop.name.stage == b->loop.name.stage &&
           a->loop.name.specialization == b->loop.name.specialization;
}

/* The length, if it is constant; else -1. */
static int64_t length_of(const Stmt *loop) {
    int64_t length;
    return expr_constant_integer(loop->loop.interval.length, &length) ? length : -1;
}

static const Stmt *loop_around(const Stmt *stmt) {
    do
        stmt = stmt_parent(stmt);
    while (stmt && stmt->kind != STMT_FOR);
    return stmt;
}

/* The expression in terms of what is bound outside of `outer`, and of its variable. */
static Expr expanded(const Warner *warner, const Stmt *from, const Stmt *outer, Expr expr) {
    for (const Stmt *at = stmt_parent(from); at && at != outer; at = stmt_parent(at))
        if (at->kind == STMT_LET)
            expr =
                expr_substitute(warner->pool, warner->arena, expr, at->let.binder, at->let.value);
    return expr;
}

static bool mentions(const Warner *warner, const Stmt *from, const Stmt *loop, Expr index) {
    return expr_mentions(warner->arena, expanded(warner, from, loop, index), loop->loop.binder);
}

/* ---- strided loops ---- */

/* The dimension whose elements are adjacent in the func's memory; -1 if it is not known. */
static int adjacent_dimension(const Warner *warner, const FuncShape *shape) {
    const Signature *signature = warner->lowered->program->signature;
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].func == shape->name) {
            Layout layout = signature->outputs.data[i].layout;
            return layout == LAYOUT_PLANAR ? 0 : layout == LAYOUT_INTERLEAVED ? 2 : -1;
        }
    const FuncSites *sites = program_func(warner->lowered->program, shape->name);
    return sites && sites->allocates.length > 0
               ? sites->allocates.data[0]->allocate.storage->order[0]
               : -1;
}

typedef struct Reads {
    const Warner *warner;
    const Stmt *store, *loop;
    bool is_dense; /* a read follows the loop along its first dimension */
} Reads;

static void look_at_read(void *data, Expr node) {
    Reads *reads = data;
    bool is_gathered = node->arity > 0 && expr_has_access(node->arguments[0]);
    if (node->op == OP_ACCESS && node->arity > 0 && !is_gathered && !reads->is_dense)
        reads->is_dense = mentions(reads->warner, reads->store, reads->loop, node->arguments[0]);
}

/* The innermost other loop around the store that runs along the index; null if it is none of the
 * nest's pure loops, or short. */
static const Stmt *dense_loop(const Warner *warner, const Stmt *store, const Stmt *loop,
                              Expr index) {
    enum { SHORT = 8 };
    for (const Stmt *at = loop_around(store); at && is_same_nest(at, loop); at = loop_around(at)) {
        if (at == loop || !mentions(warner, store, at, index))
            continue;
        int64_t length = length_of(at);
        return at->loop.pure && (length < 0 || length > SHORT) ? at : NULL;
    }
    return NULL;
}

/* Its schedule orders the loops by their dependences, and the first stage goes with them. */
static bool is_of_recurrence(const Warner *warner, Symbol name) {
    const Func *func = pipeline_func(warner->lowered->pipeline, name);
    return !func || func->realised || func->extends;
}

static void look_at_strides(const Warner *warner, const Stmt *store, const Stmt *loop) {
    const FuncShape *shape = store->store.func;
    int adjacent = adjacent_dimension(warner, shape), along = -1;
    if (!loop->loop.pure || is_of_recurrence(warner, shape->name) || adjacent < 0 ||
        adjacent >= shape->dimensions)
        return;
    for (int d = 0; d < shape->dimensions; d++)
        if (mentions(warner, store, loop, store->store.indices[d])) {
            if (d == adjacent)
                return;
            along = d;
        }
    const Stmt *dense =
        along < 0 ? NULL : dense_loop(warner, store, loop, store->store.indices[adjacent]);
    const Directive *directive = dense ? directive_of(warner, &loop->loop.name) : NULL;
    if (!directive)
        return;
    Reads reads = {warner, store, loop, false};
    for (int c = 0; c < shape->components; c++)
        expr_visit(warner->arena, store->store.values[c], look_at_read, &reads);
    if (reads.is_dense)
        return;
    bool is_vector = loop->loop.traversal == TRAVERSE_VECTORIZED;
    diag(warner->context, DIAG_STRIDED_LOOP, directive->place,
         is_vector ? "vectorized" : "innermost", name_of(warner, loop),
         shape->variables[along]->text, shape->name->text, shape->variables[adjacent]->text,
         name_of(warner, dense));
}

/* ---- short vectors ---- */

static void widest_type(void *data, Expr node) {
    int *bits = data;
    bool is_value = type_is_machine_integer(node->type) || type_is_float(node->type);
    if (is_value && node->type.bits > *bits)
        *bits = node->type.bits;
}

static bool is_of_func(const FuncShape *shape, Symbol variable) {
    for (int d = 0; d < shape->dimensions; d++)
        if (shape->variables[d] == variable)
            return true;
    return false;
}

/* A whole dimension that is short is no fault of the schedule. */
static void look_at_length(const Warner *warner, const Stmt *store, const Stmt *loop) {
    enum { SHORTEST = 16 }; /* bytes; of x86-64 and aarch64 alike */
    const FuncShape *shape = store->store.func;
    int bits = 8;
    if (is_of_func(shape, loop->loop.name.variable))
        return;
    for (int c = 0; c < shape->components; c++)
        expr_visit(warner->arena, store->store.values[c], widest_type, &bits);
    int64_t length = length_of(loop), bytes = length * bits / 8;
    const Directive *directive = directive_of(warner, &loop->loop.name);
    if (length < 0 || bytes >= SHORTEST || !directive)
        return;
    diag(warner->context, DIAG_SHORT_VECTOR, directive->place, name_of(warner, loop),
         arena_number(warner->arena, (size_t)length), arena_number(warner->arena, (size_t)bytes),
         arena_number(warner->arena, SHORTEST * 8 / (size_t)bits));
}

/* ---- parallel loops ---- */

/* Is the loop all that its parent does? */
static bool is_alone_in(const Stmt *loop, const Stmt *outer) {
    for (const Stmt *at = loop; at != outer; at = stmt_parent(at))
        if (at->previous || at->next || (at != loop && at->kind != STMT_LET))
            return false;
    return true;
}

static void look_at_parallel(const Warner *warner, const Stmt *loop) {
    enum { SHORT = 64 };
    const Stmt *outer = loop_around(loop);
    int64_t length = length_of(loop);
    if (!outer || !is_same_nest(outer, loop) || outer->loop.traversal != TRAVERSE_SERIAL ||
        !outer->loop.pure || length < 0 || length > SHORT || length_of(outer) >= 0 ||
        !is_alone_in(loop, outer))
        return;
    for (const Stmt *at = loop_around(outer); at; at = loop_around(at))
        if (at->loop.traversal == TRAVERSE_PARALLEL)
            return;
    const Directive *directive = directive_of(warner, &loop->loop.name);
    if (directive)
        diag(warner->context, DIAG_PARALLEL_INSIDE, directive->place, name_of(warner, loop),
             arena_number(warner->arena, (size_t)length), name_of(warner, outer));
}

/* ---- recomputation ---- */

/* By how much the box moves from one iteration to the next in dimension `d`; false if this is no
 * constant. */
static bool step_of(const Warner *warner, const Stmt *compute, const Stmt *loop, int d,
                    int64_t *step) {
    Pool *pool = warner->pool;
    Expr begin = expanded(warner, compute, loop, compute->compute.intervals[d].minimum);
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    Expr next = expr_substitute(pool, warner->arena, begin, loop->loop.binder,
                                expr_add(pool, variable, expr_index(pool, 1)));
    return expr_constant_integer(simplify(warner->simplifier, expr_sub(pool, next, begin)), step);
}

/* How often a point is computed along the loop, with `*of` iterations sharing it: the length of the
 * box over its step, where it moves in one dimension. 0: not known; -1: in each iteration. */
static int64_t times_along(const Warner *warner, const Stmt *compute, const Stmt *loop) {
    int64_t times = -1, length, step;
    for (int d = 0; d < compute->compute.func->dimensions; d++) {
        if (!step_of(warner, compute, loop, d, &step))
            return 0;
        if (step == 0)
            continue;
        if (times >= 0 || !expr_constant_integer(compute->compute.intervals[d].length, &length))
            return 0;
        step = step < 0 ? -step : step;
        times = length / step;
    }
    return times;
}

static void look_at_compute(const Warner *warner, const Stmt *compute) {
    const Stmt *loop = loop_around(compute);
    const Directive *directive = level_of(warner, compute->compute.func->name);
    const Func *func = pipeline_func(warner->lowered->pipeline, compute->compute.func->name);
    if (!loop || !directive || compute->compute.slide_count > 0 || stmt_is_grouped(compute) ||
        !func || func->definition) /* an eager func is not computed at all */
        return;
    for (int d = 0; d < compute->compute.func->dimensions; d++) { /* a copy that needs no point */
        int64_t points;
        if (expr_constant_integer(compute->compute.intervals[d].length, &points) && points <= 0)
            return;
    }
    enum { FEW = 2 };
    int64_t times = times_along(warner, compute, loop), length = length_of(loop);
    bool is_private = times < 0 && loop->loop.traversal == TRAVERSE_PARALLEL; /* a copy a task */
    if ((times >= 0 && times <= FEW) || (length >= 0 && length <= FEW) || is_private)
        return;
    diag(warner->context, DIAG_RECOMPUTED, directive->place, compute->compute.func->name->text,
         times < 0 ? arena_format(warner->arena, "in each iteration of `%s`", name_of(warner, loop))
                   : arena_format(warner->arena, "%lld times, in neighbouring iterations of `%s`",
                                  (long long)times, name_of(warner, loop)));
}

/* ---- the program ---- */

static void look_at_store(const Warner *warner, const Stmt *store) {
    enum { SHORT = 16 };
    const Stmt *loop = loop_around(store), *inner = loop;
    Symbol func = store->store.func->name;
    if (!loop || loop->loop.name.func != func)
        return;
    while (loop && is_same_nest(loop, inner) && loop->loop.traversal != TRAVERSE_VECTORIZED)
        loop = loop_around(loop);
    bool is_vector = loop && is_same_nest(loop, inner);
    if (is_vector)
        look_at_length(warner, store, loop);
    int64_t length = length_of(inner);
    bool is_update = store->store.stage > 0; /* whose order may be that of its dependences */
    if (is_vector || (!is_update && (length < 0 || length > SHORT)))
        look_at_strides(warner, store, is_vector ? loop : inner);
}

static bool enter(void *data, Stmt *stmt) {
    const Warner *warner = data;
    if (stmt->kind == STMT_STORE)
        look_at_store(warner, stmt);
    else if (stmt->kind == STMT_COMPUTE)
        look_at_compute(warner, stmt);
    else if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_PARALLEL)
        look_at_parallel(warner, stmt);
    return true;
}

void lower_warn(const Lowered *lowered, Arena *arena) {
    Pool *pool = lowered->program->pool;
    Warner warner = {.lowered = lowered,
                     .context = pool->context,
                     .pool = pool,
                     .arena = arena,
                     .simplifier = simplifier_create(pool, arena)};
    StmtVisitor visitor = {.data = &warner, .enter = enter};
    block_visit(&lowered->program->body, &visitor);
}
