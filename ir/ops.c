#include "ir/ops.h"

#include <string.h>

const OpInfo op_table[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, ...)                                \
    {#NAME, TEXT, " " TEXT " ", FORM_##FORM, PRECEDENCE, ARITY, TYPES_##TYPES, TRAITS},
#include "ir/ops.def"
#undef OP
};

Op op_find(const char *text, size_t length, OpForm form, int arity) {
    for (int op = 0; op < OP_COUNT; op++) {
        const OpInfo *info = &op_table[op];
        if (*info->text == *text && info->form == form &&
            (info->arity == arity || arity == ANY_ARITY) && strlen(info->text) == length &&
            memcmp(info->text, text, length) == 0)
            return (Op)op;
    }
    return OP_COUNT;
}

static bool defined_on(const OpInfo *info, Type type) {
    static const unsigned traits[] = {
        [TYPE_BOOL] = ON_BOOL,   [TYPE_INT] = ON_INTEGER,  [TYPE_UINT] = ON_INTEGER,
        [TYPE_FLOAT] = ON_FLOAT, [TYPE_BFLOAT] = ON_FLOAT, [TYPE_INDEX] = ON_INDEX};
    return info->traits & traits[type.kind];
}

static bool all_equal(const Type *operands, int count) {
    for (int i = 1; i < count; i++)
        if (!type_equal(operands[0], operands[i]))
            return false;
    return true;
}

bool op_result_type(Op op, const Type *operands, Type *result) {
    const OpInfo *info = &op_table[op];
    Type first = operands[0];
    if (!defined_on(info, first) && info->types != TYPES_CHOOSE)
        return false;
    switch (info->types) {
    case TYPES_SAME:
    case TYPES_LOGIC:
        *result = first;
        return all_equal(operands, info->arity);
    case TYPES_COMPARE:
        *result = BOOL;
        result->lanes = first.lanes;
        return all_equal(operands, info->arity);
    case TYPES_CHOOSE:
        *result = operands[1];
        return type_is_bool(first) && first.lanes == result->lanes && all_equal(operands + 1, 2);
    case TYPES_SHIFT:
        *result = first;
        return type_is_machine_integer(operands[1]) && operands[1].bits == first.bits &&
               operands[1].lanes == first.lanes;
    case TYPES_CLASS:
        *result = BOOL;
        result->lanes = first.lanes;
        return true;
    case TYPES_UNSIGNED:
        *result = type_unsigned(first);
        return all_equal(operands, 2);
    case TYPES_WIDEN:
        *result = first;
        result->bits = (uint8_t)(first.bits * 2);
        return first.bits <= 32 && all_equal(operands, 2);
    case TYPES_WEIGHT:
        *result = first;
        return all_equal(operands, 2) && type_equal(operands[2], type_unsigned(first));
    case TYPES_SHIFTED:
        *result = first;
        return all_equal(operands, 2) && type_equal(operands[2], type_unsigned(first));
    case TYPES_CONVERT:
        result->lanes = first.lanes;
        if (op == OP_REINTERPRET)
            return result->bits == first.bits && !type_is_index(*result) && !type_is_bool(*result);
        if (op == OP_SATURATING_CAST)
            return type_is_machine_integer(*result);
        return true;
    }
    return false;
}
