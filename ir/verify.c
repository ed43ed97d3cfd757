/* verify.c -- checks that a target program is well formed.
 *
 * It first checks the links of all blocks, because the other checks follow them. Then one walk in
 * program order keeps the state at the current statement: bound variables, allocated funcs,
 * computed funcs. A func counts as computed inside its compute statement and after it. The end of a
 * loop forgets what its body computed, because the loop may run zero times. The end of an if keeps
 * what both branches computed (Lemma 6.2). verify_expr.c checks expressions.
 */
#include "ir/atomic.h"
#include "ir/extern.h"
#include "ir/verifier.h"

#include <string.h>

/* ---- links ---- */

static bool block_is_linked(const Block *block) {
    const Stmt *previous = NULL;
    for (const Stmt *stmt = block->first; stmt; previous = stmt, stmt = stmt->next)
        if (stmt->previous != previous || stmt->block != block)
            return false;
    return block->last == previous;
}

static bool links_hold(Verifier *v) {
    Vec(Block *) blocks = {0};
    vec_push(v->arena, &blocks, (Block *)&v->program->body);
    bool hold = !v->program->body.owner;
    while (hold && blocks.length) {
        Block *block = blocks.data[--blocks.length];
        hold = block_is_linked(block);
        for (Stmt *stmt = hold ? block->first : NULL; hold && stmt; stmt = stmt->next) {
            Block *body = stmt_body(stmt);
            if (!body)
                continue;
            vec_push(v->arena, &blocks, body);
            hold = body->owner == stmt;
            if (stmt->kind == STMT_IF) {
                vec_push(v->arena, &blocks, &stmt->branch.otherwise);
                hold = hold && stmt->branch.otherwise.owner == stmt;
            }
        }
    }
    return hold;
}

/* ---- statements ---- */

static void set(Verifier *v, VerifierFunc *state, bool is_computed) {
    bool *flag = is_computed ? &state->computed : &state->allocated;
    if (*flag)
        return;
    *flag = true;
    vec_push(v->arena, &v->changes, (VerifierChange){state, is_computed});
}

static void claim(Verifier *v, Symbol key, const char *format, const char *name) {
    require(v, !map_get(&v->names, key), format, name);
    map_put(&v->names, key, key);
}

static void check_binder(Verifier *v, Symbol binder) {
    require(v, !map_get(&v->bindings, binder), "%s is bound once in the program", binder->text);
    require(v, !signature_parameter(v->program->signature, binder) && !verifier_is_field(v, binder),
            "%s hides no parameter or buffer field", binder->text);
}

/* Binds the variable until the end of the statement's body. */
static void bind(Verifier *v, Symbol binder, Type type) {
    VerifierBinding *binding = arena_new(v->arena, VerifierBinding);
    *binding = (VerifierBinding){type, true};
    map_put(&v->bindings, binder, binding);
}

static void unbind(Verifier *v, Symbol binder) {
    ((VerifierBinding *)map_get(&v->bindings, binder))->in_scope = false;
}

static void check_assert(Verifier *v, const Stmt *stmt) {
    verifier_check_typed(v, stmt->assertion.condition, BOOL, "an assertion's condition");
    require(v, hlc_error_name(stmt->assertion.error), "%s answers with an error", "an assertion");
    for (int i = 0; i < stmt->assertion.operand_count; i++) {
        verifier_check_expr(v, stmt->assertion.operands[i]);
        require(v, v->fault || !type_is_float(stmt->assertion.operands[i]->type),
                "%s are whole numbers", "an assertion's operands");
    }
}

/* Is the allocation a constant box, and does the table hold exactly its elements? */
static bool holds_table(const Stmt *allocate) {
    const FuncShape *func = allocate->allocate.func;
    const Storage *storage = allocate->allocate.storage;
    int64_t points = 1, minimum, length;
    size_t bytes = 0;
    for (int d = 0; d < func->dimensions; d++) {
        const Extent *interval = &allocate->allocate.intervals[d];
        if (!expr_constant_integer(interval->minimum, &minimum) ||
            !expr_constant_integer(interval->length, &length) || length < 0 ||
            __builtin_mul_overflow(points, length, &points))
            return false;
    }
    for (int c = 0; c < func->components; c++)
        bytes += (size_t)type_bytes(func->types[c]);
    return !func->is_output && storage_is_in_order(storage, func->dimensions) &&
           (uint64_t)points <= storage->table_bytes &&
           (size_t)points * bytes == storage->table_bytes;
}

static void check_allocate(Verifier *v, const Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    VerifierFunc *state = verifier_state(v, func->name);
    verifier_check_intervals(v, stmt->allocate.intervals, func->dimensions);
    int loops = 0;
    for (const Stmt *outer = stmt_parent(stmt); outer; outer = stmt_parent(outer))
        loops += outer->kind == STMT_FOR;
    require(v, stmt->allocate.hoisted >= 0 && stmt->allocate.hoisted <= loops,
            "%s is hoisted out of loops around it", func->name->text);
    for (int k = 0; stmt->allocate.reserve && k < func->dimensions; k++)
        verifier_check_typed(v, stmt->allocate.reserve[k], INDEX, "what is reserved");
    for (int k = 0; stmt->allocate.folds && k < func->dimensions; k++)
        if (stmt->allocate.folds[k])
            verifier_check_typed(v, stmt->allocate.folds[k], INDEX, "a fold");
    require(v, !state->allocated, "%s is allocated once at a time", func->name->text);
    const Storage *storage = stmt->allocate.storage;
    require(v, storage_is_sound(storage, func->dimensions),
            "each dimension of %s has one place in memory", func->name->text);
    require(v,
            !func->is_output || (storage->memory == MEMORY_AUTOMATIC &&
                                 storage_is_in_order(storage, func->dimensions)),
            "the memory of the output %s is the caller's", func->name->text);
    require(v, !storage->table || holds_table(stmt),
            "the table of %s holds its memory, a constant box", func->name->text);
    state->is_table = storage->table;
    require(v, func->is_output || !storage->streams, "%s, which streams, is an output",
            func->name->text);
    set(v, state, false);
    map_put(&v->statements, stmt, stmt);
}

static void check_compute(Verifier *v, const Stmt *stmt) {
    const FuncShape *func = stmt->compute.func;
    VerifierFunc *state = verifier_state(v, func->name);
    verifier_check_intervals(v, stmt->compute.intervals, func->dimensions);
    require(v, !stmt->compute.held == !stmt->compute.slide_count,
            "compute %s holds a region where it slides", func->name->text);
    if (stmt->compute.held)
        verifier_check_intervals(v, stmt->compute.held, func->dimensions);
    for (int i = 0; i < stmt->compute.slide_count; i++) {
        const Slide *slide = &stmt->compute.slides[i];
        verifier_check_typed(v, slide->loop, INDEX, "a loop to slide along");
        require(v, slide->dimension >= 0 && slide->dimension < func->dimensions,
                "compute %s slides in its dimensions", func->name->text);
    }
    require(v, state->allocated, "compute %s stands after its allocate", func->name->text);
    claim(v,
          symbol_format(&v->program->pool->context->symbols, "compute %s.z%d'%d", func->name->text,
                        stmt->compute.specialization, stmt->compute.copy),
          "compute statements of %s differ in specialization or copy", func->name->text);
    map_put(&v->statements, stmt, stmt);
    state->inside++;
}

/* All values of an extern store are components of one call, and only it may write a box. */
static void check_extern(Verifier *v, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    const Expr *values = stmt->store.values;
    bool is_extern = stmt_is_extern(stmt);
    require(v, is_extern || !stmt->store.lasts, "a box of %s is written by a C function",
            func->name->text);
    for (int k = 0; stmt->store.lasts && k < func->dimensions; k++)
        verifier_check_typed(v, stmt->store.lasts[k], INDEX, "a store's index");
    for (int c = 0; is_extern && c < func->components; c++) {
        bool is_same = values[c]->op == OP_EXTERN && values[c]->name == values[0]->name &&
                       values[c]->component == c && values[c]->arity == values[0]->arity;
        for (int i = 0; is_same && i < values[c]->arity; i++)
            is_same = values[c]->arguments[i] == values[0]->arguments[i];
        require(v, is_same, "the components of %s are of one call of a C function",
                func->name->text);
    }
}

static void check_store(Verifier *v, const Stmt *stmt) {
    const FuncShape *func = stmt->store.func;
    for (int k = 0; k < func->dimensions; k++)
        verifier_check_typed(v, stmt->store.indices[k], INDEX, "a store's index");
    for (int c = 0; c < func->components; c++)
        verifier_check_typed(v, stmt->store.values[c], func->types[c], "a store's value");
    if (v->fault)
        return;
    check_extern(v, stmt);
    const VerifierFunc *state = verifier_state(v, func->name);
    require(v, state->allocated && state->inside > 0, "a store to %s stands in its compute",
            func->name->text);
    require(v, !state->is_table, "nothing writes to %s, which is a table", func->name->text);
    require(v, stmt->store.stage >= 0, "the stage of a store to %s is not negative",
            func->name->text);
    if (!stmt->store.is_atomic || v->fault)
        return;
    require(v, func->components == 1 && atomic_has_type(func->types[0]),
            "an atomic store to %s is of one element, an integer or a bool", func->name->text);
    require(v, atomic_reads_in_place(v->arena, stmt),
            "an atomic store to %s reads of it what it writes", func->name->text);
}

/* Collects the contents of a loop whose iterations run side by side. */
typedef struct Racing {
    Verifier *verifier;
    const Stmt *loop;
    Map private;        /* set of funcs that are allocated inside the loop */
    Map updated;        /* Symbol of a func -> an atomic store to it */
    bool is_all_atomic; /* all stores to the loop's own func are atomic; the race clauses check
                           other stores */
} Racing;

/* A nop stands for any code that computes its func. If that func is allocated inside the loop, the
 * nop does not race. */
static bool is_of_private(const Racing *racing, const Stmt *nop) {
    const Stmt *compute = stmt_parent(nop);
    while (compute && compute->kind != STMT_COMPUTE)
        compute = stmt_parent(compute);
    return compute && map_get(&racing->private, compute->compute.func->name);
}

static bool check_racing_store(void *data, Stmt *stmt) {
    Racing *racing = data;
    Verifier *v = racing->verifier;
    const Stmt *loop = racing->loop;
    racing->is_all_atomic &= stmt->kind != STMT_NOP || is_of_private(racing, stmt);
    if (stmt->kind == STMT_ALLOCATE)
        map_put(&racing->private, stmt->allocate.func->name, stmt);
    if (stmt->kind != STMT_STORE || map_get(&racing->private, stmt->store.func->name))
        return true;
    const char *name = stmt->store.func->name->text;
    bool is_atomic = stmt->store.is_atomic;
    const Stmt *other = map_get(&racing->updated, stmt->store.func->name);
    racing->is_all_atomic &= is_atomic || stmt->store.func->name != loop->loop.name.func;
    if (v->holes_allowed) /* checked when the schedule is complete */
        return true;
    require(v, !is_atomic || loop->loop.traversal == TRAVERSE_PARALLEL,
            "an atomic store to %s stands in no vectorized loop", name);
    require(v, !is_atomic || !other || atomic_is_same_update(stmt, other),
            "atomic stores to %s in a parallel loop are of one stage", name);
    if (is_atomic)
        map_put(&racing->updated, stmt->store.func->name, stmt);
    return true;
}

static void check_racing(Verifier *v, const Stmt *loop) {
    Racing racing = {v, loop, map_create(v->arena), map_create(v->arena), true};
    StmtVisitor visitor = {.data = &racing, .enter = check_racing_store};
    block_visit((Block *)&loop->loop.body, &visitor); /* the visitor changes nothing */
    bool is_free = loop->loop.pure || loop->loop.independent;
    require(v, is_free || (loop->loop.traversal == TRAVERSE_PARALLEL && racing.is_all_atomic),
            "loop %s must be pure or independent where it is parallel or vectorized, and is not, "
            "nor is each store to its func atomic",
            loop->loop.binder->text);
}

/* Returns "'2" for `h.s1.x'2`, the binder of a copy; "" otherwise. */
static const char *copy_suffix(Symbol binder) {
    return binder->text + strcspn(binder->text, "'");
}

static void check_for(Verifier *v, const Stmt *stmt) {
    const LoopName *name = &stmt->loop.name;
    Context *context = v->program->pool->context;
    verifier_check_intervals(v, &stmt->loop.interval, 1);
    if (stmt->loop.predicate.minimum)
        verifier_check_intervals(v, &stmt->loop.predicate, 1);
    check_binder(v, stmt->loop.binder);
    bool racing =
        stmt->loop.traversal == TRAVERSE_PARALLEL || stmt->loop.traversal == TRAVERSE_VECTORIZED;
    if (racing)
        check_racing(v, stmt);
    const Stmt *compute = stmt_parent(stmt);
    while (compute && (compute->kind != STMT_COMPUTE || compute->compute.func->name != name->func))
        compute = stmt_parent(compute);
    require(v, compute, "loop %s stands in the compute statement of its func",
            loop_symbol(context, name)->text);
    if (!compute)
        return;
    require(v, compute->compute.specialization == name->specialization,
            "loop %s has its compute statement's specialization", loop_symbol(context, name)->text);
    claim(v,
          symbol_format(&context->symbols, "loop %s'%d%s", loop_symbol(context, name)->text,
                        compute->compute.copy, copy_suffix(stmt->loop.binder)),
          "loop name %s is unique up to copies (Lemma 6.1)", loop_symbol(context, name)->text);
}

static void check_let(Verifier *v, const Stmt *stmt) {
    verifier_check_expr(v, stmt->let.value);
    check_binder(v, stmt->let.binder);
    if (stmt->let.tail == TAIL_NONE)
        return;
    verifier_check_intervals(v, &stmt->let.domain, 1);
    require(v, v->fault || type_is_index(stmt->let.value->type),
            "let %s with a domain is of sort index", stmt->let.binder->text);
}

static void check_prefetch(Verifier *v, const Stmt *stmt) {
    const VerifierFunc *state = verifier_state(v, stmt->prefetch.name);
    verifier_check_intervals(v, stmt->prefetch.intervals, stmt->prefetch.dimensions);
    require(v, !state || state->allocated, "%s is allocated where it is fetched ahead",
            stmt->prefetch.name->text);
}

/* Checks the statement's own line, in the state before it. */
static void check_line(Verifier *v, const Stmt *stmt) {
    v->stmt = stmt;
    v->epoch++;
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
        break;
    case STMT_PREFETCH:
        check_prefetch(v, stmt);
        break;
    case STMT_ASSERT:
        check_assert(v, stmt);
        break;
    case STMT_ALLOCATE:
        check_allocate(v, stmt);
        break;
    case STMT_STORE:
        check_store(v, stmt);
        break;
    case STMT_IF:
        verifier_check_typed(v, stmt->branch.condition, BOOL, "an if's condition");
        break;
    case STMT_FOR:
        check_for(v, stmt);
        if (!v->fault)
            bind(v, stmt->loop.binder, INDEX);
        break;
    case STMT_LET:
        check_let(v, stmt);
        if (!v->fault)
            bind(v, stmt->let.binder, stmt->let.value->type);
        break;
    case STMT_COMPUTE:
        check_compute(v, stmt);
        break;
    }
}

/* ---- the walk ---- */

static void open(Verifier *v, Block *block, const Map *then_computed) {
    VerifierFrame frame = {block, block->first, v->changes.length, then_computed};
    vec_push(v->arena, &v->frames, frame);
}

/* Undoes the changes since `mark`. Keeps changes to `computed` if `keep_all`, or if the set `kept`
 * has their state. */
static void undo(Verifier *v, size_t mark, bool keep_all, const Map *kept) {
    size_t stay = mark;
    for (size_t i = mark; i < v->changes.length; i++) {
        VerifierChange change = v->changes.data[i];
        if (change.is_computed && (keep_all || (kept && map_get(kept, change.state))))
            v->changes.data[stay++] = change;
        else
            *(change.is_computed ? &change.state->computed : &change.state->allocated) = false;
    }
    v->changes.length = stay;
}

static const Map *computed_since(Verifier *v, size_t mark) {
    Map *computed = arena_new(v->arena, Map);
    *computed = map_create(v->arena);
    for (size_t i = mark; i < v->changes.length; i++)
        if (v->changes.data[i].is_computed)
            map_put(computed, v->changes.data[i].state, v->changes.data[i].state);
    return computed;
}

/* Closes a branch of an if: opens the else branch, or keeps what both branches computed. */
static void close_branch(Verifier *v, const VerifierFrame *frame, Stmt *owner) {
    if (frame->block == &owner->branch.otherwise) {
        undo(v, frame->mark, false, frame->then_computed);
        return;
    }
    const Map *computed = computed_since(v, frame->mark);
    undo(v, frame->mark, false, NULL);
    open(v, &owner->branch.otherwise, computed);
}

static void serve_outputs(Verifier *v) {
    const Signature *signature = v->program->signature;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        VerifierFunc *state = verifier_state(v, signature->outputs.data[i].func);
        if (state && state->allocated && state->computed)
            state->served = true;
    }
}

static void close(Verifier *v) {
    VerifierFrame frame = v->frames.data[--v->frames.length];
    Stmt *owner = frame.block->owner;
    if (block_is_outermost(frame.block))
        serve_outputs(v);
    if (!owner)
        return;
    switch (owner->kind) {
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_PREFETCH:
        break;
    case STMT_IF:
        close_branch(v, &frame, owner);
        break;
    case STMT_FOR:
        undo(v, frame.mark, false, NULL);
        unbind(v, owner->loop.binder);
        break;
    case STMT_LET:
        undo(v, frame.mark, true, NULL);
        unbind(v, owner->let.binder);
        break;
    case STMT_LABEL:
        undo(v, frame.mark, true, NULL);
        break;
    case STMT_COMPUTE: {
        VerifierFunc *state = verifier_state(v, owner->compute.func->name);
        undo(v, frame.mark, true, NULL);
        state->inside--;
        set(v, state, true);
        break;
    }
    }
}

static void walk(Verifier *v) {
    open(v, (Block *)&v->program->body, NULL);
    while (v->frames.length && !v->fault) {
        VerifierFrame *frame = &v->frames.data[v->frames.length - 1];
        Stmt *stmt = frame->next;
        if (!stmt) {
            close(v);
            continue;
        }
        frame->next = stmt->next;
        check_line(v, stmt);
        if (v->fault)
            v->place = stmt->place;
        if (stmt_body(stmt))
            open(v, stmt_body(stmt), NULL);
    }
    v->stmt = NULL;
}

/* Checks that the program's index lists exactly the statements of the program. */
static void check_index(Verifier *v) {
    size_t listed = 0;
    for (size_t i = 0; i < v->program->funcs.length; i++) {
        const FuncSites *sites = v->program->funcs.data[i];
        for (size_t k = 0; k < sites->computes.length + sites->allocates.length; k++) {
            const Stmt *stmt = k < sites->computes.length
                                   ? sites->computes.data[k]
                                   : sites->allocates.data[k - sites->computes.length];
            require(v, map_get(&v->statements, stmt),
                    "the index of %s lists statements of the program", sites->func->name->text);
            listed++;
        }
    }
    require(v, listed == map_count(&v->statements), "%s lists every compute and allocate", "the index");
}

/* Checks that the boxes use startup variables only. */
static void check_needs(Verifier *v) {
    for (size_t i = 0; i < v->program->needs.length; i++) {
        const Need *need = &v->program->needs.data[i];
        const char *name = need->image->name->text;
        v->epoch++;
        verifier_check_intervals(v, need->box, need->image->dimensions);
        for (int k = 0; k < need->image->dimensions && !v->fault; k++)
            require(v,
                    !expr_has_access(need->box[k].minimum) && !expr_has_access(need->box[k].length),
                    "what %s needs depends on no memory", name);
        claim(v, need->image->name, "what image %s must hold is said once", name);
    }
}

/* Is it made of parameters and the boxes of images? */
static bool is_of_inputs(Verifier *v, Expr expr) {
    Exprs variables = {0};
    expr_variables(v->arena, expr, &variables);
    for (size_t i = 0; i < variables.length; i++) {
        Symbol name = variables.data[i]->name, buffer;
        BufferField field;
        int d;
        if (!signature_parameter(v->program->signature, name) &&
            !(buffer_field_parse(v->program->pool->context, name, &buffer, &field, &d) &&
              signature_image(v->program->signature, buffer)))
            return false;
    }
    return !expr_has_access(expr);
}

/* Checks that the boxes depend on inputs only. */
static void check_proposals(Verifier *v) {
    for (size_t i = 0; i < v->program->proposals.length; i++) {
        const ProposedWindow *proposal = &v->program->proposals.data[i];
        const char *name = proposal->func->name->text;
        v->epoch++;
        verifier_check_intervals(v, proposal->box, proposal->func->dimensions);
        bool is_known = true;
        for (size_t f = 0; f < proposal->fits.length; f++) {
            verifier_check_typed(v, proposal->fits.data[f], BOOL,
                                 "the condition of a proposed window");
            is_known = is_known && is_of_inputs(v, proposal->fits.data[f]);
        }
        for (int k = 0; k < proposal->func->dimensions && !v->fault; k++)
            is_known = is_known && is_of_inputs(v, proposal->box[k].minimum) &&
                       is_of_inputs(v, proposal->box[k].length);
        require(v, is_known, "the window proposed for %s depends on inputs only", name);
        claim(v, proposal->func->name, "the window of output %s is proposed once", name);
    }
}

static void check_outputs(Verifier *v) {
    const Signature *signature = v->program->signature;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        const VerifierFunc *state = verifier_state(v, name);
        require(v, state && state->served, "output %s is allocated and computed at the top",
                name->text);
    }
}

const char *program_verify(Arena *scratch, const Program *program, bool holes_allowed) {
    Place place;
    return program_verify_place(scratch, program, holes_allowed, &place);
}

const char *program_verify_place(Arena *scratch, const Program *program, bool holes_allowed,
                                 Place *place) {
    *place = NOWHERE;
    Verifier v = {
        .arena = scratch, .program = program, .holes_allowed = holes_allowed, .place = NOWHERE};
    if (!links_hold(&v))
        return "links between statements and blocks go both ways";
    v.bindings = map_create(scratch);
    v.states = map_create(scratch);
    v.names = map_create(scratch);
    v.statements = map_create(scratch);
    v.seen = arena_array(scratch, uint32_t, program->pool->next_number + 1);
    for (size_t i = 0; i < program->signature->funcs.length; i++)
        map_put(&v.states, program->signature->funcs.data[i]->name,
                arena_new(scratch, VerifierFunc));
    check_needs(&v);
    check_proposals(&v);
    if (!v.fault)
        walk(&v);
    if (!v.fault)
        check_outputs(&v);
    if (!v.fault)
        check_index(&v);
    *place = v.place;
    return v.fault;
}
