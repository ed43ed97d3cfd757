/* choice.c -- from a condition to limits of its operands.
 *
 *     x < n && 0 <= x     holds       x <= n - 1,  0 <= x,  n >= x + 1,  x >= 0
 *     x < n || x == 5     does not    x >= n
 */
#include "bounds/choice.h"

typedef struct ChoiceReading {
    ChoiceLimit *limits;
    int count;
} ChoiceReading;

static void add_limit(ChoiceReading *reading, ChoiceLimit limit) {
    if (reading->count < MOST_CHOICE_LIMITS)
        reading->limits[reading->count++] = limit;
}

/* a <= b + offset */
static void add_at_most(ChoiceReading *reading, Expr a, Expr b, int64_t offset) {
    add_limit(reading, (ChoiceLimit){a, b, offset, true});
    add_limit(reading, (ChoiceLimit){b, a, -offset, false});
}

/* a < b, or where it does not hold b <= a. */
static void read_less(ChoiceReading *reading, Expr a, Expr b, bool holds) {
    if (holds)
        add_at_most(reading, a, b, -1);
    else
        add_at_most(reading, b, a, 0);
}

static void read_equal(ChoiceReading *reading, Expr a, Expr b, bool holds) {
    if (!holds)
        return;
    add_at_most(reading, a, b, 0);
    add_at_most(reading, b, a, 0);
}

static bool is_number(Expr expr) {
    return type_is_index(expr->type) || type_equal(expr->type, I32);
}

static void read_comparison(ChoiceReading *reading, Expr condition, bool holds) {
    Expr a = condition->arguments[0], b = condition->arguments[1];
    if (!is_number(a) || !is_number(b))
        return;
    switch ((int)condition->op) {
    case OP_LT:
        read_less(reading, a, b, holds);
        break;
    case OP_GT:
        read_less(reading, b, a, holds);
        break;
    case OP_LE:
        read_less(reading, b, a, !holds);
        break;
    case OP_GE:
        read_less(reading, a, b, !holds);
        break;
    case OP_EQ:
        read_equal(reading, a, b, holds);
        break;
    case OP_NE:
        read_equal(reading, a, b, !holds);
        break;
    }
}

enum { DEEPEST_CONDITION = 8 };

static void read_condition(ChoiceReading *reading, Expr condition, bool holds, int depth) {
    bool splits = condition->op == (holds ? OP_AND : OP_OR);
    if (condition->op == OP_NOT && depth < DEEPEST_CONDITION)
        read_condition(reading, condition->arguments[0], !holds, depth + 1);
    else if (splits && depth < DEEPEST_CONDITION)
        for (int i = 0; i < 2; i++)
            read_condition(reading, condition->arguments[i], holds, depth + 1);
    else if (condition->arity == 2 && condition->op < OP_CONSTANT)
        read_comparison(reading, condition, holds);
}

int choice_limits(Expr condition, bool holds, ChoiceLimit *limits) {
    ChoiceReading reading = {limits, 0};
    read_condition(&reading, condition, holds, 0);
    return reading.count;
}
