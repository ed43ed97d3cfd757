/* smt.h -- writes expressions as SMT-LIB 2 terms, for an external solver that proves rules and
 * bounds.
 *
 * Terms have the meaning of the total reading (value.h). Index is Int, without overflow. Machine
 * integers are bit-vectors, bool is Bool. Division and modulo are Euclidean, and 0 for a zero
 * divisor. `let` binds shared nodes, so the term is linear in the graph. Floats have no term.
 */
#ifndef HLC_IR_SMT_H
#define HLC_IR_SMT_H

#include "ir/walk.h"

/* Returns "Int", "Bool", "(_ BitVec 8)"; null for floats. */
const char *smt_sort(Arena *arena, Type type);
/* Returns the constant's text; null for floats. */
const char *smt_constant(Arena *arena, Type type, Bits bits);
/* Returns the expression's term; null if it contains a float. */
const char *smt_term(Arena *arena, Expr expr);
/* Returns a line `(declare-fun ..)` for each variable, hole and func in the expressions. Funcs and
 * images are uninterpreted functions of their coordinates. */
const char *smt_declarations(Arena *arena, const Expr *exprs, size_t count);
/* Returns a script whose answer is `unsat` if and only if the assumptions imply the bool expression
 * `claim`. Returns null if a float occurs. */
const char *smt_validity(Arena *arena, const Expr *assumptions, size_t count, Expr claim);

#endif
