/* pressure.c -- how many lanes of a vectorized loop fit into the registers.
 *
 *     out[x] <- median of 9     64 lanes of 16 bits: 4 registers of AVX2 for each of 9 values
 *
 * LLVM splits wide vectors operation by operation, and keeps this order.  So all parts of all values
 * are live at once, and are spilled.  In pieces of one register each, the same 9 values fit.
 *
 * The file follows one statement in the order of its evaluation and counts the bits of one lane that
 * are live.  It narrows the piece until they fit, but not below a register of the narrowest type: the
 * instructions of narrower pieces would leave lanes unused.
 *
 * Pieces are narrowed in pure definitions only.  An update may keep its sums in registers across the
 * iterations of a loop around, all lanes of a sum in one slot.
 */
#include "codegen/emit.h"
#include "ir/walk.h"

enum { MOST_NODES = 2000, MASK_BITS = 8 };

typedef struct Live {
    Emitter *emitter;
    Exprs nodes;        /* in the order of evaluation */
    Map places;         /* Expr -> its LiveUses */
    unsigned narrowest; /* bits of a value in memory */
} Live;

typedef struct LiveUses {
    int left;
} LiveUses;

/* The bits of the node's value in one lane; 0: it is no vector, or is not kept. */
static unsigned bits_of(Expr node) {
    bool is_free = node->op == OP_CONSTANT || node->op == OP_VARIABLE || type_is_index(node->type);
    return is_free ? 0 : type_is_bool(node->type) ? MASK_BITS : node->type.bits;
}

static bool is_noted(void *data, Expr node) {
    const Live *live = data;
    return map_get(&live->places, node) != NULL;
}

static void note(void *data, Expr node) {
    Live *live = data;
    vec_push(live->emitter->arena, &live->nodes, node);
    map_put(&live->places, node, arena_new(live->emitter->arena, LiveUses));
    for (int i = 0; i < node->arity; i++)
        ((LiveUses *)map_get(&live->places, node->arguments[i]))->left++;
    unsigned bits = node->op == OP_ACCESS ? bits_of(node) : 0;
    if (bits && bits < live->narrowest)
        live->narrowest = bits;
}

/* The most bits that are live at once. */
static unsigned greatest(const Live *live) {
    unsigned now = 0, most = 0;
    for (size_t i = 0; i < live->nodes.length; i++) {
        Expr node = live->nodes.data[i];
        for (int k = 0; k < node->arity; k++)
            if (--((LiveUses *)map_get(&live->places, node->arguments[k]))->left == 0)
                now -= bits_of(node->arguments[k]);
        now += bits_of(node);
        if (now > most)
            most = now;
    }
    return most;
}

/* Returns the only store of the body, if all around it are lets of indices; else null. */
static const Stmt *only_store(const Block *body) {
    const Stmt *stmt = body->first;
    while (stmt && !stmt->next && stmt->kind == STMT_LET && type_is_index(stmt->let.value->type))
        stmt = stmt->let.body.first;
    return stmt && !stmt->next && stmt->kind == STMT_STORE && stmt->store.stage == 0 ? stmt : NULL;
}

unsigned pressure_lanes(Emitter *e, const Stmt *loop, unsigned lanes) {
    const Stmt *store = only_store(&loop->loop.body);
    if (!store)
        return lanes;
    Live live = {.emitter = e, .places = map_create(e->arena), .narrowest = 64};
    for (int c = 0; c < store->store.func->components; c++) {
        Expr value = store->store.values[c];
        if (expr_exceeds(e->arena, value, MOST_NODES))
            return lanes;
        expr_visit_rest(e->arena, value, is_noted, note, &live);
        ((LiveUses *)map_get(&live.places, value))->left++;
        if (bits_of(value) && bits_of(value) < live.narrowest)
            live.narrowest = bits_of(value);
    }
    unsigned bits = 8 * target_register_bytes(e->target);
    unsigned registers = e->target->has_avx512 || e->target->is_aarch64 ? 32 : 16;
    uint64_t most = greatest(&live);
    while (lanes % 2 == 0 && most * lanes > (uint64_t)registers * bits &&
           lanes / 2 * live.narrowest >= bits)
        lanes /= 2;
    return lanes;
}
