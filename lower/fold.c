/* fold.c -- PASS_FOLD: folded memory holds F coordinates of a dimension, and is addressed by
 * remainders.
 *
 *     allocate f: [(m, w), (n, h)] folding y by 4        allocate f: [(m, w), (0, 4)]
 *     f[x, y] <- ..                                ->    f[x, (y - n) % 4] <- ..
 *     .. f[x, y + 1]                                     .. f[x, (y + 1 - n) % 4]
 *
 * Why that changes nothing is said in bounds/fold.c, and proved by `hlc certify`, of the program as
 * it was before.  From here on coordinates of f are places in its memory.
 *
 * Remainders count from where memory begins, as there a split's block often begins, too: where the
 * loop over the block is unrolled, they are constants.  So lets are put in before it is simplified.
 */
#include "lower/lower.h"

typedef struct Folded {
    const FuncShape *func;
    Expr minimum[MAX_DIMENSIONS]; /* of memory, without lets */
    Expr factor[MAX_DIMENSIONS];  /* null: not folded */
} Folded;

typedef struct Pass {
    Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Map folded;       /* Symbol of a func -> Folded */
    Map values;       /* Symbol of a let of sort index, without reads -> its value without lets */
    ExprMemo inlined; /* of putting these in */
    ExprMemo memo;    /* of the rewriting, since the last allocate statement */
} Pass;

/* ---- lets ---- */

enum { LARGEST_INLINED = 200 }; /* nodes as a tree */

static Expr inline_let(void *data, Pool *pool, Expr node) {
    (void)pool;
    Expr value = node->op == OP_VARIABLE ? map_get(&((Pass *)data)->values, node->name) : NULL;
    return value ? value : node;
}

static Expr without_lets(Pass *pass, Expr expr) {
    return expr_rewrite(pass->pool, &pass->inlined, expr, inline_let, pass);
}

/* ---- indices ---- */

static Expr place_of(Pass *pass, const Folded *folded, int k, Expr index) {
    Expr whole = without_lets(pass, index);
    if (whole->tree_size > LARGEST_INLINED)
        whole = index;
    Expr offset = simplify(pass->simplifier, expr_sub(pass->pool, whole, folded->minimum[k]));
    Expr plain = simplify(pass->simplifier, expr_sub(pass->pool, index, folded->minimum[k]));
    if (plain->tree_size < offset->tree_size)
        offset = plain;
    return simplify(pass->simplifier, expr_mod(pass->pool, offset, folded->factor[k]));
}

static Expr rewrite_access(void *data, Pool *pool, Expr node) {
    Pass *pass = data;
    Expr arguments[MAX_DIMENSIONS];
    const Folded *folded = node->op == OP_ACCESS ? map_get(&pass->folded, node->name) : NULL;
    if (!folded)
        return node;
    for (int k = 0; k < node->arity; k++)
        arguments[k] =
            folded->factor[k] ? place_of(pass, folded, k, node->arguments[k]) : node->arguments[k];
    return expr_with_arguments(pool, node, arguments);
}

static Expr rewrite(void *data, Expr expr) {
    Pass *pass = data;
    return expr_rewrite(pass->pool, &pass->memo, expr, rewrite_access, pass);
}

/* ---- statements ---- */

static void enter_allocate(Pass *pass, Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    if (!stmt->allocate.folds)
        return;
    Folded *folded = arena_new(pass->arena, Folded);
    folded->func = func;
    for (int k = 0; k < func->dimensions; k++) {
        Interval *interval = &stmt->allocate.intervals[k];
        Expr factor = stmt->allocate.folds[k];
        if (!factor)
            continue;
        folded->minimum[k] = without_lets(pass, interval->minimum);
        folded->factor[k] = factor;
        *interval = (Interval){expr_index(pass->pool, 0), factor};
    }
    stmt->allocate.folds = NULL;
    map_put(&pass->folded, func->name, folded);
    pass->memo = expr_memo(pass->arena);
}

/* What is computed are places, too: all of them, as which ones depends on the iteration. */
static void enter_compute(Pass *pass, Stmt *stmt) {
    const Folded *folded = map_get(&pass->folded, stmt->compute.func->name);
    for (int k = 0; folded && k < stmt->compute.func->dimensions; k++)
        if (folded->factor[k])
            stmt->compute.intervals[k] = (Interval){expr_index(pass->pool, 0), folded->factor[k]};
    if (!folded)
        return;
    stmt->compute.held = NULL;
    stmt->compute.slides = NULL;
    stmt->compute.slide_count = 0;
}

static void enter_store(Pass *pass, Stmt *stmt) {
    const Folded *folded = map_get(&pass->folded, stmt->store.func->name);
    for (int k = 0; folded && k < stmt->store.func->dimensions; k++)
        if (folded->factor[k])
            stmt->store.indices[k] = place_of(pass, folded, k, stmt->store.indices[k]);
}

static void enter_let(Pass *pass, const Stmt *let) {
    Expr value = let->let.value;
    if (type_is_index(value->type) && !expr_has_access(pass->arena, value))
        map_put(&pass->values, let->let.binder, without_lets(pass, value));
}

static bool enter(void *data, Stmt *stmt) {
    Pass *pass = data;
    stmt_map_own_exprs(stmt, rewrite, pass);
    switch (stmt->kind) {
    case STMT_ALLOCATE:
        enter_allocate(pass, stmt);
        break;
    case STMT_COMPUTE:
        enter_compute(pass, stmt);
        break;
    case STMT_STORE:
        enter_store(pass, stmt);
        break;
    case STMT_LET:
        enter_let(pass, stmt);
        break;
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_IF:
    case STMT_FOR:
    case STMT_LABEL:
        break;
    }
    return true;
}

static bool is_folded(const Program *program) {
    for (size_t i = 0; i < program->funcs.length; i++)
        for (size_t k = 0; k < program->funcs.data[i]->allocates.length; k++)
            if (program->funcs.data[i]->allocates.data[k]->allocate.folds)
                return true;
    return false;
}

void lower_fold(Program *program, Arena *arena) {
    if (!is_folded(program))
        return;
    Pass pass = {.program = program,
                 .pool = program->pool,
                 .arena = arena,
                 .simplifier = simplifier_create(program->pool, arena),
                 .folded = map_create(arena),
                 .values = map_create(arena),
                 .inlined = expr_memo(arena),
                 .memo = expr_memo(arena)};
    block_visit(&program->body, &(StmtVisitor){.data = &pass, .enter = enter});
}
