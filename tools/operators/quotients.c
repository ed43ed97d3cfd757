/* quotients.c -- entries with divisions: both sides of f(f(x, y), z) = f(x, f(y, z)) as quotients
 * of polynomials, compared exactly (ir/fraction.h).
 *
 * For the entry that merges means and variances, Z3 proves within a minute only the cases with an
 * empty part. This file proves the remaining case, without empty parts. There, signs alone decide
 * the entry's selects, which exist for empty parts. */
#include "tools/operators/operator_proofs.h"

#include "ir/fraction.h"

enum { TERMS = 4000000 };

typedef struct QuotientBuilder {
    Pool *pool;
    const OperatorEntry *entry;
    const Expr *x, *y;
    const RuleTerm *at;
} QuotientBuilder;

static Expr variable(Pool *pool, char side, int element) {
    return expr_variable(pool, symbol_format(&pool->context->symbols, "%c%d", side, element), F64);
}

/* Over these arguments; all numbers are floats. */
static Expr build(QuotientBuilder *b) {
    RuleTerm term = *b->at++;
    if (term.op == TERM_LITERAL)
        return expr_float(b->pool, F64, term.value);
    if (term.op == TERM_WILDCARD && term.value < OPERATOR_K)
        return (term.value < OPERATOR_Y ? b->x : b->y)[term.value % OPERATOR_ELEMENTS];
    if (term.op == TERM_WILDCARD)
        return variable(b->pool, 'k', term.value); /* k, and the ends of the range */
    Expr arguments[OP_MAX_ARITY];
    for (int i = 0; i < rule_term_arity(&term); i++)
        arguments[i] = build(b);
    return expr_apply(b->pool, (Op)term.op, arguments);
}

/* f(x, y); its choices decided. */
static void apply(Pool *pool, Arena *arena, const OperatorEntry *entry, const FractionSigns *signs,
                  const Expr *x, const Expr *y, Expr *out) {
    QuotientBuilder b = {pool, entry, x, y, entry->code};
    for (int i = 0; i < entry->arity; i++)
        out[i] = fraction_choose(pool, arena, build(&b), signs);
}

bool quotients_are_associative(const OperatorEntry *entry) {
    for (int i = 0; i < entry->arity; i++)
        if (entry->types[entry->class_of[i]] & ~OPERATOR_FLOAT)
            return false;
    Context *context = context_create();
    Arena *arena = context->arena;
    Pool *pool = pool_create(context, arena);
    Expr of[3][OPERATOR_ELEMENTS], xy[OPERATOR_ELEMENTS], yz[OPERATOR_ELEMENTS];
    Expr left[OPERATOR_ELEMENTS], right[OPERATOR_ELEMENTS];
    FractionSigns signs = {0};
    for (int side = 0; side < 3; side++)
        for (int i = 0; i < entry->arity; i++) {
            of[side][i] = variable(pool, "xyz"[side], i);
            if (entry->not_negative >> i & 1)
                vec_push(arena, &signs.positive, of[side][i]);
        }
    apply(pool, arena, entry, &signs, of[0], of[1], xy);
    apply(pool, arena, entry, &signs, of[1], of[2], yz);
    apply(pool, arena, entry, &signs, xy, of[2], left);
    apply(pool, arena, entry, &signs, of[0], yz, right);
    bool same = true;
    for (int i = 0; i < entry->arity && same; i++)
        same = fraction_is_defined(arena, left[i], &signs) &&
               fraction_is_defined(arena, right[i], &signs) &&
               fraction_same(arena, left[i], right[i], TERMS);
    context_destroy(context);
    return same;
}
