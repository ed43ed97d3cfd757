/* Every rule of the table fires: a rule that never does is a mistake that nobody sees.
 *
 * Instances of its left side are built, wildcards as variables and constants from a few small ones,
 * its guard is learned as a fact, and the simplifier must apply the rule to one of them (of the
 * solver's rules the solver, wildcards for terms with its variable as several such terms).  A rule
 * whose every instance another rule or a normal form takes first fails the test.
 */
#include "simplify/solver.h"

#include <stdio.h>

static Context *context;
static Pool *pool;

static const int64_t values[] = {1, 2, 3, 4, 8, 12, 0, -1, -3, 5};
static const double float_values[] = {1, 2, 3, 0.5, -0.0, __builtin_nan(""), 0, -1, -3, 8};
#define VALUES 10

static Expr constant(Type type, int choice) {
    return type_is_float(type) ? expr_float(pool, type, float_values[choice])
                               : expr_constant(pool, type, values[choice]);
}

enum { LANES = 8 };

typedef struct Instance {
    const Rule *rule;
    Type type;
    Expr slots[RULE_SLOTS];
} Instance;

static Expr node(int op, const Expr *operands) {
    if (op == OP_RAMP)
        return expr_ramp(pool, operands[0], operands[1], LANES);
    if (op == OP_BROADCAST)
        return expr_broadcast(pool, operands[0], LANES);
    return expr_apply(pool, (Op)op, operands);
}

static Expr build(const Instance *instance, const RuleTerm *code, int length) {
    Expr stack[RULE_TERMS];
    int height = 0;
    for (int at = length - 1; at >= 0; at--) {
        const RuleTerm *term = &code[at];
        Expr operands[OP_MAX_ARITY];
        switch (term->op) {
        case TERM_WILDCARD:
        case TERM_CONSTANT:
            stack[height++] = instance->slots[term->value];
            continue;
        case TERM_LITERAL:
            stack[height++] = type_is_float(instance->type)
                                  ? expr_float(pool, instance->type, term->value)
                                  : expr_constant(pool, instance->type, term->value);
            continue;
        case TERM_LANES:
            stack[height++] = expr_index(pool, LANES);
            continue;
        case TERM_POWER: /* the matcher says of which constants it holds */
            stack[height - 1] = expr_bool(pool, true);
            continue;
        case TERM_TRUTH:
            stack[height++] = expr_bool(pool, term->value);
            continue;
        default:
            break;
        }
        for (int i = 0; i < rule_term_arity(term); i++)
            operands[i] = stack[--height];
        stack[height++] = node(term->op, operands);
    }
    return stack[0];
}

static bool is_constant_slot(const Rule *rule, int slot) {
    for (int i = 0; i < rule->left_length; i++)
        if (rule->left[i].op == TERM_CONSTANT && rule->left[i].value == slot)
            return true;
    return false;
}

/* Does the slot stand for a vector: outside of ramps and broadcasts? */
static bool is_vector_slot(const Rule *rule, int slot) {
    const RuleTerm *end = rule->left + rule->left_length;
    for (const RuleTerm *term = rule->left; term < end; term++) {
        if (term->op == TERM_WILDCARD && term->value == slot)
            return rule->rule_class == RULES_VECTORS;
        if (term->op == OP_RAMP || term->op == OP_BROADCAST)
            term = rule_term_end(term) - 1;
    }
    return false;
}

static uint64_t applied(const Simplifier *s, size_t first, size_t last) {
    uint64_t count = 0;
    for (size_t i = first; s->applications && i < last; i++)
        count += s->applications[i];
    return count;
}

static bool fires_in(Arena *arena, const Instance *instance, size_t first, size_t last) {
    const Rule *rule = instance->rule;
    Simplifier *s = simplifier_create(pool, arena);
    if (rule->guard_length) {
        Expr guard = simplify(s, build(instance, rule->guard, rule->guard_length));
        if (expr_is_false(guard))
            return false;
        simplifier_learn(s, guard);
    }
    Expr left = build(instance, rule->left, rule->left_length);
    if (rule->rule_class == RULES_SOLVE && !type_is_bool(left->type)) /* two terms of a sum */
        left = expr_le(pool, left, expr_variable(pool, context_symbol(context, "limit"), INDEX));
    uint64_t before = applied(s, first, last);
    if (rule->rule_class == RULES_SOLVE) {
        EquationSolver solver = solver_create(s, left, context_symbol(context, "target"));
        if (solver.target)
            solver_condition(&solver, left);
    } else {
        simplify(s, left);
    }
    return applied(s, first, last) > before;
}

static bool fires(const Instance *instance, size_t first, size_t last) {
    Arena *arena = arena_create(&context->memory);
    bool result = fires_in(arena, instance, first, last);
    arena_destroy(arena);
    return result;
}

/* A term with the target: itself, times a variable, modulo a number; of bools, whether it is less
 * than another. */
static Expr with_target(Expr free, Type type, int style, int slot) {
    Expr target = expr_variable(pool, context_symbol(context, "target"), INDEX);
    if (type_is_bool(type))
        return expr_binary(pool, OP_EQ, expr_mod(pool, target, expr_index(pool, slot + 5)),
                           expr_index(pool, 1));
    if (style == 0 && slot == 0)
        return target;
    return style == 2 ? expr_mod(pool, target, expr_index(pool, slot + 5))
                      : expr_mul(pool, target, free);
}

/* u8, or another type that the rule claims. */
static Type machine_type(const Rule *rule) {
    Type type = U8;
    for (int i = 0; i < TYPE_COUNT && !(rule->types >> type_number(type) & 1); i++)
        if (rule->types >> i & 1)
            type = type_by_number(i);
    return type;
}

/* The rule and its variants stand at first .. last - 1 of the table. */
static bool some_instance_fires(size_t first, size_t last) {
    static const char *const names[] = {"p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "a"};
    const Rule *rule = &rule_table[first];
    Instance instance = {.rule = rule, .type = INDEX};
    if (rule->rule_class == RULES_MACHINE)
        instance.type = machine_type(rule);
    if (rule->rule_class == RULES_ANY || rule->rule_class == RULES_FLOAT)
        instance.type = F32;
    int constants = 0;
    for (int i = 0; i < rule->slot_count; i++)
        constants += is_constant_slot(rule, i);
    int choices = 1;
    for (int i = 0; i < constants; i++)
        choices *= VALUES;
    int styles = rule->rule_class == RULES_SOLVE ? 3 : 1;
    /* The variables in two orders, so that commuted operands come in both. */
    for (int choice = 0; choice < 2 * styles * choices; choice++) {
        int style = choice / 2 % styles, rest = choice / 2 / styles;
        for (int i = 0; i < rule->slot_count; i++) {
            bool is_bool = rule->bool_slots >> i & 1;
            Type type = is_bool ? BOOL : instance.type;
            if (is_vector_slot(rule, i))
                type.lanes = LANES;
            const char *name = names[choice % 2 ? 11 - i : i];
            if (is_constant_slot(rule, i)) {
                instance.slots[i] = constant(type, rest % VALUES);
                rest /= VALUES;
            } else {
                instance.slots[i] = expr_variable(pool, context_symbol(context, name), type);
                /* What matches either kind is one in one style, the other in the others. */
                bool free = style == 0 || rule->free_slots >> i & 1;
                if (rule->rule_class == RULES_SOLVE && (rule->target_slots >> i & 1 || !free))
                    instance.slots[i] = with_target(instance.slots[i], type, style, i);
            }
        }
        if (fires(&instance, first, last))
            return true;
    }
    return false;
}

int main(void) {
    int silent = 0, rules = 0;
    for (size_t first = 0, last; first < rule_table_count; first = last, rules++) {
        context = context_create();
        context->checks_order = true;
        pool = pool_create(context, context->arena);
        for (last = first + 1; last < rule_table_count && rule_table[last].variant; last++)
            continue;
        const Rule *rule = &rule_table[first];
        if (!some_instance_fires(first, last)) {
            silent++;
            printf("%s:%d: %s\n", rule->file, rule->line, rule->text);
        }
        context_destroy(context);
    }
    printf("%d rules, %d never fire\n", rules, silent);
    return silent != 0;
}
