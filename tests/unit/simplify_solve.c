/* The solver: what is solved as expected, intervals, and random conditions, whose solved form has
 * the condition's value for every assignment of a box, whose inner interval holds only values that
 * satisfy them and whose outer one all.  The number of random conditions is the first argument
 * (default 1200), the seed the second. */
#include "ir/print.h"
#include "ir/read.h"
#include "simplify/solver.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_COUNT 120
#else
#define DEFAULT_COUNT 1200
#endif

static Context *context;
static Arena *arena;
static Pool *pool;
static int bad;

static bool name_type(void *data, Symbol name, Type *type) {
    (void)data;
    *type = strcmp(name->text, "b") == 0 ? BOOL : strncmp(name->text, "u8", 2) == 0 ? U8 : INDEX;
    return true;
}

static void begin(void) {
    arena = arena_create(&context->memory);
    pool = pool_create(context, arena);
}

static void end(void) {
    arena_destroy(arena);
}

static Expr read(const char *text) {
    Expr expr = expr_read(pool, text, strlen(text), name_type, NULL, NOWHERE);
    hlc_assert(expr, "the test's expressions can be read");
    return expr;
}

/* ---- as expected ---- */

static const struct {
    const char *condition, *solved;
} expected[] = {
    {"x*2 + 3 <= y", "x <= (y + -3)/2"},
    {"x + 3 <= y", "x <= y + -3"},
    {"y < x*3", "x > y/3"},
    {"y - x < z", "x > y - z"},
    {"x*-3 <= y", "x >= (2 - y)/3"},
    {"x - y < x*2 + z", "x > y*-1 - z"},
    {"x*3 + y == 2", "x == (2 - y)/3 && (2 - y) % 3 == 0"},
    {"x*3 != y", "x != y/3 || y % 3 != 0"},
    {"(x + y)/4 <= z", "x <= z*4 - y + 3"},
    {"z <= (x + y)/4", "x >= z*4 - y"},
    {"min(x, 5) + y < z", "x < z - y || y <= z + -6"},
    {"max(x, 5) + y < z", "x < z - y && y <= z + -6"},
    {"min(x, y) == z", "min(x, y) == z"},
    {"max(x, y) + x <= z", "x <= min(z - y, z/2)"},
    {"select(y < z, x, x + 1) <= w", "x <= w - select(y < z, 0, 1)"},
    {"select(y < z, x, w) <= 3", "select(y < z, x <= 3, w <= 3)"},
    {"select(b, max((x + y - z)/2, -8) + 7 <= max((x + y - z + 15)/2, 0), "
     "max((x - y)/2, -8) + 7 <= max((x - y + 15)/2, 0) && y <= 3)",
     "y <= 3 || b"},
    {"select(x < z, y, w) <= 3", "select(x < z, y <= 3, w <= 3)"},
    {"x < y && x < z", "x < min(y, z)"},
    {"x < y || x < z", "x < max(y, z)"},
    {"x <= y && y <= x", "x == y"},
    {"x*2 > 3 && x*2 < 4", "false"},
    {"x == y + 1 && x < 10", "x == y + 1 && y <= 8"},
    {"max(y*y, 1)*x <= z", "x <= z/max(y*y, 1)"},
    {"x*y + x*z <= w", "x*(y + z) <= w"},
    {"x*y <= w", "x*y <= w"},
    {"!(x < y && x > z)", "x <= z || x >= y"},
    {"abs(x - y) < 4", "abs(x - y) <= 3"},
    {"x % 4 == 1", "x % 4 == 1"},
    {"y < z", "y < z"},
    {"max((x + y - z)/2, -8) + 7 <= max((x + y - z + 15)/2, 0)", "true"},
    {"select(x < 3, x, y) < 4", "x <= 2 || y <= 3"},
    {"clamp(x, y, z) <= 5", "(x <= 5 || z <= 5) && y <= 5"},
    {"x*4 + y < x*2 + z", "x <= (z - y + -1)/2"},
    {"(x*8 + y)/8 == z", "x == z - y/8"},
    {"max(x, y)*3 + min(x, z) <= w", "x <= min(w - y*3, w/4) || x <= (w - z)/3 && y*3 + z <= w"},
    {"x*y + x*3 - z", "x*(y + 3) - z"},
    {"(x*5 + y)/5", "x + y/5"},
    {"3 - x*4", "x*-4 + 3"},
    {"max(5, (5 + x)*y)", "max(x*y + y*5, 5)"},
    {"z - (y - x)", "x + (z - y)"},
    {"u8x + u8y <= 3", "u8x + u8y <= 3"},
    /* A quotient or a remainder beside other terms; arms under a quotient. */
    {"x/2 + x <= y", "x <= (y*2 + 1)/3"},
    {"y <= x/2 - x", "x <= y*-2"},
    {"(y + x)/4*4 - x <= z", "(x + y) % 4 >= y - z"},
    {"x - x % 4 <= y", "x <= y/4*4 + 3"},
    {"x % 4 <= x", "x >= 0"},
    {"(min(x, y) + 3)/4 + x <= z", "x <= max(z - (y + 3)/4, z*4/5)"},
    {"z <= (max(x, y) + 3)/4 + x", "x >= min(z - (y + 3)/4, (z*4 + 1)/5)"},
    {"z - min(x, y)/4 <= 3", "x >= z*4 + -12 && z <= y/4 + 3"},
    {"x/4 == y", "x/4 == y"},
    {"x/4*8 + x % 4 <= y", "x/4*8 + x % 4 <= y"},
    {"x % 4 - x <= x/y", "x/4*4 + x/y >= 0"},
    /* Two conditions. */
    {"x != y || x <= z", "x != y || y <= z"},
    {"x != y && x <= y", "x < y"},
    {"x != y && x >= y", "x > y"},
    {"x == y || x <= y - 1", "x <= y"},
    {"x == y || x > y", "x >= y"},
    {"x == y || x < z", "x == y || x < z"},
    {"x % 5 <= y && x % 5 <= z", "x % 5 <= min(y, z)"},
    {"x % 5 <= y && x % 6 <= z", "x % 5 <= y && x % 6 <= z"},
    {"x <= y || x >= y + 1", "true"},
    {"x <= y && x >= y + 1", "false"},
    {"x <= y || x >= y + 2", "x >= y + 2 || x <= y"},
    {"x == y && x != z", "x == y && y != z"},
    {"x == y && x == z", "x == y && y == z"},
    {"x == y || x == z", "x == y || x == z"},
    /* Selects. */
    {"select(b, x == y, x == z)", "x == select(b, y, z)"},
    {"select(b, x < y, false)", "x < y && b"},
    {"select(b, x < y, true)", "x < y || !b"},
    {"select(b, x, y) == z", "select(b, x == z, y == z)"},
    {"select(b, x*2, x*3) <= y", "x <= select(b, y/2, y/3)"},
    /* Factors. */
    {"x*min(y, -1) <= z", "x > (-1 - z)/(min(y, -1)*-1)"},
    {"x*min(y, -1) == z", "x == z/min(y, -1) && z % min(y, -1) == 0"},
    {"x*max(y, 1) + x*3 <= z", "x <= z/(max(y, 1) + 3)"},
    {"abs(x) + x <= y", "x <= y/2 && 0 <= y"},
    {"abs(x) <= y", "abs(x) <= y"},
    {"x*x <= 9", "x*x <= 9"},
};

static void check_expected(void) {
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        begin();
        Expr expr = read(expected[i].condition);
        Symbol x = context_symbol(context, "x");
        Expr solved = simplify_solve(simplifier_create(pool, arena), expr, x);
        const char *text = expr_text_toward(arena, solved, x, true);
        if (strcmp(text, expected[i].solved) != 0) {
            printf("%s: %s, not %s\n", expected[i].condition, text, expected[i].solved);
            bad++;
        }
        end();
    }
}

/* The solver's rules are for terms with its variable: without it nothing goes down. */
static void check_without_target(void) {
    begin();
    EquationSolver solver =
        solver_create(simplifier_create(pool, arena), read("x"), context_symbol(context, "x"));
    Expr free[] = {read("b"), expr_bool(pool, true), read("y <= 3")};
    Expr with[] = {read("b"), expr_bool(pool, true), read("x <= 3")};
    bad += match_solve(&solver, OP_SELECT, free) != NULL;
    bad += match_solve(&solver, OP_SELECT, with) == NULL;
    end();
}

/* ---- intervals ---- */

static const struct {
    const char *condition, *inner, *outer;
} intervals[] = {
    {"x > 0", "1 ..", "1 .."},
    {"x < y", ".. y + -1", ".. y + -1"},
    {"x*2 <= y && x >= z", "z .. y/2", "z .. y/2"},
    {"x == 5", "5 .. 5", "5 .. 5"},
    {"x != 5", "6 ..", ".."},
    {"x < y || x < z", ".. max(y, z) + -1", ".. max(y, z) + -1"},
    {"x < 3 || x > 10", "11 ..", ".."},
    {"x > 3 && x < 10 || x > 7 && x < 20", "4 .. 19", "4 .. 19"},
    {"x > 3 && x < 10 || x > 12 && x < 20", "4 .. 9", "4 .. 19"},
    {"x > 3 && x < 2", "empty", "empty"},
    {"x < 10 && y < 3", "select(y <= 2, -281474976710656, 10) .. 9", ".. 9"},
    {"x < 10 || y < 3", ".. 9", ".."},
    {"x/8 == y", "y*8 .. y*8 + 7", "y*8 .. y*8 + 7"},
    {"abs(x) <= y", "y*-1 .. y", "y*-1 .. y"},
    {"x*3 == y", "y/3 .. y/3 + select(y % 3 == 0, 0, -1)", "y/3 .. y/3"},
    {"x >= 1 && x <= 9 && y < z", "1 .. select(y < z, 9, 0)", "1 .. 9"},
    {"select(b, x >= 1 && x <= 9, x != x)", "1 .. select(b, 9, 0)", "1 .. 9"},
    {"min(x, y) == 3", "3 .. select(3 <= y, 3, 2)", "3 .."},
    {"max(x, y) <= 3", "select(y <= 3, -281474976710656, 4) .. 3", ".. 3"},
    {"abs(x - y) < 3 && x >= y", "y .. y + 2", "y .. y + 2"},
    {"abs(x) >= 3", ".. -3", ".."},
    {"x + x % 4 <= y", ".. y + -3", ".. y"},
    {"x % 8 + y <= x", "(y + 7)/8*8 ..", "(y + 7)/8*8 .."},
    {"x/4*8 + x % 4 == 18", "empty", "8 .. 11"},
    {"x/4*8 + x % 4 == 20", "empty", "empty"},
    {"x % 8 < 9 && x/2 < 5", ".. 9", ".. 9"},
    {"x*max(y, 1) <= z", ".. z/max(y, 1)", ".. z/max(y, 1)"},
    {"x*y <= z", "empty", ".."},
    {"x % 4 == 1", "empty", ".."},
    {"select(y < z, x <= y, x <= z)", ".. min(y, z)", ".. min(y, z)"},
    {"select(b, x <= y, x <= z)", ".. select(b, y, z)", ".. select(b, y, z)"},
    {"select(b, x <= y, x >= z)", "z .. y", ".."},
    {"y < y + 1", "..", ".."},
};

static const char *interval_text(SolvedInterval interval) {
    if (interval.is_empty)
        return "empty";
    const char *minimum = interval.minimum ? expr_text_plain(arena, interval.minimum) : NULL;
    const char *maximum = interval.maximum ? expr_text_plain(arena, interval.maximum) : NULL;
    return arena_format(arena, "%s%s..%s%s", minimum ? minimum : "", minimum ? " " : "",
                        maximum ? " " : "", maximum ? maximum : "");
}

static void check_intervals(void) {
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        begin();
        Expr expr = read(intervals[i].condition);
        SolvedIntervals got = simplify_solve_interval(simplifier_create(pool, arena), expr,
                                                      context_symbol(context, "x"));
        const char *inner = interval_text(got.inner), *outer = interval_text(got.outer);
        if (strcmp(inner, intervals[i].inner) != 0 || strcmp(outer, intervals[i].outer) != 0) {
            printf("%s: inner %s, outer %s; not %s, %s\n", intervals[i].condition, inner, outer,
                   intervals[i].inner, intervals[i].outer);
            bad++;
        }
        end();
    }
}

/* ---- random conditions ---- */

static uint64_t state;

static int below(int limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 11) % (uint64_t)limit);
}

enum { VARIABLES = 3 };
static Expr variables[VARIABLES], flag;

static Expr random_condition(int depth);

static Expr random_sum(int depth);

static Expr random_term(int depth) {
    if (depth <= 0)
        return variables[below(2) ? 0 : below(VARIABLES)];
    Expr a = random_sum(depth - 1), b = random_sum(depth - 1);
    switch (below(10)) {
    case 0:
        return expr_binary(pool, OP_MIN, a, b);
    case 1:
        return expr_binary(pool, OP_MAX, a, b);
    case 2:
    case 3:
        return expr_div(pool, a, expr_index(pool, below(9) - 3));
    case 4:
        return expr_mod(pool, a, expr_index(pool, below(9) - 3));
    case 5:
        return expr_select(pool, random_condition(depth - 1), a, b);
    case 6:
        return expr_unary(pool, OP_ABS, a);
    case 7:
        return expr_mul(pool, variables[0], variables[below(VARIABLES)]);
    case 8:
        return below(2) ? expr_mul(pool, a, expr_max(pool, variables[1], expr_index(pool, 1)))
                        : expr_div(pool, a, expr_max(pool, variables[2], expr_index(pool, 1)));
    default:
        return variables[below(VARIABLES)];
    }
}

static Expr random_sum(int depth) {
    Expr sum = expr_index(pool, below(13) - 6);
    for (int terms = 1 + below(2); terms > 0; terms--) {
        int factor = below(3) ? 1 : below(9) - 4;
        sum = expr_add(pool, sum, expr_mul(pool, random_term(depth), expr_index(pool, factor)));
    }
    return sum;
}

static Expr random_condition(int depth) {
    static const Op comparisons[] = {OP_LT, OP_LE, OP_LE, OP_EQ, OP_NE};
    if (depth > 1 && below(3) == 0) {
        Expr a = random_condition(depth - 1), b = random_condition(depth - 1);
        switch (below(5)) {
        case 0:
            return expr_not(pool, a);
        case 1:
            return expr_select(pool, below(2) ? flag : random_condition(depth - 1), a, b);
        case 2:
            return expr_or(pool, a, b);
        case 3:
            return expr_binary(pool, below(2) ? OP_EQ : OP_AND, a, b);
        default:
            return expr_and(pool, a, b);
        }
    }
    return expr_binary(pool, comparisons[below(5)], random_sum(depth - 1),
                       random_sum(depth > 0 ? below(depth) : 0));
}

typedef struct Point {
    Arena *arena;
    int64_t values[VARIABLES];
    bool flag;
    Vec(Bits) bits; /* by node number */
} Point;

static void evaluate(void *data, Expr node) {
    Point *point = data;
    Bits result = node->op == OP_CONSTANT ? node->bits : (Bits)point->flag;
    for (int i = 0; i < VARIABLES; i++)
        if (node == variables[i])
            result = point->values[i];
    if (node->arity) {
        Type operands[OP_MAX_ARITY];
        Bits arguments[OP_MAX_ARITY];
        for (int i = 0; i < node->arity; i++) {
            operands[i] = node->arguments[i]->type;
            arguments[i] = point->bits.data[node->arguments[i]->number];
        }
        Value value = value_apply((Op)node->op, node->type, operands, arguments, NULL);
        hlc_assert(value.error != ERROR_INDEX, "small values stay small");
        result = value.bits;
    }
    point->bits.data[node->number] = result;
}

static Bits value_at(Point *point, Expr expr) {
    expr_visit(point->arena, expr, evaluate, point);
    return point->bits.data[expr->number];
}

typedef struct Tally {
    uint64_t points, inner, outer;
} Tally;

static bool within(Point *point, SolvedInterval interval, int64_t x) {
    return !interval.is_empty && (!interval.minimum || value_at(point, interval.minimum) <= x) &&
           (!interval.maximum || x <= value_at(point, interval.maximum));
}

static const char *check_point(Point *point, Expr condition, Expr solved, SolvedIntervals found,
                               Tally *tally) {
    bool truth = value_at(point, condition);
    tally->points++;
    if (truth != (bool)value_at(point, solved))
        return "another value";
    bool inner = within(point, found.inner, point->values[0]),
         outer = within(point, found.outer, point->values[0]);
    tally->inner += inner;
    tally->outer += !outer;
    if (inner && !truth)
        return "an inner interval with a value that does not satisfy it";
    return truth && !outer ? "an outer interval without a value that satisfies it" : NULL;
}

static void complain(const char *what, Expr condition, Expr solved, SolvedIntervals found,
                     const Point *point) {
    printf("%s at x=%d y=%d z=%d b=%d:\n  %s\n  %s\n  inner %s, outer %s\n", what,
           (int)point->values[0], (int)point->values[1], (int)point->values[2], point->flag,
           expr_text(arena, condition), expr_text(arena, solved), interval_text(found.inner),
           interval_text(found.outer));
}

static void check_random(Tally *tally) {
    static const char *const names[] = {"x", "y", "z"};
    begin();
    for (int i = 0; i < VARIABLES; i++)
        variables[i] = expr_variable(pool, context_symbol(context, names[i]), INDEX);
    flag = expr_variable(pool, context_symbol(context, "b"), BOOL);
    Expr condition = random_condition(1 + below(4));
    Simplifier *simplifier = simplifier_create(pool, arena);
    Expr solved = simplify_solve(simplifier, condition, variables[0]->name);
    SolvedIntervals found = simplify_solve_interval(simplifier, condition, variables[0]->name);
    Arena *scratch = arena_create(&context->memory);
    Point point = {.arena = scratch};
    vec_reserve(scratch, &point.bits, pool->next_number);
    const char *wrong = NULL;
    for (int i = 0; i < 60 && !wrong; i++) {
        point.flag = below(2);
        for (int v = 0; v < VARIABLES; v++)
            point.values[v] = below(i < 50 ? 15 : 201) - (i < 50 ? 7 : 100);
        for (int x = -2; x <= 2 && !wrong; x++) {
            point.values[0] += x;
            wrong = check_point(&point, condition, solved, found, tally);
        }
    }
    if (wrong) {
        complain(wrong, condition, solved, found, &point);
        bad++;
    }
    arena_destroy(scratch);
    end();
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : DEFAULT_COUNT;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
    context = context_create();
    context->checks_order = true;
    check_expected();
    check_without_target();
    check_intervals();
    Tally tally = {0};
    for (int i = 0; i < count && bad < 10; i++)
        check_random(&tally);
    printf("%d conditions, %llu points, %llu in inner, %llu outside of outer intervals, %d bad\n",
           count, (unsigned long long)tally.points, (unsigned long long)tally.inner,
           (unsigned long long)tally.outer, bad);
    context_destroy(context);
    return bad != 0 || tally.inner < tally.points / 20 || tally.outer < tally.points / 20;
}
