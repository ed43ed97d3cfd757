/* associative.h -- decides whether an update is an associative reduction, and finds its operator.
 *
 * An update `f <- u(f, r)` is associative if there are an operator, associative over tuples x and
 * y, and values `injected(r)` free of the func, with u(x, r) = operator(x, injected(r)). It can
 * then be factored: the operator merges partial results, in the order of the reduction. If the
 * operator also commutes, any order will do.
 *
 * Method (after "Generating Elementary Operators" and "Subgraph Decomposition" of the paper on
 * parallel associative reductions). A table has elementary operators, proved offline at the width
 * of each type (operators/, docs/associativity.md). The update is brought into a canonical form,
 * and decomposed by the dependences between tuple components. Each part is matched against the
 * table, and equal operators of parts are merged. Operators outside the table are proved directly,
 * or for the values that occur. Integers are treated as numbers that do not wrap only if that is
 * proved. Floats are analysed only if reassociation is permitted, and then as the reals.
 *
 * Operators without identity. A stretch of iterations r0, r1, .. has the partial result
 * operator(operator(injected(r0), injected(r1)), ..). With an identity, a stretch may begin from
 * it; the identity is also the partial result of an empty stretch. Without one, a stretch begins
 * from `injected(r0)`, continues at r1, and must be proved nonempty. A condition of the stage may
 * skip iterations, so such a stage is not factored. The merge is sound for any nonempty stretch: it
 * needs only associativity.
 *
 * Nothing here uses a clock or a solver: the same question has the same answer everywhere.
 */
#ifndef HLC_ASSOCIATIVE_ASSOCIATIVE_H
#define HLC_ASSOCIATIVE_ASSOCIATIVE_H

#include "ir/algorithm.h"
#include "simplify/simplify.h"

#define ASSOCIATIVE_MAX 16 /* elements of a tuple */

typedef enum AssociativeVerdict {
    ASSOCIATIVE_UNKNOWN, /* `reason` gives the obstacle */
    ASSOCIATIVE_NO,      /* refuted: `counterexample` */
    ASSOCIATIVE_YES
} AssociativeVerdict;

/* One part of the decomposition: its components, and its entry of the table. */
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

/* Lives in the arena of the query; its expressions are in the pool. */
typedef struct Associativity {
    AssociativeVerdict verdict;
    bool is_commutative; /* proved; false if unknown */
    bool has_identity; /* right-neutral: operator(x, identity) = x for all x; for an update, for all
                          x that the func, or a partial result, may hold */
    bool lacks_identity; /* proved that there is none; if neither is set, none was found */
    bool is_exact;       /* bit for bit; false if floats are treated as reals */
    bool has_condition;  /* of a stage: the operator includes its condition */
    /* Bit i: the result holds for tuples whose component i is not negative, or is positive, which
     * it stays. For an update, this is proved of all tuples that occur. */
    uint32_t not_negative, positive;
    int arity; /* elements of the tuple */
    Type types[ASSOCIATIVE_MAX];
    Expr x[ASSOCIATIVE_MAX], y[ASSOCIATIVE_MAX]; /* the variables `x.i` and `y.i` */
    Expr operator[ASSOCIATIVE_MAX];              /* over x, y and loop-invariant terms */
    Expr identity[ASSOCIATIVE_MAX];              /* if has_identity */
    Expr injected[ASSOCIATIVE_MAX]; /* the contribution of one iteration, free of the func; also the
                                       partial result of this single iteration, from which a stretch
                                       begins if there is no identity */
    Vec(AssociativePart) parts;
    const char *reason; /* a clause, without a full stop; null for YES */
    Counterexample counterexample;
} Associativity;

/* The question about an update. */
typedef struct AssociativeUpdate {
    int arity;
    const Type *types;
    const Expr *values; /* `x.i` of associative_x stands for component i of the func */
    /* The variables that change from iteration to iteration: a term with one is not loop-invariant.
     */
    const Symbol *reduction;
    int reduction_count;
    bool reassociation; /* is it permitted for floats? */
    /* The intervals of the func's components before the first iteration (for floats only if
     * constant), and the facts about the unknowns, as conditions; null: nothing known. */
    const ConstantInterval *initial;
    const Exprs *facts;
    /* The func's components before the first iteration, if they are loop-invariant and read nothing
     * (null entry: not so). Null: unknown. */
    const Expr *first;
    int64_t iterations; /* the most iterations of one point of the func; 0: unknown */
} AssociativeUpdate;

/* The reason if the result for an update was wrong: a trial has found a defect of the prover. */
extern const char *const associative_trial_failed;

/* The variables `x.i` and `y.i` of a type. No name of a program equals them. */
Expr associative_x(Pool *pool, int element, Type type);
Expr associative_y(Pool *pool, int element, Type type);

Associativity associative_update(Pool *pool, Arena *arena, const AssociativeUpdate *update);

/* Analyses stage `stage` (> 0) of a func; `f(indices)` stands for x. The stage's predicate is part
 * of the operator if it reads the func, or if only then there is an identity. Indices that read the
 * func, and accesses to the func at points other than the written one, are refused. */
Associativity associative_stage(const Pipeline *pipeline, Arena *arena, const Func *func,
                                int stage);

/* Decides whether the operator `values`, over x.i, y.i and the variable `constant` (any constant;
 * null: none), is associative as written. A refutation is bit for bit. With `reassociation`, floats
 * are the reals. */
Associativity associative_operator(Pool *pool, Arena *arena, const AssociativeUpdate *operator,
                                   Symbol constant);

/* Suggests how an associative operator would commute: a clause over x.i and y.i; null if nothing is
 * known. */
const char *associative_remedy(Arena *arena, const Associativity *associativity);

/* Substitutes the injected value for y in the operator: the value of the update, over x. */
Expr associative_apply(Pool *pool, Arena *arena, const Associativity *associativity, int element,
                       const Expr *x, const Expr *y);

#endif
