/* inference.c -- the state at a block: the values of solved holes, the lets around the block, and
 * the facts.
 *
 *     for h.s0.xo in (0, (n + 255)/256) do      0 <= xo, xo <= (n + 255)/256 - 1, xo*256 <= n - 1
 *       let f.x.max = ..                        limits of its value, stated for f.x.max
 *         compute f on ..                       all facts above are known here
 *
 * Facts are learned by entering a block (inference_enter), outermost statement first, and forgotten
 * by entering another.  The facts of startup stay.  Only loops, specializations and the oracle's
 * own lets give facts; guards and predicates do not.
 *
 * A hole has a value once its realization is solved.  Consumers are solved before their producers,
 * so each hole in a question has one.
 */
#include "bounds/inference.h"

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
    BoundsInference *bounds;
    const Realization *self; /* its holes are `symbolic`; null: no such realization */
    const Interval *symbolic;
    Map *memo;
} Resolving;

static Expr hole_value(const Resolving *resolving, Expr node) {
    Realization *realization = realization_of_hole(resolving->bounds, node);
    int k = shape_dimension(realization->shape, node->hole->variable);
    bool minimum = node->hole->end == HOLE_MINIMUM;
    if (resolving->self == realization) {
        Interval range = resolving->symbolic[k];
        Pool *pool = resolving->bounds->pool;
        return minimum
                   ? range.lower
                   : expr_add(pool, expr_sub(pool, range.upper, range.lower), expr_index(pool, 1));
    }
    hlc_assert(realization->solved, "consumers are solved before their producers");
    return minimum ? realization->compute[k].minimum : realization->compute[k].length;
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
        result = expr_with_arguments(resolving->bounds->pool, node, small);
    }
    map_put(resolving->memo, node, result);
}

static Expr resolve(const Resolving *resolving, Expr expr) {
    expr_visit_rest(resolving->bounds->arena, expr, is_resolved, resolve_node, (void *)resolving);
    return map_get(resolving->memo, expr);
}

Expr inference_resolve(BoundsInference *bounds, Expr expr) {
    return !expr_holds(expr, HOLDS_HOLE) ? expr
                                         : inference_replace(bounds, &bounds->resolved, expr);
}

Expr inference_replace(BoundsInference *bounds, Map *replacements, Expr expr) {
    return resolve(&(Resolving){bounds, NULL, NULL, replacements}, expr);
}

Expr inference_resolve_symbolic(BoundsInference *bounds, const Realization *self,
                                const Interval *symbolic, Map *memo, Expr expr) {
    return resolve(&(Resolving){bounds, self, symbolic, memo}, expr);
}

/* ---- facts ---- */

/* Learns m <= v <= m + n - 1 for a loop `v in (m, n)`.  A split's outer loop over (0, (n + k - 1) /
 * k) also has v*k <= n - 1: a block begins before the loop's end. */
static void learn_loop(BoundsInference *bounds, const Stmt *loop) {
    Pool *pool = bounds->pool;
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    Expr minimum =
        simplify(bounds->simplifier, inference_resolve(bounds, loop->loop.interval.minimum));
    Expr length = inference_resolve(bounds, loop->loop.interval.length);
    Expr last = simplify(bounds->simplifier,
                         expr_sub(pool, expr_add(pool, minimum, length), expr_index(pool, 1)));
    simplifier_learn(bounds->simplifier, expr_le(pool, minimum, variable));
    simplifier_learn(bounds->simplifier, expr_le(pool, variable, last));
    int64_t zero;
    if (!expr_constant_integer(minimum, &zero) || zero != 0 || length->op != OP_DIV)
        return;
    Expr factor = length->arguments[1];
    if (!decide_proves_le(bounds->simplifier, expr_index(pool, 1), factor))
        return;
    Expr whole = simplify(bounds->simplifier, expr_sub(pool, length->arguments[0], factor));
    simplifier_learn(bounds->simplifier, expr_le(pool, expr_mul(pool, variable, factor), whole));
}

Expr inference_branch(BoundsInference *bounds, const Stmt *branch, const Block *block) {
    Expr condition = branch->branch.condition;
    return block == &branch->branch.body ? condition : expr_not(bounds->pool, condition);
}

static void learn_statement(BoundsInference *bounds, const Stmt *stmt, const Block *from) {
    if (stmt->kind == STMT_FOR)
        learn_loop(bounds, stmt);
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_SPECIALIZE)
        simplifier_learn(bounds->simplifier, inference_branch(bounds, stmt, from));
}

static void learn_lets(BoundsInference *bounds, const Block *block) {
    const BlockLets *lets = map_get(&bounds->lets_by_block, block);
    for (size_t i = 0; lets && i < lets->facts.length; i++)
        simplifier_learn(bounds->simplifier, lets->facts.data[i]);
}

void inference_enter(BoundsInference *bounds, const Block *base) {
    if (bounds->facts_at == base)
        return;
    simplifier_release(bounds->simplifier, bounds->startup);
    bounds->facts_at = base;
    Vec(const Block *) around = {0};
    for (const Block *block = base; block; block = block->owner ? block->owner->block : NULL)
        vec_push(bounds->arena, &around, block);
    for (size_t i = around.length; i-- > 0;) {
        if (around.data[i]->owner)
            learn_statement(bounds, around.data[i]->owner, around.data[i]);
        learn_lets(bounds, around.data[i]);
    }
}

/* ---- lets ---- */

/* Larger trees are bound to a let. */
#define REPEATED_NODES 64

static BlockLets *lets_of(BoundsInference *bounds, const Block *block) {
    BlockLets *lets = map_get(&bounds->lets_by_block, block);
    if (!lets) {
        lets = arena_new(bounds->arena, BlockLets);
        lets->block = (Block *)block;
        map_put(&bounds->lets_by_block, block, lets);
        vec_push(bounds->arena, &bounds->blocks, lets);
    }
    return lets;
}

/* Adds a fact about the let's value, stated for its variable. */
static void add_fact(BoundsInference *bounds, BlockLets *lets, Expr fact) {
    vec_push(bounds->arena, &lets->facts, fact);
    simplifier_learn(bounds->simplifier, fact);
}

Expr inference_bind(BoundsInference *bounds, const Block *base, Expr expr, const char *stem) {
    BlockLets *lets = lets_of(bounds, base);
    LetBinding *let = arena_new(bounds->arena, LetBinding);
    let->name = symbol_fresh(&bounds->context->symbols, stem);
    let->value = expr;
    vec_push(bounds->arena, &lets->lets, let);
    vec_push(bounds->arena, &bounds->lets, let);
    map_put(&bounds->lets_by_name, let->name, let);
    return expr_variable(bounds->pool, let->name, expr->type);
}

Expr inference_name(BoundsInference *bounds, const Block *base, Expr expr, const char *stem) {
    if (expr->tree_size <= REPEATED_NODES)
        return expr;
    Pool *pool = bounds->pool;
    ConstantInterval known = simplify_interval(bounds->simplifier, expr);
    Expr variable = inference_bind(bounds, base, expr, stem);
    BlockLets *lets = lets_of(bounds, base);
    if (known.has_minimum)
        add_fact(bounds, lets, expr_le(pool, expr_index(pool, known.minimum), variable));
    if (known.has_maximum)
        add_fact(bounds, lets, expr_le(pool, variable, expr_index(pool, known.maximum)));
    return variable;
}

/* ---- startup scope ---- */

static Expr expand_node(void *data, Pool *pool, Expr node) {
    (void)pool;
    BoundsInference *bounds = data;
    const LetBinding *let =
        node->op == OP_VARIABLE ? map_get(&bounds->lets_by_name, node->name) : NULL;
    if (!let)
        return node;
    /* Lets are made in order, so those that this value mentions were expanded when they were
     * made. */
    Expr expanded = map_get(&bounds->expanded, let->name);
    hlc_assert(expanded, "a let's value is expanded before it is mentioned");
    return expanded;
}

Expr inference_expand(BoundsInference *bounds, Expr expr) {
    for (; bounds->expanded_count < bounds->lets.length; bounds->expanded_count++) {
        const LetBinding *let = bounds->lets.data[bounds->expanded_count];
        map_put(&bounds->expanded, let->name,
                expr_rewrite(bounds->pool, &bounds->expansion, let->value, expand_node, bounds));
    }
    return expr_rewrite(bounds->pool, &bounds->expansion, expr, expand_node, bounds);
}

static Expr expand_small(void *data, Pool *pool, Expr node) {
    BoundsInference *bounds = data;
    const LetBinding *let =
        node->op == OP_VARIABLE ? map_get(&bounds->lets_by_name, node->name) : NULL;
    return let && let->value->tree_size > REPEATED_NODES ? node : expand_node(data, pool, node);
}

Extent inference_expand_interval(BoundsInference *bounds, Extent interval, bool keep_large) {
    Extent result = {inference_expand(bounds, interval.minimum),
                     inference_expand(bounds, interval.length)};
    if (!keep_large)
        return result;
    result.minimum =
        expr_rewrite(bounds->pool, &bounds->shortening, interval.minimum, expand_small, bounds);
    result.length =
        expr_rewrite(bounds->pool, &bounds->shortening, interval.length, expand_small, bounds);
    return result;
}
