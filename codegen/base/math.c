/* math.c -- calls of the mathematical functions of math.def.
 *
 * A vector is split into pieces for the widest function of the machine that a piece fills. The rest
 * is padded with copies of its first lane, for the narrowest function that holds it. LLVM does not
 * know SLEEF's names, so it cannot fold or approximate the calls. Attributes mark the functions as
 * pure, so equal calls are merged and hoisted.
 */
#include "codegen/math.h"

#include "codegen/emit.h"
#include "codegen/exp.h"
#include "codegen/power.h"

#include <math.h>

typedef enum MathFeature {
    MATH_purecfma,
    MATH_avx2128,
    MATH_avx2,
    MATH_avx512f,
    MATH_advsimd
} MathFeature;

typedef struct MathVariant {
    char letter;
    uint8_t bits, lanes;
    MathFeature feature;
    const char *suffix;
} MathVariant;

/* Of each type, wide ones first. */
static const MathVariant variants[] = {
#define V(LETTER, BITS, LANES, SUFFIX, NAME) {#LETTER[0], BITS, LANES, MATH_##SUFFIX, #SUFFIX},
    MATH_ON_X86(V, ) MATH_ON_AARCH64(V, ) MATH_SCALAR(V, )
#undef V
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const char *name_of(Op op) {
    switch ((int)op) {
#define FINZ(OP, NAME)                                                                             \
    case OP_##OP:                                                                                  \
        return #NAME;
#include "codegen/math.def"
#undef FINZ
    }
    diag_broken_invariant(__FILE__, __LINE__, "every FINZ operator has a row in math.def");
}

static bool has(const Target *target, MathFeature feature) {
    switch (feature) {
    case MATH_purecfma:
        return true; /* otherwise check_features in object.c refuses the pipeline */
    case MATH_avx2128:
    case MATH_avx2:
        return target->has_fma && target->has_avx2;
    case MATH_avx512f:
        return target->has_fma && target->has_avx512;
    case MATH_advsimd:
        return target->is_aarch64;
    }
    return false;
}

/* For `count` lanes or the first of them. */
static const MathVariant *choose(const Target *target, Type type, unsigned count) {
    const MathVariant *chosen = NULL;
    for (size_t i = 0; i < VARIANTS; i++) {
        if (variants[i].bits != type.bits || !has(target, variants[i].feature))
            continue;
        if (chosen && variants[i].lanes < count)
            break; /* the one before holds them all */
        chosen = &variants[i];
        if (chosen->lanes <= count)
            break;
    }
    return chosen;
}

static LLVMValueRef declare(Emitter *e, const char *symbol, LLVMTypeRef type) {
    static const char *const pure[] = {"nounwind", "willreturn", "nofree", "nosync"};
    LLVMValueRef function = LLVMGetNamedFunction(e->module, symbol);
    if (function)
        return function;
    function = LLVMAddFunction(e->module, symbol, type);
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        compat_mark(function, pure[i]);
    compat_mark(function, "memory"); /* touches none */
    return function;
}

static LLVMValueRef call(Emitter *e, Expr node, const MathVariant *variant,
                         LLVMValueRef *arguments) {
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    LLVMTypeRef parameters[OP_MAX_ARITY] = {type, type, type};
    LLVMTypeRef function_type = LLVMFunctionType(type, parameters, node->arity, false);
    const char *symbol = arena_format(e->arena, "Sleef_finz_%s%c%d_u10%s", name_of((Op)node->op),
                                      variant->letter, variant->lanes, variant->suffix);
    return LLVMBuildCall2(e->builder, function_type, declare(e, symbol, function_type), arguments,
                          node->arity, "");
}

/* Nothing is known of the operand of a node on floats of 16 bits, which has no name here. */
static FloatInterval range_of(Emitter *e, Expr operand) {
    bool is_known = operand->op != OP_VARIABLE || operand->name;
    return is_known ? simplify_float_interval(e->simplifier, operand)
                    : (FloatInterval){-INFINITY, INFINITY, true};
}

LLVMValueRef emit_math(Emitter *e, Expr node, const LLVMValueRef *operands) {
    e->needs_fma = op_info((Op)node->op)->text;
    unsigned total = emit_lane_count(operands[0]), count;
    if (node->op == OP_EXP && node->type.bits == 32 && total > 1)
        return emit_vector_exp(e, operands[0]);
    if (node->op == OP_POW && node->type.bits == 32)
        return emit_power(e, range_of(e, node->arguments[0]), range_of(e, node->arguments[1]),
                          operands[0], operands[1]);
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(operands[0]));
    for (unsigned first = 0; first < total; first += count) {
        const MathVariant *variant = choose(e->target, node->type, total - first);
        count = total - first < variant->lanes ? total - first : variant->lanes;
        LLVMValueRef arguments[OP_MAX_ARITY];
        for (int i = 0; i < node->arity; i++)
            arguments[i] = emit_take_lanes(e, operands[i], first, count, variant->lanes);
        LLVMValueRef piece = call(e, node, variant, arguments);
        if (total == 1)
            return piece;
        result = emit_put_lanes(e, result, piece, first, count);
    }
    return result;
}
