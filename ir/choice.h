/* choice.h -- an expression, and a store, where the condition of a select has one outcome. */
#ifndef HLC_IR_CHOICE_H
#define HLC_IR_CHOICE_H

#include "ir/stmt.h"
#include "ir/walk.h"

typedef struct ChoiceOutcome {
    Pool *pool;
    Expr condition; /* null: only constants are folded */
    bool holds;
    ExprMemo memo;
} ChoiceOutcome;
ChoiceOutcome choice_create(Pool *pool, Arena *scratch, Expr condition, bool holds);

/* Returns the expression with this outcome: selects on the condition, and on and, or, not of it,
 * lose an arm.  `choice` is a ChoiceOutcome *, so the function can be passed to stmt_map_own_exprs. */
Expr choice_decide(void *choice, Expr expr);
/* The same for one node, whose arguments have been decided. */
Expr choice_decide_node(void *choice, Pool *pool, Expr node);

/* Puts a branch (IF_SPECIALIZE) in place of the store, with a copy of it for each outcome. */
Stmt *choice_part(Program *program, Arena *scratch, Stmt *store, Expr condition);

#endif
