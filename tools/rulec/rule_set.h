/* rule_set.h -- compiles the rules: reads, checks, orders, commutes and writes them.
 *
 * Only the rule compiler (rulec.c) and the tests use this; the engine uses the finished table. Each
 * step processes the whole set, and adds sentences to `errors`. A set with errors yields no table.
 */
#ifndef HLC_TOOLS_RULEC_RULE_SET_H
#define HLC_TOOLS_RULEC_RULE_SET_H

#include "base/vec.h"
#include "simplify/rule.h"

#include <stdio.h>

typedef struct RuleSet {
    Arena *arena;
    Vec(Rule) rules;
    Vec(const char *) errors; /* "file:line: sentence" */
} RuleSet;

/* Adds `FILE:LINE: message` to the errors. */
void rule_error(RuleSet *set, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* read.c: appends the rules of one .rules text. Refuses malformed rules. */
void rule_read(RuleSet *set, const char *file, const char *text);

/* commute.c: inserts after each rule its variants with the operands of commutative operators
 * exchanged, and numbers the choice points of sums. */
void rule_commute(RuleSet *set);

/* check.c: refuses unbound wildcards, names used twice, duplicates, left sides that the engine's
 * normal forms exclude, and rules shadowed by an earlier one. */
void rule_check(RuleSet *set);
/* Is the term a bool? A wildcard's slot gives its sort. */
bool rule_term_is_bool(const Rule *rule, const RuleTerm *term);
/* Are the terms that begin at `a` and `b` the same, symbol by symbol? */
bool rule_term_equal(const RuleTerm *a, const RuleTerm *b);
/* Does the term `general` match every instance of `special`? */
bool rule_generalises(const Rule *general, const Rule *special);

/* Is the term a bool?  (A comparison is, whatever it compares.) */
bool rule_term_is_bool(const Rule *rule, const RuleTerm *term);

/* lanes.c: refuses rules over vectors that confuse scalars and vectors. Part of rule_check. */
void rule_lanes_check(RuleSet *set, const Rule *rule);

/* order.c: refuses rules that decrease no component; records the witness. */
void rule_order(RuleSet *set);
/* Returns the first component in which `left` is greater than `right`; ORDER_COUNT if there is
 * none. */
OrderComponent rule_witness(const Rule *rule);
/* order_solve.c: finds the witness of a solver rule, for all choices of its wildcards that match
 * either kind of terms: the least important component that some choice needs. */
SolveComponent rule_witness_solve(const Rule *rule);

/* index.c: refuses rules with which a node would have to try too many rules. */
void rule_index_check(RuleSet *set);
/* Rule.equal. */
unsigned rule_index_equal(const Rule *rule);
/* The tables of rule_index.h. */
void rule_index_write(const RuleSet *set, FILE *out);

/* table.c: the generated table as C, with the index. */
void rule_table_write(const RuleSet *set, FILE *out);

/* smt.c: writes an SMT-LIB query that resets the solver, so its answer does not depend on earlier
 * ones. It is unsat if the rule holds, at machine type `type` (ignored for other classes).
 * `encoding` counts from 0. False if there is no such encoding, or if the rule uses an operator
 * without SMT text. */
bool rule_smt_write(FILE *out, const Rule *rule, Type type, int encoding);

/* Writes the lemma about ramps that encoding 2 uses, as a query: unsat if it holds. */
void rule_smt_write_lane_lemma(FILE *out);

/* proof.c: the record of proofs, one line a rule, `NAME WORD HASH`, with a word of proof.def and
 * the hash of the answered queries. A line counts only while the rule and its encoding are
 * unchanged. Before rule_commute. */
void rule_proofs_read(RuleSet *set, const char *file, const char *text);
void rule_proofs_write(const RuleSet *set, FILE *out);
/* The encoding of smt.c that a proof uses. */
int rule_proof_encoding(RuleProof proof);
/* The proof by this encoding of a rule of this class. */
RuleProof rule_proof_by(const Rule *rule, int encoding);
/* Returns a query in memory that the caller frees; null if rule_smt_write is false. */
char *rule_smt_text(const Rule *rule, Type type, int encoding);

#endif
