/* storage.c -- the names of memory kinds, and a syntactic upper bound on the length of an
 * allocation. */
#include "ir/storage.h"

#include <stdint.h>
#include <string.h>

enum { DEEPEST = 16 };

static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the greatest possible value of the expression; UNBOUNDED if its form does not show one.
 */
#define UNBOUNDED INT64_MAX

static int64_t greatest(Expr expr, int depth) {
    int64_t number, a, b;
    if (expr_constant_integer(expr, &number))
        return number;
    if (depth == 0 || expr->arity < 2)
        return UNBOUNDED;
    bool has_number = expr_constant_integer(expr->arguments[1], &number);
    switch ((int)expr->op) {
    case OP_MIN:
        return least_of(greatest(expr->arguments[0], depth - 1),
                        greatest(expr->arguments[1], depth - 1));
    case OP_MAX:
    case OP_SELECT:
    case OP_ADD:
        a = greatest(expr->arguments[expr->op == OP_SELECT ? 1 : 0], depth - 1);
        b = greatest(expr->arguments[expr->op == OP_SELECT ? 2 : 1], depth - 1);
        if (expr->op != OP_ADD)
            return a > b ? a : b;
        return a == UNBOUNDED || b == UNBOUNDED || __builtin_add_overflow(a, b, &a) ? UNBOUNDED : a;
    case OP_MUL:
        a = has_number && number >= 0 ? greatest(expr->arguments[0], depth - 1) : UNBOUNDED;
        return a == UNBOUNDED || __builtin_mul_overflow(a, number, &a) ? UNBOUNDED : a;
    case OP_DIV: /* Euclidean */
        a = has_number && number > 0 ? greatest(expr->arguments[0], depth - 1) : UNBOUNDED;
        return a == UNBOUNDED ? UNBOUNDED : a / number - (a % number < 0);
    case OP_MOD:
        return has_number && number > 0 ? number - 1 : UNBOUNDED;
    default:
        return UNBOUNDED;
    }
}

int64_t storage_longest(Expr length) {
    int64_t most = greatest(length, DEEPEST);
    return most >= 1 && most <= STACK_AS_TOLD ? most : -1;
}

static const char *const names[] = {[MEMORY_AUTOMATIC] = NULL,
                                    [MEMORY_STACK] = "stack",
                                    [MEMORY_HEAP] = "heap",
                                    [MEMORY_REGISTER] = "register"};

const char *memory_text(MemoryKind memory) {
    return names[memory];
}

bool memory_from_text(const char *text, MemoryKind *memory) {
    for (int m = MEMORY_STACK; m <= MEMORY_REGISTER; m++)
        if (!strcmp(names[m], text)) {
            *memory = (MemoryKind)m;
            return true;
        }
    return false;
}

const Storage *storage_plain(void) {
    static const Storage plain = {.order = {0, 1, 2, 3, 4, 5, 6, 7}};
    _Static_assert(MAX_DIMENSIONS == 8, "one place a dimension");
    return &plain;
}

bool storage_is_in_order(const Storage *storage, int dimensions) {
    for (int n = 0; n < dimensions; n++)
        if (storage->order[n] != n)
            return false;
    return true;
}

bool storage_is_sound(const Storage *storage, int dimensions) {
    unsigned seen = 0;
    for (int n = 0; n < dimensions; n++)
        if (storage->order[n] < dimensions)
            seen |= 1u << storage->order[n];
    return seen == (1u << dimensions) - 1;
}
