/* cancel.c -- simplifies integer sums beyond their normal form (sum.c), by pairs of terms.
 *
 * Each step leaves fewer terms:
 *
 *   cancel  min(x + y, z) - x  becomes  min(y, z - x): a term moves into the arms of a min, max or
 *           select if it cancels a term of an arm;
 *
 *   remain  x - x/8*8  becomes  x % 8: a sum has all the terms of a quotient's dividend,
 *           minus the quotient times its divisor;
 *
 *   pair    tries each rule over + on each two terms that are not leaves (x/4*4 + x%4 -> x), with
 *           either sign, without common factors; the rule's result replaces both.
 *
 * quotient.c simplifies pairs of quotients and remainders.
 */
#include "simplify/internal.h"

/* ---- cancel ---- */

static bool has_arms(Expr atom) {
    return (atom->op == OP_MIN || atom->op == OP_MAX || atom->op == OP_SELECT) &&
           type_is_index(atom->type);
}

/* Moves `amount` times `atom` (null: 1) into both arms of term i. */
static bool push(Simplifier *s, LinearSum *sum, int i, LinearSum *arms, Expr atom, int64_t amount) {
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
    LinearSum next = *sum;
    sum_add_term(&next, node, -coefficient);
    if (atom)
        sum_add_term(&next, atom, -amount * coefficient);
    else
        next.constant = 0;
    sum_add_term(&next, expr_apply(s->pool, (Op)node->op, built), coefficient);
    *sum = next;
    return !next.failed;
}

/* The terms of a sum that come from each part, as bits. */
typedef struct TermOrigins {
    uint32_t terms[2];
    bool constant[2]; /* is that the part's? */
} TermOrigins;

static bool of_one_part(const TermOrigins *origin, int i, int j) {
    return (origin->terms[0] >> i & origin->terms[0] >> j & 1) ||
           (origin->terms[1] >> i & origin->terms[1] >> j & 1);
}

/* Is term i of the part whose constant the sum has? */
static bool has_its_constant(const TermOrigins *origin, int i) {
    return (origin->constant[0] && (origin->terms[0] >> i & 1)) ||
           (origin->constant[1] && (origin->terms[1] >> i & 1));
}

/* Might a term, or the constant, cancel something in the arms of term i? */
static bool may_cancel(const LinearSum *sum, int i, const TermOrigins *origin) {
    int64_t coefficient = sum->terms[i].coefficient;
    for (int j = 0; j < sum->count; j++)
        if (j != i && !of_one_part(origin, i, j) && sum->terms[j].coefficient % coefficient == 0)
            return true;
    return sum->constant && sum->constant % coefficient == 0 && !has_its_constant(origin, i);
}

static bool cancel_into(Simplifier *s, LinearSum *sum, int i, const TermOrigins *origin) {
    Expr node = sum->terms[i].atom;
    int first = node->op == OP_SELECT;
    int64_t coefficient = sum->terms[i].coefficient;
    LinearSum arms[2];
    if (!may_cancel(sum, i, origin))
        return false;
    for (int k = 0; k < 2; k++) {
        sum_of(&arms[k], node->arguments[first + k]);
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
static bool remain(Simplifier *s, LinearSum *sum, SumTerm term) {
    int64_t divisor;
    if (term.atom->op != OP_DIV || !expr_constant_integer(term.atom->arguments[1], &divisor) ||
        divisor <= 0 || term.coefficient % divisor)
        return false;
    int64_t factor = -term.coefficient / divisor;
    LinearSum dividend;
    sum_of(&dividend, term.atom->arguments[0]);
    for (int i = 0; i < dividend.count && !dividend.failed; i++) {
        int64_t wanted;
        if (__builtin_mul_overflow(dividend.terms[i].coefficient, factor, &wanted) ||
            sum_coefficient(sum, dividend.terms[i].atom) != wanted)
            return false;
    }
    LinearSum next = *sum;
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

static bool pair(Simplifier *s, LinearSum *sum, int i, int j) {
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
        LinearSum next = *sum;
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

static uint32_t terms_of(const LinearSum *sum, const LinearSum *part, int sign) {
    uint32_t terms = 0;
    for (int i = 0; i < sum->count; i++)
        if (sum_coefficient(part, sum->terms[i].atom) * sign == sum->terms[i].coefficient)
            terms |= (uint32_t)1 << i;
    return terms;
}

/* Pairs are not searched in long sums, so such a sum may still have some. */
static TermOrigins origin_of(const LinearSum *sum, const SumParts *parts) {
    TermOrigins origin = {{0, 0}, {false, false}};
    if (!parts || parts->left.count > MAX_PAIRED || parts->right.count > MAX_PAIRED)
        return origin;
    origin.terms[0] = terms_of(sum, &parts->left, 1);
    origin.terms[1] = terms_of(sum, &parts->right, parts->sign);
    origin.constant[0] = sum->constant == parts->left.constant;
    origin.constant[1] = sum->constant == parts->right.constant * parts->sign;
    return origin;
}

/* Only operators with arms, quotients, remainders, and pairs of operators can be simplified. */
static bool is_plain(const LinearSum *sum) {
    int operators = 0;
    for (int i = 0; i < sum->count; i++) {
        Expr atom = sum->terms[i].atom;
        operators += !is_leaf(atom);
        if (operators > 1 || has_arms(atom) || atom->op == OP_DIV || atom->op == OP_MOD)
            return false;
    }
    return true;
}

bool sum_improve(Simplifier *s, LinearSum *sum, const SumParts *parts) {
    if (is_plain(sum))
        return false;
    TermOrigins origin = origin_of(sum, parts);
    for (int i = 0; i < sum->count; i++)
        if (has_arms(sum->terms[i].atom) && cancel_into(s, sum, i, &origin))
            return true;
    for (int i = 0; i < sum->count; i++)
        if (sum->terms[i].atom->op == OP_DIV && remain(s, sum, sum->terms[i]))
            return true;
    if (quotient_improve(s, sum))
        return true;
    for (int i = 0; i < sum->count && sum->count <= MAX_PAIRED; i++)
        for (int j = i + 1; j < sum->count && !is_leaf(sum->terms[i].atom); j++)
            if (!is_leaf(sum->terms[j].atom) && !of_one_part(&origin, i, j) && pair(s, sum, i, j))
                return true;
    return false;
}
