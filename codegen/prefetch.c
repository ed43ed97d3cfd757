/* prefetch.c -- `prefetch f [box]`: a prefetch instruction for each line of the cache that the box
 * touches; without a loop where a row's length is a small constant.
 *
 * Along the dimension in which elements lie side by side lines are counted, from the first
 * element's to the last one's; along the others, and where none does, coordinates.  The box may
 * reach beyond the memory, which such an instruction is allowed to name.  A box that is more than
 * the first cache holds is left out: what is fetched last would drive out what was fetched first.
 */
#include "codegen/interleave.h"

enum { LINE = 64, MOST_LINES = 512, MOST_UNROLLED = 8 };

typedef struct Fetch {
    Emitter *emitter;
    const Memref *memref;
    int dense; /* the dimension whose elements lie side by side; -1: there is none */
    LLVMValueRef minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], index[MAX_DIMENSIONS];
} Fetch;

static LLVMValueRef address(const Fetch *fetch) {
    Emitter *e = fetch->emitter;
    return LLVMBuildPtrToInt(e->builder, emit_address(e, fetch->memref, fetch->index), e->i64, "");
}

/* For reading, into the second cache, of data: of lines on their way there many more may be under
 * way than of those to the first one, from which it is near enough (docs/performance.md). */
static void fetch_line(Emitter *e, LLVMValueRef at) {
    LLVMValueRef arguments[] = {LLVMBuildIntToPtr(e->builder, at, e->pointer, ""),
                                LLVMConstInt(e->i32, 0, false), LLVMConstInt(e->i32, 2, false),
                                LLVMConstInt(e->i32, 1, false)};
    emit_intrinsic(e, "llvm.prefetch", arguments, 4);
}

/* A loop from `first` while less than `end`, by `step`, whose body is made at the builder's place.
 */
typedef struct Counting {
    LLVMBasicBlockRef before, body, done;
    LLVMValueRef variable, end, step;
} Counting;

static Counting begin_loop(Emitter *e, LLVMValueRef first, LLVMValueRef end, int64_t step) {
    Counting c = {.before = LLVMGetInsertBlock(e->builder),
                  .body = emit_block(e, "fetch"),
                  .done = emit_block(e, "fetched"),
                  .end = end,
                  .step = emit_index_constant(e, step)};
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, first, end, ""), c.body,
                    c.done);
    LLVMPositionBuilderAtEnd(e->builder, c.body);
    c.variable = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMAddIncoming(c.variable, &first, &c.before, 1);
    return c;
}

static void end_loop(Emitter *e, const Counting *c) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = LLVMBuildAdd(e->builder, c->variable, c->step, "");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, c->end, ""), c->body,
                    c->done);
    LLVMAddIncoming(c->variable, &next, &last, 1);
    emit_resume(e, c->done);
}

/* The bytes of a row where they are a small constant; else 0. */
static int64_t short_row(const Fetch *fetch) {
    LLVMValueRef length = fetch->length[fetch->dense];
    if (!LLVMIsAConstantInt(length))
        return 0;
    int64_t elements = LLVMConstIntGetSExtValue(length);
    bool is_short =
        elements > 0 && elements <= MOST_UNROLLED * LINE / type_bytes(fetch->memref->type);
    return is_short ? elements * type_bytes(fetch->memref->type) : 0;
}

/* Without a loop: from each line to the next, and the last byte's, which may lie on one more. */
static void fetch_short_row(const Fetch *fetch, LLVMValueRef first, int64_t bytes) {
    Emitter *e = fetch->emitter;
    for (int64_t at = 0; at < bytes + LINE - 1; at += LINE) {
        int64_t offset = at < bytes ? at : bytes - 1;
        fetch_line(e, LLVMBuildAdd(e->builder, first, emit_index_constant(e, offset), ""));
    }
}

static void fetch_row(Fetch *fetch) {
    Emitter *e = fetch->emitter;
    int d = fetch->dense;
    int64_t bytes = short_row(fetch);
    if (bytes) {
        fetch->index[d] = fetch->minimum[d];
        fetch_short_row(fetch, address(fetch), bytes);
        return;
    }
    LLVMValueRef one = emit_index_constant(e, 1);
    fetch->index[d] = fetch->minimum[d];
    LLVMValueRef first =
        LLVMBuildAnd(e->builder, address(fetch), emit_index_constant(e, -LINE), "");
    fetch->index[d] =
        emit_index_add(e, fetch->minimum[d], emit_index_sub(e, fetch->length[d], one));
    LLVMValueRef end = LLVMBuildAdd(e->builder, address(fetch), one, "");
    Counting lines = begin_loop(e, first, end, LINE);
    fetch_line(e, lines.variable);
    end_loop(e, &lines);
}

/* Dimensions below `d` are still to be gone through. */
static void fetch_box(Fetch *fetch, int d) {
    Emitter *e = fetch->emitter;
    if (d > 0 && d - 1 == fetch->dense) {
        fetch_box(fetch, d - 1);
        return;
    }
    if (d == 0) {
        if (fetch->dense < 0)
            fetch_line(e, address(fetch));
        else
            fetch_row(fetch);
        return;
    }
    d--;
    LLVMValueRef end = LLVMBuildAdd(e->builder, fetch->minimum[d], fetch->length[d], "");
    Counting rows = begin_loop(e, fetch->minimum[d], end, 1);
    fetch->index[d] = rows.variable;
    fetch_box(fetch, d);
    end_loop(e, &rows);
}

/* About how many lines the box has: a double, as the product may be large. */
static LLVMValueRef count_lines(const Fetch *fetch) {
    Emitter *e = fetch->emitter;
    LLVMTypeRef real = LLVMDoubleTypeInContext(e->llvm);
    LLVMValueRef count = LLVMConstReal(real, 1);
    for (int d = 0; d < fetch->memref->dimensions; d++) {
        LLVMValueRef length = LLVMBuildSIToFP(e->builder, fetch->length[d], real, "");
        if (d == fetch->dense) {
            double share = (double)type_bytes(fetch->memref->type) / LINE;
            length = LLVMBuildFMul(e->builder, length, LLVMConstReal(real, share), "");
            length = LLVMBuildFAdd(e->builder, length, LLVMConstReal(real, 1), "");
        }
        count = LLVMBuildFMul(e->builder, count, length, "");
    }
    return count;
}

static void fetch_component(Fetch *fetch) {
    Emitter *e = fetch->emitter;
    LLVMBasicBlockRef some = emit_block(e, "prefetch"), done = emit_block(e, "prefetched");
    fetch->dense = -1;
    for (int d = 0; d < fetch->memref->dimensions; d++)
        if (LLVMIsAConstantInt(fetch->memref->stride[d]) &&
            LLVMConstIntGetSExtValue(fetch->memref->stride[d]) == 1)
            fetch->dense = d;
    LLVMValueRef most = LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), MOST_LINES);
    LLVMValueRef fits = LLVMBuildFCmp(e->builder, LLVMRealOLE, count_lines(fetch), most, "");
    LLVMBuildCondBr(e->builder, fits, some, done);
    LLVMPositionBuilderAtEnd(e->builder, some);
    fetch_box(fetch, fetch->memref->dimensions);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

void emit_prefetch(Emitter *e, const Stmt *stmt) {
    const Memref *memrefs = map_get(&e->memrefs, stmt->prefetch.name);
    const FuncShape *func = signature_func(e->signature, stmt->prefetch.name);
    Fetch fetch = {.emitter = e};
    hlc_assert(memrefs, "what is fetched ahead is allocated");
    interleave_flush(e);
    for (int d = 0; d < stmt->prefetch.dimensions; d++) {
        fetch.minimum[d] = emit_expr(e, stmt->prefetch.intervals[d].minimum);
        fetch.length[d] = emit_expr(e, stmt->prefetch.intervals[d].length);
    }
    emit_forget(e);
    for (int c = 0; c < (func ? func->components : 1); c++) {
        fetch.memref = &memrefs[c];
        fetch_component(&fetch);
    }
}
