/* narrow.c -- a specialization narrows what is read in its branches.
 *
 * It leaves out the arms of selects that its condition decides.
 *
 *     if p then specialize                            if p then specialize
 *       f[x] <- select(p, a[x + 10], a[x - 10])   ->    f[x] <- a[x + 10]
 *     else                                            else
 *       f[x] <- select(p, a[x + 10], a[x - 10])         f[x] <- a[x - 10]
 *
 * The oracle does this before it collects reads, so what the other arm reads is asked of nobody.
 * What is left is read under the condition: seen from outside of the branch, a read counts only
 * where the condition holds (view_condition).
 *
 * A branch with a tail that shifts is read under its condition, too: `specialize(f, f.extent(0) >= 8)`
 * says that no block of 8 begins before the window.
 *
 * Why it is sound.  The condition is a startup expression and holds in the whole branch.  A select
 * picks one arm, and the value of the other arm has no effect.  The arm is gone from the program
 * itself, so no later pass can evaluate it.  Without a specialization, code evaluates both arms;
 * there the reads of both are demanded (semantics.md, section 1).
 */
#include "bounds/inference.h"

typedef struct ArmChoices {
    BoundsInference *bounds;
    ExprMemo memo;
    bool changed;
} ArmChoices;

/* ---- expressions ---- */

static bool may_be_decided(Expr node) {
    return node->op == OP_SELECT && !expr_has_access(node->arguments[0]);
}

static Expr choose_arm(void *data, Pool *pool, Expr node) {
    (void)pool;
    ArmChoices *choices = data;
    if (!may_be_decided(node))
        return node;
    Expr condition = simplify(choices->bounds->simplifier, node->arguments[0]);
    if (condition->op != OP_CONSTANT)
        return node;
    choices->changed = true;
    return node->arguments[expr_is_true(condition) ? 1 : 2];
}

static Expr narrow_expr(void *data, Expr expr) {
    ArmChoices *choices = data;
    return expr_rewrite(choices->bounds->pool, &choices->memo, expr, choose_arm, choices);
}

/* ---- branches ---- */

/* What the branches around `branch` and `block`, one of its two, say. */
static void learn_branches(BoundsInference *bounds, const Stmt *branch, const Block *block) {
    for (const Stmt *stmt = branch; stmt; block = stmt->block, stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE)
            simplifier_learn(bounds->simplifier, inference_branch(bounds, stmt, block));
}

static void narrow_block(BoundsInference *bounds, Stmt *branch, Block *block) {
    ArmChoices choices = {.bounds = bounds, .memo = expr_memo(bounds->arena)};
    FactMark mark = simplifier_mark(bounds->simplifier);
    learn_branches(bounds, branch, block);
    block_map_exprs(block, narrow_expr, &choices);
    simplifier_release(bounds->simplifier, mark);
    for (Stmt *stmt = branch; choices.changed && stmt; stmt = stmt_parent(stmt))
        map_put(&bounds->narrowed, stmt, stmt);
}

/* ---- which branches ---- */

/* The statements with a select that may be decided, inside or in their own expressions.  Most have
 * none.  So a long chain of branches is not looked through for each of them. */
typedef struct ArmSearch {
    BoundsInference *bounds;
    Map choices; /* Expr -> whether a select in it may be decided */
    Map holders; /* Stmt -> itself */
    const Stmt *stmt;
} ArmSearch;

static const bool yes = true, no = false;

static bool is_known(void *data, Expr node) {
    return map_get(&((ArmSearch *)data)->choices, node);
}

static void look_at(void *data, Expr node) {
    ArmSearch *search = data;
    bool holds = may_be_decided(node);
    for (int i = 0; i < node->arity && !holds; i++)
        holds = *(const bool *)map_get(&search->choices, node->arguments[i]);
    map_put(&search->choices, node, holds ? &yes : &no);
}

static void look_in(void *data, Expr expr) {
    ArmSearch *search = data;
    expr_visit_rest(search->bounds->arena, expr, is_known, look_at, search);
    if (!*(const bool *)map_get(&search->choices, expr))
        return;
    for (const Stmt *stmt = search->stmt; stmt && !map_get(&search->holders, stmt);
         stmt = stmt_parent(stmt))
        map_put(&search->holders, stmt, stmt);
}

static bool find_holder(void *data, Stmt *stmt) {
    ((ArmSearch *)data)->stmt = stmt;
    stmt_each_expr(stmt, look_in, data);
    return true;
}

static bool holds_choice(const ArmSearch *search, const Block *block) {
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next)
        if (map_get(&search->holders, stmt))
            return true;
    return false;
}

static bool narrow_statement(void *data, Stmt *stmt) {
    ArmSearch *search = data;
    if (!map_get(&search->holders, stmt))
        return false;
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE) {
        if (holds_choice(search, &stmt->branch.body))
            narrow_block(search->bounds, stmt, &stmt->branch.body);
        if (holds_choice(search, &stmt->branch.otherwise))
            narrow_block(search->bounds, stmt, &stmt->branch.otherwise);
    }
    return true;
}

/* ---- tails that shift ---- */

/* The base of a shifted block is the lesser of its own and the last one inside: min(vo*k, n - k) + vi.
 * Where the branch says k <= n, it lies inside. */
static bool shifts(const Stmt *stmt) {
    Expr value = stmt->kind == STMT_LET && stmt->let.tail == TAIL_INSIDE ? stmt->let.value : NULL;
    if (value && value->op == OP_ADD)
        value = value->arguments[value->arguments[0]->op == OP_MIN ? 0 : 1];
    return value && value->op == OP_MIN;
}

static bool find_shift(void *data, Stmt *stmt) {
    BoundsInference *bounds = data;
    if (shifts(stmt))
        for (Stmt *at = stmt; at; at = stmt_parent(at))
            map_put(&bounds->narrowed, at, at);
    return true;
}

void narrow_specializations(BoundsInference *bounds) {
    ArmSearch search = {bounds, map_create(bounds->arena), map_create(bounds->arena), NULL};
    block_visit(&bounds->program->body, &(StmtVisitor){&search, find_holder, NULL});
    block_visit(&bounds->program->body, &(StmtVisitor){&search, narrow_statement, NULL});
    block_visit(&bounds->program->body, &(StmtVisitor){bounds, find_shift, NULL});
}
