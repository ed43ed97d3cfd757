/* multiples.h -- variables known to be c*q + r: written so while an expression is simplified. */
#ifndef HLC_LOWER_MULTIPLES_H
#define HLC_LOWER_MULTIPLES_H

#include "simplify/simplify.h"

/* variable = modulus * quotient + remainder, of sort index. */
typedef struct Multiple {
    Expr variable, quotient; /* the quotient is a fresh variable */
    int64_t modulus, remainder;
    Expr value; /* modulus * quotient + remainder */
    Expr written,
        divided;   /* in the program's own variables: the variable, and it div the modulus */
    ExprMemo memo; /* of multiples_expand while this is the last */
} Multiple;

typedef struct Multiples {
    Simplifier *simplifier;
    Pool *pool;
    Arena *arena;
    Vec(Multiple *) active;
    Map by_quotient; /* Symbol -> Multiple */
    ExprMemo restored;
} Multiples;

Multiples multiples_create(Simplifier *simplifier, Pool *pool, Arena *arena);

/* From here on the condition holds: of its conjuncts, `x % c == r` is taken up, also where it is
 * asked of `i32(x)` and x is known to lie in i32. */
void multiples_learn(Multiples *multiples, Expr condition);
/* Forgets all but the first `count`: active.length at an earlier time. */
void multiples_release(Multiples *multiples, size_t count);

/* Writes the variables by their quotients, and back. */
Expr multiples_expand(Multiples *multiples, Expr expr);
Expr multiples_restore(Multiples *multiples, Expr expr);

#endif
