/* search.c -- enumerates right sides bottom-up by size, distinguished by their values at points.
 *
 * All relations of the instance hold at the points, so a right side may need any of them as its
 * guard. Of terms with the same values only the first is kept (observational equivalence), but each
 * term with the left side's values is offered. Other right sides come first: true and false; and,
 * if the left side has a bool wildcard, the select between the left side's two cases.
 */
#include "tools/synthesis/synthesis.h"

#include "base/hash.h"

#include <string.h>

#define POINTS 128 /* at most BLOCK */
#define TRIES  4000

/* ---- points at which the relations hold ---- */

/* Draws the constants of the instance, or others with the same relations to each other. */
static bool draw_constants(SampleRandom *random, const GoalInstance *instance,
                           const Relations *relations, bool as_there, PatternPoints *point,
                           Bits *slots) {
    for (int i = WILDCARDS; i < SLOTS; i++)
        if (instance->slots[i])
            slots[i] = as_there ? instance->slots[i]->bits : random_between(random, -3, 16);
    point->count = 0;
    points_add(point, slots);
    Bits holds = 1;
    for (size_t i = 0; i < relations->of_constants.length && holds && !as_there; i++)
        pattern_values(relations->of_constants.data[i], point, &holds);
    return holds;
}

static void draw_wildcards(SampleRandom *random, const GoalInstance *instance, Bits *slots) {
    int64_t scale = 12;
    for (int i = WILDCARDS; i < SLOTS && random_next(random) % 2; i++)
        if (instance->slots[i] && slots[i] > scale && slots[i] < 100000)
            scale = 2 * slots[i];
    for (int i = 0; i < WILDCARDS; i++) {
        if (!instance->slots[i])
            continue;
        bool is_bool = type_is_bool(instance->slots[i]->type);
        slots[i] =
            is_bool ? (Bits)(random_next(random) % 2) : random_between(random, -scale, scale);
    }
}

static bool relations_hold(const Relations *relations, const PatternPoints *point) {
    for (size_t i = 0; i < relations->sums.length; i++) {
        Bits value;
        pattern_values(relations->sums.data[i], point, &value);
        if (value > relations->most.data[i])
            return false;
    }
    return true;
}

/* The upper bounds on sums of wildcards hold only for the constants of the instance. */
static PatternPoints draw_points(Arena *scratch, const GoalInstance *instance,
                                 const Relations *relations) {
    PatternPoints points = points_create(scratch, POINTS), point = points_create(scratch, 1);
    SampleRandom random = {0x2545f4914f6cdd1du};
    bool only_there = relations->sums.length > 0;
    for (int i = 0; i < TRIES && points.count < POINTS; i++) {
        Bits slots[SLOTS] = {0};
        bool as_there = only_there || points.count < POINTS / 3 || i > TRIES / 2;
        if (!draw_constants(&random, instance, relations, as_there, &point, slots))
            continue;
        draw_wildcards(&random, instance, slots);
        point.count = 0;
        points_add(&point, slots);
        if (relations_hold(relations, &point))
            points_add(&points, slots);
    }
    return points;
}

/* ---- the bank ---- */

/* A leaf is an expression; other terms become one only when they are offered. */
typedef struct SideTerm {
    Expr leaf; /* null: an operator over earlier terms */
    Op op;
    bool is_bool, is_constant;
    uint32_t operands[OP_MAX_ARITY]; /* their places in `all` */
    const Bits *values;
} SideTerm;
typedef Vec(SideTerm) SideTerms;
typedef Vec(uint32_t) Places;

#define MOST_SIZE 4

typedef struct Bank {
    Synthesis *synthesis;
    Arena *scratch;
    Pool *pool;
    PatternPoints points;
    const Bits *target;
    Type type;                      /* of the target */
    Places sizes[MOST_SIZE + 1][2]; /* by operators; numbers, bools */
    uint32_t *slots;                /* 1 + the term's place in `all`, by the hash of its values */
    size_t slot_count, most_terms;
    SideTerms all;
    ProposalTry *offer;
    void *data;
    bool has_unknown_factors, done;
} Bank;

static bool same_values(const Bank *bank, const Bits *a, const Bits *b) {
    return !memcmp(a, b, bank->points.count * sizeof *a);
}

static Expr build(const Bank *bank, const SideTerm *term) {
    Expr operands[OP_MAX_ARITY];
    if (term->leaf)
        return term->leaf;
    for (int i = 0; i < op_info(term->op)->arity; i++)
        operands[i] = build(bank, &bank->all.data[term->operands[i]]);
    return expr_apply(bank->pool, term->op, operands);
}

/* Keeps the term if no other has its values; offers it if the left side has them. */
static void add_term(Bank *bank, int size, SideTerm term) {
    const Bits *values = term.values;
    if (term.is_bool == type_is_bool(bank->type) && same_values(bank, values, bank->target)) {
        bank->done = bank->offer(bank->data, build(bank, &term));
        return;
    }
    uint64_t hash = term.is_bool;
    for (size_t i = 0; i < bank->points.count; i++)
        hash = hash_mix(hash, (uint64_t)values[i]);
    size_t at = hash % bank->slot_count;
    for (; bank->slots[at]; at = (at + 1) % bank->slot_count) {
        const SideTerm *known = &bank->all.data[bank->slots[at] - 1];
        if (known->is_bool == term.is_bool && same_values(bank, known->values, values))
            return;
    }
    Bits *kept = arena_array(bank->scratch, Bits, bank->points.count);
    memcpy(kept, values, bank->points.count * sizeof *kept);
    term.values = kept;
    vec_push(bank->scratch, &bank->sizes[size][term.is_bool], (uint32_t)bank->all.length);
    vec_push(bank->scratch, &bank->all, term);
    bank->slots[at] = (uint32_t)bank->all.length;
}

static bool is_full(const Bank *bank) {
    return bank->done || bank->all.length >= bank->most_terms;
}

static void add_leaf(Bank *bank, Expr expr) {
    Bits values[POINTS];
    pattern_values(expr, &bank->points, values);
    if (!is_full(bank))
        add_term(bank, 0,
                 (SideTerm){.leaf = expr,
                            .is_bool = type_is_bool(expr->type),
                            .is_constant = !(pattern_slots(expr) & ((1u << WILDCARDS) - 1)),
                            .values = values});
}

/* Factors and divisors are leaves, and constants unless the left side has products of unknowns. */
static bool is_simple(const Bank *bank, const SideTerm *term) {
    const SideTerm *right = &bank->all.data[term->operands[1]];
    if (term->op != OP_MUL && term->op != OP_DIV && term->op != OP_MOD)
        return true;
    return right->leaf && (right->is_constant || bank->has_unknown_factors);
}

static void apply(Bank *bank, int size, Op op, uint32_t a, uint32_t b, uint32_t c) {
    Bits values[POINTS];
    const Bits *arguments[OP_MAX_ARITY];
    Type types[OP_MAX_ARITY], result;
    SideTerm term = {.op = op, .operands = {a, b, c}, .is_constant = true, .values = values};
    for (int i = 0; i < op_info(op)->arity; i++) {
        const SideTerm *operand = &bank->all.data[term.operands[i]];
        types[i] = operand->is_bool ? BOOL : INDEX;
        arguments[i] = operand->values;
        term.is_constant &= operand->is_constant;
    }
    if (term.is_constant || !is_simple(bank, &term)) /* constants are leaves */
        return;
    op_result_type(op, types, &result);
    term.is_bool = type_is_bool(result);
    value_apply_batch(op, result, types, bank->points.count, values, arguments, NULL, NULL);
    if (!is_full(bank))
        add_term(bank, size, term);
}

static bool occurs(Expr expr, Op op) {
    bool found = expr->op == op;
    for (int i = 0; i < expr->arity; i++)
        found |= occurs(expr->arguments[i], op);
    return found;
}

/* Adds the constants, and the results of one operation on them. */
static void add_constants(Bank *bank, Expr left, const GoalInstance *instance) {
    static const Op ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MIN, OP_MAX};
    Pool *pool = bank->pool;
    Expr constants[CONSTANTS + 1];
    int count = 0;
    for (int i = WILDCARDS; i < SLOTS; i++)
        if (instance->slots[i])
            add_leaf(bank, constants[count++] = pattern_slot(pool, i, INDEX));
    constants[count] = expr_index(pool, 1);
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= count; k++)
            for (int o = 0; o < 6 && k != i; o++)
                if (o >= 4 ? k < count && occurs(left, ops[o]) : k < count || o < 2)
                    add_leaf(bank, expr_binary(pool, ops[o], constants[i], constants[k]));
}

static void add_leaves(Bank *bank, Expr left, const GoalInstance *instance) {
    for (int truth = 1; truth >= 0; truth--)
        add_leaf(bank, expr_bool(bank->pool, truth));
    for (int i = 0; i < WILDCARDS; i++)
        if (instance->slots[i])
            add_leaf(bank, pattern_slot(bank->pool, i, instance->slots[i]->type));
    for (int value = 0; value <= 1; value++)
        add_leaf(bank, expr_index(bank->pool, value));
    add_constants(bank, left, instance);
}

/* Adds applications with both operands of `kind` (0: numbers, 1: bools), and `size` operators in
 * total. */
static void add_binary(Bank *bank, Op op, int kind, int size) {
    bool commutes = op_commutes(op, kind ? BOOL : INDEX);
    for (int k = 0; k < size; k++) {
        int other = size - 1 - k;
        if (commutes && k > other)
            return;
        Places left = bank->sizes[k][kind], right = bank->sizes[other][kind];
        for (size_t i = 0; i < left.length && !is_full(bank); i++)
            for (size_t j = commutes && k == other ? i + 1 : 0; j < right.length; j++)
                apply(bank, size, op, left.data[i], right.data[j], 0);
    }
}

/* Arms are leaves or have one operator. */
static void add_selects(Bank *bank, int size) {
    for (int a = 0; a < size && a <= 1; a++)
        for (int b = 0; a + b < size && b <= 1; b++) {
            Places conditions = bank->sizes[size - 1 - a - b][1];
            Places left = bank->sizes[a][0], right = bank->sizes[b][0];
            for (size_t c = 0; c < conditions.length; c++)
                for (size_t i = 0; i < left.length && !is_full(bank); i++)
                    for (size_t j = 0; j < right.length; j++)
                        apply(bank, size, OP_SELECT, conditions.data[c], left.data[i],
                              right.data[j]);
        }
}

static bool has_unknown_factor(Expr expr) {
    unsigned wildcards = (1u << WILDCARDS) - 1;
    bool found = (expr->op == OP_MUL || expr->op == OP_DIV || expr->op == OP_MOD) &&
                 pattern_slots(expr->arguments[1]) & wildcards;
    for (int i = 0; i < expr->arity; i++)
        found |= has_unknown_factor(expr->arguments[i]);
    return found;
}

/* The operator of the left side first, then those that occur in it, sums last. */
static void add_numbers(Bank *bank, Expr left, int size) {
    static const Op ops[] = {OP_MIN, OP_MAX, OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB};
    for (int first = 1; first >= 0; first--)
        for (int i = 0; i < 7; i++)
            if ((ops[i] == left->op) == first && (i >= 5 || occurs(left, ops[i])))
                add_binary(bank, ops[i], 0, size);
    if (occurs(left, OP_SELECT))
        add_selects(bank, size);
}

static void add_size(Bank *bank, Expr left, int size) {
    static const Op compares[] = {OP_LE, OP_LT, OP_EQ, OP_NE};
    if (type_is_bool(left->type)) {
        for (int i = 0; i < 4; i++)
            add_binary(bank, compares[i], 0, size);
        add_binary(bank, OP_AND, 1, size);
        add_binary(bank, OP_OR, 1, size);
    }
    add_numbers(bank, left, size);
}

/* select(z, left with z true, left with z false) */
static Expr split_case(Synthesis *s, Arena *scratch, Expr left, int slot) {
    Expr z = pattern_slot(s->pool, slot, BOOL), arms[2];
    for (int truth = 0; truth <= 1; truth++) {
        Expr arm = expr_substitute(s->pool, scratch, left, z->name, expr_bool(s->pool, truth));
        arms[truth] = simplify(s->simplifier, arm);
    }
    return expr_select(s->pool, z, arms[1], arms[0]);
}

bool search_right_sides(Synthesis *s, Arena *scratch, Expr left, const GoalInstance *instance,
                        const Relations *relations, ProposalTry *offer, void *data) {
    Bank bank = {.synthesis = s, .scratch = scratch, .pool = s->pool, .offer = offer, .data = data};
    bank.points = draw_points(scratch, instance, relations);
    if (bank.points.count < POINTS / 4)
        return false;
    Bits target[POINTS];
    pattern_values(left, &bank.points, target);
    bank.target = target;
    bank.type = left->type;
    bank.has_unknown_factors = has_unknown_factor(left);
    bank.most_terms = (size_t)s->limits.terms / (pattern_operators(left) > 4 ? 8 : 1);
    bank.slot_count = 2 * bank.most_terms + 101;
    bank.slots = arena_array(scratch, uint32_t, bank.slot_count);
    for (int i = 0; i < WILDCARDS; i++)
        if (instance->slots[i] && type_is_bool(instance->slots[i]->type) &&
            offer(data, split_case(s, scratch, left, i)))
            return true;
    add_leaves(&bank, left, instance);
    for (int size = 1; size <= MOST_SIZE && size <= pattern_operators(left) && !is_full(&bank);
         size++)
        add_size(&bank, left, size);
    return bank.done;
}
