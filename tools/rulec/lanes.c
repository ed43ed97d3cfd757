/* lanes.c -- determines for each term of a rule over vectors whether it is a vector or a scalar.
 *
 * The operands of `ramp` and `broadcast` are scalars, with all their subterms. So is the whole
 * guard, which is evaluated once and not lane by lane. All other terms are vectors. So a wildcard
 * occurs only inside these, or only outside. Numbers, `lanes`, `true` and `false` occur only
 * inside: a number in all lanes is written `broadcast(0)`.
 */
#include "tools/rulec/rule_set.h"

typedef struct LaneUse {
    unsigned scalars, vectors; /* by slot */
    const char *fault;
} LaneUse;

static void note(LaneUse *use, const RuleTerm *term, bool is_scalar) {
    switch (term->op) {
    case TERM_WILDCARD:
        *(is_scalar ? &use->scalars : &use->vectors) |= 1u << term->value;
        if (use->scalars & use->vectors)
            use->fault = "a wildcard is used as a scalar and as a vector";
        break;
    case TERM_CONSTANT:
    case TERM_LITERAL:
    case TERM_TRUTH:
    case TERM_LANES:
    case TERM_FOLD:
        if (!is_scalar)
            use->fault = "a scalar stands where a vector is meant: write broadcast(..)";
        break;
    case OP_RAMP:
    case OP_BROADCAST:
        if (is_scalar)
            use->fault = "a vector stands where a scalar is meant";
        break;
    default: /* an operator, over either */
        break;
    }
}

static void note_code(LaneUse *use, const RuleTerm *code, int length, bool is_scalar) {
    const RuleTerm *scalar_end = is_scalar ? code + length : code;
    for (const RuleTerm *term = code; term < code + length; term++) {
        note(use, term, term < scalar_end);
        if (term->op == OP_RAMP || term->op == OP_BROADCAST)
            scalar_end = rule_term_end(term);
    }
}

void rule_lanes_check(RuleSet *set, const Rule *rule) {
    LaneUse use = {0};
    if (rule->rule_class != RULES_VECTORS)
        return;
    note_code(&use, rule->left, rule->left_length, false);
    note_code(&use, rule->right, rule->right_length, false);
    note_code(&use, rule->guard, rule->guard_length, true);
    if (use.fault)
        rule_error(set, rule->file, rule->line, "rule %s: %s", rule->name, use.fault);
}
