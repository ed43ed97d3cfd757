/* work.c -- how much one iteration of a parallel loop does, at most.
 *
 * Handing a loop to threads costs some microseconds.  Whether that is worth it depends on sizes
 * that are known when the loop is reached; so the code computes there, from the loops inside, how
 * many operations an iteration takes, and hlc_parallel compares (runtime/parallel.c):
 *
 *     work(f[..] <- value)    = the operators of the value (of updates also of the indices), and 1
 *     work(for)               = the length * work(body); where vectorized, LANES to an operation
 *     work(if)                = the work of both branches
 *
 * It must not come out too low: a loop that is wrongly run inline loses what all threads would have
 * gained, one that is wrongly spread a few microseconds.  So a length that cannot be computed ahead
 * of the loop counts with the constant that it is never above (`min(n - x, 32)`: 32, ir/storage.c);
 * where there is none the work is infinite, and the loop is spread.  A length below 0 counts as 0.
 * Numbers are doubles, which do not overflow.
 */
#include "codegen/emit.h"
#include "ir/ops.h"
#include "ir/storage.h"

#include <math.h>

/* How many operations of the simplest kind a division takes, ..; on how many lanes one works. */
enum { DIVISION = 8, CALL = 40, ALLOCATION = 100, LANES = 8, ATOMIC = 20 };

typedef struct Work {
    Emitter *emitter;
    Map inside; /* Symbols that are bound in the iteration -> themselves */
    double count;
} Work;

static LLVMValueRef number(Emitter *e, double value) {
    return LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), value);
}

/* ---- expressions ---- */

static bool weigh(void *data, Expr node) {
    Work *work = data;
    bool is_division = node->op == OP_DIV || node->op == OP_MOD;
    bool is_call = node->op < OP_COUNT && op_info((Op)node->op)->traits & FINZ;
    if (node->op != OP_CONSTANT && node->op != OP_VARIABLE)
        work->count += is_call ? CALL : is_division ? DIVISION : 1;
    return false;
}

static double weight(Work *work, Expr expr) {
    work->count = 0;
    emit_any_node(work->emitter, expr, weigh, work);
    return work->count;
}

/* Cannot be computed ahead of the iteration. */
static bool is_inside(void *data, Expr node) {
    const Work *work = data;
    return node->op == OP_ACCESS || (node->op == OP_VARIABLE && map_get(&work->inside, node->name));
}

/* How many iterations the loop has at most. */
static LLVMValueRef length_of(Work *work, const Stmt *loop) {
    Emitter *e = work->emitter;
    Expr length = loop->loop.interval.length;
    int64_t most;
    if (emit_any_node(e, length, is_inside, work)) {
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

static LLVMValueRef work_of_block(Work *work, const Block *block);

static LLVMValueRef work_of_loop(Work *work, const Stmt *loop) {
    Emitter *e = work->emitter;
    LLVMValueRef length = length_of(work, loop);
    if (loop->loop.traversal == TRAVERSE_VECTORIZED) {
        length = LLVMBuildFMul(e->builder, length, number(e, 1.0 / LANES), "");
        length = LLVMBuildFAdd(e->builder, length, number(e, 1), "");
    }
    map_put(&work->inside, loop->loop.binder, loop->loop.binder);
    LLVMValueRef body = work_of_block(work, &loop->loop.body);
    map_put(&work->inside, loop->loop.binder, NULL);
    return LLVMBuildFMul(e->builder, length, body, "");
}

static double work_of_store(Work *work, const Stmt *stmt) {
    double count = stmt->store.func->components;
    for (int c = 0; c < stmt->store.func->components; c++)
        count += weight(work, stmt->store.values[c]);
    for (int d = 0; d < stmt->store.func->dimensions && stmt->store.stage > 0; d++)
        count += weight(work, stmt->store.indices[d]);
    return stmt->store.is_atomic ? count + ATOMIC : count;
}

static LLVMValueRef work_of_statement(Work *work, const Stmt *stmt) {
    Emitter *e = work->emitter;
    LLVMValueRef sum;
    switch (stmt->kind) {
    case STMT_NOP:
        return number(e, 0);
    case STMT_ASSERT:
        return number(e, weight(work, stmt->assertion.condition));
    case STMT_ALLOCATE:
        return number(e, ALLOCATION);
    case STMT_STORE:
        return number(e, work_of_store(work, stmt));
    case STMT_FOR:
        return work_of_loop(work, stmt);
    case STMT_IF:
        sum = number(e, 1 + weight(work, stmt->branch.condition));
        sum = LLVMBuildFAdd(e->builder, sum, work_of_block(work, &stmt->branch.body), "");
        return LLVMBuildFAdd(e->builder, sum, work_of_block(work, &stmt->branch.otherwise), "");
    case STMT_LET:
        sum = number(e, weight(work, stmt->let.value));
        map_put(&work->inside, stmt->let.binder, stmt->let.binder);
        sum = LLVMBuildFAdd(e->builder, sum, work_of_block(work, &stmt->let.body), "");
        map_put(&work->inside, stmt->let.binder, NULL);
        return sum;
    case STMT_PREFETCH:
        return number(e, 1);
    case STMT_COMPUTE:
        return work_of_block(work, &stmt->compute.body);
    case STMT_LABEL:
        return work_of_block(work, &stmt->label.body);
    }
    return NULL;
}

/* Nests are as deep as the limits of the context allow; so is the recursion. */
static LLVMValueRef work_of_block(Work *work, const Block *block) {
    Emitter *e = work->emitter;
    LLVMValueRef sum = number(e, 0);
    for (const Stmt *stmt = block->first; stmt; stmt = stmt->next)
        sum = LLVMBuildFAdd(e->builder, sum, work_of_statement(work, stmt), "");
    return sum;
}

LLVMValueRef emit_work(Emitter *e, const Stmt *const *loops, int count) {
    Work work = {.emitter = e, .inside = map_create(e->arena)};
    for (int i = 0; i < count; i++)
        map_put(&work.inside, loops[i]->loop.binder, loops[i]->loop.binder);
    return work_of_block(&work, &loops[count - 1]->loop.body);
}
