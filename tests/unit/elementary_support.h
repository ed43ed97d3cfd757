/* elementary_support.h -- points at which entries of the table of operators are looked at. */
#ifndef HLC_TESTS_UNIT_ELEMENTARY_SUPPORT_H
#define HLC_TESTS_UNIT_ELEMENTARY_SUPPORT_H

#include "elementary/elementary.h"

#include <string.h>

enum { SAMPLED = 20000, EXHAUSTIVE = 1 << 18 };

static uint64_t state = 1;

static uint64_t draw(void) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- the table ---- */

static bool is_bool_class(const OperatorEntry *entry, int class) {
    return entry->types[class] == OPERATOR_BOOL;
}

/* Of the entry's classes: signed, unsigned, or numbers; false where the entry has no such type, or
 * divides: that is tried among fractions (elementary_quotients.c). */
static bool widths_of(const OperatorEntry *entry, int kind, int bits, Width *widths) {
    static const unsigned kinds[] = {0x1e, 0x1e0, OPERATOR_FLOAT};
    bool any = false;
    if (entry_has(entry, OP_DIV))
        return false;
    for (int i = 0; i < entry->arity; i++) {
        int class = entry->class_of[i];
        bool is_bool = is_bool_class(entry, class);
        any |= !is_bool;
        bool is_structure = entry->types[class] == OPERATOR_ANY; /* four values tell all apart */
        widths[class] = (Width){is_bool        ? 1
                                : is_structure ? 2
                                               : bits,
                                !is_bool && kind == 0, !is_bool && kind == 2};
        if (!is_bool && !(entry->types[class] & kinds[kind]))
            return false;
    }
    return any || kind == 1;
}

static int64_t draw_value(Width width) {
    if (width.is_number)
        return (int64_t)(draw() % 7) - 3;
    return width_wrap(width, (int64_t)draw());
}

typedef struct Values {
    int64_t x[OPERATOR_ELEMENTS], y[OPERATOR_ELEMENTS], z[OPERATOR_ELEMENTS], k;
} Values;

/* Point `number` of all, or one that is drawn. */
static Values values_at(const OperatorEntry *entry, const Width *widths, bool all,
                        uint64_t number) {
    Values v = {0};
    int64_t *tuples[] = {v.x, v.y, v.z};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < entry->arity; i++) {
            Width width = widths[entry->class_of[i]];
            tuples[t][i] = all ? width_wrap(width, (int64_t)number) : draw_value(width);
            number >>= width.bits;
        }
    Width width = widths[entry->constant_class];
    v.k = all ? width_wrap(width, (int64_t)number) : draw_value(width);
    return v;
}

/* What is claimed of x and y alone is asked where z is 0, which all points with another z repeat.
 */
static const char *refuted_at(const OperatorEntry *entry, const Width *widths, const Values *v) {
    int64_t a[OPERATOR_ELEMENTS], b[OPERATOR_ELEMENTS], left[OPERATOR_ELEMENTS],
        right[OPERATOR_ELEMENTS];
    size_t size = sizeof *left * entry->arity;
    entry_apply(entry, widths, v->x, v->y, v->k, a);
    entry_apply(entry, widths, a, v->z, v->k, left);
    entry_apply(entry, widths, v->y, v->z, v->k, b);
    entry_apply(entry, widths, v->x, b, v->k, right);
    if (memcmp(left, right, size) != 0)
        return "associative";
    bool is_first = true;
    for (int i = 0; i < entry->arity; i++)
        is_first &= v->z[i] == 0;
    if (entry->commutes && is_first) {
        entry_apply(entry, widths, v->y, v->x, v->k, b);
        if (memcmp(a, b, size) != 0)
            return "commutative";
    }
    if (entry->has_identity && is_first) {
        entry_identity(entry, widths, v->k, b);
        entry_apply(entry, widths, v->x, b, v->k, left);
        if (memcmp(left, v->x, size) != 0)
            return "neutral on the right";
    }
    return NULL;
}

static int bits_of_point(const OperatorEntry *entry, const Width *widths) {
    int bits = entry->has_constant ? widths[entry->constant_class].bits : 0;
    for (int i = 0; i < entry->arity; i++)
        bits += 3 * widths[entry->class_of[i]].bits;
    return bits;
}

/* At all points, where they are at most so many; else at `points`, of which every fourth has z = 0.
 */
static const char *refuted(const OperatorEntry *entry, const Width *widths, uint64_t most,
                           uint64_t points) {
    int bits = bits_of_point(entry, widths);
    bool all = bits < 63 && UINT64_C(1) << bits <= most && !widths[0].is_number;
    uint64_t count = all ? UINT64_C(1) << bits : points;
    for (uint64_t number = 0; number < count; number++) {
        Values v = values_at(entry, widths, all, number);
        if (!all && number % 4 == 0)
            memset(v.z, 0, sizeof v.z);
        const char *claim = refuted_at(entry, widths, &v);
        if (claim)
            return claim;
    }
    return NULL;
}

#endif
