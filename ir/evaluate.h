/* evaluate.h -- the value of an expression whose variables have values. */
#ifndef HLC_IR_EVALUATE_H
#define HLC_IR_EVALUATE_H

#include "ir/expr.h"

/* The value of a variable; false where it has none. */
typedef bool VariableValue(void *data, Symbol name, Bits *bits);

/* The expression's value in the total reading.  It holds no accesses and no holes.  False where
 * index arithmetic leaves 64 bits, and where a variable has no value.  Each node is evaluated
 * once. */
bool expr_evaluate(Arena *scratch, Expr expr, VariableValue *value, void *data, Bits *bits);

#endif
