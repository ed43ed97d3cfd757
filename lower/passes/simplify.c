/* simplify.c -- PASS_SIMPLIFY: simplifies every expression under the facts at its place, and
 * removes statements that cannot run.
 *
 *     let x = 0 + xo*256 + xi in             if 256*xo + xi < out.extent.0 then
 *       if x < 0 + out.extent.0 then           out[256*xo + xi] <- 1
 *         out[x] <- 1                    =>
 *     for y in (0, n - n) do ..              (nothing)
 *
 * The facts are those that the program itself states (knowledge.h), so the pass may run on any
 * hole-free program.
 *
 * A variable that is known to be a multiple of a constant is written so while its expressions are
 * simplified (multiples.h).
 *
 * A let is removed if its value is a leaf, if its variable is unused, or if it is used once with no
 * loop between.  (A value that reads memory stays: stores may lie between.)  An `if` with a
 * constant condition is replaced by the branch taken.  A loop of length 0 is removed.
 *
 * The pass walks the statements once.  It collects what it removes, and removes it afterwards.  It
 * substitutes lets as it meets them.  That is sound with one memo: an expression that mentions a
 * binder stands in its scope, so it is first rewritten after the binder is known.
 */
#include "lower/lower.h"

#include "decide/decide.h"
#include "lower/passes/knowledge.h"
#include "lower/passes/splice.h"

/* The number of uses of a let's variable, and of loops around them. */
typedef struct LetUses {
    size_t count;
    int depth; /* the greatest number of loops around a use */
} LetUses;

typedef struct Simplification {
    Program *program;
    Arena *arena;
    Knowledge knowledge;
    Map uses;             /* binder of a let -> LetUses */
    uint64_t lets;        /* the bits of these binders among an expression's unknowns */
    Substitution gone;    /* binder of a removed let -> its value */
    Substitution inlined; /* binder of a remaining let -> its value without such binders */
    int depth;            /* loops around the current statement */
    Vec(Stmt *) removed, unwrapped; /* in program order */
} Simplification;

/* ---- uses ---- */

static void count_use(Simplification *pass, Expr expr) {
    LetUses *uses = expr->op == OP_VARIABLE ? map_get(&pass->uses, expr->name) : NULL;
    if (!uses)
        return;
    uses->count++;
    if (pass->depth > uses->depth)
        uses->depth = pass->depth;
}

static void count_arguments(void *data, Expr node) {
    for (int i = 0; i < node->arity; i++)
        count_use(data, node->arguments[i]);
}

static Expr count_in(void *data, Expr expr) {
    Simplification *pass = data;
    if (!(expr->unknowns & pass->lets))
        return expr;
    count_use(pass, expr);
    expr_visit(pass->arena, expr, count_arguments, pass);
    return expr;
}

static bool count_enter(void *data, Stmt *stmt) {
    Simplification *pass = data;
    stmt_map_own_exprs(stmt, count_in, pass);
    if (stmt->kind == STMT_FOR)
        pass->depth++;
    if (stmt->kind == STMT_LET) {
        LetUses *uses = arena_new(pass->arena, LetUses);
        uses->depth = pass->depth;
        map_put(&pass->uses, stmt->let.binder, uses);
        pass->lets |= expr_unknown_bit(stmt->let.binder->hash);
    }
    return true;
}

static void count_leave(void *data, Stmt *stmt) {
    if (stmt->kind == STMT_FOR)
        ((Simplification *)data)->depth--;
}

/* May the let be removed, its value replacing the variable? */
static bool let_goes(Simplification *pass, const Stmt *let) {
    Expr value = let->let.value;
    const LetUses *uses = map_get(&pass->uses, let->let.binder);
    if ((value->arity == 0 && !expr_has_access(value)) || uses->count == 0)
        return true;
    return uses->count == 1 && uses->depth == pass->depth && !expr_has_access(value);
}

/* ---- expressions ---- */

enum { LARGEST_INLINED = 256 }; /* nodes as a tree */

static Expr without_lets(Simplification *pass, Expr expr) {
    return substitution_apply(pass->program->pool, &pass->inlined, expr);
}

/* Quotients of let variables that follow from their values.  With x = 64*xo + xi, and xi in [0,
 * 63], x/64 is xo and x % 64 is xi. */
typedef struct NestQuotients {
    Simplification *pass;
    Exprs nodes, values;
} NestQuotients;

static void find_quotient(void *data, Expr node) {
    NestQuotients *quotients = data;
    Simplification *pass = quotients->pass;
    if ((node->op != OP_DIV && node->op != OP_MOD) || !type_is_index(node->type) ||
        !expr_is_constant(node->arguments[1]))
        return;
    Expr inlined = without_lets(pass, node);
    if (inlined == node || inlined->tree_size > LARGEST_INLINED)
        return;
    Expr value = knowledge_simplify_expanded(&pass->knowledge, inlined);
    if (expr_holds(value, HOLDS_DIVISION))
        return;
    vec_push(pass->arena, &quotients->nodes, node);
    vec_push(pass->arena, &quotients->values, value);
}

static Expr keep_node(void *data, Pool *pool, Expr node) {
    (void)data, (void)pool;
    return node;
}

static Expr with_quotients(Simplification *pass, Expr expr) {
    NestQuotients quotients = {.pass = pass};
    if (!expr_holds(expr, HOLDS_DIVISION))
        return expr;
    expr_visit(pass->arena, expr, find_quotient, &quotients);
    if (quotients.nodes.length == 0)
        return expr;
    ExprMemo memo = expr_memo(pass->arena);
    for (size_t i = 0; i < quotients.nodes.length; i++)
        expr_memo_put(&memo, quotients.nodes.data[i], quotients.values.data[i]);
    return simplify(knowledge_simplifier(&pass->knowledge),
                    expr_rewrite(pass->program->pool, &memo, expr, keep_node, pass));
}

static Expr simplify_expr(void *data, Expr expr) {
    Simplification *pass = data;
    Expr replaced = substitution_apply(pass->program->pool, &pass->gone, expr);
    Expr simple = with_quotients(pass, knowledge_simplify_expanded(&pass->knowledge, replaced));
    return knowledge_restore(&pass->knowledge, simple);
}

/* Expands a condition on let variables, which may follow from their values: facts about loops are
 * stated over loop variables.  Example: `x < n` with x = xo*k + xi.  Null if it is a constant or
 * too large. */
static Expr question(Simplification *pass, Expr condition) {
    Expr inlined = without_lets(pass, condition);
    if (expr_is_constant(condition) || inlined->tree_size > LARGEST_INLINED)
        return NULL;
    return knowledge_expand(&pass->knowledge, inlined);
}

/* Decides the condition; an undecided one stays as it is. */
static Expr settle(Simplification *pass, Expr condition) {
    Expr asked = question(pass, condition);
    if (!asked)
        return condition;
    switch (decide_prove(knowledge_simplifier(&pass->knowledge), asked)) {
    case PROOF_HOLDS:
        return expr_bool(pass->program->pool, true);
    case PROOF_REFUTED:
        return expr_bool(pass->program->pool, false);
    case PROOF_UNKNOWN:
        break;
    }
    return condition;
}

/* ---- the walk ---- */

static bool has_constant_condition(const Stmt *branch) {
    return expr_is_constant(branch->branch.condition);
}

/* Is the statement in the branch that a constant condition does not take? */
static bool is_dead(const Stmt *stmt) {
    const Stmt *owner = stmt->block->owner;
    if (!owner || owner->kind != STMT_IF || !has_constant_condition(owner))
        return false;
    const Block *taken =
        expr_is_true(owner->branch.condition) ? &owner->branch.body : &owner->branch.otherwise;
    return stmt->block != taken;
}

static void enter_let(Simplification *pass, Stmt *stmt) {
    if (let_goes(pass, stmt)) {
        substitution_add(&pass->gone, stmt->let.binder, stmt->let.value);
        vec_push(pass->arena, &pass->unwrapped, stmt);
    } else {
        knowledge_learn_statement(&pass->knowledge, stmt);
        if (!expr_has_access(stmt->let.value))
            substitution_add(&pass->inlined, stmt->let.binder, without_lets(pass, stmt->let.value));
    }
}

static void enter_if(Simplification *pass, Stmt *stmt) {
    stmt->branch.condition = settle(pass, stmt->branch.condition);
    if (has_constant_condition(stmt))
        vec_push(pass->arena, &pass->unwrapped, stmt);
    else
        knowledge_learn_statement(&pass->knowledge, stmt);
}

/* Is the assertion implied by earlier ones?  Then it is removed.  An assertion that never holds
 * stays as written, and refuses. */
static bool is_implied(Simplification *pass, Expr condition) {
    Expr asked = question(pass, condition);
    return expr_is_true(condition) ||
           (asked && decide_proves(knowledge_simplifier(&pass->knowledge), asked));
}

static void enter_assert(Simplification *pass, Stmt *stmt) {
    if (is_implied(pass, stmt->assertion.condition))
        vec_push(pass->arena, &pass->removed, stmt);
    else
        knowledge_learn_statement(&pass->knowledge, stmt);
}

static bool is_empty(const Stmt *loop) {
    return expr_is_constant(loop->loop.interval.length) && loop->loop.interval.length->bits == 0;
}

/* Returns false if the loop is removed. */
static bool enter_loop(Simplification *pass, Stmt *stmt) {
    if (is_empty(stmt))
        vec_push(pass->arena, &pass->removed, stmt);
    else
        knowledge_learn_statement(&pass->knowledge, stmt);
    return !is_empty(stmt);
}

static bool simplify_statement(Simplification *pass, Stmt *stmt) {
    stmt_map_own_exprs(stmt, simplify_expr, pass);
    switch (stmt->kind) {
    case STMT_FOR:
        return enter_loop(pass, stmt);
    case STMT_LET:
        enter_let(pass, stmt);
        break;
    case STMT_IF:
        enter_if(pass, stmt);
        break;
    case STMT_ASSERT:
        enter_assert(pass, stmt);
        break;
    case STMT_NOP:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_COMPUTE:
    case STMT_LABEL:
    case STMT_PREFETCH:
        break;
    }
    return true;
}

static bool enter(void *data, Stmt *stmt) {
    Simplification *pass = data;
    knowledge_enter(&pass->knowledge, stmt);
    if (stmt->kind == STMT_FOR)
        pass->depth++;
    return !is_dead(stmt) && simplify_statement(pass, stmt);
}

static void leave(void *data, Stmt *stmt) {
    Simplification *pass = data;
    knowledge_leave(&pass->knowledge, stmt);
    if (stmt->kind == STMT_FOR)
        pass->depth--;
}

void lower_simplify(Program *program, Arena *arena) {
    Simplification pass = {.program = program,
                           .arena = arena,
                           .knowledge = knowledge_create(program, arena),
                           .uses = map_create(arena),
                           .gone = substitution_create(arena),
                           .inlined = substitution_create(arena)};
    StmtVisitor counting = {.data = &pass, .enter = count_enter, .leave = count_leave};
    StmtVisitor simplifying = {.data = &pass, .enter = enter, .leave = leave};
    block_visit(&program->body, &counting);
    block_visit(&program->body, &simplifying);
    for (size_t i = pass.unwrapped.length; i-- > 0;)
        splice_unwrap(pass.unwrapped.data[i]);
    for (size_t i = pass.removed.length; i-- > 0;)
        stmt_unlink(pass.removed.data[i]);
    splice_register(program);
}
