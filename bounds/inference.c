/* inference.c -- what holds at a block: the values of solved holes, the lets around it, and the
 * facts.
 */
#include "bounds/solver.h"

#include "decide/decide.h"

/* ---- holes ---- */

int shape_dimension(const FuncShape *shape, Symbol variable) {
    for (int k = 0; k < shape->dimensions; k++)
        if (shape->variables[k] == variable)
            return k;
    hlc_assert(false, "a hole names a dimension of its func");
    return 0;
}

typedef struct Resolving {
    BoundsInference *solver;
    const ComputeSite *self; /* its holes are `symbolic`; null: of none */
    const Interval *symbolic;
    Map *memo;
} Resolving;

static Expr hole_value(const Resolving *resolving, Expr node) {
    ComputeSite *site = site_of_hole(resolving->solver, node);
    int k = shape_dimension(site->shape, node->hole->variable);
    bool minimum = node->hole->end == HOLE_MINIMUM;
    if (resolving->self == site) {
        Interval range = resolving->symbolic[k];
        Pool *pool = resolving->solver->pool;
        return minimum
                   ? range.lower
                   : expr_add(pool, expr_sub(pool, range.upper, range.lower), expr_index(pool, 1));
    }
    hlc_assert(site->solved, "consumers are solved before their producers");
    return minimum ? site->compute[k].minimum : site->compute[k].length;
}

static bool is_resolved(void *data, Expr node) {
    return map_get(((const Resolving *)data)->memo, node);
}

static void resolve_node(void *data, Expr node) {
    const Resolving *resolving = data;
    Expr small[OP_MAX_ARITY + MAX_DIMENSIONS], result = node;
    if (node->op == OP_HOLE) {
        result = hole_value(resolving, node);
    } else if (node->arity) {
        for (int i = 0; i < node->arity; i++)
            small[i] = map_get(resolving->memo, node->arguments[i]);
        result = expr_with_arguments(resolving->solver->pool, node, small);
    }
    map_put(resolving->memo, node, result);
}

static Expr resolve(const Resolving *resolving, Expr expr) {
    expr_visit_rest(resolving->solver->arena, expr, is_resolved, resolve_node, (void *)resolving);
    return map_get(resolving->memo, expr);
}

Expr inference_resolve(BoundsInference *solver, Expr expr) {
    return !expr_holds(expr, HOLDS_HOLE) ? expr
                                         : inference_replace(solver, &solver->resolved, expr);
}

Expr inference_replace(BoundsInference *solver, Map *replacements, Expr expr) {
    return resolve(&(Resolving){solver, NULL, NULL, replacements}, expr);
}

Expr inference_resolve_symbolic(BoundsInference *solver, const ComputeSite *self,
                                const Interval *symbolic, Map *memo, Expr expr) {
    return resolve(&(Resolving){solver, self, symbolic, memo}, expr);
}

/* ---- facts ---- */

/* `v in (m, n)` runs: m <= v <= m + n - 1.  A split's outer loop over (0, (n + k - 1) / k) also has
 * v*k <= n - 1, which says that a block begins before the loop's end. */
static void learn_loop(BoundsInference *solver, const Stmt *loop) {
    Pool *pool = solver->pool;
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    Expr minimum =
        simplify(solver->simplifier, inference_resolve(solver, loop->loop.interval.minimum));
    Expr length = inference_resolve(solver, loop->loop.interval.length);
    Expr last = simplify(solver->simplifier,
                         expr_sub(pool, expr_add(pool, minimum, length), expr_index(pool, 1)));
    simplifier_learn(solver->simplifier, expr_le(pool, minimum, variable));
    simplifier_learn(solver->simplifier, expr_le(pool, variable, last));
    int64_t zero;
    if (!expr_constant_integer(minimum, &zero) || zero != 0 || length->op != OP_DIV)
        return;
    Expr factor = length->arguments[1];
    if (!decide_proves_le(solver->simplifier, expr_index(pool, 1), factor))
        return;
    Expr whole = simplify(solver->simplifier, expr_sub(pool, length->arguments[0], factor));
    simplifier_learn(solver->simplifier, expr_le(pool, expr_mul(pool, variable, factor), whole));
}

static void learn_statement(BoundsInference *solver, const Stmt *stmt, const Block *from) {
    if (stmt->kind == STMT_FOR)
        learn_loop(solver, stmt);
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE)
        simplifier_learn(solver->simplifier, from == &stmt->branch.body
                                                 ? stmt->branch.condition
                                                 : expr_not(solver->pool, stmt->branch.condition));
}

static void learn_lets(BoundsInference *solver, const Block *block) {
    const BlockLets *lets = map_get(&solver->lets_by_block, block);
    for (size_t i = 0; lets && i < lets->facts.length; i++)
        simplifier_learn(solver->simplifier, lets->facts.data[i]);
}

void inference_enter(BoundsInference *solver, const Block *base) {
    if (solver->facts_at == base)
        return;
    simplifier_release(solver->simplifier, solver->startup);
    solver->facts_at = base;
    Vec(const Block *) around = {0};
    for (const Block *block = base; block; block = block->owner ? block->owner->block : NULL)
        vec_push(solver->arena, &around, block);
    for (size_t i = around.length; i-- > 0;) {
        if (around.data[i]->owner)
            learn_statement(solver, around.data[i]->owner, around.data[i]);
        learn_lets(solver, around.data[i]);
    }
}

/* ---- lets ---- */

/* Trees larger than this are bound to a let. */
#define REPEATED_NODES 64

static BlockLets *lets_of(BoundsInference *solver, const Block *block) {
    BlockLets *lets = map_get(&solver->lets_by_block, block);
    if (!lets) {
        lets = arena_new(solver->arena, BlockLets);
        lets->block = (Block *)block;
        map_put(&solver->lets_by_block, block, lets);
        vec_push(solver->arena, &solver->blocks, lets);
    }
    return lets;
}

/* What the let's value is known to be, told of its variable. */
static void add_fact(BoundsInference *solver, BlockLets *lets, Expr fact) {
    vec_push(solver->arena, &lets->facts, fact);
    simplifier_learn(solver->simplifier, fact);
}

Expr inference_bind(BoundsInference *solver, const Block *base, Expr expr, const char *stem) {
    BlockLets *lets = lets_of(solver, base);
    LetBinding *let = arena_new(solver->arena, LetBinding);
    let->name = symbol_fresh(&solver->context->symbols, stem);
    let->value = expr;
    vec_push(solver->arena, &lets->lets, let);
    vec_push(solver->arena, &solver->lets, let);
    map_put(&solver->lets_by_name, let->name, let);
    return expr_variable(solver->pool, let->name, expr->type);
}

Expr inference_name(BoundsInference *solver, const Block *base, Expr expr, const char *stem) {
    if (expr->tree_size <= REPEATED_NODES)
        return expr;
    Pool *pool = solver->pool;
    ConstantInterval known = simplify_interval(solver->simplifier, expr);
    Expr variable = inference_bind(solver, base, expr, stem);
    BlockLets *lets = lets_of(solver, base);
    if (known.has_minimum)
        add_fact(solver, lets, expr_le(pool, expr_index(pool, known.minimum), variable));
    if (known.has_maximum)
        add_fact(solver, lets, expr_le(pool, variable, expr_index(pool, known.maximum)));
    return variable;
}

/* ---- startup scope ---- */

static Expr expand_node(void *data, Pool *pool, Expr node) {
    (void)pool;
    BoundsInference *solver = data;
    const LetBinding *let =
        node->op == OP_VARIABLE ? map_get(&solver->lets_by_name, node->name) : NULL;
    if (!let)
        return node;
    /* Made in order, so what this value mentions has been expanded when it was made known. */
    Expr expanded = map_get(&solver->expanded, let->name);
    hlc_assert(expanded, "a let's value is expanded before it is mentioned");
    return expanded;
}

Expr inference_expand(BoundsInference *solver, Expr expr) {
    for (; solver->expanded_count < solver->lets.length; solver->expanded_count++) {
        const LetBinding *let = solver->lets.data[solver->expanded_count];
        map_put(&solver->expanded, let->name,
                expr_rewrite(solver->pool, &solver->expansion, let->value, expand_node, solver));
    }
    return expr_rewrite(solver->pool, &solver->expansion, expr, expand_node, solver);
}
