/* evaluate.c -- entries of the table evaluated at any width, where all points can be tried: prefix
 * code, with no hash-consing in the way.  The proofs do not rest on it; it is what checks them by
 * brute force. What operators compute is said once more here; tests/unit/elementary.c compares it
 * with the evaluator (ir/value.h) at 8 bits. */
#include "elementary/elementary.h"

#include <string.h>

typedef struct Evaluation {
    const OperatorEntry *entry;
    const Width *widths; /* by class */
    const int64_t *x, *y;
    int64_t k;
    const RuleTerm *at;
} Evaluation;

int64_t width_wrap(Width width, int64_t value) {
    if (width.is_number)
        return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << width.bits) - 1);
    return width.is_signed && low >> (width.bits - 1) ? (int64_t)low - ((int64_t)1 << width.bits)
                                                      : (int64_t)low;
}

int64_t width_end(Width width, bool highest) {
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
typedef struct Evaluated {
    int64_t value;
    int class;
} Evaluated;

static Evaluated evaluate(Evaluation *e, int element);

static Evaluated leaf(const Evaluation *e, RuleTerm term, int element) {
    if (term.op != TERM_WILDCARD)
        return (Evaluated){term.value, -1};
    int class = e->entry->class_of[element];
    if (term.value > OPERATOR_K)
        return (Evaluated){width_end(e->widths[class], term.value == OPERATOR_HIGHEST), class};
    int64_t value = term.value == OPERATOR_K  ? e->k
                    : term.value < OPERATOR_Y ? e->x[term.value]
                                              : e->y[term.value - OPERATOR_Y];
    return (Evaluated){value, class_of_leaf(e->entry, term.value)};
}

static int64_t apply(Op op, Width width, const int64_t *a) {
    int64_t sum;
    switch ((int)op) {
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

static Evaluated evaluate(Evaluation *e, int element) {
    RuleTerm term = *e->at++;
    if (term.op >= OP_COUNT)
        return leaf(e, term, element);
    int64_t arguments[OP_MAX_ARITY];
    int arity = rule_term_arity(&term), class = -1;
    uint32_t literals = 0; /* they have no width until one beside them has */
    for (int i = 0; i < arity; i++) {
        Evaluated argument = evaluate(e, element);
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
    return (Evaluated){apply((Op)term.op, width, arguments), is_bool ? -1 : class};
}

static void evaluate_tuple(Evaluation *e, const RuleTerm *code, int64_t *out) {
    e->at = code;
    for (int i = 0; i < e->entry->arity; i++)
        out[i] = width_wrap(e->widths[e->entry->class_of[i]], evaluate(e, i).value);
}

void entry_apply(const OperatorEntry *entry, const Width *widths, const int64_t *x,
                 const int64_t *y, int64_t k, int64_t *out) {
    Evaluation e = {.entry = entry, .widths = widths, .x = x, .y = y, .k = k};
    evaluate_tuple(&e, entry->code, out);
}

bool entry_is_seen_not_to_commute(const OperatorEntry *entry) {
    enum { POINTS = 2000, BITS = 4 };
    uint64_t state = 1;
    for (int i = 0; i < POINTS; i++) {
        int64_t x[OPERATOR_ELEMENTS], y[OPERATOR_ELEMENTS], k, *sides[] = {x, y};
        int64_t xy[OPERATOR_ELEMENTS], yx[OPERATOR_ELEMENTS];
        Width widths[OPERATOR_ELEMENTS];
        for (int j = 0; j < 2 * OPERATOR_ELEMENTS + 1; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            int64_t *place = j == 2 * OPERATOR_ELEMENTS
                                 ? &k
                                 : &sides[j / OPERATOR_ELEMENTS][j % OPERATOR_ELEMENTS];
            *place = (int64_t)(state >> 60);
        }
        for (int class = 0; class < OPERATOR_ELEMENTS; class ++) {
            unsigned types = entry->types[class];
            bool is_machine = types & OPERATOR_MACHINE;
            widths[class] = (Width){types == OPERATOR_BOOL ? 1 : BITS,
                                    types >> type_number(I32) & 1, !is_machine};
        }
        for (int j = 0; j < entry->arity; j++) {
            x[j] = width_wrap(widths[entry->class_of[j]], x[j]);
            y[j] = width_wrap(widths[entry->class_of[j]], y[j]);
        }
        k = width_wrap(widths[entry->constant_class], k);
        entry_apply(entry, widths, x, y, k, xy);
        entry_apply(entry, widths, y, x, k, yx);
        if (memcmp(xy, yx, sizeof *xy * entry->arity) != 0)
            return true;
    }
    return false;
}

void entry_identity(const OperatorEntry *entry, const Width *widths, int64_t k, int64_t *out) {
    static const int64_t none[OPERATOR_ELEMENTS];
    Evaluation e = {.entry = entry, .widths = widths, .x = none, .y = none, .k = k};
    evaluate_tuple(&e, entry->identity, out);
}
