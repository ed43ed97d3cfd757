/* sum.c -- integer sums in normal form.
 *
 * An integer node made of + - and products by constants stands for a sum of terms, coefficient
 * times atom, and a constant.  Its normal form has each atom once, atoms in structural order,
 * positive terms first, the constant last: `x + y*3 - z + 4`; where no term is positive, `4 - z`,
 * or `x*-1 - y`.  A product of a monomial and a short sum is multiplied out.  This is a theory
 * built into the engine, as rules modulo the laws of a commutative group would be clumsy;
 * everything else is rules.  Two things more happen to a sum, each of which leaves fewer terms:
 *
 *   cancel   min(x + y, z) - x  becomes  min(y, z - x): a term goes into the arms of a min, max or
 *            select where it cancels a term of an arm;
 *   remain   x - x/8*8  becomes  x % 8: where a sum has all the terms of a quotient's dividend,
 * minus the quotient times its divisor; pair     a rule over + is tried on each two terms that are
 * not leaves (x/4*4 + x%4 -> x), with either sign and common factors taken out; what it makes
 * stands for both.
 *
 * A coefficient (or constant) beyond 2^62 marks the sum as failed, and the node is left as it is.
 */
#include "simplify/internal.h"

#define MAX_COEFFICIENT ((int64_t)1 << 62) /* of the constant too: negation never overflows */
#define MAX_PAIRED      12                 /* terms of a sum in which pairs are tried */
#define MAX_PRODUCT     8                  /* terms of a sum that a monomial is multiplied into */

static bool too_large(int64_t coefficient) {
    return coefficient > MAX_COEFFICIENT || coefficient < -MAX_COEFFICIENT;
}

void sum_add_constant(Sum *sum, int64_t constant, int64_t scale) {
    int64_t product;
    if (__builtin_mul_overflow(constant, scale, &product) ||
        __builtin_add_overflow(sum->constant, product, &sum->constant) || too_large(sum->constant))
        sum->failed = true;
}

void sum_add_term(Sum *sum, Expr atom, int64_t coefficient) {
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

void sum_add_sum(Sum *sum, const Sum *other, int64_t scale) {
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

typedef struct Scaled {
    Expr expr;
    int64_t scale;
} Scaled;

void sum_add(Sum *sum, Expr expr, int64_t scale) {
    Scaled stack[SUM_TERMS * 2];
    int height = 0;
    stack[height++] = (Scaled){expr, scale};
    while (height && !sum->failed) {
        Scaled top = stack[--height];
        int64_t value;
        Expr rest;
        if (height + 2 > SUM_TERMS * 2 || top.scale == INT64_MIN) {
            sum->failed = true;
        } else if (expr_constant_integer(top.expr, &value)) {
            sum_add_constant(sum, value, top.scale);
        } else if (top.expr->op == OP_ADD || top.expr->op == OP_SUB) {
            int64_t sign = top.expr->op == OP_ADD ? 1 : -1;
            stack[height++] = (Scaled){top.expr->arguments[1], sign * top.scale};
            stack[height++] = (Scaled){top.expr->arguments[0], top.scale};
        } else if (top.expr->op == OP_NEG) {
            stack[height++] = (Scaled){top.expr->arguments[0], -top.scale};
        } else if (constant_factor(top.expr, &value, &rest)) {
            if (__builtin_mul_overflow(top.scale, value, &value))
                sum->failed = true;
            else
                stack[height++] = (Scaled){rest, value};
        } else {
            sum_add_term(sum, top.expr, top.scale);
        }
    }
}

void sum_sort(Sum *sum) {
    for (int i = 1; i < sum->count; i++) {
        SumTerm term = sum->terms[i];
        int at = i;
        for (; at > 0 && expr_compare(sum->terms[at - 1].atom, term.atom) > 0; at--)
            sum->terms[at] = sum->terms[at - 1];
        sum->terms[at] = term;
    }
}

int64_t sum_coefficient(const Sum *sum, Expr atom) {
    for (int i = 0; i < sum->count; i++)
        if (sum->terms[i].atom == atom)
            return sum->terms[i].coefficient;
    return 0;
}

int64_t sum_gcd(const Sum *sum) {
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

Expr sum_build(Pool *pool, const Sum *sum) {
    Expr result = NULL;
    int head = -1;
    for (int i = 0; i < sum->count && head < 0; i++)
        if (sum->terms[i].coefficient > 0)
            head = i;
    if (head >= 0)
        result = scaled(pool, sum->terms[head].atom, sum->terms[head].coefficient);
    else if (sum->constant || !sum->count)
        result = expr_index(pool, sum->constant);
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < sum->count; i++) {
            SumTerm term = sum->terms[i];
            if (i == head || (term.coefficient > 0) != (sign > 0))
                continue;
            if (!result)
                result = scaled(pool, term.atom, term.coefficient);
            else
                result = expr_binary(pool, sign > 0 ? OP_ADD : OP_SUB, result,
                                     scaled(pool, term.atom, sign * term.coefficient));
        }
    if (head >= 0 && sum->constant)
        result = expr_add(pool, result, expr_index(pool, sum->constant));
    return result;
}

Expr sum_build_side(Pool *pool, const Sum *sum, int sign, int64_t constant) {
    Sum side;
    sum_clear(&side);
    side.constant = constant;
    for (int i = 0; i < sum->count; i++)
        if ((sum->terms[i].coefficient > 0) == (sign > 0))
            side.terms[side.count++] =
                (SumTerm){sum->terms[i].atom, sign * sum->terms[i].coefficient};
    return sum_build(pool, &side);
}

Expr sum_key(Pool *pool, const Sum *sum, int64_t *scale) {
    Sum key = *sum;
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

ConstantInterval sum_interval(Simplifier *s, const Sum *sum) {
    if (sum->failed)
        return EVERYTHING;
    ConstantInterval total = interval_point(sum->constant);
    for (int i = 0; i < sum->count && (total.has_minimum || total.has_maximum); i++)
        total = interval_add(total, interval_scale(known_of(s, sum->terms[i].atom)->interval,
                                                   sum->terms[i].coefficient));
    int64_t scale;
    Expr key = s->sum_facts ? sum_key(s->pool, sum, &scale) : NULL;
    if (!key)
        return total;
    ConstantInterval fact = interval_scale(fact_interval(s, key), scale);
    return interval_intersect(total, interval_add(fact, interval_point(sum->constant)));
}

Residue sum_residue(Simplifier *s, const Sum *sum) {
    Known total = known_constant(INDEX, sum->constant);
    for (int i = 0; i < sum->count && !sum->failed; i++) {
        Known parts[] = {*known_of(s, sum->terms[i].atom),
                         known_constant(INDEX, sum->terms[i].coefficient)};
        Known both[] = {total, known_apply(OP_MUL, INDEX, parts)};
        total = known_apply(OP_ADD, INDEX, both);
    }
    return sum->failed ? ANY_RESIDUE : total.residue;
}

/* ---- cancel ---- */

static bool has_arms(Expr atom) {
    return (atom->op == OP_MIN || atom->op == OP_MAX || atom->op == OP_SELECT) &&
           type_is_index(atom->type);
}

/* Moves `amount` times `atom` (null: 1) into both arms of term i. */
static bool push(Simplifier *s, Sum *sum, int i, Sum *arms, Expr atom, int64_t amount) {
    Expr node = sum->terms[i].atom, built[3] = {node->arguments[0]};
    int first = node->op == OP_SELECT;
    for (int k = 0; k < 2; k++) {
        if (atom)
            sum_add_term(&arms[k], atom, amount);
        else
            sum_add_constant(&arms[k], amount, 1);
        if (arms[k].failed)
            return false;
        sum_sort(&arms[k]);
        built[first + k] = sum_build(s->pool, &arms[k]);
    }
    int64_t coefficient = sum->terms[i].coefficient;
    Sum next = *sum;
    sum_add_term(&next, node, -coefficient);
    if (atom)
        sum_add_term(&next, atom, -amount * coefficient);
    else
        next.constant = 0;
    sum_add_term(&next, expr_apply(s->pool, (Op)node->op, built), coefficient);
    *sum = next;
    return !next.failed;
}

static bool cancel_into(Simplifier *s, Sum *sum, int i) {
    Expr node = sum->terms[i].atom;
    int first = node->op == OP_SELECT;
    int64_t coefficient = sum->terms[i].coefficient;
    Sum arms[2];
    for (int k = 0; k < 2; k++) {
        sum_clear(&arms[k]);
        sum_add(&arms[k], node->arguments[first + k], 1);
    }
    if (arms[0].failed || arms[1].failed)
        return false;
    for (int j = 0; j < sum->count; j++) {
        SumTerm term = sum->terms[j];
        if (j == i || term.coefficient % coefficient)
            continue;
        int64_t amount = term.coefficient / coefficient;
        for (int k = 0; k < 2; k++)
            if (sum_coefficient(&arms[k], term.atom) == -amount)
                return push(s, sum, i, arms, term.atom, amount);
    }
    if (!sum->constant || sum->constant % coefficient)
        return false;
    int64_t amount = sum->constant / coefficient;
    for (int k = 0; k < 2; k++)
        if (arms[0].count && arms[1].count && arms[k].constant == -amount && !arms[1 - k].constant)
            return push(s, sum, i, arms, NULL, amount);
    return false;
}

/* ---- remain ---- */

/* k*(N/c) and -k/c times each term of N: that is -k/c times N % c. */
static bool remain(Simplifier *s, Sum *sum, SumTerm term) {
    int64_t divisor;
    if (term.atom->op != OP_DIV || !expr_constant_integer(term.atom->arguments[1], &divisor) ||
        divisor <= 0 || term.coefficient % divisor)
        return false;
    int64_t factor = -term.coefficient / divisor;
    Sum dividend;
    sum_clear(&dividend);
    sum_add(&dividend, term.atom->arguments[0], 1);
    for (int i = 0; i < dividend.count && !dividend.failed; i++) {
        int64_t wanted;
        if (__builtin_mul_overflow(dividend.terms[i].coefficient, factor, &wanted) ||
            sum_coefficient(sum, dividend.terms[i].atom) != wanted)
            return false;
    }
    Sum next = *sum;
    Expr modulo = expr_mod(s->pool, term.atom->arguments[0], term.atom->arguments[1]);
    sum_add_term(&next, term.atom, -term.coefficient);
    sum_add_sum(&next, &dividend, -factor);
    sum_add_term(&next, modulo, factor);
    if (dividend.failed || next.failed || !dividend.count)
        return false;
    *sum = next;
    return true;
}

/* ---- pair ---- */

static bool is_leaf(Expr atom) {
    return atom->op >= OP_COUNT;
}

static bool pair(Simplifier *s, Sum *sum, int i, int j) {
    SumTerm a = sum->terms[i], b = sum->terms[j];
    int64_t common = gcd64(a.coefficient, b.coefficient);
    for (int sign = 1; sign >= -1; sign -= 2) {
        int64_t unit = sign * common;
        SumTerm first = {a.atom, a.coefficient / unit}, second = {b.atom, b.coefficient / unit};
        Expr result = match_terms(s, first, second);
        if (!result)
            result = match_terms(s, second, first);
        if (!result)
            continue;
        Sum next = *sum;
        sum_add_term(&next, a.atom, -a.coefficient);
        sum_add_term(&next, b.atom, -b.coefficient);
        sum_add(&next, result, unit);
        if (next.failed)
            return false;
        *sum = next;
        return true;
    }
    return false;
}

bool sum_improve(Simplifier *s, Sum *sum) {
    for (int i = 0; i < sum->count; i++)
        if (has_arms(sum->terms[i].atom) && cancel_into(s, sum, i))
            return true;
    for (int i = 0; i < sum->count; i++)
        if (remain(s, sum, sum->terms[i]))
            return true;
    for (int i = 0; i < sum->count && sum->count <= MAX_PAIRED; i++)
        for (int j = i + 1; j < sum->count && !is_leaf(sum->terms[i].atom); j++)
            if (!is_leaf(sum->terms[j].atom) && pair(s, sum, i, j))
                return true;
    return false;
}

/* ---- products ---- */

/* Factors of a product of unknowns, in structural order, multiplied from the left. */
static Expr monomial(Pool *pool, Expr a, Expr b) {
    Expr factors[SUM_TERMS], stack[SUM_TERMS] = {b, a};
    int count = 0, height = 2;
    while (height) {
        Expr top = stack[--height];
        if (top->op == OP_MUL && height + 2 <= SUM_TERMS && count + height + 2 <= SUM_TERMS) {
            stack[height++] = top->arguments[1];
            stack[height++] = top->arguments[0];
            continue;
        }
        int at = count++;
        for (; at > 0 && expr_compare(factors[at - 1], top) > 0; at--)
            factors[at] = factors[at - 1];
        factors[at] = top;
    }
    Expr product = factors[0];
    for (int i = 1; i < count; i++)
        product = expr_mul(pool, product, factors[i]);
    return product;
}

static int parts(const Sum *sum) {
    return sum->count + (sum->constant != 0);
}

/* left * right, multiplied out; false where that is not done. */
static bool multiply(Pool *pool, const Sum *left, const Sum *right, Sum *product) {
    if (left->failed || right->failed || (parts(left) > 1 && parts(right) > 1) ||
        parts(left) > MAX_PRODUCT || parts(right) > MAX_PRODUCT)
        return false;
    sum_add_sum(product, left, right->constant);
    for (int j = 0; j < right->count; j++) {
        int64_t cj = right->terms[j].coefficient, coefficient;
        for (int i = 0; i < left->count; i++) {
            Expr atom = monomial(pool, left->terms[i].atom, right->terms[j].atom);
            if (__builtin_mul_overflow(left->terms[i].coefficient, cj, &coefficient))
                return false;
            sum_add_term(product, atom, coefficient);
        }
        if (__builtin_mul_overflow(left->constant, cj, &coefficient))
            return false;
        if (coefficient)
            sum_add_term(product, right->terms[j].atom, coefficient);
    }
    return !product->failed;
}

/* -min(y - x, 0), alone, is max(x - y, 0). */
static Expr without_sign(Simplifier *s, const Sum *sum) {
    SumTerm term = sum->terms[0];
    bool negative = sum->count == 1 && !sum->constant && term.coefficient < 0;
    if (!negative || (term.atom->op != OP_MIN && term.atom->op != OP_MAX))
        return sum_build(s->pool, sum);
    Expr negated = arms_negated(s, term.atom);
    return negated ? scaled(s->pool, negated, -term.coefficient) : sum_build(s->pool, sum);
}

Expr sum_step(Simplifier *s, Expr node) {
    Sum sum, product;
    sum_clear(&sum);
    sum_clear(&product);
    sum_add(&sum, node, 1);
    if (sum.failed)
        return node;
    if (sum.count == 1 && sum.terms[0].atom == node && node->op == OP_MUL) {
        Sum left, right;
        sum_clear(&left);
        sum_clear(&right);
        sum_add(&left, node->arguments[0], 1);
        sum_add(&right, node->arguments[1], 1);
        if (!multiply(s->pool, &left, &right, &product))
            return node;
        sum_sort(&product);
        return sum_build(s->pool, &product);
    }
    sum_improve(s, &sum);
    if (sum.failed)
        return node;
    sum_sort(&sum);
    return without_sign(s, &sum);
}

/* ---- choice of terms, for the matcher ---- */

int sum_split_count(Expr expr) {
    int count = 1;
    for (; type_is_index(expr->type) && (expr->op == OP_ADD || expr->op == OP_SUB);
         expr = expr->arguments[0])
        count++;
    return count > SUM_TERMS ? 1 : count;
}

bool sum_split(Pool *pool, Expr expr, int choice, Expr *term, Expr *rest) {
    Sum sum;
    sum_clear(&sum);
    sum_add(&sum, expr, 1);
    int terms = sum.count + (sum.constant != 0);
    if (sum.failed || terms < 2 || choice >= sum.count)
        return false;
    sum_sort(&sum);
    *term = scaled(pool, sum.terms[choice].atom, sum.terms[choice].coefficient);
    sum.terms[choice].coefficient = 0;
    Sum others;
    sum_clear(&others);
    sum_add_sum(&others, &sum, 1);
    sum_sort(&others);
    *rest = sum_build(pool, &others);
    return true;
}
