/* simplify.h -- rewriting by verified rules, with constant intervals, residues and facts.
 *
 * The rules are in rules/ (.rules files), and compiled into tables at build time. The engine works
 * bottom-up, takes the first matching rule in file order, and memoises over the expression graph.
 * It is deterministic and has no clock: budgets are step counts.
 */
#ifndef HLC_SIMPLIFY_SIMPLIFY_H
#define HLC_SIMPLIFY_SIMPLIFY_H

#include "ir/walk.h"

/* [minimum, maximum] with either end possibly infinite. */
typedef struct ConstantInterval {
    bool has_minimum, has_maximum;
    int64_t minimum, maximum;
} ConstantInterval;

/* Every value that is no NaN lies in [low, high]. */
typedef struct FloatInterval {
    double low, high;
    bool may_be_nan;
} FloatInterval;

/* expr = remainder modulo modulus. Modulus 0 means equal to remainder; 1 means that nothing is
 * known. */
typedef struct Residue {
    int64_t modulus, remainder;
} Residue;

typedef struct Simplifier Simplifier;

/* Lives in `arena`; its memo is for expressions of `pool`. */
Simplifier *simplifier_create(Pool *pool, Arena *arena);

/* Facts are a stack: releasing a mark forgets the facts learned after it. */
typedef size_t FactMark;
FactMark simplifier_mark(Simplifier *simplifier);
void simplifier_release(Simplifier *simplifier, FactMark mark);
/* Learns that the bool expression `condition` holds (splits conjunctions). */
void simplifier_learn(Simplifier *simplifier, Expr condition);
/* Learns that the variable (of sort index or a machine integer) lies in these constant limits. */
void simplifier_learn_range(Simplifier *simplifier, Symbol variable, ConstantInterval interval);
/* Learns that the float parameter is no NaN and lies in these limits.  This is never forgotten. */
void simplifier_learn_float_range(Simplifier *simplifier, Symbol variable, double low, double high);

/* Appends to `facts` at most `most` small conditions: the facts about the unknowns of `expr`, and
 * about unknowns that share a fact with them. The latest facts about its own unknowns come first.
 * Large facts, and those beyond `most`, go to `others` (null: they are dropped). The lists are in
 * `arena`; the expressions are in the pool. False if a fact was dropped. */
bool simplifier_facts(const Simplifier *simplifier, Arena *arena, Expr expr, size_t most,
                      Exprs *facts, Exprs *others);
Pool *simplifier_pool(const Simplifier *simplifier);

Expr simplify(Simplifier *simplifier, Expr expr);
/* Returns the known interval of an index or machine integer expression. */
ConstantInterval simplify_interval(Simplifier *simplifier, Expr expr);
/* Returns the known interval of a float expression. */
FloatInterval simplify_float_interval(Simplifier *simplifier, Expr expr);

typedef enum Proof { PROOF_UNKNOWN, PROOF_HOLDS, PROOF_REFUTED } Proof;
/* Does the bool expression hold for all values (HOLDS), or for none (REFUTED)? */
Proof simplify_prove(Simplifier *simplifier, Expr condition);
/* Proves within few steps. */
Proof simplify_prove_briefly(Simplifier *simplifier, Expr condition);
/* Shorthands used everywhere in bounds: provably a <= b, a == b. */
bool simplify_proves_le(Simplifier *simplifier, Expr a, Expr b);
/* Provably true. */
bool simplify_proves(Simplifier *simplifier, Expr condition);

/* The kind of question: one condition may have several answers. */
typedef enum ProofKind {
    PROOF_BY_RULES,         /* simplify_prove */
    PROOF_BY_RULES_BRIEFLY, /* simplify_prove_briefly */
    PROOF_HOLDS_BY_RULES,   /* simplify_proves */
    PROOF_BY_TIER,          /* decide_prove */
    PROOF_HOLDS_BY_TIER     /* decide_proves */
} ProofKind;
/* Did any simplifier of the pool answer this before, under the same facts? */
bool simplifier_recall(Simplifier *simplifier, ProofKind kind, Expr condition, Proof *proof);
/* Stores a new answer; returns it. */
Proof simplifier_remember(Simplifier *simplifier, ProofKind kind, Expr condition, Proof proof);

/* For the tools: */
typedef struct SimplifierOptions {
    FILE *trace;              /* --trace-rules */
    uint64_t rule_limit;      /* --rule-limit: 0 is none */
    const char *without_rule; /* --without-rule */
    /* Integer rules tried after the table's, with all variants of each: synthesized rules. */
    const struct Rule *more_rules;
    size_t more_count;
} SimplifierOptions;
void simplifier_set_options(Simplifier *simplifier, SimplifierOptions options);
/* --rule-stats: applications by rule since creation. */
void simplifier_print_statistics(const Simplifier *simplifier, FILE *out);

#endif
