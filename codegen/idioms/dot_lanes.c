/* dot_lanes.c -- the operands of dot products: packs the numbers of each lane side by side (dot.c).
 */
#include "codegen/idioms/dot.h"

int64_t dot_factor_least(const DotFactor *factor) {
    return factor->inner ? type_minimum(factor->type) : factor->number;
}

int64_t dot_factor_most(const DotFactor *factor) {
    return factor->inner ? type_maximum(factor->type) : factor->number;
}

bool dot_fits(const DotFactor *factor, Type type) {
    return dot_factor_least(factor) >= type_minimum(type) &&
           dot_factor_most(factor) <= type_maximum(type);
}

bool dot_is_exact(const DotFactor *a, const DotFactor *b, Type type) {
    int64_t ends[] = {
        dot_factor_least(a) * dot_factor_least(b), dot_factor_least(a) * dot_factor_most(b),
        dot_factor_most(a) * dot_factor_least(b), dot_factor_most(a) * dot_factor_most(b)};
    for (int i = 0; i < 4; i++)
        if (ends[i] < type_minimum(type) || ends[i] > type_maximum(type))
            return false;
    return true;
}

LLVMValueRef dot_factor_value(Emitter *e, const DotFactor *factor, Type type) {
    LLVMTypeRef lane = emit_type(e, type);
    if (!factor->inner)
        return LLVMConstInt(lane, (uint64_t)factor->number, true);
    LLVMValueRef value = emit_known(e, factor->inner);
    return factor->type.bits == type.bits ? value : emit_convert(e, factor->type, type, value);
}

/* Returns the loaded vector of which the values are every `count`th element, from 0, 1, ..; else
 * null. */
static LLVMValueRef stretch(const LLVMValueRef *values, unsigned count) {
    LLVMValueRef whole = NULL;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef shuffle = values[k];
        while (LLVMIsAFreezeInst(shuffle))
            shuffle = LLVMGetOperand(shuffle, 0);
        if (!LLVMIsAShuffleVectorInst(shuffle))
            return NULL;
        LLVMValueRef source = LLVMGetOperand(shuffle, 0);
        unsigned lanes = LLVMGetNumMaskElements(shuffle);
        if ((whole && source != whole) || emit_lane_count(source) != count * lanes)
            return NULL;
        for (unsigned i = 0; i < lanes; i++)
            if (LLVMGetMaskValue(shuffle, i) != (int)(i * count + k))
                return NULL;
        whole = source;
    }
    return whole;
}

bool dot_are_uniform(const LLVMValueRef *values, unsigned count) {
    for (unsigned k = 0; k < count; k++)
        if (emit_lane_count(values[k]) > 1)
            return false;
    return true;
}

LLVMValueRef dot_pack(Emitter *e, const LLVMValueRef *values, unsigned count, unsigned lanes) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(values[0]), count * lanes);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(values[0]));
    LLVMValueRef packed = LLVMConstInt(e->i32, 0, false);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef wide = LLVMBuildZExt(e->builder, values[k], e->i32, "");
        wide = LLVMBuildShl(e->builder, wide, LLVMConstInt(e->i32, k * bits, false), "");
        packed = LLVMBuildOr(e->builder, packed, wide, "");
    }
    return LLVMBuildBitCast(e->builder, emit_splat(e, packed, lanes), type, "");
}

LLVMValueRef dot_side_by_side(Emitter *e, const LLVMValueRef *values, unsigned count) {
    if (dot_are_uniform(values, count))
        return dot_pack(e, values, count, e->lanes.count);
    LLVMValueRef whole = stretch(values, count);
    return whole ? LLVMBuildFreeze(e->builder, whole, "") : NULL;
}

LLVMValueRef dot_alternate(Emitter *e, LLVMValueRef x, LLVMValueRef y, bool is_upper) {
    unsigned from[MAX_LANES], lanes = emit_lane_count(x);
    unsigned part = 128 / LLVMGetIntTypeWidth(emit_lane_type(x));
    for (unsigned i = 0; i < lanes; i++)
        from[i] = i / part * part + part / 2 * is_upper + i % part / 2 + (i % 2 ? lanes : 0);
    return emit_shuffle(e, x, y, from, lanes);
}

LLVMValueRef dot_in_order(Emitter *e, LLVMValueRef lower, LLVMValueRef upper, unsigned group) {
    unsigned from[MAX_LANES], lanes = emit_lane_count(lower);
    for (unsigned i = 0; i < 2 * lanes; i++)
        from[i] = i / (2 * group) * group + i % group + (i / group % 2 ? lanes : 0);
    return emit_shuffle(e, lower, upper, from, 2 * lanes);
}

LLVMValueRef dot_call(Emitter *e, LLVMValueRef function, const LLVMValueRef *values, int count) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function), wanted[3];
    LLVMValueRef arguments[3];
    hlc_assert(count <= 3, "such an instruction has at most three operands");
    LLVMGetParamTypes(type, wanted);
    for (int i = 0; i < count; i++)
        arguments[i] = LLVMBuildBitCast(e->builder, values[i], wanted[i], "");
    return LLVMBuildCall2(e->builder, type, function, arguments, (unsigned)count, "");
}

void dot_add(Emitter *e, LLVMValueRef *sum, LLVMValueRef value) {
    unsigned lanes = emit_lane_count(value);
    if (*sum && emit_lane_count(*sum) > lanes)
        lanes = emit_lane_count(*sum);
    *sum =
        *sum ? LLVMBuildAdd(e->builder, emit_splat(e, *sum, lanes), emit_splat(e, value, lanes), "")
             : value;
}
