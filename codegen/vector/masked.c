/* masked.c -- dense loads and stores under a mask, in pieces of one register.
 *
 * Lanes with a false mask access no memory, and have arbitrary values. Two faults of LLVM 19
 * determine the form of such an access:
 *
 *   - It widens a vector whose number of lanes is no power of two, and may lose the mask of the
 *     added lanes (tests/unit/codegen_masks.c). So the lanes of a piece are a power of two.
 *   - It splits a vector of several registers. If the mask of one part is known to be false, a
 *     second masked load read all of that part. So a piece has one register at most.
 *
 * A piece that leaves an object of known size has no running lane, and is not emitted; see
 * object_bounds.c.
 */
#include "codegen/emit.h"

typedef struct MaskedPiece {
    unsigned begin, lanes; /* of the vector */
    unsigned whole;        /* the accessed lanes: a power of two; lanes beyond `lanes` are off */
    LLVMTypeRef type;
    LLVMValueRef address;
} MaskedPiece;

static unsigned next_power_of_two(unsigned lanes) {
    unsigned whole = 1;
    while (whole < lanes)
        whole *= 2;
    return whole;
}

static MaskedPiece piece_at(Emitter *e, LLVMTypeRef type, LLVMValueRef address, unsigned begin,
                            unsigned element_bytes) {
    unsigned rest = LLVMGetVectorSize(type) - begin;
    unsigned most = target_register_bytes(e->target) / element_bytes;
    MaskedPiece piece = {.begin = begin, .lanes = rest < most ? rest : most, .address = address};
    piece.whole = next_power_of_two(piece.lanes);
    piece.type = LLVMVectorType(LLVMGetElementType(type), piece.whole);
    if (begin)
        piece.address = emit_at(e, LLVMGetElementType(type), address, begin);
    return piece;
}

/* Returns the lanes from `begin` on; zeros beyond the vector's end. */
static LLVMValueRef slice(Emitter *e, LLVMValueRef vector, unsigned begin, unsigned lanes) {
    unsigned from[MOST_MASKED_LANES], count = emit_lane_count(vector);
    if (lanes == count)
        return vector;
    for (unsigned i = 0; i < lanes; i++)
        from[i] = begin + i < count ? begin + i : count;
    return emit_shuffle(e, vector, LLVMConstNull(LLVMTypeOf(vector)), from, lanes);
}

LLVMValueRef masked_load(Emitter *e, LLVMTypeRef type, LLVMValueRef address, unsigned element_bytes,
                         LLVMValueRef mask) {
    unsigned count = LLVMGetVectorSize(type), from[MOST_MASKED_LANES];
    LLVMValueRef result = NULL;
    for (unsigned begin = 0; begin < count;) {
        MaskedPiece piece = piece_at(e, type, address, begin, element_bytes);
        begin += piece.lanes;
        if (!object_holds(e, piece.address, piece.type))
            continue;
        LLVMValueRef loaded =
            compat_masked_load(e->module, e->builder, piece.type, piece.address, element_bytes,
                               slice(e, mask, piece.begin, piece.whole));
        if (piece.whole == count)
            return loaded;
        for (unsigned i = 0; i < count; i++)
            from[i] = i < piece.lanes ? i : (unsigned)NO_LANE;
        loaded = slice(e, loaded, 0, count);
        for (unsigned i = 0; i < count; i++)
            from[i] = i < piece.begin ? i : count + (i - piece.begin);
        result = result        ? emit_shuffle(e, result, loaded, from, count)
                 : piece.begin ? emit_shuffle(e, LLVMGetPoison(type), loaded, from, count)
                               : loaded;
    }
    return result ? result : LLVMGetPoison(type);
}

void masked_store(Emitter *e, LLVMValueRef value, LLVMValueRef address, unsigned element_bytes,
                  LLVMValueRef mask) {
    for (unsigned begin = 0; begin < emit_lane_count(value);) {
        MaskedPiece piece = piece_at(e, LLVMTypeOf(value), address, begin, element_bytes);
        begin += piece.lanes;
        if (object_holds(e, piece.address, piece.type))
            compat_masked_store(e->module, e->builder, slice(e, value, piece.begin, piece.whole),
                                piece.address, element_bytes,
                                slice(e, mask, piece.begin, piece.whole));
    }
}
