/* order_solve.c -- checks that every rule of the solver decreases its reduction order
 * (solve_order.h).
 *
 * The value of a side is a polynomial in its target-matching wildcards, with products. A wildcard
 * enters as its least value plus an unknown that is at least 0. So a polynomial without negative
 * coefficients is never negative, and it is positive if its constant is. A wildcard that matches
 * terms of either kind is tried as each.
 */
#include "tools/rulec/rule_set.h"
#include "simplify/solve_order.h"

#include <string.h>

#define MOST_MONOMIALS 128

typedef struct Monomial {
    int64_t coefficient;
    uint8_t powers[RULE_SLOTS];
} Monomial;

/* `count` beyond the array's end: too long to compare. */
typedef struct WeightPolynomial {
    int count;
    Monomial monomials[MOST_MONOMIALS];
} WeightPolynomial;

static void add_monomial(WeightPolynomial *sum, Monomial more) {
    for (int i = 0; i < sum->count && i < MOST_MONOMIALS; i++)
        if (!memcmp(sum->monomials[i].powers, more.powers, sizeof more.powers)) {
            sum->monomials[i].coefficient += more.coefficient;
            return;
        }
    if (sum->count < MOST_MONOMIALS)
        sum->monomials[sum->count] = more;
    sum->count += sum->count <= MOST_MONOMIALS;
}

static void add(WeightPolynomial *sum, const WeightPolynomial *more, int64_t scale) {
    for (int i = 0; i < more->count && i < MOST_MONOMIALS; i++) {
        Monomial term = more->monomials[i];
        term.coefficient *= scale;
        add_monomial(sum, term);
    }
    if (more->count > MOST_MONOMIALS)
        sum->count = more->count;
}

static void multiply(WeightPolynomial *product, const WeightPolynomial *by) {
    WeightPolynomial result = {.count =
                                   product->count > MOST_MONOMIALS ? product->count : by->count};
    if (result.count <= MOST_MONOMIALS)
        result.count = 0;
    for (int i = 0; i < product->count && result.count <= MOST_MONOMIALS; i++)
        for (int k = 0; k < by->count && k < MOST_MONOMIALS; k++) {
            Monomial term = product->monomials[i], other = by->monomials[k];
            term.coefficient *= other.coefficient;
            for (int slot = 0; slot < RULE_SLOTS; slot++)
                term.powers[slot] = (uint8_t)(term.powers[slot] + other.powers[slot]);
            add_monomial(&result, term);
        }
    *product = result;
}

/* A rule, with a choice of the wildcards that are target-matching. */
typedef struct Chosen {
    const Rule *rule;
    unsigned targets;
    SolveComponent component;
} Chosen;

static bool has_target(const Chosen *chosen, const RuleTerm *term) {
    for (const RuleTerm *end = rule_term_end(term); term < end; term++)
        if (term->op == TERM_WILDCARD && chosen->targets >> term->value & 1)
            return true;
    return false;
}

static WeightPolynomial value(const Chosen *chosen, const RuleTerm *term);

static WeightPolynomial combined(const Chosen *chosen, const RuleTerm *term) {
    const RuleTerm *operands[OP_MAX_ARITY] = {term + 1};
    int arity = rule_term_arity(term);
    for (int i = 1; i < arity; i++)
        operands[i] = rule_term_end(operands[i - 1]);
    SolveWeights weights = solve_order_weights(chosen->component, term->op,
                                               rule_term_is_bool(chosen->rule, operands[arity - 1]),
                                               rule_term_is_bool(chosen->rule, term));
    WeightPolynomial result = {0};
    add_monomial(&result, (Monomial){weights.product ? 1 : weights.weight, {0}});
    for (int i = 0; i < arity; i++) {
        WeightPolynomial operand = value(chosen, operands[i]);
        if (weights.product)
            multiply(&result, &operand);
        else
            add(&result, &operand, weights.factor);
    }
    return result;
}

static WeightPolynomial value(const Chosen *chosen, const RuleTerm *term) {
    WeightPolynomial result = {0};
    if (!has_target(chosen, term)) {
        int64_t constant =
            solve_order_free(chosen->component, rule_term_is_bool(chosen->rule, term));
        add_monomial(&result, (Monomial){constant, {0}});
        return result;
    }
    if (term->op != TERM_WILDCARD)
        return combined(chosen, term);
    Monomial excess = {.coefficient = 1};
    excess.powers[term->value] = 1;
    add_monomial(&result, (Monomial){solve_order_target(chosen->component), {0}});
    add_monomial(&result, excess);
    return result;
}

/* 1: the right side is less, 0: it is not greater, -1: it may be greater. */
static int compare_values(const Chosen *chosen) {
    WeightPolynomial gap = value(chosen, chosen->rule->left),
                     right = value(chosen, chosen->rule->right);
    int64_t constant = 0;
    add(&gap, &right, -1);
    if (gap.count > MOST_MONOMIALS)
        return -1;
    for (int i = 0; i < gap.count; i++) {
        static const uint8_t none[RULE_SLOTS];
        if (gap.monomials[i].coefficient < 0)
            return -1;
        if (!memcmp(gap.monomials[i].powers, none, sizeof none))
            constant = gap.monomials[i].coefficient;
    }
    return constant > 0;
}

/* Lists the leaves of a side in order; a fold is one leaf. */
static int leaves(const RuleTerm *side, int length, const RuleTerm **found) {
    int count = 0;
    for (const RuleTerm *term = side; term < side + length;
         term = term->op == TERM_FOLD ? rule_term_end(term) : term + 1)
        if (term->op >= OP_COUNT)
            found[count++] = term;
    return count;
}

/* Is the target further left on the right side, with nothing else moved, added or dropped? */
static bool moves_left(const Chosen *chosen) {
    const RuleTerm *left[RULE_TERMS], *right[RULE_TERMS];
    int count = leaves(chosen->rule->left, chosen->rule->left_length, left);
    if (leaves(chosen->rule->right, chosen->rule->right_length, right) != count)
        return false;
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0, k = 0; i < count; i++) {
            if (has_target(chosen, left[i]) != kind)
                continue;
            while (k < count && has_target(chosen, right[k]) != kind)
                k++;
            if (k == count || left[i]->op != right[k]->op || left[i]->value != right[k]->value)
                return false;
            k++;
        }
    for (int i = 0; i < count; i++)
        if (has_target(chosen, left[i]) != has_target(chosen, right[i]))
            return has_target(chosen, right[i]);
    return false;
}

static SolveComponent witness_of(Chosen *chosen) {
    for (int c = 0; c < SOLVE_LEFT; c++) {
        chosen->component = (SolveComponent)c;
        int found = compare_values(chosen);
        if (found)
            return found > 0 ? (SolveComponent)c : SOLVE_ORDER_COUNT;
    }
    return moves_left(chosen) ? SOLVE_LEFT : SOLVE_ORDER_COUNT;
}

SolveComponent rule_witness_solve(const Rule *rule) {
    unsigned all = (1u << rule->slot_count) - 1, fixed = rule->target_slots | rule->free_slots;
    unsigned either = all & ~fixed, targets = 0;
    SolveComponent worst = SOLVE_SPLITS;
    /* All subsets of `either`. */
    do {
        Chosen chosen = {rule, rule->target_slots | targets, SOLVE_SPLITS};
        SolveComponent witness = chosen.targets ? witness_of(&chosen) : SOLVE_SPLITS;
        worst = witness > worst ? witness : worst;
        targets = (targets - either) & either;
    } while (targets);
    return worst;
}
