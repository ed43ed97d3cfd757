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
#include "simplify/rule_set.h"

typedef struct Polynomial {
    int64_t constant, coefficients[RULE_SLOTS];
} Polynomial;

typedef struct Weights {
    int64_t weight, factor;
} Weights;

static bool is_extreme(int op) {
    return op == OP_MIN || op == OP_MAX || op == OP_ABS;
}

static bool is_compare(int op) {
    return op < OP_COUNT && op_info((Op)op)->types == TYPES_COMPARE;
}

static bool is_logic(int op) {
    return op < OP_COUNT && op_info((Op)op)->types == TYPES_LOGIC;
}

/* How much an operator costs at run time or says indirectly: what STRENGTH sums up. */
static int64_t strength(int op) {
    switch (op) {
    case OP_SELECT:
        return 12;
    case OP_DIV:
        return 11;
    case OP_MOD:
        return 10;
    case OP_MUL:
        return 9;
    case OP_SUB:
        return 8;
    case OP_ADD:
        return 7;
    case OP_NOT:
        return 6;
    case OP_NE:
        return 5;
    case OP_LT:
        return 4;
    case OP_LE:
        return 3;
    case OP_EQ:
        return 2;
    default:
        return 1;
    }
}

/* `second_constant`: the second operand is a constant. */
static Weights weights(OrderComponent component, int op, bool second_constant) {
    switch (component) {
    case ORDER_SELECTS:
        return (Weights){op == OP_SELECT, 1};
    case ORDER_DIVISIONS:
        return (Weights){op == OP_DIV || op == OP_MOD, 1};
    case ORDER_PRODUCTS:
        return (Weights){op == OP_MUL && !second_constant, 1};
    case ORDER_EXTREMES:
        return (Weights){is_extreme(op), 1};
    case ORDER_LEAVES:
        return (Weights){0, 1};
    case ORDER_SIZE:
        return (Weights){1, 1};
    case ORDER_UNDER_QUOTIENT:
        return (Weights){1, op == OP_DIV ? 2 : 1};
    case ORDER_UNDER_REMAINDER:
        return (Weights){1, op == OP_MOD ? 2 : 1};
    case ORDER_UNDER_EXTREME:
        return (Weights){1, is_extreme(op) ? 2 : 1};
    case ORDER_UNDER_SELECT:
        return (Weights){1, op == OP_SELECT ? 2 : 1};
    case ORDER_UNDER_COMPARE:
        return (Weights){1, is_compare(op) ? 2 : 1};
    case ORDER_UNDER_LOGIC:
        return (Weights){1, is_logic(op) ? 2 : 1};
    case ORDER_STRENGTH:
        return (Weights){strength(op), 1};
    case ORDER_COUNT:
        break;
    }
    return (Weights){0, 1};
}

/* The component's value of a leaf: 0 where only operators count. */
static int64_t leaf(OrderComponent component) {
    return component >= ORDER_LEAVES;
}

static const RuleTerm *add_term(OrderComponent component, const RuleTerm *term, int64_t factor,
                                Polynomial *sum) {
    switch (term->op) {
    case TERM_WILDCARD:
        sum->coefficients[term->value] += factor;
        return term + 1;
    case TERM_CONSTANT:
    case TERM_LITERAL:
    case TERM_TRUTH:
        sum->constant += factor * leaf(component);
        return term + 1;
    case TERM_FOLD:
        sum->constant += factor * leaf(component);
        return rule_term_end(term);
    default:
        break;
    }
    int arity = rule_term_arity(term);
    const RuleTerm *next = term + 1, *second = arity == 2 ? rule_term_end(next) : NULL;
    bool second_constant = second && (second->op == TERM_CONSTANT || second->op == TERM_LITERAL ||
                                      second->op == TERM_FOLD);
    Weights w = weights(component, term->op, second_constant);
    sum->constant += factor * w.weight;
    for (int i = 0; i < arity; i++)
        next = add_term(component, next, factor * w.factor, sum);
    return next;
}

OrderComponent rule_witness(const Rule *rule) {
    for (int c = 0; c < ORDER_COUNT; c++) {
        Polynomial left = {0}, right = {0};
        add_term((OrderComponent)c, rule->left, 1, &left);
        add_term((OrderComponent)c, rule->right, 1, &right);
        int64_t gap = left.constant - right.constant;
        for (int i = 0; i < RULE_SLOTS; i++) {
            int64_t more = left.coefficients[i] - right.coefficients[i];
            if (more < 0)
                return ORDER_COUNT;
            gap += more * leaf((OrderComponent)c);
        }
        if (gap > 0)
            return (OrderComponent)c;
        if (gap < 0)
            return ORDER_COUNT;
    }
    return ORDER_COUNT;
}

void rule_order(RuleSet *set) {
    for (size_t i = 0; i < set->rules.length; i++) {
        Rule *rule = &set->rules.data[i];
        OrderComponent witness = rule_witness(rule);
        if (witness == ORDER_COUNT)
            rule_error(set, rule->file, rule->line,
                       "rule %s does not go down in the reduction order: %s", rule->name,
                       rule->text);
        else
            rule->witness = (uint8_t)witness;
    }
}
