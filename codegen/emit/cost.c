/* cost.c -- an upper bound on the work of one iteration of a parallel loop.
 *
 * Distributing a loop over threads costs some microseconds. The sizes that decide whether this pays
 * are known when the loop is reached. So the code computes there, from the inner loops, the
 * operations of an iteration, and hlc_parallel compares (runtime/parallel.c):
 *
 *     cost(f[..] <- value)    = the operators of the value (of updates also of the indices), and 1
 *     cost(for)               = the length * cost(body); where vectorized, LANES to an operation
 *     cost(if)                = the cost of both branches
 *
 * The estimate must not be too low. A loop wrongly run inline loses the gain of all threads; a loop
 * wrongly distributed loses a few microseconds. A length that cannot be computed before the loop
 * therefore counts as its constant upper bound (`min(n - x, 32)`: 32, ir/storage.c). Without such a
 * bound the cost is infinite, and the loop is distributed. A negative length counts as 0. The
 * numbers are doubles, which do not overflow.
 */
#include "codegen/emit.h"
#include "ir/ops.h"
#include "ir/storage.h"

#include <math.h>

/* The cost of a division, a call and an allocation, in simple operations. One vector operation
 * covers LANES lanes. */
enum { DIVISION = 8, CALL = 40, ALLOCATION = 100, LANES = 8, ATOMIC = 20 };

typedef struct Cost {
    Emitter *emitter;
    Map inside; /* Symbols that are bound in the iteration -> themselves */
    double count;
} Cost;

static LLVMValueRef number(Emitter *e, double value) {
    return LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), value);
}

/* ---- expressions ---- */

static bool weigh(void *data, Expr node) {
    Cost *cost = data;
    bool is_division = node->op == OP_DIV || node->op == OP_MOD;
    bool is_call = node->op < OP_COUNT && op_info((Op)node->op)->traits & FINZ;
    if (node->op != OP_CONSTANT && node->op != OP_VARIABLE)
        cost->count += is_call ? CALL : is_division ? DIVISION : 1;
    return false;
}

static double weight(Cost *cost, Expr expr) {
    cost->count = 0;
    emit_any_node(cost->emitter, expr, weigh, cost);
    return cost->count;
}

/* Does the node depend on the iteration? Then it cannot be computed before it. */
static bool is_inside(void *data, Expr node) {
    const Cost *cost = data;
    return node->op == OP_ACCESS || (node->op == OP_VARIABLE && map_get(&cost->inside, node->name));
}

/* Returns an upper bound on the loop's iterations. */
static LLVMValueRef length_of(Cost *cost, const Stmt *loop) {
    Emitter *e = cost->emitter;
    Expr length = loop->loop.interval.length;
    int64_t most;
    if (emit_any_node(e, length, is_inside, cost)) {
        most = storage_longest(length);
        return number(e, most < 0 ? INFINITY : (double)most);
    }
    LLVMValueRef value = emit_expr(e, length), zero = emit_index_constant(e, 0);
    emit_forget(e);
    LLVMValueRef is_empty = LLVMBuildICmp(e->builder, LLVMIntSLT, value, zero, "");
    value = LLVMBuildSelect(e->builder, is_empty, zero, value, "");
    return LLVMBuildSIToFP(e->builder, value, LLVMDoubleTypeInContext(e->llvm), "");
}

/* ---- statements ---- */

static LLVMValueRef cost_of_block(Cost *cost, const Block *block);

static LLVMValueRef cost_of_loop(Cost *cost, const Stmt *loop) {
    Emitter *e = cost->emitter;
    LLVMValueRef length = length_of(cost, loop);
    if (loop->loop.traversal == TRAVERSE_VECTORIZED) {
        length = LLVMBuildFMul(e->builder, length, number(e, 1.0 / LANES), "");
        length = LLVMBuildFAdd(e->builder, length, number(e, 1), "");
    }
    map_put(&cost->inside, loop->loop.binder, loop->loop.binder);
    LLVMValueRef body = cost_of_block(cost, &loop->loop.body);
    map_put(&cost->inside, loop->loop.binder, NULL);
    return LLVMBuildFMul(e->builder, length, body, "");
}

static double cost_of_store(Cost *cost, const Stmt *stmt) {
    double count = stmt->store.func->components;
    if (stmt_is_extern(stmt))
        return INFINITY;
    for (int c = 0; c < stmt->store.func->components; c++)
        count += weight(cost, stmt->store.values[c]);
    for (int d = 0; d < stmt->store.func->dimensions && stmt->store.stage > 0; d++)
        count += weight(cost, stmt->store.indices[d]);
    return stmt->store.is_atomic ? count + ATOMIC : count;
}

static LLVMValueRef cost_of_statement(Cost *cost, const Stmt *stmt) {
    Emitter *e = cost->emitter;
    LLVMValueRef sum;
    switch (stmt->kind) {
    case STMT_NOP:
        return number(e, 0);
    case STMT_ASSERT:
        return number(e, weight(cost, stmt->assertion.condition));
    case STMT_ALLOCATE:
        return number(e, ALLOCATION);
    case STMT_STORE:
        return number(e, cost_of_store(cost, stmt));
    case STMT_FOR:
        return cost_of_loop(cost, stmt);
    case STMT_IF:
        sum = number(e, 1 + weight(cost, stmt->branch.condition));
        sum = LLVMBuildFAdd(e->builder, sum, cost_of_block(cost, &stmt->branch.body), "");
        return LLVMBuildFAdd(e->builder, sum, cost_of_block(cost, &stmt->branch.otherwise), "");
    case STMT_LET:
        sum = number(e, weight(cost, stmt->let.value));
        map_put(&cost->inside, stmt->let.binder, stmt->let.binder);
        sum = LLVMBuildFAdd(e->builder, sum, cost_of_block(cost, &stmt->let.body), "");
        map_put(&cost->inside, stmt->let.binder, NULL);
        return sum;
    case STMT_PREFETCH:
        return number(e, 1);
    case STMT_COMPUTE:
        return cost_of_block(cost, &stmt->compute.body);
    case STMT_LABEL:
        return cost_of_block(cost, &stmt->label.body);
    }
    return NULL;
}

/* The context's limits bound the depth of nests, and so of this recursion. */
static LLVMValueRef cost_of_block(Cost *cost, const Block *block) {
    Emitter *e = cost->emitter;
    LLVMValueRef sum = number(e, 0);
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next)
        sum = LLVMBuildFAdd(e->builder, sum, cost_of_statement(cost, stmt), "");
    return sum;
}

LLVMValueRef emit_cost(Emitter *e, const Stmt *const *loops, int count) {
    Cost cost = {.emitter = e, .inside = map_create(e->arena)};
    for (int i = 0; i < count; i++)
        map_put(&cost.inside, loops[i]->loop.binder, loops[i]->loop.binder);
    return cost_of_block(&cost, &loops[count - 1]->loop.body);
}
