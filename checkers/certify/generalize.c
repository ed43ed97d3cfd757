/* generalize.c -- replaces products and quotients of unknowns by fresh variables.
 *
 *     0 <= max(min(x % (2*n), n - 1), 0)         0 <= max(min(t, n - 1), 0)
 *
 * Z3 wastes its time on such terms even if they do not matter.  A fact that holds for any number t
 * holds for the number that the term is.  So a proof of the general formula proves the original.  A
 * failure of the general formula says nothing.
 */
#include "checkers/certify/internal.h"

#include "ir/print.h"

struct Generalization {
    Arena *arena;
    Pool *pool;
    ExprMemo memo;
    Map variables; /* Expr -> the variable that stands for it */
    Exprs terms;   /* in order of first occurrence */
};

/* Is the term hard?  So are the remainders by which 32-bit numbers wrap. */
static bool is_hard(Expr node) {
    int64_t factor;
    bool divides = node->op == OP_DIV || node->op == OP_MOD;
    return type_is_index(node->type) && (divides || node->op == OP_MUL) &&
           (!expr_constant_integer(node->arguments[1], &factor) ||
            (node->op == OP_MOD && factor > INT32_MAX));
}

Generalization *generalization_create(Pool *pool, Arena *arena) {
    Generalization *generalization = arena_new(arena, Generalization);
    *generalization = (Generalization){
        .arena = arena, .pool = pool, .memo = expr_memo(arena), .variables = map_create(arena)};
    return generalization;
}

static Expr generalize_node(void *data, Pool *pool, Expr node) {
    Generalization *generalization = data;
    if (!is_hard(node))
        return node;
    Expr variable = map_get(&generalization->variables, node);
    if (!variable) {
        variable = expr_variable(pool, symbol_fresh(&pool->context->symbols, "term"), INDEX);
        map_put(&generalization->variables, node, variable);
        vec_push(generalization->arena, &generalization->terms, node);
    }
    return variable;
}

Expr generalize(Generalization *generalization, Expr expr) {
    return expr_rewrite(generalization->pool, &generalization->memo, expr, generalize_node,
                        generalization);
}

const char *generalization_text(const Generalization *generalization) {
    const char *text = "";
    for (size_t i = 0; i < generalization->terms.length; i++) {
        Expr term = generalization->terms.data[i];
        const Expr variable = map_get(&generalization->variables, term);
        text = arena_format(generalization->arena, "%s; |%s|, any number, stands for %s\n", text,
                            variable->name->text, expr_formula(generalization->arena, term));
    }
    return text;
}
