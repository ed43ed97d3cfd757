/* expr.c -- hash-consing constructors. They fold constants and order operands, and do nothing else.
 * See expr.h. */
#include "ir/expr.h"

#include "base/hash.h"

#include <string.h>

Pool *pool_create(Context *context, Arena *arena) {
    Pool *pool = arena_new(arena, Pool);
    pool->context = context;
    pool->arena = arena;
    return pool;
}

/* The answers of the simplifier are forgotten with the nodes that they are about. */
void pool_trial_begin(PoolTrial *trial, Pool *pool, Arena *scratch) {
    hlc_assert(!trial->pool, "trials do not nest");
    Expr *slots = arena_array(scratch, Expr, pool->capacity);
    if (pool->capacity)
        memcpy(slots, pool->slots, pool->capacity * sizeof *slots);
    trial->saved = *pool;
    trial->pool = pool;
    pool->slots = slots;
    pool->arena = scratch;
    pool->answers = NULL;
}

void pool_trial_end(PoolTrial *trial) {
    if (trial->pool)
        *trial->pool = trial->saved;
    trial->pool = NULL;
}

/* Returns the payload as one word, to hash its content or compare its identity. */
static uint64_t payload_hash(const struct Node *node) {
    switch (node->op) {
    case OP_CONSTANT:
        return (uint64_t)node->bits;
    case OP_VARIABLE:
    case OP_ACCESS:
    case OP_EXTERN:
        return node->name->hash;
    case OP_HOLE: {
        const Hole *hole = node->hole;
        uint64_t hash = hash_mix(hole->func->hash, hole->variable->hash);
        hash = hash_mix(hash, (uint64_t)hole->kind * 2 + hole->end);
        hash = hash_mix(hash, (uint64_t)hole->specialization);
        return hash_mix(hash, (uint64_t)hole->stage * 65536 + (uint64_t)hole->copy);
    }
    default:
        return 0;
    }
}

static bool same_hole(const Hole *a, const Hole *b) {
    return a->kind == b->kind && a->end == b->end && a->func == b->func &&
           a->specialization == b->specialization && a->stage == b->stage && a->copy == b->copy &&
           a->variable == b->variable;
}

static bool same_payload(const struct Node *a, const struct Node *b) {
    switch (a->op) {
    case OP_CONSTANT:
        return a->bits == b->bits;
    case OP_VARIABLE:
    case OP_ACCESS:
    case OP_EXTERN:
        return a->name == b->name;
    case OP_HOLE:
        return same_hole(a->hole, b->hole);
    default:
        return true;
    }
}

static uint64_t content_hash(const struct Node *node, const Expr *arguments) {
    uint64_t head = (uint64_t)node->component << 32 | (uint64_t)node->arity << 16 | node->op;
    uint64_t hash = (head ^ (uint64_t)type_word(node->type) << 32) * HASH_SEED;
    if (node->op >= OP_COUNT)
        hash = hash_mix(hash, payload_hash(node));
    for (int i = 0; i < node->arity; i++)
        hash = ((hash ^ arguments[i]->hash) + (hash >> 29)) * HASH_SEED;
    return hash ^ hash >> 32;
}

static bool same_node(const struct Node *node, const struct Node *wanted, const Expr *arguments) {
    if (node->hash != wanted->hash || node->op != wanted->op || node->arity != wanted->arity ||
        node->component != wanted->component || !type_equal(node->type, wanted->type) ||
        !same_payload(node, wanted))
        return false;
    for (int i = 0; i < node->arity; i++)
        if (node->arguments[i] != arguments[i])
            return false;
    return true;
}

static void grow(Pool *pool) {
    size_t capacity = pool->capacity ? pool->capacity * 2 : 1024;
    Expr *slots = arena_array(pool->arena, Expr, capacity);
    for (size_t i = 0; i < pool->capacity; i++) {
        Expr node = pool->slots[i];
        if (!node)
            continue;
        size_t slot = node->hash & (capacity - 1);
        while (slots[slot])
            slot = (slot + 1) & (capacity - 1);
        slots[slot] = node;
    }
    pool->slots = slots;
    pool->capacity = capacity;
}

static uint16_t held_by_operator(uint16_t op) {
    switch (op) {
    case OP_ACCESS:
        return HOLDS_ACCESS;
    case OP_HOLE:
        return HOLDS_HOLE;
    case OP_DIV:
    case OP_MOD:
        return HOLDS_DIVISION;
    case OP_MIN:
    case OP_MAX:
    case OP_SELECT:
        return HOLDS_CHOICE;
    default: /* sets no bit */
        return 0;
    }
}

static uint16_t held_by(const struct Node *node) {
    uint16_t holds = held_by_operator(node->op);
    if (type_is_machine_integer(node->type))
        holds |= HOLDS_NUMBER;
    if (node->op < OP_COUNT && (op_info((Op)node->op)->traits & ERRS))
        holds |= HOLDS_ERROR;
    return holds;
}

static uint32_t saturating_sum(uint32_t a, uint32_t b) {
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Returns the one node with this content. The caller fills all fields of `wanted` that do not
 * follow from others. */
static Expr intern(Pool *pool, struct Node *wanted, const Expr *arguments) {
    if (pool->count * 2 >= pool->capacity)
        grow(pool);
    wanted->hash = content_hash(wanted, arguments);
    size_t slot = wanted->hash & (pool->capacity - 1);
    for (; pool->slots[slot]; slot = (slot + 1) & (pool->capacity - 1))
        if (same_node(pool->slots[slot], wanted, arguments))
            return pool->slots[slot];
    struct Node *node =
        arena_allocate(pool->arena, sizeof *node + sizeof(Expr) * (size_t)wanted->arity);
    *node = *wanted;
    node->number = pool->next_number++;
    node->tree_size = node->depth = 1;
    node->holds = held_by(wanted);
    if (wanted->op >= OP_VARIABLE)
        node->unknowns = expr_unknown_bit(payload_hash(wanted));
    for (int i = 0; i < wanted->arity; i++) {
        node->arguments[i] = arguments[i];
        node->unknowns |= arguments[i]->unknowns;
        node->holds |= arguments[i]->holds;
        node->tree_size = saturating_sum(node->tree_size, arguments[i]->tree_size);
        if (arguments[i]->depth >= node->depth)
            node->depth = saturating_sum(arguments[i]->depth, 1);
    }
    pool->slots[slot] = node;
    pool->count++;
    return node;
}

Expr expr_constant(Pool *pool, Type type, Bits bits) {
    struct Node node = {.op = OP_CONSTANT, .type = type};
    node.bits = bits_wrap(type, bits);
    return intern(pool, &node, NULL);
}

Expr expr_index(Pool *pool, int64_t value) {
    return intern(pool, &(struct Node){.op = OP_CONSTANT, .type = INDEX, .bits = value}, NULL);
}
Expr expr_bool(Pool *pool, bool value) {
    return expr_constant(pool, BOOL, value);
}

Expr expr_float(Pool *pool, Type type, double value) {
    return expr_constant(pool, type, bits_from_double(type, value));
}

Expr expr_variable(Pool *pool, Symbol name, Type type) {
    return intern(pool, &(struct Node){.op = OP_VARIABLE, .type = type, .name = name}, NULL);
}

Expr expr_access(Pool *pool, Symbol name, int component, Type type, const Expr *indices,
                 int count) {
    for (int i = 0; i < count; i++)
        hlc_assert(type_is_index(indices[i]->type), "the indices of an access are of sort index");
    struct Node node = {.op = OP_ACCESS, .type = type, .arity = (uint16_t)count};
    node.component = (uint16_t)component;
    node.name = name;
    return intern(pool, &node, indices);
}

Expr expr_extern(Pool *pool, Symbol function, int component, Type type, const Expr *arguments,
                 int count) {
    struct Node node = {.op = OP_EXTERN, .type = type, .arity = (uint16_t)count};
    node.component = (uint16_t)component;
    node.name = function;
    return intern(pool, &node, arguments);
}

Expr expr_hole(Pool *pool, Hole hole) {
    struct Node node = {.op = OP_HOLE, .type = INDEX, .hole = &hole};
    Expr found = intern(pool, &node, NULL);
    if (found->hole == &hole) { /* a new node: copy the hole into the pool's arena */
        Hole *copy = arena_new(pool->arena, Hole);
        *copy = hole;
        ((struct Node *)found)->hole = copy;
    }
    return found;
}

static Expr vector(Pool *pool, Op op, Type type, int lanes, const Expr *arguments, int count) {
    hlc_assert(lanes > 1 && lanes <= UINT16_MAX, "a vector has 2 to 65535 lanes");
    for (int i = 0; i < count; i++)
        hlc_assert(!type_is_vector(arguments[i]->type), "a vector is made of scalars");
    type.lanes = (uint16_t)lanes;
    return intern(pool, &(struct Node){.op = (uint16_t)op, .type = type, .arity = (uint16_t)count},
                  arguments);
}

Expr expr_broadcast(Pool *pool, Expr scalar, int lanes) {
    return vector(pool, OP_BROADCAST, scalar->type, lanes, &scalar, 1);
}

Expr expr_ramp(Pool *pool, Expr base, Expr stride, int lanes) {
    Expr arguments[] = {base, stride};
    hlc_assert(type_is_index(base->type) && type_is_index(stride->type), "a ramp is of sort index");
    if (stride->op == OP_CONSTANT && stride->bits == 0)
        return expr_broadcast(pool, base, lanes);
    return vector(pool, OP_RAMP, INDEX, lanes, arguments, 2);
}

/* Constants go to the right; otherwise expr_compare decides. */
static bool in_order(Expr a, Expr b) {
    if ((a->op == OP_CONSTANT) != (b->op == OP_CONSTANT))
        return b->op == OP_CONSTANT;
    return a->op != b->op ? a->op < b->op : expr_compare(a, b) <= 0;
}

/* Computes an operator on constants. Returns false if folding is unsound in one of the readings. */
static bool fold(Op op, Type result, const Expr *arguments, int arity, Bits *bits) {
    Type operands[OP_MAX_ARITY];
    Bits values[OP_MAX_ARITY];
    for (int i = 0; i < arity; i++) {
        if (arguments[i]->op != OP_CONSTANT)
            return false;
        operands[i] = arguments[i]->type;
        values[i] = arguments[i]->bits;
    }
    Value value = value_apply(op, result, operands, values, NULL);
    *bits = value.bits;
    return value.error == ERROR_NONE;
}

static Expr build(Pool *pool, Op op, Type result, const Expr *arguments) {
    int arity = op_info(op)->arity;
    Bits bits;
    if (fold(op, result, arguments, arity, &bits))
        return expr_constant(pool, result, bits);
    bool turns =
        arity == 2 && op_commutes(op, arguments[0]->type) && !in_order(arguments[0], arguments[1]);
    Expr turned[] = {arguments[arity - 1], arguments[0]};
    return intern(pool,
                  &(struct Node){.op = (uint16_t)op, .type = result, .arity = (uint16_t)arity},
                  turns ? turned : arguments);
}

/* Is this arithmetic on, or a comparison of, two operands of sort index? */
static bool is_plain(const OpInfo *info, const Expr *arguments) {
    return info->arity == 2 && (info->traits & ON_INDEX) &&
           (info->types == TYPES_SAME || info->types == TYPES_COMPARE) &&
           type_equal(arguments[0]->type, INDEX) && type_equal(arguments[1]->type, INDEX);
}

Expr expr_apply(Pool *pool, Op op, const Expr *arguments) {
    const OpInfo *info = op_info(op);
    if (op == OP_GT || op == OP_GE)
        return expr_binary(pool, op == OP_GT ? OP_LT : OP_LE, arguments[1], arguments[0]);
    Type operands[OP_MAX_ARITY], result;
    if (is_plain(info, arguments)) /* most nodes take this path */
        return build(pool, op, info->types == TYPES_SAME ? INDEX : BOOL, arguments);
    for (int i = 0; i < info->arity; i++)
        operands[i] = arguments[i]->type;
    hlc_assert(info->types != TYPES_CONVERT, "a conversion states its type");
    hlc_assert(op_result_type(op, operands, &result), "an operator's operands have fitting types");
    return build(pool, op, result, arguments);
}

Expr expr_unary(Pool *pool, Op op, Expr a) {
    return expr_apply(pool, op, &a);
}

Expr expr_binary(Pool *pool, Op op, Expr a, Expr b) {
    Expr arguments[] = {a, b};
    return expr_apply(pool, op, arguments);
}

Expr expr_select(Pool *pool, Expr condition, Expr a, Expr b) {
    Expr arguments[] = {condition, a, b};
    return expr_apply(pool, OP_SELECT, arguments);
}

Expr expr_convert(Pool *pool, Op op, Type type, Expr a) {
    type.lanes = a->type.lanes;
    if (type_equal(type, a->type) && (op != OP_REINTERPRET || !type_is_float(type)))
        return a;
    Type result = type;
    hlc_assert(op_info(op)->types == TYPES_CONVERT && op_result_type(op, &a->type, &result),
               "a conversion is possible between its types");
    return build(pool, op, type, &a);
}

Expr expr_with_arguments(Pool *pool, Expr expr, const Expr *arguments) {
    bool same = true;
    for (int i = 0; i < expr->arity; i++)
        same &= expr->arguments[i] == arguments[i];
    if (same)
        return expr;
    if (expr->op == OP_ACCESS)
        return expr_access(pool, expr->name, expr->component, expr->type, arguments, expr->arity);
    if (expr->op == OP_EXTERN)
        return expr_extern(pool, expr->name, expr->component, expr->type, arguments, expr->arity);
    if (expr->op == OP_RAMP)
        return expr_ramp(pool, arguments[0], arguments[1], expr->type.lanes);
    if (expr->op == OP_BROADCAST)
        return expr_broadcast(pool, arguments[0], expr->type.lanes);
    if (op_info((Op)expr->op)->types == TYPES_CONVERT)
        return expr_convert(pool, (Op)expr->op, expr->type, arguments[0]);
    return expr_apply(pool, (Op)expr->op, arguments);
}

static int compare_numbers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare_holes(const Hole *a, const Hole *b) {
    int order = symbol_compare(a->func, b->func);
    if (!order)
        order = symbol_compare(a->variable, b->variable);
    if (!order)
        order = compare_numbers((int64_t)a->kind * 2 + a->end, (int64_t)b->kind * 2 + b->end);
    if (!order)
        order = compare_numbers(a->specialization, b->specialization);
    if (!order)
        order = compare_numbers(a->stage, b->stage);
    return order ? order : compare_numbers(a->copy, b->copy);
}

/* Compares everything but the arguments. */
static int compare_heads(Expr a, Expr b) {
    int order = compare_numbers(a->op, b->op);
    if (!order && !type_equal(a->type, b->type))
        order = compare_numbers(type_number(a->type), type_number(b->type));
    if (!order)
        order = compare_numbers(a->type.lanes, b->type.lanes);
    if (!order)
        order = compare_numbers(a->arity, b->arity);
    if (order)
        return order;
    switch (a->op) {
    case OP_CONSTANT:
        return compare_numbers(a->bits, b->bits);
    case OP_VARIABLE:
        return symbol_compare(a->name, b->name);
    case OP_ACCESS:
    case OP_EXTERN:
        order = symbol_compare(a->name, b->name);
        return order ? order : compare_numbers(a->component, b->component);
    case OP_HOLE:
        return compare_holes(a->hole, b->hole);
    default:
        return 0;
    }
}

/* Interning makes equal arguments one pointer, so the first pair that differs decides. The walk is
 * one path down, and needs no recursion. */
int expr_compare(Expr a, Expr b) {
    while (a != b) {
        int order = compare_heads(a, b);
        if (order)
            return order;
        int i = 0;
        while (i < a->arity && a->arguments[i] == b->arguments[i])
            i++;
        hlc_assert(i < a->arity, "two nodes of equal content are one node");
        Expr next = a->arguments[i];
        b = b->arguments[i];
        a = next;
    }
    return 0;
}
