/* greatest.c -- the greatest value of an expression over all values of the bound variables, for
 * expressions that contain a variable several times.
 *
 * Interval arithmetic treats each occurrence of a variable as independent.  For the length that one
 * tile of `f(x / 2)` needs,
 *
 *     (min(8*xo + 8, E) + m)/2 - m/2 - 4*xo + 1
 *
 * it finds a whole row: the first xo at its greatest, the second at its least.  The minimum keeps
 * the simplifier from cancelling the two.  The expression rises with the minimum, and the minimum
 * is at most each of its arms.  With 8*xo + 8 in its place the length is 5.  So, one occurrence at
 * a time:
 *
 *   - a min in a rising place (a max in a falling one) is replaced by one arm, then by the other:
 *     each gives an upper limit, and the lesser one counts;
 *   - a max in a rising place (a min in a falling one; a select in either) is one of its arms: the
 *     greater of the two limits counts.
 *
 * This ends when no such choice depends on a bound variable, or when the trials are used up.  The
 * rest is simplified, and interval arithmetic does what remains.
 */
#include "bounds/region.h"

enum { MOST_TRIALS = 24, MOST_PLACES = 64 };

/* An occurrence of a node, with the way back to the root. */
typedef struct VariableOccurrence {
    Expr node;
    int parent, argument; /* the parent's number; -1 at the root */
    bool rises;           /* the root rises with it; else it falls */
} VariableOccurrence;

typedef struct GreatestSearch {
    Ranges *ranges;
    VariableOccurrence places[MOST_PLACES];
    int count;
} GreatestSearch;

static void visit(GreatestSearch *search, int parent, int argument, bool rises) {
    Expr node = search->places[parent].node->arguments[argument];
    if (search->count < MOST_PLACES && !ranges_is_fixed(search->ranges, node))
        search->places[search->count++] = (VariableOccurrence){node, parent, argument, rises};
}

/* Visits the operands in which the node is monotone.  The node is simplified (-x is x * -1). */
static void visit_operands(GreatestSearch *search, int number) {
    const VariableOccurrence *place = &search->places[number];
    Expr node = place->node;
    int64_t factor;
    switch ((int)node->op) {
    case OP_ADD:
        visit(search, number, 0, place->rises);
        visit(search, number, 1, place->rises);
        break;
    case OP_SUB:
        visit(search, number, 0, place->rises);
        visit(search, number, 1, !place->rises);
        break;
    case OP_MUL:
        if (expr_constant_integer(node->arguments[1], &factor))
            visit(search, number, 0, place->rises == (factor >= 0));
        break;
    case OP_DIV:
        if (expr_constant_integer(node->arguments[1], &factor) && factor != 0)
            visit(search, number, 0, place->rises == (factor > 0));
        break;
    }
}

static bool is_choice(Expr node) {
    return node->op == OP_MIN || node->op == OP_MAX || node->op == OP_SELECT;
}

/* Returns the first choice that depends on a bound variable; -1 for none. */
static int find_choice(GreatestSearch *search, Expr root) {
    search->places[0] = (VariableOccurrence){root, -1, 0, true};
    search->count = type_is_index(root->type) && !ranges_is_fixed(search->ranges, root);
    for (int i = 0; i < search->count; i++) {
        if (is_choice(search->places[i].node))
            return i;
        visit_operands(search, i);
    }
    return -1;
}

/* Returns the root with one occurrence replaced by `expr`. */
static Expr put(const GreatestSearch *search, int number, Expr expr) {
    const VariableOccurrence *place = &search->places[number];
    for (; place->parent >= 0; place = &search->places[place->parent]) {
        Expr parent = search->places[place->parent].node;
        Expr arguments[OP_MAX_ARITY];
        for (int i = 0; i < parent->arity; i++)
            arguments[i] = i == place->argument ? expr : parent->arguments[i];
        expr = expr_with_arguments(search->ranges->pool, parent, arguments);
    }
    return expr;
}

static Expr limit(Ranges *ranges, Expr expr, int *trials);

/* Combines two limits.  If `either` is set, each of them holds; otherwise only both together do. */
static Expr limit_of_two(Ranges *ranges, Expr first, Expr second, bool either, int *trials) {
    Interval a = {.upper = limit(ranges, first, trials)},
             b = {.upper = limit(ranges, second, trials)};
    if (either)
        return range_meet(ranges, a, b).upper;
    if (!a.upper || !b.upper)
        return NULL;
    return simplify(ranges->simplifier, expr_max(ranges->pool, a.upper, b.upper));
}

/* The recursion is never deeper than the number of trials. */
static Expr limit(Ranges *ranges, Expr expr, int *trials) {
    GreatestSearch search = {.ranges = ranges};
    expr = simplify(ranges->simplifier, expr);
    int choice = *trials > 1 ? find_choice(&search, expr) : -1;
    if (choice < 0)
        return ranges_of(ranges, expr).upper;
    const VariableOccurrence *place = &search.places[choice];
    Expr node = place->node;
    int first = node->op == OP_SELECT;
    bool either = node->op == (place->rises ? OP_MIN : OP_MAX);
    *trials -= 1;
    return limit_of_two(ranges, put(&search, choice, node->arguments[first]),
                        put(&search, choice, node->arguments[first + 1]), either, trials);
}

Expr ranges_greatest(Ranges *ranges, Expr expr) {
    Interval direct = ranges_of(ranges, expr);
    int64_t constant;
    int trials = MOST_TRIALS;
    if (direct.upper && expr_constant_integer(direct.upper, &constant))
        return direct.upper;
    Interval other = {.upper = limit(ranges, expr, &trials)};
    return range_meet(ranges, (Interval){.upper = direct.upper}, other).upper;
}
