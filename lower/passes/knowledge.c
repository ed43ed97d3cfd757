/* knowledge.c -- see knowledge.h.
 *
 * The facts form a stack, and the learned facts are its lower part.  The simplifier's facts are a
 * stack, too.  A frame takes its mark in the simplifier when the first fact of the frame is
 * learned.  So all facts from before the frame are below the mark.
 */
#include "lower/passes/knowledge.h"

Knowledge knowledge_create(const Program *program, Arena *arena) {
    Knowledge knowledge = {.pool = program->pool,
                           .arena = arena,
                           .simplifier = simplifier_create(program->pool, arena)};
    knowledge.multiples = multiples_create(knowledge.simplifier, program->pool, arena);
    return knowledge;
}

/* ---- learning ---- */

static Expr simplify_expanded(Knowledge *k, Expr expr) {
    return simplify(k->simplifier, multiples_expand(&k->multiples, expr));
}

static void learn(Knowledge *k, Expr condition) {
    multiples_learn(&k->multiples, condition); /* first: a known condition simplifies to `true` */
    simplifier_learn(k->simplifier, simplify_expanded(k, condition));
}

void learn_loop_interval(Simplifier *simplifier, Pool *pool, Symbol variable, Extent interval) {
    Expr v = expr_variable(pool, variable, INDEX);
    Expr end = expr_add(pool, interval.minimum, interval.length);
    ConstantInterval range = simplify_interval(simplifier, interval.minimum);
    ConstantInterval last = simplify_interval(simplifier, expr_sub(pool, end, expr_index(pool, 1)));
    range.has_maximum = last.has_maximum;
    range.maximum = last.maximum;
    simplifier_learn_range(simplifier, variable, range);
    simplifier_learn(simplifier, expr_le(pool, interval.minimum, v));
    simplifier_learn(simplifier, expr_lt(pool, v, end));
}

static void learn_loop(Knowledge *k, const Stmt *loop) {
    Extent interval = loop->loop.interval;
    interval.minimum = simplify_expanded(k, interval.minimum);
    interval.length = simplify_expanded(k, interval.length);
    learn_loop_interval(k->simplifier, k->pool, loop->loop.binder, interval);
}

static void learn_let(Knowledge *k, const Stmt *let) {
    Type type = let->let.value->type;
    if (type_is_index(type) || type_is_machine_integer(type))
        simplifier_learn_range(
            k->simplifier, let->let.binder,
            simplify_interval(k->simplifier, multiples_expand(&k->multiples, let->let.value)));
}

static void learn_binder(Knowledge *k, const Stmt *stmt) {
    if (stmt->kind == STMT_FOR)
        learn_loop(k, stmt);
    else
        learn_let(k, stmt);
    if (k->on_binder)
        k->on_binder(k->data, stmt);
}

static void learn_saying(Knowledge *k, Saying saying) {
    const Stmt *stmt = saying.stmt;
    if (stmt->kind == STMT_IF)
        learn(k, saying.otherwise ? expr_not(k->pool, stmt->branch.condition)
                                  : stmt->branch.condition);
    else if (stmt->kind == STMT_ASSERT)
        learn(k, stmt->assertion.condition);
    else
        learn_binder(k, stmt);
}

Simplifier *knowledge_simplifier(Knowledge *k) {
    for (; k->learned < k->said.length; k->learned++) {
        for (; k->marked < k->frames.length && k->frames.data[k->marked].said <= k->learned;
             k->marked++) {
            KnowledgeMark *mark = &k->frames.data[k->marked];
            mark->facts = simplifier_mark(k->simplifier);
            mark->multiples = k->multiples.active.length;
        }
        learn_saying(k, k->said.data[k->learned]);
    }
    return k->simplifier;
}

Expr knowledge_expand(Knowledge *k, Expr expr) {
    knowledge_simplifier(k);
    return multiples_expand(&k->multiples, expr);
}

Expr knowledge_restore(Knowledge *k, Expr expr) {
    knowledge_simplifier(k);
    return multiples_restore(&k->multiples, expr);
}

Expr knowledge_simplify_expanded(Knowledge *k, Expr expr) {
    knowledge_simplifier(k);
    return simplify_expanded(k, expr);
}

Expr knowledge_simplify(Knowledge *k, Expr expr) {
    return knowledge_restore(k, knowledge_simplify_expanded(k, expr));
}

/* ---- the walk ---- */

static bool says_something(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_LET || stmt->kind == STMT_IF ||
           stmt->kind == STMT_ASSERT;
}

void knowledge_learn_statement(Knowledge *k, const Stmt *stmt) {
    if (says_something(stmt))
        vec_push(k->arena, &k->said, (Saying){stmt, false});
}

static void forget(Knowledge *k, const KnowledgeMark *mark) {
    k->said.length = mark->said;
    if (k->learned <= mark->said)
        return; /* none of its facts was learned */
    k->learned = mark->said;
    simplifier_release(k->simplifier, mark->facts);
    multiples_release(&k->multiples, mark->multiples);
}

static bool opens_frame(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_IF || stmt->kind == STMT_LET;
}

/* Before the first statement of an else part: the condition does not hold there. */
static void enter_else(Knowledge *k, const Stmt *stmt) {
    const Stmt *owner = stmt->block->owner;
    if (!owner || owner->kind != STMT_IF || stmt->block != &owner->branch.otherwise ||
        stmt->previous)
        return;
    forget(k, &k->frames.data[k->frames.length - 1]);
    vec_push(k->arena, &k->said, (Saying){owner, true});
}

void knowledge_enter(Knowledge *k, const Stmt *stmt) {
    enter_else(k, stmt);
    if (opens_frame(stmt))
        vec_push(k->arena, &k->frames, (KnowledgeMark){.said = k->said.length});
}

void knowledge_leave(Knowledge *k, const Stmt *stmt) {
    if (!opens_frame(stmt))
        return;
    forget(k, &k->frames.data[--k->frames.length]);
    if (k->marked > k->frames.length)
        k->marked = k->frames.length;
}
