/* remedy.c -- how an operator would commute that keeps one of equal values by the order in which
 * they come: where of equal values the least place is kept, it is the same in any order.
 *
 *     {min(x.0, y.0), select(y.0 < x.0, y.1, x.1), select(y.0 < x.0, y.2, x.2)}
 *
 * is made of two parts with one key, x.0; it commutes where all elements are chosen by
 *
 *     y.0 < x.0 || y.0 == x.0 && (y.1 < x.1 || y.1 == x.1 && y.2 < x.2)
 *
 * And the first place where something holds is the least one, the last one the greatest.
 */
#include "associative/internal.h"

#include <string.h>

/* The key of a part that keeps a place, and whether the greatest one is looked for; -1: it is no
 * such part. */
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

/* `y.i < x.i || y.i == x.i && (..)` of these elements, the least first. */
static const char *order_of(Arena *arena, uint32_t places) {
    int i = __builtin_ctz(places);
    uint32_t rest = places & (places - 1);
    if (!rest)
        return arena_format(arena, "y.%d < x.%d", i, i);
    return arena_format(arena, "y.%d < x.%d || y.%d == x.%d && %s%s%s", i, i, i, i,
                        rest & (rest - 1) ? "(" : "", order_of(arena, rest),
                        rest & (rest - 1) ? ")" : "");
}

/* Of one number, that of x or that of y is kept, as one of the two says. */
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
