/* unroll.c -- PASS_UNROLL: writes out the iterations of an unrolled loop that decide a test.
 *
 *     for e in (0, 2) unrolled do                        for e in (0, 1) unrolled do
 *       f[e] <- select((e*4 + q)/4 % 2 == 0,      =>       f[e] <- p(e)
 *                      p(e), n(e))                       for e'2 in (1, 1) unrolled do
 *                                                          f[e'2] <- n(e'2)
 *     (q in (0, 4))
 *
 * The code generator unrolls loops, too, and folds constants, but knows no facts: LLVM makes masks of
 * such a condition.
 *
 * Which loops: unrolled ones of 2 to MOST_ITERATIONS iterations, MOST_COPIES with the loops inside,
 * but not those that run rarely.
 * A test is the condition of a select or an `if`. It mentions the loop's variable, perhaps through
 * lets, and is a constant in each iteration, though not in all together. It reads no memory and
 * cannot err.
 *
 * Why it is sound. The iterations are the original ones, in the same order. In a loop of one
 * iteration the variable has one value, and under the facts of the place the condition is the
 * constant that replaces it.
 */
#include "lower/lower.h"
#include "lower/passes/conditions.h"
#include "lower/passes/splice.h"

enum { MOST_ITERATIONS = 16, MOST_COPIES = 64 };

typedef struct Unroller {
    Program *program;
    Arena *arena;
    Knowledge knowledge;
    Vec(Stmt *) around;   /* loops and lets */
    int rare;             /* loops around that run rarely */
    Map decided;          /* Stmt, an unrolled loop some of whose tests its iterations decide */
    Vec(Stmt *) loops;    /* those, outer ones first */
    bool settles;         /* the second walk: replaces decided tests */
    Vec(Stmt *) branches; /* `if`s that have become constant */
} Unroller;

/* Returns the condition as one over indices and the variables of loops; null if it reads memory
 * through a let. */
static Expr over_loops(Unroller *u, Expr condition) {
    for (size_t i = u->around.length; condition && i-- > 0;) {
        const Stmt *stmt = u->around.data[i];
        if (stmt->kind != STMT_LET || !expr_mentions(u->arena, condition, stmt->let.binder))
            continue;
        condition = expr_has_access(stmt->let.value)
                        ? NULL
                        : expr_substitute(u->program->pool, u->arena, condition, stmt->let.binder,
                                          stmt->let.value);
    }
    return condition ? condition_in_indices(&u->knowledge, condition) : NULL;
}

static bool iterations_of(const Stmt *stmt, int64_t *count) {
    return stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_UNROLLED &&
           expr_constant_integer(stmt->loop.interval.length, count) && *count >= 1 &&
           *count <= MOST_ITERATIONS;
}

/* Is the condition a constant in each iteration of the loop, and do facts say so?  Without them the
 * code generator finds the constant itself. */
static bool is_decided_by(Unroller *u, Expr condition, const Stmt *loop, int64_t count) {
    Pool *pool = u->program->pool;
    bool needs_facts = false;
    for (int64_t k = 0; k < count; k++) {
        Expr value = expr_add(pool, loop->loop.interval.minimum, expr_index(pool, k));
        Expr here = expr_substitute(pool, u->arena, condition, loop->loop.binder, value);
        needs_facts |= !expr_is_constant(here);
        if (!expr_is_constant(knowledge_simplify(&u->knowledge, here)))
            return false;
    }
    return needs_facts;
}

/* Notes the unrolled loops whose iterations decide the condition. */
static void note(Unroller *u, Expr condition) {
    if (expr_is_constant(condition) || expr_has_access(condition) ||
        condition_may_err(&u->knowledge, condition))
        return;
    Expr over = over_loops(u, condition);
    int64_t count;
    for (size_t i = 0; over && i < u->around.length; i++) {
        Stmt *loop = u->around.data[i];
        if (iterations_of(loop, &count) && count > 1 && !map_get(&u->decided, loop) &&
            expr_mentions(u->arena, over, loop->loop.binder) && is_decided_by(u, over, loop, count))
            map_put(&u->decided, loop, loop);
    }
}

/* Returns the constant that the condition is, else the condition. */
static Expr settled(Unroller *u, Expr condition) {
    if (expr_is_constant(condition) || expr_has_access(condition) ||
        condition_may_err(&u->knowledge, condition))
        return condition;
    Expr over = over_loops(u, condition);
    over = over ? knowledge_simplify(&u->knowledge, over) : condition;
    return expr_is_constant(over) ? over : condition;
}

static Expr settle_select(void *data, Pool *pool, Expr node) {
    (void)pool;
    if (node->op != OP_SELECT)
        return node;
    Expr condition = settled(data, node->arguments[0]);
    return !expr_is_constant(condition) ? node : node->arguments[expr_is_true(condition) ? 1 : 2];
}

static void note_select(void *data, Expr node) {
    if (node->op == OP_SELECT)
        note(data, node->arguments[0]);
}

static Expr test_expr(void *data, Expr expr) {
    Unroller *u = data;
    if (!expr_holds(expr, HOLDS_CHOICE))
        return expr;
    if (!u->settles) {
        expr_visit(u->arena, expr, note_select, u);
        return expr;
    }
    Expr made = expr_rewrite_alone(u->program->pool, u->arena, expr, settle_select, u);
    return made == expr ? expr : knowledge_simplify(&u->knowledge, made);
}

static bool is_inside_unrolled(const Unroller *u) {
    int64_t count;
    for (size_t i = 0; i < u->around.length && !u->rare; i++)
        if (iterations_of(u->around.data[i], &count) && (u->settles ? count == 1 : count > 1))
            return true;
    return false;
}

static void test_statement(Unroller *u, Stmt *stmt) {
    stmt_map_own_exprs(stmt, test_expr, u);
    if (stmt->kind != STMT_IF)
        return;
    if (!u->settles) {
        note(u, stmt->branch.condition);
        return;
    }
    stmt->branch.condition = settled(u, stmt->branch.condition);
    if (expr_is_constant(stmt->branch.condition))
        vec_push(u->arena, &u->branches, stmt);
}

static bool enter(void *data, Stmt *stmt) {
    Unroller *u = data;
    knowledge_enter(&u->knowledge, stmt);
    if (is_inside_unrolled(u))
        test_statement(u, stmt);
    knowledge_learn_statement(&u->knowledge, stmt);
    if (stmt->kind == STMT_FOR || stmt->kind == STMT_LET)
        vec_push(u->arena, &u->around, stmt);
    u->rare += stmt->kind == STMT_FOR && stmt->loop.rare;
    return true;
}

static void leave(void *data, Stmt *stmt) {
    Unroller *u = data;
    knowledge_leave(&u->knowledge, stmt);
    if (stmt->kind != STMT_FOR && stmt->kind != STMT_LET)
        return;
    u->around.length--;
    u->rare -= stmt->kind == STMT_FOR && stmt->loop.rare;
    if (!u->settles && map_get(&u->decided, stmt))
        vec_push(u->arena, &u->loops, stmt);
}

static void walk(Unroller *u) {
    u->knowledge = knowledge_create(u->program, u->arena);
    StmtVisitor visitor = {.data = u, .enter = enter, .leave = leave};
    block_visit(&u->program->body, &visitor);
}

/* Returns how many copies of the innermost statement the unrolled loops inside make. */
static bool count_copies(void *data, Stmt *stmt) {
    int64_t *copies = data, count;
    if (iterations_of(stmt, &count))
        *copies *= count;
    return *copies <= MOST_COPIES;
}

/* Replaces the loop by one of a single iteration for each of its iterations. */
static bool write_out(Unroller *u, Stmt *loop) {
    Pool *pool = u->program->pool;
    Expr first = loop->loop.interval.minimum;
    int64_t count = 1, copies = 1;
    StmtVisitor counting = {.data = &copies, .enter = count_copies};
    if (!iterations_of(loop, &count) || count == 1)
        return false;
    count_copies(&copies, loop);
    block_visit(&loop->loop.body, &counting);
    if (copies > MOST_COPIES)
        return false;
    loop->loop.interval.length = expr_index(pool, 1);
    for (int64_t k = count - 1; k > 0; k--) {
        Stmt *copy = splice_copy_loop(u->program, loop);
        copy->loop.interval.minimum = expr_add(pool, first, expr_index(pool, k));
        stmt_insert_after(loop, copy);
    }
    return true;
}

void lower_unroll(Program *program, Arena *arena) {
    Unroller u = {.program = program, .arena = arena, .decided = map_create(arena)};
    walk(&u);
    bool is_changed = false;
    for (size_t i = 0; i < u.loops.length; i++) /* inner ones first: copies are of few statements */
        is_changed |= write_out(&u, u.loops.data[i]);
    if (!is_changed)
        return;
    u.settles = true;
    walk(&u);
    for (size_t i = u.branches.length; i-- > 0;)
        splice_branch(u.branches.data[i]);
    splice_register(program);
}
