/* integer.c -- the operators on integers and index that take more than one instruction. Each equals
 * ir/kernel/kernel_integer.def at every operand: nothing here traps or has an undefined result.
 *
 * K is the operands' width. A "double" is an integer of 2K bits; the exact product of two K-bit
 * numbers fits it.
 */
#include "codegen/emit.h"

/* ---- words ---- */

static LLVMValueRef constant(LLVMValueRef like, int64_t value) {
    return emit_constant_like(like, value);
}

static unsigned width(LLVMValueRef value) {
    return LLVMGetIntTypeWidth(emit_lane_type(value));
}

static LLVMTypeRef word(Emitter *e, LLVMValueRef like, unsigned bits) {
    return emit_lanes_of(LLVMIntTypeInContext(e->llvm, bits), like);
}

static LLVMValueRef test(Emitter *e, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(e->builder, predicate, a, b, "");
}

static LLVMValueRef choose(Emitter *e, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, condition, a, b, "");
}

static LLVMValueRef binary(Emitter *e, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(e->builder, opcode, a, b, "");
}

static LLVMValueRef widen(Emitter *e, Type type, LLVMValueRef value, unsigned bits) {
    LLVMTypeRef wide = word(e, value, bits);
    return type_is_signed(type) ? LLVMBuildSExt(e->builder, value, wide, "")
                                : LLVMBuildZExt(e->builder, value, wide, "");
}

static LLVMValueRef narrow(Emitter *e, LLVMValueRef value, unsigned bits) {
    return LLVMBuildTrunc(e->builder, value, word(e, value, bits), "");
}

static LLVMOpcode right_shift(Type type) {
    return type_is_signed(type) ? LLVMAShr : LLVMLShr;
}

/* Lesser of two unsigned numbers. */
static LLVMValueRef least(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef arguments[] = {a, b};
    return emit_intrinsic(e, "llvm.umin", arguments, 2);
}

/* ---- division ---- */

typedef struct LaneDivision {
    LLVMValueRef quotient, rest;
} LaneDivision;

/* Returns n if the constant is 2^n, else -1. */
static int exponent(Expr constant_node) {
    uint64_t bits = (uint64_t)constant_node->bits;
    if (!expr_is_constant(constant_node) || (bits & (bits - 1)) != 0 || bits == 0)
        return -1;
    return constant_node->bits > 0 ? __builtin_ctzll(bits) : -1;
}

/* No machine divides vectors of integers, but all divide vectors of floats. Numbers of at most 16
 * bits are divided in f32, of 32 bits in f64. The rounded quotient never reaches the next integer:
 * the exact one is at least 1/b away from it, and the error is below 2^-8/b.
 *
 * A division by a uniform number becomes a multiplication by 1/b, and the one division can be
 * hoisted. (|a| + 1/2)/b is at least (1/2)/b away from every integer; the error of the product with
 * the rounded 1/b is below 2^-6/b. */
static LLVMValueRef quotient_of_floats(Emitter *e, LLVMValueRef a, LLVMValueRef b,
                                       bool is_uniform) {
    if (!is_uniform)
        return LLVMBuildFDiv(e->builder, a, b, "");
    LLVMTypeRef type = LLVMTypeOf(a), lane = emit_lane_type(a);
    LLVMValueRef half = LLVMConstReal(type, 0.5), zero = LLVMConstReal(type, 0.0);
    LLVMValueRef is_below = LLVMBuildFCmp(e->builder, LLVMRealOLT, a, zero, "");
    LLVMValueRef outward = choose(e, is_below, LLVMConstReal(type, -0.5), half);
    LLVMValueRef inverse =
        LLVMBuildFDiv(e->builder, LLVMConstReal(lane, 1.0), emit_lane(e, b, 0), "");
    return LLVMBuildFMul(e->builder, LLVMBuildFAdd(e->builder, a, outward, ""),
                         emit_splat(e, inverse, emit_lane_count(a)), "");
}

static LaneDivision divide_as_floats(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b,
                                     bool is_uniform) {
    LLVMTypeRef real = emit_lanes_of(
        width(a) <= 16 ? LLVMFloatTypeInContext(e->llvm) : LLVMDoubleTypeInContext(e->llvm), a);
    LLVMOpcode to = is_signed ? LLVMSIToFP : LLVMUIToFP, from = is_signed ? LLVMFPToSI : LLVMFPToUI;
    LLVMValueRef exact = quotient_of_floats(e, LLVMBuildCast(e->builder, to, a, real, ""),
                                            LLVMBuildCast(e->builder, to, b, real, ""), is_uniform);
    LLVMValueRef quotient = LLVMBuildCast(e->builder, from, exact, LLVMTypeOf(a), "");
    return (LaneDivision){quotient, binary(e, LLVMSub, a, binary(e, LLVMMul, quotient, b))};
}

/* Divides toward zero; `b` is neither 0 nor -1. `is_uniform`: all lanes of `b` are equal. */
static LaneDivision divide_truncating(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b,
                                      bool is_uniform) {
    if (emit_lane_count(a) > 1 && width(a) <= 32)
        return divide_as_floats(e, is_signed, a, b, is_uniform);
    return (LaneDivision){binary(e, is_signed ? LLVMSDiv : LLVMUDiv, a, b),
                          binary(e, is_signed ? LLVMSRem : LLVMURem, a, b)};
}

/* Divides toward zero by a constant that is equal in all lanes; LLVM turns this into a
 * multiplication. For ARM's vectors of 8 and 16 bits only if they fill one register: LLVM splits
 * others into lanes. */
static LLVMValueRef divide_by_constant(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    LLVMOpcode opcode = is_signed ? LLVMSDiv : LLVMUDiv;
    unsigned total = emit_lane_count(a), lanes = 128 / width(a), count;
    if (!e->target->is_aarch64 || width(a) > 16 || total == 1)
        return binary(e, opcode, a, b);
    LLVMValueRef quotient = LLVMGetPoison(LLVMTypeOf(a));
    LLVMValueRef divisor = emit_take_lanes(e, b, 0, 1, lanes);
    for (unsigned first = 0; first < total; first += count) {
        count = total - first < lanes ? total - first : lanes;
        LLVMValueRef piece = emit_take_lanes(e, a, first, count, lanes);
        quotient = emit_put_lanes(e, quotient, binary(e, opcode, piece, divisor), first, count);
    }
    return quotient;
}

static LaneDivision divide_constant(Emitter *e, bool is_signed, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef quotient = divide_by_constant(e, is_signed, a, b);
    return (LaneDivision){quotient, binary(e, LLVMSub, a, binary(e, LLVMMul, quotient, b))};
}

static LaneDivision divide_unsigned(Emitter *e, LLVMValueRef a, LLVMValueRef b, bool is_uniform) {
    LLVMValueRef zero = constant(a, 0), is_zero = test(e, LLVMIntEQ, b, zero);
    LLVMValueRef divisor = choose(e, is_zero, constant(a, 1), b);
    LaneDivision plain = LLVMIsConstant(b) ? divide_constant(e, false, a, divisor)
                                           : divide_truncating(e, false, a, divisor, is_uniform);
    return (LaneDivision){choose(e, is_zero, zero, plain.quotient),
                          choose(e, is_zero, zero, plain.rest)};
}

/* Euclidean division. The machine's remainder has the sign of `a`; a negative one gets |b| added.
 * Divisors 0 and -1 are replaced by 1 (the machine traps on MIN / -1), and their results are
 * selected afterwards. */
static LaneDivision divide_signed(Emitter *e, LLVMValueRef a, LLVMValueRef b, bool is_uniform) {
    LLVMValueRef zero = constant(a, 0), one = constant(a, 1);
    LLVMValueRef is_zero = test(e, LLVMIntEQ, b, zero);
    LLVMValueRef is_minus_one = test(e, LLVMIntEQ, b, constant(a, -1));
    LLVMValueRef is_special = binary(e, LLVMOr, is_zero, is_minus_one);
    LLVMValueRef divisor = choose(e, is_special, one, b);
    LaneDivision plain = divide_truncating(e, true, a, divisor, is_uniform);
    LLVMValueRef quotient = plain.quotient, rest = plain.rest;
    LLVMValueRef is_below = test(e, LLVMIntSLT, rest, zero);
    LLVMValueRef is_negative = test(e, LLVMIntSLT, divisor, zero);
    LLVMValueRef step = choose(e, is_negative, one, constant(a, -1));
    LLVMValueRef size = choose(e, is_negative, LLVMBuildNeg(e->builder, divisor, ""), divisor);
    quotient = binary(e, LLVMAdd, quotient, choose(e, is_below, step, zero));
    rest = binary(e, LLVMAdd, rest, choose(e, is_below, size, zero));
    quotient = choose(e, is_minus_one, LLVMBuildNeg(e->builder, a, ""), quotient);
    return (LaneDivision){choose(e, is_zero, zero, quotient), rest};
}

/* By a constant above 0. */
static LaneDivision divide_signed_constant(Emitter *e, LLVMValueRef a, LLVMValueRef b) {
    LaneDivision plain = divide_constant(e, true, a, b);
    LLVMValueRef sign = binary(e, LLVMAShr, plain.rest, constant(a, width(a) - 1)); /* -1 or 0 */
    return (LaneDivision){binary(e, LLVMAdd, plain.quotient, sign),
                          binary(e, LLVMAdd, plain.rest, binary(e, LLVMAnd, sign, b))};
}

static LaneDivision divide(Emitter *e, Expr node, const LLVMValueRef *a) {
    Expr divisor = node->arguments[1];
    int shift = exponent(divisor);
    if (shift >= 0) /* rounding down is Euclidean here */
        return (LaneDivision){binary(e, right_shift(node->type), a[0], constant(a[0], shift)),
                              binary(e, LLVMAnd, a[0], constant(a[0], divisor->bits - 1))};
    bool is_uniform = emit_is_uniform(e, divisor);
    if (!type_is_signed(node->type))
        return divide_unsigned(e, a[0], a[1], is_uniform);
    return expr_is_constant(divisor) && divisor->bits > 0
               ? divide_signed_constant(e, a[0], a[1])
               : divide_signed(e, a[0], a[1], is_uniform);
}

LLVMValueRef emit_divide(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_float(node->type))
        return LLVMBuildFDiv(e->builder, a[0], a[1], "");
    return divide(e, node, a).quotient;
}

LLVMValueRef emit_modulo(Emitter *e, Expr node, const LLVMValueRef *a) {
    return divide(e, node, a).rest;
}

/* ---- shifts: an amount outside 0..K-1, read as unsigned, shifts everything out ---- */

LLVMValueRef emit_shift_left(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    LLVMValueRef most = constant(a[1], width(a[1]) - 1);
    LLVMValueRef shifted = binary(e, LLVMShl, a[0], least(e, a[1], most));
    return choose(e, test(e, LLVMIntULE, a[1], most), shifted, constant(a[0], 0));
}

/* `value` shifted right by any amount of its own width. */
static LLVMValueRef shift_out(Emitter *e, Type type, LLVMValueRef value, LLVMValueRef amount) {
    LLVMValueRef most = constant(value, width(value) - 1);
    LLVMValueRef shifted = binary(e, right_shift(type), value, least(e, amount, most));
    if (type_is_signed(type)) /* K-1 leaves the sign alone */
        return shifted;
    return choose(e, test(e, LLVMIntULE, amount, most), shifted, constant(value, 0));
}

LLVMValueRef emit_shift_right(Emitter *e, Expr node, const LLVMValueRef *a) {
    return shift_out(e, node->type, a[0], a[1]);
}

/* floor(value / 2^amount + 1/2) for every amount: the last bit shifted out decides. */
static LLVMValueRef round_out(Emitter *e, Type type, LLVMValueRef value, LLVMValueRef amount) {
    LLVMValueRef one = constant(value, 1), zero = constant(value, 0);
    LLVMValueRef before = shift_out(e, type, value, binary(e, LLVMSub, amount, one));
    LLVMValueRef half =
        choose(e, test(e, LLVMIntEQ, amount, zero), zero, binary(e, LLVMAnd, before, one));
    return binary(e, LLVMAdd, shift_out(e, type, value, amount), half);
}

LLVMValueRef emit_rounding_shift_right(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef is_inside = test(e, LLVMIntULT, a[1], constant(a[1], width(a[1])));
    return choose(e, is_inside, round_out(e, node->type, a[0], a[1]), constant(a[0], 0));
}

/* ---- fixed-point ---- */

/* (a*(M - w) + b*w + M/2) / M with M = 2^K - 1, signed operands moved by the least value so that
 * they count from 0.  The division: with t = h*2^K + l, t = h*M + (h + l), and h + l < 2*M. */
static LLVMValueRef lerp(Emitter *e, Type type, const LLVMValueRef *a) {
    unsigned bits = type.bits;
    LLVMValueRef operands[3] = {a[0], a[1], a[2]};
    LLVMValueRef sign = constant(a[0], type_is_signed(type) ? type_minimum(type) : 0);
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            operands[i] = binary(e, LLVMXor, operands[i], sign);
        operands[i] = LLVMBuildZExt(e->builder, operands[i], word(e, a[0], 2 * bits), "");
    }
    LLVMValueRef most = LLVMBuildZExt(e->builder, constant(a[0], -1), LLVMTypeOf(operands[0]), "");
    LLVMValueRef shift = constant(most, bits);
    LLVMValueRef total =
        binary(e, LLVMAdd, binary(e, LLVMMul, operands[0], binary(e, LLVMSub, most, operands[2])),
               binary(e, LLVMAdd, binary(e, LLVMMul, operands[1], operands[2]),
                      binary(e, LLVMLShr, most, constant(most, 1))));
    LLVMValueRef high = binary(e, LLVMLShr, total, shift), low = binary(e, LLVMAnd, total, most);
    LLVMValueRef carry = test(e, LLVMIntUGE, binary(e, LLVMAdd, high, low), most);
    LLVMValueRef quotient =
        binary(e, LLVMAdd, high, LLVMBuildZExt(e->builder, carry, LLVMTypeOf(high), ""));
    return binary(e, LLVMXor, narrow(e, quotient, bits), sign);
}

LLVMValueRef emit_lerp(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (!type_is_float(node->type))
        return lerp(e, node->type, a);
    LLVMValueRef one = LLVMConstReal(LLVMTypeOf(a[0]), 1.0);
    LLVMValueRef rest = LLVMBuildFSub(e->builder, one, a[2], "");
    return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a[0], rest, ""),
                         LLVMBuildFMul(e->builder, a[1], a[2], ""), "");
}

LLVMValueRef emit_saturating(Emitter *e, Expr node, const LLVMValueRef *a) {
    static const char *const names[2][2] = {{"llvm.uadd.sat", "llvm.usub.sat"},
                                            {"llvm.sadd.sat", "llvm.ssub.sat"}};
    LLVMValueRef arguments[] = {a[0], a[1]};
    const char *name = names[type_is_signed(node->type)][node->op == OP_SATURATING_SUB];
    return emit_intrinsic(e, name, arguments, 2);
}

/* floor((a + b) / 2): the common bits and half of the others. */
LLVMValueRef emit_halving_add(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef differing = binary(e, LLVMXor, a[0], a[1]);
    return binary(e, LLVMAdd, binary(e, LLVMAnd, a[0], a[1]),
                  binary(e, right_shift(node->type), differing, constant(a[0], 1)));
}

/* floor((a + b + 1) / 2). */
LLVMValueRef emit_rounding_halving_add(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef differing = binary(e, LLVMXor, a[0], a[1]);
    return binary(e, LLVMSub, binary(e, LLVMOr, a[0], a[1]),
                  binary(e, right_shift(node->type), differing, constant(a[0], 1)));
}

/* floor((a - b) / 2): the halves' difference, less one where only b is odd. */
LLVMValueRef emit_halving_sub(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef one = constant(a[0], 1);
    LLVMOpcode shift = right_shift(node->type);
    LLVMValueRef halves =
        binary(e, LLVMSub, binary(e, shift, a[0], one), binary(e, shift, a[1], one));
    LLVMValueRef only_b = binary(e, LLVMAnd, LLVMBuildNot(e->builder, a[0], ""), a[1]);
    return binary(e, LLVMSub, halves, binary(e, LLVMAnd, only_b, one));
}

LLVMValueRef emit_widening(Emitter *e, Expr node, const LLVMValueRef *a) {
    Type type = node->arguments[0]->type;
    static const LLVMOpcode opcodes[OP_COUNT] = {
        [OP_WIDENING_ADD] = LLVMAdd, [OP_WIDENING_SUB] = LLVMSub, [OP_WIDENING_MUL] = LLVMMul};
    hlc_assert(opcodes[node->op], "every widening operator has its instruction");
    return binary(e, opcodes[node->op], widen(e, type, a[0], node->type.bits),
                  widen(e, type, a[1], node->type.bits));
}

/* Saturates a double of `type`'s kind to K bits. */
static LLVMValueRef saturate(Emitter *e, Type type, LLVMValueRef value) {
    bool is_signed = type_is_signed(type);
    LLVMValueRef like = LLVMConstNull(word(e, value, type.bits));
    LLVMValueRef ends[] = {widen(e, type, constant(like, type_minimum(type)), width(value)),
                           widen(e, type, constant(like, type_maximum(type)), width(value))};
    LLVMValueRef arguments[] = {value, ends[1]};
    value = emit_intrinsic(e, is_signed ? "llvm.smin" : "llvm.umin", arguments, 2);
    if (is_signed) {
        LLVMValueRef lower[] = {value, ends[0]};
        value = emit_intrinsic(e, "llvm.smax", lower, 2);
    }
    return narrow(e, value, type.bits);
}

typedef LLVMValueRef ShiftOut(Emitter *e, Type type, LLVMValueRef value, LLVMValueRef amount);

static LLVMValueRef mul_shift(Emitter *e, Expr node, const LLVMValueRef *a, ShiftOut *shift) {
    unsigned bits = 2u * node->type.bits;
    LLVMValueRef product =
        binary(e, LLVMMul, widen(e, node->type, a[0], bits), widen(e, node->type, a[1], bits));
    LLVMValueRef amount = LLVMBuildZExt(e->builder, a[2], LLVMTypeOf(product), "");
    return saturate(e, node->type, shift(e, node->type, product, amount));
}

LLVMValueRef emit_mul_shift_right(Emitter *e, Expr node, const LLVMValueRef *a) {
    return mul_shift(e, node, a, shift_out);
}

LLVMValueRef emit_rounding_mul_shift_right(Emitter *e, Expr node, const LLVMValueRef *a) {
    return mul_shift(e, node, a, round_out);
}

LLVMValueRef emit_bit_count(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef arguments[] = {a[0], LLVMConstInt(e->i1, 0, false)}; /* of 0: all bits */
    if (node->op == OP_POPCOUNT)
        return emit_intrinsic(e, "llvm.ctpop", arguments, 1);
    return emit_intrinsic(e, node->op == OP_CLZ ? "llvm.ctlz" : "llvm.cttz", arguments, 2);
}
