/* walk.c -- walks once over the statements, in program order, with the facts at each.
 *
 * The context is a list that grows on the way in and is cut back on the way out.  Obligations keep
 * a pointer into it.  Assertions hold in the rest of their block.  A loop's variable lies in its
 * interval.  A let's variable is its value.  An if's condition holds in one branch and not in the
 * other.  The lets of splits and fuses vanish: their values replace their variables.
 *
 * A func's memory and compute region are the intervals stated last, in program order.  The verifier
 * has checked that those dominate (Lemma 6.2), so their variables still have the same values.
 * After an if whose branches both compute the func, the intervals are those of the branch taken.
 */
#include "checkers/certify/internal.h"

#include "ir/print.h"

/* A state, and its content before or after a change. */
typedef struct StateChange {
    FuncKnowledge *state, before;
} StateChange;
typedef Vec(StateChange) Afters;

typedef struct WalkFrame {
    Stmt *owner; /* null for the program's block */
    Stmt *next;
    bool otherwise;            /* the second branch of an if */
    const ContextFact *around; /* the context outside */
    size_t changes;            /* length of the log of states at the entry */
    Afters first;              /* the changes of the first branch */
} WalkFrame;

typedef struct Walker {
    CertifyWalk *walk;
    Vec(WalkFrame) frames;
    Vec(StateChange) changes;
} Walker;

static void assume(CertifyWalk *walk, Expr condition, FactKind kind) {
    walk->context = fact_of_kind(walk, walk->context, condition, kind);
}

/* ---- states ---- */

static FuncKnowledge *change(Walker *walker, Symbol func) {
    FuncKnowledge *state = walk_state(walker->walk, func);
    hlc_assert(state, "a statement names a func of the signature");
    vec_push(walker->walk->arena, &walker->changes, (StateChange){state, *state});
    return state;
}

static void undo(Walker *walker, size_t until) {
    while (walker->changes.length > until) {
        const StateChange *last = &walker->changes.data[--walker->changes.length];
        *last->state = last->before;
    }
}

/* Returns intervals that are `a` if the condition holds, else `b`. */
static const Extent *either(CertifyWalk *walk, Expr condition, const Extent *a, const Extent *b,
                            int dimensions) {
    if (!a || !b)
        return NULL;
    Extent *chosen = arena_array(walk->arena, Extent, dimensions + 1);
    for (int k = 0; k < dimensions; k++) {
        Expr minimum = a[k].minimum, length = a[k].length;
        if (minimum != b[k].minimum)
            minimum = expr_select(walk->pool, condition, minimum, b[k].minimum);
        if (length != b[k].length)
            length = expr_select(walk->pool, condition, length, b[k].length);
        chosen[k] = (Extent){minimum, length};
    }
    return chosen;
}

static Expr either_runs(CertifyWalk *walk, Expr condition, Expr a, Expr b) {
    Expr always = expr_bool(walk->pool, true);
    return a == b ? a : expr_select(walk->pool, condition, a ? a : always, b ? b : always);
}

/* Returns the states that changed since the frame was entered, with their present content.  Then
 * restores the old content. */
static Afters take_changes(Walker *walker, const WalkFrame *frame) {
    Afters afters = {0};
    for (size_t i = frame->changes; i < walker->changes.length; i++) {
        FuncKnowledge *state = walker->changes.data[i].state;
        vec_push(walker->walk->arena, &afters, (StateChange){state, *state});
    }
    undo(walker, frame->changes);
    return afters;
}

static const FuncKnowledge *find(const Afters *afters, const FuncKnowledge *state) {
    for (size_t i = 0; i < afters->length; i++)
        if (afters->data[i].state == state)
            return &afters->data[i].before;
    return state;
}

/* Leaves an if: each state is that of the branch taken, by the condition. */
static void join(Walker *walker, const WalkFrame *frame) {
    CertifyWalk *walk = walker->walk;
    Expr condition = frame->owner->branch.condition;
    Afters first = frame->first, second = take_changes(walker, frame);
    Afters changed = first;
    for (size_t i = 0; i < second.length; i++)
        vec_push(walk->arena, &changed, second.data[i]);
    Afters joined = {0};
    for (size_t i = 0; i < changed.length; i++) {
        FuncKnowledge *state = changed.data[i].state, after = *state;
        const FuncKnowledge *a = find(&first, state), *b = find(&second, state);
        int dimensions = state->shape->dimensions;
        after.memory = either(walk, condition, a->memory, b->memory, dimensions);
        after.compute = either(walk, condition, a->compute, b->compute, dimensions);
        after.held = either(walk, condition, a->held, b->held, dimensions);
        after.runs = either_runs(walk, condition, a->runs, b->runs);
        vec_push(walk->arena, &joined, (StateChange){state, after});
    }
    for (size_t i = 0; i < joined.length; i++)
        *change(walker, joined.data[i].state->shape->name) = joined.data[i].before;
}

/* ---- clauses on statements ---- */

static void ask_length(CertifyWalk *walk, Stmt *stmt, Symbol func, Expr length, const char *text) {
    Obligation *obligation =
        obligation_add(walk, CLAUSE_LENGTH, stmt, func,
                       expr_le(walk->pool, expr_index(walk->pool, 0), length), text);
    origin_of_directive(walk, obligation, stmt->place);
    if (!obligation->directive && func && stmt->kind != STMT_FOR)
        origin_of_level(walk, obligation, func);
}

static void ask_lengths(CertifyWalk *walk, Stmt *stmt, const FuncShape *shape,
                        const Extent *intervals, const char *what) {
    for (int k = 0; k < shape->dimensions; k++)
        ask_length(walk, stmt, shape->name, intervals[k].length,
                   arena_format(walk->arena, "%s of %s: %s", what, shape->name->text,
                                origin_dimension(shape, k)));
}

/* Is the length one of several constants, such as select(a, 0, select(b, 8, 0))? */
static bool is_one_of_constants(Expr length) {
    int64_t value;
    while (length->op == OP_SELECT) {
        bool is_first = expr_constant_integer(length->arguments[1], &value);
        if (!is_first && !expr_constant_integer(length->arguments[2], &value))
            return false;
        length = length->arguments[is_first ? 2 : 1];
    }
    return expr_constant_integer(length, &value);
}

/* Asks that the length of a vectorized or unrolled loop is one number.  If it is one of several
 * numbers, it must be the greatest wherever the loop runs.  If its ends are lets, it must be the
 * number that their values give.  Any other length that the text does not show to be one number is
 * refused. */
static void ask_constant(CertifyWalk *walk, Stmt *loop) {
    Simplifier *limits = walk->lifter.limits;
    Expr length = loop->loop.interval.length;
    int64_t value;
    ConstantInterval interval = simplify_interval(limits, lift(&walk->lifter, length));
    bool is_constant =
             expr_constant_integer(length, &value) ||
             (interval.has_minimum && interval.has_maximum && interval.minimum == interval.maximum),
         is_asked = !is_constant && interval.has_maximum && is_one_of_constants(length);
    if (!is_constant && !is_asked) {
        Expr expanded = simplify(limits, lift(&walk->lifter, walk_expand(walk, length)));
        is_asked = expr_constant_integer(expanded, &interval.maximum);
    }
    Expr greatest = expr_index(walk->pool, interval.maximum);
    Obligation *obligation =
        obligation_add(walk, CLAUSE_CONSTANT, loop, loop->loop.name.func,
                       is_asked ? expr_eq(walk->pool, length, greatest) : NULL,
                       arena_format(walk->arena, "%s is %s", loop->loop.binder->text,
                                    traversal_text(loop->loop.traversal)));
    origin_of_directive(walk, obligation, loop->place);
    obligation->is_exact = !is_asked;
    if (is_asked)
        return;
    obligation_settle(obligation, is_constant,
                      is_constant ? "its length is a constant"
                                  : arena_format(walk->arena, "its length is %s",
                                                 expr_formula(walk->arena, length)));
}

/* Asks that the compute region, if it has points, lies in memory.  Asked at a stage: a func that
 * only an empty window needs has no memory. */
static void ask_inside(CertifyWalk *walk, Stmt *label, const FuncKnowledge *state) {
    const FuncShape *shape = state->shape;
    Pool *pool = walk->pool;
    const ContextFact *context =
        fact_has_points(walk, walk->context, state->compute, shape->dimensions);
    for (int k = 0; k < shape->dimensions; k++) {
        if (state_has_places(state, k))
            continue;
        Extent region = state->compute[k], memory = state->memory[k];
        Expr goal = goal_both(pool, expr_le(pool, memory.minimum, region.minimum),
                              expr_le(pool, expr_add(pool, region.minimum, region.length),
                                      expr_add(pool, memory.minimum, memory.length)));
        Obligation *obligation =
            obligation_add(walk, CLAUSE_INSIDE, label, shape->name, goal,
                           arena_format(walk->arena, "the region of %s: %s", shape->name->text,
                                        origin_dimension(shape, k)));
        obligation->context = context;
        origin_of_level(walk, obligation, shape->name);
    }
}

/* ---- the walk ---- */

static void push(Walker *walker, Stmt *owner, Stmt *first, bool otherwise) {
    vec_push(walker->walk->arena, &walker->frames,
             (WalkFrame){.owner = owner,
                         .next = first,
                         .otherwise = otherwise,
                         .around = walker->walk->context,
                         .changes = walker->changes.length});
}

static void enter_assert(Walker *walker, Stmt *stmt) {
    CertifyWalk *walk = walker->walk;
    hlc_error error = stmt->assertion.error;
    bool is_range = error == HLC_ERROR_COORDINATE_RANGE || error == HLC_ERROR_INDEX_RANGE;
    assume(walk, stmt->assertion.condition, is_range ? FACT_RANGE : FACT_ENTRY);
    if (!stmt->block->owner && !is_range)
        lift_learn(&walk->lifter, lift(&walk->lifter, stmt->assertion.condition));
}

static void enter_loop(Walker *walker, Stmt *loop) {
    CertifyWalk *walk = walker->walk;
    Extent interval = loop->loop.interval;
    read_clauses(walk, loop, interval.minimum, true, NULL);
    read_clauses(walk, loop, interval.length, true, NULL);
    ask_length(walk, loop, loop->loop.name.func, interval.length,
               arena_format(walk->arena, "loop %s", loop->loop.binder->text));
    if (loop->loop.traversal == TRAVERSE_VECTORIZED || loop->loop.traversal == TRAVERSE_UNROLLED)
        ask_constant(walk, loop);
    map_put(&walk->binders, loop->loop.binder, loop);
    push(walker, loop, loop->loop.body.first, false);
    walk->context = fact_bind(walk, walk->context,
                              expr_variable(walk->pool, loop->loop.binder, INDEX), interval);
}

static void enter_let(Walker *walker, Stmt *let) {
    CertifyWalk *walk = walker->walk;
    Expr value = let->let.value;
    if (!stmt_holds(let)) /* else its reads are those of the stores */
        read_clauses(walk, let, value, true, NULL);
    map_put(&walk->binders, let->let.binder, let);
    push(walker, let, let->let.body.first, false);
    if (type_is_float(value->type))
        return;
    if (let->let.tail != TAIL_NONE || value->arity == 0) {
        lift_bind(&walk->lifter, let->let.binder, value);
        return;
    }
    Expr variable = expr_variable(walk->pool, let->let.binder, value->type);
    walk->context = fact_equal(walk, walk->context, variable, value);
}

static void enter_branch(Walker *walker, Stmt *branch) {
    CertifyWalk *walk = walker->walk;
    read_clauses(walk, branch, branch->branch.condition, true, NULL);
    window_at_branch(walk, branch);
    push(walker, branch, branch->branch.body.first, false);
    assume(walk, branch->branch.condition, FACT_PATH);
}

static void enter_compute(Walker *walker, Stmt *compute) {
    CertifyWalk *walk = walker->walk;
    const FuncShape *shape = compute->compute.func;
    ask_lengths(walk, compute, shape, compute->compute.intervals, "the region");
    FuncKnowledge *state = change(walker, shape->name);
    state->compute = compute->compute.intervals;
    state->held = compute->compute.held ? compute->compute.held : state->compute;
    state->computing = compute;
    if (compute->compute.held)
        held_clauses(walk, compute);
    fold_clauses(walk, compute);
    state->runs = NULL;
    runs_clauses(walk, compute);
    if (shape->is_output)
        window_at_compute(walk, compute);
    push(walker, compute, compute->compute.body.first, false);
}

/* Is it `label s1` of the func that is computed around? */
static FuncKnowledge *stage_state(const CertifyWalk *walk, const Stmt *label) {
    const Stmt *outer = stmt_parent(label);
    if (!outer || outer->kind != STMT_LABEL)
        return NULL;
    FuncKnowledge *state = walk_state(walk, outer->label.name);
    return state && state->memory && state->compute ? state : NULL;
}

static void enter_label(Walker *walker, Stmt *label) {
    CertifyWalk *walk = walker->walk;
    const FuncKnowledge *state = stage_state(walk, label);
    if (state && !label->previous)
        ask_inside(walk, label, state);
    if (state)
        stage_clauses(walk, label);
    push(walker, label, label->label.body.first, false);
}

static void enter(Walker *walker, Stmt *stmt) {
    CertifyWalk *walk = walker->walk;
    FuncKnowledge *state;
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_PREFETCH: /* no value depends on it, and it never fails */
        return;
    case STMT_ASSERT:
        enter_assert(walker, stmt);
        return;
    case STMT_ALLOCATE:
        ask_lengths(walk, stmt, stmt->allocate.func, stmt->allocate.intervals, "the memory");
        state = change(walker, stmt->allocate.func->name);
        state->memory = stmt->allocate.intervals;
        state->compute = state->held = NULL;
        state->runs = NULL;
        state->allocate = stmt;
        room_clauses(walk, stmt);
        return;
    case STMT_STORE:
        write_clauses(walk, stmt);
        held_at_store(walk, stmt);
        fold_at_store(walk, stmt);
        runs_at_store(walk, stmt);
        stage_at_store(walk, stmt);
        return;
    case STMT_IF:
        enter_branch(walker, stmt);
        return;
    case STMT_FOR:
        enter_loop(walker, stmt);
        return;
    case STMT_LET:
        enter_let(walker, stmt);
        return;
    case STMT_COMPUTE:
        enter_compute(walker, stmt);
        return;
    case STMT_LABEL:
        enter_label(walker, stmt);
        return;
    }
}

/* Continues with the other branch, if there is one. */
static bool turn(Walker *walker, WalkFrame *frame) {
    CertifyWalk *walk = walker->walk;
    if (!frame->owner || frame->owner->kind != STMT_IF || frame->otherwise)
        return false;
    walk->context = frame->around;
    assume(walk, expr_not(walk->pool, frame->owner->branch.condition), FACT_PATH);
    frame->otherwise = true;
    frame->next = frame->owner->branch.otherwise.first;
    frame->first = take_changes(walker, frame);
    return true;
}

static void leave(Walker *walker) {
    WalkFrame *frame = &walker->frames.data[walker->frames.length - 1];
    if (turn(walker, frame))
        return;
    WalkFrame left = *frame;
    walker->frames.length--;
    walker->walk->context = left.around;
    if (!left.owner)
        return;
    if (left.owner->kind == STMT_IF)
        join(walker, &left);
    else if (left.owner->kind == STMT_FOR)
        undo(walker, left.changes);
}

static void assume_value(CertifyWalk *walk, const CertifyOptions *options, Symbol name, Type type) {
    Bits bits;
    if (type_is_float(type) || !options->value || !options->value(options->data, name, &bits))
        return;
    Expr equal = expr_eq(walk->pool, expr_variable(walk->pool, name, type),
                         expr_constant(walk->pool, type, bits));
    assume(walk, equal, FACT_PATH);
    lift_learn(&walk->lifter, lift(&walk->lifter, equal));
}

static void assume_box(CertifyWalk *walk, const CertifyOptions *options, Symbol buffer,
                       int dimensions) {
    for (int k = 0; k < dimensions; k++)
        for (int field = FIELD_MINIMUM; field < BUFFER_FIELDS; field++)
            if (signature_has_field(walk->program->signature, buffer, (BufferField)field, k))
                assume_value(walk, options,
                             expr_buffer_field(walk->pool, buffer, (BufferField)field, k)->name,
                             INDEX);
}

void walk_assume(CertifyWalk *walk, const CertifyOptions *options) {
    const Signature *signature = walk->program->signature;
    for (size_t i = 0; i < signature->parameters.length; i++)
        assume_value(walk, options, signature->parameters.data[i].name,
                     signature->parameters.data[i].type);
    for (size_t i = 0; i < signature->images.length; i++)
        assume_box(walk, options, signature->images.data[i].name,
                   signature->images.data[i].dimensions);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        assume_box(walk, options, name, signature_func(signature, name)->dimensions);
    }
}

void walk_program(CertifyWalk *walk) {
    Walker walker = {.walk = walk};
    const Signature *signature = walk->program->signature;
    for (size_t i = 0; i < signature->funcs.length; i++) {
        FuncKnowledge *state = arena_new(walk->arena, FuncKnowledge);
        state->shape = signature->funcs.data[i];
        if (walk->pipeline)
            state->func = pipeline_func(walk->pipeline, state->shape->name);
        map_put(&walk->states, state->shape->name, state);
    }
    push(&walker, NULL, walk->program->body.first, false);
    while (walker.frames.length) {
        WalkFrame *frame = &walker.frames.data[walker.frames.length - 1];
        Stmt *stmt = frame->next;
        if (stmt) {
            frame->next = stmt->next;
            enter(&walker, stmt);
        } else {
            leave(&walker);
        }
    }
}
