/* lift.c -- PASS_LIFT: what is dear and the same in all iterations of a loop is computed before it,
 * once for all statements that use it.
 *
 *     for y .. do                                   let out.y.lift = exp(w) in
 *       for x .. do                                   for y .. do
 *         out[x, y] <- in[x, y]*(exp(w)/t[y])  =>       let out.x.lift = out.y.lift/t[y] in
 *                                                         for x .. do
 *                                                           out[x, y] <- in[x, y]*out.x.lift
 *
 * What is lifted: expressions with a load, a function, a square root, or a division in them that no
 * constant divides.  The rest LLVM takes out itself, and cheaply; of these it cannot see that they
 * may run where the loop does not, or that no store meets the load.
 *
 * Where to: around the outermost loop in which all that it depends on is bound outside, if a loop
 * that is neither vectorized nor unrolled is left by that.  An expression is taken apart where the
 * places differ, as above.  Equal expressions that go to the same loop are one let: the parts that
 * statements have in common.
 *
 * Why it is sound.  Variables have one value in a let's body, operators are functions of their
 * operands, and all are total; so nothing changes where no memory is read.  A load moves only where
 * no statement of the loop writes its func, computes it (which of an eager func takes no store) or
 * allocates it; and only from where it is made in
 * every iteration, under no `if`, in loops that certainly have one.  The loop that it leaves last
 * may be empty: an `if` around the let asks.  So nothing is read that was not read before.  The
 * same holds of what computes indices, whose arithmetic was shown to stay within 64 bits where it
 * stood.  Loops that are rare (partition.c) give no reason to lift.
 *
 * What stays.  Loads inside a vectorized loop: their code depends on the store that uses them
 * (codegen/vector.c).  Bounds of loops, and indices that are no load: they are LLVM's.
 */
#include "lower/lower.h"

/* What is to be computed before a loop. */
typedef struct Lifts {
    Stmt *loop;
    Map written;    /* Symbols of what is stored, computed or allocated in it */
    Exprs values;   /* as they stand in the program */
    Map known;      /* each of them -> itself */
    bool is_placed; /* one of them may run only where the loop does */
} Lifts;

/* What an expression depends on and holds. */
typedef struct Nature {
    bool is_known, is_dear, is_placed; /* placed: may run only where it ran */
    uint32_t depth; /* how many of the statements around are needed to bind its variables */
} Nature;

typedef struct Lifter {
    Program *program;
    Pool *pool;
    Arena *arena;
    Map depths;               /* Symbol of a binder -> size_t, as Nature.depth */
    Map lifts;                /* Stmt of a loop -> Lifts */
    Vec(Lifts *) loops;       /* in program order */
    Vec(const Stmt *) around; /* loops, lets, ifs */
    int rare;                 /* loops around */
    Nature *natures;          /* by node number */
    uint32_t *met, search;    /* by node number: the statement that last met it */
} Lifter;

/* ---- what loops write ---- */

static bool survey_enter(void *data, Stmt *stmt) {
    Lifter *lifter = data;
    Symbol func = stmt->kind == STMT_STORE      ? stmt->store.func->name
                  : stmt->kind == STMT_COMPUTE  ? stmt->compute.func->name
                  : stmt->kind == STMT_ALLOCATE ? stmt->allocate.func->name
                                                : NULL;
    if (stmt->kind == STMT_FOR) {
        Lifts *lifts = arena_new(lifter->arena, Lifts);
        *lifts = (Lifts){
            .loop = stmt, .written = map_create(lifter->arena), .known = map_create(lifter->arena)};
        map_put(&lifter->lifts, stmt, lifts);
        vec_push(lifter->arena, &lifter->loops, lifts);
        vec_push(lifter->arena, &lifter->around, stmt);
    }
    for (size_t i = 0; func && i < lifter->around.length; i++) {
        Lifts *lifts = map_get(&lifter->lifts, lifter->around.data[i]);
        map_put(&lifts->written, func, func);
    }
    return true;
}

static void survey_leave(void *data, Stmt *stmt) {
    Lifter *lifter = data;
    lifter->around.length -= stmt->kind == STMT_FOR;
}

/* ---- expressions ---- */

static bool is_dear(Expr node) {
    if (node->op == OP_ACCESS || node->op == OP_SQRT)
        return true;
    if (node->op == OP_DIV || node->op == OP_MOD)
        return !type_is_index(node->type) && !expr_is_constant(node->arguments[1]);
    return node->op < OP_COUNT && (op_info((Op)node->op)->traits & FINZ);
}

/* Its arguments' natures are known. */
static void find_nature(void *data, Expr node) {
    Lifter *lifter = data;
    Nature *nature = &lifter->natures[node->number];
    if (nature->is_known)
        return;
    *nature = (Nature){.is_known = true,
                       .is_dear = is_dear(node),
                       .is_placed =
                           node->op == OP_ACCESS || (node->arity > 0 && type_is_index(node->type))};
    const size_t *depth = node->op == OP_VARIABLE ? map_get(&lifter->depths, node->name) : NULL;
    if (depth)
        nature->depth = (uint32_t)*depth;
    for (int i = 0; i < node->arity; i++) {
        const Nature *part = &lifter->natures[node->arguments[i]->number];
        nature->depth = part->depth > nature->depth ? part->depth : nature->depth;
        nature->is_dear |= part->is_dear;
        nature->is_placed |= part->is_placed;
    }
}

/* ---- where to ---- */

static bool reads_written(Lifter *lifter, Expr expr, const Stmt *loop) {
    const Lifts *lifts = map_get(&lifter->lifts, loop);
    Exprs accesses = {0};
    expr_accesses(lifter->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (map_get(&lifts->written, accesses.data[i]->name))
            return true;
    return false;
}

static bool is_never_empty(const Stmt *loop) {
    int64_t length;
    return expr_constant_integer(loop->loop.interval.length, &length) && length >= 1;
}

/* Leaving it saves computing anything again. */
static bool is_worth_leaving(const Stmt *loop) {
    int64_t length;
    return (loop->loop.traversal == TRAVERSE_SERIAL || loop->loop.traversal == TRAVERSE_PARALLEL) &&
           !(expr_constant_integer(loop->loop.interval.length, &length) && length <= 1);
}

static bool has_vectorized(const Lifter *lifter, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (lifter->around.data[i]->kind == STMT_FOR &&
            lifter->around.data[i]->loop.traversal == TRAVERSE_VECTORIZED)
            return true;
    return false;
}

/* The place in `around` of the loop that the expression leaves last. */
static size_t find_place(Lifter *lifter, Expr expr) {
    const Nature *nature = &lifter->natures[expr->number];
    size_t place = SIZE_MAX;
    bool is_worth = false;
    for (size_t i = lifter->around.length; i-- > nature->depth;) {
        const Stmt *stmt = lifter->around.data[i];
        if (stmt->kind == STMT_IF && nature->is_placed)
            break;
        if (stmt->kind != STMT_FOR)
            continue;
        if (nature->is_placed && reads_written(lifter, expr, stmt))
            break;
        place = i;
        is_worth |= is_worth_leaving(stmt);
        if (nature->is_placed && !is_never_empty(stmt))
            break;
    }
    if (!is_worth || (nature->is_placed && has_vectorized(lifter, place)))
        return SIZE_MAX;
    return place;
}

/* ---- finding them ---- */

typedef struct Part {
    Expr expr;
    size_t place; /* of what it is a part of */
} Part;

static void lift(Lifter *lifter, Expr expr, size_t place) {
    Lifts *lifts = map_get(&lifter->lifts, lifter->around.data[place]);
    lifts->is_placed |= lifter->natures[expr->number].is_placed;
    if (map_get(&lifts->known, expr))
        return;
    map_put(&lifts->known, expr, expr);
    vec_push(lifter->arena, &lifts->values, expr);
}

/* Of an expression, and of its parts that go further out than what they are parts of. */
static void find_in(void *data, Expr expr) {
    Lifter *lifter = data;
    Vec(Part) pending = {0};
    expr_visit(lifter->arena, expr, find_nature, lifter);
    lifter->search++;
    vec_push(lifter->arena, &pending, ((Part){expr, SIZE_MAX}));
    while (pending.length) {
        Part part = pending.data[--pending.length];
        Expr node = part.expr;
        if (!lifter->natures[node->number].is_dear || lifter->met[node->number] == lifter->search)
            continue;
        lifter->met[node->number] = lifter->search;
        size_t place = type_is_index(node->type) || type_is_bool(node->type)
                           ? SIZE_MAX
                           : find_place(lifter, node);
        if (place < part.place)
            lift(lifter, node, place);
        else
            place = part.place;
        for (int i = node->arity - 1; i >= 0; i--)
            vec_push(lifter->arena, &pending, ((Part){node->arguments[i], place}));
    }
}

/* Whose expressions are looked at, and changed. */
static bool is_lifted_from(const Stmt *stmt) {
    return stmt->kind == STMT_STORE || stmt->kind == STMT_IF ||
           (stmt->kind == STMT_LET && !type_is_index(stmt->let.value->type));
}

static bool opens_scope(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_LET || stmt->kind == STMT_IF;
}

static bool find_enter(void *data, Stmt *stmt) {
    Lifter *lifter = data;
    if (lifter->around.length && !lifter->rare && is_lifted_from(stmt))
        stmt_each_expr(stmt, find_in, lifter);
    if (!opens_scope(stmt))
        return true;
    vec_push(lifter->arena, &lifter->around, stmt);
    lifter->rare += stmt->kind == STMT_FOR && stmt->loop.rare;
    if (stmt->kind == STMT_IF)
        return true;
    size_t *depth = arena_new(lifter->arena, size_t);
    *depth = lifter->around.length;
    map_put(&lifter->depths, stmt->kind == STMT_FOR ? stmt->loop.binder : stmt->let.binder, depth);
    return true;
}

static void find_leave(void *data, Stmt *stmt) {
    Lifter *lifter = data;
    lifter->rare -= stmt->kind == STMT_FOR && stmt->loop.rare;
    lifter->around.length -= opens_scope(stmt);
}

/* ---- lifting them ---- */

typedef struct Replacing {
    Lifter *lifter;
    Map variables; /* what is lifted, its parts replaced -> the let's variable */
} Replacing;

static Expr replace_node(void *data, Pool *pool, Expr node) {
    Expr variable = map_get(&((Replacing *)data)->variables, node);
    (void)pool;
    return variable ? variable : node;
}

static Expr replace(void *data, Expr expr) {
    Replacing *replacing = data;
    return expr_rewrite_alone(replacing->lifter->pool, replacing->lifter->arena, expr, replace_node,
                              replacing);
}

/* Inside the loop; also in what is to be lifted to a loop inside. */
static bool replace_in(void *data, Stmt *stmt) {
    Replacing *replacing = data;
    if (is_lifted_from(stmt))
        stmt_map_own_exprs(stmt, replace, replacing);
    if (stmt->kind != STMT_FOR)
        return true;
    Lifts *lifts = map_get(&replacing->lifter->lifts, stmt);
    for (size_t i = 0; i < lifts->values.length; i++)
        lifts->values.data[i] = replace(replacing, lifts->values.data[i]);
    return true;
}

/* Puts the statement in the place of `inside`, which becomes all of `body`. */
static void wrap(Stmt *outer, Block *body, Stmt *inside) {
    stmt_insert_before(inside, outer);
    stmt_unlink(inside);
    block_append(body, inside);
}

static void wrap_in_let(Lifter *lifter, Stmt *loop, Symbol binder, Expr value) {
    Stmt *let = stmt_create(lifter->program, STMT_LET, loop->place);
    let->let.binder = binder;
    let->let.value = value;
    wrap(let, &let->let.body, loop);
}

static void wrap_in_if(Lifter *lifter, Stmt *loop) {
    Stmt *branch = stmt_create(lifter->program, STMT_IF, loop->place);
    branch->branch.role = IF_PLAIN;
    branch->branch.condition =
        expr_lt(lifter->pool, expr_index(lifter->pool, 0), loop->loop.interval.length);
    wrap(branch, &branch->branch.body, loop);
}

static void sort_by_size(Exprs *values) {
    for (size_t i = 1; i < values->length; i++)
        for (size_t k = i; k > 0 && values->data[k]->tree_size < values->data[k - 1]->tree_size;
             k--) {
            Expr first = values->data[k - 1];
            values->data[k - 1] = values->data[k];
            values->data[k] = first;
        }
}

/* A value may be a part of a greater one: then that is made of its variable. */
static void lift_before(Lifter *lifter, Lifts *lifts) {
    Replacing replacing = {lifter, map_create(lifter->arena)};
    Stmt *loop = lifts->loop;
    const char *name = arena_format(lifter->arena, "%s.lift", loop->loop.binder->text);
    bool is_guarded = lifts->is_placed && !is_never_empty(loop);
    if (is_guarded)
        wrap_in_if(lifter, loop);
    sort_by_size(&lifts->values);
    for (size_t i = 0; i < lifts->values.length; i++) {
        Expr value = replace(&replacing, lifts->values.data[i]);
        if (value->op == OP_VARIABLE)
            continue;
        Symbol binder = symbol_fresh(&lifter->pool->context->symbols, name);
        wrap_in_let(lifter, loop, binder, value);
        map_put(&replacing.variables, value,
                (void *)expr_variable(lifter->pool, binder, value->type));
    }
    StmtVisitor visitor = {.data = &replacing, .enter = replace_in};
    block_visit(&loop->loop.body, &visitor);
}

void lower_lift(Program *program, Arena *arena) {
    Pool *pool = program->pool;
    Lifter lifter = {.program = program,
                     .pool = pool,
                     .arena = arena,
                     .depths = map_create(arena),
                     .lifts = map_create(arena),
                     .natures = arena_array(arena, Nature, pool->next_number + 1),
                     .met = arena_array(arena, uint32_t, pool->next_number + 1)};
    StmtVisitor surveying = {.data = &lifter, .enter = survey_enter, .leave = survey_leave};
    StmtVisitor finding = {.data = &lifter, .enter = find_enter, .leave = find_leave};
    block_visit(&program->body, &surveying);
    block_visit(&program->body, &finding);
    for (size_t i = 0; i < lifter.loops.length; i++)
        if (lifter.loops.data[i]->values.length)
            lift_before(&lifter, lifter.loops.data[i]);
}
