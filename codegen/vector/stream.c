/* stream.c -- streaming stores for outputs that nothing reads again.
 *
 * An ordinary store of a whole cache line first reads the line from memory. A streaming
 * ("non-temporal") store does not, and evicts nothing else from the cache. For an output larger
 * than the cache, this saves a third of the traffic of a copy. For an output that fits the cache,
 * it is a loss: the reader would find it there. So a store streams in these cases:
 *
 *   - `stream(f)` in the schedule: for all dense vectors of at least 16 bytes;
 *   - otherwise, if nothing in the program reads the output, its single stores are whole cache
 *     lines (so their order does not matter), and it has more than STREAMED_BYTES, which is tested
 *     at run time.
 *
 * A streaming store must be aligned. The caller decides where buffers begin and how long rows are.
 * So each store is emitted in both forms, and its address selects one. `stays` is 1 if the output
 * should stay in the cache, else 0; or-ed into the address, 1 makes it unaligned:
 *
 *     if ((address | stays) & 63) == 0:  stream value      else:  store value
 *
 * The stores of an unrolled loop's iterations are pending while they lie whole lines apart. One
 * test then serves up to eight registers of them, and their loads and sums form one piece of code
 * before it. Pending stores are emitted before any other access to the same memory
 * (interleave_settle), and before every branch, every loop and the end of the unrolled loop
 * (interleave_flush).
 *
 * Streaming changes no value, only when other processors see it: for them, streaming stores have no
 * order. So each function with streaming stores ends with a fence (sfence), before it can signal
 * its end. The storing processor sees them in order. Masked stores (tails) stay ordinary ones.
 *
 * This is for x86 only: other machines detect stores of whole lines by themselves.
 */
#include "codegen/emit.h"
#include "codegen/interleave.h"
#include "ir/walk.h"

enum { CACHE_LINE = 64, LEAST_STREAMED = 16 };
#define STREAMED_BYTES ((int64_t)32 << 20) /* the size of a large cache */

/* ---- the reads of outputs ---- */

typedef struct ReadSearch {
    Emitter *emitter;
    Map *read;
} ReadSearch;

static void see_expr(void *data, Expr expr) {
    const ReadSearch *search = data;
    Exprs accesses = {0};
    expr_accesses(search->emitter->arena, expr, &accesses);
    for (size_t i = 0; i < accesses.length; i++)
        map_put(search->read, accesses.data[i]->name, accesses.data[i]->name);
}

/* A func with updates counts as read: its lines are stored to again. */
static bool see_statement(void *data, Stmt *stmt) {
    const ReadSearch *search = data;
    stmt_each_expr(stmt, see_expr, data);
    if (stmt->kind == STMT_STORE && stmt->store.stage > 0)
        map_put(search->read, stmt->store.func->name, stmt);
    return true;
}

static bool is_read(Emitter *e, const FuncShape *func) {
    if (!e->read.table) {
        e->read = map_create(e->arena);
        ReadSearch search = {e, &e->read};
        block_visit((Block *)&e->program->body,
                    &(StmtVisitor){.data = &search, .enter = see_statement});
    }
    return map_get(&e->read, func->name);
}

/* ---- the choice of streaming stores ---- */

void stream_output(Emitter *e, const Stmt *allocate, Memref *memref, LLVMValueRef is_staged,
                   const LLVMValueRef *length) {
    const FuncShape *func = allocate->allocate.func;
    bool is_told = allocate->allocate.storage->streams;
    if (e->target->is_aarch64 || (!is_told && is_read(e, func)))
        return;
    LLVMValueRef stays = is_staged;
    if (!is_told) {
        LLVMValueRef bytes = emit_index_constant(e, type_bytes(memref->type));
        for (int d = 0; d < func->dimensions; d++)
            bytes = LLVMBuildMul(e->builder, bytes, length[d], "");
        LLVMValueRef most = emit_index_constant(e, STREAMED_BYTES);
        stays = LLVMBuildOr(e->builder, stays,
                            LLVMBuildICmp(e->builder, LLVMIntSLE, bytes, most, ""), "");
    }
    memref->stays = LLVMBuildZExt(e->builder, stays, e->i64, "stays");
    memref->least_streamed = is_told ? LEAST_STREAMED : CACHE_LINE;
}

/* ---- stores ---- */

/* Pending stores that are emitted together. They have one memory and one type, in program order.
 * Each is at a distance from the first that preserves alignment. */
enum { MOST_WAITING = 8 };
struct Stream {
    Memref memref;
    unsigned alignment, element_alignment;
    unsigned count; /* 0: none wait */
    LLVMValueRef values[MOST_WAITING];
    LLVMValueRef lowest[MOST_WAITING]; /* the offset of each from the origin, in elements */
};

/* Returns the alignment for a streaming store; 0 if it is not one. */
static unsigned alignment_of(const Memref *memref, LLVMValueRef value) {
    unsigned bytes = emit_lane_count(value) * (unsigned)type_bytes(memref->type);
    bool is_whole = bytes >= memref->least_streamed && (bytes & (bytes - 1)) == 0;
    return !memref->stays || !is_whole ? 0 : bytes < CACHE_LINE ? bytes : CACHE_LINE;
}

static void store(Emitter *e, const Stream *stream, bool streams) {
    static const char name[] = "nontemporal";
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false));
    LLVMValueRef node = LLVMMetadataAsValue(e->llvm, LLVMMDNodeInContext2(e->llvm, &one, 1));
    for (unsigned i = 0; i < stream->count; i++) {
        LLVMValueRef made = LLVMBuildStore(e->builder, stream->values[i],
                                           emit_element(e, &stream->memref, stream->lowest[i]));
        LLVMSetAlignment(made, streams ? stream->alignment : stream->element_alignment);
        if (streams)
            LLVMSetMetadata(made, LLVMGetMDKindIDInContext(e->llvm, name, sizeof name - 1), node);
    }
}

void stream_flush(Emitter *e) {
    Stream *stream = e->stream;
    if (!stream || stream->count == 0)
        return;
    LLVMValueRef place = LLVMBuildPtrToInt(
        e->builder, emit_element(e, &stream->memref, stream->lowest[0]), e->i64, "");
    place = LLVMBuildOr(e->builder, place, stream->memref.stays, "");
    place = LLVMBuildAnd(e->builder, place, emit_index_constant(e, stream->alignment - 1), "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), streamed = emit_block(e, "streamed"),
                      kept = emit_block(e, "kept"), done = emit_block(e, "stored");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, place, ""), streamed, kept);
    LLVMPositionBuilderAtEnd(e->builder, streamed);
    store(e, stream, true);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, kept);
    store(e, stream, false);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    transpose_continue(e, here, done);
    e->frame.streams = true;
    stream->count = 0;
}

void stream_settle(Emitter *e, LLVMValueRef origin) {
    if (e->stream && e->stream->memref.origin == origin)
        stream_flush(e);
}

/* Can the store wait with those that do? */
static bool belongs(const Stream *stream, const Memref *memref, LLVMValueRef value,
                    LLVMValueRef lowest) {
    int64_t distance, step = stream->alignment / stream->element_alignment;
    return stream->memref.origin == memref->origin &&
           LLVMTypeOf(stream->values[0]) == LLVMTypeOf(value) &&
           emit_distance(lowest, stream->lowest[0], &distance) && distance % step == 0;
}

/* Is the number of pending stores at the limit beyond which they cause spills? */
static bool is_full(const Emitter *e, const Stream *stream) {
    unsigned bytes = emit_lane_count(stream->values[0]) * (unsigned)type_bytes(stream->memref.type);
    unsigned width = target_register_bytes(e->target);
    return stream->count * ((bytes + width - 1) / width) >= MOST_WAITING;
}

bool stream_store(Emitter *e, const Memref *memref, LLVMValueRef value, LLVMValueRef lowest) {
    unsigned alignment = alignment_of(memref, value);
    if (!alignment)
        return false;
    if (!e->stream)
        e->stream = arena_new(e->arena, Stream);
    Stream *stream = e->stream;
    if (stream->count > 0 && !belongs(stream, memref, value, lowest))
        stream_flush(e);
    if (stream->count == 0) {
        stream->memref = *memref;
        stream->alignment = alignment;
        stream->element_alignment = (unsigned)type_bytes(memref->type);
    }
    stream->values[stream->count] = value;
    stream->lowest[stream->count++] = lowest;
    if (e->unrolled == 1 || is_full(e, stream))
        stream_flush(e);
    return true;
}

void stream_fence(Emitter *e) {
    if (!e->frame.streams)
        return;
    emit_call(e, compat_intrinsic(e->module, "llvm.x86.sse.sfence", NULL, 0), NULL, 0);
}
