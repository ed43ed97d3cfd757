/* licm.c -- PASS_LICM: loop-invariant code motion of expensive expressions.
 *
 *     for y .. do                                   let out.y.lift = exp(w) in
 *       for x .. do                                   for y .. do
 *         out[x, y] <- in[x, y]*(exp(w)/t[y])  =>       let out.x.lift = out.y.lift/t[y] in
 *                                                         for x .. do
 *                                                           out[x, y] <- in[x, y]*out.x.lift
 *
 * The pass hoists expressions with a load, a function, a square root, or a division by something
 * that is not constant.  LLVM hoists the rest itself, and cheaply.  LLVM cannot hoist these: it
 * cannot see that they may run where the loop does not, or that no store meets the load.
 *
 * An expression goes before the outermost loop in which all its operands are bound outside, if that
 * leaves a loop that is neither vectorized nor unrolled.  If its parts belong to different places,
 * it is taken apart, as above.  Equal expressions that go to the same loop share one let.
 *
 * Why it is sound.  Variables have one value in a let's body; operators are functions of their
 * operands, and all are total.  So expressions without loads can move.  A load moves under two
 * conditions.  First, no statement of the loop writes its func, computes it (a compute statement of
 * an eager func has no store) or allocates it.  Second, it runs in every iteration: under no `if`,
 * in loops that have an iteration for certain.  The loop that it leaves last may be empty: an `if`
 * around the let tests that.  So nothing is read that was not read before.  The same conditions
 * hold for index arithmetic, which was shown to stay within 64 bits where it stood.  Loops that are
 * rare (partition.c) give no reason to hoist.
 *
 * Three kinds of expressions stay.  Loads inside a vectorized loop: their code depends on the store
 * that uses them (codegen/emit/vector.c).  Bounds of loops, and indices that are no load: LLVM
 * hoists them.
 */
#include "lower/lower.h"

#include "ir/extern.h"

/* The expressions to compute before a loop. */
typedef struct LoopInvariants {
    Stmt *loop;
    Map written;    /* Symbols of the funcs that it stores, computes or allocates */
    Exprs values;   /* as they stand in the program */
    Map known;      /* each of them -> itself */
    bool is_placed; /* one of them may run only if the loop does */
} LoopInvariants;

/* The variables that an expression depends on, and what it holds. */
typedef struct Nature {
    bool is_known, is_dear, is_placed; /* placed: may run only where it ran */
    uint32_t depth; /* the number of surrounding statements that bind its variables */
} Nature;

typedef struct Hoister {
    Program *program;
    Pool *pool;
    Arena *arena;
    Map depths;                  /* Symbol of a binder -> size_t, as Nature.depth */
    Map invariants;              /* Stmt of a loop -> LoopInvariants */
    Vec(LoopInvariants *) loops; /* in program order */
    Vec(const Stmt *) around;    /* loops, lets, ifs */
    int rare;                    /* loops around */
    Nature *natures;             /* by node number */
    uint32_t *met, search;       /* by node number: the statement that last met it */
} Hoister;

/* ---- what loops write ---- */

static bool survey_enter(void *data, Stmt *stmt) {
    Hoister *hoister = data;
    Symbol func = stmt->kind == STMT_STORE      ? stmt->store.func->name
                  : stmt->kind == STMT_COMPUTE  ? stmt->compute.func->name
                  : stmt->kind == STMT_ALLOCATE ? stmt->allocate.func->name
                                                : NULL;
    if (stmt->kind == STMT_FOR) {
        LoopInvariants *invariants = arena_new(hoister->arena, LoopInvariants);
        *invariants = (LoopInvariants){.loop = stmt,
                                       .written = map_create(hoister->arena),
                                       .known = map_create(hoister->arena)};
        map_put(&hoister->invariants, stmt, invariants);
        vec_push(hoister->arena, &hoister->loops, invariants);
        vec_push(hoister->arena, &hoister->around, stmt);
    }
    for (size_t i = 0; func && i < hoister->around.length; i++) {
        LoopInvariants *invariants = map_get(&hoister->invariants, hoister->around.data[i]);
        map_put(&invariants->written, func, func);
    }
    return true;
}

static void survey_leave(void *data, Stmt *stmt) {
    Hoister *hoister = data;
    hoister->around.length -= stmt->kind == STMT_FOR;
}

/* ---- expressions ---- */

static bool is_dear(Expr node) {
    if (node->op == OP_ACCESS || node->op == OP_SQRT)
        return true;
    if (node->op == OP_DIV || node->op == OP_MOD)
        return !type_is_index(node->type) && !expr_is_constant(node->arguments[1]);
    return node->op < OP_COUNT && (op_info((Op)node->op)->traits & FINZ);
}

/* The natures of its arguments are known. */
static void find_nature(void *data, Expr node) {
    Hoister *hoister = data;
    Nature *nature = &hoister->natures[node->number];
    if (nature->is_known)
        return;
    *nature = (Nature){.is_known = true,
                       .is_dear = is_dear(node),
                       .is_placed =
                           node->op == OP_ACCESS || (node->arity > 0 && type_is_index(node->type))};
    const size_t *depth = node->op == OP_VARIABLE ? map_get(&hoister->depths, node->name) : NULL;
    if (depth)
        nature->depth = (uint32_t)*depth;
    for (int i = 0; i < node->arity; i++) {
        const Nature *part = &hoister->natures[node->arguments[i]->number];
        nature->depth = part->depth > nature->depth ? part->depth : nature->depth;
        nature->is_dear |= part->is_dear;
        nature->is_placed |= part->is_placed;
    }
}

/* ---- the place of an expression ---- */

static bool reads_written(Hoister *hoister, Expr expr, const Stmt *loop) {
    const LoopInvariants *invariants = map_get(&hoister->invariants, loop);
    Exprs accesses = {0};
    expr_accesses(hoister->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (map_get(&invariants->written, accesses.data[i]->name))
            return true;
    return false;
}

static bool is_never_empty(const Stmt *loop) {
    int64_t length;
    return expr_constant_integer(loop->loop.interval.length, &length) && length >= 1;
}

/* Does hoisting out of the loop save a recomputation? */
static bool is_worth_leaving(const Stmt *loop) {
    int64_t length;
    return (loop->loop.traversal == TRAVERSE_SERIAL || loop->loop.traversal == TRAVERSE_PARALLEL) &&
           !(expr_constant_integer(loop->loop.interval.length, &length) && length <= 1);
}

static bool has_vectorized(const Hoister *hoister, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (hoister->around.data[i]->kind == STMT_FOR &&
            hoister->around.data[i]->loop.traversal == TRAVERSE_VECTORIZED)
            return true;
    return false;
}

/* Returns the place in `around` of the loop that the expression leaves last. */
static size_t find_place(Hoister *hoister, Expr expr) {
    const Nature *nature = &hoister->natures[expr->number];
    size_t place = SIZE_MAX;
    bool is_worth = false;
    for (size_t i = hoister->around.length; i-- > nature->depth;) {
        const Stmt *stmt = hoister->around.data[i];
        if (stmt->kind == STMT_IF && nature->is_placed)
            break;
        if (stmt->kind != STMT_FOR)
            continue;
        if (nature->is_placed && reads_written(hoister, expr, stmt))
            break;
        place = i;
        is_worth |= is_worth_leaving(stmt);
        if (nature->is_placed && !is_never_empty(stmt))
            break;
    }
    if (!is_worth || (nature->is_placed && has_vectorized(hoister, place)))
        return SIZE_MAX;
    return place;
}

/* ---- finding them ---- */

typedef struct HoistedPart {
    Expr expr;
    size_t place; /* of the expression that it is a part of */
} HoistedPart;

static void hoist(Hoister *hoister, Expr expr, size_t place) {
    LoopInvariants *invariants = map_get(&hoister->invariants, hoister->around.data[place]);
    invariants->is_placed |= hoister->natures[expr->number].is_placed;
    if (map_get(&invariants->known, expr))
        return;
    map_put(&invariants->known, expr, expr);
    vec_push(hoister->arena, &invariants->values, expr);
}

/* Finds the place of an expression, and of each part that goes further out than its whole. */
static void find_in(void *data, Expr expr) {
    Hoister *hoister = data;
    Vec(HoistedPart) pending = {0};
    expr_visit(hoister->arena, expr, find_nature, hoister);
    hoister->search++;
    vec_push(hoister->arena, &pending, ((HoistedPart){expr, SIZE_MAX}));
    while (pending.length) {
        HoistedPart part = pending.data[--pending.length];
        Expr node = part.expr;
        if (!hoister->natures[node->number].is_dear ||
            hoister->met[node->number] == hoister->search)
            continue;
        hoister->met[node->number] = hoister->search;
        size_t place = type_is_index(node->type) || type_is_bool(node->type)
                           ? SIZE_MAX
                           : find_place(hoister, node);
        if (place < part.place)
            hoist(hoister, node, place);
        else
            place = part.place;
        for (int i = node->arity - 1; i >= 0; i--)
            vec_push(hoister->arena, &pending, ((HoistedPart){node->arguments[i], place}));
    }
}

/* Are the statement's expressions examined and changed? */
static bool is_hoisted_from(const Stmt *stmt) {
    return (stmt->kind == STMT_STORE && !stmt_is_extern(stmt)) || stmt->kind == STMT_IF ||
           (stmt->kind == STMT_LET && !type_is_index(stmt->let.value->type));
}

static bool opens_scope(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_LET || stmt->kind == STMT_IF;
}

static bool find_enter(void *data, Stmt *stmt) {
    Hoister *hoister = data;
    if (hoister->around.length && !hoister->rare && is_hoisted_from(stmt))
        stmt_each_expr(stmt, find_in, hoister);
    if (!opens_scope(stmt))
        return true;
    vec_push(hoister->arena, &hoister->around, stmt);
    hoister->rare += stmt->kind == STMT_FOR && stmt->loop.rare;
    if (stmt->kind == STMT_IF)
        return true;
    size_t *depth = arena_new(hoister->arena, size_t);
    *depth = hoister->around.length;
    map_put(&hoister->depths, stmt->kind == STMT_FOR ? stmt->loop.binder : stmt->let.binder, depth);
    return true;
}

static void find_leave(void *data, Stmt *stmt) {
    Hoister *hoister = data;
    hoister->rare -= stmt->kind == STMT_FOR && stmt->loop.rare;
    hoister->around.length -= opens_scope(stmt);
}

/* ---- hoisting them ---- */

typedef struct InvariantReplacement {
    Hoister *hoister;
    Map variables; /* a hoisted expression, its parts replaced -> the let's variable */
} InvariantReplacement;

static Expr replace_node(void *data, Pool *pool, Expr node) {
    Expr variable = map_get(&((InvariantReplacement *)data)->variables, node);
    (void)pool;
    return variable ? variable : node;
}

static Expr replace(void *data, Expr expr) {
    InvariantReplacement *replacing = data;
    return expr_rewrite_alone(replacing->hoister->pool, replacing->hoister->arena, expr,
                              replace_node, replacing);
}

/* Replaces inside the loop, also in expressions to hoist to an inner loop. */
static bool replace_in(void *data, Stmt *stmt) {
    InvariantReplacement *replacing = data;
    if (is_hoisted_from(stmt))
        stmt_map_own_exprs(stmt, replace, replacing);
    if (stmt->kind != STMT_FOR)
        return true;
    LoopInvariants *invariants = map_get(&replacing->hoister->invariants, stmt);
    for (size_t i = 0; i < invariants->values.length; i++)
        invariants->values.data[i] = replace(replacing, invariants->values.data[i]);
    return true;
}

/* Puts the statement in the place of `inside`, which becomes all of `body`. */
static void wrap(Stmt *outer, Block *body, Stmt *inside) {
    stmt_insert_before(inside, outer);
    stmt_unlink(inside);
    block_append(body, inside);
}

static void wrap_in_let(Hoister *hoister, Stmt *loop, Symbol binder, Expr value) {
    Stmt *let = stmt_create(hoister->program, STMT_LET, loop->place);
    let->let.binder = binder;
    let->let.value = value;
    wrap(let, &let->let.body, loop);
}

static void wrap_in_if(Hoister *hoister, Stmt *loop) {
    Stmt *branch = stmt_create(hoister->program, STMT_IF, loop->place);
    branch->branch.role = IF_PLAIN;
    branch->branch.condition =
        expr_lt(hoister->pool, expr_index(hoister->pool, 0), loop->loop.interval.length);
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

/* A value may be a part of a larger one: then the larger one uses its variable. */
static void hoist_before(Hoister *hoister, LoopInvariants *invariants) {
    InvariantReplacement replacing = {hoister, map_create(hoister->arena)};
    Stmt *loop = invariants->loop;
    const char *name = arena_format(hoister->arena, "%s.lift", loop->loop.binder->text);
    bool is_guarded = invariants->is_placed && !is_never_empty(loop);
    if (is_guarded)
        wrap_in_if(hoister, loop);
    sort_by_size(&invariants->values);
    for (size_t i = 0; i < invariants->values.length; i++) {
        Expr value = replace(&replacing, invariants->values.data[i]);
        if (value->op == OP_VARIABLE)
            continue;
        Symbol binder = symbol_fresh(&hoister->pool->context->symbols, name);
        wrap_in_let(hoister, loop, binder, value);
        map_put(&replacing.variables, value,
                (void *)expr_variable(hoister->pool, binder, value->type));
    }
    StmtVisitor visitor = {.data = &replacing, .enter = replace_in};
    block_visit(&loop->loop.body, &visitor);
}

void lower_licm(Program *program, Arena *arena) {
    Pool *pool = program->pool;
    Hoister hoister = {.program = program,
                       .pool = pool,
                       .arena = arena,
                       .depths = map_create(arena),
                       .invariants = map_create(arena),
                       .natures = arena_array(arena, Nature, pool->next_number + 1),
                       .met = arena_array(arena, uint32_t, pool->next_number + 1)};
    StmtVisitor surveying = {.data = &hoister, .enter = survey_enter, .leave = survey_leave};
    StmtVisitor finding = {.data = &hoister, .enter = find_enter, .leave = find_leave};
    block_visit(&program->body, &surveying);
    block_visit(&program->body, &finding);
    for (size_t i = 0; i < hoister.loops.length; i++)
        if (hoister.loops.data[i]->values.length)
            hoist_before(&hoister, hoister.loops.data[i]);
}
