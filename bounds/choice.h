/* choice.h -- what the condition of a select says of its operands. */
#ifndef HLC_BOUNDS_CHOICE_H
#define HLC_BOUNDS_CHOICE_H

#include "ir/expr.h"

/* `limited <= other + offset`, or `>=` where it is a lower limit. */
typedef struct ChoiceLimit {
    Expr limited, other;
    int64_t offset;
    bool is_upper;
} ChoiceLimit;

enum { MOST_CHOICE_LIMITS = 8 };

/* The limits that hold where the condition does (`holds`), or where it does not: of operands of
 * comparisons between numbers of sort index or type i32.  Their number; more than fit are left
 * out. */
int choice_limits(Expr condition, bool holds, ChoiceLimit *limits);

#endif
