/* chain.c -- min, max, && and || as chains: associative and commutative operators in normal form.
 *
 * Nested nodes of one such operator form one chain. Its operands occur once each, in structural
 * order, constants last, bracketed to the left: `min(min(x, y), 3)`. The rules of the operator are
 * tried on each two operands of the chain. The result of a rule replaces both. So a rule for
 * `min(x, max(x, y))` needs no copies for longer chains.  A min or max of values is no such
 * chain: it keeps its brackets.
 */
#include "simplify/internal.h"

#define MAX_CHAIN_LENGTH 16 /* operands; longer chains are left unchanged */

/* Of nodes, counted as a tree. Larger ones are left unchanged, too: each pair of their operands is
 * a large proof. The end of a region behind many clamps is such a node. */
enum { LARGEST = 1 << 12 };

typedef struct Chain {
    Expr operands[MAX_CHAIN_LENGTH];
    int count;
} Chain;

static bool add(Chain *chain, Expr operand) {
    for (int i = 0; i < chain->count; i++)
        if (chain->operands[i] == operand)
            return true;
    if (chain->count == MAX_CHAIN_LENGTH)
        return false;
    chain->operands[chain->count++] = operand;
    return true;
}

static bool collect(Chain *chain, Op op, Expr node) {
    Expr stack[MAX_CHAIN_LENGTH * 2];
    int height = 1;
    stack[0] = node;
    while (height) {
        Expr top = stack[--height];
        if (top->op != op) {
            if (!add(chain, top))
                return false;
            continue;
        }
        if (height + 2 > MAX_CHAIN_LENGTH * 2)
            return false;
        stack[height++] = top->arguments[1];
        stack[height++] = top->arguments[0];
    }
    return true;
}

static bool in_order(Expr a, Expr b) {
    if (expr_is_constant(a) != expr_is_constant(b))
        return expr_is_constant(b);
    return expr_compare(a, b) <= 0;
}

static void sort(Chain *chain) {
    for (int i = 1; i < chain->count; i++) {
        Expr operand = chain->operands[i];
        int at = i;
        for (; at > 0 && !in_order(chain->operands[at - 1], operand); at--)
            chain->operands[at] = chain->operands[at - 1];
        chain->operands[at] = operand;
    }
}

/* `normal`: no two operands join. */
static Expr build(Simplifier *s, Op op, const Chain *chain, bool normal) {
    Expr result = chain->operands[0];
    for (int i = 1; i < chain->count; i++) {
        result = expr_binary(s->pool, op, result, chain->operands[i]);
        if (normal)
            memo_mark(s, result, NORMAL_CHAIN);
    }
    return result;
}

/* Returns the operand that min or max of machine integers always equals; null if unknown. */
static Expr decided(Simplifier *s, Op op, Expr a, Expr b) {
    ConstantInterval x = known_of(s, a)->interval, y = known_of(s, b)->interval;
    if (x.has_maximum && y.has_minimum && x.maximum <= y.minimum)
        return op == OP_MIN ? a : b;
    if (y.has_maximum && x.has_minimum && y.maximum <= x.minimum)
        return op == OP_MIN ? b : a;
    return NULL;
}

/* Joins two operands; null if the result is not smaller. `node`: the chain. */
static Expr join(Simplifier *s, Expr node, Expr a, Expr b) {
    Op op = (Op)node->op;
    Expr operands[] = {a, b};
    Expr both = expr_binary(s->pool, op, a, b);
    if (expr_is_constant(both))
        return both;
    Expr arm = NULL;
    if (type_is_vector(a->type)) /* rules alone compare ramps */
        arm = NULL;
    else if (type_is_index(a->type) && both == node)
        arm = NULL; /* arms_step has seen it */
    else if (type_is_index(a->type))
        arm = arms_decided(s, both);
    else if (type_is_machine_integer(a->type))
        arm = decided(s, op, a, b);
    if (arm)
        return arm;
    Expr result = match_rules(s, op, operands);
    return result == both ? NULL : result;
}

static bool contains(const Chain *chain, Expr operand) {
    for (int i = 0; i < chain->count; i++)
        if (chain->operands[i] == operand)
            return true;
    return false;
}

/* Two operands of one argument did not join when the argument was simplified. */
static bool join_any(Simplifier *s, Expr node, const Chain *parts, Chain *chain) {
    unsigned within[2] = {0, 0};
    for (int i = 0; i < chain->count; i++)
        for (int k = 0; k < 2; k++)
            within[k] |= (unsigned)contains(&parts[k], chain->operands[i]) << i;
    for (int i = 0; i < chain->count; i++)
        for (int j = i + 1; j < chain->count; j++) {
            if ((within[0] >> i & within[0] >> j & 1) || (within[1] >> i & within[1] >> j & 1))
                continue;
            Expr result = join(s, node, chain->operands[i], chain->operands[j]);
            if (!result)
                continue;
            chain->operands[i] = result;
            chain->operands[j] = chain->operands[--chain->count];
            return true;
        }
    return false;
}

bool chain_is(Expr node) {
    switch (node->op) {
    case OP_MIN:
    case OP_MAX:
        return !type_is_float(node->type);
    case OP_AND:
    case OP_OR:
        return true;
    default: /* not associative and commutative, or a sum or product */
        return false;
    }
}

/* ---- min and max of values ---- */

/* The operands of an argument: of the operator itself, or the argument alone. */
static int operands_of(Op op, Expr argument, Expr operands[2]) {
    bool is_pair = argument->op == op;
    operands[0] = is_pair ? argument->arguments[0] : argument;
    operands[1] = is_pair ? argument->arguments[1] : NULL;
    return is_pair ? 2 : 1;
}

/* The node without an operand that another one joins; null if that takes more operators.  `joined`
 * replaces operand `i` of the left argument and operand `j` of the right one. */
static Expr without(Pool *pool, Expr node, Expr left[2], int i, Expr right[2], int j, Expr joined) {
    Op op = (Op)node->op;
    Expr more_left = left[1 - i], more_right = right[1 - j];
    if (joined == left[i])
        return more_right ? expr_binary(pool, op, node->arguments[0], more_right)
                          : node->arguments[0];
    if (joined == right[j])
        return more_left ? expr_binary(pool, op, more_left, node->arguments[1])
                         : node->arguments[1];
    if (more_left && more_right)
        return NULL;
    Expr more = more_left ? more_left : more_right;
    return more ? expr_binary(pool, op, more, joined) : joined;
}

/* A step of a min or max of values.  Other nodes may share its parts: the exchanges of a sorting
 * network do.  New brackets would compute these parts again, so only operands of the arguments
 * join, and the others stay where they are. */
static Expr values_step(Simplifier *s, Expr node) {
    Op op = (Op)node->op;
    Expr left[2], right[2], a = node->arguments[0], b = node->arguments[1];
    int left_count = operands_of(op, a, left), right_count = operands_of(op, b, right);
    for (int i = 0; i < 2; i++) {
        if (right[i] == a)
            return b;
        if (left[i] == b)
            return a;
    }
    for (int i = 0; i < left_count; i++)
        for (int j = 0; j < right_count; j++) {
            Expr joined = left[i] == right[j] ? NULL : join(s, node, left[i], right[j]);
            Expr result = joined ? without(s->pool, node, left, i, right, j, joined) : NULL;
            if (result)
                return result;
        }
    Expr result = in_order(a, b) ? node : expr_binary(s->pool, op, b, a);
    memo_mark(s, result, NORMAL_CHAIN);
    return result;
}

Expr chain_step(Simplifier *s, Expr node) {
    Chain chain, parts[2];
    Op op = (Op)node->op;
    if (type_is_machine_integer(node->type))
        return values_step(s, node);
    if (node->tree_size > LARGEST)
        return node;
    chain.count = parts[0].count = parts[1].count = 0;
    if (!collect(&chain, op, node) || !collect(&parts[0], op, node->arguments[0]) ||
        !collect(&parts[1], op, node->arguments[1]))
        return node;
    sort(&chain);
    bool joined = join_any(s, node, parts, &chain);
    if (joined)
        sort(&chain);
    return build(s, op, &chain, !joined);
}
