/* knowledge.h -- what is known at each place of a program, kept while a pass walks over it.
 *
 * Assertions hold in all that follows them in their block, a loop variable lies in its loop's
 * interval, the condition of an `if` holds in one branch and not in the other, a let's variable has
 * its value's limits.  Nothing else is assumed.
 *
 * A pass calls, for each statement in program order: knowledge_enter, then (having changed the
 * statement's own expressions if it likes) knowledge_learn_statement, and knowledge_leave when its
 * bodies are behind.
 */
#ifndef HLC_LOWER_KNOWLEDGE_H
#define HLC_LOWER_KNOWLEDGE_H

#include "ir/stmt.h"
#include "lower/multiples.h"

typedef struct KnowledgeMark {
    FactMark facts;
    size_t multiples;
} KnowledgeMark;

typedef struct Knowledge {
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Multiples multiples; /* variables known to be c*q + r */
    Vec(KnowledgeMark) frames;
} Knowledge;

Knowledge knowledge_create(const Program *program, Arena *arena);

/* What is said of the statements before it holds here. */
void knowledge_enter(Knowledge *knowledge, const Stmt *stmt);
/* What it says itself holds in its body; an assertion's condition, in what follows it. */
void knowledge_learn_statement(Knowledge *knowledge, const Stmt *stmt);
void knowledge_leave(Knowledge *knowledge, const Stmt *stmt);

/* Under what is known; the second one in terms of what multiples are multiples of. */
Expr knowledge_simplify(Knowledge *knowledge, Expr expr);
Expr knowledge_simplify_expanded(Knowledge *knowledge, Expr expr);

#endif
