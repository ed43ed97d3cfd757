/* operators.c -- the operators that are one instruction or a few, and the table of all of them.
 * integer.c, convert.c and math.c have the others.
 *
 * An emitter is the same for scalars and for vectors.  Nothing that it makes can trap.
 */
#include "codegen/emit.h"

static Type operand_type(Expr node) {
    return node->arguments[0]->type;
}

LLVMValueRef emit_add(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_index(node->type))
        return emit_index_add(e, a[0], a[1]);
    return type_is_float(node->type) ? LLVMBuildFAdd(e->builder, a[0], a[1], "")
                                     : LLVMBuildAdd(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_sub(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_index(node->type))
        return emit_index_sub(e, a[0], a[1]);
    return type_is_float(node->type) ? LLVMBuildFSub(e->builder, a[0], a[1], "")
                                     : LLVMBuildSub(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_mul(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_index(node->type))
        return emit_index_mul(e, a[0], a[1]);
    return type_is_float(node->type) ? LLVMBuildFMul(e->builder, a[0], a[1], "")
                                     : LLVMBuildMul(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_neg(Emitter *e, Expr node, const LLVMValueRef *a) {
    return type_is_float(node->type) ? LLVMBuildFNeg(e->builder, a[0], "")
                                     : LLVMBuildNeg(e->builder, a[0], "");
}

static LLVMValueRef compare(Emitter *e, Type type, Op op, LLVMValueRef a, LLVMValueRef b) {
    bool is_signed = type_is_signed(type), is_float = type_is_float(type);
    LLVMIntPredicate whole;
    LLVMRealPredicate real;
    switch ((int)op) {
    case OP_EQ:
        whole = LLVMIntEQ, real = LLVMRealOEQ;
        break;
    case OP_NE:
        whole = LLVMIntNE, real = LLVMRealUNE;
        break;
    case OP_LT:
        whole = is_signed ? LLVMIntSLT : LLVMIntULT, real = LLVMRealOLT;
        break;
    case OP_LE:
        whole = is_signed ? LLVMIntSLE : LLVMIntULE, real = LLVMRealOLE;
        break;
    case OP_GT:
        whole = is_signed ? LLVMIntSGT : LLVMIntUGT, real = LLVMRealOGT;
        break;
    default:
        whole = is_signed ? LLVMIntSGE : LLVMIntUGE, real = LLVMRealOGE;
    }
    return is_float ? LLVMBuildFCmp(e->builder, real, a, b, "")
                    : LLVMBuildICmp(e->builder, whole, a, b, "");
}

LLVMValueRef emit_compare(Emitter *e, Expr node, const LLVMValueRef *a) {
    return compare(e, operand_type(node), (Op)node->op, a[0], a[1]);
}

LLVMValueRef emit_and(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    return LLVMBuildAnd(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_or(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    return LLVMBuildOr(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_xor(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    return LLVMBuildXor(e->builder, a[0], a[1], "");
}

LLVMValueRef emit_not(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    return LLVMBuildNot(e->builder, a[0], "");
}

/* On floats ties, signed zeros and NaN keep the first operand. */
LLVMValueRef emit_min(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef second = compare(e, node->type, OP_LT, a[1], a[0]);
    return LLVMBuildSelect(e->builder, second, a[1], a[0], "");
}

LLVMValueRef emit_max(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef second = compare(e, node->type, OP_LT, a[0], a[1]);
    return LLVMBuildSelect(e->builder, second, a[1], a[0], "");
}

LLVMValueRef emit_select(Emitter *e, Expr node, const LLVMValueRef *a) {
    (void)node;
    return LLVMBuildSelect(e->builder, a[0], a[1], a[2], "");
}

static LLVMValueRef emit_fabs(Emitter *e, LLVMValueRef value) {
    return emit_intrinsic(e, "llvm.fabs", &value, 1);
}

LLVMValueRef emit_abs(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_float(node->type))
        return emit_fabs(e, a[0]);
    if (node->type.kind == TYPE_UINT)
        return a[0];
    LLVMValueRef arguments[] = {a[0], LLVMConstInt(e->i1, 0, false)}; /* the least value stays */
    return emit_intrinsic(e, "llvm.abs", arguments, 2);
}

LLVMValueRef emit_absd(Emitter *e, Expr node, const LLVMValueRef *a) {
    Type type = operand_type(node);
    if (type_is_float(type))
        return emit_fabs(e, LLVMBuildFSub(e->builder, a[0], a[1], ""));
    LLVMValueRef is_less = compare(e, type, OP_LT, a[0], a[1]);
    return LLVMBuildSelect(e->builder, is_less, LLVMBuildSub(e->builder, a[1], a[0], ""),
                           LLVMBuildSub(e->builder, a[0], a[1], ""), "");
}

/* The float functions that are correctly rounded, hence LLVM's own. */
LLVMValueRef emit_rounded(Emitter *e, Expr node, const LLVMValueRef *a) {
    const char *name;
    switch ((int)node->op) {
    case OP_SQRT:
        name = "llvm.sqrt";
        break;
    case OP_FLOOR:
        name = "llvm.floor";
        break;
    case OP_CEIL:
        name = "llvm.ceil";
        break;
    case OP_TRUNC:
        name = "llvm.trunc";
        break;
    case OP_ROUND:
        name = "llvm.roundeven";
        break;
    default:
        name = "llvm.fma";
        e->needs_fma = "fma";
    }
    LLVMValueRef arguments[OP_MAX_ARITY];
    memcpy(arguments, a, node->arity * sizeof *a);
    return emit_intrinsic(e, name, arguments, node->arity);
}

LLVMValueRef emit_class(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (node->op == OP_IS_NAN)
        return LLVMBuildFCmp(e->builder, LLVMRealUNO, a[0], a[0], "");
    LLVMValueRef infinity = LLVMConstReal(LLVMTypeOf(a[0]), __builtin_inf());
    return LLVMBuildFCmp(e->builder, node->op == OP_IS_INF ? LLVMRealOEQ : LLVMRealOLT,
                         emit_fabs(e, a[0]), infinity, "");
}

static EmitOperator *const operators[OP_COUNT] = {
#define OP(NAME, TEXT, FORM, PRECEDENCE, ARITY, TYPES, TRAITS, SMT, TERM, INTERVAL, REGION, EMIT)  \
    [OP_##NAME] = emit_##EMIT,
#include "ir/ops.def"
#undef OP
};

LLVMValueRef emit_operator(Emitter *e, Expr node, const LLVMValueRef *operands) {
    hlc_assert(node->op < OP_COUNT, "a program that code is made of has no holes");
    return operators[node->op](e, node, operands);
}
