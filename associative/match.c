/* match.c -- matches a tuple of canonical expressions with canonical patterns.
 *
 * In a pattern x.i matches some component of the tuple, each a different one. y.i matches any term
 * free of x. k matches any loop-invariant term. The operands of chains are tried in every order. A
 * list of goals holds the remaining work. At a choice, backtracking restores the bindings. Steps
 * are counted.
 */
#include "associative/internal.h"

enum { STEPS = 20000, OPERANDS = 24 };

/* Match patterns [at, count) with the unused inputs, in any order. With `is_element`: match pattern
 * `at` with the value of its component, or of one not yet taken. */
typedef struct MatchGoal {
    const Expr *patterns, *inputs;
    int at, count;
    uint32_t used;
    bool is_element;
    const struct MatchGoal *next;
} MatchGoal;

typedef struct Matcher {
    Recogniser *r;
    PatternBinding binding;
    const int *group;
    int count, steps;
} Matcher;

static bool solve(Matcher *m, const MatchGoal *goal);

/* ---- leaves ---- */

static int index_of(const Expr *variables, int count, Expr expr) {
    for (int i = 0; i < count; i++)
        if (variables[i] == expr)
            return i;
    return -1;
}

bool is_the_same_always(const Recogniser *r, Expr expr) {
    if (r->as_written)
        return expr->op == OP_CONSTANT || (expr->op == OP_VARIABLE && expr->name == r->constant);
    for (int i = 0; i < r->update->reduction_count; i++)
        if (expr_mentions(r->arena, expr, r->update->reduction[i]))
            return false;
    return true;
}

static bool bind_x(Matcher *m, int pattern, Expr input) {
    PatternBinding *binding = &m->binding;
    int element = index_of(m->r->x, m->r->update->arity, input);
    if (element < 0)
        return false;
    if (binding->element[pattern] >= 0)
        return binding->element[pattern] == element;
    if (binding->taken >> element & 1)
        return false;
    binding->element[pattern] = (int8_t)element;
    binding->taken |= 1u << element;
    return true;
}

/* In a given operator, y.i is the y of x.i's component. */
static bool bind_y(Matcher *m, int pattern, Expr input, Type type) {
    PatternBinding *binding = &m->binding;
    if (has_x(m->r, input) || !type_equal(input->type, type))
        return false;
    if (m->r->as_written) {
        int element = index_of(m->r->y, m->r->update->arity, input);
        if (element < 0 || !bind_x(m, pattern, m->r->x[element]))
            return false;
    }
    if (!binding->y[pattern])
        binding->y[pattern] = input;
    return binding->y[pattern] == input;
}

static bool bind_k(Matcher *m, Expr input, Type type) {
    if (has_x(m->r, input) || !type_equal(input->type, type) || !is_the_same_always(m->r, input))
        return false;
    if (!m->binding.k)
        m->binding.k = input;
    return m->binding.k == input;
}

/* A pattern's variables: `x.i`, `y.i`, `k'`. */
static bool solve_leaf(Matcher *m, Expr pattern, Expr input) {
    if (pattern->op == OP_CONSTANT)
        return pattern == input;
    const char *name = pattern->name->text;
    if (name[0] == 'k')
        return bind_k(m, input, pattern->type);
    int number = 0;
    for (const char *digit = name + 2; *digit; digit++)
        number = number * 10 + (*digit - '0');
    return name[0] == 'x' ? bind_x(m, number, input) : bind_y(m, number, input, pattern->type);
}

/* ---- terms ---- */

/* Lists the operands of a chain. The part free of x is one operand, unless the whole chain is free
 * of x. Returns OPERANDS if there are too many. */
static int operands_of(Matcher *m, Op op, Expr expr, Expr *room) {
    Exprs stack = {0}, found = {0};
    if (has_x(m->r, expr))
        chain_operands(m->r, op, expr, &found);
    else
        vec_push(m->r->arena, &stack, expr);
    while (stack.length && found.length < OPERANDS) {
        Expr next = stack.data[--stack.length];
        if (next->op != op) {
            vec_push(m->r->arena, &found, next);
            continue;
        }
        vec_push(m->r->arena, &stack, next->arguments[1]);
        vec_push(m->r->arena, &stack, next->arguments[0]);
    }
    int count = found.length < OPERANDS ? (int)found.length : OPERANDS;
    for (int i = 0; i < count; i++)
        room[i] = found.data[i];
    return count;
}

static bool solve_term(Matcher *m, Expr pattern, Expr input, const MatchGoal *next) {
    bool with_x = has_x(m->r, pattern);
    if (!type_equal(pattern->type, input->type))
        return false;
    if (pattern->arity == 0)
        return solve_leaf(m, pattern, input) && solve(m, next);
    if (with_x != has_x(m->r, input))
        return false;
    if (pattern->op == OP_NEG && !with_x) {
        Expr negated = ring_negate(m->r->pool, input);
        return solve_term(m, pattern->arguments[0], negated, next);
    }
    if (pattern->op != input->op || pattern->arity != input->arity)
        return false;
    if (!is_chain(pattern)) {
        MatchGoal goals[OP_MAX_ARITY];
        for (int i = pattern->arity - 1; i >= 0; i--) {
            goals[i] = (MatchGoal){.patterns = &pattern->arguments[i],
                                   .inputs = &input->arguments[i],
                                   .count = 1,
                                   .next = next};
            next = &goals[i];
        }
        return solve(m, next);
    }
    Expr patterns[OPERANDS], inputs[OPERANDS];
    Op op = (Op)pattern->op;
    int count = operands_of(m, op, pattern, patterns);
    if (count == OPERANDS || operands_of(m, op, input, inputs) != count)
        return false;
    MatchGoal goal = {.patterns = patterns, .inputs = inputs, .count = count, .next = next};
    return solve(m, &goal);
}

/* Tries each free component of the tuple, or the bound one. */
static bool solve_element(Matcher *m, const MatchGoal *goal) {
    for (int i = 0; i < m->count; i++) {
        int element = m->group[i], bound = m->binding.element[goal->at];
        if (bound >= 0 ? bound != element : m->binding.taken >> element & 1)
            continue;
        if (m->steps-- <= 0)
            return false;
        PatternBinding before = m->binding;
        m->binding.element[goal->at] = (int8_t)element;
        m->binding.taken |= 1u << element;
        if (solve_term(m, goal->patterns[goal->at], goal->inputs[element], goal->next))
            return true;
        m->binding = before;
    }
    return false;
}

static bool solve(Matcher *m, const MatchGoal *goal) {
    if (!goal)
        return true;
    if (goal->is_element)
        return solve_element(m, goal);
    if (goal->at == goal->count)
        return solve(m, goal->next);
    Expr pattern = goal->patterns[goal->at];
    for (int i = 0; i < goal->count; i++) {
        if (goal->used >> i & 1)
            continue;
        if (m->steps-- <= 0)
            return false;
        MatchGoal rest = *goal;
        rest.at++;
        rest.used |= 1u << i;
        PatternBinding before = m->binding;
        if (solve_term(m, pattern, goal->inputs[i], &rest))
            return true;
        m->binding = before;
    }
    return false;
}

bool match_tuple(Recogniser *r, const Expr *patterns, const Expr *values, const int *group,
                 int count, PatternBinding *binding) {
    Matcher m = {.r = r, .binding = *binding, .group = group, .count = count, .steps = STEPS};
    MatchGoal goals[ASSOCIATIVE_MAX];
    for (int i = 0; i < count; i++)
        goals[i] = (MatchGoal){.patterns = patterns,
                               .inputs = values,
                               .at = i,
                               .is_element = true,
                               .next = i + 1 < count ? &goals[i + 1] : NULL};
    if (!solve(&m, goals))
        return false;
    *binding = m.binding;
    return true;
}
