/* associative.h -- is an update an associative reduction, and with which operator?
 *
 * An update `f <- u(f, r)` is associative where an operator `f`, associative over tuples x and y,
 * and values `injected(r)` free of the func are found with u(x, r) = operator(x, injected(r)).  It
 * can then be factored: partial results are merged by the operator, in the order of the reduction;
 * in any order where the operator is commutative too.
 *
 * How (after "Generating Elementary Operators" and "Subgraph Decomposition" of the paper on
 * parallel associative reductions): a table of elementary operators, proved offline at the width of
 * each type (operators/, docs/associativity.md); the update is brought into a canonical form, taken
 * apart by which tuple elements need which, each part is matched against the table, and the
 * operators of the parts are merged where they agree.  What the table lacks is proved at once, or
 * of the values that occur: integers are taken for numbers that do not wrap only where that is
 * shown; floats are looked at only where reassociation is granted, and then as the reals.
 *
 * Operators without identity.  A stretch of iterations r0, r1, .. has the partial result
 * operator(operator(injected(r0), injected(r1)), ..).  With an identity it may begin from that
 * instead, which is also the partial result of no iteration at all.  Without one it begins from
 * `injected(r0)`, goes on at r1, and must be proved not to be empty: a condition of the stage may
 * leave iterations out, so that such a stage is not factored.  What follows is sound for any
 * stretch that has an iteration: merging needs associativity alone.
 *
 * Nothing here has a clock or asks a solver: the same question has the same answer everywhere.
 */
#ifndef HLC_ASSOCIATIVE_ASSOCIATIVE_H
#define HLC_ASSOCIATIVE_ASSOCIATIVE_H

#include "ir/algorithm.h"
#include "simplify/simplify.h"

#define ASSOCIATIVE_MAX 16 /* elements of a tuple */

typedef enum AssociativeVerdict {
    ASSOCIATIVE_UNKNOWN, /* `reason` says what stands in the way */
    ASSOCIATIVE_NO,      /* refuted: `counterexample` */
    ASSOCIATIVE_YES
} AssociativeVerdict;

/* One part of the decomposition: which elements go together, and by which entry of the table. */
typedef struct AssociativePart {
    uint32_t elements; /* bit i: element i */
    const char *entry; /* the entry's name; null: proved without the table */
} AssociativePart;

/* Values at which f(f(x, y), z) and f(x, f(y, z)) differ in some element. */
typedef struct Counterexample {
    Bits x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX], z[ASSOCIATIVE_MAX];
    Bits left[ASSOCIATIVE_MAX], right[ASSOCIATIVE_MAX];
    bool has_constant;
    Bits constant; /* of k, of the first element's type */
} Counterexample;

/* Lives in the arena it was asked for in; expressions are of the pool. */
typedef struct Associativity {
    AssociativeVerdict verdict;
    bool is_commutative; /* proved; false where that is not known */
    bool has_identity; /* right-neutral: operator(x, identity) = x for all x; of an update, for all
                          that the func, or a partial result, may hold */
    bool lacks_identity; /* proved: there is none; else, without has_identity, none was found */
    bool is_exact;       /* bit for bit; false where floats are taken for reals */
    bool has_condition;  /* of a stage: its condition is a part of the operator */
    /* Bit i: it is claimed of tuples whose element i is not less than 0, or is more than 0; it
     * stays so.  Of an update that is proved of all tuples that occur. */
    uint32_t not_negative, positive;
    int arity; /* elements of the tuple */
    Type types[ASSOCIATIVE_MAX];
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX]; /* the variables `x.i` and `y.i` */
    Expr operator[ASSOCIATIVE_MAX];              /* over x and y, and what is the same in all
                                                    iterations */
    Expr identity[ASSOCIATIVE_MAX];              /* where has_identity */
    Expr injected[ASSOCIATIVE_MAX]; /* what one iteration contributes, free of the func: also the
                                       whole partial result of a stretch of this iteration alone,
                                       from which a stretch begins where there is no identity */
    Vec(AssociativePart) parts;
    const char *reason; /* a clause, without a full stop; null where the verdict is YES */
    Counterexample counterexample;
} Associativity;

/* The question about an update. */
typedef struct AssociativeUpdate {
    int arity;
    const Type *types;
    const Expr *values; /* in which `x.i` of associative_x stands for element i of the func */
    /* The variables that change from iteration to iteration: what mentions one is no constant. */
    const Symbol *reduction;
    int reduction_count;
    bool reassociation; /* is it granted for floats? */
    /* Between what the func's elements lie before the first iteration (floats only where that is a
     * constant), and what is known of the unknowns, as conditions; null: nothing. */
    const ConstantInterval *initial;
    const Exprs *facts;
    /* The func's elements before the first iteration, where they are the same in all iterations and
     * read nothing (null: not so); null: not known. */
    const Expr *first;
    int64_t iterations; /* of one point of the func, at most; 0: not known */
} AssociativeUpdate;

/* The reason where what was found for an update was wrong: a defect of the prover, which was seen.
 */
extern const char *const associative_trial_failed;

/* The variables `x.i` and `y.i` of a type, which no name of a program is. */
Expr associative_x(Pool *pool, int element, Type type);
Expr associative_y(Pool *pool, int element, Type type);

Associativity associative_update(Pool *pool, Arena *arena, const AssociativeUpdate *update);

/* The same of stage `stage` (> 0) of a func: `f(indices)` stands for x.  The stage's predicate is
 * part of the operator where it reads the func, or where there is an identity only so; indices that
 * read the func, and accesses to it at other points than the one that is written, are refused. */
Associativity associative_stage(const Pipeline *pipeline, Arena *arena, const Func *func,
                                int stage);

/* Is the operator `values`, over x.i, y.i and the variable `constant` (any constant; null: it has
 * none), associative as it stands?  It is refuted bit for bit; where `reassociation`, floats are
 * the reals. */
Associativity associative_operator(Pool *pool, Arena *arena, const AssociativeUpdate *operator,
                                   Symbol constant);

/* How an operator that is associative and does not commute would: a clause over x.i and y.i; null
 * where nothing is known of it. */
const char *associative_remedy(Arena *arena, const Associativity *associativity);

/* The injected value in the place of y in the operator: what the update computes, over x. */
Expr associative_apply(Pool *pool, Arena *arena, const Associativity *associativity, int element,
                       const Expr *x, const Expr *y);

#endif
