/* math.c -- calls of the mathematical functions of math.def.
 *
 * The names are SLEEF's own, which LLVM does not know: it can fold or approximate nothing.  That
 * the functions are pure is said by attributes, so that equal calls are made once and leave loops.
 */
#include "codegen/emit.h"

const char *math_symbol(Op op, Type type) {
    bool is_f64 = type.bits == 64;
    switch ((int)op) {
#define FINZ(OP, NAME)                                                                             \
    case OP_##OP:                                                                                  \
        return is_f64 ? "Sleef_finz_" #NAME "d1_u10purecfma" : "Sleef_finz_" #NAME "f1_u10purecfma";
#include "codegen/math.def"
#undef FINZ
    }
    diag_broken_invariant(__FILE__, __LINE__, "every FINZ operator has a row in math.def");
}

static LLVMValueRef declare(Emitter *e, const char *symbol, LLVMTypeRef type) {
    static const char *const pure[] = {"nounwind", "willreturn", "nofree", "nosync"};
    LLVMValueRef function = LLVMGetNamedFunction(e->module, symbol);
    if (function)
        return function;
    function = LLVMAddFunction(e->module, symbol, type);
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                compat_attribute(e->llvm, pure[i], 0));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            compat_attribute(e->llvm, "memory", 0)); /* touches none */
    return function;
}

/* Lane by lane. */
LLVMValueRef emit_math(Emitter *e, Expr node, const LLVMValueRef *operands) {
    e->needs_fma = op_info((Op)node->op)->text;
    unsigned count = emit_lane_count(operands[0]);
    LLVMTypeRef type = emit_type(e, node->type);
    LLVMTypeRef parameters[OP_MAX_ARITY] = {type, type, type};
    LLVMTypeRef function_type = LLVMFunctionType(type, parameters, node->arity, false);
    LLVMValueRef function = declare(e, math_symbol((Op)node->op, node->type), function_type);
    LLVMValueRef result = LLVMGetPoison(emit_lanes_of(type, operands[0]));
    for (unsigned lane = 0; lane < count; lane++) {
        LLVMValueRef arguments[OP_MAX_ARITY];
        for (int i = 0; i < node->arity; i++)
            arguments[i] = emit_lane(e, operands[i], lane);
        LLVMValueRef value =
            LLVMBuildCall2(e->builder, function_type, function, arguments, node->arity, "");
        result = count == 1 ? value
                            : LLVMBuildInsertElement(e->builder, result, value,
                                                     LLVMConstInt(e->i32, lane, false), "");
    }
    return result;
}
