/* knowledge.h -- the facts at each place of a program, kept while a pass walks over it.
 *
 * There are four kinds of facts.  An assertion holds in all statements after it in its block.  A
 * loop variable lies in its loop's interval.  The condition of an `if` holds in one branch and not
 * in the other.  A let's variable has its value's limits.  Nothing else is assumed.
 *
 * For each statement in program order, a pass makes three calls: knowledge_enter, then
 * knowledge_learn_statement, and knowledge_leave after its bodies.  Between the first two it may
 * change the statement's own expressions.  A fact is learned only when the pass asks a question
 * inside its scope; in most bodies it asks none.
 */
#ifndef HLC_LOWER_PASSES_KNOWLEDGE_H
#define HLC_LOWER_PASSES_KNOWLEDGE_H

#include "ir/stmt.h"
#include "lower/passes/multiples.h"

/* The facts of a statement in its body, or, with `otherwise`, those of an `if` in its else part. */
typedef struct Saying {
    const Stmt *stmt;
    bool otherwise;
} Saying;

/* The state before a statement with a body. */
typedef struct KnowledgeMark {
    size_t said;
    FactMark facts; /* set, as is `multiples`, when something in the body is learned */
    size_t multiples;
} KnowledgeMark;

typedef struct Knowledge {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier; /* see knowledge_simplifier */
    Multiples multiples;    /* variables known to be c*q + r */
    Vec(Saying) said;       /* the facts here; the first `learned` of them are learned */
    size_t learned;
    Vec(KnowledgeMark) frames; /* the first `marked` have their facts */
    size_t marked;
    /* Called for each loop and let that is learned; null: no one asks. */
    void (*on_binder)(void *data, const Stmt *stmt);
    void *data;
} Knowledge;

Knowledge knowledge_create(const Program *program, Arena *arena);

/* Makes the facts of the earlier statements hold here. */
void knowledge_enter(Knowledge *knowledge, const Stmt *stmt);
/* Makes the statement's own facts hold in its body; an assertion's condition, after it. */
void knowledge_learn_statement(Knowledge *knowledge, const Stmt *stmt);
void knowledge_leave(Knowledge *knowledge, const Stmt *stmt);

/* Returns a simplifier that knows the facts here, until the next statement. */
Simplifier *knowledge_simplifier(Knowledge *knowledge);

/* Write variables by their quotients (multiples.h), and back. */
Expr knowledge_expand(Knowledge *knowledge, Expr expr);
Expr knowledge_restore(Knowledge *knowledge, Expr expr);
/* Simplify under the facts; the second keeps variables written by their quotients. */
Expr knowledge_simplify(Knowledge *knowledge, Expr expr);
Expr knowledge_simplify_expanded(Knowledge *knowledge, Expr expr);

/* Learns that a variable runs over the interval.  (The part of knowledge_learn_statement for a
 * loop, without multiples.) */
void learn_loop_interval(Simplifier *simplifier, Pool *pool, Symbol variable, Extent interval);

#endif
