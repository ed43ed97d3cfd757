/* simplify.h -- rewriting by verified rules, with constant intervals, residues and facts.
 *
 * The rules stand in rules/ (.rules files) and are compiled at build time into tables.  The engine
 * works bottom-up, takes the first rule that matches in file order, and memoises over the
 * expression graph. It is deterministic and has no clock: budgets are step counts.
 */
#ifndef HLC_SIMPLIFY_SIMPLIFY_H
#define HLC_SIMPLIFY_SIMPLIFY_H

#include "ir/walk.h"

/* [minimum, maximum] with either end possibly infinite. */
typedef struct ConstantInterval {
    bool has_minimum, has_maximum;
    int64_t minimum, maximum;
} ConstantInterval;

/* expr = remainder modulo modulus; modulus 0 means equal to remainder, 1 means nothing is known. */
typedef struct Residue {
    int64_t modulus, remainder;
} Residue;

typedef struct Simplifier Simplifier;

/* Lives in `arena`; its memo is for expressions of `pool`. */
Simplifier *simplifier_create(Pool *pool, Arena *arena);

/* Facts are a stack: what is learned after a mark is forgotten at its release. */
typedef size_t FactMark;
FactMark simplifier_mark(Simplifier *simplifier);
void simplifier_release(Simplifier *simplifier, FactMark mark);
/* From here on the bool expression `condition` holds (conjunctions are taken apart). */
void simplifier_learn(Simplifier *simplifier, Expr condition);
/* The variable (of sort index or a machine integer) lies in these constant limits. */
void simplifier_learn_range(Simplifier *simplifier, Symbol variable, ConstantInterval interval);

/* What is known of the unknowns of `expr`, and of unknowns that stand with them in such a fact, as
 * conditions: at most `most` small ones, the latest of those that speak of its own unknowns first.
 * Appends to `facts`, and those for which there is no room, or which are large, to `others` (null:
 * they are left out), in `arena`; makes expressions in the pool.  False where one was left out. */
bool simplifier_facts(const Simplifier *simplifier, Arena *arena, Expr expr, size_t most,
                      Exprs *facts, Exprs *others);
Pool *simplifier_pool(const Simplifier *simplifier);

Expr simplify(Simplifier *simplifier, Expr expr);
/* What is known of an index or machine integer expression. */
ConstantInterval simplify_interval(Simplifier *simplifier, Expr expr);

typedef enum Proof { PROOF_UNKNOWN, PROOF_HOLDS, PROOF_REFUTED } Proof;
/* Does the bool expression hold for all values (HOLDS), for none (REFUTED)? */
Proof simplify_prove(Simplifier *simplifier, Expr condition);
/* The same within few steps. */
Proof simplify_prove_briefly(Simplifier *simplifier, Expr condition);
/* Shorthands used everywhere in bounds: provably a <= b, a == b. */
bool simplify_proves_le(Simplifier *simplifier, Expr a, Expr b);
/* Provably true. */
bool simplify_proves(Simplifier *simplifier, Expr condition);

/* Who asked: the same condition has several answers. */
typedef enum ProofKind {
    PROOF_BY_RULES,         /* simplify_prove */
    PROOF_BY_RULES_BRIEFLY, /* simplify_prove_briefly */
    PROOF_HOLDS_BY_RULES,   /* simplify_proves */
    PROOF_BY_TIER,          /* decide_prove */
    PROOF_HOLDS_BY_TIER     /* decide_proves */
} ProofKind;
/* Was it answered before, under the same facts, by any simplifier of the pool? */
bool simplifier_recall(Simplifier *simplifier, ProofKind kind, Expr condition, Proof *proof);
/* Keeps the answer, which was not there; returns it. */
Proof simplifier_remember(Simplifier *simplifier, ProofKind kind, Expr condition, Proof proof);

/* For the tools: */
typedef struct SimplifierOptions {
    FILE *trace;              /* --trace-rules */
    uint64_t rule_limit;      /* --rule-limit: 0 is none */
    const char *without_rule; /* --without-rule */
    /* Integer rules tried after those of the table, all variants of each: what synthesis found. */
    const struct Rule *more_rules;
    size_t more_count;
} SimplifierOptions;
void simplifier_set_options(Simplifier *simplifier, SimplifierOptions options);
/* --rule-stats: applications by rule since creation. */
void simplifier_print_statistics(const Simplifier *simplifier, FILE *out);

#endif
