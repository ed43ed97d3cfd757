/* decrease.c -- checks that each application of a rule decreases the reduction order, in sanitized
 * builds, in the fuzzer and in the tests.
 *
 * The rule compiler proves for each rule that its right side is less than its left side in the
 * reduction order (tools/rulec/order.c). This file checks the terms themselves: the matched node,
 * and the rule's result. Terms are measured modulo the normal form of sums: a - b counts as a +
 * b*-1, as in rules. At first a constant in an integer sum counts as nothing. It counts only if the
 * terms are otherwise equal.
 *
 * The normal form of the result is not measured: it may be larger. There are three cases. The
 * dividend of a quotient loses the divisor's multiples: (x + 255)/16 becomes (x + 15)/16 + 15. A
 * reversed comparison has another constant, which min and max may share otherwise. A product with a
 * sum is multiplied out. Termination of the engine in these cases is an assumption;
 * tests/unit/simplify_decrease.c exercises each of the three.
 */
#include "ir/print.h"
#include "simplify/internal.h"
#include "simplify/order.h"

#include <string.h>

/* A value beyond 64 bits: a graph may be exponentially smaller than its tree. */
#define BEYOND UINT64_MAX

typedef struct TermMeasure {
    bool known;
    uint64_t value[2][ORDER_COUNT]; /* [1]: constants in sums count too */
} TermMeasure;

struct Decrease {
    Arena *arena;
    Vec(Expr) stack;       /* of measure */
    TermMeasure *measures; /* by node number */
    uint32_t capacity;
};

Decrease *decrease_create(Arena *arena) {
    Decrease *decrease = arena_new(arena, Decrease);
    decrease->arena = arena;
    return decrease;
}

static TermMeasure *measure_at(Decrease *d, Expr expr) {
    if (expr->number >= d->capacity) {
        uint32_t capacity = d->capacity ? d->capacity : 256;
        while (capacity <= expr->number)
            capacity *= 2;
        TermMeasure *measures = arena_array(d->arena, TermMeasure, capacity);
        if (d->capacity)
            memcpy(measures, d->measures, d->capacity * sizeof *measures);
        d->measures = measures;
        d->capacity = capacity;
    }
    return &d->measures[expr->number];
}

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? BEYOND : sum;
}

static uint64_t scale(uint64_t a, uint64_t factor) {
    uint64_t product;
    return __builtin_mul_overflow(a, factor, &product) ? BEYOND : product;
}

/* Does b*-1 need a product that b does not have? */
static bool needs_product(Expr b) {
    return !expr_is_constant(b) && !(b->op == OP_MUL && expr_is_constant(b->arguments[1]));
}

/* The view of a node in one component. `exact`: constants in sums count, too. */
typedef struct TermView {
    const TermMeasure *measures;
    OrderComponent component;
    bool exact;
} TermView;

static uint64_t value_at(TermView view, Expr expr) {
    return view.measures[expr->number].value[view.exact][view.component];
}

/* Measures an integer sum or difference: a difference is + with a product by -1. */
static uint64_t sum_value(TermView view, Expr expr) {
    Expr a = expr->arguments[0], b = expr->arguments[expr->arity - 1];
    OrderWeights plus = order_weights(view.component, OP_ADD, false);
    OrderWeights times = order_weights(view.component, OP_MUL, true);
    uint64_t value = value_at(view, b);
    if (expr->op != OP_ADD && needs_product(b))
        value = add(value, (uint64_t)(times.weight + order_leaf(view.component)));
    if (expr->op == OP_NEG || (!view.exact && expr_is_constant(a)))
        return value;
    if (!view.exact && expr_is_constant(b))
        return value_at(view, a);
    return add(add((uint64_t)plus.weight, value), value_at(view, a));
}

/* Counts operators on vectors; scalars contain none. */
static uint64_t lanes_value(TermView view, Expr expr) {
    if (!type_is_vector(expr->type))
        return 0;
    uint64_t value = (uint64_t)order_weights(ORDER_LANES, expr->op, false).weight;
    for (int i = 0; i < expr->arity; i++)
        value = add(value, value_at(view, expr->arguments[i]));
    return value;
}

static uint64_t value_of(TermView view, Expr expr) {
    if (view.component == ORDER_LANES)
        return lanes_value(view, expr);
    bool over_integers = type_is_index(expr->type);
    if (over_integers && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_NEG))
        return sum_value(view, expr);
    bool constant = expr->arity == 2 && expr_is_constant(expr->arguments[1]);
    OrderWeights w = {order_leaf(view.component), 1}; /* of a leaf, or an access */
    if (expr->op < OP_COUNT)
        w = order_weights(view.component, expr->op, constant);
    uint64_t sum = 0;
    for (int i = 0; i < expr->arity; i++)
        sum = add(sum, value_at(view, expr->arguments[i]));
    return add((uint64_t)w.weight, scale(sum, (uint64_t)w.factor));
}

static void measure_node(Decrease *d, Expr expr) {
    TermMeasure *measure = measure_at(d, expr);
    for (int exact = 0; exact < 2; exact++)
        for (int c = 0; c < ORDER_COUNT; c++)
            measure->value[exact][c] =
                value_of((TermView){d->measures, (OrderComponent)c, exact}, expr);
    measure->known = true;
}

static const TermMeasure *measure(Decrease *d, Expr expr) {
    d->stack.length = 0;
    vec_push(d->arena, &d->stack, expr);
    while (d->stack.length) {
        Expr top = d->stack.data[d->stack.length - 1];
        size_t before = d->stack.length;
        for (int i = 0; i < top->arity; i++)
            if (!measure_at(d, top->arguments[i])->known)
                vec_push(d->arena, &d->stack, top->arguments[i]);
        if (d->stack.length > before)
            continue;
        d->stack.length--;
        measure_node(d, top);
    }
    return measure_at(d, expr);
}

bool decrease_holds(Decrease *d, Expr before, Expr after) {
    TermMeasure more = *measure(d, before), less = *measure(d, after);
    for (int i = 0; i < 2 * ORDER_COUNT; i++) {
        uint64_t a = more.value[i / ORDER_COUNT][i % ORDER_COUNT];
        uint64_t b = less.value[i / ORDER_COUNT][i % ORDER_COUNT];
        if (a == BEYOND || b == BEYOND)
            return true; /* unknown: terms this large pass */
        if (a != b)
            return b < a;
    }
    return false;
}

void rule_print_application(FILE *out, const Rule *rule, Expr before, Expr after) {
    fprintf(out, "%s (%s:%d): ", rule->name, rule->file, rule->line);
    expr_print(out, before);
    fputs("  ->  ", out);
    expr_print(out, after);
    fputc('\n', out);
}

void decrease_check(Decrease *d, const Rule *rule, Expr before, Expr after) {
    if (decrease_holds(d, before, after))
        return;
    rule_print_application(stderr, rule, before, after);
    hlc_assert(false, "what a rule makes is less in the reduction order than what it matched");
}
