/* same.c -- decides whether two expressions are equal, by trying all relevant values.
 *
 *   order   min, max, comparisons, select: each side is one of the unknowns; which one depends only
 *           on the order of the unknowns that are compared with each other. So the unknowns form
 *           groups. Each group is put in every possible order, ties included. An unknown that is
 *           only moved needs one value of its own. Constants are unknowns, too
 *   bits    & | ^ ~: each bit is independent, so 0 and 1 are all values
 */
#include "associative/internal.h"

#include <string.h>

enum { UNKNOWNS = 20, ASSIGNMENTS = 50000, LARGEST_GROUP = 7, BITWISE = 12 };

/* The operators and unknowns of the expressions. */
typedef struct Kind {
    Arena *arena;
    Exprs unknowns; /* variables, and constants that are numbers */
    bool is_order, is_bits, reals;
    Map values;          /* node -> 1 + the set of unknowns that it may equal, as bits */
    int group[UNKNOWNS]; /* an unknown with which it is compared, or itself */
} Kind;

/* ---- unknowns ---- */

static bool is_of_order(Expr node) {
    switch (node->op) {
    case OP_MIN:
    case OP_MAX:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
    case OP_SELECT:
    case OP_AND:
    case OP_OR:
    case OP_NOT:
        return true;
    default: /* it computes */
        return false;
    }
}

static bool is_of_bits(Expr node) {
    return node->op == OP_BIT_AND || node->op == OP_BIT_OR || node->op == OP_BIT_XOR ||
           node->op == OP_BIT_NOT;
}

static void look_at(void *data, Expr node) {
    Kind *kind = data;
    bool is_leaf = node->op == OP_VARIABLE || node->op == OP_CONSTANT;
    kind->is_order &= !type_is_index(node->type) && (kind->reals || !type_is_float(node->type));
    kind->is_bits &= type_is_machine_integer(node->type);
    if (!is_leaf) {
        kind->is_order &= is_of_order(node);
        kind->is_bits &= is_of_bits(node);
        return;
    }
    if (!(node->op == OP_CONSTANT && type_is_bool(node->type)))
        exprs_add(kind->arena, &kind->unknowns, node);
}

/* ---- groups ---- */

static int group_of(const Kind *kind, int unknown) {
    while (kind->group[unknown] != unknown)
        unknown = kind->group[unknown];
    return unknown;
}

static uint32_t values_of(const Kind *kind, Expr node) {
    uintptr_t known = (uintptr_t)map_get(&kind->values, node);
    return known ? (uint32_t)(known - 1) : 0;
}

/* Unites unknowns that are compared with each other. The first member names a group; it may be none
 * of these. */
static void unite(Kind *kind, uint32_t unknowns) {
    int count = (int)kind->unknowns.length, first = count;
    for (int i = 0; i < count; i++)
        if (unknowns >> i & 1 && group_of(kind, i) < first)
            first = group_of(kind, i);
    for (int i = 0; i < count; i++)
        if (unknowns >> i & 1)
            kind->group[group_of(kind, i)] = first;
}

static void find_groups(void *data, Expr node) {
    Kind *kind = data;
    size_t own = exprs_find(&kind->unknowns, node);
    uint32_t values = own < kind->unknowns.length ? 1u << own : 0;
    for (int i = node->op == OP_SELECT; i < node->arity; i++)
        values |= values_of(kind, node->arguments[i]);
    if (node->op != OP_SELECT && node->arity > 1)
        unite(kind, values);
    if (!type_is_bool(node->type)) /* the compared values are not values of the comparison */
        map_put(&kind->values, node, (void *)((uintptr_t)values + 1));
}

/* ---- orders ---- */

/* The orders of one group: `ranks` has a row of `count` for each; for a bool, its two values. */
typedef struct Orders {
    int members[LARGEST_GROUP], count;
    int first; /* the least value */
    Vec(uint8_t) ranks;
    int rows, at;
} Orders;

/* Adds the orders in which member `at` equals an earlier member, or lies between two. */
static void add_orders(Arena *arena, Orders *orders, const uint8_t *ranks, int at, int greatest) {
    uint8_t next[LARGEST_GROUP];
    if (at == orders->count) {
        for (int i = 0; i < at; i++)
            vec_push(arena, &orders->ranks, ranks[i]);
        orders->rows++;
        return;
    }
    for (int place = 0; place <= 2 * (greatest + 1); place++) { /* odd ones are ties */
        bool is_tie = place % 2;
        for (int i = 0; i < at; i++)
            next[i] = (uint8_t)(ranks[i] + (!is_tie && ranks[i] >= place / 2));
        next[at] = (uint8_t)(place / 2);
        add_orders(arena, orders, next, at + 1, greatest + !is_tie);
    }
}

/* Finds the orders of each group. Returns the number of groups, or -1 if there are too many orders.
 */
static int find_orders(Kind *kind, Orders *all) {
    int count = 0, first = 0, members = 0;
    int64_t assignments = 1;
    for (int root = 0; root < (int)kind->unknowns.length; root++) {
        if (group_of(kind, root) != root)
            continue;
        Orders *orders = &all[count++];
        *orders = (Orders){.first = first};
        for (int i = root; i < (int)kind->unknowns.length; i++) {
            if (group_of(kind, i) != root)
                continue;
            if (orders->count == LARGEST_GROUP)
                return -1;
            orders->members[orders->count++] = i;
        }
        members += orders->count;
        if (type_is_bool(kind->unknowns.data[root]->type)) {
            orders->first = 0;
            for (uint8_t value = 0; value < 2; value++)
                vec_push(kind->arena, &orders->ranks, value);
            orders->rows = 2;
        } else {
            add_orders(kind->arena, orders, NULL, 0, -1);
            first += orders->count;
        }
        assignments *= orders->rows;
        if (assignments > ASSIGNMENTS)
            return -1;
    }
    hlc_assert(members == (int)kind->unknowns.length, "each unknown is a member of one group");
    return count;
}

/* The next choice of a row from each; false after the last. */
static bool next_assignment(Orders *all, int count) {
    for (int i = 0; i < count; i++) {
        if (++all[i].at < all[i].rows)
            return true;
        all[i].at = 0;
    }
    return false;
}

static Bits number(Type type, int value) {
    return type_is_float(type) ? bits_from_double(type, value) : bits_wrap(type, value);
}

/* ---- trying ---- */

/* The elements that are to be the same. */
typedef struct Sides {
    int count;
    const Expr *of[2];
    Plan plan;
    const Bits *columns[2][ASSOCIATIVE_MAX];
} Sides;

static Sides sides_create(Arena *arena, int count, const Expr *left, const Expr *right) {
    Sides sides = {.count = count, .of = {left, right}, .plan = plan_create(arena)};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < count; i++)
            sides.columns[side][i] = plan_column(&sides.plan, sides.of[side][i]);
    return sides;
}

static void visit_sides(Arena *arena, const Sides *sides, ExprVisit *visit, Kind *kind) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sides->count; i++)
            expr_visit(arena, sides->of[side][i], visit, kind);
}

static bool are_same_at(const Sides *sides, int points) {
    plan_run(&sides->plan, points);
    for (int i = 0; i < sides->count; i++)
        if (memcmp(sides->columns[0][i], sides->columns[1][i], sizeof(Bits) * (size_t)points) != 0)
            return false;
    return true;
}

static bool is_same_in_all_orders(Kind *kind, Sides *sides) {
    Orders all[UNKNOWNS];
    Bits *columns[UNKNOWNS];
    kind->values = map_create(kind->arena);
    for (int i = 0; i < (int)kind->unknowns.length; i++) {
        kind->group[i] = i;
        columns[i] = plan_column(&sides->plan, kind->unknowns.data[i]);
    }
    visit_sides(kind->arena, sides, find_groups, kind);
    int count = find_orders(kind, all);
    for (bool more = count >= 0; more;) {
        int filled = 0;
        for (; filled < PLAN_BATCH && more; filled++) {
            for (int i = 0; i < count; i++)
                for (int j = 0; j < all[i].count; j++) {
                    int unknown = all[i].members[j];
                    columns[unknown][filled] =
                        number(kind->unknowns.data[unknown]->type,
                               all[i].first + all[i].ranks.data[all[i].at * all[i].count + j]);
                }
            more = next_assignment(all, count);
        }
        if (!are_same_at(sides, filled))
            return false;
    }
    return count >= 0;
}

static bool is_same_in_each_bit(const Kind *kind, Sides *sides) {
    Bits *columns[BITWISE];
    int count = (int)kind->unknowns.length;
    for (int i = 0; i < count; i++)
        columns[i] = plan_column(&sides->plan, kind->unknowns.data[i]);
    for (int number = 0; number < 1 << count;) {
        int filled = 0;
        for (; filled < PLAN_BATCH && number < 1 << count; filled++, number++)
            for (int i = 0; i < count; i++)
                columns[i][filled] =
                    bits_wrap(kind->unknowns.data[i]->type, -(int64_t)(number >> i & 1));
        if (!are_same_at(sides, filled))
            return false;
    }
    return true;
}

bool is_same_by_values(Recogniser *r, int count, const Expr *left, const Expr *right) {
    Kind kind = {.arena = r->arena, .is_order = true, .is_bits = true};
    Sides sides = {.count = count, .of = {left, right}};
    kind.reals = r->update->reassociation;
    visit_sides(r->arena, &sides, look_at, &kind);
    size_t unknowns = kind.unknowns.length;
    bool of_order = kind.is_order && unknowns <= UNKNOWNS;
    if (!of_order && !(kind.is_bits && unknowns <= BITWISE))
        return false;
    sides = sides_create(r->arena, count, left, right);
    return of_order ? is_same_in_all_orders(&kind, &sides) : is_same_in_each_bit(&kind, &sides);
}
