/* decide.h -- the decision tier: what rewriting leaves open, settled by a procedure.
 *
 * Linear integer arithmetic with quotients and remainders by constants, min, max, abs, select,
 * comparisons and connectives is decided exactly, machine integers of up to 32 bits included (what
 * wraps is a remainder); products of unknowns and quotients by unknowns as far as the budget goes.
 * Integer conjunctions are settled by isl.
 *
 * It costs up to milliseconds: it is called where the answer changes code, after the simplifier,
 * and never from the simplifier's rewriting.  It has no clock: budgets are counts, so the same
 * question gets the same answer everywhere.
 */
#ifndef HLC_DECIDE_DECIDE_H
#define HLC_DECIDE_DECIDE_H

#include "simplify/simplify.h"

typedef enum DecideVerdict {
    VERDICT_UNKNOWN,
    VERDICT_VALID,         /* the condition holds for all values that satisfy the facts */
    VERDICT_UNSATISFIABLE, /* for none */
    VERDICT_CONTINGENT     /* for some and not for others; both witnesses are there */
} DecideVerdict;

/* Witnesses are values of `variables`, which are the condition's and the facts' in the order of
 * first occurrence; null where none was found.  Each was evaluated: the facts hold there, and the
 * condition holds or fails as it says. */
typedef struct Decision {
    DecideVerdict verdict;
    Exprs variables;
    const Bits *holds_at, *fails_at;
} Decision;

typedef struct DecideBudget {
    uint32_t conjunctions; /* given to isl */
    uint32_t operations;   /* of isl's, for one conjunction */
    uint32_t points;       /* where the unknowns have no more values together, all are tried */
    uint64_t work;         /* numbers of tableaus that are computed, together; 0: no limit */
} DecideBudget;

/* For a question of its own, and for one of many in a compilation. */
extern const DecideBudget DECIDE_ALONE, DECIDE_IN_PASS;

/* `condition` and `facts` (null: none) are bool expressions of `pool`, which is only read.  The
 * decision lives in `arena`. */
Decision decide(const Pool *pool, Arena *arena, Expr condition, const Exprs *facts,
                DecideBudget budget);

typedef enum Validity {
    VALIDITY_UNKNOWN,
    VALIDITY_HOLDS, /* the condition holds for all values that satisfy the facts */
    VALIDITY_FAILS  /* not for all: a point was evaluated where the facts hold and it does not */
} Validity;

/* As `decide`, where only this is asked: for about half of what that takes.  `*work` grows by what
 * it took, in the budget's unit.  Nothing outlives the call. */
Validity decide_validity(const Pool *pool, Expr condition, const Exprs *facts, DecideBudget budget,
                         uint64_t *work);

/* Below: for the compiler, where the answer changes code.  The tier decides under the facts that
 * the simplifier has been told; what it leaves open, the simplifier's rules are asked. */
Proof decide_prove(Simplifier *simplifier, Expr condition);
/* Provably true; provably a <= b. */
bool decide_proves(Simplifier *simplifier, Expr condition);
bool decide_proves_le(Simplifier *simplifier, Expr a, Expr b);

#endif
