/* dot_bytes.c -- four products of bytes at once: VNNI, ARM's dotprod. dot.c explains the signs. */
#include "codegen/idioms/dot.h"

/* Finds the signedness in which the machine's instructions take the factors. */
DotSigns dot_find_signs(const Emitter *e, const DotTerm *term) {
    bool a_unsigned = dot_fits(&term->a, U8), a_signed = dot_fits(&term->a, I8);
    bool b_unsigned = dot_fits(&term->b, U8), b_signed = dot_fits(&term->b, I8),
         is_arm = e->target->is_aarch64;
    const struct {
        bool is_possible;
        DotSigns signs;
    } choices[] = {{is_arm && a_unsigned && b_unsigned, UNSIGNED_UNSIGNED},
                   {is_arm && a_signed && b_signed, SIGNED_SIGNED},
                   {a_unsigned && b_signed, UNSIGNED_SIGNED},
                   {a_signed && b_unsigned, SIGNED_UNSIGNED},
                   {a_unsigned && b_unsigned, UNSIGNED_UNSIGNED},
                   {a_signed && b_signed, SIGNED_SIGNED}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].is_possible)
            return choices[i].signs;
    return NOT_BYTES;
}

/* Returns the instruction for at least this many lanes, or the widest. */
static LLVMValueRef dot_function(Emitter *e, DotSigns signs, unsigned total, unsigned *lanes) {
    unsigned most = e->target->dot_lanes;
    *lanes = most == 16 && total > 8 ? 16 : most >= 8 && total > 4 ? 8 : 4;
    if (!e->target->is_aarch64) {
        const char *name = *lanes == 16  ? "llvm.x86.avx512.vpdpbusd.512"
                           : *lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                                         : "llvm.x86.avx512.vpdpbusd.128";
        return compat_intrinsic(e->module, name, NULL, 0);
    }
    LLVMTypeRef types[] = {LLVMVectorType(e->i32, 4), LLVMVectorType(e->i8, 16)};
    const char *name =
        signs == UNSIGNED_UNSIGNED ? "llvm.aarch64.neon.udot" : "llvm.aarch64.neon.sdot";
    return compat_intrinsic(e->module, name, types, 2);
}

/* Adds the four products of each lane to the sum, with the instruction's own signs. */
static LLVMValueRef dot_pieces(Emitter *e, DotSigns signs, LLVMValueRef sum, LLVMValueRef a,
                               LLVMValueRef b) {
    unsigned total = emit_lane_count(a) / BYTES, lanes;
    LLVMValueRef function = dot_function(e, signs, total, &lanes);
    LLVMTypeRef type = LLVMVectorType(e->i32, total);
    LLVMValueRef result = LLVMGetPoison(type);
    sum = sum ? emit_splat(e, sum, total) : LLVMConstNull(type);
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned count = total - first < lanes ? total - first : lanes;
        LLVMValueRef arguments[] = {
            emit_take_lanes(e, sum, first, count, lanes),
            emit_take_lanes(e, a, BYTES * first, BYTES * count, BYTES * lanes),
            emit_take_lanes(e, b, BYTES * first, BYTES * count, BYTES * lanes)};
        result = emit_put_lanes(e, result, dot_call(e, function, arguments, 3), first, count);
    }
    return result;
}

/* The number in all bytes. */
static LLVMValueRef spread(Emitter *e, LLVMValueRef like, int64_t number) {
    LLVMValueRef byte = LLVMConstInt(emit_lane_type(like), (uint64_t)number, true);
    return emit_splat(e, byte, emit_lane_count(like));
}

/* sum + the products. */
static LLVMValueRef dot(Emitter *e, DotSigns signs, LLVMValueRef sum, LLVMValueRef a,
                        LLVMValueRef b) {
    bool is_arm = e->target->is_aarch64;
    if (signs == SIGNED_UNSIGNED) {
        LLVMValueRef first = a;
        a = b, b = first, signs = UNSIGNED_SIGNED;
    }
    if (is_arm ? signs != UNSIGNED_SIGNED : signs == UNSIGNED_SIGNED)
        return dot_pieces(e, signs, sum, a, b);
    bool turns_b = signs == UNSIGNED_UNSIGNED;
    LLVMValueRef turned = turns_b ? b : a, other = turns_b ? a : b;
    LLVMValueRef moved = spread(e, other, -128); /* as unsigned, 128 */
    turned = LLVMBuildXor(e->builder, turned, moved, "");
    /* b - 128: x86 a*b = a*(b - 128) - a*-128;  a + 128: (a + 128)*b - 128*b;  ARM a - 128:
     * (a - 128)*b - -128*b. */
    LLVMValueRef excess = turns_b ? dot_pieces(e, UNSIGNED_SIGNED, NULL, other, moved)
                                  : dot_pieces(e, UNSIGNED_SIGNED, NULL, moved, other);
    LLVMValueRef products = turns_b ? dot_pieces(e, UNSIGNED_SIGNED, sum, other, turned)
                                    : dot_pieces(e, UNSIGNED_SIGNED, sum, turned, other);
    return LLVMBuildSub(e->builder, products, excess, "");
}

/* The factors of terms as bytes: factor `b`, or `a`. */
static void byte_values(Emitter *e, DotTerm *const *terms, bool of_b, LLVMValueRef *values) {
    for (int k = 0; k < BYTES; k++)
        values[k] = dot_factor_value(e, of_b ? &terms[k]->b : &terms[k]->a, U8);
}

bool dot_in_place(Emitter *e, DotSigns signs, DotTerm *const *terms, LLVMValueRef *sum) {
    LLVMValueRef values[BYTES], sides[2];
    for (int side = 0; side < 2; side++) {
        byte_values(e, terms, side, values);
        if (!(sides[side] = dot_side_by_side(e, values, BYTES)))
            return false;
    }
    *sum = dot(e, signs, *sum, sides[0], sides[1]);
    return true;
}

/* Interleaves lanes [first, first + lanes) of four byte vectors. The result is four vectors of as
 * many bytes, each with the numbers of a quarter of the lanes side by side. */
static void interleave(Emitter *e, const LLVMValueRef *values, unsigned first, unsigned lanes,
                       LLVMValueRef *result) {
    LLVMTypeRef words = LLVMVectorType(emit_type(e, I16), lanes / 2);
    LLVMValueRef x[BYTES];
    if (dot_are_uniform(values, BYTES)) {
        for (int k = 0; k < BYTES; k++)
            result[k] = dot_pack(e, values, BYTES, lanes / BYTES);
        return;
    }
    for (int k = 0; k < BYTES; k++)
        x[k] = emit_take_lanes(e, emit_splat(e, values[k], e->lanes.count), first, lanes, lanes);
    for (int upper = 0; upper < 2; upper++) {
        LLVMValueRef pairs[2];
        for (int k = 0; k < 2; k++)
            pairs[k] = LLVMBuildBitCast(e->builder, dot_alternate(e, x[2 * k], x[2 * k + 1], upper),
                                        words, "");
        for (int half = 0; half < 2; half++)
            result[2 * upper + half] =
                LLVMBuildBitCast(e->builder, dot_alternate(e, pairs[0], pairs[1], half),
                                 LLVMVectorType(e->i8, lanes), "");
    }
}

bool dot_interleaved(Emitter *e, DotSigns signs, DotTerm *const *terms, LLVMValueRef *sum) {
    unsigned total = e->lanes.count, lanes = BYTES * e->target->dot_lanes;
    LLVMValueRef values[2][BYTES], result = LLVMGetPoison(LLVMVectorType(e->i32, total));
    if (total % lanes != 0)
        return false;
    for (int side = 0; side < 2; side++)
        byte_values(e, terms, side, values[side]);
    for (unsigned first = 0; first < total; first += lanes) {
        LLVMValueRef sides[2][BYTES], sums[BYTES];
        for (int side = 0; side < 2; side++)
            interleave(e, values[side], first, lanes, sides[side]);
        for (int k = 0; k < BYTES; k++)
            sums[k] = dot(e, signs, NULL, sides[0][k], sides[1][k]);
        LLVMValueRef lower = dot_in_order(e, sums[0], sums[1], 4);
        LLVMValueRef upper = dot_in_order(e, sums[2], sums[3], 4);
        result = emit_put_lanes(e, result, dot_in_order(e, lower, upper, 8), first, lanes);
    }
    dot_add(e, sum, result);
    return true;
}
