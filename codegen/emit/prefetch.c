/* prefetch.c -- `prefetch f [box]`: one prefetch instruction for each cache line of the box. A few
 * rows of small constant length need no loops.
 *
 * Along the dense dimension the code steps by cache lines, from the first element's line to the
 * last one's. Along other dimensions, or without a dense one, it steps by coordinates. Rows known
 * to be contiguous are one row. The box may reach beyond the memory: a prefetch of such an address
 * is allowed. If the next iteration's box begins right behind a short row, the line of the row's
 * last byte is left out: each request, even for a cached line, takes a slot from another. A box
 * larger than the first cache is not fetched: its last lines would evict its first ones.
 */
#include "codegen/interleave.h"

enum { LINE = 64, MOST_LINES = 512, MOST_UNROLLED = 8, LARGEST = 200 };

typedef struct Fetch {
    Emitter *emitter;
    const Memref *memref;
    int dense; /* the dense dimension; -1: none */
    LLVMValueRef minimum[MAX_DIMENSIONS], length[MAX_DIMENSIONS], index[MAX_DIMENSIONS];
    LLVMValueRef stride[MAX_DIMENSIONS]; /* constant if known here */
    int64_t row;                         /* the bytes of a row, if a small constant; else 0 */
    bool joined[MAX_DIMENSIONS];         /* a row runs along these dimensions, too */
    bool is_few;                         /* rows, of a small constant each */
    /* The box's shift in the loop's next iteration, if known. */
    int64_t shift[MAX_DIMENSIONS];
    bool moves;
} Fetch;

static LLVMValueRef address(const Fetch *fetch) {
    Emitter *e = fetch->emitter;
    return LLVMBuildPtrToInt(e->builder, emit_address(e, fetch->memref, fetch->index), e->i64, "");
}

/* A read prefetch of data into the second cache. Many more lines may be in flight to it than to the
 * first cache, and it is near enough (docs/performance.md). */
static void fetch_line(Emitter *e, LLVMValueRef at) {
    LLVMValueRef arguments[] = {LLVMBuildIntToPtr(e->builder, at, e->pointer, ""),
                                LLVMConstInt(e->i32, 0, false), LLVMConstInt(e->i32, 2, false),
                                LLVMConstInt(e->i32, 1, false)};
    emit_intrinsic(e, "llvm.prefetch", arguments, 4);
}

/* A loop from `first` below `end` by `step`. The builder is where its body is emitted. */
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

/* A constant; else -1. */
static int64_t constant(LLVMValueRef value) {
    return LLVMIsAConstantInt(value) ? LLVMConstIntGetSExtValue(value) : -1;
}

/* Returns a dimension of stride `elements` and at most `most` coordinates, or -1. */
static int find_behind(const Fetch *fetch, int64_t elements, int64_t most) {
    for (int d = 0; d < fetch->memref->dimensions; d++) {
        int64_t length = constant(fetch->length[d]);
        if (d != fetch->dense && !fetch->joined[d] && constant(fetch->stride[d]) == elements &&
            length > 0 && length <= most / elements)
            return d;
    }
    return -1;
}

/* Finds the length of a row, and whether the rows are few. */
static void measure_rows(Fetch *fetch) {
    int64_t bytes = type_bytes(fetch->memref->type), most = MOST_UNROLLED * LINE / bytes;
    fetch->dense = -1;
    for (int d = 0; d < fetch->memref->dimensions; d++) {
        fetch->stride[d] = facts_apply(fetch->emitter, fetch->memref->stride[d]);
        fetch->joined[d] = false;
        if (constant(fetch->stride[d]) == 1)
            fetch->dense = d;
    }
    int64_t elements = fetch->dense < 0 ? 0 : constant(fetch->length[fetch->dense]);
    fetch->is_few = elements > 0 && elements <= most;
    for (int d; fetch->is_few && (d = find_behind(fetch, elements, most)) >= 0;) {
        fetch->joined[d] = true;
        elements *= constant(fetch->length[d]);
    }
    fetch->row = fetch->is_few ? elements * bytes : 0;
    int64_t lines = (fetch->row + LINE - 1) / LINE;
    for (int d = 0; d < fetch->memref->dimensions && fetch->is_few; d++)
        if (d != fetch->dense && !fetch->joined[d]) {
            fetch->is_few = constant(fetch->length[d]) > 0 &&
                            constant(fetch->length[d]) <= MOST_UNROLLED / lines;
            lines *= constant(fetch->length[d]);
        }
}

/* Does the next iteration's box begin right behind a row of this many elements? */
static LLVMValueRef is_followed(const Fetch *fetch, int64_t elements) {
    Emitter *e = fetch->emitter;
    LLVMValueRef distance = emit_index_constant(e, 0);
    for (int d = 0; d < fetch->memref->dimensions && fetch->moves; d++)
        distance = emit_index_add(
            e, distance,
            emit_index_mul(e, fetch->stride[d], emit_index_constant(e, fetch->shift[d])));
    return LLVMBuildICmp(e->builder, LLVMIntEQ, distance, emit_index_constant(e, elements), "");
}

/* Fetches a short row without a loop: line by line, and the line of the last byte, which may be one
 * more. */
static void fetch_short_row(const Fetch *fetch) {
    Emitter *e = fetch->emitter;
    LLVMValueRef first = address(fetch);
    int64_t bytes = type_bytes(fetch->memref->type);
    for (int64_t at = 0; at < fetch->row; at += LINE)
        fetch_line(e, LLVMBuildAdd(e->builder, first, emit_index_constant(e, at), ""));
    if (fetch->row % LINE == 1 || fetch->row == bytes)
        return;
    LLVMBasicBlockRef last = emit_block(e, "last"), done = emit_block(e, "lasted");
    LLVMValueRef followed = is_followed(fetch, fetch->row / bytes);
    LLVMBuildCondBr(e->builder, followed, done, last);
    LLVMPositionBuilderAtEnd(e->builder, last);
    fetch_line(e, LLVMBuildAdd(e->builder, first, emit_index_constant(e, fetch->row - 1), ""));
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

static void fetch_long_row(Fetch *fetch) {
    Emitter *e = fetch->emitter;
    int d = fetch->dense;
    LLVMValueRef one = emit_index_constant(e, 1);
    LLVMValueRef first =
        LLVMBuildAnd(e->builder, address(fetch), emit_index_constant(e, -LINE), "");
    fetch->index[d] =
        emit_index_add(e, fetch->minimum[d], emit_index_sub(e, fetch->length[d], one));
    LLVMValueRef end = LLVMBuildAdd(e->builder, address(fetch), one, "");
    fetch->index[d] = fetch->minimum[d];
    Counting lines = begin_loop(e, first, end, LINE);
    fetch_line(e, lines.variable);
    end_loop(e, &lines);
}

/* Emits the loops of the dimensions below `d`. */
static void fetch_box(Fetch *fetch, int d) {
    Emitter *e = fetch->emitter;
    if (d == 0) {
        if (fetch->dense < 0)
            fetch_line(e, address(fetch));
        else if (fetch->row)
            fetch_short_row(fetch);
        else
            fetch_long_row(fetch);
        return;
    }
    d--;
    fetch->index[d] = fetch->minimum[d];
    if (d == fetch->dense || fetch->joined[d]) {
        fetch_box(fetch, d);
        return;
    }
    for (int64_t k = 0; fetch->is_few && k < constant(fetch->length[d]); k++) {
        fetch->index[d] = emit_index_add(e, fetch->minimum[d], emit_index_constant(e, k));
        fetch_box(fetch, d);
    }
    if (fetch->is_few)
        return;
    LLVMValueRef end = LLVMBuildAdd(e->builder, fetch->minimum[d], fetch->length[d], "");
    Counting rows = begin_loop(e, fetch->minimum[d], end, 1);
    fetch->index[d] = rows.variable;
    fetch_box(fetch, d);
    end_loop(e, &rows);
}

/* Estimates the lines of the box, as a double: the product may be large. */
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
    measure_rows(fetch);
    LLVMValueRef most = LLVMConstReal(LLVMDoubleTypeInContext(e->llvm), MOST_LINES);
    LLVMValueRef fits = LLVMBuildFCmp(e->builder, LLVMRealOLE, count_lines(fetch), most, "");
    LLVMBuildCondBr(e->builder, fits, some, done);
    LLVMPositionBuilderAtEnd(e->builder, some);
    fetch_box(fetch, fetch->memref->dimensions);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
}

/* Finds the growth of a small expression if the variable grows by 1. False if it is not obviously
 * constant. */
static bool find_step(Expr expr, Symbol variable, int64_t *step) {
    int64_t steps[2], factor;
    *step = 0;
    if (expr->arity == 0) {
        *step = expr->op == OP_VARIABLE && expr->name == variable;
        return true;
    }
    if (expr->op != OP_ADD && expr->op != OP_SUB && expr->op != OP_MUL)
        return false;
    for (int i = 0; i < 2; i++)
        if (!find_step(expr->arguments[i], variable, &steps[i]))
            return false;
    if (expr->op != OP_MUL)
        return !(expr->op == OP_ADD ? __builtin_add_overflow(steps[0], steps[1], step)
                                    : __builtin_sub_overflow(steps[0], steps[1], step));
    if (!steps[0] && !steps[1])
        return true;
    int constant = steps[0] != 0;
    return expr_constant_integer(expr->arguments[constant], &factor) &&
           !__builtin_mul_overflow(steps[1 - constant], factor, step);
}

/* The fetching loop is the innermost enclosing loop that is not vectorized. */
static void find_shift(Fetch *fetch, const Stmt *stmt) {
    const Stmt *loop = stmt_parent(stmt);
    while (loop && loop->kind == STMT_FOR && loop->loop.traversal == TRAVERSE_UNROLLED)
        loop = stmt_parent(loop);
    fetch->moves = loop && loop->kind == STMT_FOR;
    for (int d = 0; d < stmt->prefetch.dimensions && fetch->moves; d++) {
        Expr minimum = stmt->prefetch.intervals[d].minimum;
        fetch->moves = minimum->tree_size <= LARGEST &&
                       find_step(minimum, loop->loop.binder, &fetch->shift[d]);
    }
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
    find_shift(&fetch, stmt);
    emit_forget(e);
    for (int c = 0; c < (func ? func->components : 1); c++) {
        fetch.memref = &memrefs[c];
        fetch_component(&fetch);
    }
}
