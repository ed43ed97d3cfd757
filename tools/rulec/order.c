/* order.c -- checks that every rule decreases the reduction order of order.def.
 *
 * A component gives each operator a weight and a factor >= 1. The value of a term is then a linear
 * polynomial in its wildcards. A scan of the prefix code sums it up: each leaf and each weight
 * counts as often as the product of the factors above it. l > r in the component if no coefficient
 * of r exceeds l's, and l's constant part is greater. The constant parts include the least value of
 * each wildcard whose coefficients differ. l = r if all agree.
 *
 * One component depends on whether a factor is constant: a product with a constant counts nothing
 * in PRODUCTS. So x*y changes its value if y becomes a constant, and this component alone is not
 * closed under substitution. The whole order is: a rule must decrease for each choice of constant
 * factors, by any component. rule_witness tries all choices. The witness is the component for the
 * choice without constants.
 *
 * The engine's own normal forms (sums, comparisons) are not rules. They are functions of the sum or
 * comparison of a node, and the order is taken modulo them.
 */
#include "simplify/order.h"
#include "tools/rulec/rule_set.h"

typedef struct LinearWeight {
    int64_t constant, coefficients[RULE_SLOTS];
} LinearWeight;

/* The slots assumed constant, as bits. */
typedef unsigned Constants;

static bool is_constant(const RuleTerm *term, Constants constants) {
    bool wildcard = term->op == TERM_WILDCARD && (constants >> term->value & 1);
    return wildcard || term->op == TERM_CONSTANT || term->op == TERM_LITERAL ||
           term->op == TERM_FOLD;
}

static const RuleTerm *add_term(OrderComponent component, Constants constants, const RuleTerm *term,
                                int64_t factor, LinearWeight *sum) {
    switch (term->op) {
    case TERM_WILDCARD:
        sum->coefficients[term->value] += factor;
        return term + 1;
    case TERM_CONSTANT:
    case TERM_LITERAL:
    case TERM_TRUTH:
    case TERM_LANES:
        sum->constant += factor * order_leaf(component);
        return term + 1;
    case TERM_FOLD:
        sum->constant += factor * order_leaf(component);
        return rule_term_end(term);
    default:
        break;
    }
    int arity = rule_term_arity(term);
    const RuleTerm *next = term + 1, *second = arity == 2 ? rule_term_end(next) : NULL;
    bool by_constant =
        second && (is_constant(second, constants) ||
                   (term->op == OP_MUL && is_constant(next, constants))); /* they change places */
    OrderWeights w = order_weights(component, term->op, by_constant);
    sum->constant += factor * w.weight;
    for (int i = 0; i < arity; i++)
        next = add_term(component, constants, next, factor * w.factor, sum);
    return next;
}

/* May its terms be vectors? */
static bool has_vectors(const Rule *rule) {
    return rule->rule_class == RULES_VECTORS || rule->rule_class == RULES_BOOL ||
           rule->rule_class == RULES_ANY;
}

/* Returns the first component that the rule decreases if these slots are constants. */
static OrderComponent witness_where(const Rule *rule, Constants constants) {
    for (int c = 0; c < ORDER_COUNT; c++) {
        if (c == ORDER_LANES && !has_vectors(rule))
            continue;
        LinearWeight left = {0}, right = {0};
        add_term((OrderComponent)c, constants, rule->left, 1, &left);
        add_term((OrderComponent)c, constants, rule->right, 1, &right);
        int64_t gap = left.constant - right.constant;
        for (int i = 0; i < RULE_SLOTS; i++) {
            int64_t more = left.coefficients[i] - right.coefficients[i];
            if (more < 0)
                return ORDER_COUNT;
            gap += more * order_leaf((OrderComponent)c);
        }
        if (gap > 0 && (c != ORDER_LANES || rule->rule_class == RULES_VECTORS))
            return (OrderComponent)c;
        if (gap < 0)
            return ORDER_COUNT;
    }
    return ORDER_COUNT;
}

/* Wildcards that are factors of some product. */
static Constants factors_of(const RuleTerm *code, int length) {
    Constants factors = 0;
    for (int i = 0; i < length; i++) {
        if (code[i].op != OP_MUL)
            continue;
        const RuleTerm *first = &code[i + 1], *second = rule_term_end(first);
        if (first->op == TERM_WILDCARD)
            factors |= 1u << first->value;
        if (second->op == TERM_WILDCARD)
            factors |= 1u << second->value;
    }
    return factors;
}

/* No left side contains the product of two constants: it would be folded. */
static bool can_stand(const Rule *rule, Constants constants) {
    for (int i = 0; i < rule->left_length; i++)
        if (rule->left[i].op == OP_MUL && is_constant(&rule->left[i + 1], constants) &&
            is_constant(rule_term_end(&rule->left[i + 1]), constants))
            return false;
    return true;
}

/* Tries each set of factors that may be constants. If the rule decreases for all of them, so does
 * every instance. */
OrderComponent rule_witness(const Rule *rule) {
    Constants factors =
        factors_of(rule->left, rule->left_length) | factors_of(rule->right, rule->right_length);
    OrderComponent witness = witness_where(rule, 0);
    for (Constants some = factors; some && witness != ORDER_COUNT; some = (some - 1) & factors)
        if (can_stand(rule, some) && witness_where(rule, some) == ORDER_COUNT)
            return ORDER_COUNT;
    return witness;
}

void rule_order(RuleSet *set) {
    for (size_t i = 0; i < set->rules.length; i++) {
        Rule *rule = &set->rules.data[i];
        bool solving = rule->rule_class == RULES_SOLVE;
        int witness = solving ? (int)rule_witness_solve(rule) : (int)rule_witness(rule);
        if (witness == (solving ? (int)SOLVE_ORDER_COUNT : (int)ORDER_COUNT))
            rule_error(set, rule->file, rule->line,
                       "rule %s does not go down in the reduction order: %s", rule->name,
                       rule->text);
        else
            rule->witness = (uint8_t)witness;
    }
}
