/* guarded_reads.c -- limits reads of images and other funcs in an equation to where its conditions
 * hold.
 *
 * In a recurrence `select` is lazy in what it asks for.  In
 *
 *     fun D(i, j): i32 = select(i == 0, j, D(i - 1, j) + i32(s(i - 1)))      with i = (0, n)
 *
 * s(-1) is never read.  The bounds oracle ignores selects and asks for the reads of both arms.  So
 * if the conditions around a read imply that i is at least 1, the read becomes s(max(i, 1) - 1).
 * It is the same read if the arm is chosen, and stays inside what the arm reads otherwise.
 *
 * The facts at a node are the facts on all ways to it.  A fact is a literal, a comparison of a
 * variable with a constant, that holds or does not.  A select adds its condition for one arm and
 * the negated condition for the other.  One pass runs from the root down and visits each node once.
 */
#include "schedule/recurrence/equations.h"

#include "ir/walk.h"

#include <string.h>

enum { MOST_LITERALS = 32 }; /* of one value; more are ignored */

/* A comparison that a select's condition is made of. */
typedef struct GuardLiteral {
    Expr condition, variable;
    Op op; /* OP_EQ, OP_LT (variable < constant), OP_LE (variable <= constant) */
    int64_t constant;
} GuardLiteral;

/* Bit l: literal l holds; bit l + 32: it does not. */
typedef uint64_t Facts;

typedef struct Guarding {
    Recurrences *recurrences;
    EquationSystem *equations;
    GuardLiteral literals[MOST_LITERALS];
    size_t count;
    Vec(Expr) nodes; /* arguments before their users */
    Map numbers;     /* Expr -> its place in `nodes`, plus 1 */
    Facts *facts;
    ExprMemo memo;
} Guarding;

/* ---- literals ---- */

/* Returns the variable i of a value i or i32(i); else null. */
static Expr variable_of(Expr value) {
    bool is_cast = value->op == OP_CAST && type_is_index(value->arguments[0]->type) &&
                   type_is_machine_integer(value->type) && value->type.bits >= 32;
    Expr variable = is_cast ? value->arguments[0] : value;
    return variable->op == OP_VARIABLE && type_is_index(variable->type) ? variable : NULL;
}

static bool read_literal(Expr condition, GuardLiteral *literal) {
    if (condition->op != OP_EQ && condition->op != OP_LT && condition->op != OP_LE)
        return false;
    Expr left = condition->arguments[0], right = condition->arguments[1];
    *literal = (GuardLiteral){condition, variable_of(left), (Op)condition->op, 0};
    if (literal->variable)
        return expr_constant_integer(right, &literal->constant);
    literal->variable = variable_of(right);
    if (!literal->variable || !expr_constant_integer(left, &literal->constant))
        return false;
    /* c < v means not v <= c, and c <= v means not v < c: the callers turn those round. */
    return literal->op == OP_EQ;
}

/* For `condition` c < v or c <= v: the literal v <= c or v < c, which is its negation. */
static bool read_turned(Expr condition, GuardLiteral *literal) {
    if (condition->op != OP_LT && condition->op != OP_LE)
        return false;
    *literal = (GuardLiteral){condition, variable_of(condition->arguments[1]),
                              condition->op == OP_LT ? OP_LE : OP_LT, 0};
    return literal->variable && expr_constant_integer(condition->arguments[0], &literal->constant);
}

static Facts literal_facts(Guarding *guarding, Expr condition, bool holds) {
    GuardLiteral literal;
    bool is_turned = false;
    if (!read_literal(condition, &literal)) {
        is_turned = read_turned(condition, &literal);
        if (!is_turned)
            return 0;
    }
    size_t l = 0;
    while (l < guarding->count && guarding->literals[l].condition != condition)
        l++;
    if (l == MOST_LITERALS)
        return 0;
    if (l == guarding->count)
        guarding->literals[guarding->count++] = literal;
    return (Facts)1 << (l + (holds != is_turned ? 0 : MOST_LITERALS));
}

/* Returns what the condition implies if it holds, or if it does not.  The recursion is as deep as
 * conditions are nested; the parser limits that. */
static Facts condition_facts(Guarding *guarding, Expr condition, bool holds) {
    if (condition->op == OP_NOT)
        return condition_facts(guarding, condition->arguments[0], !holds);
    if (condition->op == (holds ? OP_AND : OP_OR))
        return condition_facts(guarding, condition->arguments[0], holds) |
               condition_facts(guarding, condition->arguments[1], holds);
    return literal_facts(guarding, condition, holds);
}

/* ---- the facts at each node ---- */

static void list_node(void *data, Expr node) {
    Guarding *guarding = data;
    vec_push(guarding->recurrences->arena, &guarding->nodes, node);
    map_put(&guarding->numbers, node, (void *)(uintptr_t)guarding->nodes.length);
}

static size_t number_of(const Guarding *guarding, Expr node) {
    return (size_t)(uintptr_t)map_get(&guarding->numbers, node) - 1;
}

static void spread_facts(Guarding *guarding, Expr root) {
    size_t count = guarding->nodes.length;
    guarding->facts = arena_array(guarding->recurrences->arena, Facts, count);
    memset(guarding->facts, 0xff, count * sizeof(Facts));
    guarding->facts[number_of(guarding, root)] = 0;
    for (size_t n = count; n-- > 0;) {
        Expr node = guarding->nodes.data[n];
        for (int i = 0; i < node->arity; i++) {
            Facts facts = guarding->facts[n];
            if (node->op == OP_SELECT && i > 0)
                facts |= condition_facts(guarding, node->arguments[0], i == 1);
            guarding->facts[number_of(guarding, node->arguments[i])] &= facts;
        }
    }
}

/* ---- reads ---- */

/* The least and the greatest value of the variable under the facts. */
typedef struct ValueRange {
    int64_t least, greatest;
    bool has_least, has_greatest;
} ValueRange;

static void at_least(ValueRange *range, int64_t value) {
    if (!range->has_least || value > range->least)
        range->least = value;
    range->has_least = true;
}

static void at_most(ValueRange *range, int64_t value) {
    if (!range->has_greatest || value < range->greatest)
        range->greatest = value;
    range->has_greatest = true;
}

/* Narrows the range by one fact.  The negation of `v == c` removes an end only if that end is known
 * already, such as a constant minimum of the domain. */
static void narrow(ValueRange *range, const GuardLiteral *literal, bool holds) {
    int64_t c = literal->constant;
    if (literal->op == OP_EQ && holds) {
        at_least(range, c);
        at_most(range, c);
    } else if (literal->op == OP_EQ) {
        if (range->has_least && c == range->least)
            range->least++;
    } else if (holds) {
        at_most(range, literal->op == OP_LT ? c - 1 : c);
    } else {
        at_least(range, literal->op == OP_LT ? c : c + 1);
    }
}

static ValueRange range_of(const Guarding *guarding, const ReductionVariable *variable,
                           Facts facts) {
    ValueRange range = {0};
    range.has_least = expr_constant_integer(variable->interval.minimum, &range.least);
    for (size_t round = 0; round <= guarding->count; round++) {
        ValueRange before = range;
        for (size_t l = 0; l < guarding->count; l++) {
            const GuardLiteral *literal = &guarding->literals[l];
            if (literal->variable->name != variable->variable)
                continue;
            if (facts >> l & 1)
                narrow(&range, literal, true);
            if (facts >> (l + MOST_LITERALS) & 1)
                narrow(&range, literal, false);
        }
        if (memcmp(&before, &range, sizeof range) == 0)
            break;
    }
    return range;
}

/* Returns the variable limited by the facts, such as max(i, 1); itself if they say nothing new. */
static Expr narrowed(const Guarding *guarding, const ReductionVariable *variable, Facts facts) {
    Pool *pool = guarding->recurrences->pool;
    ValueRange all = range_of(guarding, variable, 0), range = range_of(guarding, variable, facts);
    Expr result = expr_variable(pool, variable->variable, INDEX);
    if (range.has_least && (!all.has_least || range.least > all.least))
        result = expr_max(pool, result, expr_index(pool, range.least));
    if (range.has_greatest)
        result = expr_min(pool, result, expr_index(pool, range.greatest));
    return result;
}

static Expr guard_read(const Guarding *guarding, Expr access, Facts facts) {
    Pool *pool = guarding->recurrences->pool;
    Substitution substitution = substitution_create(guarding->recurrences->arena);
    Expr arguments[MAX_DIMENSIONS];
    bool any = false;
    const Recurrence *recurrence = guarding->equations->recurrence;
    for (size_t i = 0; i < recurrence->domain.length; i++) {
        const ReductionVariable *variable = &recurrence->domain.data[i];
        Expr value = narrowed(guarding, variable, facts);
        any = any || value->op != OP_VARIABLE;
        substitution_add(&substitution, variable->variable, value);
    }
    if (!any)
        return access;
    for (int k = 0; k < access->arity; k++)
        arguments[k] = substitution_apply(pool, &substitution, access->arguments[k]);
    return expr_with_arguments(pool, access, arguments);
}

/* Rewrites the value.  The facts belong to each node as it was written, `original`. */
static Expr guard_value(Guarding *guarding, Expr root) {
    Pool *pool = guarding->recurrences->pool;
    Expr small[MAX_SMALL_ARITY];
    for (size_t n = 0; n < guarding->nodes.length; n++) {
        Expr node = guarding->nodes.data[n];
        Expr result = node;
        for (int i = 0; i < node->arity; i++)
            small[i] = expr_memo_get(&guarding->memo, node->arguments[i]);
        if (node->arity)
            result = expr_with_arguments(pool, node, small);
        if (node->op == OP_ACCESS && guarding->facts[n] &&
            !recurrence_has(guarding->recurrences->resolver->pipeline,
                            guarding->equations->recurrence, node->name))
            result = guard_read(guarding, result, guarding->facts[n]);
        expr_memo_put(&guarding->memo, node, result);
    }
    return expr_memo_get(&guarding->memo, root);
}

void equations_guard_reads(Recurrences *recurrences, EquationSystem *equations) {
    Arena *arena = recurrences->arena;
    for (size_t i = 0; i < equations->list.length; i++) {
        RecurrenceEquation *equation = equations->list.data[i];
        for (int c = 0; c < equation->func->shape->components; c++) {
            Guarding guarding = {.recurrences = recurrences,
                                 .equations = equations,
                                 .numbers = map_create(arena),
                                 .memo = expr_memo(arena)};
            expr_visit(arena, equation->values[c], list_node, &guarding);
            spread_facts(&guarding, equation->values[c]);
            equation->values[c] = guard_value(&guarding, equation->values[c]);
        }
    }
}
