/* decide.h -- the decision tier: decides conditions that rewriting leaves open.
 *
 * It decides linear integer arithmetic with quotients and remainders by constants, min, max, abs,
 * select, comparisons and connectives exactly. This includes machine integers of up to 32 bits:
 * wrapping is a remainder. It decides products of unknowns, and quotients by unknowns, as far as
 * the budget goes. isl decides conjunctions over the integers.
 *
 * It costs up to milliseconds. So it is called after the simplifier, where the answer changes code,
 * and never from the simplifier's rewriting. It has no clock: budgets are counts, so the same
 * question gets the same answer everywhere.
 */
#ifndef HLC_DECIDE_DECIDE_H
#define HLC_DECIDE_DECIDE_H

#include "simplify/simplify.h"

typedef enum DecideVerdict {
    VERDICT_UNKNOWN,
    VERDICT_VALID,         /* the condition holds for all values that satisfy the facts */
    VERDICT_UNSATISFIABLE, /* for none */
    VERDICT_CONTINGENT     /* for some values, but not for all; both witnesses are set */
} DecideVerdict;

/* Witnesses are values of `variables`: those of the condition and the facts, in the order of first
 * occurrence. Null if none was found. Each witness was evaluated: the facts hold there, and the
 * condition holds or fails as named. */
typedef struct Decision {
    DecideVerdict verdict;
    Exprs variables;
    const Bits *holds_at, *fails_at;
} Decision;

typedef struct DecideBudget {
    uint32_t conjunctions; /* given to isl */
    uint32_t operations;   /* of isl's, for one conjunction */
    uint32_t points;       /* if the unknowns have at most this many values together, all are tried
                              */
    uint64_t work;         /* numbers computed in tableaus, in total; 0: no limit */
} DecideBudget;

/* Budgets for a single question, and for one of many in a compilation. */
extern const DecideBudget DECIDE_ALONE, DECIDE_IN_PASS;

/* `condition` and `facts` (null: none) are bool expressions of `pool`, which is only read.  The
 * decision lives in `arena`. */
Decision decide(const Pool *pool, Arena *arena, Expr condition, const Exprs *facts,
                DecideBudget budget);

typedef enum Validity {
    VALIDITY_UNKNOWN,
    VALIDITY_HOLDS, /* the condition holds for all values that satisfy the facts */
    VALIDITY_FAILS  /* not for all: at an evaluated point the facts hold and the condition fails */
} Validity;

/* Like `decide`, but only for validity, at about half the cost. `*work` grows by the work, in the
 * budget's unit. Nothing outlives the call. */
Validity decide_validity(const Pool *pool, Expr condition, const Exprs *facts, DecideBudget budget,
                         uint64_t *work);

/* For the compiler, where the answer changes code: the tier decides under the simplifier's facts.
 * If it leaves the question open, the simplifier's rules try. */
Proof decide_prove(Simplifier *simplifier, Expr condition);
/* Provably true; provably a <= b. */
bool decide_proves(Simplifier *simplifier, Expr condition);
bool decide_proves_le(Simplifier *simplifier, Expr a, Expr b);

#endif
