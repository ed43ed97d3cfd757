/* clamped.c -- loads the lanes at a clamped index from one stretch of a row.
 *
 *     in[max(min(x, n - 1), 0), y]        at the left edge, in 8 lanes
 *
 *     x                -3 -2 -1  0  1  2  3  4
 *     index             0  0  0  0  1  2  3  4
 *     stretch          in[0, y] .. in[7, y]: one dense load
 *     place in it       0  0  0  0  1  2  3  4: a permutation (permute.c)
 *
 * The index is a ramp of steps of 1 or 2, in either direction, under min and max with uniform
 * bounds, and uniform terms.  Neighbouring lanes are then at most a step apart, so all are in a
 * stretch of step*lanes elements behind the least one, which is the first lane or the last.  The
 * stretch is moved back into the row where it would end behind it.
 *
 * The places are computed in lanes as narrow as the elements.  Scalars are first limited to
 * [-length, length] of the stretch.  That keeps each intermediate result exact, or on its side of
 * the stretch: below 0, or beyond the end.  min and max keep it so, and the places are inside.
 *
 * Reading the whole stretch is sound because all of the row is memory of the buffer, or ours;
 * elements never written are frozen, and lanes do not take what other threads write meanwhile.  A
 * row shorter than the stretch is read element by element.
 */
#include "codegen/interleave.h"
#include "codegen/permute.h"

enum { LEAST_LANES = 4, MOST_IN_STRETCH = 8 /* registers */, STEEPEST = 2 };

typedef struct RowStretch {
    Emitter *emitter;
    const Memref *memref;
    unsigned bits, length; /* of an element; in elements */
    LLVMValueRef first;    /* the coordinate of its first element */
    LLVMTypeRef place;     /* an integer of `bits` */
} RowStretch;

/* ---- which indices ---- */

/* Returns the operand of a clamp or a sum that varies; -1 if there is no single one. */
static int varying_operand(const Emitter *e, Expr node) {
    if ((node->op != OP_MIN && node->op != OP_MAX && node->op != OP_ADD && node->op != OP_SUB) ||
        emit_is_uniform(e, node->arguments[0]) == emit_is_uniform(e, node->arguments[1]))
        return -1;
    int varying = emit_is_uniform(e, node->arguments[0]);
    return node->op == OP_SUB && varying ? -1 : varying;
}

/* Returns the ramp under the clamps; null for other indices. */
static const AffineLanes *find_ramp(const Emitter *e, Expr index) {
    for (;;) {
        const AffineLanes *affine = affine_of(e, index);
        if (!affine || affine->period > 1)
            return NULL;
        if (affine->period == 1)
            return affine->cycle && affine->cycle <= STEEPEST && affine->cycle >= -STEEPEST ? affine
                                                                                            : NULL;
        int varying = varying_operand(e, index);
        if (varying < 0)
            return NULL;
        index = index->arguments[varying];
    }
}

/* Finds the ramp and the length of the stretch. */
static const AffineLanes *begin(Emitter *e, const Memref *memref, const Expr *indices,
                                RowStretch *stretch) {
    const AffineLanes *affine = memref->row_length ? affine_of(e, indices[0]) : NULL;
    bool is_straight = affine && e->lanes.straight && affine->tested == e->lanes.straight;
    if (!affine || affine->period || is_straight || e->lanes.mask || e->lanes.count < LEAST_LANES)
        return NULL;
    for (int d = 1; d < memref->dimensions; d++)
        if (!emit_is_uniform(e, indices[d]))
            return NULL;
    unsigned bits = type_bytes(memref->type) * 8;
    Permutation machine = permutation_of(e, bits);
    const AffineLanes *ramp = machine.lanes ? find_ramp(e, indices[0]) : NULL;
    if (!ramp)
        return NULL;
    unsigned step = (unsigned)(ramp->cycle < 0 ? -ramp->cycle : ramp->cycle);
    *stretch = (RowStretch){.emitter = e,
                            .memref = memref,
                            .bits = bits,
                            .length = step * e->lanes.count,
                            .place = LLVMIntTypeInContext(e->llvm, bits)};
    unsigned most = machine.most < MOST_IN_STRETCH ? machine.most : MOST_IN_STRETCH;
    bool is_short =
        stretch->length <= MAX_LANES && permutation_registers(&machine, stretch->length) <= most;
    return is_short ? ramp : NULL;
}

/* ---- the places ---- */

static LLVMValueRef least_of(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return emit_intrinsic(e, "llvm.smin", (LLVMValueRef[]){a, b}, 2);
}

static LLVMValueRef most_of(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    return emit_intrinsic(e, "llvm.smax", (LLVMValueRef[]){a, b}, 2);
}

static LLVMValueRef limit(const RowStretch *stretch, LLVMValueRef value) {
    Emitter *e = stretch->emitter;
    value = least_of(e, value, emit_index_constant(e, stretch->length));
    value = most_of(e, value, emit_index_constant(e, -(int64_t)stretch->length));
    return LLVMBuildTrunc(e->builder, value, stretch->place, "");
}

/* Returns a - b, without the promise that it stays in 64 bits. */
static LLVMValueRef subtract(const RowStretch *stretch, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSub(stretch->emitter->builder, a, b, "");
}

/* Returns ramp - base.  The lane that is least is limited, so the others are beyond the end if it
 * is. */
static LLVMValueRef ramp_places(const RowStretch *stretch, const AffineLanes *ramp,
                                LLVMValueRef base) {
    Emitter *e = stretch->emitter;
    LLVMValueRef added[MAX_LANES];
    unsigned count = e->lanes.count;
    int64_t step = ramp->cycle;
    LLVMValueRef least = subtract(stretch, step > 0 ? ramp->first : ramp->last, base);
    for (unsigned i = 0; i < count; i++) {
        int64_t offset = step > 0 ? step * i : -step * (count - 1 - i);
        added[i] = LLVMConstInt(stretch->place, (uint64_t)offset, false);
    }
    return LLVMBuildAdd(e->builder, emit_splat(e, limit(stretch, least), count),
                        LLVMConstVector(added, count), "");
}

/* Returns index - base in lanes of narrow integers. */
static LLVMValueRef places(const RowStretch *stretch, Expr index, LLVMValueRef base) {
    Emitter *e = stretch->emitter;
    const AffineLanes *affine = affine_of(e, index);
    if (affine->period == 1)
        return ramp_places(stretch, affine, base);
    int varying = varying_operand(e, index);
    Expr inner = index->arguments[varying];
    LLVMValueRef uniform = emit_known(e, index->arguments[1 - varying]);
    if (index->op == OP_ADD)
        return places(stretch, inner, subtract(stretch, base, uniform));
    if (index->op == OP_SUB)
        return places(stretch, inner, LLVMBuildAdd(e->builder, base, uniform, ""));
    LLVMValueRef lanes = places(stretch, inner, base);
    LLVMValueRef bound =
        emit_splat(e, limit(stretch, subtract(stretch, uniform, base)), e->lanes.count);
    return index->op == OP_MIN ? least_of(e, lanes, bound) : most_of(e, lanes, bound);
}

/* ---- the elements ---- */

static LLVMValueRef address_of(const RowStretch *stretch, const Expr *indices) {
    LLVMValueRef at[MAX_DIMENSIONS] = {stretch->first};
    for (int d = 1; d < stretch->memref->dimensions; d++)
        at[d] = emit_known(stretch->emitter, indices[d]);
    return emit_address(stretch->emitter, stretch->memref, at);
}

/* Reads a short row, one lane in an iteration. */
static LLVMValueRef load_one_by_one(const RowStretch *stretch, LLVMValueRef address,
                                    LLVMValueRef lanes) {
    Emitter *e = stretch->emitter;
    unsigned count = e->lanes.count;
    LLVMTypeRef word = stretch->place, vector = LLVMVectorType(word, count);
    LLVMValueRef from = emit_slot(e, vector, "places"), to = emit_slot(e, vector, "elements");
    LLVMSetAlignment(LLVMBuildStore(e->builder, lanes, from), stretch->bits / 8);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), each = emit_block(e, "each"),
                      after = emit_block(e, "each.done");
    LLVMBuildBr(e->builder, each);
    LLVMPositionBuilderAtEnd(e->builder, each);
    LLVMValueRef i = LLVMBuildPhi(e->builder, e->i64, "lane");
    LLVMValueRef place =
        LLVMBuildLoad2(e->builder, word, LLVMBuildGEP2(e->builder, word, from, &i, 1, ""), "");
    place = LLVMBuildZExt(e->builder, place, e->i64, "");
    LLVMValueRef element = LLVMBuildLoad2(
        e->builder, word, LLVMBuildGEP2(e->builder, word, address, &place, 1, ""), "");
    LLVMBuildStore(e->builder, element, LLVMBuildGEP2(e->builder, word, to, &i, 1, ""));
    LLVMValueRef next = LLVMBuildAdd(e->builder, i, emit_index_constant(e, 1), "");
    LLVMAddIncoming(i, (LLVMValueRef[]){emit_index_constant(e, 0), next},
                    (LLVMBasicBlockRef[]){before, each}, 2);
    LLVMValueRef more =
        LLVMBuildICmp(e->builder, LLVMIntULT, next, emit_index_constant(e, count), "");
    LLVMBuildCondBr(e->builder, more, each, after);
    LLVMPositionBuilderAtEnd(e->builder, after);
    LLVMValueRef result = LLVMBuildLoad2(e->builder, vector, to, "");
    LLVMSetAlignment(result, stretch->bits / 8);
    return result;
}

static LLVMValueRef load_stretch(const RowStretch *stretch, LLVMValueRef address,
                                 LLVMValueRef lanes) {
    RegisterTable table = registers_load(stretch->emitter, stretch->bits, address, stretch->length);
    return registers_look_up(&table, stretch->bits, lanes);
}

LLVMValueRef clamped_load(Emitter *e, const Memref *memref, const Expr *indices) {
    RowStretch stretch;
    const AffineLanes *ramp = begin(e, memref, indices, &stretch);
    if (!ramp)
        return NULL;
    interleave_settle(e, memref, NULL, 0, false);
    profile_access(e, HLC_ACCESS_STRIDED);
    const AffineLanes *affine = affine_of(e, indices[0]);
    LLVMValueRef length = emit_index_constant(e, stretch.length),
                 end = emit_index_add(e, memref->row_first, memref->row_length),
                 least = ramp->cycle > 0 ? affine->first : affine->last;
    stretch.first =
        most_of(e, least_of(e, least, emit_index_sub(e, end, length)), memref->row_first);
    LLVMValueRef lanes = places(&stretch, indices[0], stretch.first),
                 address = address_of(&stretch, indices),
                 fits = LLVMBuildICmp(e->builder, LLVMIntSGE, memref->row_length, length, ""),
                 values[2];
    LLVMBasicBlockRef from[2];
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, memref->type), e->lanes.count);
    if (LLVMIsAConstantInt(fits))
        return LLVMConstIntGetZExtValue(fits)
                   ? LLVMBuildBitCast(e->builder, load_stretch(&stretch, address, lanes), type, "")
                   : NULL;
    LLVMBasicBlockRef whole = emit_block(e, "stretch"), part = emit_block(e, "short"),
                      done = emit_block(e, "clamped");
    LLVMBuildCondBr(e->builder, fits, whole, part);
    LLVMPositionBuilderAtEnd(e->builder, part);
    values[0] = load_one_by_one(&stretch, address, lanes);
    from[0] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, whole);
    values[1] = load_stretch(&stretch, address, lanes);
    from[1] = LLVMGetInsertBlock(e->builder);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    LLVMValueRef merged = LLVMBuildPhi(e->builder, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(merged, values, from, 2);
    return LLVMBuildBitCast(e->builder, merged, type, "");
}
