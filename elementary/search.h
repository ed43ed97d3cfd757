/* search.h -- elementary operators, found: every tuple of small terms over x, y and k that is
 * associative and that the table and the entries found before it do not make.
 *
 *   term.c       terms and their values
 *   enumerate.c  all terms of a size, no two with the same values
 *   search.c     operators of one and two elements among them
 *   refutation.c points that show that one is not associative
 *   known.c      those that do nothing that a known one does not
 *   find_operators.c   the tool: candidates, proofs, the journal, the file of rules
 */
#ifndef HLC_ELEMENTARY_SEARCH_H
#define HLC_ELEMENTARY_SEARCH_H

#include "associative/operator_table.h"
#include "base/vec.h"
#include "ir/ops.h"

#include <stdint.h>

/* What the leaves stand for, and bits that say which of them a term has. */
typedef enum Leaf { LEAF_X0, LEAF_X1, LEAF_Y0, LEAF_Y1, LEAF_K, LEAF_COUNT } Leaf;
#define HAS_X 3u
#define HAS_Y 12u
#define HAS_K 16u

typedef struct Term {
    uint8_t op; /* OP_COUNT: the leaf `leaf`; else ADD SUB MUL MIN MAX, or SELECT: a < b ? c : d */
    uint8_t leaf;
    uint8_t leaves; /* how many it has, counted as a tree */
    uint8_t has;    /* bit for each Leaf */
    const struct Term *a, *b, *c, *d;
} Term;
typedef Vec(const Term *) Terms;

/* Where terms have values: signed and unsigned integers that wrap, and numbers that do not. */
typedef enum Domain { DOMAIN_SIGNED, DOMAIN_UNSIGNED, DOMAIN_REALS, DOMAIN_COUNT } Domain;
#define EVERY_DOMAIN 7u

/* The bit pattern of `value` in canonical form; `*left` as below. */
int64_t width_value(Domain domain, int bits, int64_t value, bool *left);
/* The value of a term where the leaves have these; a bit pattern of `bits` bits in canonical form.
 * `*left` is set where a number that does not wrap became too large to be looked at. */
int64_t term_value(const Term *term, Domain domain, int bits, const int64_t *leaves, bool *left);
/* A value of a leaf, of the domain at this width; of 8 bits many are small, or near an end or half
 * of the range. */
int64_t draw_leaf(uint64_t *state, Domain domain, int bits);
/* In the rule language; `pair`: `x.0`, else `x`. */
const char *term_text(Arena *arena, const Term *term, bool pair);

/* ---- enumerate.c ---- */

/* Calls `visit` with each term of exactly `leaves` leaves among those of `allowed`, simplest first,
 * that is not of one of the shapes left out: no operands of commutative operators in two orders,
 * none that cancel or choose between equals, nothing made of k alone.  Terms of fewer leaves are
 * those with values of their own. */
typedef struct Enumeration Enumeration;
typedef void TermVisit(void *data, const Term *term);
Enumeration *enumeration_create(Arena *arena, unsigned allowed);
void enumerate(Enumeration *enumeration, int leaves, TermVisit *visit, void *data);
/* Those of fewer leaves than were asked for, and of exactly so many that were kept. */
const Terms *enumeration_kept(const Enumeration *enumeration, int leaves);
/* Has no other kept term the same values?  Then it is kept from here on. */
bool enumeration_keep(Enumeration *enumeration, const Term *term);
uint64_t enumeration_count(const Enumeration *enumeration);

/* ---- refutation.c ---- */

/* A tuple that no point refutes. */
typedef struct Candidate {
    int arity;
    const Term *terms[2];
    unsigned domains; /* in which it is not refuted */
} Candidate;

/* Values of two tuples and a half: x, y, z, k. */
typedef struct Point {
    int64_t x[2], y[2], z[2], k;
} Point;
Point draw_point(uint64_t *state, Domain domain, int bits);
void candidate_apply(const Candidate *c, Domain domain, int bits, const int64_t *x,
                     const int64_t *y, int64_t k, int64_t *out, bool *left);

/* Points that are the same for all candidates. */
typedef struct Refutation Refutation;
Refutation *refutation_create(Arena *arena);
/* Fills in the domains, those in which a few thousand points of 3 and 4 bits do not refute it.  Are
 * there any?  Cheap. */
bool refutation_sample(const Refutation *refutation, Candidate *c);
/* Those of `domains` in which no point of 3 or 4 bits refutes it (of pairs, none of more points),
 * and none of some of 8 bits. */
unsigned refutation_exhaust(const Candidate *c, unsigned domains);

/* ---- known.c ---- */

/* Operators that updates may be made of; none, at first. */
typedef struct KnownOperators KnownOperators;
KnownOperators *known_create(Arena *arena);
void known_add(KnownOperators *known, const OperatorEntry *entry);
/* Those of `domains` in which some update by the entry is not one by a known one, or, of a pair, by
 * two known ones beside one another. */
unsigned known_lacks(KnownOperators *known, const OperatorEntry *entry, unsigned domains,
                     Arena *scratch);

/* ---- search.c ---- */

typedef void CandidateVisit(void *data, const Candidate *candidate);

/* One element, up to so many leaves; two, of which the first is an operator by itself, and two that
 * need each other and have a right-neutral element. */
void search_single(Arena *arena, int leaves, CandidateVisit *visit, void *data);
void search_pairs(Arena *arena, int leaves, CandidateVisit *visit, void *data);
void search_mutual(Arena *arena, int leaves, CandidateVisit *visit, void *data);
/* An identity in all of these domains, as texts of its elements; false where none is found. */
bool candidate_identity(const Candidate *candidate, unsigned domains, const char **texts);
/* Is it commutative at all points? */
bool candidate_commutes(const Candidate *candidate, Domain domain);

#endif
