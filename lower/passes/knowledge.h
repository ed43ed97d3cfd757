/* knowledge.h -- what is known at each place of a program, kept while a pass walks over it.
 *
 * Assertions hold in all that follows them in their block, a loop variable lies in its loop's
 * interval, the condition of an `if` holds in one branch and not in the other, a let's variable has
 * its value's limits.  Nothing else is assumed.
 *
 * A pass calls, for each statement in program order: knowledge_enter, then (having changed the
 * statement's own expressions if it likes) knowledge_learn_statement, and knowledge_leave when its
 * bodies are behind.  What a statement says is learned when something is asked behind it: of most
 * bodies nothing is.
 */
#ifndef HLC_LOWER_KNOWLEDGE_H
#define HLC_LOWER_KNOWLEDGE_H

#include "ir/stmt.h"
#include "lower/passes/multiples.h"

/* What a statement says in its body, or an `if` in its else part. */
typedef struct Saying {
    const Stmt *stmt;
    bool otherwise;
} Saying;

/* Of a statement with a body: what was known before it. */
typedef struct KnowledgeMark {
    size_t said;
    FactMark facts; /* these two once something in it has been learned */
    size_t multiples;
} KnowledgeMark;

typedef struct Knowledge {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier; /* see knowledge_simplifier */
    Multiples multiples;    /* variables known to be c*q + r */
    Vec(Saying) said;       /* what holds here, of which the first `learned` are learned */
    size_t learned;
    Vec(KnowledgeMark) frames; /* of which the first `marked` have their facts */
    size_t marked;
    /* Told of each loop and let that was learned, if anybody wants to know. */
    void (*on_binder)(void *data, const Stmt *stmt);
    void *data;
} Knowledge;

Knowledge knowledge_create(const Program *program, Arena *arena);

/* What is said of the statements before it holds here. */
void knowledge_enter(Knowledge *knowledge, const Stmt *stmt);
/* What it says itself holds in its body; an assertion's condition, in what follows it. */
void knowledge_learn_statement(Knowledge *knowledge, const Stmt *stmt);
void knowledge_leave(Knowledge *knowledge, const Stmt *stmt);

/* Knows what holds here, until more is said. */
Simplifier *knowledge_simplifier(Knowledge *knowledge);

/* In terms of what multiples are multiples of, and back. */
Expr knowledge_expand(Knowledge *knowledge, Expr expr);
Expr knowledge_restore(Knowledge *knowledge, Expr expr);
/* Under what is known; the second one in terms of what multiples are multiples of. */
Expr knowledge_simplify(Knowledge *knowledge, Expr expr);
Expr knowledge_simplify_expanded(Knowledge *knowledge, Expr expr);

/* A variable runs over the interval.  (What knowledge_learn_statement learns of a loop, without
 * multiples.) */
void learn_loop_interval(Simplifier *simplifier, Pool *pool, Symbol variable, Extent interval);

#endif
