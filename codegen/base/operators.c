/* operators.c -- the operators of one or a few instructions, and the table of all operators.
 * integer.c, convert.c and math.c have the others.
 *
 * An emitter serves scalars and vectors. Nothing that it emits can trap.
 */
#include "codegen/emit.h"
#include "codegen/short_float.h"

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
    if (type_is_short_float(node->type))
        return short_float_negate(e, a[0]);
    return type_is_float(node->type) ? LLVMBuildFNeg(e->builder, a[0], "")
                                     : LLVMBuildNeg(e->builder, a[0], "");
}

static LLVMValueRef compare(Emitter *e, Type type, Op op, LLVMValueRef a, LLVMValueRef b) {
    static const struct {
        LLVMIntPredicate of_signed, of_unsigned;
        LLVMRealPredicate of_float;
    } predicates[OP_COUNT] = {
        [OP_EQ] = {LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
        [OP_NE] = {LLVMIntNE, LLVMIntNE, LLVMRealUNE},
        [OP_LT] = {LLVMIntSLT, LLVMIntULT, LLVMRealOLT},
        [OP_LE] = {LLVMIntSLE, LLVMIntULE, LLVMRealOLE},
        [OP_GT] = {LLVMIntSGT, LLVMIntUGT, LLVMRealOGT},
        [OP_GE] = {LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},
    };
    hlc_assert(predicates[op].of_float, "every comparison has its predicates");
    if (type_is_short_float(type))
        return short_float_compare(e, type, op, a, b);
    if (type_is_float(type))
        return LLVMBuildFCmp(e->builder, predicates[op].of_float, a, b, "");
    return LLVMBuildICmp(
        e->builder, type_is_signed(type) ? predicates[op].of_signed : predicates[op].of_unsigned, a,
        b, "");
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

/* On floats, the first operand is the result for ties, signed zeros and NaN. */
static LLVMValueRef extreme(Emitter *e, Expr node, LLVMValueRef first, LLVMValueRef second,
                            bool is_min) {
    if (type_is_float(node->type) && !type_is_short_float(node->type) &&
        node->arguments[0]->op == OP_CONSTANT)
        second = emit_fence(e, second);
    LLVMValueRef is_second = is_min ? compare(e, node->type, OP_LT, second, first)
                                    : compare(e, node->type, OP_LT, first, second);
    return LLVMBuildSelect(e->builder, is_second, second, first, "");
}

LLVMValueRef emit_min(Emitter *e, Expr node, const LLVMValueRef *a) {
    return extreme(e, node, a[0], a[1], true);
}

LLVMValueRef emit_max(Emitter *e, Expr node, const LLVMValueRef *a) {
    return extreme(e, node, a[0], a[1], false);
}

/* Is the arm compared, and the other one constant? Then LLVM sees a maximum or a minimum. */
static bool is_extreme(Expr select, int arm) {
    Expr condition = select->arguments[0], value = select->arguments[arm];
    if (!type_is_float(select->type) || type_is_short_float(select->type) ||
        select->arguments[3 - arm]->op != OP_CONSTANT)
        return false;
    for (int i = 0; i < condition->arity; i++)
        if (condition->arguments[i] == value)
            return true;
    return false;
}

LLVMValueRef emit_select(Emitter *e, Expr node, const LLVMValueRef *a) {
    LLVMValueRef yes = is_extreme(node, 1) ? emit_fence(e, a[1]) : a[1];
    LLVMValueRef no = is_extreme(node, 2) ? emit_fence(e, a[2]) : a[2];
    return LLVMBuildSelect(e->builder, a[0], yes, no, "");
}

static LLVMValueRef emit_fabs(Emitter *e, LLVMValueRef value) {
    return emit_intrinsic(e, "llvm.fabs", &value, 1);
}

LLVMValueRef emit_abs(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_short_float(node->type))
        return short_float_magnitude(e, a[0]);
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

/* The float functions that are correctly rounded. LLVM's own are used. */
LLVMValueRef emit_rounded(Emitter *e, Expr node, const LLVMValueRef *a) {
    static const char *const names[OP_COUNT] = {
        [OP_SQRT] = "llvm.sqrt",   [OP_FLOOR] = "llvm.floor",     [OP_CEIL] = "llvm.ceil",
        [OP_TRUNC] = "llvm.trunc", [OP_ROUND] = "llvm.roundeven", [OP_FMA] = "llvm.fma",
    };
    hlc_assert(names[node->op], "every rounded function has its intrinsic");
    if (node->op == OP_FMA)
        e->needs_fma = "fma";
    LLVMValueRef arguments[OP_MAX_ARITY];
    memcpy(arguments, a, node->arity * sizeof *a);
    return emit_intrinsic(e, names[node->op], arguments, node->arity);
}

LLVMValueRef emit_class(Emitter *e, Expr node, const LLVMValueRef *a) {
    if (type_is_short_float(operand_type(node)))
        return short_float_class(e, operand_type(node), (Op)node->op, a[0]);
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
    EmitOperator *emit = operators[node->op];
    return short_float_is_computed(node) ? short_float_compute(e, emit, node, operands)
                                         : emit(e, node, operands);
}
