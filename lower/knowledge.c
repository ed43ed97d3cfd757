/* knowledge.c -- see knowledge.h. */
#include "lower/knowledge.h"

Knowledge knowledge_create(const Program *program, Arena *arena) {
    Knowledge knowledge = {.pool = program->pool,
                           .arena = arena,
                           .simplifier = simplifier_create(program->pool, arena)};
    knowledge.multiples = multiples_create(knowledge.simplifier, program->pool, arena);
    return knowledge;
}

Expr knowledge_simplify_expanded(Knowledge *k, Expr expr) {
    return simplify(k->simplifier, multiples_expand(&k->multiples, expr));
}

Expr knowledge_simplify(Knowledge *k, Expr expr) {
    return multiples_restore(&k->multiples, knowledge_simplify_expanded(k, expr));
}

static void learn(Knowledge *k, Expr condition) {
    multiples_learn(&k->multiples, condition); /* first: what is known is simplified to `true` */
    simplifier_learn(k->simplifier, knowledge_simplify_expanded(k, condition));
}

static void learn_interval(Knowledge *k, Symbol variable, Interval interval) {
    Pool *pool = k->pool;
    interval.minimum = knowledge_simplify_expanded(k, interval.minimum);
    interval.length = knowledge_simplify_expanded(k, interval.length);
    Expr v = expr_variable(pool, variable, INDEX);
    Expr end = expr_add(pool, interval.minimum, interval.length);
    ConstantInterval minimum = simplify_interval(k->simplifier, interval.minimum);
    ConstantInterval maximum =
        simplify_interval(k->simplifier, expr_sub(pool, end, expr_index(pool, 1)));
    simplifier_learn_range(k->simplifier, variable,
                           (ConstantInterval){.has_minimum = minimum.has_minimum,
                                              .minimum = minimum.minimum,
                                              .has_maximum = maximum.has_maximum,
                                              .maximum = maximum.maximum});
    simplifier_learn(k->simplifier, expr_le(pool, interval.minimum, v));
    simplifier_learn(k->simplifier, expr_lt(pool, v, end));
}

static void learn_let(Knowledge *k, const Stmt *let) {
    Type type = let->let.value->type;
    if (type_is_index(type) || type_is_machine_integer(type))
        simplifier_learn_range(
            k->simplifier, let->let.binder,
            simplify_interval(k->simplifier, multiples_expand(&k->multiples, let->let.value)));
}

void knowledge_learn_statement(Knowledge *k, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_FOR:
        learn_interval(k, stmt->loop.binder, stmt->loop.interval);
        break;
    case STMT_LET:
        learn_let(k, stmt);
        break;
    case STMT_IF:
        learn(k, stmt->branch.condition);
        break;
    case STMT_ASSERT:
        learn(k, stmt->assertion.condition);
        break;
    case STMT_NOP:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_COMPUTE:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    }
}

static void forget(Knowledge *k, KnowledgeMark mark) {
    simplifier_release(k->simplifier, mark.facts);
    multiples_release(&k->multiples, mark.multiples);
}

static bool opens_frame(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_IF || stmt->kind == STMT_LET;
}

/* Before the first statement of an else part: the condition is now known not to hold. */
static void enter_else(Knowledge *k, const Stmt *stmt) {
    const Stmt *owner = stmt->block->owner;
    if (!owner || owner->kind != STMT_IF || stmt->block != &owner->branch.otherwise ||
        stmt->previous)
        return;
    forget(k, k->frames.data[k->frames.length - 1]);
    learn(k, expr_not(k->pool, owner->branch.condition));
}

void knowledge_enter(Knowledge *k, const Stmt *stmt) {
    enter_else(k, stmt);
    if (!opens_frame(stmt))
        return;
    KnowledgeMark mark = {simplifier_mark(k->simplifier), k->multiples.active.length};
    vec_push(k->arena, &k->frames, mark);
}

void knowledge_leave(Knowledge *k, const Stmt *stmt) {
    if (opens_frame(stmt))
        forget(k, k->frames.data[--k->frames.length]);
}
