/* commute.c -- makes the commuted variants of rules, and the choice points of sums.
 *
 * Expressions keep the operands of commutative operators in a structural order, which a rule cannot
 * foresee: `min(x, max(x, y))` must also match `min(max(x, y), x)`. So each rule is followed by all
 * distinct ways to exchange such operands. A constant is always last in a commutative node, so no
 * exchange puts it first. Variants that an earlier variant of the rule covers are dropped.
 *
 * Over the integers, some sums on the left (below the root) get a choice point instead: sums whose
 * second operand is a wildcard that occurs once, such as `x * c0 + y`. The matcher tries each term
 * of the sum for the first operand; the wildcard is the rest of the sum. (Not if the first operand
 * is also such a wildcard.)
 */
#include "tools/rulec/rule_set.h"

#include <string.h>

#define MAX_VARIANTS 64

/* Copies the prefix term at `from`. Exchanges the operands of the commutative nodes whose number
 * (in prefix order) has its bit set in `exchanged`. */
typedef struct Exchange {
    const Rule *rule;
    unsigned exchanged;
    int node;
    RuleTerm *out;
} Exchange;

static bool is_constant(const RuleTerm *term) {
    return term->op == TERM_CONSTANT || term->op == TERM_LITERAL || term->op == TERM_TRUTH;
}

/* Can the operands of this node occur in either order? */
static bool exchanges(const Rule *rule, const RuleTerm *term) {
    if (term->op >= OP_COUNT || rule_term_arity(term) != 2)
        return false;
    bool floats = rule->rule_class == RULES_ANY || rule->rule_class == RULES_FLOAT;
    const RuleTerm *second = rule_term_end(term + 1);
    return op_commutes((Op)term->op, floats                           ? F32
                                     : rule->rule_class == RULES_BOOL ? BOOL
                                                                      : I32) &&
           !is_constant(second) && !(rule_is_over_integers(rule) && term->op == OP_ADD);
}

static const RuleTerm *copy(Exchange *e, const RuleTerm *from) {
    const RuleTerm *first = from + 1;
    int arity = rule_term_arity(from);
    bool swap = exchanges(e->rule, from) && e->exchanged >> e->node++ & 1;
    *e->out++ = *from;
    if (swap) {
        const RuleTerm *second = rule_term_end(first);
        /* Numbers must not depend on the exchange: the first operand's nodes are counted first. */
        int before = e->node;
        RuleTerm *start = e->out;
        copy(e, first);
        RuleTerm held[RULE_TERMS];
        size_t length = (size_t)(e->out - start);
        memcpy(held, start, length * sizeof *held);
        e->out = start;
        const RuleTerm *end = copy(e, second);
        memcpy(e->out, held, length * sizeof *held);
        e->out += length;
        (void)before;
        return end;
    }
    for (int i = 0; i < arity; i++)
        first = copy(e, first);
    return first;
}

/* Does the wildcard at `at` occur again on the left side? */
static bool is_repeated(const Rule *rule, int at) {
    bool repeated = false;
    for (int i = 0; i < rule->left_length; i++)
        repeated |= i != at && rule->left[i].op == TERM_WILDCARD &&
                    rule->left[i].value == rule->left[at].value;
    return rule->left[at].op == TERM_WILDCARD && repeated;
}

static void number_picks(RuleSet *set, Rule *rule) {
    if (!rule_is_over_integers(rule))
        return;
    RuleTerm *left = arena_array(set->arena, RuleTerm, rule->left_length);
    memcpy(left, rule->left, sizeof *left * rule->left_length);
    rule->left = left;
    for (int i = 1; i < rule->left_length; i++) {
        if (left[i].op != OP_ADD)
            continue;
        int second = (int)(rule_term_end(&left[i + 1]) - left);
        if ((left[i + 1].op >= OP_COUNT && !is_repeated(rule, i + 1)) ||
            left[second].op != TERM_WILDCARD || is_repeated(rule, second))
            continue;
        if (rule->picks == RULE_PICKS)
            rule_error(set, rule->file, rule->line, "rule %s has more than %d sums to choose in",
                       rule->name, RULE_PICKS);
        else
            left[i].pick = ++rule->picks;
    }
}

static void add_variants(RuleSet *set, const Rule *parent, RuleSet *out) {
    int nodes = 0;
    for (int i = 0; i < parent->left_length; i++)
        nodes += exchanges(parent, &parent->left[i]);
    if (nodes > 6) {
        rule_error(set, parent->file, parent->line, "rule %s has too many commutative operators",
                   parent->name);
        return;
    }
    size_t first = out->rules.length;
    for (unsigned exchanged = 0; exchanged < 1u << nodes; exchanged++) {
        Rule variant = *parent;
        RuleTerm *left = arena_array(set->arena, RuleTerm, parent->left_length);
        Exchange e = {parent, exchanged, 0, left};
        copy(&e, parent->left);
        variant.left = left;
        variant.variant = (uint8_t)(out->rules.length - first);
        bool covered = false;
        for (size_t i = first; i < out->rules.length && !covered; i++)
            covered = rule_generalises(&out->rules.data[i], &variant);
        if (covered)
            continue;
        number_picks(set, &variant);
        vec_push(set->arena, &out->rules, variant);
    }
}

void rule_commute(RuleSet *set) {
    RuleSet out = {.arena = set->arena};
    for (size_t i = 0; i < set->rules.length; i++)
        add_variants(set, &set->rules.data[i], &out);
    set->rules.data = out.rules.data;
    set->rules.length = out.rules.length;
    set->rules.capacity = out.rules.capacity;
}
