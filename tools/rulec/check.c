/* check.c -- refuses rules that can be read, but are useless or wrong.
 *
 * A rule that never fires is a mistake that would stay unnoticed. So two kinds are refused. The
 * first is a left side that the engine's normal forms exclude, such as differences and `x < c0`
 * over the integers, which sum.c and compare.c rewrite. The second is a rule that an earlier one
 * shadows: the earlier left side matches everything that this one matches, unguarded or under an
 * implied guard.
 */
#include "tools/rulec/rule_set.h"

#include <string.h>

/* The term of the special rule's code for slot i of the general rule. */
typedef struct CheckBinding {
    const RuleTerm *terms[RULE_SLOTS];
} CheckBinding;

bool rule_term_equal(const RuleTerm *a, const RuleTerm *b) {
    const RuleTerm *end = rule_term_end(a);
    for (; a < end; a++, b++)
        if (a->op != b->op || a->value != b->value)
            return false;
    return true;
}

bool rule_term_is_bool(const Rule *rule, const RuleTerm *term) {
    switch (term->op) {
    case TERM_WILDCARD:
    case TERM_CONSTANT:
        return rule->bool_slots >> term->value & 1;
    case TERM_LITERAL:
    case TERM_LANES:
    case OP_RAMP:
        return false;
    case OP_BROADCAST:
        return rule_term_is_bool(rule, term + 1);
    case TERM_TRUTH:
    case TERM_POWER:
        return true;
    case TERM_FOLD:
        return rule_term_is_bool(rule, term + 1);
    case OP_SELECT:
        return rule_term_is_bool(rule, rule_term_end(term + 1));
    default:
        return op_info((Op)term->op)->types == TYPES_COMPARE ||
               op_info((Op)term->op)->types == TYPES_LOGIC ||
               op_info((Op)term->op)->types == TYPES_CLASS;
    }
}

static bool bind(CheckBinding *binding, int slot, const RuleTerm *term) {
    if (binding->terms[slot])
        return rule_term_equal(binding->terms[slot], term);
    binding->terms[slot] = term;
    return true;
}

/* Can the solver's slot of `a` match the term of `b`, for all instances of the term's wildcards? */
static bool kind_covers(const Rule *a, int slot, const Rule *b, const RuleTerm *term) {
    unsigned slots = 0;
    for (const RuleTerm *end = rule_term_end(term); term < end; term++)
        if (term->op == TERM_WILDCARD || term->op == TERM_CONSTANT)
            slots |= 1u << term->value;
    if (a->target_slots >> slot & 1)
        return slots & b->target_slots;
    return !(a->free_slots >> slot & 1) || !(slots & ~(unsigned)b->free_slots);
}

/* One-way matching of a's left side onto b's. */
static bool cover(const Rule *a, const Rule *b, CheckBinding *binding) {
    const RuleTerm *left = a->left, *end = a->left + a->left_length, *right = b->left;
    while (left < end) {
        bool matches;
        switch (left->op) {
        case TERM_WILDCARD:
            matches = (a->rule_class == RULES_ANY ||
                       (a->bool_slots >> left->value & 1) == rule_term_is_bool(b, right)) &&
                      kind_covers(a, left->value, b, right) && bind(binding, left->value, right);
            right = rule_term_end(right);
            break;
        case TERM_CONSTANT:
            matches = (right->op == TERM_CONSTANT || right->op == TERM_LITERAL ||
                       right->op == TERM_TRUTH) &&
                      bind(binding, left->value, right);
            right++;
            break;
        default:
            matches = left->op == right->op && left->value == right->value;
            right++;
            break;
        }
        if (!matches)
            return false;
        left++;
    }
    return true;
}

/* Is the condition `a`, in the wildcards of the special rule, the condition `b`? */
static bool same_condition(const RuleTerm *a, const RuleTerm *b, const CheckBinding *binding) {
    for (const RuleTerm *end = rule_term_end(a); a < end; a++) {
        bool slot = a->op == TERM_WILDCARD || a->op == TERM_CONSTANT;
        if (slot ? !rule_term_equal(binding->terms[a->value], b)
                 : a->op != b->op || a->value != b->value)
            return false;
        b = slot ? rule_term_end(b) : b + 1;
    }
    return true;
}

/* Is the condition one of the guard's conjuncts? */
static bool is_among(const RuleTerm *condition, const RuleTerm *guard,
                     const CheckBinding *binding) {
    if (guard->op == OP_AND)
        return is_among(condition, guard + 1, binding) ||
               is_among(condition, rule_term_end(guard + 1), binding);
    return same_condition(condition, guard, binding);
}

/* Are all conjuncts of the general rule's guard also in the special rule's, in any order? */
static bool guard_covers(const RuleTerm *general, const RuleTerm *special,
                         const CheckBinding *binding) {
    if (general->op == OP_AND)
        return guard_covers(general + 1, special, binding) &&
               guard_covers(rule_term_end(general + 1), special, binding);
    return is_among(general, special, binding);
}

bool rule_generalises(const Rule *general, const Rule *special) {
    bool same_class =
        general->rule_class == special->rule_class && !(special->types & ~general->types);
    bool any = general->rule_class == RULES_ANY && special->rule_class != RULES_SOLVE;
    if (!same_class && !any)
        return false;
    CheckBinding binding = {{NULL}};
    return cover(general, special, &binding) &&
           (!general->guard_length ||
            (special->guard_length && guard_covers(general->guard, special->guard, &binding)));
}

static bool is_constant(const RuleTerm *term) {
    return term->op == TERM_CONSTANT || term->op == TERM_LITERAL;
}

/* Explains why the engine never has such a chain (chain.c); null if it does. On floats, min and max
 * are no chains. */
static const char *never_chained(const Rule *rule) {
    const RuleTerm *root = rule->left;
    bool extreme = (root->op == OP_MIN || root->op == OP_MAX) && rule->rule_class != RULES_FLOAT;
    bool chain = extreme || root->op == OP_AND || root->op == OP_OR;
    bool nested = root[1].op == root->op || rule_term_end(root + 1)->op == root->op;
    return chain && nested ? "a chain's rules name two of its operands" : NULL;
}

/* Explains why the engine never has such a node over the integers; null if it does. */
static const char *never_shown(const RuleTerm *term, bool is_sum) {
    const RuleTerm *second = NULL;
    if (rule_term_arity(term) == 2)
        second = rule_term_end(term + 1);
    switch (term->op) {
    case OP_SUB:
    case OP_NEG:
        return "sums are normalised first: write x + y*-1";
    case OP_ADD:
        if (is_sum && (term[1].op >= OP_COUNT || second->op >= OP_COUNT))
            return "a sum's rules name two terms, each an operator's; the rest is sum.c's";
        return is_constant(&term[1]) ? "constants stand last in a sum" : NULL;
    case OP_MUL:
        return is_constant(&term[1]) ? "constants stand last in a product" : NULL;
    case OP_LT:
        if ((is_constant(&term[1]) && (term[1].op != TERM_LITERAL || term[1].value)) ||
            (is_constant(second) && (second->op != TERM_LITERAL || second->value)))
            return "comparisons with a constant but 0 are shown as <=";
        return NULL;
    default:
        return NULL;
    }
}

/* Explains why the solver never has such a node; null if it does. */
static const char *never_solved(const Rule *rule, const RuleTerm *term, bool at_root) {
    if (at_root && rule->free_slots == (1u << rule->slot_count) - 1)
        return "no wildcard stands for terms with the target variable";
    if (term->op == OP_LT)
        return "the solver's limits are written with <=";
    return NULL;
}

static void check_shown(RuleSet *set, const Rule *rule) {
    const char *chained = rule_term_arity(rule->left) == 2 ? never_chained(rule) : NULL;
    if (chained && rule->rule_class != RULES_ANY)
        rule_error(set, rule->file, rule->line, "rule %s can never match: %s", rule->name, chained);
    for (int i = 0; i < rule->left_length && rule_is_over_integers(rule); i++) {
        const char *reason =
            never_shown(&rule->left[i], i == 0 && rule->rule_class == RULES_INTEGERS);
        if (!reason && rule->rule_class == RULES_SOLVE)
            reason = never_solved(rule, &rule->left[i], i == 0);
        if (reason)
            rule_error(set, rule->file, rule->line, "rule %s can never match: %s", rule->name,
                       reason);
    }
}

static void check_against(RuleSet *set, const Rule *rule, const Rule *earlier) {
    if (!earlier->variant && !strcmp(earlier->name, rule->name))
        rule_error(set, rule->file, rule->line, "the name %s is used twice, first at %s:%d",
                   rule->name, earlier->file, earlier->line);
    if (!rule_generalises(earlier, rule))
        return;
    bool same = rule_generalises(rule, earlier);
    rule_error(set, rule->file, rule->line, "rule %s %s %s at %s:%d", rule->name,
               same ? "is a duplicate of" : "is shadowed by", earlier->name, earlier->file,
               earlier->line);
}

/* Checks each rule as written against all variants of earlier ones. (Unbound wildcards were refused
 * during reading.) */
void rule_check(RuleSet *set) {
    for (size_t i = 0; i < set->rules.length; i++) {
        const Rule *rule = &set->rules.data[i];
        if (rule->variant)
            continue;
        check_shown(set, rule);
        rule_lanes_check(set, rule);
        for (size_t k = 0; k < i; k++)
            check_against(set, rule, &set->rules.data[k]);
    }
}
