/* contract.h -- the weakest condition on sizes and parameters under which a program runs.
 *
 * The program's own assertions (checks.c) give the condition, no more and no less.  If all clauses
 * hold, a call is not refused for its sizes or parameters.  If one does not, the call is refused
 * before anything is written.  (A call may still find no memory, or have buffers of a wrong type or
 * layout.)
 *
 * A clause is simplified under the clauses before it, without what they refute.  So the first
 * clause that fails belongs to the first assertion that fails.  The exception is a clause `false`:
 * then the others are left out.
 */
#ifndef HLC_LOWER_REPORT_CONTRACT_H
#define HLC_LOWER_REPORT_CONTRACT_H

#include "ir/stmt.h"
#include "ir/walk.h"

/* The number that must lie in 32 bits: an end of the coordinates, or their count. */
typedef enum ClauseEnd { END_NONE, END_LEAST, END_GREATEST, END_EXTENT } ClauseEnd;

typedef struct ContractClause {
    Expr condition; /* bool, in startup variables; no conjunction */
    Expr asked; /* bool, in startup variables: if false, the clause asks nothing; null: always */
    const Stmt *assertion;
    Symbol about; /* the variable that the clause is about: an extent, if there is one; or null */
    ClauseEnd end;
} ContractClause;

typedef struct Contract {
    Vec(ContractClause) clauses; /* in the program's order */
    bool open; /* some assertions depend on loop variables or memory; they are left out */
} Contract;

/* Returns the contract.  `program` has been through all passes, or is the text of such a program.
 * Clauses that follow from the others are left out. */
Contract contract_of(const Program *program, Arena *arena);

/* Returns the clauses as the program asserts them: none solved, simplified or left out. */
Contract contract_asserted(const Program *program, Arena *arena);

/* Is the clause only about numbers that must fit in 32 or 64 bits? */
bool clause_is_about_range(const ContractClause *clause);
/* Returns "input.extent(0) >= 8", for people. */
const char *clause_text(Arena *arena, const ContractClause *clause);
/* Returns the place that requires it.  For a region, this is the read that reaches furthest
 * downward, or upward if the clause is about the image's extent or limits the greatest
 * coordinates. */
Place clause_place(Context *context, const ContractClause *clause);
/* Says why the clause exists: "input is read there". */
const char *clause_reason(Arena *arena, const ContractClause *clause);
/* Are they the same condition, whatever their origin? */
bool clause_equals(const ContractClause *a, const ContractClause *b);

#endif
