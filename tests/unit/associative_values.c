/* What an update is said to be it is, at the values that occur: updates are drawn, many of them
 * nearly those that are recognised, with what the func begins with, what lies in which limits, and
 * how many iterations there are; of those that are recognised reductions are run as they stand, and
 * in stretches that begin with the identity and are merged.
 *
 * What is shown by intervals (chosen.c, saturating.c, counted.c, unwrapped.c) could be wrong in its
 * limits: so the types are small, and values near their ends frequent. */
#include "associative/associative.h"

#include "ir/interpret/evaluate.h"
#include "ir/print.h"
#include "ir/walk.h"

#include "tests/unit/share.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 3, INPUTS = 3, LONGEST = 8, RUNS = 60 };

static Context *context;
static Pool *pool;
static Arena *arena;
static uint64_t state;

static int draw(int count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)count);
}

/* ---- a question ---- */

typedef struct Drawn {
    Type type; /* of all elements but bools */
    int arity;
    Type types[MOST_ELEMENTS];
    Expr x[MOST_ELEMENTS], values[MOST_ELEMENTS], first[MOST_ELEMENTS];
    Expr inputs[INPUTS]; /* a, b: numbers; p: a bool */
    int64_t least[2], most[2];
    int iterations;
} Drawn;

static Expr number(const Drawn *d, int64_t value) {
    return expr_constant(pool, d->type, bits_wrap(d->type, value));
}

static Expr near_number(const Drawn *d) {
    static const int small[] = {-1, 0, 1, 2, 3, -2, 5, 10, 30, 31, 60, 63, 64, 100, -30, -64};
    int kind = draw(20);
    if (kind == 0)
        return number(d, type_maximum(d->type));
    if (kind == 1)
        return number(d, type_minimum(d->type));
    return number(d, small[draw(sizeof small / sizeof *small)]);
}

static Expr any_x(const Drawn *d) {
    int element = draw(d->arity);
    return type_is_bool(d->types[element]) ? near_number(d) : d->x[element];
}

static Expr leaf(const Drawn *d) {
    switch (draw(4)) {
    case 0:
        return near_number(d);
    case 1:
        return any_x(d);
    default:
        return d->inputs[draw(2)];
    }
}

static Expr condition(const Drawn *d, int depth) {
    static const Op orders[] = {OP_LT, OP_LE, OP_EQ};
    switch (draw(depth > 0 ? 5 : 3)) {
    case 0:
        return d->inputs[2];
    case 1:
    case 2:
        return expr_binary(pool, orders[draw(3)], leaf(d), leaf(d));
    case 3:
        return expr_and(pool, condition(d, depth - 1), condition(d, depth - 1));
    default:
        return expr_or(pool, condition(d, depth - 1), condition(d, depth - 1));
    }
}

static Expr term(const Drawn *d, int depth) {
    static const Op operators[] = {OP_ADD, OP_ADD, OP_SUB, OP_MIN, OP_MAX};
    if (depth == 0 || draw(6) == 0)
        return leaf(d);
    if (draw(3) == 0)
        return expr_select(pool, condition(d, 1), term(d, depth - 1), term(d, depth - 1));
    return expr_binary(pool, operators[draw(5)], term(d, depth - 1), term(d, depth - 1));
}

/* Numbers and inputs become others, now and then; types stay. */
static Expr disturb(void *data, Pool *unused, Expr node) {
    const Drawn *d = data;
    (void)unused;
    if (node->arity || type_is_bool(node->type) || draw(14))
        return node;
    return node->op == OP_CONSTANT ? near_number(d) : draw(2) ? leaf(d) : node;
}

/* ---- shapes ---- */

/* Each fills in the values of a tuple of its arity; c and e are numbers. */
typedef struct Shape {
    int arity;
    bool has_flag; /* element 0 is a bool */
    void (*fill)(Drawn *d, Expr c, Expr e);
} Shape;

static Expr chosen(Expr p, Expr a, Expr b) {
    return expr_select(pool, p, a, b);
}

static void first_match(Drawn *d, Expr c, Expr e) {
    Expr unset = draw(2) ? expr_lt(pool, d->x[0], e) : expr_eq(pool, d->x[0], c);
    d->values[0] = chosen(expr_and(pool, unset, d->inputs[2]), d->inputs[0], d->x[0]);
    d->first[0] = c;
}

static void first_point(Drawn *d, Expr c, Expr e) {
    first_match(d, c, e);
    d->values[1] = chosen(d->values[0]->arguments[0], d->inputs[1], d->x[1]);
}

/* Something else goes on until one is found. */
static void until_found(Drawn *d, Expr c, Expr e) {
    first_match(d, c, e);
    Expr unset = d->values[0]->arguments[0]->arguments[draw(2)];
    d->values[1] =
        chosen(unset, draw(2) ? d->inputs[1] : expr_add(pool, d->x[1], d->inputs[1]), d->x[1]);
}

static void last_match(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    for (int i = 0; i < d->arity; i++)
        d->values[i] = chosen(d->inputs[2], d->inputs[i % 2], d->x[i]);
}

static void some(Drawn *d, Expr c, Expr e) {
    d->values[0] = chosen(d->inputs[2], e, d->x[0]);
    d->first[0] = c;
}

static void up_to(Drawn *d, Expr c, Expr e) {
    (void)e;
    Expr sum = expr_add(pool, d->x[0], d->inputs[0]);
    d->values[0] = expr_min(pool, sum, c);
    if (draw(2))
        d->values[0] = chosen(d->inputs[2], d->values[0], d->x[0]);
}

static void down_to(Drawn *d, Expr c, Expr e) {
    (void)e;
    d->values[0] = expr_max(pool, expr_sub(pool, d->x[0], d->inputs[0]), c);
}

static void counted_up(Drawn *d, Expr c, Expr e) {
    Expr one = draw(2) ? number(d, 1) : e;
    d->values[0] = chosen(expr_lt(pool, d->x[0], c), expr_add(pool, d->x[0], one), d->x[0]);
}

static void unwrapped(Drawn *d, Expr c, Expr e) {
    (void)e;
    d->values[0] =
        expr_max(pool, expr_min(pool, expr_sub(pool, c, d->x[0]), d->inputs[0]), d->x[0]);
}

static void prefix(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    Expr sum = expr_add(pool, d->x[0], d->inputs[0]);
    d->values[0] = sum;
    d->values[1] = expr_binary(pool, draw(2) ? OP_MIN : OP_MAX, d->x[1], sum);
}

static void suffix(Drawn *d, Expr c, Expr e) {
    (void)e;
    d->values[0] = expr_add(pool, d->x[0], d->inputs[0]);
    d->values[1] = expr_binary(pool, draw(2) ? OP_MIN : OP_MAX,
                               expr_add(pool, d->x[1], d->inputs[0]), draw(2) ? c : d->inputs[1]);
}

/* An element is left as it is where a condition does not hold, and the others are not. */
static void now_and_then(Drawn *d, Expr c, Expr e) {
    (draw(2) ? prefix : suffix)(d, c, e);
    int element = draw(d->arity);
    d->values[element] = chosen(d->inputs[2], d->values[element], d->x[element]);
}

static void prefix_and_suffix(Drawn *d, Expr c, Expr e) {
    prefix(d, c, e);
    d->values[2] = expr_binary(pool, draw(2) ? OP_MIN : OP_MAX,
                               expr_add(pool, d->x[2], d->inputs[0]), draw(2) ? c : d->inputs[0]);
}

static void two_least(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    Expr a = d->inputs[0], is_less = expr_lt(pool, a, d->x[0]);
    d->values[0] = expr_min(pool, d->x[0], a);
    d->values[1] = draw(2) ? chosen(is_less, d->x[0], expr_min(pool, d->x[1], a))
                           : expr_min(pool, d->x[1], expr_max(pool, d->x[0], a));
}

static void flagged(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    Expr found = expr_or(pool, d->x[0], d->inputs[2]);
    d->values[0] = draw(2) ? found : chosen(d->inputs[2], expr_bool(pool, true), d->x[0]);
    d->values[1] =
        chosen(draw(2) ? expr_and(pool, expr_not(pool, d->x[0]), d->inputs[2]) : d->inputs[2],
               d->inputs[0], d->x[1]);
}

static void any_one(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    d->values[0] = term(d, 3);
}

static void any_two(Drawn *d, Expr c, Expr e) {
    (void)c, (void)e;
    d->values[0] = term(d, 2);
    d->values[1] = term(d, 2);
}

static const Shape shapes[] = {
    {1, false, first_match}, {2, false, first_point},  {2, false, until_found},
    {1, false, last_match},  {2, false, last_match},   {3, false, last_match},
    {1, false, some},        {1, false, up_to},        {1, false, down_to},
    {1, false, counted_up},  {1, false, unwrapped},    {2, false, prefix},
    {2, false, suffix},      {2, false, now_and_then}, {3, false, prefix_and_suffix},
    {2, false, two_least},   {2, true, flagged},       {1, false, any_one},
    {2, false, any_two},
};

static void draw_limits(Drawn *d) {
    for (int i = 0; i < 2; i++) {
        int64_t ends[] = {near_number(d)->bits, near_number(d)->bits};
        d->least[i] = ends[0] < ends[1] ? ends[0] : ends[1];
        d->most[i] = ends[0] < ends[1] ? ends[1] : ends[0];
    }
}

static void draw_question(Drawn *d) {
    static const Type drawn_types[] = {I8, U8, I8, U8, I16, I32};
    static const char *names[] = {"a", "b", "p"};
    const Shape *shape = &shapes[draw(sizeof shapes / sizeof *shapes)];
    *d = (Drawn){.type = drawn_types[draw(6)], .arity = shape->arity};
    for (int i = 0; i < INPUTS; i++)
        d->inputs[i] =
            expr_variable(pool, context_symbol(context, names[i]), i == 2 ? BOOL : d->type);
    for (int i = 0; i < d->arity; i++) {
        d->types[i] = shape->has_flag && i == 0 ? BOOL : d->type;
        d->x[i] = associative_x(pool, i, d->types[i]);
        d->first[i] = type_is_bool(d->types[i]) ? expr_bool(pool, draw(4) == 0) : near_number(d);
    }
    if (draw(2)) /* as a minimum begins */
        for (int i = shape->has_flag; i < d->arity; i++)
            d->first[i] = number(d, draw(2) ? type_maximum(d->type) : 0);
    draw_limits(d);
    d->iterations = 1 + draw(LONGEST);
    shape->fill(d, near_number(d), near_number(d));
    for (int i = 0; i < d->arity; i++)
        d->values[i] = expr_rewrite_alone(pool, arena, d->values[i], disturb, d);
}

static Associativity ask(const Drawn *d) {
    static Symbol varying[INPUTS];
    ConstantInterval initial[MOST_ELEMENTS];
    Exprs facts = {0};
    for (int i = 0; i < INPUTS; i++)
        varying[i] = d->inputs[i]->name;
    for (int i = 0; i < 2; i++) {
        vec_push(arena, &facts, expr_le(pool, number(d, d->least[i]), d->inputs[i]));
        vec_push(arena, &facts, expr_le(pool, d->inputs[i], number(d, d->most[i])));
    }
    for (int i = 0; i < d->arity; i++)
        initial[i] = (ConstantInterval){true, true, d->first[i]->bits, d->first[i]->bits};
    AssociativeUpdate update = {.arity = d->arity,
                                .types = d->types,
                                .values = d->values,
                                .reduction = varying,
                                .reduction_count = INPUTS,
                                .initial = initial,
                                .facts = &facts,
                                .first = d->first,
                                .iterations = d->iterations};
    Associativity answer = associative_update(pool, arena, &update);
    ck_assert_msg(answer.reason != associative_trial_failed, "%s",
                  expr_text_plain(arena, d->values[0]));
    return answer;
}

/* ---- runs ---- */

typedef struct Point {
    const Drawn *d;
    const Associativity *found;
    Bits x[MOST_ELEMENTS], y[MOST_ELEMENTS], inputs[INPUTS];
} Point;

static bool value_of(void *data, Symbol name, Bits *bits) {
    const Point *point = data;
    for (int i = 0; i < INPUTS; i++)
        if (name == point->d->inputs[i]->name)
            return *bits = point->inputs[i], true;
    for (int i = 0; i < point->d->arity; i++)
        if (name == point->found->x[i]->name || name == point->found->y[i]->name)
            return *bits = name == point->found->x[i]->name ? point->x[i] : point->y[i], true;
    return false;
}

/* The tuple's values at the point, into `x`. */
static void step(Point *point, const Expr *values, Bits *x) {
    Bits made[MOST_ELEMENTS];
    for (int i = 0; i < point->d->arity; i++)
        ck_assert(expr_evaluate(arena, values[i], value_of, point, &made[i]));
    memcpy(x, made, sizeof made);
}

static void begin(const Drawn *d, const Expr *with, Bits *x) {
    for (int i = 0; i < d->arity; i++)
        x[i] = with[i]->bits;
}

static void draw_inputs(const Drawn *d, Bits *inputs) {
    for (int i = 0; i < 2; i++) {
        int64_t span = d->most[i] - d->least[i];
        int64_t offset = span == 0 ? 0 : draw(3) ? draw((int)(span < 4 ? span : 4) + 1) : span;
        inputs[i] = draw(4) ? d->least[i] + offset : d->most[i] - offset;
    }
    inputs[2] = draw(2);
}

/* Serially, and in stretches that are merged: the same? */
static bool is_same(const Drawn *d, const Associativity *found) {
    Point whole = {.d = d, .found = found}, part = whole, merged = whole;
    begin(d, d->first, whole.x);
    begin(d, d->first, merged.x);
    begin(d, found->identity, part.x);
    int length = draw(d->iterations + 1);
    for (int i = 0; i <= length; i++) {
        while (i == length || draw(3) == 0) { /* a stretch ends, which may be empty */
            memcpy(merged.y, part.x, sizeof part.x);
            step(&merged, found->operator, merged.x);
            begin(d, found->identity, part.x);
            if (i == length)
                return memcmp(merged.x, whole.x, sizeof *whole.x * (size_t)d->arity) == 0;
        }
        draw_inputs(d, whole.inputs);
        memcpy(part.inputs, whole.inputs, sizeof part.inputs);
        step(&whole, d->values, whole.x);
        step(&part, d->values, part.x);
    }
    return true;
}

/* What commutes does so in any order of two iterations. */
static bool commutes(const Drawn *d, const Associativity *found) {
    Point one = {.d = d, .found = found}, other = one;
    Bits inputs[LONGEST][INPUTS];
    int length = draw(d->iterations + 1), turned = length > 1 ? draw(length - 1) : -1;
    begin(d, d->first, one.x);
    begin(d, d->first, other.x);
    for (int i = 0; i < length; i++)
        draw_inputs(d, inputs[i]);
    for (int i = 0; i < length; i++) {
        int at = i == turned ? i + 1 : turned >= 0 && i == turned + 1 ? turned : i;
        memcpy(one.inputs, inputs[i], sizeof one.inputs);
        memcpy(other.inputs, inputs[at], sizeof other.inputs);
        step(&one, d->values, one.x);
        step(&other, d->values, other.x);
    }
    return memcmp(one.x, other.x, sizeof *one.x * (size_t)d->arity) == 0;
}

static const char *text_of(const Drawn *d, const Associativity *found) {
    const char *text = arena_format(
        arena, "%s, a in %lld..%lld, b in %lld..%lld, %d iterations:", type_name(d->type),
        (long long)d->least[0], (long long)d->most[0], (long long)d->least[1],
        (long long)d->most[1], d->iterations);
    for (int i = 0; i < d->arity; i++)
        text =
            arena_format(arena, "%s\n  from %s: %s, said to be %s with %s", text,
                         expr_text_plain(arena, d->first[i]), expr_text_plain(arena, d->values[i]),
                         expr_text_plain(arena, found->operator[i]),
                         found->has_identity ? expr_text_plain(arena, found->identity[i]) : "none");
    return text;
}

/* How many of `count` updates were recognised with an identity. */
static int try_updates(uint64_t seed, int count) {
    int recognised = 0;
    for (int i = 0; i < count; i++) {
        context = context_create();
        arena = context->arena;
        pool = pool_create(context, arena);
        state = seed + (uint64_t)i;
        Drawn d;
        draw_question(&d);
        Associativity found = ask(&d);
        bool is_yes = found.verdict == ASSOCIATIVE_YES;
        recognised += is_yes && found.has_identity;
        for (int run = 0; run < RUNS && is_yes; run++) {
            ck_assert_msg(!found.has_identity || is_same(&d, &found), "%d: %s", i,
                          text_of(&d, &found));
            ck_assert_msg(!found.is_commutative || commutes(&d, &found), "%d does not commute: %s",
                          i, text_of(&d, &found));
        }
        context_destroy(context);
    }
    return recognised;
}

START_TEST(reductions_in_stretches_give_what_they_give) {
    const char *wanted = getenv("HLC_UPDATES");
    int count = wanted ? atoi(wanted) : 5000 / share();
    int recognised = try_updates(1, count);
    ck_assert_msg(recognised * 20 >= count, "only %d of %d updates were recognised", recognised,
                  count);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("associative_values");
    tcase_add_test(cases, reductions_in_stretches_give_what_they_give);
    return run_suite("associative_values", cases);
}
