/* fraction.c -- polynomials with integer coefficients, kept as sorted monomials, and quotients of
 * them. */
#include "ir/fraction.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = 24, DEEPEST = 60, LARGEST_TREE = 4000, HIGHEST_POWER = 100, FEW_TERMS = 400 };

typedef struct FractionMonomial {
    uint8_t powers[UNKNOWNS]; /* by the number of the unknown */
    int64_t coefficient;      /* not 0 */
} FractionMonomial;

/* Its terms ascend by powers. Immutable after construction. */
typedef struct FractionPolynomial {
    const FractionMonomial *terms;
    size_t count;
} FractionPolynomial;

typedef struct Fraction {
    FractionPolynomial numerator, denominator;
} Fraction;

typedef struct Conversion {
    Arena *arena;
    Exprs unknowns;
    size_t most; /* greatest number of terms of a product */
    bool failed;
} Conversion;

/* ---- polynomials ---- */

static FractionPolynomial whole(Conversion *c, int64_t value) {
    FractionMonomial *term = arena_new(c->arena, FractionMonomial);
    term->coefficient = value;
    return (FractionPolynomial){term, value != 0};
}

static int compare_monomials(const void *a, const void *b) {
    return memcmp(((const FractionMonomial *)a)->powers, ((const FractionMonomial *)b)->powers,
                  UNKNOWNS);
}

/* Takes ownership of `terms`. */
static FractionPolynomial collect(Conversion *c, FractionMonomial *terms, size_t count) {
    size_t kept = 0;
    qsort(terms, count, sizeof *terms, compare_monomials);
    for (size_t from = 0, to; from < count; from = to) {
        FractionMonomial sum = terms[from];
        for (to = from + 1; to < count && !compare_monomials(&terms[from], &terms[to]); to++)
            c->failed |=
                __builtin_add_overflow(sum.coefficient, terms[to].coefficient, &sum.coefficient);
        if (sum.coefficient)
            terms[kept++] = sum;
    }
    return (FractionPolynomial){terms, kept};
}

static FractionPolynomial add(Conversion *c, FractionPolynomial a, FractionPolynomial b) {
    FractionMonomial *terms = arena_array(c->arena, FractionMonomial, a.count + b.count + 1);
    for (size_t i = 0; i < a.count; i++)
        terms[i] = a.terms[i];
    for (size_t i = 0; i < b.count; i++)
        terms[a.count + i] = b.terms[i];
    return collect(c, terms, a.count + b.count);
}

static FractionPolynomial multiply(Conversion *c, FractionPolynomial a, FractionPolynomial b) {
    size_t count = 0;
    if (c->failed || a.count * b.count > c->most) {
        c->failed = true;
        return whole(c, 0);
    }
    FractionMonomial *terms = arena_array(c->arena, FractionMonomial, a.count * b.count + 1);
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++) {
            FractionMonomial *term = &terms[count++];
            c->failed |= __builtin_mul_overflow(a.terms[i].coefficient, b.terms[j].coefficient,
                                                &term->coefficient);
            for (int k = 0; k < UNKNOWNS; k++) {
                term->powers[k] = (uint8_t)(a.terms[i].powers[k] + b.terms[j].powers[k]);
                c->failed |= term->powers[k] > HIGHEST_POWER;
            }
        }
    return collect(c, terms, count);
}

static bool is_same(FractionPolynomial a, FractionPolynomial b) {
    bool same = a.count == b.count;
    for (size_t i = 0; i < a.count && same; i++)
        same = a.terms[i].coefficient == b.terms[i].coefficient &&
               !compare_monomials(&a.terms[i], &b.terms[i]);
    return same;
}

/* ---- fractions ---- */

static Fraction over_one(Conversion *c, FractionPolynomial numerator) {
    return (Fraction){numerator, whole(c, 1)};
}

static Fraction unknown(Conversion *c, Expr expr) {
    size_t number = 0;
    while (number < c->unknowns.length && c->unknowns.data[number] != expr)
        number++;
    if (number == UNKNOWNS) {
        c->failed = true;
        return over_one(c, whole(c, 0));
    }
    if (number == c->unknowns.length)
        vec_push(c->arena, &c->unknowns, expr);
    FractionMonomial *term = arena_new(c->arena, FractionMonomial);
    term->powers[number] = 1;
    term->coefficient = 1;
    return over_one(c, (FractionPolynomial){term, 1});
}

static Fraction constant(Conversion *c, Expr expr) {
    enum { LARGEST = 1000000 };
    double value = bits_to_double(expr->type, expr->bits);
    if (!(value >= -LARGEST && value <= LARGEST) || value != (double)(int64_t)value)
        return unknown(c, expr);
    return over_one(c, whole(c, (int64_t)value));
}

static Fraction sum(Conversion *c, Fraction a, Fraction b) {
    if (is_same(a.denominator, b.denominator))
        return (Fraction){add(c, a.numerator, b.numerator), a.denominator};
    return (Fraction){
        add(c, multiply(c, a.numerator, b.denominator), multiply(c, b.numerator, a.denominator)),
        multiply(c, a.denominator, b.denominator)};
}

static Fraction negative(Conversion *c, Fraction a) {
    return (Fraction){multiply(c, a.numerator, whole(c, -1)), a.denominator};
}

static Fraction product(Conversion *c, Fraction a, Fraction b) {
    return (Fraction){multiply(c, a.numerator, b.numerator),
                      multiply(c, a.denominator, b.denominator)};
}

/* The caller ensures that `expr` is no deeper than DEEPEST. */
static Fraction convert(Conversion *c, Expr expr) {
    Fraction a[3];
    switch (expr->op) {
    case OP_CONSTANT:
        return constant(c, expr);
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_NEG:
    case OP_FMA:
        break;
    default: /* treated as an unknown */
        return unknown(c, expr);
    }
    for (int i = 0; i < expr->arity && !c->failed; i++)
        a[i] = convert(c, expr->arguments[i]);
    if (c->failed)
        return over_one(c, whole(c, 0));
    if (expr->op == OP_NEG)
        return negative(c, a[0]);
    if (expr->op == OP_ADD)
        return sum(c, a[0], a[1]);
    if (expr->op == OP_SUB)
        return sum(c, a[0], negative(c, a[1]));
    if (expr->op == OP_FMA)
        return sum(c, product(c, a[0], a[1]), a[2]);
    if (expr->op == OP_MUL)
        return product(c, a[0], a[1]);
    c->failed |= a[1].numerator.count == 0; /* the divisor is 0 */
    return product(c, a[0], (Fraction){a[1].denominator, a[1].numerator});
}

static Fraction fraction_of(Conversion *c, Expr expr) {
    c->failed |=
        expr->depth > DEEPEST || expr->tree_size > LARGEST_TREE || !type_is_float(expr->type);
    return c->failed ? over_one(c, whole(c, 0)) : convert(c, expr);
}

bool fraction_same(Arena *arena, Expr a, Expr b, int terms) {
    Conversion c = {.arena = arena, .most = (size_t)terms};
    Fraction left = fraction_of(&c, a), right = fraction_of(&c, b);
    bool same = is_same(multiply(&c, left.numerator, right.denominator),
                        multiply(&c, right.numerator, left.denominator));
    return same && !c.failed;
}

/* ---- conversion to expressions ---- */

static Expr monomial_expr(Pool *pool, const Conversion *c, const FractionMonomial *term,
                          Type type) {
    Expr expr = NULL;
    for (size_t i = 0; i < c->unknowns.length; i++)
        for (int power = 0; power < term->powers[i]; power++)
            expr = expr ? expr_mul(pool, expr, c->unknowns.data[i]) : c->unknowns.data[i];
    int64_t size = term->coefficient < 0 ? -term->coefficient : term->coefficient;
    if (!expr || size != 1) {
        Expr number = expr_float(pool, type, (double)size);
        expr = expr ? expr_mul(pool, expr, number) : number;
    }
    return expr;
}

static Expr polynomial_expr(Pool *pool, const Conversion *c, FractionPolynomial p, Type type) {
    Expr expr = NULL;
    for (size_t i = p.count; i-- > 0;) {
        Expr term = monomial_expr(pool, c, &p.terms[i], type);
        bool is_negative = p.terms[i].coefficient < 0;
        if (!expr)
            expr = is_negative ? expr_unary(pool, OP_NEG, term) : term;
        else
            expr = expr_binary(pool, is_negative ? OP_SUB : OP_ADD, expr, term);
    }
    return expr ? expr : expr_float(pool, type, 0);
}

Expr fraction_form(Pool *pool, Arena *arena, Expr expr) {
    enum { MOST = 12 };
    Conversion c = {.arena = arena, .most = FEW_TERMS};
    Fraction fraction = fraction_of(&c, expr);
    if (c.failed || fraction.numerator.count > MOST || fraction.denominator.count > MOST)
        return expr;
    Expr numerator = polynomial_expr(pool, &c, fraction.numerator, expr->type);
    if (is_same(fraction.numerator, whole(&c, 0)) || is_same(fraction.denominator, whole(&c, 1)))
        return numerator;
    return expr_div(pool, numerator, polynomial_expr(pool, &c, fraction.denominator, expr->type));
}

/* ---- signs ---- */

static bool is_among(const Exprs *exprs, Expr expr) {
    for (size_t i = 0; i < exprs->length; i++)
        if (exprs->data[i] == expr)
            return true;
    return false;
}

/* Holds if no coefficient is negative, no unknown may be negative, and some term is positive. */
static bool is_positive(const Conversion *c, FractionPolynomial p, const FractionSigns *signs) {
    bool some = false;
    for (size_t i = 0; i < p.count; i++) {
        bool is_zero = false;
        if (p.terms[i].coefficient < 0)
            return false;
        for (size_t j = 0; j < c->unknowns.length; j++) {
            if (!p.terms[i].powers[j] || is_among(&signs->positive, c->unknowns.data[j]))
                continue;
            if (p.terms[i].powers[j] % 2 && !is_among(&signs->not_negative, c->unknowns.data[j]))
                return false;
            is_zero = true;
        }
        some |= !is_zero;
    }
    return some;
}

bool fraction_is_positive(Arena *arena, Expr expr, const FractionSigns *signs) {
    Conversion c = {.arena = arena, .most = FEW_TERMS};
    Fraction fraction = fraction_of(&c, expr);
    return !c.failed && is_positive(&c, fraction.numerator, signs) &&
           is_positive(&c, fraction.denominator, signs);
}

typedef struct KnownSigns {
    Arena *arena;
    const FractionSigns *signs;
    bool is_undefined;
} KnownSigns;

/* Returns 1 if the condition holds, 0 if it does not, -1 if that is unknown. */
static int truth(const KnownSigns *s, Pool *pool, Expr condition) {
    if (condition->arity != 2 || !type_is_float(condition->arguments[0]->type))
        return -1;
    Expr a = condition->arguments[0], b = condition->arguments[1];
    bool less = fraction_is_positive(s->arena, expr_sub(pool, b, a), s->signs);
    bool greater = fraction_is_positive(s->arena, expr_sub(pool, a, b), s->signs);
    if (!less && !greater)
        return -1;
    switch (condition->op) {
    case OP_LT:
    case OP_LE:
        return less;
    case OP_EQ:
        return 0;
    case OP_NE:
        return 1;
    default: /* not a comparison */
        return -1;
    }
}

static Expr choose(void *data, Pool *pool, Expr node) {
    const KnownSigns *s = data;
    int holds = node->op == OP_SELECT ? truth(s, pool, node->arguments[0]) : -1;
    return holds < 0 ? node : node->arguments[holds ? 1 : 2];
}

Expr fraction_choose(Pool *pool, Arena *arena, Expr expr, const FractionSigns *signs) {
    KnownSigns s = {arena, signs, false};
    return expr_rewrite_alone(pool, arena, expr, choose, &s);
}

static void look_at_divisor(void *data, Expr node) {
    KnownSigns *s = data;
    if (node->op == OP_DIV && type_is_float(node->type))
        s->is_undefined |= !fraction_is_positive(s->arena, node->arguments[1], s->signs);
}

bool fraction_is_defined(Arena *arena, Expr expr, const FractionSigns *signs) {
    KnownSigns s = {arena, signs, false};
    expr_visit(arena, expr, look_at_divisor, &s);
    return !s.is_undefined;
}
