/* value.c -- computes a column from its definition and the values of earlier columns. */
#include "decide/internal.h"

int64_t product_of_factors(const Problem *problem, Column column, const int64_t *values) {
    const ColumnInfo *info = &problem->columns.data[column];
    int64_t product = 1;
    for (uint32_t i = 0; i < info->factor_count; i++)
        product = value_clamp((__int128)product * values[info->factors[i]]);
    return product;
}

static int64_t operand(Polynomial polynomial, const int64_t *values) {
    int64_t value;
    if (polynomial_value(polynomial, values, &value))
        return value_clamp(value);
    return LARGEST_VALUE;
}

static int64_t quotient(int64_t a, int64_t b) {
    if (b == 0)
        return 0;
    int64_t q = a / b;
    return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;
}

int64_t value_of_column(const Problem *problem, Column column, const int64_t *values) {
    const ColumnInfo *info = &problem->columns.data[column];
    switch (info->kind) {
    case COLUMN_UNKNOWN:
        return 0; /* which is a value of every type */
    case COLUMN_PRODUCT:
        return product_of_factors(problem, column, values);
    case COLUMN_DEFINED:
        break;
    }
    int64_t a = operand(info->operands[0], values), b = operand(info->operands[1], values);
    switch (info->op) {
    case OP_MIN:
        return a < 0 ? a : 0;
    case OP_SELECT:
        return formula_holds(info->condition, values) ? a : 0;
    case OP_DIV:
        return quotient(a, b);
    default: /* MOD */
        return b ? a - value_clamp((__int128)quotient(a, b) * b) : 0;
    }
}
