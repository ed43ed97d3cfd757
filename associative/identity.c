/* identity.c -- finds the right-neutral element of an operator outside the table. Values that are
 * neutral somewhere are candidates for y. All candidates are tried at the same points; one that
 * passes is proved (prove.c).
 */
#include "associative/internal.h"

#include "base/hash.h"

#include <string.h>

/* Adds k and its neighbours. */
static void add_constant(Recogniser *r, Type type, Exprs *values) {
    Expr k = expr_variable(r->pool, r->constant, type);
    exprs_add(r->arena, values, k);
    if (!type_is_machine_integer(type))
        return;
    exprs_add(r->arena, values, expr_unary(r->pool, OP_NEG, k));
    exprs_add(r->arena, values, expr_unary(r->pool, OP_BIT_NOT, k));
    for (int number = -1; number <= 1; number += 2)
        exprs_add(r->arena, values, expr_add(r->pool, k, pattern_number(r->pool, type, number)));
}

/* Candidates for a neutral value: values that are neutral somewhere; and the operator of two zeros,
 * or its negation, which is neutral if the operator adds or exchanges bits. Zero comes first, so
 * components that need no value get 0. */
static void add_neutrals(Recogniser *r, const Associativity *found, int element, Exprs *values) {
    static const int numbers[] = {0, 1, -1};
    Type type = found->types[element];
    for (int i = 0; i < 3 - type_is_bool(type); i++)
        exprs_add(r->arena, values, pattern_number(r->pool, type, numbers[i]));
    for (int highest = 0; highest < 2; highest++)
        exprs_add(r->arena, values, pattern_end(r->pool, type, highest));
    if (r->constant)
        add_constant(r, type, values);
    if (type_is_float(type))
        return;
    Expr zeros[ASSOCIATIVE_MAX];
    for (int i = 0; i < found->arity; i++)
        zeros[i] = pattern_number(r->pool, found->types[i], 0);
    Expr made =
        simplify(r->simplifier, associative_apply(r->pool, r->arena, found, element, zeros, zeros));
    exprs_add(r->arena, values, made);
    if (type_is_machine_integer(type))
        exprs_add(r->arena, values, simplify(r->simplifier, expr_unary(r->pool, OP_NEG, made)));
}

enum { FEW_POINTS = 16 };

typedef struct IdentitySearch {
    Recogniser *r;
    Associativity *found;
    uint32_t needs[ASSOCIATIVE_MAX]; /* the components whose y component i needs */
    Exprs values[ASSOCIATIVE_MAX];
    Expr y[ASSOCIATIVE_MAX];
    int tries;                       /* remaining tries */
    Plan candidates;                 /* of the values */
    Plan operators[ASSOCIATIVE_MAX]; /* of each element */
} IdentitySearch;

/* One of the values that are tried for y.i. */
static Bits candidate_at(const IdentitySearch *search, int i, uint64_t *state, int point) {
    const Exprs *values = &search->values[i];
    *state = hash_mix(*state, (uint64_t)point);
    Expr value = values->data[(*state >> 32) % values->length];
    const Bits *column = map_get(&search->candidates.columns, value);
    return column[point];
}

/* All plans use the same points: an unknown's values depend on its name. Every second value of x.i
 * is a candidate for its identity, because operators that compare differ at ties. */
static void draw_unknowns(const IdentitySearch *search, Plan *plan) {
    for (size_t i = 0; i < plan->variables.length; i++) {
        const PlanNode *variable = &plan->variables.data[i];
        uint64_t state = variable->node->hash;
        plan_draw(&state, variable->node->type, variable->column);
        for (int j = 0; j < search->found->arity && plan != &search->candidates; j++)
            if (variable->node == search->found->x[j])
                for (int point = 0; point < PLAN_BATCH; point += 2)
                    variable->column[point] = candidate_at(search, j, &state, point);
    }
}

static void make_plans(IdentitySearch *search) {
    const Associativity *found = search->found;
    search->candidates = plan_create(search->r->arena);
    for (int i = 0; i < found->arity; i++) {
        for (size_t j = 0; j < search->values[i].length; j++)
            plan_column(&search->candidates, search->values[i].data[j]);
        plan_column(&search->candidates, search->y[i]);
    }
    draw_unknowns(search, &search->candidates);
    plan_run(&search->candidates, PLAN_BATCH);
    for (int i = 0; i < found->arity; i++) {
        Plan *plan = &search->operators[i];
        *plan = plan_create(search->r->arena);
        plan_column(plan, found->operator[i]);
        for (int j = 0; j < found->arity; j++) {
            plan_column(plan, found->x[j]);
            plan_column(plan, found->y[j]);
        }
        draw_unknowns(search, plan);
    }
}

/* Over the reals, points prove nothing. */
static bool is_refuted_at(IdentitySearch *search, int i, int points) {
    const Associativity *found = search->found;
    Plan *plan = &search->operators[i];
    if (type_is_float(found->types[i]))
        return false;
    for (int j = 0; j < found->arity; j++)
        memcpy(plan_column(plan, found->y[j]), plan_column(&search->candidates, search->y[j]),
               sizeof(Bits) * (size_t)points);
    plan_run(plan, points);
    const Bits *made = plan_column(plan, found->operator[i]), *x = plan_column(plan, found->x[i]);
    return memcmp(made, x, sizeof *made * (size_t)points) != 0;
}

/* Is component `i` of the operator over this y equal to x.i? */
static bool is_neutral_at(const IdentitySearch *search, int i) {
    const Associativity *found = search->found;
    return is_same(
        search->r,
        associative_apply(search->r->pool, search->r->arena, found, i, found->x, search->y),
        found->x[i]);
}

/* Tests the components that need the y of `element` and of no later one. Few points refute most
 * candidates. */
static bool may_be_neutral_up_to(IdentitySearch *search, int element) {
    for (int points = FEW_POINTS; points <= PLAN_BATCH; points += PLAN_BATCH - FEW_POINTS)
        for (int i = 0; i < search->found->arity; i++)
            if (search->needs[i] >> element == 1 && is_refuted_at(search, i, points))
                return false;
    for (int i = 0; i < search->found->arity; i++)
        if (search->needs[i] >> element == 1 && type_is_float(search->found->types[i]) &&
            !is_neutral_at(search, i))
            return false;
    return true;
}

static bool is_neutral(const IdentitySearch *search) {
    for (int i = 0; i < search->found->arity; i++)
        if (!is_neutral_at(search, i))
            return false;
    return true;
}

static bool search_identity(IdentitySearch *search, int element) {
    if (element == search->found->arity)
        return is_neutral(search);
    const Exprs *values = &search->values[element];
    bool is_needed = false;
    for (int i = 0; i < search->found->arity; i++)
        is_needed |= search->needs[i] >> element & 1;
    for (size_t i = 0; i < (is_needed ? values->length : 1); i++) {
        search->y[element] = values->data[i];
        if (search->tries-- <= 0)
            return false;
        if (may_be_neutral_up_to(search, element) && search_identity(search, element + 1))
            return true;
    }
    return false;
}

/* A component that no y changes, and that differs from its x, has no identity. */
void find_identity(Recogniser *r, Associativity *found) {
    enum { TRIES = 1000 }; /* three elements with all their values */
    IdentitySearch search = {.r = r, .found = found, .tries = TRIES};
    for (int i = 0; i < found->arity; i++) {
        for (int j = 0; j < found->arity; j++)
            if (expr_mentions(r->arena, found->operator[i], found->y[j]->name))
                search.needs[i] |= 1u << j;
        search.y[i] = pattern_number(r->pool, found->types[i], 0);
        add_neutrals(r, found, i, &search.values[i]);
    }
    make_plans(&search);
    for (int i = 0; i < found->arity; i++) {
        if (search.needs[i])
            continue;
        found->lacks_identity |= is_refuted_at(&search, i, PLAN_BATCH);
        if (found->lacks_identity || !is_neutral_at(&search, i))
            return;
    }
    found->has_identity = search_identity(&search, 0);
    if (found->has_identity)
        memcpy(found->identity, search.y, sizeof *search.y * (size_t)found->arity);
}
