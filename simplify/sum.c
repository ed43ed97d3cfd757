/* sum.c -- integer sums in normal form.
 *
 * An integer node of + - and products by constants represents a sum of terms, coefficient times
 * atom, and a constant. In normal form each atom occurs once, in structural order, positive terms
 * first, the constant last: `x + y*3 - z + 4`. Without a positive term it is `4 - z`, or `x*-1 -
 * y`. A product of a monomial and a short sum is multiplied out. This theory is built into the
 * engine, because rules modulo the laws of a commutative group would be clumsy. Everything else is
 * rules. cancel.c simplifies pairs of terms.
 *
 * A coefficient (or constant) beyond 2^62 marks the sum as failed, and the node stays unchanged.
 */
#include "simplify/internal.h"

#define MAX_COEFFICIENT ((int64_t)1 << 62) /* of the constant too: negation never overflows */

static bool too_large(int64_t coefficient) {
    return coefficient > MAX_COEFFICIENT || coefficient < -MAX_COEFFICIENT;
}

void sum_add_constant(LinearSum *sum, int64_t constant, int64_t scale) {
    int64_t product;
    if (__builtin_mul_overflow(constant, scale, &product) ||
        __builtin_add_overflow(sum->constant, product, &sum->constant) || too_large(sum->constant))
        sum->failed = true;
}

void sum_add_term(LinearSum *sum, Expr atom, int64_t coefficient) {
    for (int i = 0; i < sum->count; i++) {
        if (sum->terms[i].atom != atom)
            continue;
        int64_t total;
        if (__builtin_add_overflow(sum->terms[i].coefficient, coefficient, &total) ||
            too_large(total))
            sum->failed = true;
        else
            sum->terms[i].coefficient = total;
        if (!sum->failed && total == 0)
            sum->terms[i] = sum->terms[--sum->count];
        return;
    }
    if (sum->count == SUM_TERMS || too_large(coefficient))
        sum->failed = true;
    else if (coefficient)
        sum->terms[sum->count++] = (SumTerm){atom, coefficient};
}

void sum_add_sum(LinearSum *sum, const LinearSum *other, int64_t scale) {
    sum->failed |= other->failed;
    for (int i = 0; i < other->count && !sum->failed; i++) {
        int64_t coefficient;
        if (__builtin_mul_overflow(other->terms[i].coefficient, scale, &coefficient))
            sum->failed = true;
        else
            sum_add_term(sum, other->terms[i].atom, coefficient);
    }
    sum_add_constant(sum, other->constant, scale);
}

/* The constant factor of a product, and the other operand. */
static bool constant_factor(Expr expr, int64_t *factor, Expr *rest) {
    if (expr->op != OP_MUL)
        return false;
    for (int i = 0; i < 2; i++)
        if (expr_constant_integer(expr->arguments[i], factor)) {
            *rest = expr->arguments[1 - i];
            return true;
        }
    return false;
}

typedef struct ScaledTerm {
    Expr expr;
    int64_t scale;
} ScaledTerm;

void sum_add(LinearSum *sum, Expr expr, int64_t scale) {
    ScaledTerm stack[SUM_TERMS * 2];
    int height = 0;
    while (!sum->failed) {
        int64_t value;
        Expr rest;
        if (height + 2 > SUM_TERMS * 2 || scale == INT64_MIN) {
            sum->failed = true;
        } else if (expr->op >= OP_VARIABLE) { /* most are */
            sum_add_term(sum, expr, scale);
        } else if (expr_constant_integer(expr, &value)) {
            sum_add_constant(sum, value, scale);
        } else if (expr->op == OP_ADD || expr->op == OP_SUB) {
            stack[height++] = (ScaledTerm){expr->arguments[1], expr->op == OP_ADD ? scale : -scale};
            expr = expr->arguments[0];
            continue;
        } else if (expr->op == OP_NEG) {
            expr = expr->arguments[0];
            scale = -scale;
            continue;
        } else if (constant_factor(expr, &value, &rest)) {
            sum->failed = __builtin_mul_overflow(scale, value, &scale);
            expr = rest;
            continue;
        } else {
            sum_add_term(sum, expr, scale);
        }
        if (!height)
            return;
        expr = stack[--height].expr;
        scale = stack[height].scale;
    }
}

void sum_of(LinearSum *sum, Expr expr) {
    sum_clear(sum);
    sum_add(sum, expr, 1);
}

void sum_of_difference(LinearSum *sum, Expr a, Expr b) {
    sum_of(sum, a);
    sum_add(sum, b, -1);
}

/* The structural order is by operators first. */
static bool is_after(Expr a, Expr b) {
    return a->op != b->op ? a->op > b->op : expr_compare(a, b) > 0;
}

void sum_parts_of(SumParts *parts, Expr left, Expr right, int sign) {
    sum_of(&parts->left, left);
    sum_of(&parts->right, right);
    parts->sign = sign;
}

void sum_of_parts(const SumParts *parts, LinearSum *sum) {
    const LinearSum *left = &parts->left;
    sum->constant = left->constant;
    sum->count = left->count;
    sum->failed = left->failed;
    for (int i = 0; i < left->count; i++)
        sum->terms[i] = left->terms[i];
    sum_add_sum(sum, &parts->right, parts->sign);
}

void sum_sort(LinearSum *sum) {
    for (int i = 1; i < sum->count; i++) {
        SumTerm term = sum->terms[i];
        int at = i;
        for (; at > 0 && is_after(sum->terms[at - 1].atom, term.atom); at--)
            sum->terms[at] = sum->terms[at - 1];
        sum->terms[at] = term;
    }
}

int64_t sum_coefficient(const LinearSum *sum, Expr atom) {
    for (int i = 0; i < sum->count; i++)
        if (sum->terms[i].atom == atom)
            return sum->terms[i].coefficient;
    return 0;
}

int64_t sum_gcd(const LinearSum *sum) {
    int64_t result = 0;
    for (int i = 0; i < sum->count; i++)
        result = gcd64(result, sum->terms[i].coefficient);
    return result;
}

static Expr scaled(Pool *pool, Expr atom, int64_t coefficient) {
    return coefficient == 1 ? atom : expr_mul(pool, atom, expr_index(pool, coefficient));
}

Expr sum_term(Pool *pool, SumTerm term) {
    return scaled(pool, term.atom, term.coefficient);
}

/* The context for building sums. `normal`: null, or the simplifier for which the sums are normal.
 */
typedef struct SumMaker {
    Pool *pool;
    Simplifier *normal;
} SumMaker;

static Expr marked(SumMaker maker, Expr made, NormalForm forms) {
    if (maker.normal)
        memo_mark(maker.normal, made, forms);
    return made;
}

static Expr make_term(SumMaker maker, Expr atom, int64_t coefficient) {
    Expr made = scaled(maker.pool, atom, coefficient);
    bool has_sign = coefficient < 0 && (atom->op == OP_MIN || atom->op == OP_MAX);
    return made == atom || has_sign ? made : marked(maker, made, NORMAL_NODE);
}

static bool is_term(Expr expr, Expr atom, int64_t coefficient) {
    int64_t factor;
    if (coefficient == 1)
        return expr == atom;
    return expr->op == OP_MUL && expr->arguments[0] == atom &&
           expr_constant_integer(expr->arguments[1], &factor) && factor == coefficient;
}

/* Returns `expr` without its last term, sign * term; null if that is not its last. (Addends are in
 * structural order, so the last may be the first operand.) */
static Expr without_last(Expr expr, int sign, SumTerm term) {
    if (expr->op != (sign > 0 ? OP_ADD : OP_SUB))
        return NULL;
    if (is_term(expr->arguments[1], term.atom, term.coefficient))
        return expr->arguments[0];
    bool first = sign > 0 && is_term(expr->arguments[0], term.atom, term.coefficient);
    return first ? expr->arguments[1] : NULL;
}

/* Is `expr` the result of make_sum for the sum? The test starts from its end, and builds nothing.
 */
static bool is_made(const LinearSum *sum, Expr expr) {
    int head = 0;
    int64_t constant;
    while (head < sum->count && sum->terms[head].coefficient <= 0)
        head++;
    if (head == sum->count)
        return false; /* all are negative: not looked at */
    if (sum->constant) {
        if (expr->op != OP_ADD || !expr_constant_integer(expr->arguments[1], &constant) ||
            constant != sum->constant)
            return false;
        expr = expr->arguments[0];
    }
    for (int sign = -1; sign <= 1; sign += 2)
        for (int i = sum->count - 1; i >= 0 && expr; i--) {
            SumTerm term = sum->terms[i];
            if (i == head || (term.coefficient > 0) != (sign > 0))
                continue;
            term.coefficient *= sign;
            expr = without_last(expr, sign, term);
        }
    return expr && is_term(expr, sum->terms[head].atom, sum->terms[head].coefficient);
}

/* `likely` (or null): a guess of the result. */
static Expr make_sum(SumMaker maker, const LinearSum *sum, Expr likely) {
    if (likely && is_made(sum, likely))
        return likely;
    Expr result = NULL;
    int head = -1;
    for (int i = 0; i < sum->count && head < 0; i++)
        if (sum->terms[i].coefficient > 0)
            head = i;
    if (head >= 0)
        result = make_term(maker, sum->terms[head].atom, sum->terms[head].coefficient);
    else if (sum->constant || !sum->count)
        result = expr_index(maker.pool, sum->constant);
    /* A negative first term may still lose its sign (without_sign). */
    NormalForm forms = head >= 0 ? NORMAL_NODE | NORMAL_SUM : NORMAL_NODE;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < sum->count; i++) {
            SumTerm term = sum->terms[i];
            if (i == head || (term.coefficient > 0) != (sign > 0))
                continue;
            if (!result)
                result = make_term(maker, term.atom, term.coefficient);
            else
                result = marked(maker,
                                expr_binary(maker.pool, sign > 0 ? OP_ADD : OP_SUB, result,
                                            make_term(maker, term.atom, sign * term.coefficient)),
                                forms);
        }
    if (head >= 0 && sum->constant)
        result = marked(maker, expr_add(maker.pool, result, expr_index(maker.pool, sum->constant)),
                        forms);
    return result;
}

static Expr make_side(SumMaker maker, const LinearSum *sum, int sign, int64_t constant,
                      Expr likely) {
    LinearSum side;
    sum_clear(&side);
    side.constant = constant;
    for (int i = 0; i < sum->count; i++)
        if ((sum->terms[i].coefficient > 0) == (sign > 0))
            side.terms[side.count++] =
                (SumTerm){sum->terms[i].atom, sign * sum->terms[i].coefficient};
    return make_sum(maker, &side, likely);
}

Expr sum_build(Pool *pool, const LinearSum *sum) {
    return make_sum((SumMaker){pool, NULL}, sum, NULL);
}

Expr sum_build_side(Pool *pool, const LinearSum *sum, int sign, int64_t constant) {
    return make_side((SumMaker){pool, NULL}, sum, sign, constant, NULL);
}

/* Pairs are not searched in long sums, but in their parts. */
static SumMaker normal_maker(Simplifier *s, const LinearSum *sum) {
    return (SumMaker){s->pool, sum->count <= MAX_PAIRED ? s : NULL};
}

Expr sum_build_normal(Simplifier *s, const LinearSum *sum, Expr likely) {
    return make_sum(normal_maker(s, sum), sum, likely);
}

Expr sum_build_side_normal(Simplifier *s, const LinearSum *sum, int sign, int64_t constant,
                           Expr likely) {
    return make_side(normal_maker(s, sum), sum, sign, constant, likely);
}

Expr sum_key(Pool *pool, const LinearSum *sum, int64_t *scale) {
    LinearSum key = *sum;
    sum_sort(&key);
    *scale = sum_gcd(&key);
    if (!*scale)
        return NULL;
    if (key.terms[0].coefficient < 0)
        *scale = -*scale;
    for (int i = 0; i < key.count; i++)
        key.terms[i].coefficient /= *scale;
    key.constant = 0;
    return sum_build(pool, &key);
}

uint8_t sum_slot(const LinearSum *sum) {
    uint64_t hash = 0;
    for (int i = 0; i < sum->count; i++)
        hash ^= sum->terms[i].atom->hash;
    return (uint8_t)((hash ^ hash >> 32) % SUM_SLOTS);
}

/* ---- choice of terms, for the matcher ---- */

int sum_split_count(Expr expr) {
    int count = 1;
    for (; type_is_index(expr->type) && (expr->op == OP_ADD || expr->op == OP_SUB);
         expr = expr->arguments[0])
        count++;
    return count > SUM_TERMS ? 1 : count;
}

void sum_split(LinearSum *sum, Expr expr) {
    sum_of(sum, expr);
    if (sum->count + (sum->constant != 0) < 2)
        sum->failed = true;
    if (!sum->failed)
        sum_sort(sum);
}

Expr sum_without(Pool *pool, const LinearSum *sum, int term) {
    LinearSum others;
    others.constant = sum->constant;
    others.count = sum->count - 1;
    others.failed = false;
    for (int i = 0; i < others.count; i++)
        others.terms[i] = sum->terms[i < term ? i : i + 1];
    return sum_build(pool, &others);
}
