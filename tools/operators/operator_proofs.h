/* operator_proofs.h -- proves the table of elementary associative operators by Z3: an offline tool
 * (docs/associativity.md).
 *
 *   smt.c       the claims of an entry, as queries for Z3
 *   proof.c     proves an entry at each of its types
 *   quotients.c the part of the proof about quotients of polynomials
 *   prove_operators.c   the tool that proves all entries and writes the record
 */
#ifndef HLC_TOOLS_OPERATORS_OPERATOR_PROOFS_H
#define HLC_TOOLS_OPERATORS_OPERATOR_PROOFS_H

#include "associative/operator_table.h"
#include "base/solver_process.h"
#include "tools/rulec/operators.h"

/* ---- smt.c ---- */

typedef enum Claim {
    CLAIM_ASSOCIATIVE, /* f(f(x, y), z) = f(x, f(y, z)) */
    CLAIM_IDENTITY,    /* f(x, identity) = x */
    CLAIM_COMMUTES,    /* f(x, y) = f(y, x) */
    CLAIM_STAYS,       /* the components that must not be negative are not, in f(x, y) and in the
                          identity */
    /* No e satisfies f(w, e) = w for all of a few values w. k is one of them; the claim's number
     * after this one selects it, below NO_IDENTITY_CLAIMS. */
    CLAIM_NO_IDENTITY,
    /* Associative if the components that must not be negative are 0 in some of x, y and z, and
     * positive in the others. The claim's number after this one, below ZEROS_CLAIMS, has a bit for
     * each of x, y and z that is 0. */
    CLAIM_ASSOCIATIVE_AT_ZEROS = CLAIM_NO_IDENTITY + 5
} Claim;
enum { NO_IDENTITY_CLAIMS = 5, ZEROS_CLAIMS = 8 };

/* Returns a query that resets the solver, and is unsat if the claim holds, with the classes at
 * these types (floats are reals). Machine integers have `bits` bits, unless that is 0. With
 * EVERY_WIDTH, for a linear entry, they are integers from -H to H - 1, or 0 to 2H - 1, for any H of
 * at least 128. A sum outside the range is corrected by 2H: for H = 2^(n-1) this is the sum of
 * machine integers of n bits. Products, of floats too, are then an unknown commutative function: a
 * claim that holds for any such function holds for products. `ring` first asks for sums of products
 * in normal form. */
enum { EVERY_WIDTH = -1 };
char *claim_query(Arena *arena, const OperatorEntry *entry, Claim claim, const Type *types,
                  int bits, bool ring);

/* Does the operator, or its identity, contain this Op? */
bool entry_has(const OperatorEntry *entry, Op op);
/* Does it contain only sums, differences, min, max, comparisons and select? Then one query proves
 * it for machine integers of every width (claim_query). */
bool entry_is_linear(const OperatorEntry *entry);
/* Does it contain only these and products? */
bool entry_is_ring(const OperatorEntry *entry);

/* ---- proof.c ---- */

typedef enum ProofResult { ENTRY_PROVED, ENTRY_REFUTED, ENTRY_OPEN } ProofResult;

/* Proves all claims of an entry, at each type of each class. It starts with 4 bits, where wrong
 * claims fail fastest. `failed` receives a description of the unproved claim. An entry that does
 * not claim to commute must be refuted to commute. */
ProofResult entry_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        const char **failed);
/* Does the claim hold at these types? */
ProofResult claim_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        Claim claim, const Type *types, int bits);

/* ---- quotients.c ---- */

/* Is the entry, of floats with divisions, associative if the components that must not be negative
 * are positive? Proved by multiplying out, without a solver; false if that gives no proof. */
bool quotients_are_associative(const OperatorEntry *entry);

#endif
