/* short.c -- PASS_SHORT: unrolls short loops of a constant length, though no schedule asks for it.
 *
 *     for u in (0, 2) do                            for u in (0, 2) unrolled do
 *       for v in (0, 16) vectorized do        =>      for v in (0, 16) vectorized do
 *         f[u*16 + v] <- p(u*16 + v)                    f[u*16 + v] <- p(u*16 + v)
 *
 * Such loops come from splits of vectors, small tiles and windows of a few points.  In them, the
 * step and the test cost as much as the work.  Without the loop, code generation also sees the
 * iterations beside each other: it shares their loads, transposes blocks of them, adds their terms
 * in registers, and tests once whether their stores stream (codegen/vector/stream.c).
 *
 * Which loops: serial ones of 2 to LONGEST iterations that hold stores, lets, and loops that are
 * vectorized or unrolled; inner ones first.  All copies, with those of the unrolled loops around,
 * have at most MOST_WORK operations on registers.  Loops that run rarely stay.
 *
 * Why it is sound.  An unrolled loop has the same iterations in the same order.
 *
 * The pass runs after PASS_PARTITION: a loop that was split there has a steady state of unknown
 * length, and stays. */
#include "lower/lower.h"

#include "ir/extern.h"
#include "ir/ops.h"
#include "ir/walk.h"

enum {
    LONGEST = 16,
    MOST_WORK = 256,
    REGISTER_BYTES = 32,
    CALL = 16,
    GATHER = 3,
    UNKNOWN = 1 << 20
};

typedef struct Shortening {
    Arena *arena;
    int64_t lanes;  /* of the vectorized loops around */
    int64_t copies; /* of the unrolled loops around */
    int64_t work;   /* of the expression that is visited */
    bool is_rare;
} Shortening;

static int64_t at_most_unknown(int64_t work) {
    return work < UNKNOWN ? work : UNKNOWN;
}

static int64_t registers(const Shortening *s, Type type) {
    int64_t bytes = s->lanes * type_bytes(type);
    return bytes <= REGISTER_BYTES ? 1 : bytes / REGISTER_BYTES;
}

/* Does the access take an index from memory, so that each lane has its own place? */
static bool is_gathered(Expr access) {
    for (int d = 0; d < access->arity; d++)
        if (expr_has_access(access->arguments[d]))
            return true;
    return false;
}

/* Other indices cost little: in vectors only their first lanes are computed. */
static void weigh_node(void *data, Expr node) {
    Shortening *s = data;
    bool is_leaf = node->op == OP_CONSTANT || node->op == OP_VARIABLE;
    if (is_leaf || (type_is_index(node->type) && !expr_has_access(node)))
        return;
    bool is_call = node->op < OP_COUNT && op_info((Op)node->op)->traits & FINZ;
    s->work += node->op == OP_ACCESS && is_gathered(node)
                   ? s->lanes * GATHER
                   : registers(s, node->type) * (is_call ? CALL : 1);
}

static int64_t work_of_store(Shortening *s, const Stmt *stmt) {
    if (stmt_is_extern(stmt) || stmt->store.is_atomic)
        return UNKNOWN;
    const FuncShape *func = stmt->store.func;
    s->work = 0;
    for (int c = 0; c < func->components; c++) {
        if (stmt->store.values[c]->tree_size > UNKNOWN)
            return UNKNOWN;
        expr_visit(s->arena, stmt->store.values[c], weigh_node, s);
        s->work += registers(s, stmt->store.values[c]->type);
    }
    return at_most_unknown(s->work);
}

static int64_t work_of_block(Shortening *s, Block *block);

static int64_t work_of_body(Shortening *s, Stmt *loop, int64_t lanes, int64_t copies) {
    Shortening around = *s;
    s->lanes *= lanes;
    s->copies *= copies;
    s->is_rare |= loop->loop.rare;
    int64_t work = work_of_block(s, &loop->loop.body);
    *s = around;
    return work;
}

/* Returns the work of all iterations; UNKNOWN if the loop stays a loop. */
static int64_t work_of_loop(Shortening *s, Stmt *loop) {
    int64_t length = 0;
    bool is_constant = expr_constant_integer(loop->loop.interval.length, &length) && length >= 1 &&
                       length <= UNKNOWN;
    Traversal traversal = loop->loop.traversal;
    int64_t lanes = is_constant && traversal == TRAVERSE_VECTORIZED ? length : 1;
    int64_t copies = is_constant && traversal == TRAVERSE_UNROLLED ? length : 1;
    int64_t work = work_of_body(s, loop, lanes, copies);
    if (!is_constant || traversal == TRAVERSE_PARALLEL)
        return UNKNOWN;
    if (traversal == TRAVERSE_VECTORIZED)
        return work;
    work = at_most_unknown(work * length);
    if (traversal == TRAVERSE_UNROLLED || length == 1)
        return work;
    if (length > LONGEST || work * s->copies > MOST_WORK || s->is_rare || loop->loop.rare)
        return UNKNOWN;
    loop->loop.traversal = TRAVERSE_UNROLLED;
    return work;
}

static int64_t work_of_statement(Shortening *s, Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_NOP:
        return 0;
    case STMT_STORE:
        return work_of_store(s, stmt);
    case STMT_LET:
        return work_of_block(s, &stmt->let.body);
    case STMT_FOR:
        return work_of_loop(s, stmt);
    case STMT_IF:
        work_of_block(s, &stmt->branch.body);
        work_of_block(s, &stmt->branch.otherwise);
        return UNKNOWN;
    case STMT_COMPUTE:
        work_of_block(s, &stmt->compute.body);
        return UNKNOWN;
    case STMT_LABEL:
        work_of_block(s, &stmt->label.body);
        return UNKNOWN;
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_PREFETCH:
        return UNKNOWN;
    }
    return UNKNOWN;
}

/* The context's limits bound the depth of nests, and so of this recursion. */
static int64_t work_of_block(Shortening *s, Block *block) {
    int64_t work = 0;
    for (Stmt *stmt = block->first; stmt; stmt = stmt->next)
        work = at_most_unknown(work + work_of_statement(s, stmt));
    return work;
}

void lower_short(Program *program, Arena *arena) {
    Shortening shortening = {.arena = arena, .lanes = 1, .copies = 1};
    work_of_block(&shortening, &program->body);
}
