/* context.c -- simplifies expressions under the conditions beside them.
 *
 *   x <= 2 && (x <= 4 || y <= 6)   becomes  x <= 2
 *   x <= 4 || x <= 2 && y <= 6              x <= 4
 *   select(x <= 2, min(x, 4), y)            select(x <= 2, x, y)
 *
 * An operand of && may assume that the others hold, an operand of || that the others fail. An arm
 * of a select may assume its condition.
 *
 * A part is simplified with its neighbours as facts (facts.c). Only small nodes that share an
 * unknown with their neighbours are simplified so, with facts nested to a depth of two. So the cost
 * does not grow with the depth of an expression. An inner node gets the same treatment when it is
 * the root of its own context, so the result is fully simplified.
 *
 * Results under facts have a memo of their own, because the outer memo is in use by the engine.
 */
#include "simplify/internal.h"

#define LARGEST  64 /* nodes as a tree */
#define OPERANDS 8  /* of a chain; longer ones are left unchanged */
#define UNKNOWNS 16

/* ---- do two expressions share an unknown? ---- */

typedef struct ContextUnknowns {
    Expr data[UNKNOWNS];
    int count;
    bool many; /* more than there is room for */
} ContextUnknowns;

static void add_unknown(ContextUnknowns *unknowns, Expr leaf) {
    for (int i = 0; i < unknowns->count; i++)
        if (unknowns->data[i] == leaf)
            return;
    if (unknowns->count == UNKNOWNS)
        unknowns->many = true;
    else
        unknowns->data[unknowns->count++] = leaf;
}

/* Of an expression of at most LARGEST nodes. */
static ContextUnknowns unknowns_of(Expr expr) {
    ContextUnknowns unknowns = {.count = 0};
    Expr stack[LARGEST + OP_MAX_ARITY] = {expr};
    int height = 1;
    while (height) {
        Expr top = stack[--height];
        if (top->op >= OP_COUNT && top->op != OP_CONSTANT)
            add_unknown(&unknowns, top);
        else
            for (int i = 0; i < top->arity; i++)
                stack[height++] = top->arguments[i];
    }
    return unknowns;
}

static bool meets(const ContextUnknowns *a, const ContextUnknowns *b) {
    if (a->many || b->many)
        return true;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->data[i] == b->data[j])
                return true;
    return false;
}

static bool within(const ContextUnknowns *a, const ContextUnknowns *b) {
    for (int i = 0; i < a->count; i++) {
        int j = 0;
        while (j < b->count && b->data[j] != a->data[i])
            j++;
        if (j == b->count)
            return false;
    }
    return true;
}

/* Is it one fact (facts.c), and not many? */
static bool is_one_fact(Expr condition) {
    if (condition->op == OP_NOT)
        condition = condition->arguments[0];
    if (condition->op != OP_LT && condition->op != OP_LE && condition->op != OP_EQ &&
        condition->op != OP_NE)
        return false;
    for (int i = 0; i < 2; i++)
        if (condition->arguments[i]->op == OP_MIN || condition->arguments[i]->op == OP_MAX)
            return false;
    return true;
}

/* Can the condition be a useful fact about an expression? A fact is found again only in an
 * expression with all its unknowns. */
static bool tells(Expr condition, const ContextUnknowns *given, const ContextUnknowns *own) {
    bool one = is_one_fact(condition) && !given->many && !own->many;
    return one ? within(given, own) : meets(given, own);
}

/* ---- under facts ---- */

typedef struct Outside {
    FactMark mark;
    int64_t budget;
    Memo memo;
} Outside;

static Outside enter(Simplifier *s) {
    Outside outside = {simplifier_mark(s), s->budget, s->memo};
    s->memo = s->context_memos[s->context_depth++];
    return outside;
}

static void leave(Simplifier *s, Outside outside) {
    simplifier_release(s, outside.mark);
    s->context_memos[--s->context_depth] = s->memo;
    s->memo = outside.memo;
    s->budget = outside.budget;
}

/* ---- select ---- */

/* The condition is simplified, except for the facts known here. */
static Expr arm_under(Simplifier *s, Expr arm, Expr condition, bool holds) {
    Outside outside = enter(s);
    fact_learn(s, condition, holds);
    Expr result = simplify(s, arm);
    leave(s, outside);
    return result;
}

static Expr in_arms(Simplifier *s, Expr node) {
    Expr arguments[] = {node->arguments[0], node->arguments[1], node->arguments[2]};
    ContextUnknowns given = unknowns_of(arguments[0]);
    for (int i = 1; i <= 2; i++) {
        ContextUnknowns own = unknowns_of(arguments[i]);
        if (arguments[i]->arity && tells(arguments[0], &given, &own))
            arguments[i] = arm_under(s, arguments[i], arguments[0], i == 1);
    }
    return expr_apply(s->pool, OP_SELECT, arguments);
}

/* ---- && and || ---- */

typedef struct ContextOperands {
    Expr data[OPERANDS];
    ContextUnknowns unknowns[OPERANDS];
    int count;
} ContextOperands;

/* The chain is bracketed to the left (chain.c). */
static bool collect(ContextOperands *operands, Expr node) {
    Expr stack[OPERANDS + 1] = {node};
    int height = 1;
    operands->count = 0;
    while (height) {
        Expr top = stack[--height];
        if (top->op != node->op) {
            if (operands->count == OPERANDS)
                return false;
            operands->unknowns[operands->count] = unknowns_of(top);
            operands->data[operands->count++] = top;
            continue;
        }
        if (height + 2 > OPERANDS + 1)
            return false;
        stack[height++] = top->arguments[1];
        stack[height++] = top->arguments[0];
    }
    return true;
}

/* Simplifies operand i if the others hold (or, for ||, fail). */
static Expr beside_others(Simplifier *s, Op op, const ContextOperands *operands, int i) {
    bool learned = false;
    Outside outside = enter(s);
    for (int k = 0; k < operands->count; k++) {
        Expr other = operands->data[k];
        if (k == i || !meets(&operands->unknowns[k], &operands->unknowns[i]))
            continue;
        fact_learn(s, other, op == OP_AND);
        learned = true;
    }
    Expr result = learned ? simplify(s, operands->data[i]) : operands->data[i];
    leave(s, outside);
    return result;
}

/* Returns the index of the next operand, smallest first: of two equivalent operands the small one
 * is removed. */
static int next_operand(const ContextOperands *operands, unsigned done) {
    int next = -1;
    for (int i = 0; i < operands->count; i++)
        if (!(done >> i & 1) &&
            (next < 0 || operands->data[i]->tree_size < operands->data[next]->tree_size))
            next = i;
    return next;
}

static Expr in_chain(Simplifier *s, Expr node) {
    ContextOperands operands;
    unsigned done = 0;
    bool changed = false;
    if (!collect(&operands, node))
        return node;
    for (int i; (i = next_operand(&operands, done)) >= 0; done |= 1u << i) {
        if (expr_has_access(operands.data[i]))
            continue; /* it is always evaluated: its indices must not rely on the others */
        Expr operand = beside_others(s, (Op)node->op, &operands, i);
        if (operand == operands.data[i])
            continue;
        operands.unknowns[i] = unknowns_of(operand);
        operands.data[i] = operand;
        changed = true;
    }
    Expr result = operands.data[0];
    for (int i = 1; i < operands.count; i++)
        result = expr_binary(s->pool, (Op)node->op, result, operands.data[i]);
    return changed ? result : node; /* chain.c brackets in its own way */
}

Expr context_step(Simplifier *s, Expr node) {
    if (s->is_bare || s->context_depth == CONTEXT_DEPTH || node->tree_size > LARGEST)
        return node;
    switch (node->op) {
    case OP_SELECT:
        return in_arms(s, node);
    case OP_AND:
    case OP_OR:
        return in_chain(s, node);
    default: /* has no context */
        return node;
    }
}
