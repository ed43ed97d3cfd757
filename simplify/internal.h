/* internal.h -- what the engine's files share; nothing outside simplify/ includes it.
 *
 *   simplify.c  the engine: bottom-up, memo
 *   step.c      one step of a node, by what the other files do
 *   match.c     one rule against one node; guards; right sides
 *   sum.c       integer sums in normal form
 *   sum_step.c  one step of a sum, difference or product
 *   cancel.c    terms of a sum that meet: cancellations, rules for two of them
 *   absolute.c  abs over the integers
 *   arms.c      min, max, select over the integers: common parts of the arms
 *   chain.c     min, max, && and || in normal form, whatever the number of operands
 *   compare.c   integer comparisons in normal form
 *   divide.c    integer quotients and remainders of sums by constants
 *   vector.c    operators over broadcasts
 *   quotient.c  quotients and remainders that meet in a sum
 *   convert.c   conversions that lose nothing
 *   context.c   parts of &&, || and select under what stands beside them
 *   narrow.c    operators over widened machine integers
 *   decrease.c  that what rules make is less, on actual terms
 *   value_facts.c  what is known of a node, from its arguments (interval.c, modulus.c) and facts.c
 *   prove.c     proofs above simplification; what was asked, written down
 *   answers.c   questions that were asked before
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

/* What was found out about a node, by its number; valid while its epoch is the same. */
typedef struct NodeMemo {
    uint32_t result_epoch, known_epoch, normal_epoch;
    uint16_t normal; /* NormalForm's bits */
    Expr result;
    KnownValue known;
} NodeMemo;

/* In pages, as a simplifier meets few of the nodes that a pool holds. */
#define MEMO_PAGE 32
typedef struct Memo {
    NodeMemo **pages; /* null: nothing of its nodes is known */
    uint32_t count;
} Memo;

/* What need not be looked for in a node, since it was made by what would find nothing in it. */
typedef enum NormalForm {
    NORMAL_NODE = 1,  /* the normal form of its operator: sum.c, compare.c */
    NORMAL_CHAIN = 2, /* no two operands of the chain are less together */
    NORMAL_SUM = 4    /* a sum of simplified terms, in which nothing is found: it is simplified */
} NormalForm;

/* `key` lies in `interval`: an expression (a bool is 0 or 1), or a variable's Symbol. */
typedef struct SimplifierFact {
    const void *key;
    bool is_symbol, is_sum; /* is_sum: an integer expression, of use to proofs */
    ConstantInterval interval;
    size_t previous; /* 1 + the index of the fact that this one hides; 0 for none */
    uint8_t slot;    /* of a sum: in sum_slots */
    uint32_t stack;  /* answers.c: the number of the stack up to it; 0 where it was not asked for */
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
    bool failed; /* too long, or a coefficient left 64 bits: the sum means nothing */
    SumTerm terms[SUM_TERMS];
} LinearSum;

#define SUM_SLOTS 256

/* The sum that a choice point of a rule last chose from. */
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
    uint32_t epochs[64]; /* by bit of the unknowns: of the last fact that speaks of it; 0: none */
    Vec(uint32_t) old_epochs; /* those that facts replaced, in the order of bits */
    Memo memo, context_memos[CONTEXT_DEPTH];
    int context_depth; /* contexts entered */
    Vec(SimplifierFact) facts;
    Map fact_index; /* key -> 1 + index, as a pointer */
    size_t sum_facts;
    uint16_t sum_slots[SUM_SLOTS]; /* how many facts there are of sums, by sum_slot */
    Vec(SimplifierFrame) frames;
    Vec(Expr) known_stack;
    Split splits[RULE_PICKS];
    uint64_t *applications; /* by rule; null: there was none */
    uint64_t applied, exhausted;
    int64_t budget;
    int prove_budget;
    bool is_bare;       /* it applies no rules */
    Decrease *decrease; /* null: the order is not checked */
};

/* modulus.c */
#define ANY_RESIDUE ((Residue){1, 0})
Residue residue_point(int64_t value);
Residue residue_apply(Op op, Type type, const KnownValue *arguments, ConstantInterval result);
/* May two numbers with these residues be equal? */
bool residue_may_equal(Residue a, Residue b);

/* simplify.c: makes the memo's page with this number. */
NodeMemo *memo_page(Simplifier *simplifier, uint32_t page);
/* Stays where it is. */
static inline NodeMemo *memo_of(Simplifier *simplifier, Expr expr) {
    const Memo *memo = &simplifier->memo;
    uint32_t page = expr->number / MEMO_PAGE;
    NodeMemo *entries = page < memo->count ? memo->pages[page] : NULL;
    return &(entries ? entries : memo_page(simplifier, page))[expr->number % MEMO_PAGE];
}
/* Of a node that has been looked at. */
static inline const KnownValue *memo_known(const Simplifier *simplifier, Expr expr) {
    return &simplifier->memo.pages[expr->number / MEMO_PAGE][expr->number % MEMO_PAGE].known;
}

/* The number of the last fact that shares an unknown with the node.  What is found out about a node
 * depends on it, and on what is known of its unknowns: facts are a stack, so it is valid again
 * wherever this is the same. */
static inline uint32_t memo_epoch(const Simplifier *simplifier, Expr expr) {
    uint32_t epoch = NO_FACT;
    if (simplifier->facts.length)
        for (uint64_t left = expr->unknowns; left; left &= left - 1) {
            uint32_t of_bit = simplifier->epochs[__builtin_ctzll(left)];
            epoch = of_bit > epoch ? of_bit : epoch;
        }
    return epoch;
}

/* Says so of a node; and asks. */
void memo_mark(Simplifier *simplifier, Expr expr, NormalForm form);
static inline bool memo_is(Simplifier *simplifier, Expr expr, NormalForm form) {
    const NodeMemo *memo = memo_of(simplifier, expr);
    return (memo->normal & form) && memo->normal_epoch == memo_epoch(simplifier, expr);
}

/* value_facts.c */
/* Valid until more is asked. */
const KnownValue *known_of(Simplifier *simplifier, Expr expr);
KnownValue known_apply(Op op, Type type, const KnownValue *arguments);
KnownValue known_constant(Type type, Bits bits);
/* What facts say about the node itself. */
ConstantInterval fact_interval(const Simplifier *simplifier, const void *key);

/* facts.c */
/* As simplifier_learn, of a condition that is simplified; or that it does not hold. */
void fact_learn(Simplifier *simplifier, Expr condition, bool holds);

/* sum.c */
/* The sum 0.  (An initializer would clear all terms, too.) */
static inline void sum_clear(LinearSum *sum) {
    sum->constant = 0;
    sum->count = 0;
    sum->failed = false;
}
/* The sum that `expr` is; that of a - b. */
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
/* Of a sorted sum of simplified terms in which nothing is to be improved: the sums that it is made
 * of are marked as normal.  `likely` (or null) is what it may be, which is then found faster. */
Expr sum_build_normal(Simplifier *simplifier, const LinearSum *sum, Expr likely);
/* Only the terms whose coefficient has the sign of `sign`, times `sign`. */
Expr sum_build_side(Pool *pool, const LinearSum *sum, int sign, int64_t constant);
Expr sum_build_side_normal(Simplifier *simplifier, const LinearSum *sum, int sign, int64_t constant,
                           Expr likely);
int64_t sum_coefficient(const LinearSum *sum, Expr atom);
/* The greatest number that divides all coefficients; 0 where there are none. */
int64_t sum_gcd(const LinearSum *sum);
/* The sum without its constant, made primitive (gcd 1, first coefficient positive): equal for sums
 * that are multiples of one another.  sum = *scale * key + constant. */
Expr sum_key(Pool *pool, const LinearSum *sum, int64_t *scale);
/* The same number below SUM_SLOTS for sums of the same atoms, whatever their coefficients. */
uint8_t sum_slot(const LinearSum *sum);
/* A sum of two that are simplified, left + sign * right: within one of these nothing is to be
 * found. */
typedef struct SumParts {
    LinearSum left, right;
    int sign;
} SumParts;
void sum_parts_of(SumParts *parts, Expr left, Expr right, int sign);
void sum_of_parts(const SumParts *parts, LinearSum *sum);
#define MAX_PAIRED 12 /* terms of a sum in which pairs are tried */
/* One cancellation or one rule for two of its terms; false where nothing more is to be done.
 * `parts`: null where it is not known what the sum is made of. */
bool sum_improve(Simplifier *simplifier, LinearSum *sum, const SumParts *parts);
/* quotient.c: the same for quotients and remainders. */
bool quotient_improve(Simplifier *simplifier, LinearSum *sum);
/* sum_step.c: one step of an integer + - * or negation; the node itself where it is in normal form.
 */
Expr sum_step(Simplifier *simplifier, Expr node);
/* How many terms has the integer sum `expr` (as written, without flattening products)? */
int sum_split_count(Expr expr);
/* The terms of `expr`, sorted; failed where there are not two. */
void sum_split(LinearSum *sum, Expr expr);
/* All but one of them. */
Expr sum_without(Pool *pool, const LinearSum *sum, int term);

/* value_facts.c */
ConstantInterval sum_interval(Simplifier *simplifier, const LinearSum *sum);

/* One step each, the node itself where there is none: absolute.c, arms.c, chain.c, compare.c,
 * context.c, convert.c, divide.c, vector.c. */
Expr absolute_step(Simplifier *simplifier, Expr node);
Expr arms_step(Simplifier *simplifier, Expr node);
/* The arm that an integer min or max always is; null where that is not known. */
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

/* decrease.c: that rules go down, on the terms they are applied to. */
Decrease *decrease_create(Arena *arena);
/* Is `after` less than `before` in the reduction order? */
bool decrease_holds(Decrease *decrease, Expr before, Expr after);
/* A line: which rule made what of which term. */
void rule_print_application(FILE *out, const Rule *rule, Expr before, Expr after);
/* Asserts it of what the rule made. */
void decrease_check(Decrease *decrease, const Rule *rule, Expr before, Expr after);
/* step.c: one that brings into normal form and applies no rules. */
Simplifier *simplifier_create_bare(Pool *pool, Arena *arena);

/* match.c: what the first rule that matches makes of `op` over these arguments; null for none. */
Expr match_rules(Simplifier *simplifier, Op op, const Expr *arguments);
/* The same of an integer a + b. */
Expr match_terms(Simplifier *simplifier, SumTerm a, SumTerm b);

#endif
