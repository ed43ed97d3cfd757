/* multiples.c -- see multiples.h.
 *
 *     if out.extent.0 % 256 == 0 then                                  with out.extent.0 = 256*q:
 *       for xo in (0, (out.extent.0 + 255)/256)                        (0, q)
 *         .. min(out.extent.0 - xo*256, 256) ..                        256, for xo <= q - 1
 *
 * The residue alone helps little: rules about quotients and products prove few facts from it.  Over
 * q everything is linear.  Afterwards q becomes the variable div 256 again, and 256*q the variable
 * itself.  Neither direction changes a value if the condition holds.
 */
#include "lower/passes/multiples.h"

enum { MOST_ACTIVE = 16 }; /* multiples are searched one by one; more are ignored */

Multiples multiples_create(Simplifier *simplifier, Pool *pool, Arena *arena) {
    return (Multiples){.simplifier = simplifier,
                       .pool = pool,
                       .arena = arena,
                       .by_quotient = map_create(arena),
                       .restored = expr_memo(arena)};
}

static void add(Multiples *multiples, Expr variable, int64_t modulus, int64_t remainder) {
    Pool *pool = multiples->pool;
    Arena *arena = multiples->arena;
    Multiple *multiple = arena_new(arena, Multiple);
    Expr c = expr_index(pool, modulus);
    ConstantInterval range = simplify_interval(multiples->simplifier, expr_div(pool, variable, c));
    Symbol name = symbol_fresh(&pool->context->symbols,
                               arena_format(arena, "%s.quotient", variable->name->text));
    multiple->variable = variable;
    multiple->modulus = modulus;
    multiple->remainder = remainder;
    multiple->quotient = expr_variable(pool, name, INDEX);
    multiple->value =
        expr_add(pool, expr_mul(pool, c, multiple->quotient), expr_index(pool, remainder));
    multiple->written = multiples_restore(multiples, variable);
    multiple->divided = expr_div(pool, multiple->written, c);
    multiple->memo = expr_memo(arena);
    map_put(&multiples->by_quotient, name, multiple);
    vec_push(arena, &multiples->active, multiple);
    simplifier_learn_range(multiples->simplifier, name, range);
}

static bool lies_in_i32(Multiples *multiples, Expr expr) {
    ConstantInterval range = simplify_interval(multiples->simplifier, expr);
    return range.has_minimum && range.has_maximum && range.minimum >= INT32_MIN &&
           range.maximum <= INT32_MAX;
}

/* Returns x if `expr` is the index variable x, or i32(x) that does not wrap; else null. */
static Expr variable_in(Multiples *multiples, Expr expr) {
    if (expr->op == OP_CAST && type_equal(expr->type, I32) &&
        type_is_index(expr->arguments[0]->type) && lies_in_i32(multiples, expr->arguments[0]))
        expr = expr->arguments[0];
    return expr->op == OP_VARIABLE && type_is_index(expr->type) ? expr : NULL;
}

/* Learns x % c == r. */
static void learn_equality(Multiples *multiples, Expr condition) {
    Expr left = condition->arguments[0];
    int64_t modulus, remainder;
    if (left->op != OP_MOD || !expr_constant_integer(condition->arguments[1], &remainder) ||
        !expr_constant_integer(left->arguments[1], &modulus) || modulus < 2 || remainder < 0 ||
        remainder >= modulus || modulus > INT32_MAX)
        return;
    Expr variable = variable_in(multiples, left->arguments[0]);
    if (variable)
        add(multiples, variable, modulus, remainder);
}

void multiples_learn(Multiples *multiples, Expr condition) {
    Vec(Expr) work = {0};
    vec_push(multiples->arena, &work, condition);
    while (work.length && multiples->active.length < MOST_ACTIVE) {
        Expr expr = work.data[--work.length];
        if (expr->op == OP_AND) {
            vec_push(multiples->arena, &work, expr->arguments[1]);
            vec_push(multiples->arena, &work, expr->arguments[0]);
        } else if (expr->op == OP_EQ) {
            /* A conjunct may be about a variable that an earlier conjunct has made a multiple. */
            Expr expanded = simplify(multiples->simplifier, multiples_expand(multiples, expr));
            if (expanded->op == OP_EQ)
                learn_equality(multiples, expanded);
        }
    }
}

void multiples_release(Multiples *multiples, size_t count) {
    hlc_assert(count <= multiples->active.length, "multiples are released in order");
    multiples->active.length = count;
}

static Expr expand_node(void *data, Pool *pool, Expr node) {
    (void)pool;
    const Multiples *multiples = data;
    if (node->op == OP_VARIABLE)
        for (size_t i = multiples->active.length; i-- > 0;)
            if (multiples->active.data[i]->variable == node)
                return multiples->active.data[i]->value;
    return node;
}

Expr multiples_expand(Multiples *multiples, Expr expr) {
    if (!multiples->active.length)
        return expr;
    Multiple *last = multiples->active.data[multiples->active.length - 1];
    /* A quotient may itself be a multiple: at most as often as there are multiples. */
    Expr expanded = expr;
    for (size_t i = 0; i < multiples->active.length; i++) {
        Expr next = expr_rewrite(multiples->pool, &last->memo, expanded, expand_node, multiples);
        if (next == expanded)
            break;
        expanded = next;
    }
    return expanded;
}

/* Turns `factor * quotient` into k times the variable, if the factor is k times the modulus. */
static Expr restore_product(Multiples *multiples, Pool *pool, Expr node) {
    for (int i = 0; i < 2; i++) {
        int64_t factor;
        Expr quotient = node->arguments[i];
        if (!expr_constant_integer(node->arguments[1 - i], &factor))
            continue;
        for (size_t k = multiples->active.length; k-- > 0;) {
            const Multiple *multiple = multiples->active.data[k];
            if (multiple->divided != quotient || factor % multiple->modulus != 0)
                continue;
            Expr whole = expr_sub(pool, multiple->written, expr_index(pool, multiple->remainder));
            if (multiple->remainder == 0)
                whole = multiple->written;
            int64_t times = factor / multiple->modulus;
            return times == 1 ? whole : expr_mul(pool, whole, expr_index(pool, times));
        }
    }
    return node;
}

static Expr restore_node(void *data, Pool *pool, Expr node) {
    Multiples *multiples = data;
    if (node->op == OP_VARIABLE) {
        const Multiple *multiple = map_get(&multiples->by_quotient, node->name);
        return multiple ? multiple->divided : node;
    }
    if (node->op == OP_MUL && type_is_index(node->type))
        return restore_product(multiples, pool, node);
    return node;
}

Expr multiples_restore(Multiples *multiples, Expr expr) {
    if (!multiples->active.length)
        return expr;
    return expr_rewrite(multiples->pool, &multiples->restored, expr, restore_node, multiples);
}
