/* contract.h -- the weakest condition on sizes and parameters under which a program runs.
 *
 * It is what the program's own assertions say (checks.c), no more and no less: where all clauses
 * hold a call is not refused for its sizes or parameters, and where one does not it is, before
 * anything is written.  (A call may still find no memory, or be given buffers of the wrong type or
 * layout.)
 *
 * A clause is told as it is under those before it, without what they refute.  So the first that
 * fails is of the first assertion that does, but for a clause `false`, beside which the others are
 * left out.
 */
#ifndef HLC_LOWER_CONTRACT_H
#define HLC_LOWER_CONTRACT_H

#include "ir/stmt.h"
#include "ir/walk.h"

/* Which of what must lie in 32 bits a clause limits: an end of the coordinates, or their number. */
typedef enum ClauseEnd { END_NONE, END_LEAST, END_GREATEST, END_EXTENT } ClauseEnd;

typedef struct ContractClause {
    Expr condition; /* bool, in startup variables; no conjunction */
    Expr asked; /* bool, in startup variables: elsewhere the clause asks nothing; null: always */
    const Stmt *assertion;
    Symbol about; /* the variable that it is told of: an extent, if there is one; null: none */
    ClauseEnd end;
} ContractClause;

typedef struct Contract {
    Vec(ContractClause) clauses; /* in the program's order */
    bool open; /* some assertions depend on loop variables or memory: they are left out */
} Contract;

/* `program` has been through all passes, or is the text of such a one.  Clauses that follow from
 * the others are left out. */
Contract contract_of(const Program *program, Arena *arena);

/* Is it only about numbers that must fit in 32 or 64 bits? */
bool clause_is_about_range(const ContractClause *clause);
/* "input.extent(0) >= 8", for people. */
const char *clause_text(Arena *arena, const ContractClause *clause);
/* What asks for it: of a region the read that reaches furthest downward, or upward where the clause
 * is about the image's extent, or limits the greatest coordinates. */
Place clause_place(Context *context, const ContractClause *clause);
/* Why it is there: "input is read there". */
const char *clause_reason(Arena *arena, const ContractClause *clause);
/* Are they the same demand, whoever makes it? */
bool clause_equals(const ContractClause *a, const ContractClause *b);

#endif
