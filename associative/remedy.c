/* remedy.c -- suggests how an operator would commute that keeps one of equal values by their order.
 * If it keeps the least position of equal values, the result is the same in any order.
 *
 *     {min(x.0, y.0), select(y.0 < x.0, y.1, x.1), select(y.0 < x.0, y.2, x.2)}
 *
 * has two parts with one key, x.0. It commutes if all components are selected by
 *
 *     y.0 < x.0 || y.0 == x.0 && (y.1 < x.1 || y.1 == x.1 && y.2 < x.2)
 *
 * Likewise the first position with a property is the least one, and the last is the greatest.
 */
#include "associative/internal.h"

#include <string.h>

/* Returns the key of a part that keeps a position, and whether it keeps the maximum; -1 for other
 * parts. */
static int key_of(const Associativity *found, const AssociativePart *part, bool *greatest) {
    if (!part->entry || strncmp(part->entry, "argm", 4) != 0)
        return -1;
    for (int i = 0; i < found->arity; i++) {
        Op op = (Op)found->operator[i]->op;
        if (part->elements >> i & 1 && (op == OP_MIN || op == OP_MAX)) {
            *greatest = op == OP_MAX;
            return i;
        }
    }
    return -1;
}

/* Builds `y.i < x.i || y.i == x.i && (..)` of these components, the first one first. */
static const char *order_of(Arena *arena, uint32_t places) {
    int i = __builtin_ctz(places);
    uint32_t rest = places & (places - 1);
    if (!rest)
        return arena_format(arena, "y.%d < x.%d", i, i);
    return arena_format(arena, "y.%d < x.%d || y.%d == x.%d && %s%s%s", i, i, i, i,
                        rest & (rest - 1) ? "(" : "", order_of(arena, rest),
                        rest & (rest - 1) ? ")" : "");
}

/* Suggests a remedy for an operator that keeps one number, of x or of y. */
static const char *remedy_of_choice(const Associativity *found) {
    Expr choice = found->operator[0];
    if (found->arity != 1 || choice->op != OP_SELECT || type_is_bool(choice->type))
        return NULL;
    if (choice->arguments[1] == found->y[0] && choice->arguments[2] == found->x[0])
        return "it would commute where the first place is found as the least one: min(f, "
               "select(.., place, k)), k behind all places";
    if (choice->arguments[1] == found->x[0] && choice->arguments[2] == found->y[0])
        return "it would commute where the last place is found as the greatest one: max(f, "
               "select(.., place, k)), k before all places";
    return NULL;
}

const char *associative_remedy(Arena *arena, const Associativity *found) {
    uint32_t places = 0;
    int key = -1;
    bool greatest = false;
    if (found->verdict != ASSOCIATIVE_YES || found->is_commutative)
        return NULL;
    const char *of_choice = remedy_of_choice(found);
    if (of_choice)
        return of_choice;
    for (size_t i = 0; i < found->parts.length; i++) {
        const AssociativePart *part = &found->parts.data[i];
        int own = key_of(found, part, &greatest);
        if (own < 0 || (key >= 0 && own != key))
            return NULL;
        key = own;
        places |= part->elements & ~(1u << own);
    }
    if (key < 0 || !places)
        return NULL;
    bool is_one = !(places & (places - 1));
    const char *better = greatest ? arena_format(arena, "x.%d < y.%d", key, key)
                                  : arena_format(arena, "y.%d < x.%d", key, key);
    return arena_format(arena,
                        "it would commute where of equal values the least place is kept: all "
                        "elements are y's where %s || y.%d == x.%d && %s%s%s",
                        better, key, key, is_one ? "" : "(", order_of(arena, places),
                        is_one ? "" : ")");
}
