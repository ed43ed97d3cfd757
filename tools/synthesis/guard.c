/* guard.c -- finds the weakest guard under which the two sides of a proposal are equal.
 *
 * Guards are conjunctions of a small grammar:
 *
 *   of constants    sums of constants and of products of two, compared with -1, 0 or 1;
 *                   c0 % c1 == 0
 *   of wildcards    sums of wildcards, and of wildcards times constants, compared with sums of
 *                   constants
 *
 * A guard must hold in the instance of the left side: for constants by their values, for wildcards
 * by the intervals of their terms, because the engine decides it so. So only conditions that hold
 * there are candidates. Of the conjunctions that exclude all points where the sides differ, the
 * search takes the one that admits most other points. It is branch and bound on the point that is
 * hardest to exclude.
 */
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CONJUNCTS 4
#define MOST_SUMMANDS  3
#define MOST_SUMS      40   /* on wildcards: sums of few monomials first */
#define BRANCHES       4000 /* tried for each number of conjuncts */
#define MOST_MONOMIALS 14
#define LARGEST_LIMIT  100000
#define LEAST_ADMITTED 4 /* points; a guard that admits fewer is a guess */

/* ---- sums of monomials ---- */

typedef struct Monomials {
    Expr data[MOST_MONOMIALS];
    int signs[MOST_MONOMIALS]; /* -1, 0, 1 */
    int count;
} Monomials;

static void add_monomial(Monomials *monomials, Expr expr) {
    if (monomials->count < MOST_MONOMIALS)
        monomials->data[monomials->count++] = expr;
}

/* The constants, then their products. */
static Monomials constant_monomials(Pool *pool, const GoalInstance *instance) {
    Monomials monomials = {.count = 0};
    for (int i = WILDCARDS; i < SLOTS; i++)
        if (instance->slots[i])
            add_monomial(&monomials, pattern_slot(pool, i, INDEX));
    int constants = monomials.count;
    for (int i = 0; i < constants; i++)
        for (int k = i + 1; k < constants && constants <= 3; k++)
            add_monomial(&monomials, expr_mul(pool, monomials.data[i], monomials.data[k]));
    return monomials;
}

/* The constants that are factors or divisors. */
static unsigned factor_slots(Expr expr) {
    unsigned slots = 0;
    for (int i = 0; i < expr->arity; i++) {
        slots |= factor_slots(expr->arguments[i]);
        int slot = pattern_slot_of(expr->arguments[i]);
        if (slot >= WILDCARDS && (expr->op == OP_MUL || expr->op == OP_DIV))
            slots |= 1u << slot;
    }
    return slots;
}

/* The wildcards, then their products with the factors that occur. */
static Monomials wildcard_monomials(Pool *pool, Expr left, const GoalInstance *instance) {
    Monomials monomials = {.count = 0};
    unsigned factors = factor_slots(left);
    for (int i = 0; i < WILDCARDS; i++)
        if (instance->slots[i] && type_is_index(instance->slots[i]->type))
            add_monomial(&monomials, pattern_slot(pool, i, INDEX));
    int wildcards = monomials.count;
    for (int k = WILDCARDS; k < SLOTS; k++)
        for (int i = 0; i < wildcards && factors >> k & 1; i++)
            add_monomial(&monomials,
                         expr_mul(pool, monomials.data[i], pattern_slot(pool, k, INDEX)));
    return monomials;
}

static int summands(const Monomials *monomials) {
    int count = 0;
    for (int i = 0; i < monomials->count; i++)
        count += monomials->signs[i] != 0;
    return count;
}

/* The next choice of signs, with at least one and at most `most` that are not 0. */
static bool next_signs(Monomials *monomials, int most) {
    int used;
    do {
        int at = 0;
        while (at < monomials->count && monomials->signs[at] == 1)
            monomials->signs[at++] = -1;
        if (at == monomials->count)
            return false;
        monomials->signs[at]++;
        used = summands(monomials);
    } while (used == 0 || used > most);
    return true;
}

/* Before the first choice. */
static void reset_signs(Monomials *monomials) {
    for (int i = 0; i < monomials->count; i++)
        monomials->signs[i] = i ? -1 : -2;
}

static Expr plus(Pool *pool, Expr a, Expr b) {
    return a ? expr_add(pool, a, b) : b;
}

static void add_signed(Pool *pool, const Monomials *monomials, int flip, Expr *sides) {
    for (int i = 0; i < monomials->count; i++) {
        Expr *side = &sides[monomials->signs[i] * flip < 0];
        if (monomials->signs[i])
            *side = plus(pool, *side, monomials->data[i]);
    }
}

/* sides[0] - sides[1] `op` constant, with a positive constant on each side and 0 < x for 1 <= x. */
static Expr relation(Pool *pool, Op op, Expr *sides, int64_t constant) {
    if (op == OP_LE && !sides[0] && constant == -1)
        return expr_lt(pool, expr_index(pool, 0), sides[1]);
    if (constant)
        sides[constant > 0] =
            plus(pool, sides[constant > 0], expr_index(pool, constant > 0 ? constant : -constant));
    for (int i = 0; i < 2; i++)
        sides[i] = sides[i] ? sides[i] : expr_index(pool, 0);
    return expr_binary(pool, op, sides[0], sides[1]);
}

static bool holds_at(Expr condition, const PatternPoints *point) {
    Bits value;
    pattern_values(condition, point, &value);
    return value;
}

/* ---- the relations of an instance ---- */

static PatternPoints point_of_constants(Arena *scratch, const GoalInstance *instance) {
    PatternPoints point = points_create(scratch, 1);
    Bits values[SLOTS] = {0};
    for (int i = WILDCARDS; i < SLOTS; i++)
        if (instance->slots[i])
            values[i] = instance->slots[i]->bits;
    points_add(&point, values);
    return point;
}

static void relate_constants(Synthesis *s, Arena *scratch, const GoalInstance *instance,
                             Exprs *conditions) {
    Pool *pool = s->pool;
    PatternPoints point = point_of_constants(scratch, instance);
    Monomials monomials = constant_monomials(pool, instance);
    for (int i = WILDCARDS; i < SLOTS; i++)
        for (int k = WILDCARDS; k < SLOTS; k++) {
            if (i == k || !instance->slots[i] || !instance->slots[k])
                continue;
            Expr remainder =
                expr_mod(pool, pattern_slot(pool, i, INDEX), pattern_slot(pool, k, INDEX));
            Expr divides = expr_eq(pool, remainder, expr_index(pool, 0));
            Expr nonzero[] = {pattern_slot(pool, k, INDEX), expr_index(pool, 0)};
            divides = expr_and(pool, expr_apply(pool, OP_NE, nonzero),
                               divides); /* tools/rulec/smt.c asks */
            if (holds_at(divides, &point))
                vec_push(scratch, conditions, divides);
        }
    static const Op ops[] = {OP_LE, OP_EQ, OP_NE};
    reset_signs(&monomials);
    while (next_signs(&monomials, MOST_SUMMANDS))
        for (int i = 0; i < 3; i++)
            for (int64_t constant = -1; constant <= 1; constant++) {
                Expr sides[2] = {NULL, NULL};
                add_signed(pool, &monomials, 1, sides);
                if (ops[i] == OP_NE && (constant || !sides[0]))
                    continue;
                Expr condition = relation(pool, ops[i], sides, constant);
                if (holds_at(condition, &point))
                    vec_push(scratch, conditions, condition);
            }
}

static Expr instantiate(Synthesis *s, Arena *scratch, Expr pattern, const GoalInstance *instance) {
    Substitution substitution = substitution_create(scratch);
    for (int i = 0; i < SLOTS; i++)
        if (instance->slots[i])
            substitution_add(&substitution,
                             pattern_slot(s->pool, i, instance->slots[i]->type)->name,
                             instance->slots[i]);
    return substitution_apply(s->pool, &substitution, pattern);
}

/* Finds an upper bound in the instance; false if it is unknown, or useless. */
static bool greatest(Synthesis *s, const Monomials *there, int64_t *most) {
    Expr sides[2] = {NULL, NULL};
    add_signed(s->pool, there, 1, sides);
    Expr sum = sides[0] ? sides[0] : expr_index(s->pool, 0);
    sum = simplify(s->simplifier, sides[1] ? expr_sub(s->pool, sum, sides[1]) : sum);
    ConstantInterval interval = simplify_interval(s->simplifier, sum);
    *most = interval.maximum;
    return interval.has_maximum && *most > -LARGEST_LIMIT && *most < LARGEST_LIMIT;
}

/* Finds the relations of sums of this many monomials. */
static void relate_wildcards(Synthesis *s, Arena *scratch, Expr left, const GoalInstance *instance,
                             int wanted, Relations *relations) {
    Monomials monomials = wildcard_monomials(s->pool, left, instance);
    Monomials there = monomials;
    for (int i = 0; i < there.count; i++)
        there.data[i] = instantiate(s, scratch, monomials.data[i], instance);
    reset_signs(&monomials);
    while (next_signs(&monomials, wanted) && relations->sums.length < MOST_SUMS) {
        int64_t most;
        if (summands(&monomials) < wanted)
            continue;
        memcpy(there.signs, monomials.signs, sizeof there.signs);
        if (!greatest(s, &there, &most))
            continue;
        Expr sides[2] = {NULL, NULL};
        add_signed(s->pool, &monomials, 1, sides);
        Expr sum = sides[0] ? sides[0] : expr_index(s->pool, 0);
        sum = sides[1] ? expr_sub(s->pool, sum, sides[1]) : sum;
        vec_push(scratch, &relations->sums, sum);
        vec_push(scratch, &relations->most, most);
    }
}

Relations relations_find(Synthesis *s, Arena *scratch, Expr left, const GoalInstance *instance) {
    Relations relations = {.sums = {0}};
    relate_constants(s, scratch, instance, &relations.of_constants);
    for (int wanted = 1; wanted <= MOST_SUMMANDS; wanted++)
        relate_wildcards(s, scratch, left, instance, wanted, &relations);
    return relations;
}

/* Adds sum <= expression of constants, for all such conditions that hold in the instance. */
static void weaken(Synthesis *s, Arena *scratch, const GoalInstance *instance, Expr sum,
                   int64_t most, Exprs *conditions) {
    PatternPoints point = point_of_constants(scratch, instance);
    Monomials monomials = constant_monomials(s->pool, instance);
    Expr positive = sum->op == OP_SUB ? sum->arguments[0] : sum;
    Expr negative = sum->op == OP_SUB ? sum->arguments[1] : NULL;
    if (expr_is_constant(positive))
        positive = NULL;
    reset_signs(&monomials);
    bool plain = true;
    do { /* first without any constant */
        for (int64_t constant = -1; constant <= 1; constant++) {
            Expr limit[2] = {NULL, NULL}, sides[2] = {positive, negative};
            if (!plain)
                add_signed(s->pool, &monomials, 1, limit);
            if (plain)
                limit[0] = NULL;
            Expr value = limit[0] ? limit[0] : expr_index(s->pool, 0);
            value = limit[1] ? expr_sub(s->pool, value, limit[1]) : value;
            Bits number;
            pattern_values(value, &point, &number);
            if (number + constant < most)
                continue;
            if (!plain)
                add_signed(s->pool, &monomials, -1, sides);
            vec_push(scratch, conditions, relation(s->pool, OP_LE, sides, constant));
        }
        plain = false;
    } while (next_signs(&monomials, 2));
}

/* ---- the cover ---- */

typedef struct Condition {
    Expr expr;
    const uint64_t *holds; /* bit i: at point i */
    size_t admits;         /* admitted points with equal sides */
} Condition;

typedef struct Cover {
    size_t words;
    const uint64_t *wrong, *right;
    Vec(Condition) conditions; /* those that admit most first */
    const size_t *hardest;     /* wrong points, those that fewest conditions exclude first */
    size_t wrong_count;
    int chosen[MOST_CONJUNCTS], best[MOST_CONJUNCTS];
    int best_count, most_conjuncts;
    size_t best_admits;
    int branches;
} Cover;

static bool bit(const uint64_t *bits, size_t at) {
    return bits[at / 64] >> at % 64 & 1;
}

static size_t count_both(const uint64_t *a, const uint64_t *b, size_t words) {
    size_t count = 0;
    for (size_t i = 0; i < words; i++)
        count += (size_t)__builtin_popcountll(a[i] & b[i]);
    return count;
}

static void branch(Cover *c, const uint64_t *admitted, int depth) {
    size_t admits = count_both(admitted, c->right, c->words), at = 0;
    if (admits <= c->best_admits || --c->branches < 0)
        return;
    while (at < c->wrong_count && !bit(admitted, c->hardest[at]))
        at++;
    if (at == c->wrong_count) {
        c->best_admits = admits;
        c->best_count = depth;
        memcpy(c->best, c->chosen, sizeof c->best);
        return;
    }
    uint64_t next[c->words];
    bool is_last = depth + 1 == c->most_conjuncts;
    for (size_t i = 0; i < c->conditions.length && depth < c->most_conjuncts; i++) {
        const Condition *condition = &c->conditions.data[i];
        if (condition->admits <= c->best_admits)
            return;
        if (bit(condition->holds, c->hardest[at]))
            continue;
        uint64_t wrong = 0;
        for (size_t k = 0; k < c->words && !(is_last && wrong); k++) {
            next[k] = admitted[k] & condition->holds[k];
            wrong |= next[k] & c->wrong[k];
        }
        if (is_last && wrong)
            continue;
        c->chosen[depth] = (int)i;
        branch(c, next, depth + 1);
    }
}

static int by_admits(const void *a, const void *b) {
    const Condition *x = a, *y = b;
    if (x->admits != y->admits)
        return x->admits < y->admits ? 1 : -1;
    int operators = pattern_operators(x->expr) - pattern_operators(y->expr);
    return operators ? operators : expr_compare(x->expr, y->expr);
}

static uint64_t *bits_of(Arena *scratch, const Bits *values, size_t count) {
    uint64_t *bits = arena_array(scratch, uint64_t, count / 64 + 1);
    for (size_t i = 0; i < count; i++)
        bits[i / 64] |= (uint64_t)(values[i] != 0) << i % 64;
    return bits;
}

/* Of conditions that hold at the same points, keeps the simplest. */
static void drop_equals(Cover *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->conditions.length; i++) {
        Condition condition = c->conditions.data[i];
        bool known = false;
        for (size_t k = kept; k-- > 0 && !known;) {
            if (c->conditions.data[k].admits != condition.admits)
                break;
            known = !memcmp(c->conditions.data[k].holds, condition.holds,
                            c->words * sizeof *condition.holds);
        }
        if (!known)
            c->conditions.data[kept++] = condition;
    }
    c->conditions.length = kept;
}

static void add_conditions(Cover *c, Arena *scratch, const PatternPoints *points,
                           const Exprs *exprs) {
    Bits *values = arena_array(scratch, Bits, points->count);
    for (size_t i = 0; i < exprs->length; i++) {
        pattern_values(exprs->data[i], points, values);
        Condition condition = {exprs->data[i], bits_of(scratch, values, points->count), 0};
        condition.admits = count_both(condition.holds, c->right, c->words);
        if (count_both(condition.holds, c->wrong, c->words) < c->wrong_count)
            vec_push(scratch, &c->conditions, condition);
    }
    if (c->conditions.length > 0) /* qsort takes no null */
        qsort(c->conditions.data, c->conditions.length, sizeof *c->conditions.data, by_admits);
    drop_equals(c);
}

typedef struct Hard {
    size_t point, excluded;
} Hard;

static int by_excluded(const void *a, const void *b) {
    const Hard *x = a, *y = b;
    if (x->excluded != y->excluded)
        return x->excluded < y->excluded ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

/* Returns false if no condition excludes some wrong point. */
static bool find_hardest(Cover *c, Arena *scratch, size_t count) {
    Hard *hard = arena_array(scratch, Hard, c->wrong_count + 1);
    size_t *points = arena_array(scratch, size_t, c->wrong_count + 1), found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!bit(c->wrong, i))
            continue;
        hard[found] = (Hard){i, 0};
        for (size_t k = 0; k < c->conditions.length; k++)
            hard[found].excluded += !bit(c->conditions.data[k].holds, i);
        found++;
    }
    qsort(hard, found, sizeof *hard, by_excluded);
    for (size_t i = 0; i < found; i++)
        points[i] = hard[i].point;
    c->hardest = points;
    return !found || hard[0].excluded > 0;
}

static bool cover(Synthesis *s, Arena *scratch, const PatternPoints *points, const Bits *wrong,
                  const Exprs *conditions, Expr *guard) {
    Bits *right = arena_array(scratch, Bits, points->count);
    for (size_t i = 0; i < points->count; i++)
        right[i] = !wrong[i];
    Cover c = {.words = points->count / 64 + 1};
    c.wrong = bits_of(scratch, wrong, points->count);
    c.right = bits_of(scratch, right, points->count);
    c.wrong_count = count_both(c.wrong, c.wrong, c.words);
    c.best_admits = LEAST_ADMITTED;
    add_conditions(&c, scratch, points, conditions);
    if (!find_hardest(&c, scratch, points->count))
        return false;
    uint64_t *all = arena_array(scratch, uint64_t, c.words);
    memset(all, 0xff, c.words * sizeof *all);
    for (c.most_conjuncts = 0; c.most_conjuncts <= MOST_CONJUNCTS; c.most_conjuncts++) {
        if (c.best_admits > LEAST_ADMITTED) /* another condition pays only if it admits many more
                                               points */
            c.best_admits += c.best_admits / 4;
        c.branches = BRANCHES;
        branch(&c, all, 0);
    }
    *guard = NULL;
    for (int i = 0; i < c.best_count; i++) {
        Expr condition = c.conditions.data[c.best[i]].expr;
        *guard = *guard ? expr_and(s->pool, *guard, condition) : condition;
    }
    return c.best_admits > LEAST_ADMITTED;
}

bool guard_find(Synthesis *s, Arena *scratch, const Relations *relations,
                const GoalInstance *instance, const PatternPoints *points, const Bits *wrong,
                Expr *guard) {
    if (cover(s, scratch, points, wrong, &relations->of_constants, guard))
        return true;
    if (!relations->sums.length)
        return false;
    Exprs conditions = {0};
    for (size_t i = 0; i < relations->of_constants.length; i++)
        vec_push(scratch, &conditions, relations->of_constants.data[i]);
    for (size_t i = 0; i < relations->sums.length; i++)
        weaken(s, scratch, instance, relations->sums.data[i], relations->most.data[i], &conditions);
    return cover(s, scratch, points, wrong, &conditions, guard);
}
