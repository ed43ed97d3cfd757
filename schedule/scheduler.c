/* scheduler.c -- the statements of loop nests: finding, wrapping, renumbering.
 *
 * A nest is a chain.  Each loop's body ends with the next loop inside.  It may begin with compute
 * statements (moved there by phase 4) and allocate statements (moved there by phase 5).  The
 * innermost body ends with the lets and guards of splits and fuses, then the predicate, then the
 * store.
 *
 * compute-with (compute_with.c) lets a stage use the outer loops of another func.  The stage's own
 * loops then stand in those loops, under a label with the func's name.  Its nest begins at the
 * label. */
#include "schedule/scheduler.h"

#include "ir/walk.h"

FuncPlan *scheduler_plan(const Scheduler *scheduler, Symbol name) {
    return map_get(&scheduler->by_name, name);
}

FuncPlan *plan_of_directive(const Scheduler *scheduler, const Directive *directive) {
    return scheduler_plan(scheduler, directive_argument(directive, 0)->name);
}

FuncPlan *plan_of_storage(const Scheduler *scheduler, const Directive *directive) {
    const DirectiveArgument *argument = directive_argument(directive, 0);
    const Func *func = resolve_func(&scheduler->resolver, argument);
    if (!func)
        return NULL;
    if (!func->shape->is_output)
        return scheduler_plan(scheduler, func->shape->name);
    refuse(&scheduler->resolver, DIAG_STORAGE_OF_OUTPUT, argument->place, func->shape->name->text);
    return NULL;
}

/* Returns the last statement of the body if it is a loop; else null. */
static Stmt *chain_loop(const Block *body) {
    return body->last && body->last->kind == STMT_FOR ? body->last : NULL;
}

static Block *stage_body(Stmt *compute, int stage) {
    Stmt *label = compute->compute.body.last;
    hlc_assert(label && label->kind == STMT_LABEL,
               "a compute statement ends with its func's label");
    Stmt *child = label->label.body.first;
    for (int j = 0; j < stage; j++)
        child = child->next;
    return &child->label.body;
}

/* The search for a label with the name of a func, inside another func's loops. */
typedef struct LabelSearch {
    Symbol name;
    Stmt *found;
} LabelSearch;

static bool find_label(void *data, Stmt *stmt) {
    LabelSearch *search = data;
    if (stmt->kind == STMT_LABEL && stmt->label.name == search->name && !search->found)
        search->found = stmt;
    return !search->found;
}

/* Returns the block in which the stage's own loops begin. */
static Block *nest_body(Stmt *compute, int stage) {
    Block *body = stage_body(compute, stage);
    if (!body->last || body->last->kind != STMT_COMPUTE)
        return body;
    LabelSearch search = {.name = compute->compute.func->name};
    block_visit(body, &(StmtVisitor){.data = &search, .enter = find_label});
    hlc_assert(search.found, "what is left of a nest stands in a label of its func's name");
    return &search.found->label.body;
}

Stmt *compute_of(const Scheduler *scheduler, const Func *func, int specialization) {
    const FuncSites *sites = program_func(scheduler->program, func->shape->name);
    for (size_t i = 0; i < sites->computes.length; i++)
        if (sites->computes.data[i]->compute.specialization == specialization)
            return sites->computes.data[i];
    hlc_assert(false, "each specialization has a compute statement");
    return NULL;
}

LoopNest *nest_read(const Scheduler *scheduler, Stmt *compute, const Func *func, int stage) {
    Arena *arena = scheduler->resolver.arena;
    LoopNest *nest = arena_new(arena, LoopNest);
    *nest =
        (LoopNest){.func = func, .specialization = compute->compute.specialization, .stage = stage};
    Block *body = nest_body(compute, stage);
    for (Stmt *loop = chain_loop(body); loop; loop = loop_inside(loop)) {
        vec_push(arena, &nest->loops,
                 (NestLoop){loop->loop.name.variable, loop->loop.pure, loop->loop.origin});
        vec_push(arena, &nest->taken, loop->loop.binder);
        body = &loop->loop.body;
    }
    /* Below the loops: the lets of splits and fuses.  Their variables were loops before. */
    for (Stmt *stmt = body->last; stmt && (stmt->kind == STMT_LET || stmt->kind == STMT_IF);
         stmt = stmt_body(stmt)->last)
        if (stmt->kind == STMT_LET)
            vec_push(arena, &nest->taken, stmt->let.binder);
    return nest;
}

Stmt *loop_in(Stmt *compute, int stage, Symbol variable) {
    Stmt *loop = chain_loop(nest_body(compute, stage));
    while (loop && loop->loop.name.variable != variable)
        loop = loop_inside(loop);
    return loop;
}

Stmt *loop_outermost(Stmt *compute, int stage) {
    return chain_loop(nest_body(compute, stage));
}

Stmt *loop_named(const Scheduler *scheduler, const LoopName *name) {
    const Func *func = pipeline_func(scheduler->resolver.pipeline, name->func);
    Stmt *loop =
        loop_in(compute_of(scheduler, func, name->specialization), name->stage, name->variable);
    hlc_assert(loop, "a resolved loop stands in the program");
    return loop;
}

Stmt *loop_of_argument(const Scheduler *scheduler, const Directive *directive, size_t argument) {
    LoopName name;
    bool is_there =
        resolve_loop(&scheduler->resolver, directive_argument(directive, argument), &name);
    hlc_assert(is_there, "a checked directive names a loop that there is");
    return loop_named(scheduler, &name);
}

Stmt *loop_inside(const Stmt *loop) {
    return chain_loop(&loop->loop.body);
}

Stmt *stage_innermost(Stmt *compute, int stage) {
    Block *body = nest_body(compute, stage);
    Stmt *loop = chain_loop(body);
    return loop ? loop_innermost(loop) : body->owner;
}

Stmt *loop_innermost(Stmt *loop) {
    for (Stmt *inside = loop_inside(loop); inside; inside = loop_inside(loop))
        loop = inside;
    return loop;
}

bool loop_is(const Stmt *loop, const LoopName *name) {
    return loop->kind == STMT_FOR && loop->loop.name.func == name->func &&
           loop->loop.name.stage == name->stage && loop->loop.name.variable == name->variable;
}

bool loop_check_memory(const Scheduler *scheduler, const Stmt *loop, const Func *func,
                       Place place) {
    const Resolver *resolver = &scheduler->resolver;
    return !runs_side_by_side(loop->loop.traversal) ||
           refuse(resolver, DIAG_STORE_RACE, place, func->shape->name->text,
                  loop_text(resolver, &loop->loop.name), traversal_text(loop->loop.traversal));
}

static void sink(Block *body, Stmt *stmt) {
    block_move_all(stmt_body(stmt), body);
    block_append(body, stmt);
}

void sink_guard(Scheduler *scheduler, Block *body, Expr condition, Place place) {
    Stmt *guard = stmt_create(scheduler->program, STMT_IF, place);
    guard->branch.role = IF_GUARD;
    guard->branch.condition = condition;
    sink(body, guard);
}

void sink_let(Scheduler *scheduler, Block *body, Symbol binder, Expr value, Extent domain,
              LetTail tail, Place place) {
    Stmt *let = stmt_create(scheduler->program, STMT_LET, place);
    let->let.binder = binder;
    let->let.value = value;
    let->let.tail = tail;
    let->let.domain = domain;
    sink(body, let);
}

Stmt *loop_create(Scheduler *scheduler, const LoopName *name, Extent interval, bool pure,
                  Place place) {
    Stmt *loop = stmt_create(scheduler->program, STMT_FOR, place);
    loop->loop.name = *name;
    loop->loop.binder = loop_symbol(scheduler->resolver.context, name);
    loop->loop.interval = interval;
    loop->loop.traversal = TRAVERSE_SERIAL;
    loop->loop.pure = pure;
    return loop;
}

static bool is_zero(Expr expr) {
    int64_t value;
    return expr_constant_integer(expr, &value) && value == 0;
}

Expr plus(Pool *pool, Expr a, Expr b) {
    return is_zero(a) ? b : is_zero(b) ? a : expr_add(pool, a, b);
}

Expr end_of(Pool *pool, Extent interval) {
    return plus(pool, interval.minimum, interval.length);
}

void scheduler_assert(Scheduler *scheduler, Expr condition, hlc_error error, const char *subject,
                      const Expr *operands, int count, Place place) {
    Program *program = scheduler->program;
    Stmt *check = stmt_create(program, STMT_ASSERT, place);
    check->assertion.condition = condition;
    check->assertion.error = error;
    check->assertion.subject = subject;
    check->assertion.operands = arena_array(program->arena, Expr, count);
    for (int i = 0; i < count; i++)
        check->assertion.operands[i] = operands[i];
    check->assertion.operand_count = count;
    if (scheduler->last_check)
        stmt_insert_after(scheduler->last_check, check);
    else
        block_prepend(&program->body, check);
    scheduler->last_check = check;
}

/* ---- holes of copies ---- */

typedef struct Renumbering {
    Pool *pool;
    ExprMemo memo;
    Symbol func;
    int copy;
} Renumbering;

static Expr renumber_node(void *data, Pool *pool, Expr node) {
    const Renumbering *renumbering = data;
    if (node->op != OP_HOLE || node->hole->func != renumbering->func)
        return node;
    Hole hole = *node->hole;
    hole.copy = renumbering->copy;
    return expr_hole(pool, hole);
}

static Expr renumber_expr(void *data, Expr expr) {
    Renumbering *renumbering = data;
    return expr_rewrite(renumbering->pool, &renumbering->memo, expr, renumber_node, renumbering);
}

void renumber_holes(Scheduler *scheduler, Stmt *stmt, Symbol func, int copy) {
    Arena *scratch = arena_create(&scheduler->resolver.context->memory);
    Renumbering renumbering = {scheduler->pool, expr_memo(scratch), func, copy};
    stmt_map_exprs(stmt, renumber_expr, &renumbering);
    arena_destroy(scratch);
}
