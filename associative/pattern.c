/* pattern.c -- builds entries of the table as expressions, from prefix code, types, variables and
 * k. */
#include "associative/internal.h"

typedef struct PatternBuilder {
    Pool *pool;
    const RuleTerm *at;
    const Expr *x, *y;
    Expr k;
    Type element; /* of the element whose code it is */
} PatternBuilder;

Expr pattern_number(Pool *pool, Type type, int value) {
    if (type_is_float(type))
        return expr_float(pool, type, value);
    return expr_constant(pool, type, bits_wrap(type, value));
}

Expr pattern_end(Pool *pool, Type type, bool highest) {
    if (type_is_float(type))
        return expr_float(pool, type, highest ? __builtin_inf() : -__builtin_inf());
    if (type_is_bool(type))
        return expr_bool(pool, highest);
    return expr_constant(pool, type, highest ? type_maximum(type) : type_minimum(type));
}

static Expr variable(const PatternBuilder *b, int code) {
    if (code == OPERATOR_K)
        return b->k;
    if (code == OPERATOR_LOWEST || code == OPERATOR_HIGHEST)
        return pattern_end(b->pool, b->element, code == OPERATOR_HIGHEST);
    return code < OPERATOR_Y ? b->x[code] : b->y[code - OPERATOR_Y];
}

/* Builds the term at `at`. A literal has the type of the operands beside it, or else `hint`. */
static Expr build(PatternBuilder *b, Type hint) {
    RuleTerm term = *b->at++;
    if (term.op == TERM_WILDCARD)
        return variable(b, term.value);
    if (term.op == TERM_LITERAL)
        return pattern_number(b->pool, hint, term.value);
    if (term.op == TERM_TRUTH)
        return expr_bool(b->pool, term.value != 0);
    Expr arguments[OP_MAX_ARITY];
    const RuleTerm *literals[OP_MAX_ARITY] = {0};
    int arity = rule_term_arity(&term), first = term.op == OP_SELECT;
    Type type = hint;
    bool is_known = false;
    for (int i = 0; i < arity; i++) {
        if (i >= first && b->at->op == TERM_LITERAL) {
            literals[i] = b->at++;
            continue;
        }
        arguments[i] = build(b, hint);
        if (i >= first && !is_known) {
            type = arguments[i]->type;
            is_known = true;
        }
    }
    for (int i = first; i < arity; i++)
        if (literals[i])
            arguments[i] = pattern_number(b->pool, type, literals[i]->value);
    return expr_apply(b->pool, (Op)term.op, arguments);
}

static const RuleTerm *skip(const RuleTerm *code, int elements) {
    while (elements-- > 0)
        code = rule_term_end(code);
    return code;
}

Expr pattern_element(Pool *pool, const OperatorEntry *entry, int element, const Expr *x,
                     const Expr *y, Expr k) {
    PatternBuilder b = {pool, skip(entry->code, element), x, y, k, x[element]->type};
    return build(&b, b.element);
}

Expr pattern_identity(Pool *pool, const OperatorEntry *entry, int element, Type type, Expr k) {
    PatternBuilder b = {pool, skip(entry->identity, element), NULL, NULL, k, type};
    return build(&b, type);
}

Expr entry_merged(Recogniser *r, const OperatorEntry *entry, const Elements *group, int element,
                  const Expr *x_of, const Expr *y_of) {
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX];
    for (int i = 0; i < group->count; i++) {
        x[i] = x_of[group->elements[i]];
        y[i] = y_of[group->elements[i]];
    }
    return pattern_element(r->pool, entry, element, x, y, NULL);
}

bool entry_takes(const OperatorEntry *entry, const Type *types, bool reassociation,
                 Type *constant) {
    for (int i = 0; i < entry->arity; i++) {
        unsigned allowed = entry->types[entry->class_of[i]];
        if (!(allowed >> type_number(types[i]) & 1))
            return false;
        if (type_is_float(types[i]) && !reassociation && allowed != OPERATOR_ANY)
            return false; /* it computes with them */
        if (entry->class_of[i] == entry->constant_class)
            *constant = types[i];
        for (int j = 0; j < i; j++)
            if (entry->class_of[j] == entry->class_of[i] && !type_equal(types[j], types[i]))
                return false;
    }
    return true;
}
