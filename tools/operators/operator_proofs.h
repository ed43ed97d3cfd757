/* operator_proofs.h -- the proofs of the table of elementary associative operators, by Z3: a tool,
 * run offline (docs/associativity.md).
 *
 *   smt.c       what is claimed of an entry, as queries for Z3
 *   proof.c     an entry's proof at each of its types
 *   quotients.c the part of it that is about quotients of polynomials
 *   prove_operators.c   the tool that proves all entries and writes the record
 */
#ifndef HLC_ELEMENTARY_OPERATOR_PROOFS_H
#define HLC_ELEMENTARY_OPERATOR_PROOFS_H

#include "associative/operator_table.h"
#include "base/solver_process.h"
#include "tools/rulec/operators.h"

/* ---- smt.c ---- */

typedef enum Claim {
    CLAIM_ASSOCIATIVE, /* f(f(x, y), z) = f(x, f(y, z)) */
    CLAIM_IDENTITY,    /* f(x, identity) = x */
    CLAIM_COMMUTES,    /* f(x, y) = f(y, x) */
    CLAIM_STAYS,       /* what must not be negative is not, in f(x, y) and in the identity */
    /* For no e is f(w, e) = w for all of a few values w, where k is that one of them which the
     * claim's number behind this one says, below NO_IDENTITY_CLAIMS. */
    CLAIM_NO_IDENTITY,
    /* Associative where what must not be negative is 0 in those of x, y and z whose bits the
     * claim's number behind this one has, below ZEROS_CLAIMS, and positive in the others. */
    CLAIM_ASSOCIATIVE_AT_ZEROS = CLAIM_NO_IDENTITY + 5
} Claim;
enum { NO_IDENTITY_CLAIMS = 5, ZEROS_CLAIMS = 8 };

/* A query that resets the solver and is unsat when the claim holds, with the classes at these types
 * (floats are reals).  Machine integers have `bits` bits, where that is not 0.  Where it is
 * EVERY_WIDTH, of a linear entry, they are integers from -H to H - 1, or 0 to 2H - 1, for any H of
 * at least 128, and a sum that leaves the range has 2H added or taken away: that is the sum of
 * machine integers of n bits where H is 2^(n-1).  Products are then some commutative function of
 * which nothing is known, of floats too: what holds of any holds of products.  `ring` asks for sums
 * of products in normal form first. */
enum { EVERY_WIDTH = -1 };
char *claim_query(Arena *arena, const OperatorEntry *entry, Claim claim, const Type *types,
                  int bits, bool ring);

/* Does the operator, or its identity, have this Op somewhere? */
bool entry_has(const OperatorEntry *entry, Op op);
/* Is it made of sums, differences, min, max, comparisons and select alone?  Then one query holds
 * for machine integers of every width at once (claim_query). */
bool entry_is_linear(const OperatorEntry *entry);
/* Of these and of products. */
bool entry_is_ring(const OperatorEntry *entry);

/* ---- proof.c ---- */

typedef enum ProofResult { ENTRY_PROVED, ENTRY_REFUTED, ENTRY_OPEN } ProofResult;

/* All that an entry claims, at each type of each class; 4 bits first, where what is wrong is seen
 * fastest.  `failed` receives what was not proved, in words.  That an entry that does not claim to
 * commute does not is asked too. */
ProofResult entry_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        const char **failed);
/* Does the claim hold at these types? */
ProofResult claim_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        Claim claim, const Type *types, int bits);

/* ---- quotients.c ---- */

/* Is the entry, of floats with divisions, associative where what must not be negative is positive?
 * Shown without a solver, by multiplying out; false where that is not seen. */
bool quotients_are_associative(const OperatorEntry *entry);

#endif
