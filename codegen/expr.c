/* expr.c -- expressions: the walk over their graph, their leaves, and the operators that are one
 * instruction.  integer.c, convert.c and math.c have the others.
 *
 * A node's value is kept for the rest of the statement, so that what an expression shares is
 * computed once; taking code out of loops is LLVM's work.  Both arms of a select are evaluated, as
 * the target language says, so an expression is straight code without branches, and nothing in it
 * can trap.
 *
 * Loads from our own allocations may find what was never written.  They are frozen: some value, the
 * same at each use, so that the tests before a division or a shift mean what they say.
 */
#include "codegen/interleave.h"

/* ---- memory ---- */

LLVMValueRef emit_origin(Emitter *e, const Memref *memref) {
    if (!memref->bias)
        return memref->origin;
    LLVMValueRef offset = emit_index_sub(e, emit_index_constant(e, 0), memref->bias);
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
}

LLVMValueRef emit_offset(Emitter *e, const Memref *memref, const LLVMValueRef *indices) {
    LLVMValueRef offset = emit_index_constant(e, 0);
    for (int d = 0; d < memref->dimensions; d++) {
        LLVMValueRef stride = facts_apply(e, memref->stride[d]);
        offset = emit_index_add(e, offset, emit_index_mul(e, indices[d], stride));
    }
    int64_t distance;
    if (!memref->bias)
        return offset;
    return emit_distance(offset, memref->bias, &distance) ? emit_index_constant(e, distance)
                                                          : emit_index_sub(e, offset, memref->bias);
}

LLVMValueRef emit_address(Emitter *e, const Memref *memref, const LLVMValueRef *indices) {
    LLVMValueRef offset = emit_offset(e, memref, indices);
    return LLVMBuildGEP2(e->builder, emit_memory_type(e, memref->type), memref->origin, &offset, 1,
                         "");
}

LLVMValueRef emit_plain_load(Emitter *e, const Memref *memref, LLVMTypeRef type,
                             LLVMValueRef address) {
    if (!object_holds(e, address, type)) {
        object_trap(e);
        return LLVMGetPoison(type);
    }
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(value, (unsigned)type_bytes(memref->type));
    return value;
}

void emit_plain_store(Emitter *e, const Memref *memref, LLVMValueRef value, LLVMValueRef address) {
    if (!object_holds(e, address, LLVMTypeOf(value))) {
        object_trap(e);
        return;
    }
    LLVMValueRef store = LLVMBuildStore(e->builder, value, address);
    LLVMSetAlignment(store, (unsigned)type_bytes(memref->type));
}

LLVMValueRef emit_raw_load(Emitter *e, const Memref *memref, LLVMTypeRef type,
                           LLVMValueRef address) {
    LLVMValueRef value = emit_plain_load(e, memref, type, address);
    if (!memref->may_be_uninitialised && LLVMIsALoadInst(value))
        LLVMSetMetadata(value, LLVMGetMDKindIDInContext(e->llvm, "noundef", 7),
                        LLVMMetadataAsValue(e->llvm, LLVMMDNodeInContext2(e->llvm, NULL, 0)));
    return value;
}

LLVMValueRef emit_load(Emitter *e, const Memref *memref, LLVMValueRef address) {
    LLVMValueRef value = emit_raw_load(e, memref, emit_memory_type(e, memref->type), address);
    if (memref->may_be_uninitialised)
        value = LLVMBuildFreeze(e->builder, value, "");
    if (type_is_bool(memref->type)) /* whatever the byte holds, a bool is its lowest bit */
        value = LLVMBuildTrunc(e->builder, value, e->i1, "");
    return value;
}

void emit_store(Emitter *e, const Memref *memref, LLVMValueRef address, LLVMValueRef value) {
    if (type_is_bool(memref->type))
        value = LLVMBuildZExt(e->builder, value, e->i8, "");
    emit_plain_store(e, memref, value, address);
}

/* ---- leaves ---- */

static LLVMValueRef emit_constant(Emitter *e, Expr node) {
    LLVMTypeRef type = emit_type(e, node->type);
    if (!type_is_float(node->type))
        return LLVMConstInt(type, (unsigned long long)node->bits, type_is_signed(node->type));
    LLVMTypeRef word = LLVMIntTypeInContext(e->llvm, node->type.bits);
    return LLVMConstBitCast(LLVMConstInt(word, (unsigned long long)node->bits, false), type);
}

static LLVMValueRef emit_variable(Emitter *e, Expr node) {
    LLVMValueRef value = map_get(&e->variables, node->name);
    hlc_assert(value, "every variable of a program is bound where it is used");
    return facts_apply(e, value);
}

static LLVMValueRef emit_access(Emitter *e, Expr node) {
    const Memref *memrefs = map_get(&e->memrefs, node->name);
    hlc_assert(memrefs, "a func is allocated where it is read");
    const Memref *memref = &memrefs[node->component];
    if (access_varies(e, node->arguments, node->arity))
        return access_load(e, memref, node->arguments);
    LLVMValueRef indices[MAX_DIMENSIONS];
    interleave_settle(e, memref, NULL, 0, false);
    for (int d = 0; d < node->arity; d++)
        indices[d] = e->values[node->arguments[d]->number];
    return emit_load(e, memref, emit_address(e, memref, indices));
}

/* ---- operators ---- */

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

/* ---- the walk ---- */

LLVMValueRef emit_operator(Emitter *e, Expr node, const LLVMValueRef *operands) {
    hlc_assert(node->op < OP_COUNT, "a program that code is made of has no holes");
    return operators[node->op](e, node, operands);
}

LLVMValueRef emit_known(Emitter *e, Expr node) {
    LLVMValueRef value = e->values[node->number];
    return value ? value : sweep_widen(e, e->sweeps[node->number], e->i64);
}

bool emit_is_uniform(const Emitter *e, Expr node) {
    return !e->sweeps[node->number] && emit_lane_count(e->values[node->number]) == 1;
}

/* Operands that are the same in all lanes are spread where another one is not. */
static LLVMValueRef emit_application(Emitter *e, Expr node) {
    LLVMValueRef operands[OP_MAX_ARITY];
    unsigned count = 1;
    hlc_assert(node->arity <= OP_MAX_ARITY, "an operator has few operands");
    for (int i = 0; i < node->arity; i++) {
        operands[i] = emit_known(e, node->arguments[i]);
        unsigned lanes = emit_lane_count(operands[i]);
        count = lanes > count ? lanes : count;
    }
    for (int i = 0; i < node->arity; i++)
        operands[i] = emit_splat(e, operands[i], count);
    return emit_operator(e, node, operands);
}

/* Sets its sweep too.  Null for a regular sweep, whose vector is made where it is used. */
static LLVMValueRef emit_lanes_node(Emitter *e, Expr node) {
    Sweep *sweep = node->op == OP_VARIABLE ? map_get(&e->variable_sweeps, node->name)
                   : node->op < OP_COUNT   ? sweep_apply(e, node)
                                           : NULL;
    e->sweeps[node->number] = sweep;
    if (sweep && sweep->period)
        return NULL;
    const Sweep *source = node->op == OP_CAST ? sweep_of(e, node->arguments[0]) : NULL;
    if (source && source->period && type_is_machine_integer(node->type))
        return sweep_widen(e, source, emit_type(e, node->type)); /* wrapping, lane by lane */
    if (node->op == OP_VARIABLE)
        return emit_variable(e, node);
    LLVMValueRef value = idiom_apply(e, node);
    return value ? value : emit_application(e, node);
}

static LLVMValueRef emit_node(Emitter *e, Expr node) {
    if (node->op == OP_CONSTANT)
        return emit_constant(e, node);
    if (node->op == OP_ACCESS)
        return emit_access(e, node);
    if (e->lanes.count)
        return emit_lanes_node(e, node);
    return node->op == OP_VARIABLE ? emit_variable(e, node) : emit_application(e, node);
}

static bool is_known(const Emitter *e, Expr node) {
    return e->values[node->number] || e->sweeps[node->number];
}

LLVMValueRef emit_expr(Emitter *e, Expr expr) {
    emit_prepare(e, expr);
    return emit_known(e, expr);
}

static void push_unknown(Emitter *e, const Expr *operands, int count) {
    for (int i = count - 1; i >= 0; i--)
        if (!is_known(e, operands[i]))
            vec_push(e->arena, &e->pending, operands[i]);
}

void emit_prepare(Emitter *e, Expr expr) {
    hlc_assert(expr->number < e->value_count, "code generation makes no new expressions");
    e->pending.length = 0;
    vec_push(e->arena, &e->pending, expr);
    while (e->pending.length) {
        Expr node = e->pending.data[e->pending.length - 1];
        size_t before = e->pending.length;
        if (!is_known(e, node)) {
            Expr operands[MOST_DOT_OPERANDS];
            int count = dot_operands(e, node, operands);
            if (count)
                push_unknown(e, operands, count);
            else
                push_unknown(e, node->arguments, node->arity);
        }
        if (e->pending.length > before)
            continue;
        e->pending.length--;
        if (!is_known(e, node)) {
            e->values[node->number] = emit_node(e, node);
            vec_push(e->arena, &e->known, node->number);
        }
    }
}

void emit_forget_since(Emitter *e, size_t length) {
    for (size_t i = length; i < e->known.length; i++) {
        e->values[e->known.data[i]] = NULL;
        e->sweeps[e->known.data[i]] = NULL;
    }
    e->known.length = length;
}

void emit_forget(Emitter *e) {
    emit_forget_since(e, 0);
}

bool emit_any_node(Emitter *e, Expr expr, NodeVisit *visit, void *data) {
    e->search++;
    e->pending.length = 0;
    vec_push(e->arena, &e->pending, expr);
    while (e->pending.length) {
        Expr node = e->pending.data[--e->pending.length];
        if (e->met[node->number] == e->search)
            continue;
        e->met[node->number] = e->search;
        if (visit(data, node))
            return true;
        for (int i = node->arity - 1; i >= 0; i--)
            vec_push(e->arena, &e->pending, node->arguments[i]);
    }
    return false;
}
