/* short_float.c -- f16 and bf16 in code: their bits are integers of 16 bits, in memory and in
 * registers.
 *
 * LLVM never sees arithmetic on its types `half` and `bfloat`: for many targets it would call
 * functions that the object's user may not have (__truncsfhf2), or round otherwise. Signs, order and
 * classes are computed on the integers. Other operators are computed in f32, and the result is
 * rounded once (ir/short_float.h says why this is right).
 *
 * x86 with F16C and ARM convert between f16 and f32 by one instruction. LLVM's passes would pull
 * comparisons and arithmetic through a conversion that they know. So until they have run, such a
 * conversion is a call of a function that does not exist; then short_float_lower replaces it. Other
 * conversions are integer arithmetic: those of bf16 always, because the instructions for it take
 * subnormals for zero.
 */
#include "codegen/emit.h"
#include "codegen/short_float.h"

enum { SIGN = 0x8000, MAGNITUDE = 0x7fff };

static LLVMValueRef constant(LLVMValueRef like, int64_t value) {
    return emit_constant_like(like, value);
}

static LLVMValueRef binary(Emitter *e, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(e->builder, op, a, b, "");
}

static LLVMValueRef with(Emitter *e, LLVMOpcode op, LLVMValueRef a, int64_t number) {
    return binary(e, op, a, constant(a, number));
}

static LLVMValueRef test(Emitter *e, LLVMIntPredicate predicate, LLVMValueRef a, int64_t number) {
    return LLVMBuildICmp(e->builder, predicate, a, constant(a, number), "");
}

static LLVMValueRef choose(Emitter *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

static LLVMTypeRef float_like(const Emitter *e, LLVMValueRef like) {
    return emit_lanes_of(LLVMFloatTypeInContext(e->llvm), like);
}

static LLVMTypeRef word_like(const Emitter *e, unsigned bits, LLVMValueRef like) {
    return emit_lanes_of(LLVMIntTypeInContext(e->llvm, bits), like);
}

static LLVMValueRef as_float(Emitter *e, LLVMValueRef word) {
    return LLVMBuildBitCast(e->builder, word, float_like(e, word), "");
}

static LLVMValueRef as_word(Emitter *e, LLVMValueRef value) {
    return LLVMBuildBitCast(e->builder, value, word_like(e, 32, value), "");
}

static LLVMValueRef shortened(Emitter *e, LLVMValueRef word) {
    return LLVMBuildTrunc(e->builder, word, word_like(e, 16, word), "");
}

/* ---- on the bits ---- */

LLVMValueRef short_float_negate(Emitter *e, LLVMValueRef x) {
    return with(e, LLVMXor, x, SIGN);
}

LLVMValueRef short_float_magnitude(Emitter *e, LLVMValueRef x) {
    return with(e, LLVMAnd, x, MAGNITUDE);
}

LLVMValueRef short_float_class(Emitter *e, Type type, Op op, LLVMValueRef x) {
    LLVMIntPredicate predicate = op == OP_IS_NAN   ? LLVMIntUGT
                                 : op == OP_IS_INF ? LLVMIntEQ
                                                   : LLVMIntULT;
    return test(e, predicate, short_float_magnitude(e, x), type_infinity(type));
}

/* Returns an integer that has the number's order; both zeros give 0. */
static LLVMValueRef order_of(Emitter *e, LLVMValueRef x) {
    LLVMValueRef magnitude = short_float_magnitude(e, x);
    return choose(e, test(e, LLVMIntSLT, x, 0), LLVMBuildNeg(e->builder, magnitude, ""), magnitude);
}

LLVMValueRef short_float_compare(Emitter *e, Type type, Op op, LLVMValueRef a, LLVMValueRef b) {
    static const LLVMIntPredicate predicates[OP_COUNT] = {
        [OP_EQ] = LLVMIntEQ,  [OP_NE] = LLVMIntEQ,  [OP_LT] = LLVMIntSLT,
        [OP_LE] = LLVMIntSLE, [OP_GT] = LLVMIntSGT, [OP_GE] = LLVMIntSGE};
    LLVMValueRef holds =
        LLVMBuildICmp(e->builder, predicates[op], order_of(e, a), order_of(e, b), "");
    LLVMValueRef nan = binary(e, LLVMOr, short_float_class(e, type, OP_IS_NAN, a),
                              short_float_class(e, type, OP_IS_NAN, b));
    holds = binary(e, LLVMAnd, holds, LLVMBuildNot(e->builder, nan, ""));
    return op == OP_NE ? LLVMBuildNot(e->builder, holds, "") : holds;
}

/* ---- the machine's conversions ---- */

static const char *const WIDEN = "hlc.f16.widen", *const NARROW = "hlc.f16.narrow";

static LLVMValueRef declare(Emitter *e, const char *name, LLVMTypeRef to, LLVMTypeRef from) {
    static const char *const marks[] = {"nounwind", "willreturn",   "nofree",
                                        "nosync",   "speculatable", "memory"};
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(e->module, name, LLVMFunctionType(to, &from, 1, false));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        compat_mark(function, marks[i]);
    return function;
}

/* Converts pieces of as many lanes as a register holds of f32. The last may be padded. */
static LLVMValueRef convert(Emitter *e, const char *name, LLVMTypeRef lane, LLVMValueRef value) {
    unsigned total = emit_lane_count(value), most = target_register_bytes(e->target) / 4, count;
    LLVMTypeRef from = emit_lane_type(value);
    LLVMValueRef result = LLVMGetPoison(emit_lanes_of(lane, value));
    for (unsigned first = 0; first < total; first += count) {
        unsigned lanes = total == 1 ? 1 : 4;
        while (lanes < most && lanes < total - first && total > 1)
            lanes *= 2;
        count = total - first < lanes ? total - first : lanes;
        LLVMTypeRef types[] = {lanes > 1 ? LLVMVectorType(lane, lanes) : lane,
                               lanes > 1 ? LLVMVectorType(from, lanes) : from};
        LLVMValueRef function =
            declare(e, arena_format(e->arena, "%s.%u", name, lanes), types[0], types[1]);
        LLVMValueRef piece = emit_take_lanes(e, value, first, count, lanes);
        piece = emit_call(e, function, &piece, 1);
        if (total == lanes)
            return piece;
        result = emit_put_lanes(e, result, piece, first, count);
    }
    return result;
}

static void lower_call(Emitter *e, LLVMValueRef call, bool widens) {
    LLVMPositionBuilderBefore(e->builder, call);
    LLVMValueRef value = LLVMGetOperand(call, 0);
    LLVMTypeRef half = emit_lanes_of(LLVMHalfTypeInContext(e->llvm), value);
    LLVMValueRef result =
        widens ? LLVMBuildFPExt(e->builder, LLVMBuildBitCast(e->builder, value, half, ""),
                                LLVMTypeOf(call), "")
               : LLVMBuildBitCast(e->builder, LLVMBuildFPTrunc(e->builder, value, half, ""),
                                  LLVMTypeOf(call), "");
    LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
}

void short_float_lower(Emitter *e) {
    for (LLVMValueRef next, function = LLVMGetFirstFunction(e->module); function; function = next) {
        next = LLVMGetNextFunction(function);
        size_t length;
        const char *name = LLVMGetValueName2(function, &length);
        bool widens = strncmp(name, WIDEN, strlen(WIDEN)) == 0;
        if (!widens && strncmp(name, NARROW, strlen(NARROW)) != 0)
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(function));)
            lower_call(e, LLVMGetUser(use), widens);
        LLVMDeleteFunction(function);
    }
}

/* ---- between f16 or bf16 and f32 ---- */

/* As load_f16 of ir/short_float.h. */
static LLVMValueRef widen_f16(Emitter *e, LLVMValueRef x) {
    if (e->target->has_f16)
        return convert(e, WIDEN, LLVMFloatTypeInContext(e->llvm), x);
    LLVMValueRef wide = LLVMBuildZExt(e->builder, x, word_like(e, 32, x), "");
    LLVMValueRef magnitude = with(e, LLVMAnd, wide, MAGNITUDE);
    LLVMValueRef scaled = as_float(e, with(e, LLVMShl, magnitude, 13));
    scaled = binary(e, LLVMFMul, scaled, LLVMConstReal(LLVMTypeOf(scaled), 0x1p112));
    LLVMValueRef is_special = test(e, LLVMIntUGE, magnitude, type_infinity(F16));
    LLVMValueRef exponent =
        choose(e, is_special, constant(wide, type_infinity(F32)), constant(wide, 0));
    LLVMValueRef sign = with(e, LLVMShl, with(e, LLVMAnd, wide, SIGN), 16);
    return as_float(e, binary(e, LLVMOr, binary(e, LLVMOr, as_word(e, scaled), exponent), sign));
}

LLVMValueRef short_float_widen(Emitter *e, Type type, LLVMValueRef x) {
    if (type_equal(type, F16))
        return widen_f16(e, x);
    LLVMValueRef word = LLVMBuildZExt(e->builder, x, word_like(e, 32, x), "");
    word = with(e, LLVMShl, word, 16);
    if (!e->target->is_aarch64)
        return as_float(e, word);
    /* ARM's minimum of a number and a signaling NaN is NaN: makes it a quiet one. */
    LLVMValueRef is_nan = short_float_class(e, type, OP_IS_NAN, x);
    LLVMValueRef quiet = choose(e, is_nan, constant(word, 1 << 22), constant(word, 0));
    return as_float(e, binary(e, LLVMOr, word, quiet));
}

/* word + most + (the last bit that is kept), without the `dropped` low bits. */
static LLVMValueRef round_word(Emitter *e, LLVMValueRef word, int64_t most, int dropped) {
    LLVMValueRef last = with(e, LLVMAnd, with(e, LLVMLShr, word, dropped), 1);
    return with(e, LLVMLShr, binary(e, LLVMAdd, with(e, LLVMAdd, word, most), last), dropped);
}

/* As store_f16 of ir/short_float.h. */
static LLVMValueRef narrow_f16(Emitter *e, LLVMValueRef x) {
    if (e->target->has_f16)
        return convert(e, NARROW, LLVMInt16TypeInContext(e->llvm), x);
    LLVMValueRef word = as_word(e, x), magnitude = with(e, LLVMAnd, word, 0x7fffffff);
    LLVMValueRef normal = round_word(e, magnitude, 0xfff - (112 << 23), 13);
    LLVMValueRef small = as_float(e, magnitude);
    small = binary(e, LLVMFAdd, small, LLVMConstReal(LLVMTypeOf(small), 0.5));
    LLVMValueRef subnormal = with(e, LLVMSub, as_word(e, small), 0x3f000000);
    LLVMValueRef special =
        choose(e, test(e, LLVMIntULE, magnitude, type_infinity(F32)),
               constant(word, type_infinity(F16)), constant(word, type_nan(F16)));
    LLVMValueRef result = choose(e, test(e, LLVMIntULT, magnitude, 0x477ff000), normal, special);
    result = choose(e, test(e, LLVMIntULT, magnitude, 0x38800000), subnormal, result);
    LLVMValueRef sign = with(e, LLVMAnd, with(e, LLVMLShr, word, 16), SIGN);
    return shortened(e, binary(e, LLVMOr, result, sign));
}

static LLVMValueRef narrow(Emitter *e, Type type, LLVMValueRef x) {
    if (type_equal(type, F16))
        return narrow_f16(e, x);
    LLVMValueRef is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, x, x, "");
    LLVMValueRef word = as_word(e, x), rounded = round_word(e, word, 0x7fff, 16);
    return shortened(e, choose(e, is_nan, constant(word, type_nan(BF16)), rounded));
}

/* ---- from other types, rounded once ---- */

/* An f64 as an f32 that is rounded to odd: as odd_from_f64 of ir/short_float.h. */
static LLVMValueRef odd_from_f64(Emitter *e, LLVMValueRef x) {
    LLVMValueRef nearest = LLVMBuildFPTrunc(e->builder, x, float_like(e, x), "");
    LLVMValueRef back = LLVMBuildFPExt(e->builder, nearest, LLVMTypeOf(x), "");
    LLVMValueRef sizes[] = {back, x};
    for (int i = 0; i < 2; i++)
        sizes[i] = emit_intrinsic(e, "llvm.fabs", &sizes[i], 1);
    LLVMValueRef is_away = LLVMBuildFCmp(e->builder, LLVMRealOGT, sizes[0], sizes[1], "");
    LLVMValueRef is_inexact = LLVMBuildFCmp(e->builder, LLVMRealONE, back, x, "");
    LLVMValueRef word = as_word(e, nearest);
    LLVMTypeRef type = LLVMTypeOf(word);
    word = binary(e, LLVMSub, word, LLVMBuildZExt(e->builder, is_away, type, ""));
    return as_float(e, binary(e, LLVMOr, word, LLVMBuildZExt(e->builder, is_inexact, type, "")));
}

/* If the integer has more than `digits` bits, its `dropped` low bits become 0 or, if one of them is
 * set, half of what they can be. A rounding to bf16 sees no difference, and the float type with
 * `digits` bits holds the result. */
static LLVMValueRef drop_low_bits(Emitter *e, Type from, LLVMValueRef x, int digits, int dropped) {
    int64_t beyond = (int64_t)1 << digits, mask = ((int64_t)1 << dropped) - 1;
    LLVMValueRef is_large = type_is_signed(from)
                                ? test(e, LLVMIntUGT, with(e, LLVMAdd, x, beyond), 2 * beyond)
                                : test(e, LLVMIntUGT, x, beyond);
    LLVMValueRef is_whole = test(e, LLVMIntEQ, with(e, LLVMAnd, x, mask), 0);
    LLVMValueRef rest = choose(e, is_whole, constant(x, 0), constant(x, (mask + 1) / 2));
    return choose(e, is_large, binary(e, LLVMOr, with(e, LLVMAnd, x, ~mask), rest), x);
}

/* f16 has no numbers from 2^16 on. */
static LLVMValueRef clamp(Emitter *e, Type from, LLVMValueRef x) {
    bool is_signed = type_is_signed(from);
    LLVMValueRef upper[] = {x, constant(x, 1 << 17)};
    x = emit_intrinsic(e, is_signed ? "llvm.smin" : "llvm.umin", upper, 2);
    LLVMValueRef lower[] = {x, constant(x, -(1 << 17))};
    if (is_signed)
        x = emit_intrinsic(e, "llvm.smax", lower, 2);
    return from.bits == 64 ? LLVMBuildTrunc(e->builder, x, word_like(e, 32, x), "") : x;
}

static LLVMValueRef from_integer(Emitter *e, Type from, Type to, LLVMValueRef x) {
    if (from.bits >= 32 && type_equal(to, F16)) {
        x = clamp(e, from, x);
        return narrow(e, to, LLVMBuildSIToFP(e->builder, x, float_like(e, x), ""));
    }
    bool is_wide = from.bits == 64;
    if (from.bits >= 32)
        x = is_wide ? drop_low_bits(e, from, x, 53, 12) : drop_low_bits(e, from, x, 24, 9);
    LLVMTypeRef type =
        is_wide ? emit_lanes_of(LLVMDoubleTypeInContext(e->llvm), x) : float_like(e, x);
    x = type_is_signed(from) ? LLVMBuildSIToFP(e->builder, x, type, "")
                             : LLVMBuildUIToFP(e->builder, x, type, "");
    return narrow(e, to, is_wide ? odd_from_f64(e, x) : x);
}

LLVMValueRef short_float_from(Emitter *e, Type from, Type to, LLVMValueRef x) {
    if (!type_is_float(from))
        return from_integer(e, from, to, x);
    return narrow(e, to, type_equal(from, F64) ? odd_from_f64(e, x) : x);
}

/* ---- operators ---- */

bool short_float_is_computed(Expr node) {
    const OpInfo *info = op_info((Op)node->op);
    bool is_arithmetic =
        info->types == TYPES_SAME || info->types == TYPES_UNSIGNED || info->types == TYPES_WEIGHT;
    return is_arithmetic && type_is_short_float(node->type) && node->op != OP_NEG &&
           node->op != OP_ABS && node->op != OP_MIN && node->op != OP_MAX;
}

LLVMValueRef short_float_compute(Emitter *e, EmitOperator *emit, Expr node,
                                 const LLVMValueRef *operands) {
    static const struct Node operand = {.op = OP_VARIABLE, .type = {TYPE_FLOAT, 32, 1}};
    LLVMValueRef wide[OP_MAX_ARITY];
    struct Node *twin = arena_allocate(e->arena, sizeof *twin + node->arity * sizeof(Expr));
    *twin = *node;
    twin->type = F32;
    for (int i = 0; i < node->arity; i++) {
        twin->arguments[i] = &operand;
        wide[i] = short_float_widen(e, node->type, operands[i]);
    }
    return narrow(e, node->type, emit(e, twin, wide));
}
