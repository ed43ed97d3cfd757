/* rule.h -- a compiled rewrite rule: flat prefix code. It is data, not C code.
 *
 * A term of a rule is an array of RuleTerm in prefix order: an operator precedes its operands.
 * `min(x + c0, c1)` is MIN ADD wildcard0 constant1 constant2. Prefix code serves all uses. A loop
 * matches it, and builds it from its end backwards (match.c). Linear scans measure it
 * (tools/rulec/order.c). It is printed as SMT-LIB, which is also in prefix order
 * (tools/rulec/smt.c).
 *
 * The rule compiler (tools/rulec/read.c) and the generated table use the same struct.
 */
#ifndef HLC_SIMPLIFY_RULE_H
#define HLC_SIMPLIFY_RULE_H

#include "ir/ops.h"

#define ALL_MACHINE_TYPES 0x1fe  /* i8 .. u64 by type_number */
#define ALL_FLOAT_TYPES   0x1800 /* f32, f64: no rule is proved for f16 and bf16 */

#define RULE_SLOTS     12 /* wildcards and constants of one rule, together */
#define RULE_TERMS     64 /* terms of one side */
#define RULE_TRIED_MAX 64 /* rules that a node like a left side may have to try */

/* The nodes to which a rule applies. A rule is valid for its class only, and the engine never
 * widens it. */
typedef enum RuleClass {
    RULES_INTEGERS, /* numbers are of sort index */
    RULES_MACHINE,  /* numbers are of one machine integer type among `types`; arithmetic wraps */
    RULES_FLOAT,    /* numbers are of one float type among `types`; IEEE 754, all NaNs one value */
    RULES_BOOL,     /* everything is bool; vectors of bools too */
    RULES_ANY,      /* numbers are of any one type, floats and vectors too: structure only */
    RULES_SOLVE,    /* as integers, of the variable solver: wildcards know the target variable */
    RULES_VECTORS, /* vectors of sort index or bool, with as many lanes each, and scalars in them */
    RULE_CLASS_COUNT
} RuleClass;

/* Beyond the operators of ops.h: */
enum {
    TERM_WILDCARD = OP_END, /* x y z w u v: `value` is the slot; matches anything of its sort */
    TERM_CONSTANT,          /* c0 .. c9: `value` is the slot; matches a constant */
    TERM_LITERAL,           /* an integer, `value` */
    TERM_TRUTH,             /* true or false, `value` */
    TERM_LANES,             /* `lanes` of the rule's vectors */
    TERM_FOLD,              /* fold(e): one operand; a constant computed at application */
    TERM_POWER, /* power(c), in guards over floats: c is a power of two or minus one, and
                 * neither c nor 1/c is subnormal or infinite */
    TERM_END
};

typedef struct RuleTerm {
    uint16_t op;
    /* ADD over the integers: 1 + the choice point's number, if the first operand may be any term of
     * the sum; else 0. */
    uint16_t pick;
    int32_t value;
} RuleTerm;

/* The component of the reduction order that the rule decreases: a row of order.def. */
typedef enum OrderComponent {
#define COMPONENT(NAME, SENTENCE) ORDER_##NAME,
#include "simplify/order.def"
#undef COMPONENT
    ORDER_COUNT
} OrderComponent;

/* The component of the solver's order that its rule decreases: a row of solve_order.def. */
typedef enum SolveComponent {
#define COMPONENT(NAME, SENTENCE) SOLVE_##NAME,
#include "simplify/solve_order.def"
#undef COMPONENT
    SOLVE_ORDER_COUNT
} SolveComponent;

/* How the rule was proved: a row of proof.def. */
typedef enum RuleProof {
#define PROOF(NAME, WORD, SENTENCE) PROOF_BY_##NAME,
#include "simplify/proof.def"
#undef PROOF
    RULE_PROOF_COUNT
} RuleProof;

#define RULE_PICKS 2

typedef struct Rule {
    const char *name, *file, *text;
    uint16_t line;
    uint8_t rule_class; /* RuleClass */
    uint8_t variant;    /* 0 as written; others are commuted by the rule compiler */
    uint8_t witness;    /* OrderComponent; of RULES_SOLVE, SolveComponent */
    uint8_t proof;      /* RuleProof */
    uint8_t slot_count;
    uint8_t picks;       /* choice points in `left` */
    uint16_t bool_slots; /* bit i: slot i matches a bool */
    /* RULES_SOLVE, bit i: slot i matches only terms with the target variable, or only those
     * without it. */
    uint16_t target_slots, free_slots;
    uint16_t equal; /* bit i: the two places of rule_pairs[i] (rule_index.h) must hold the same
                       expression */
    uint16_t types; /* machine, float: bit type_number(t) is set if the rule is proved for t */
    uint16_t left_length, right_length, guard_length; /* guard_length 0: no guard */
    const RuleTerm *left, *right, *guard;
} Rule;

/* Are its numbers of sort index? */
static inline bool rule_is_over_integers(const Rule *rule) {
    return rule->rule_class == RULES_INTEGERS || rule->rule_class == RULES_SOLVE;
}

/* Returns the number of operands of a term's head, in any code. */
static inline int rule_term_arity(const RuleTerm *term) {
    if (term->op < OP_COUNT)
        return op_info((Op)term->op)->arity;
    if (term->op == OP_RAMP)
        return 2;
    return term->op == OP_BROADCAST || term->op == TERM_FOLD || term->op == TERM_POWER;
}

/* The end of the term that begins at `term`: one past its last operand. */
static inline const RuleTerm *rule_term_end(const RuleTerm *term) {
    for (int open = 1; open > 0; term++)
        open += rule_term_arity(term) - 1;
    return term;
}

/* Returns the operand of an operator's term that determines the rule's sort (select's second). */
static inline const RuleTerm *rule_term_operand(const RuleTerm *term) {
    return term->op == OP_SELECT ? rule_term_end(term + 1) : term + 1;
}

/* Is it proved type by type? */
static inline bool rule_is_typed(const Rule *rule) {
    return rule->rule_class == RULES_MACHINE || rule->rule_class == RULES_FLOAT;
}

/* The generated table, in file order. rule_index.h searches it. */
extern const Rule rule_table[];
extern const size_t rule_table_count;

#endif
