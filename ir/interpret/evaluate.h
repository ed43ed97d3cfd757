/* evaluate.h -- evaluates an expression whose variables have values. */
#ifndef HLC_IR_INTERPRET_EVALUATE_H
#define HLC_IR_INTERPRET_EVALUATE_H

#include "ir/expr.h"
#include "ir/value.h"

/* Finds the value of a variable; false if it has none. */
typedef bool VariableValue(void *data, Symbol name, Bits *bits);

/* An expression as flat code: each distinct node once, arguments before their users. */
typedef struct ExprCodeNode {
    Expr node;
    Operation operation;             /* for operators only */
    uint32_t operands[OP_MAX_ARITY]; /* positions of the operands */
} ExprCodeNode;

typedef struct ExprCode {
    Vec(ExprCodeNode) nodes;
    Bits *values;      /* by position */
    bool is_evaluable; /* the expression contains no access and no hole */
} ExprCode;

ExprCode *expr_code(Arena *arena, Expr expr);
/* Evaluates the expression in the total reading. Returns false if index arithmetic leaves 64 bits,
 * if a variable has no value, or if the expression contains accesses or holes. */
bool expr_code_run(const ExprCode *code, VariableValue *value, void *data, Bits *bits);

/* Evaluates an expression once. */
bool expr_evaluate(Arena *scratch, Expr expr, VariableValue *value, void *data, Bits *bits);

#endif
