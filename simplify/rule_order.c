/* rule_order.c -- every rule goes down in the reduction order of order.def.
 *
 * A component gives each operator a weight and a factor >= 1; the value of a term is then a linear
 * polynomial in its wildcards, which a scan of the prefix code sums up: each leaf and each weight
 * counts as often as the product of the factors above it.  l > r in the component when no
 * coefficient of r exceeds l's and l's constant part is greater, after the least value of a
 * wildcard has been put in for the coefficients that differ; l = r when all agree.
 *
 * The engine's own normal forms (sums, comparisons) are not rules: they are functions of the sum
 * and the comparison that a node stands for.  The order is meant modulo them.
 */
#include "simplify/order.h"
#include "simplify/rule_set.h"

typedef struct Polynomial {
    int64_t constant, coefficients[RULE_SLOTS];
} Polynomial;

static const RuleTerm *add_term(OrderComponent component, const RuleTerm *term, int64_t factor,
                                Polynomial *sum) {
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
    bool second_constant = second && (second->op == TERM_CONSTANT || second->op == TERM_LITERAL ||
                                      second->op == TERM_FOLD);
    OrderWeights w = order_weights(component, term->op, second_constant);
    sum->constant += factor * w.weight;
    for (int i = 0; i < arity; i++)
        next = add_term(component, next, factor * w.factor, sum);
    return next;
}

/* May its terms be vectors? */
static bool has_vectors(const Rule *rule) {
    return rule->rule_class == RULES_VECTORS || rule->rule_class == RULES_BOOL ||
           rule->rule_class == RULES_ANY;
}

OrderComponent rule_witness(const Rule *rule) {
    for (int c = 0; c < ORDER_COUNT; c++) {
        if (c == ORDER_LANES && !has_vectors(rule))
            continue;
        Polynomial left = {0}, right = {0};
        add_term((OrderComponent)c, rule->left, 1, &left);
        add_term((OrderComponent)c, rule->right, 1, &right);
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
