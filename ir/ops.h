/* ops.h -- the operator table (ops.def) as data. */
#ifndef HLC_IR_OPS_H
#define HLC_IR_OPS_H

#include "ir/type.h"

#include <stddef.h>

typedef enum Op {
#define OP(NAME, ...) OP_##NAME,
#include "ir/ops.def"
#undef OP
    OP_COUNT,
    /* The leaves, and the kinds of nodes with a name; see expr.h. */
    OP_CONSTANT = OP_COUNT,
    OP_VARIABLE,
    OP_ACCESS,
    OP_HOLE,
    OP_EXTERN, /* the value of an extern stage; ir/extern.h */
    /* Vectors of scalars; they never occur in programs. */
    OP_RAMP,
    OP_BROADCAST,
    OP_END
} Op;

typedef enum OpForm { FORM_INFIX, FORM_PREFIX, FORM_CALL, FORM_CAST } OpForm;

typedef enum OpTypes {
    TYPES_SAME,
    TYPES_COMPARE,
    TYPES_LOGIC,
    TYPES_CHOOSE,
    TYPES_SHIFT,
    TYPES_CLASS,
    TYPES_UNSIGNED,
    TYPES_WIDEN,
    TYPES_WEIGHT,
    TYPES_SHIFTED,
    TYPES_CONVERT
} OpTypes;

typedef enum OpTraits {
    ON_BOOL = 1,
    ON_INTEGER = 2,
    ON_FLOAT = 4,
    ON_INDEX = 8,
    COMMUTES = 16,
    COMMUTES_EXACT = 32,
    ERRS = 64,
    FINZ = 128
} OpTraits;

#define OP_MAX_ARITY 3

typedef struct OpInfo {
    const char *name;   /* "ADD" */
    const char *text;   /* "+" */
    const char *spaced; /* " + " */
    OpForm form;
    int precedence, arity;
    OpTypes types;
    unsigned traits;
} OpInfo;

extern const OpInfo op_table[OP_COUNT];
static inline const OpInfo *op_info(Op op) {
    return &op_table[op];
}

enum { ANY_ARITY = -1 };

/* Returns the operator spelled `text` with `arity` operands in `form`; OP_COUNT if there is none.
 */
Op op_find(const char *text, size_t length, OpForm form, int arity);

/* Applies the type rule: sets `*result` to the result type. Returns false if the operator is not
 * defined on the operand types. CONVERT rules leave `*result`, the stated type, unchanged. Vector
 * operands must have the same number of lanes, which the result gets. */
bool op_result_type(Op op, const Type *operands, Type *result);

/* Does swapping operands of this type leave every bit of the result unchanged? */
static inline bool op_commutes(Op op, Type operand) {
    unsigned traits = op_table[op].traits;
    return (traits & COMMUTES) || ((traits & COMMUTES_EXACT) && !type_is_float(operand));
}

#endif
