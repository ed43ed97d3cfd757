/* atomic.c -- atomic stores (ir/atomic.h): they read and write an element in one step.
 *
 *     atomic f[i] <- f[i] + a + b       atomicrmw add f[i], a + b
 *
 *     atomic f[i] <- max(f[i], a)       if the element is less than a: atomicrmw max f[i], a
 *
 *     atomic f[i] <- value(f[i])        seen = f[i]
 *                                       loop: if value(seen) == seen: done
 *                                             seen = compare-exchange f[i], seen -> value(seen)
 *                                             if f[i] was `seen`: done
 *
 * Sums, differences, minima, maxima and bitwise operations take the first two forms. The processor
 * has an instruction for them, or LLVM makes the loop. An update that changes nothing writes
 * nothing, so other processors keep their copies of the cache line. This is sound: all updates of
 * an element commute, so the update may as well have happened at the read.
 *
 * The steps on one element are ordered. Nothing else needs an order before the loop ends, and the
 * loop waits for all its iterations (runtime/pool.c). So the ordering is `monotonic`. Memory is
 * aligned to its elements, as for every access. Outside parallel loops, the stores are plain ones.
 */
#include "codegen/interleave.h"

#include "ir/atomic.h"

typedef struct Update {
    Emitter *emitter;
    const Stmt *store;
    const Memref *memref;
    Expr own; /* the read of the element in the value; null: none */
} Update;

static bool is_own(void *data, Expr node) {
    const Update *update = data;
    return node->op == OP_ACCESS && node->name == update->store->store.func->name;
}

static bool reads_own(const Update *update, Expr expr) {
    return emit_any_node(update->emitter, expr, is_own, (void *)update);
}

/* In its memory type. */
static LLVMValueRef load_once(const Update *update, LLVMValueRef address) {
    const Emitter *e = update->emitter;
    Type type = update->memref->type;
    LLVMValueRef value = LLVMBuildLoad2(e->builder, emit_memory_type(e, type), address, "");
    LLVMSetAlignment(value, (unsigned)type_bytes(type));
    LLVMSetOrdering(value, LLVMAtomicOrderingMonotonic);
    return update->memref->may_be_uninitialised ? LLVMBuildFreeze(e->builder, value, "") : value;
}

/* ---- one instruction ---- */

/* The operators of the first two forms. An idempotent operator may leave an element unchanged, so
 * the emitted code first asks whether it does. */
typedef struct OneStep {
    Op op;
    bool is_idempotent;
    LLVMAtomicRMWBinOp of_signed, of_unsigned;
} OneStep;

static const OneStep one_steps[] = {
    {OP_ADD, false, LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd},
    {OP_SUB, false, LLVMAtomicRMWBinOpSub, LLVMAtomicRMWBinOpSub},
    {OP_BIT_XOR, false, LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor},
    {OP_BIT_AND, true, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
    {OP_BIT_OR, true, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
    {OP_AND, true, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
    {OP_OR, true, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
    {OP_MIN, true, LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin},
    {OP_MAX, true, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax},
};

static const OneStep *find_step(Expr node) {
    for (size_t i = 0; i < sizeof one_steps / sizeof *one_steps; i++)
        if ((int)one_steps[i].op == node->op)
            return &one_steps[i];
    return NULL;
}

/* Returns the operand of the update, if the value is a chain of one operator: (own + a) + b. A
 * difference is a chain of one. Otherwise returns null. */
static LLVMValueRef find_operand(const Update *update) {
    Emitter *e = update->emitter;
    Expr node = update->store->store.values[0];
    int op = node->op;
    LLVMValueRef operand = NULL;
    while (node != update->own) {
        if (node->op != op || node->arity != 2 || (op == OP_SUB && operand))
            return NULL;
        bool is_first = op == OP_SUB || reads_own(update, node->arguments[0]);
        Expr rest = node->arguments[!is_first ? 0 : 1];
        if (reads_own(update, rest))
            return NULL;
        LLVMValueRef value = emit_expr(e, rest);
        operand = operand ? emit_operator(e, node, (LLVMValueRef[]){value, operand}) : value;
        node = node->arguments[is_first ? 0 : 1];
    }
    return operand;
}

static void emit_step(const Update *update, const OneStep *step, LLVMValueRef address,
                      LLVMValueRef operand) {
    Emitter *e = update->emitter;
    LLVMBasicBlockRef change = NULL, done = NULL;
    if (step->is_idempotent) {
        change = emit_block(e, "change");
        done = emit_block(e, "changed");
        LLVMValueRef seen = emit_from_memory(e, update->memref, load_once(update, address));
        LLVMValueRef value =
            emit_operator(e, update->store->store.values[0], (LLVMValueRef[]){seen, operand});
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, value, seen, ""), done,
                        change);
        LLVMPositionBuilderAtEnd(e->builder, change);
    }
    LLVMAtomicRMWBinOp how =
        type_is_signed(update->memref->type) ? step->of_signed : step->of_unsigned;
    LLVMBuildAtomicRMW(e->builder, how, address, emit_to_memory(e, update->memref, operand),
                       LLVMAtomicOrderingMonotonic, false);
    if (!done)
        return;
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

/* ---- a loop ---- */

/* Emits the parts of the value that do not depend on the element, before the loop. */
static void emit_rest(const Update *update) {
    Emitter *e = update->emitter;
    Exprs open = {0};
    vec_push(e->arena, &open, update->store->store.values[0]);
    while (open.length) {
        Expr node = open.data[--open.length];
        if (node == update->own)
            continue;
        if (!reads_own(update, node)) {
            emit_expr(e, node);
            continue;
        }
        for (int i = 0; i < node->arity; i++)
            vec_push(e->arena, &open, node->arguments[i]);
    }
}

/* Emits the value for an element equal to `seen`. Each use emits it again. */
static LLVMValueRef value_of(const Update *update, LLVMValueRef seen) {
    Emitter *e = update->emitter;
    if (update->own && !e->values[update->own->number]) {
        e->values[update->own->number] = emit_from_memory(e, update->memref, seen);
        vec_push(e->arena, &e->known, update->own->number);
    }
    return emit_to_memory(e, update->memref, emit_expr(e, update->store->store.values[0]));
}

static void emit_exchange(const Update *update, LLVMValueRef address) {
    Emitter *e = update->emitter;
    LLVMBasicBlockRef loop = emit_block(e, "update"), change = emit_block(e, "change"),
                      done = emit_block(e, "updated");
    LLVMValueRef first = load_once(update, address);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, loop);
    LLVMPositionBuilderAtEnd(e->builder, loop);
    LLVMValueRef seen = LLVMBuildPhi(e->builder, LLVMTypeOf(first), "");
    LLVMValueRef value = value_of(update, seen);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, value, seen, ""), done,
                    change);
    LLVMPositionBuilderAtEnd(e->builder, change);
    LLVMValueRef exchange =
        LLVMBuildAtomicCmpXchg(e->builder, address, seen, value, LLVMAtomicOrderingMonotonic,
                               LLVMAtomicOrderingMonotonic, false);
    LLVMValueRef there = LLVMBuildExtractValue(e->builder, exchange, 0, "");
    LLVMBuildCondBr(e->builder, LLVMBuildExtractValue(e->builder, exchange, 1, ""), done, loop);
    LLVMAddIncoming(seen, (LLVMValueRef[]){first, there},
                    (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(e->builder)}, 2);
    emit_resume(e, done);
    const Expr *indices = update->store->store.indices;
    trace_access(e, HLC_TRACE_LOAD, update->memref, indices,
                 emit_from_memory(e, update->memref, seen));
    trace_access(e, HLC_TRACE_STORE, update->memref, indices,
                 emit_from_memory(e, update->memref, value));
}

/* ---- the store ---- */

static LLVMValueRef address_of(const Update *update) {
    Emitter *e = update->emitter;
    LLVMValueRef indices[MAX_DIMENSIONS];
    for (int d = 0; d < update->store->store.func->dimensions; d++)
        indices[d] = emit_expr(e, update->store->store.indices[d]);
    return emit_address(e, update->memref, indices);
}

static Expr find_own(Emitter *e, const Stmt *store) {
    Exprs accesses = {0};
    expr_accesses(e->arena, store->store.values[0], &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        if (accesses.data[i]->name == store->store.func->name)
            return accesses.data[i];
    return NULL;
}

bool emit_atomic(Emitter *e, const Stmt *store) {
    if (!store->store.is_atomic || !atomic_is_needed(store))
        return false;
    hlc_assert(!e->lanes.count, "an atomic store stands in no vectorized loop");
    Update update = {.emitter = e,
                     .store = store,
                     .memref = map_get(&e->memrefs, store->store.func->name),
                     .own = find_own(e, store)};
    hlc_assert(update.memref, "a func is allocated where it is written");
    hlc_assert(atomic_reads_in_place(e->arena, store), "it says in one way which element is meant");
    /* A trace wants the value before and the value after. */
    const OneStep *step = update.memref->place ? NULL : find_step(store->store.values[0]);
    LLVMValueRef operand = step ? find_operand(&update) : NULL;
    if (!operand)
        emit_rest(&update);
    LLVMValueRef address = address_of(&update);
    interleave_flush(e);
    if (operand)
        emit_step(&update, step, address, operand);
    else
        emit_exchange(&update, address);
    emit_forget(e);
    return true;
}
