/* simplify.c -- the engine: bottom-up, each node until nothing more applies to it, memoised.
 *
 * A node whose arguments are simplified takes one step: it is folded where its interval is a point;
 * integer sums, comparisons and arms come into normal form (sum.c, compare.c, arms.c); then the
 * first rule that matches applies.  What a step makes is simplified again, arguments first, and is
 * the result.  A stack of frames stands for the recursion.
 *
 * Rules go down in a reduction order, so this ends; a budget of steps taken on what steps made
 * holds even if the order were wrong (`exhausted` counts that, and tests assert that it stays 0).
 */
#include "simplify/internal.h"

#include <string.h>

enum { ARGUMENTS, STEP, RESULT };

#define BUDGET       65536
#define FIRST_PAGES  16
#define FIRST_FRAMES 16
#define FIRST_NODES  256
#define MAX_CHAIN    512

Simplifier *simplifier_create_bare(Pool *pool, Arena *arena) {
    Simplifier *s = arena_new(arena, Simplifier);
    s->pool = pool;
    s->arena = arena;
    s->last_epoch = NO_FACT;
    s->fact_index = map_create(arena);
    s->is_bare = true;
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

NodeMemo *memo_page(Simplifier *s, uint32_t page) {
    Memo *memo = &s->memo;
    uint32_t count = memo->count ? memo->count : FIRST_PAGES;
    while (count <= page)
        count *= 2;
    if (count > memo->count) {
        NodeMemo **pages = arena_array(s->arena, NodeMemo *, count);
        if (memo->count)
            memcpy(pages, memo->pages, memo->count * sizeof *pages);
        *memo = (Memo){pages, count};
    }
    return memo->pages[page] = arena_array(s->arena, NodeMemo, MEMO_PAGE);
}

static Expr recall(Simplifier *s, Expr expr) {
    const NodeMemo *memo = memo_of(s, expr);
    return memo->result_epoch == memo_epoch(s, expr) ? memo->result : NULL;
}

static void remember(Simplifier *s, Expr expr, Expr result) {
    NodeMemo *memo = memo_of(s, expr);
    memo->result_epoch = memo_epoch(s, expr);
    memo->result = result;
}

void memo_mark(Simplifier *s, Expr expr, NormalForm form) {
    NodeMemo *memo = memo_of(s, expr);
    uint32_t epoch = memo_epoch(s, expr);
    memo->normal = (uint16_t)(form | (memo->normal_epoch == epoch ? memo->normal : 0));
    memo->normal_epoch = epoch;
}

static bool is_whole(Type type) {
    return type.lanes == 1 && !type_is_float(type);
}

/* The constant that the node is known to be; null where it is not. */
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

/* The normal forms of integer nodes, and what conversions to floats keep. */
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
    default: /* no normal form but what rules make */
        return exact_step(s, node);
    }
}

static void find_chosen_read(void *data, Expr node) {
    bool *found = data;
    *found |= node->op == OP_SELECT &&
              (node->arguments[1]->op != OP_CONSTANT || node->arguments[2]->op != OP_CONSTANT);
}

/* Would a choice become a chain, of which all operands are evaluated, with a read that was made in
 * one arm only?  Its index may be right where the arm is chosen, and nowhere else. */
static bool makes_reads_unconditional(const Simplifier *s, Expr node, Expr result) {
    bool is_choice = false;
    if ((result->op != OP_AND && result->op != OP_OR) || chain_is(node) || !expr_has_access(node))
        return false;
    expr_visit(s->arena, node, find_chosen_read, &is_choice);
    return is_choice;
}

/* One step of a node whose arguments are simplified; itself where there is none. */
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

/* Does nothing become of it?  That is so of leaves and of sums in normal form, unless facts speak
 * of them. */
static bool is_settled(Simplifier *s, Expr expr) {
    switch (expr->op) {
    case OP_CONSTANT:
        return true;
    case OP_VARIABLE:
        return !s->facts.length;
    case OP_ADD:
    case OP_SUB:
        return !s->facts.length && memo_is(s, expr, NORMAL_SUM);
    default: /* not known */
        return false;
    }
}

static bool is_done(Simplifier *s, Expr expr) {
    if (recall(s, expr))
        return true;
    if (!is_settled(s, expr))
        return false;
    remember(s, expr, expr);
    return true;
}

/* Both arms of a choice are evaluated, and all operands of && and ||: what a read in one of them
 * has for indices must be right where the others say nothing.  So there they stay as they are. */
static bool keeps_arguments(const Simplifier *s, Expr expr) {
    return !expr->arity || (expr->op == OP_ACCESS && s->context_depth > 0);
}

/* Pushes the arguments that have no result yet. */
static void enter(Simplifier *s, Expr expr, uint16_t chain) {
    for (int i = keeps_arguments(s, expr) ? -1 : expr->arity - 1; i >= 0; i--)
        if (!is_done(s, expr->arguments[i]))
            vec_push(
                s->arena, &s->frames,
                (SimplifierFrame){.expr = expr->arguments[i], .state = ARGUMENTS, .chain = chain});
}

static Expr rebuild(Simplifier *s, Expr expr) {
    Expr small[MAX_SMALL_ARITY], *arguments = small;
    if (keeps_arguments(s, expr))
        return expr;
    if (expr->arity > MAX_SMALL_ARITY)
        arguments = arena_array(s->arena, Expr, expr->arity);
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = recall(s, expr->arguments[i]);
    return expr_with_arguments(s->pool, expr, arguments);
}

/* Takes one step of the frame on top; false where it is done. */
static bool advance(Simplifier *s, size_t at) {
    SimplifierFrame *frame = &s->frames.data[at];
    if (frame->state == RESULT) {
        Expr result = recall(s, frame->next);
        remember(s, frame->rebuilt, result);
        remember(s, frame->expr, result);
        return false;
    }
    if (recall(s, frame->expr))
        return false;
    if (frame->state == ARGUMENTS) {
        frame->state = STEP;
        uint16_t chain = frame->chain;
        enter(s, frame->expr, chain);
        if (s->frames.length > at + 1)
            return true;
    }
    Expr rebuilt = rebuild(s, frame->expr), result = recall(s, rebuilt);
    if (!result) {
        s->budget -= frame->chain > 0;
        bool spent = s->budget < 0 || frame->chain >= MAX_CHAIN;
        s->exhausted += spent;
        result = spent ? rebuilt : step(s, rebuilt);
        frame = &s->frames.data[at]; /* a context may have moved the frames */
        if (result != rebuilt && !is_done(s, result)) {
            frame->rebuilt = rebuilt;
            frame->next = result;
            frame->state = RESULT;
            SimplifierFrame next = {
                .expr = result, .state = ARGUMENTS, .chain = (uint16_t)(frame->chain + 1)};
            vec_push(s->arena, &s->frames, next);
            return true;
        }
        result = result == rebuilt ? rebuilt : recall(s, result);
        remember(s, rebuilt, result);
    }
    remember(s, frame->expr, result);
    return false;
}

Expr simplify(Simplifier *s, Expr expr) {
    Expr known = recall(s, expr);
    if (known)
        return known;
    size_t base = s->frames.length;
    s->budget = BUDGET + 32 * (int64_t)(expr->tree_size & 0xffffff);
    vec_push(s->arena, &s->frames, (SimplifierFrame){.expr = expr, .state = ARGUMENTS});
    while (s->frames.length > base)
        if (!advance(s, s->frames.length - 1))
            s->frames.length--;
    return recall(s, expr);
}
