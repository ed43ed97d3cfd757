/* operators_support.h -- entries of the table of operators evaluated at any width, where all points
 * can be tried, and those points.  Prefix code is evaluated as it stands, with no hash-consing in the
 * way.  What operators compute is said once more here; operators.c compares it with the evaluator
 * (ir/value.h) at 8 bits. */
#ifndef HLC_TESTS_UNIT_ELEMENTARY_SUPPORT_H
#define HLC_TESTS_UNIT_ELEMENTARY_SUPPORT_H

#include "tools/operators/operator_proofs.h"

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

/* ---- values of entries ---- */

/* Of a class: integers of so many bits that wrap, at most 16 (a bool: one, unsigned); or numbers
 * that do not, and are small. */
typedef struct Width {
    int bits;
    bool is_signed, is_number;
} Width;

typedef struct EntryEvaluation {
    const OperatorEntry *entry;
    const Width *widths; /* by class */
    const int64_t *x, *y;
    int64_t k;
    const RuleTerm *at;
} EntryEvaluation;

static int64_t width_wrap(Width width, int64_t value) {
    if (width.is_number)
        return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << width.bits) - 1);
    return width.is_signed && low >> (width.bits - 1) ? (int64_t)low - ((int64_t)1 << width.bits)
                                                      : (int64_t)low;
}

static int64_t width_end(Width width, bool highest) {
    if (width.is_number)
        return highest ? INT32_MAX : INT32_MIN;
    int64_t all = ((int64_t)1 << width.bits) - 1;
    if (width.is_signed)
        return highest ? all >> 1 : -(all >> 1) - 1;
    return highest ? all : 0;
}

static int class_of_leaf(const OperatorEntry *entry, int value) {
    return value == OPERATOR_K ? entry->constant_class : entry->class_of[value % OPERATOR_ELEMENTS];
}

/* A value and the class of its type; -1: a bool, or a literal that has none yet. */
typedef struct EntryValue {
    int64_t value;
    int class;
} EntryValue;

static EntryValue evaluate(EntryEvaluation *e, int element);

static EntryValue leaf(const EntryEvaluation *e, RuleTerm term, int element) {
    if (term.op != TERM_WILDCARD)
        return (EntryValue){term.value, -1};
    int class = e->entry->class_of[element];
    if (term.value > OPERATOR_K)
        return (EntryValue){width_end(e->widths[class], term.value == OPERATOR_HIGHEST), class};
    int64_t value = term.value == OPERATOR_K  ? e->k
                    : term.value < OPERATOR_Y ? e->x[term.value]
                                              : e->y[term.value - OPERATOR_Y];
    return (EntryValue){value, class_of_leaf(e->entry, term.value)};
}

static int64_t apply(Op op, Width width, const int64_t *a) {
    int64_t sum;
    switch (op) {
    case OP_ADD:
        return width_wrap(width, a[0] + a[1]);
    case OP_SUB:
        return width_wrap(width, a[0] - a[1]);
    case OP_MUL:
        return width_wrap(width, a[0] * a[1]);
    case OP_NEG:
        return width_wrap(width, -a[0]);
    case OP_MIN:
        return a[1] < a[0] ? a[1] : a[0];
    case OP_MAX:
        return a[0] < a[1] ? a[1] : a[0];
    case OP_LT:
        return a[0] < a[1];
    case OP_LE:
        return a[0] <= a[1];
    case OP_EQ:
        return a[0] == a[1];
    case OP_NE:
        return a[0] != a[1];
    case OP_AND:
    case OP_BIT_AND:
        return a[0] & a[1];
    case OP_OR:
    case OP_BIT_OR:
        return a[0] | a[1];
    case OP_BIT_XOR:
        return a[0] ^ a[1];
    case OP_NOT:
        return !a[0];
    case OP_BIT_NOT:
        return width_wrap(width, ~a[0]);
    case OP_SELECT:
        return a[0] ? a[1] : a[2];
    case OP_SATURATING_ADD: /* unsigned */
        sum = a[0] + a[1];
        return sum > width_end(width, true) ? width_end(width, true) : sum;
    default: /* no entry has it */
        hlc_assert(false, "an operator of the table can be evaluated");
        return 0;
    }
}

static EntryValue evaluate(EntryEvaluation *e, int element) {
    RuleTerm term = *e->at++;
    if (term.op >= OP_COUNT)
        return leaf(e, term, element);
    int64_t arguments[OP_MAX_ARITY];
    int arity = rule_term_arity(&term), class = -1;
    uint32_t literals = 0; /* they have no width until one beside them has */
    for (int i = 0; i < arity; i++) {
        EntryValue argument = evaluate(e, element);
        arguments[i] = argument.value;
        literals |= (uint32_t)(argument.class < 0) << i;
        if (argument.class >= 0 && !(term.op == OP_SELECT && i == 0))
            class = argument.class;
    }
    Width width = e->widths[class < 0 ? e->entry->class_of[element] : class];
    for (int i = term.op == OP_SELECT; i < arity && literals; i++)
        if (literals >> i & 1)
            arguments[i] = width_wrap(width, arguments[i]);
    bool is_bool = op_info((Op)term.op)->types == TYPES_COMPARE;
    return (EntryValue){apply((Op)term.op, width, arguments), is_bool ? -1 : class};
}

static void evaluate_tuple(EntryEvaluation *e, const RuleTerm *code, int64_t *out) {
    e->at = code;
    for (int i = 0; i < e->entry->arity; i++)
        out[i] = width_wrap(e->widths[e->entry->class_of[i]], evaluate(e, i).value);
}

static void entry_apply(const OperatorEntry *entry, const Width *widths, const int64_t *x,
                        const int64_t *y, int64_t k, int64_t *out) {
    EntryEvaluation e = {.entry = entry, .widths = widths, .x = x, .y = y, .k = k};
    evaluate_tuple(&e, entry->code, out);
}

static void entry_identity(const OperatorEntry *entry, const Width *widths, int64_t k,
                           int64_t *out) {
    static const int64_t none[OPERATOR_ELEMENTS];
    EntryEvaluation e = {.entry = entry, .widths = widths, .x = none, .y = none, .k = k};
    evaluate_tuple(&e, entry->identity, out);
}

/* ---- the table ---- */

static bool is_bool_class(const OperatorEntry *entry, int class) {
    return entry->types[class] == OPERATOR_BOOL;
}

/* Of the entry's classes: signed, unsigned, or numbers; false where the entry has no such type, or
 * divides: that is tried among fractions (operators_quotients.c). */
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
