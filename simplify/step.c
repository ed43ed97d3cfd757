/* step.c -- takes one step of a node with simplified arguments, and creates simplifiers.
 *
 * A node whose interval is a point becomes a constant. Integer sums, comparisons and arms are
 * brought into normal form (sum_step.c, compare.c, arms.c). Then the first matching rule applies.
 */
#include "simplify/internal.h"

#define FIRST_FRAMES 16
#define FIRST_NODES  256

static bool is_whole(Type type) {
    return type.lanes == 1 && !type_is_float(type);
}

/* Returns the constant that the node is known to equal; else null. */
static Expr constant(Simplifier *s, Expr node) {
    if (node->op == OP_CONSTANT || !is_whole(node->type))
        return NULL;
    ConstantInterval interval = known_of(s, node)->interval;
    return interval_is_point(interval) ? expr_constant(s->pool, node->type, interval.minimum)
                                       : NULL;
}

static Expr arms(Simplifier *s, Expr node) {
    Expr absolute = absolute_step(s, node);
    return absolute != node ? absolute : arms_step(s, node);
}

static Expr convert(Simplifier *s, Expr node) {
    Expr converted = convert_step(s, node);
    return converted != node ? converted : narrow_step(s, node);
}

static Expr values(Simplifier *s, Expr node) {
    Expr narrow = narrow_step(s, node);
    return narrow != node ? narrow : exact_step(s, node);
}

/* Applies the normal forms of integer nodes, and value-preserving conversions to floats. */
static Expr normalise(Simplifier *s, Expr node) {
    bool over_integers = type_is_index(node->arguments[node->arity - 1]->type);
    switch (node->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_NEG:
        return over_integers ? sum_step(s, node) : node;
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
        return over_integers ? compare_step(s, node) : values(s, node);
    case OP_DIV:
    case OP_MOD:
        return over_integers ? divide_step(s, node) : node;
    case OP_MIN:
    case OP_MAX:
        return over_integers ? arms(s, node) : values(s, node);
    case OP_SELECT:
        return over_integers ? arms(s, node) : node;
    case OP_ABS:
        return over_integers ? absolute_step(s, node) : exact_step(s, node);
    case OP_CAST:
        return type_is_float(node->arguments[0]->type) ? exact_step(s, node) : convert(s, node);
    case OP_SATURATING_CAST:
        return convert(s, node);
    default: /* no normal form besides the rules' results */
        return exact_step(s, node);
    }
}

static void find_chosen_read(void *data, Expr node) {
    bool *found = data;
    *found |= node->op == OP_SELECT &&
              (node->arguments[1]->op != OP_CONSTANT || node->arguments[2]->op != OP_CONSTANT);
}

/* Would a select become a chain, whose operands are all evaluated, and which contains a read of one
 * arm only? The read's index may be right only if that arm is chosen. */
static bool makes_reads_unconditional(const Simplifier *s, Expr node, Expr result) {
    bool is_choice = false;
    if ((result->op != OP_AND && result->op != OP_OR) || chain_is(node) || !expr_has_access(node))
        return false;
    expr_visit(s->arena, node, find_chosen_read, &is_choice);
    return is_choice;
}

/* Takes one step of a node with simplified arguments; returns the node itself if there is none. */
static Expr step(Simplifier *s, Expr node) {
    Expr known = constant(s, node);
    if (known)
        return known;
    if (node->op >= OP_COUNT || !node->arity)
        return node;
    bool vector = type_is_vector(node->type);
    Expr normal = node;
    if (vector)
        normal = vector_step(s, node);
    else if (!memo_is(s, node, NORMAL_NODE))
        normal = normalise(s, node);
    if (normal != node)
        return normal;
    Expr result = node;
    if (!chain_is(node))
        result = match_rules(s, (Op)node->op, node->arguments);
    else if (!memo_is(s, node, NORMAL_CHAIN))
        result = chain_step(s, node); /* tries the rules on each two operands */
    if (result && result != node && !makes_reads_unconditional(s, node, result))
        return result;
    return vector ? node : context_step(s, node);
}

Simplifier *simplifier_create_bare(Pool *pool, Arena *arena) {
    Simplifier *s = arena_new(arena, Simplifier);
    s->pool = pool;
    s->arena = arena;
    s->last_epoch = NO_FACT;
    s->fact_index = map_create(arena);
    s->float_ranges = map_create(arena);
    s->is_bare = true;
    s->step = step;
    vec_reserve(arena, &s->frames, FIRST_FRAMES);
    vec_reserve(arena, &s->known_stack, FIRST_FRAMES);
    arena_reserve(pool->arena, FIRST_NODES * sizeof(struct Node));
    return s;
}

Simplifier *simplifier_create(Pool *pool, Arena *arena) {
    Simplifier *s = simplifier_create_bare(pool, arena);
    s->is_bare = false;
    if (pool->context->checks_order)
        s->decrease = decrease_create(arena);
    return s;
}

void simplifier_set_options(Simplifier *simplifier, SimplifierOptions options) {
    simplifier->options = options;
}

void simplifier_print_statistics(const Simplifier *s, FILE *out) {
    for (size_t i = 0; s->applications && i < rule_table_count; i++) {
        const Rule *rule = &rule_table[i];
        uint64_t total = s->applications[i];
        while (i + 1 < rule_table_count && rule_table[i + 1].variant)
            total += s->applications[++i];
        if (total)
            fprintf(out, "%8llu  %s (%s:%d)\n", (unsigned long long)total, rule->name, rule->file,
                    rule->line);
    }
    fprintf(out, "%8llu  in all\n", (unsigned long long)s->applied);
}
