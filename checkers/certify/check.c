/* check.c -- finds a check for run time: a condition on sizes and parameters from which an
 * obligation follows.
 *
 *     for all x in [m, m + 4096):  input.min <= x && x < input.min + input.extent
 *     follows from                 input.min <= m && m + 4095 < input.min + input.extent
 *
 * The variables of loops, points and read values are eliminated by symbolic intervals
 * (bounds/region.h), outermost first.  A comparison `a <= b` must hold for the least value of b -
 * a.  The context may give an expression tighter ends (a guard, a write that hits).  Then the
 * expression counts as a variable of its own between these ends.  If a variable has no value,
 * nothing must hold.
 *
 * Other facts of the context are not used, so the condition may refuse more than it must.  A
 * condition that is false for all inputs is no check; the obligation then stays open.
 */
#include "bounds/region.h"
#include "checkers/certify/internal.h"

enum { LARGEST_GOAL = 400, LARGEST_CHECK = 400 };

typedef struct Elimination {
    Discharge *discharge;
    Arena *arena;
    Pool *pool;
    const Signature *signature;
    Simplifier *simplifier; /* knows the assertions of the entry */
    Ranges ranges;
    Map values;     /* a let's variable -> its value; and other nodes -> their values under that */
    Map eliminated; /* Symbol -> itself: variables that have a range */
    Map narrowed;   /* Expr -> Expr: an expression with tighter ends -> its variable */
    Expr empty;     /* bool: some variable has no value, some condition does not hold */
} Elimination;

/* ---- variables ---- */

static bool is_startup_variable(const Elimination *e, Expr variable) {
    Symbol buffer;
    BufferField field;
    int dimension;
    return signature_parameter(e->signature, variable->name) ||
           buffer_field_parse(e->pool->context, variable->name, &buffer, &field, &dimension);
}

static bool is_startup(const Elimination *e, Expr expr) {
    Exprs variables = expr_variables_of(e->arena, expr);
    for (size_t i = 0; i < variables.length; i++)
        if (!is_startup_variable(e, variables.data[i]))
            return false;
    return true;
}

static void eliminate(Elimination *e, Expr variable, Interval range) {
    if (!type_is_index(variable->type) || map_get(&e->eliminated, variable->name))
        return;
    map_put(&e->eliminated, variable->name, variable->name);
    ranges_bind(&e->ranges, variable->name, range);
}

/* Binds variables that stand for read values to all values of their types. */
static void eliminate_values(Elimination *e, Expr expr) {
    Exprs variables = expr_variables_of(e->arena, expr);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        if (is_startup_variable(e, variable) || !type_is_index(variable->type))
            continue;
        ConstantInterval of = simplify_interval(e->discharge->lifter->limits, variable);
        Interval range = {of.has_minimum ? expr_index(e->pool, of.minimum) : NULL,
                          of.has_maximum ? expr_index(e->pool, of.maximum) : NULL, variable};
        eliminate(e, variable, range);
    }
}

static Expr with_values(Elimination *e, Expr expr) {
    return lift_replace(e->pool, e->arena, &e->values, expr);
}

static Interval range_of(Elimination *e, Expr expr) {
    eliminate_values(e, expr);
    if (is_startup(e, expr))
        return (Interval){expr, expr, NULL};
    return ranges_of(&e->ranges, simplify(e->simplifier, expr));
}

/* ---- conditions ---- */

static Expr at_least(const Elimination *e, Expr end, int64_t limit) {
    return end ? expr_le(e->pool, expr_index(e->pool, limit), end) : expr_bool(e->pool, false);
}

static Expr either(const Elimination *e, Expr a, Expr b) {
    return expr_is_false(a)                      ? b
           : expr_is_false(b) || expr_is_true(a) ? a
           : expr_is_true(b)                     ? b
                                                 : expr_or(e->pool, a, b);
}

static Expr both(const Elimination *e, Expr a, Expr b) {
    return expr_is_false(a) || expr_is_false(b) ? expr_bool(e->pool, false)
                                                : goal_both(e->pool, a, b);
}

/* Returns startup conditions from which a + limit <= b follows.  It tries the difference, in which
 * common terms cancel, and the two ends apart. */
static Expr exceeds(Elimination *e, Expr b, Expr a, int64_t limit) {
    Pool *pool = e->pool;
    Expr joint = at_least(e, range_of(e, expr_sub(pool, b, a)).lower, limit);
    Expr least = range_of(e, b).lower, most = range_of(e, a).upper;
    Expr apart = at_least(e, least && most ? expr_sub(pool, least, most) : NULL, limit);
    joint = simplify(e->simplifier, joint);
    apart = simplify(e->simplifier, apart);
    return joint == apart || expr_is_true(joint) ? joint : either(e, joint, apart);
}

/* Returns startup conditions from which the condition follows, or with `is` false, its negation. */
static Expr suffices(Elimination *e, Expr condition, bool is) {
    Pool *pool = e->pool;
    if (is_startup(e, condition))
        return is ? condition : expr_not(pool, condition);
    Expr a = condition->arity > 0 ? condition->arguments[0] : NULL;
    Expr b = condition->arity > 1 ? condition->arguments[1] : NULL;
    bool of_integers = a && type_is_index(a->type);
    switch ((int)condition->op) {
    case OP_NOT:
        return suffices(e, a, !is);
    case OP_AND:
    case OP_OR: {
        Expr first = suffices(e, a, is), second = suffices(e, b, is);
        return (condition->op == OP_AND) == is ? both(e, first, second) : either(e, first, second);
    }
    case OP_LE:
        return is ? exceeds(e, b, a, 0) : exceeds(e, a, b, 1);
    case OP_LT:
        return is ? exceeds(e, b, a, 1) : exceeds(e, a, b, 0);
    case OP_EQ:
    case OP_NE:
        if (!of_integers)
            return expr_bool(pool, false);
        return (condition->op == OP_EQ) == is ? both(e, exceeds(e, a, b, 0), exceeds(e, b, a, 0))
                                              : either(e, exceeds(e, a, b, 1), exceeds(e, b, a, 1));
    default: /* no rule for this operator */
        return expr_bool(pool, false);
    }
}

/* ---- the context ---- */

/* Binds a loop's or a point's variable to its range, a let's to its value. */
static void bind(Elimination *e, const ContextFact *fact) {
    if (fact->least == fact->greatest) {
        map_put(&e->values, fact->variable, with_values(e, fact->least));
        return;
    }
    Expr least = with_values(e, fact->least), greatest = with_values(e, fact->greatest);
    Interval length = range_of(e, expr_sub(e->pool, greatest, least));
    if (length.upper) {
        Expr is_empty = expr_lt(e->pool, length.upper, expr_index(e->pool, 0));
        e->empty = either(e, e->empty, simplify(e->simplifier, is_empty));
    }
    Interval range = {range_of(e, least).lower, range_of(e, greatest).upper, fact->variable};
    eliminate(e, fact->variable, range);
}

/* The expression has an upper (lower) end; from here on it is a variable. */
static void narrow(Elimination *e, Expr expr, Expr end, bool is_upper) {
    if (is_startup(e, expr) || !end)
        return;
    Interval range = range_of(e, expr);
    Interval limit = {is_upper ? range.lower : end, is_upper ? end : range.upper, expr};
    Expr before = map_get(&e->narrowed, expr);
    if (before)
        limit = range_meet(&e->ranges, limit, ranges_of(&e->ranges, before));
    else
        limit = range_meet(&e->ranges, limit, range);
    Expr variable =
        expr_variable(e->pool, symbol_fresh(&e->pool->context->symbols, "narrowed"), INDEX);
    eliminate(e, variable, limit);
    map_put(&e->narrowed, expr, variable);
}

static void use_condition(Elimination *e, Expr condition) {
    Exprs parts = {0};
    goal_parts(e->arena, with_values(e, condition), &parts);
    for (size_t i = 0; i < parts.length; i++) {
        Expr part = parts.data[i], one = expr_index(e->pool, 1);
        bool is_less = part->op == OP_LT;
        if (!is_less && part->op != OP_LE)
            continue;
        Expr a = part->arguments[0], b = part->arguments[1];
        Expr most = range_of(e, b).upper, least = range_of(e, a).lower;
        narrow(e, a, most && is_less ? expr_sub(e->pool, most, one) : most, true);
        narrow(e, b, least && is_less ? expr_add(e->pool, least, one) : least, false);
    }
}

/* Uses the facts, outermost first. */
static void use_context(Elimination *e, const ContextFact *context) {
    Contexts facts = facts_in_order(e->arena, context);
    for (size_t i = 0; i < facts.length; i++) {
        const ContextFact *fact = facts.data[i];
        if (fact->variable)
            bind(e, fact);
        else if (fact->kind != FACT_PATH && is_startup(e, fact->condition))
            simplifier_learn(e->simplifier, fact->condition);
        else if (fact->kind == FACT_PATH && is_startup(e, fact->condition))
            e->empty = either(e, e->empty, expr_not(e->pool, fact->condition));
        else if (fact->kind == FACT_PATH)
            use_condition(e, fact->condition);
    }
}

/* ---- in the program's variables ---- */

/* Replaces numbers that stand for parameters by the parameters; null if a parameter has no
 * number. */
static Expr in_parameters(const Elimination *e, Expr condition) {
    Map replacements = map_create(e->arena);
    Exprs variables = expr_variables_of(e->arena, condition);
    for (size_t i = 0; i < variables.length; i++) {
        Expr variable = variables.data[i];
        const Parameter *parameter = signature_parameter(e->signature, variable->name);
        if (!parameter || type_equal(parameter->type, variable->type))
            continue;
        if (!type_is_machine_integer(parameter->type) ||
            (parameter->type.kind == TYPE_UINT && parameter->type.bits == 64))
            return NULL;
        Expr value = expr_variable(e->pool, parameter->name, parameter->type);
        map_put(&replacements, variable, expr_cast(e->pool, INDEX, value));
    }
    return lift_replace(e->pool, e->arena, &replacements, condition);
}

static Expr find(Elimination *e, const Obligation *obligation) {
    use_context(e, obligation->context);
    Expr goal = with_values(e, obligation->goal);
    goal = lift_replace(e->pool, e->arena, &e->narrowed, goal);
    Expr condition = simplify(e->simplifier, suffices(e, goal, true));
    if (expr_is_false(condition)) /* such a check would refuse every input */
        return NULL;
    if (!expr_is_true(condition))
        condition = simplify(e->simplifier, either(e, e->empty, condition));
    return condition->tree_size <= LARGEST_CHECK && is_startup(e, condition)
               ? in_parameters(e, condition)
               : NULL;
}

Expr check_find(Discharge *discharge, const Obligation *obligation) {
    if (obligation->goal->tree_size > LARGEST_GOAL)
        return NULL;
    Arena *scratch = arena_create(&discharge->pool->context->memory);
    Simplifier *simplifier = simplifier_create(discharge->pool, scratch);
    Elimination elimination = {.discharge = discharge,
                               .arena = scratch,
                               .pool = discharge->pool,
                               .signature = discharge->certification->program->signature,
                               .simplifier = simplifier,
                               .ranges = ranges_create(discharge->pool, scratch, simplifier),
                               .values = map_create(scratch),
                               .eliminated = map_create(scratch),
                               .narrowed = map_create(scratch),
                               .empty = expr_bool(discharge->pool, false)};
    Expr condition = find(&elimination, obligation);
    arena_destroy(scratch);
    return condition && !expr_is_false(condition) ? condition : NULL;
}
