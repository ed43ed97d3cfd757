/* dot_pairs.c -- two products at once: bytes by constants, and 16-bit numbers (dot.c). */
#include "codegen/idioms/dot.h"

/* ---- bytes by constants, in 16 bits ---- */

bool dot_is_small(const DotTerm *term) {
    return term->is_product && term->a.type.bits == 8 && !term->b.inner &&
           dot_is_exact(&term->a, &term->b, I16);
}

/* Returns the bytes that pmaddubsw takes at once; 0: no such instruction, or too few lanes. */
static unsigned byte_pair_lanes(const Emitter *e, const char **name) {
    const Target *target = e->target;
    unsigned total = e->lanes.count;
    bool is_widest = target->has_avx512 && total >= 64, is_wide = target->has_avx2 && total >= 32;
    *name = is_widest ? "llvm.x86.avx512.pmaddubs.w.512"
            : is_wide ? "llvm.x86.avx2.pmadd.ub.sw"
                      : "llvm.x86.ssse3.pmadd.ub.sw.128";
    return !target->has_ssse3 || total < 16 ? 0 : is_widest ? 64 : is_wide ? 32 : 16;
}

/* Are all terms unsigned bytes by constants that fit signed bytes? */
static bool are_byte_pairs(DotTerm *const *terms, int count) {
    for (int k = 0; k < count; k++)
        if (type_is_signed(terms[k]->a.type) || !dot_fits(&terms[k]->b, I8))
            return false;
    return true;
}

/* The weights of two terms, alternating in `lanes` bytes; the second may be null. */
static LLVMValueRef weights(Emitter *e, const DotTerm *first, const DotTerm *second,
                            unsigned lanes) {
    LLVMValueRef bytes[MAX_LANES];
    for (unsigned i = 0; i < lanes; i++) {
        const DotTerm *term = i % 2 ? second : first;
        bytes[i] = LLVMConstInt(e->i8, term ? (uint64_t)term->b.number : 0, true);
    }
    return LLVMConstVector(bytes, lanes);
}

/* Computes lanes [first, first + lanes) of the sum; the caller needs the first `count` of them. */
static LLVMValueRef byte_pair_piece(Emitter *e, LLVMValueRef function, DotTerm *const *terms,
                                    int term_count, unsigned first, unsigned count,
                                    unsigned lanes) {
    LLVMValueRef halves[2] = {NULL, NULL};
    for (int k = 0; k < term_count; k += 2) {
        const DotTerm *pair[] = {terms[k], k + 1 < term_count ? terms[k + 1] : NULL};
        LLVMValueRef x[2], by = weights(e, pair[0], pair[1], lanes);
        for (int i = 0; i < 2; i++) {
            const DotFactor zero = {.number = 0};
            LLVMValueRef value = dot_factor_value(e, pair[i] ? &pair[i]->a : &zero, U8);
            x[i] = emit_take_lanes(e, emit_splat(e, value, e->lanes.count), first, count, lanes);
        }
        for (int upper = 0; upper < 2; upper++)
            dot_add(e, &halves[upper],
                    dot_call(e, function, (LLVMValueRef[]){dot_alternate(e, x[0], x[1], upper), by},
                             2));
    }
    return dot_in_order(e, halves[0], halves[1], 8);
}

static LLVMValueRef byte_pairs(Emitter *e, DotTerm *const *terms, int count) {
    const char *name;
    unsigned total = e->lanes.count, lanes = byte_pair_lanes(e, &name);
    LLVMValueRef function = compat_intrinsic(e->module, name, NULL, 0);
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(emit_type(e, I16), total));
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned some = total - first < lanes ? total - first : lanes;
        LLVMValueRef piece = byte_pair_piece(e, function, terms, count, first, some, lanes);
        result = emit_put_lanes(e, result, piece, first, some);
    }
    return result;
}

LLVMValueRef dot_small_sum(Emitter *e, DotTerm *const *terms, int count) {
    const char *name;
    LLVMValueRef sum = NULL;
    if (byte_pair_lanes(e, &name) && are_byte_pairs(terms, count))
        return byte_pairs(e, terms, count);
    for (int k = 0; k < count; k++) {
        LLVMValueRef value = dot_factor_value(e, &terms[k]->a, I16);
        LLVMValueRef weight = emit_constant_like(value, terms[k]->b.number);
        dot_add(e, &sum, LLVMBuildMul(e->builder, value, weight, ""));
    }
    return sum;
}

/* ---- two products of 16 bits ---- */

/* For 8-bit numbers pairs gain nothing: LLVM widens them to 32 bits as it loads them, and pmaddwd
 * with zeros beside them multiplies as well. */
bool dot_is_word_product(const DotTerm *term) {
    return term->is_product && (!term->a.inner || term->a.type.bits == 16) &&
           (!term->b.inner || term->b.type.bits == 16) && dot_fits(&term->a, I16) &&
           dot_fits(&term->b, I16);
}

/* Returns the 16-bit numbers that pmaddwd takes at once, and its name. */
static unsigned word_pair_lanes(const Emitter *e, const char **name) {
    const Target *target = e->target;
    *name = target->has_avx512 ? "llvm.x86.avx512.pmaddw.d.512"
            : target->has_avx2 ? "llvm.x86.avx2.pmadd.wd"
                               : "llvm.x86.sse2.pmadd.wd";
    return target->has_avx512 ? 32 : target->has_avx2 ? 16 : 8;
}

/* Handles numbers that are already side by side. */
static LLVMValueRef word_pairs_in_place(Emitter *e, LLVMValueRef function, unsigned lanes,
                                        const LLVMValueRef *sides) {
    unsigned total = e->lanes.count;
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(e->i32, total));
    for (unsigned first = 0; first < total; first += lanes / 2) {
        unsigned count = total - first < lanes / 2 ? total - first : lanes / 2;
        LLVMValueRef x[2];
        for (int side = 0; side < 2; side++)
            x[side] = emit_take_lanes(e, sides[side], WORDS * first, WORDS * count, lanes);
        result = emit_put_lanes(e, result, dot_call(e, function, x, 2), first, count);
    }
    return result;
}

static LLVMValueRef word_pairs_interleaved(Emitter *e, LLVMValueRef function, unsigned lanes,
                                           LLVMValueRef values[2][WORDS]) {
    unsigned total = e->lanes.count;
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(e->i32, total));
    for (unsigned first = 0; first < total; first += lanes) {
        unsigned count = total - first < lanes ? total - first : lanes;
        LLVMValueRef x[2][WORDS], halves[2];
        for (int i = 0; i < 2 * WORDS; i++)
            x[i / 2][i % 2] =
                emit_take_lanes(e, emit_splat(e, values[i / 2][i % 2], total), first, count, lanes);
        for (int upper = 0; upper < 2; upper++)
            halves[upper] = dot_call(e, function,
                                     (LLVMValueRef[]){dot_alternate(e, x[0][0], x[0][1], upper),
                                                      dot_alternate(e, x[1][0], x[1][1], upper)},
                                     2);
        result = emit_put_lanes(e, result, dot_in_order(e, halves[0], halves[1], 4), first, count);
    }
    return result;
}

bool dot_word_pairs(Emitter *e, DotTerm *const *terms, LLVMValueRef *sum) {
    const char *name;
    unsigned lanes = word_pair_lanes(e, &name);
    LLVMValueRef values[2][WORDS], sides[2];
    for (int i = 0; i < 2 * WORDS; i++)
        values[i / 2][i % 2] =
            dot_factor_value(e, i / 2 ? &terms[i % 2]->b : &terms[i % 2]->a, I16);
    for (int side = 0; side < 2; side++)
        sides[side] = dot_side_by_side(e, values[side], WORDS);
    LLVMValueRef function = compat_intrinsic(e->module, name, NULL, 0);
    if (sides[0] && sides[1])
        dot_add(e, sum, word_pairs_in_place(e, function, lanes, sides));
    else if (e->lanes.count >= lanes)
        dot_add(e, sum, word_pairs_interleaved(e, function, lanes, values));
    else
        return false;
    return true;
}
