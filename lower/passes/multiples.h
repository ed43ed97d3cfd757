/* multiples.h -- variables known to be c*q + r.  They are written so while an expression is
 * simplified. */
#ifndef HLC_LOWER_PASSES_MULTIPLES_H
#define HLC_LOWER_PASSES_MULTIPLES_H

#include "simplify/simplify.h"

/* variable = modulus * quotient + remainder, of sort index. */
typedef struct Multiple {
    Expr variable, quotient; /* the quotient is a fresh variable */
    int64_t modulus, remainder;
    Expr value; /* modulus * quotient + remainder */
    Expr written,
        divided;   /* over the program's variables: the variable, and its quotient by the modulus */
    ExprMemo memo; /* of multiples_expand while this is the last one */
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

/* Learns that the condition holds from here on.  From each conjunct `x % c == r` it learns a
 * multiple, also from one about `i32(x)` if x is known to lie in i32. */
void multiples_learn(Multiples *multiples, Expr condition);
/* Forgets all but the first `count`, an earlier value of active.length. */
void multiples_release(Multiples *multiples, size_t count);

/* Write the variables by their quotients, and back. */
Expr multiples_expand(Multiples *multiples, Expr expr);
Expr multiples_restore(Multiples *multiples, Expr expr);

#endif
