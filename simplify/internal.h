/* internal.h -- the state and the functions that the engine's files share; nothing outside
 * simplify/ includes it.
 *
 *   simplify.c  the engine: bottom-up, memo
 *   step.c      one step of a node, by the functions of the other files
 *   match.c     one rule against one node; guards; right sides
 *   sum.c       integer sums in normal form
 *   sum_step.c  one step of a sum, difference or product
 *   cancel.c    pairs of terms of a sum: cancellations, rules for two of them
 *   absolute.c  abs over the integers
 *   arms.c      min, max, select over the integers: common parts of the arms
 *   chain.c     min, max, && and || in normal form, whatever the number of operands
 *   compare.c   integer comparisons in normal form
 *   divide.c    integer quotients and remainders of sums by constants
 *   vector.c    operators over broadcasts
 *   quotient.c  quotients and remainders in one sum
 *   convert.c   conversions that preserve the value
 *   context.c   simplifies parts of &&, || and select under the facts of the other parts
 *   narrow.c    operators over widened machine integers
 *   decrease.c  checks on actual terms that rules decrease the reduction order
 *   value_facts.c  the known interval and residue of a node, from its arguments (interval.c,
 *                  modulus.c) and from facts.c
 *   prove.c     proofs above simplification; records the questions
 *   answers.c   answers to earlier questions
 */
#ifndef HLC_SIMPLIFY_INTERNAL_H
#define HLC_SIMPLIFY_INTERNAL_H

#include "base/integer.h"
#include "simplify/interval.h"
#include "simplify/rule.h"

typedef struct KnownValue {
    ConstantInterval interval;
    Residue residue;
} KnownValue;

/* The results for a node, by its number. They are valid while its epoch is the same. */
typedef struct NodeMemo {
    uint32_t result_epoch, known_epoch, normal_epoch;
    uint16_t normal; /* NormalForm's bits */
    Expr result;
    KnownValue known;
} NodeMemo;

/* It is paged: a simplifier visits few of the nodes of a pool. */
#define MEMO_PAGE 32
typedef struct Memo {
    NodeMemo **pages; /* null: its nodes have no results */
    uint32_t count;
} Memo;

/* Forms that a node is known to have, because of how it was made. The search for them can be
 * skipped. */
typedef enum NormalForm {
    NORMAL_NODE = 1,  /* the normal form of its operator: sum.c, compare.c */
    NORMAL_CHAIN = 2, /* no two operands of the chain simplify together */
    NORMAL_SUM = 4    /* a sum of simplified terms without a further step: it is simplified */
} NormalForm;

/* `key` lies in `interval`: an expression (a bool is 0 or 1), or a variable's Symbol. */
typedef struct SimplifierFact {
    const void *key;
    bool is_symbol, is_sum; /* is_sum: an integer expression, of use to proofs */
    bool is_complement;     /* of a fact that was learned before it */
    ConstantInterval interval;
    size_t previous; /* 1 + the index of the fact that this one hides; 0 for none */
    uint8_t slot;    /* of a sum: in sum_slots */
    uint32_t stack;  /* answers.c: the number of the stack up to it; 0: no question used it */
} SimplifierFact;

typedef struct SimplifierFrame {
    Expr expr, rebuilt, next;
    uint16_t state, chain;
} SimplifierFrame;

/* An integer sum; sum.c. */
#define SUM_TERMS 24
typedef struct SumTerm {
    Expr atom;
    int64_t coefficient; /* not 0 */
} SumTerm;
typedef struct LinearSum {
    int64_t constant;
    int count;
    bool failed; /* too long, or a coefficient exceeded 64 bits: the sum is invalid */
    SumTerm terms[SUM_TERMS];
} LinearSum;

#define SUM_SLOTS 256

/* The last sum from which a choice point of a rule chose. */
typedef struct Split {
    Expr expr;
    LinearSum sum;
} Split;

typedef struct Decrease Decrease;
typedef struct Answers Answers;

#define NO_FACT       1 /* the epoch of nodes that no fact speaks of */
#define CONTEXT_DEPTH 2 /* contexts within contexts */

struct Simplifier {
    Pool *pool;
    Arena *arena;
    Expr (*step)(Simplifier *simplifier, Expr node); /* step.c's; the steps call `simplify` */
    SimplifierOptions options;
    uint32_t last_epoch;
    uint32_t epochs[64];      /* by bit of the unknowns: the last fact about it; 0: none */
    Vec(uint32_t) old_epochs; /* the epochs that facts replaced, in the order of bits */
    Memo memo, context_memos[CONTEXT_DEPTH];
    int context_depth; /* contexts entered */
    Vec(SimplifierFact) facts;
    Map fact_index; /* key -> 1 + index, as a pointer */
    size_t sum_facts;
    uint16_t sum_slots[SUM_SLOTS]; /* the number of facts about sums, by sum_slot */
    Map float_ranges;              /* Symbol -> FloatInterval: of parameters */
    Vec(SimplifierFrame) frames;
    Vec(Expr) known_stack;
    Split splits[RULE_PICKS];
    uint64_t *applications; /* by rule; null: none so far */
    uint64_t applied, exhausted;
    int64_t budget;
    int prove_budget;
    bool is_bare;       /* it applies no rules */
    Decrease *decrease; /* null: the order is not checked */
};

/* float_interval.c */
typedef ConstantInterval IntegerInterval(Simplifier *simplifier, Expr expr);
/* Returns the interval of a float expression.  `integer` knows those of the integers in it. */
FloatInterval float_interval(Simplifier *simplifier, IntegerInterval *integer, Expr expr);
/* Returns the interval of a conversion to a machine integer, whose operand has this interval. */
ConstantInterval float_cast_interval(FloatInterval from, Expr cast);

/* modulus.c */
#define ANY_RESIDUE ((Residue){1, 0})
Residue residue_point(int64_t value);
Residue residue_apply(Op op, Type type, const KnownValue *arguments, ConstantInterval result);
/* Can two numbers with these residues be equal? */
bool residue_may_equal(Residue a, Residue b);

/* simplify.c: makes the memo's page with this number. */
NodeMemo *memo_page(Simplifier *simplifier, uint32_t page);
/* The returned entry never moves. */
static inline NodeMemo *memo_of(Simplifier *simplifier, Expr expr) {
    const Memo *memo = &simplifier->memo;
    uint32_t page = expr->number / MEMO_PAGE;
    NodeMemo *entries = page < memo->count ? memo->pages[page] : NULL;
    return &(entries ? entries : memo_page(simplifier, page))[expr->number % MEMO_PAGE];
}
/* Returns the value facts of a node that was already visited. */
static inline const KnownValue *memo_known(const Simplifier *simplifier, Expr expr) {
    return &simplifier->memo.pages[expr->number / MEMO_PAGE][expr->number % MEMO_PAGE].known;
}

/* Returns the number of the last fact that shares an unknown with the node. The results for a node
 * depend on the node and on the facts about its unknowns. Facts are a stack, so results are valid
 * again whenever this number is the same. */
static inline uint32_t memo_epoch(const Simplifier *simplifier, Expr expr) {
    uint32_t epoch = NO_FACT;
    if (simplifier->facts.length)
        for (uint64_t left = expr->unknowns; left; left &= left - 1) {
            uint32_t of_bit = simplifier->epochs[__builtin_ctzll(left)];
            epoch = of_bit > epoch ? of_bit : epoch;
        }
    return epoch;
}

/* Marks a node as having a form; tests it. */
void memo_mark(Simplifier *simplifier, Expr expr, NormalForm form);
static inline bool memo_is(Simplifier *simplifier, Expr expr, NormalForm form) {
    const NodeMemo *memo = memo_of(simplifier, expr);
    return (memo->normal & form) && memo->normal_epoch == memo_epoch(simplifier, expr);
}

/* value_facts.c */
/* The result is valid until the next query. */
const KnownValue *known_of(Simplifier *simplifier, Expr expr);
KnownValue known_apply(Op op, Type type, const KnownValue *arguments);
KnownValue known_constant(Type type, Bits bits);
/* Returns the interval that facts give for the node itself. */
ConstantInterval fact_interval(const Simplifier *simplifier, const void *key);

/* facts.c */
/* Learns a simplified condition, as simplifier_learn does; or its negation. */
void fact_learn(Simplifier *simplifier, Expr condition, bool holds);

/* sum.c */
/* The sum 0.  (An initializer would clear all terms, too.) */
static inline void sum_clear(LinearSum *sum) {
    sum->constant = 0;
    sum->count = 0;
    sum->failed = false;
}
/* Decompose `expr`, or a - b, into a sum. */
void sum_of(LinearSum *sum, Expr expr);
void sum_of_difference(LinearSum *sum, Expr a, Expr b);
/* Adds scale * expr.  Flattens + - and products by constants. */
void sum_add(LinearSum *sum, Expr expr, int64_t scale);
void sum_add_term(LinearSum *sum, Expr atom, int64_t coefficient);
void sum_add_constant(LinearSum *sum, int64_t constant, int64_t scale);
void sum_add_sum(LinearSum *sum, const LinearSum *other, int64_t scale);
void sum_sort(LinearSum *sum);
/* The term as an expression. */
Expr sum_term(Pool *pool, SumTerm term);
/* The terms and the constant as an expression, positive terms first. */
Expr sum_build(Pool *pool, const LinearSum *sum);
/* Builds a sorted sum of simplified terms without a further step. Marks its partial sums as normal.
 * `likely` (or null) is a guess of the result, which makes the search faster. */
Expr sum_build_normal(Simplifier *simplifier, const LinearSum *sum, Expr likely);
/* Builds only the terms whose coefficient has the sign of `sign`, times `sign`. */
Expr sum_build_side(Pool *pool, const LinearSum *sum, int sign, int64_t constant);
Expr sum_build_side_normal(Simplifier *simplifier, const LinearSum *sum, int sign, int64_t constant,
                           Expr likely);
int64_t sum_coefficient(const LinearSum *sum, Expr atom);
/* Returns the greatest common divisor of the coefficients; 0 if there are none. */
int64_t sum_gcd(const LinearSum *sum);
/* The sum without its constant, made primitive (gcd 1, first coefficient positive): equal for sums
 * that are multiples of one another.  sum = *scale * key + constant. */
Expr sum_key(Pool *pool, const LinearSum *sum, int64_t *scale);
/* Returns a number below SUM_SLOTS that depends only on the sum's atoms, not on their coefficients.
 */
uint8_t sum_slot(const LinearSum *sum);
/* A sum of two simplified sums, left + sign * right. Neither of them has a step of its own. */
typedef struct SumParts {
    LinearSum left, right;
    int sign;
} SumParts;
void sum_parts_of(SumParts *parts, Expr left, Expr right, int sign);
void sum_of_parts(const SumParts *parts, LinearSum *sum);
#define MAX_PAIRED 12 /* terms of a sum in which pairs are tried */
/* Applies one cancellation, or one rule for two terms; false if nothing applies. `parts` null: the
 * origin of the sum is unknown. */
bool sum_improve(Simplifier *simplifier, LinearSum *sum, const SumParts *parts);
/* quotient.c: the same for quotients and remainders. */
bool quotient_improve(Simplifier *simplifier, LinearSum *sum);
/* sum_step.c: one step of an integer + - * or negation. Returns the node itself in normal form. */
Expr sum_step(Simplifier *simplifier, Expr node);
/* Counts the terms of the integer sum `expr` (as written, without flattening products). */
int sum_split_count(Expr expr);
/* Splits `expr` into sorted terms; failed if there are fewer than two. */
void sum_split(LinearSum *sum, Expr expr);
/* Builds the sum without one term. */
Expr sum_without(Pool *pool, const LinearSum *sum, int term);

/* value_facts.c */
ConstantInterval sum_interval(Simplifier *simplifier, const LinearSum *sum);

/* One step each; the result is the node itself if no step applies: absolute.c, arms.c, chain.c,
 * compare.c, context.c, convert.c, divide.c, vector.c. */
Expr absolute_step(Simplifier *simplifier, Expr node);
Expr arms_step(Simplifier *simplifier, Expr node);
/* Returns the arm that an integer min or max always equals; null if unknown. */
Expr arms_decided(Simplifier *simplifier, Expr node);
/* -node for an integer min or max with some negative term in its arms; null for others. */
Expr arms_negated(Simplifier *simplifier, Expr node);
bool chain_is(Expr node);
Expr chain_step(Simplifier *simplifier, Expr node);
Expr divide_step(Simplifier *simplifier, Expr node);
Expr compare_step(Simplifier *simplifier, Expr node);
Expr context_step(Simplifier *simplifier, Expr node);
Expr convert_step(Simplifier *simplifier, Expr node);
Expr exact_step(Simplifier *simplifier, Expr node);
Expr vector_step(Simplifier *simplifier, Expr node);
Expr narrow_step(Simplifier *simplifier, Expr node);
/* a - b (+ 1 for OP_LT) of an integer comparison. */
void compare_sum(LinearSum *sum, Expr comparison);

/* decrease.c: checks that rules decrease the reduction order, on the terms to which they are
 * applied. */
Decrease *decrease_create(Arena *arena);
/* Is `after` less than `before` in the reduction order? */
bool decrease_holds(Decrease *decrease, Expr before, Expr after);
/* Prints one application of a rule: the rule, the term, the result. */
void rule_print_application(FILE *out, const Rule *rule, Expr before, Expr after);
/* Asserts that the rule's result is less. */
void decrease_check(Decrease *decrease, const Rule *rule, Expr before, Expr after);
/* step.c: creates a simplifier that only normalizes, and applies no rules. */
Simplifier *simplifier_create_bare(Pool *pool, Arena *arena);

/* match.c: applies the first matching rule to `op` over these arguments; null if none matches. */
Expr match_rules(Simplifier *simplifier, Op op, const Expr *arguments);
/* Applies the first matching rule to an integer a + b. */
Expr match_terms(Simplifier *simplifier, SumTerm a, SumTerm b);

#endif
