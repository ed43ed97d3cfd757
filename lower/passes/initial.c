/* initial.c -- lowers an algorithm to the initial target program (Figure 9; semantics.md, section
 * 4).
 *
 * Each func becomes an allocate and a compute statement, in definition order, with one loop nest a
 * stage:
 *
 *     fun g(x, y) = {0; rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y)}
 *
 *     allocate g: i32 [(?mem.g.x.min, ?mem.g.x.len), (?mem.g.y.min, ?mem.g.y.len)]
 *     compute g on [(?cpu.g.x.min, ?cpu.g.x.len), (?cpu.g.y.min, ?cpu.g.y.len)]
 *       label g
 *         label s0
 *           for g.s0.y in (?for.g.s0.y.min, ?for.g.s0.y.len) do
 *             for g.s0.x in (?for.g.s0.x.min, ?for.g.s0.x.len) do
 *               g[g.s0.x, g.s0.y] <- 0
 *         label s1
 *           for g.s1.y in (?cpu.g.y.min, ?cpu.g.y.len) do
 *             for g.s1.x in (?cpu.g.x.min, ?cpu.g.x.len) do
 *               for g.s1.r in (-index(w), 2*index(w) + 1) do
 *                 g[g.s1.x, g.s1.y] <- g[g.s1.x, g.s1.y] + f[g.s1.x + g.s1.r, g.s1.y]
 *
 * Loops over pure dimensions stand outside, the last dimension outermost.  A dimension that is not
 * pure in the stage has no loop: its coordinate comes from reduction variables or is fixed.
 * Reduction loops stand inside, the last-named outermost, which is RDom-Eval's order (Figure 6).  A
 * recurrence may have its own order (Stage.order).
 * An update of several writes computes the values that read the func before it writes:
 *
 *     rdom(i = (0, n)) in (i) <- f(n - i), (n - i) <- f(i)
 *
 *     let f.s1.write.w1 = f[f.s1.i] in
 *       f[f.s1.i] <- f[n - f.s1.i]
 *       f[n - f.s1.i] <- f.s1.write.w1
 *
 * The for holes of the last stage are the cpu holes (Def 6.3).  This file computes neither bounds
 * nor checks.
 */
#include "lower/lower.h"

typedef struct InitialNest {
    Program *program;
    const Func *func;
    const Stage *stage;
    bool last;
    Block *block; /* the next statement goes here: the innermost body so far */
    Substitution binders;
} InitialNest;

static Extent hole_interval(Program *program, HoleKind kind, Symbol func, int stage,
                            Symbol variable) {
    Hole hole = {.kind = kind, .func = func, .stage = stage, .variable = variable};
    Extent interval;
    hole.end = HOLE_MINIMUM;
    interval.minimum = expr_hole(program->pool, hole);
    hole.end = HOLE_LENGTH;
    interval.length = expr_hole(program->pool, hole);
    return interval;
}

static Extent *func_intervals(Program *program, HoleKind kind, const FuncShape *shape) {
    Extent *intervals = arena_array(program->arena, Extent, shape->dimensions);
    for (int k = 0; k < shape->dimensions; k++)
        intervals[k] = hole_interval(program, kind, shape->name, 0, shape->variables[k]);
    return intervals;
}

/* Opens a loop: the next statements stand inside it. */
static void open_loop(InitialNest *nest, Symbol variable, Extent interval, const LoopOrigin *origin,
                      Place place) {
    Program *program = nest->program;
    Stmt *loop = stmt_create(program, STMT_FOR, place);
    loop->loop.name = (LoopName){
        .func = nest->func->shape->name, .stage = nest->stage->number, .variable = variable};
    loop->loop.binder = loop_symbol(program->pool->context, &loop->loop.name);
    loop->loop.interval = interval;
    loop->loop.traversal = TRAVERSE_SERIAL;
    loop->loop.pure = !origin;
    loop->loop.origin = origin;
    block_append(nest->block, loop);
    nest->block = &loop->loop.body;
    substitution_add(&nest->binders, variable,
                     expr_variable(program->pool, loop->loop.binder, INDEX));
}

static void open_pure_loop(InitialNest *nest, Symbol variable) {
    HoleKind kind = nest->last ? HOLE_CPU : HOLE_FOR;
    int stage = nest->last ? 0 : nest->stage->number;
    Extent interval = hole_interval(nest->program, kind, nest->func->shape->name, stage, variable);
    open_loop(nest, variable, interval, NULL, nest->stage->place);
}

static void open_reduction_loop(InitialNest *nest, size_t variable) {
    const ReductionVariable *reduction = &nest->stage->reduction.data[variable];
    Extent iterations = reduction_iterations(
        nest->program->pool, reduction, func_intervals(nest->program, HOLE_CPU, nest->func->shape));
    open_loop(nest, reduction->variable, iterations,
              origin_of_variable(nest->program->arena, variable), reduction->place);
}

static void open_loops(InitialNest *nest) {
    StageLoops loops = stage_loops(nest->program->arena, nest->func, nest->stage);
    for (size_t i = 0; i < loops.length; i++)
        if (loops.data[i].dimension >= 0)
            open_pure_loop(nest, loops.data[i].variable);
        else
            open_reduction_loop(nest, loops.data[i].reduction);
}

static void open_guard(InitialNest *nest, const ReductionSplit *split, Expr condition) {
    Stmt *guard = stmt_create(nest->program, STMT_IF, split->place);
    guard->branch.role = split->is_predicate ? IF_PREDICATE : IF_GUARD;
    guard->branch.condition = condition;
    block_append(nest->block, guard);
    nest->block = &guard->branch.body;
}

/* Opens the let of a reduction variable that was split, and guards if its parts go beyond its
 * domain. */
static void open_split(InitialNest *nest, const ReductionSplit *split) {
    Program *program = nest->program;
    Pool *pool = program->pool;
    LoopName name = {
        .func = nest->func->shape->name, .stage = nest->stage->number, .variable = split->variable};
    Stmt *let = stmt_create(program, STMT_LET, split->place);
    let->let.binder = loop_symbol(pool->context, &name);
    let->let.value = substitution_apply(pool, &nest->binders, split->value);
    let->let.tail = TAIL_INSIDE;
    let->let.domain = split->domain;
    block_append(nest->block, let);
    nest->block = &let->let.body;
    Expr binder = expr_variable(pool, let->let.binder, INDEX);
    Extent domain = split->domain;
    substitution_add(&nest->binders, split->variable, binder);
    if (!split->is_exact)
        open_guard(nest, split,
                   expr_lt(pool, binder, expr_add(pool, domain.minimum, domain.length)));
    if (split->goes_below)
        open_guard(nest, split, expr_le(pool, domain.minimum, binder));
}

static void open_splits(InitialNest *nest) {
    for (size_t i = nest->stage->splits.length; i-- > 0;)
        open_split(nest, &nest->stage->splits.data[i]);
}

static void open_predicate(InitialNest *nest) {
    if (!nest->stage->predicate)
        return;
    Program *program = nest->program;
    Stmt *branch = stmt_create(program, STMT_IF, nest->stage->place);
    branch->branch.role = IF_PREDICATE;
    branch->branch.condition =
        substitution_apply(program->pool, &nest->binders, nest->stage->predicate);
    block_append(nest->block, branch);
    nest->block = &branch->branch.body;
}

static Expr *with_binders(InitialNest *nest, const Expr *exprs, int count) {
    Expr *result = arena_array(nest->program->arena, Expr, count);
    for (int i = 0; i < count; i++)
        result[i] = substitution_apply(nest->program->pool, &nest->binders, exprs[i]);
    return result;
}

/* The expressions as they are in the write of this number, with binders. */
static Expr *of_write(InitialNest *nest, const Expr *exprs, int count, int number) {
    Program *program = nest->program;
    Expr *chosen = arena_array(program->arena, Expr, count);
    for (int i = 0; i < count; i++)
        chosen[i] = stage_of_write(program->pool, program->arena, nest->stage, exprs[i], number);
    return with_binders(nest, chosen, count);
}

static Stmt *create_store(InitialNest *nest, int number) {
    FuncShape *shape = nest->func->shape;
    Stmt *store = stmt_create(nest->program, STMT_STORE, nest->stage->place);
    store->store.func = shape;
    store->store.stage = nest->stage->number;
    store->store.indices = of_write(nest, nest->stage->indices, shape->dimensions, number);
    store->store.values = of_write(nest, nest->stage->values, shape->components, number);
    return store;
}

static bool reads_func(const InitialNest *nest, Expr expr) {
    Exprs accesses = expr_accesses_of(nest->program->arena, expr);
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->name == nest->func->shape->name)
            return true;
    return false;
}

/* Holds a value that reads the func in a let, before any store of the iteration. */
static Expr hold_value(InitialNest *nest, Expr value, int number, int component) {
    Program *program = nest->program;
    Context *context = program->pool->context;
    Stmt *let = stmt_create(program, STMT_LET, nest->stage->place);
    let->let.binder = symbol_format(&context->symbols, "%s.s%d.write.w%d",
                                    nest->func->shape->name->text, nest->stage->number, number);
    if (nest->func->shape->components > 1)
        let->let.binder =
            symbol_format(&context->symbols, "%s.c%d", let->let.binder->text, component);
    let->let.value = value;
    block_append(nest->block, let);
    nest->block = &let->let.body;
    return expr_variable(program->pool, let->let.binder, value->type);
}

/* A single write, or all writes of an iteration. */
static void put_stores(InitialNest *nest) {
    int writes = nest->stage->writes ? nest->stage->writes : 1;
    Stmt **stores = arena_array(nest->program->arena, Stmt *, writes);
    for (int w = 0; w < writes; w++)
        stores[w] = create_store(nest, w);
    for (int w = 1; w < writes; w++)
        for (int c = 0; c < nest->func->shape->components; c++)
            if (reads_func(nest, stores[w]->store.values[c]))
                stores[w]->store.values[c] = hold_value(nest, stores[w]->store.values[c], w, c);
    for (int w = 0; w < writes; w++)
        block_append(nest->block, stores[w]);
}

static Block *put_label(Program *program, Block *block, Symbol name, Place place) {
    Stmt *label = stmt_create(program, STMT_LABEL, place);
    label->label.name = name;
    block_append(block, label);
    return &label->label.body;
}

static void lower_stage(Program *program, const Func *func, const Stage *stage, Block *block) {
    InitialNest nest = {.program = program,
                        .func = func,
                        .stage = stage,
                        .last = stage == func->stages.data[func->stages.length - 1],
                        .block = block,
                        .binders = substitution_create(program->arena)};
    open_loops(&nest);
    open_splits(&nest);
    open_predicate(&nest);
    put_stores(&nest);
}

/* Lowers A(F) of semantics.md, section 4. */
static void lower_func(Program *program, const Func *func) {
    Context *context = program->pool->context;
    FuncShape *shape = func->shape;
    hlc_assert(func->stages.length > 0, "a func has a pure stage");

    Stmt *allocate = stmt_create(program, STMT_ALLOCATE, func->place);
    allocate->allocate.func = shape;
    allocate->allocate.intervals = func_intervals(program, HOLE_MEM, shape);
    block_append(&program->body, allocate);

    Stmt *compute = stmt_create(program, STMT_COMPUTE, func->place);
    compute->compute.func = shape;
    compute->compute.intervals = func_intervals(program, HOLE_CPU, shape);
    block_append(&program->body, compute);

    FuncSites *sites = program_func(program, shape->name);
    vec_push(program->arena, &sites->allocates, allocate);
    vec_push(program->arena, &sites->computes, compute);

    Block *stages = put_label(program, &compute->compute.body, shape->name, func->place);
    for (size_t j = 0; j < func->stages.length; j++) {
        const Stage *stage = func->stages.data[j];
        Symbol name = symbol_format(&context->symbols, "s%d", stage->number);
        lower_stage(program, func, stage, put_label(program, stages, name, stage->place));
    }
}

Program *lower_initial(const Pipeline *pipeline, Arena *arena) {
    Program *program = program_create(pipeline->pool, arena, &pipeline->signature);
    for (size_t i = 0; i < pipeline->groups.length; i++) {
        const Group *group = &pipeline->groups.data[i];
        hlc_assert(group->funcs.length == 1, "a group holds one func until compute-with exists");
        lower_func(program, group->funcs.data[0]);
    }
    return program;
}
