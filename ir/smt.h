/* smt.h -- writes expressions as SMT-LIB 2 terms, for an outside solver that proves rules and
 * bounds.
 *
 * The meaning is the total reading of value.h.  Index is Int, whose arithmetic never leaves it.
 * Machine integers are bit-vectors, bool is Bool.  Division and modulo are Euclidean, and 0 for a
 * zero divisor.  `let` binds shared nodes, so the term is linear in the graph.  Floats have no
 * term.
 */
#ifndef HLC_IR_SMT_H
#define HLC_IR_SMT_H

#include "ir/walk.h"

/* "Int", "Bool", "(_ BitVec 8)"; null for floats. */
const char *smt_sort(Arena *arena, Type type);
/* The constant's text; null for floats. */
const char *smt_constant(Arena *arena, Type type, Bits bits);
/* Returns the expression's term; null if it contains a float. */
const char *smt_term(Arena *arena, Expr expr);
/* `(declare-fun ..)` for each variable, hole and func that occurs in the expressions, a line each.
 * Funcs and images are uninterpreted functions of their coordinates. */
const char *smt_declarations(Arena *arena, const Expr *exprs, size_t count);
/* Returns a script whose answer is `unsat` exactly if the bool expression `claim` follows from the
 * assumptions. Null if a float occurs. */
const char *smt_validity(Arena *arena, const Expr *assumptions, size_t count, Expr claim);

#endif
