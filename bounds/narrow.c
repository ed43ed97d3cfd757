/* narrow.c -- a specialization leaves out the arms of selects that its condition decides.
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

static Expr choose_arm(void *data, Pool *pool, Expr node) {
    (void)pool;
    ArmChoices *choices = data;
    if (node->op != OP_SELECT || expr_has_access(node->arguments[0]))
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

static bool narrow_statement(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE) {
        narrow_block(data, stmt, &stmt->branch.body);
        narrow_block(data, stmt, &stmt->branch.otherwise);
    }
    return true;
}

void narrow_specializations(BoundsInference *bounds) {
    block_visit(&bounds->program->body, &(StmtVisitor){bounds, narrow_statement, NULL});
}
