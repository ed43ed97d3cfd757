/* emit.c -- the helpers of all files of codegen/ for building LLVM code. */
#include "codegen/emit.h"

LLVMTypeRef emit_type(const Emitter *e, Type type) {
    hlc_assert(type.lanes == 1, "code is made for scalars");
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
    case TYPE_INT:
    case TYPE_UINT:
    case TYPE_INDEX:
        return LLVMIntTypeInContext(e->llvm, type.bits);
    case TYPE_FLOAT:
    case TYPE_BFLOAT:
        if (type_is_short_float(type))
            return LLVMInt16TypeInContext(e->llvm);
        return type.bits == 32 ? LLVMFloatTypeInContext(e->llvm) : LLVMDoubleTypeInContext(e->llvm);
    }
    diag_broken_invariant(__FILE__, __LINE__, "a type has a kind");
}

unsigned emit_type_code(Type type) {
    return (unsigned)argument_type_code(type);
}

LLVMTypeRef emit_memory_type(const Emitter *e, Type type) {
    return type_is_bool(type) ? e->i8 : emit_type(e, type);
}

unsigned emit_lane_count(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef emit_lane_type(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef emit_lanes_of(LLVMTypeRef type, LLVMValueRef like) {
    unsigned count = emit_lane_count(like);
    return count > 1 ? LLVMVectorType(type, count) : type;
}

LLVMValueRef emit_constant_like(LLVMValueRef like, int64_t value) {
    LLVMValueRef lanes[MAX_LANES], lane = LLVMConstInt(emit_lane_type(like), (uint64_t)value, true);
    unsigned count = emit_lane_count(like);
    for (unsigned i = 0; i < count; i++)
        lanes[i] = lane;
    return count > 1 ? LLVMConstVector(lanes, count) : lane;
}

LLVMValueRef emit_index_constant(const Emitter *e, int64_t value) {
    return LLVMConstInt(e->i64, (unsigned long long)value, true);
}

LLVMValueRef emit_array(Emitter *e, const LLVMValueRef *numbers, int count) {
    LLVMValueRef array = emit_slot(e, LLVMArrayType2(e->i64, (uint64_t)(count ? count : 1)), "");
    for (int i = 0; i < count; i++)
        LLVMBuildStore(e->builder, numbers[i], emit_at(e, e->i64, array, i));
    return array;
}

LLVMValueRef emit_at(const Emitter *e, LLVMTypeRef element, LLVMValueRef array, int64_t number) {
    LLVMValueRef index = emit_index_constant(e, number);
    return LLVMBuildGEP2(e->builder, element, array, &index, 1, "");
}

LLVMValueRef emit_field(Emitter *e, LLVMTypeRef type, LLVMValueRef address, size_t offset) {
    return LLVMBuildLoad2(e->builder, type, emit_at(e, e->i8, address, (int64_t)offset), "");
}

LLVMValueRef emit_global(const Emitter *e, LLVMValueRef value, const char *name) {
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

LLVMValueRef emit_text(Emitter *e, const char *text) {
    LLVMValueRef bytes = LLVMConstStringInContext(e->llvm, text, (unsigned)strlen(text), false);
    LLVMValueRef global = emit_global(e, bytes, "text");
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

void emit_mark_cold(Emitter *e) {
    static const char *const WORDS[] = {"noinline", "optnone"};
    for (int i = 0; i < 2; i++)
        compat_mark(e->frame.function, WORDS[i]);
}

LLVMBasicBlockRef emit_block(Emitter *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->llvm, e->frame.function, name);
}

void emit_each_block(const Emitter *e, BlockVisit *visit) {
    for (LLVMValueRef function = LLVMGetFirstFunction(e->module); function;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block))
            visit(e, block);
}

void emit_resume(Emitter *e, LLVMBasicBlockRef block) {
    LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(e->frame.function));
    LLVMPositionBuilderAtEnd(e->builder, block);
}

LLVMValueRef emit_slot(Emitter *e, LLVMTypeRef type, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(e->builder);
    LLVMValueRef first = LLVMGetFirstInstruction(e->frame.entry);
    if (first)
        LLVMPositionBuilderBefore(e->builder, first);
    else
        LLVMPositionBuilderAtEnd(e->builder, e->frame.entry);
    LLVMValueRef slot = LLVMBuildAlloca(e->builder, type, name);
    LLVMPositionBuilderAtEnd(e->builder, here);
    LLVMSetCurrentDebugLocation2(e->builder, location);
    return slot;
}

LLVMValueRef emit_lane(Emitter *e, LLVMValueRef value, unsigned lane) {
    if (emit_lane_count(value) == 1)
        return value;
    return LLVMBuildExtractElement(e->builder, value, LLVMConstInt(e->i32, lane, false), "");
}

LLVMValueRef emit_shuffle(Emitter *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from,
                          unsigned count) {
    LLVMValueRef *lanes = arena_array(e->arena, LLVMValueRef, count);
    for (unsigned i = 0; i < count; i++)
        lanes[i] = from[i] == (unsigned)NO_LANE ? LLVMGetPoison(e->i32)
                                                : LLVMConstInt(e->i32, from[i], false);
    if (!b)
        b = LLVMGetPoison(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(lanes, count), "");
}

LLVMValueRef emit_take_lanes(Emitter *e, LLVMValueRef value, unsigned first, unsigned count,
                             unsigned lanes) {
    unsigned from[MAX_LANES] = {0};
    if (lanes == 1)
        return emit_lane(e, value, first);
    for (unsigned i = 0; i < lanes; i++)
        from[i] = first + (i < count ? i : 0);
    return emit_shuffle(e, value, NULL, from, lanes);
}

LLVMValueRef emit_put_lanes(Emitter *e, LLVMValueRef value, LLVMValueRef piece, unsigned first,
                            unsigned count) {
    unsigned total = emit_lane_count(value), from[MAX_LANES] = {0};
    if (emit_lane_count(piece) == 1)
        return LLVMBuildInsertElement(e->builder, value, piece, LLVMConstInt(e->i32, first, false),
                                      "");
    for (unsigned i = 0; i < total; i++)
        from[i] = i < count ? i : (unsigned)NO_LANE;
    piece = emit_shuffle(e, piece, NULL, from, total);
    for (unsigned i = 0; i < total; i++)
        from[i] = i >= first && i < first + count ? total + i - first : i;
    return emit_shuffle(e, value, piece, from, total);
}

LLVMValueRef emit_splat(Emitter *e, LLVMValueRef value, unsigned count) {
    if (count == 1 || emit_lane_count(value) > 1)
        return value;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), count);
    LLVMValueRef one = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), value,
                                              LLVMConstInt(e->i32, 0, false), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(e->i32, count));
    return LLVMBuildShuffleVector(e->builder, one, LLVMGetPoison(type), zeros, "");
}

LLVMValueRef emit_call(Emitter *e, LLVMValueRef function, LLVMValueRef *arguments, int count) {
    return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, arguments,
                          (unsigned)count, "");
}

LLVMValueRef emit_intrinsic(Emitter *e, const char *name, LLVMValueRef *arguments, int count) {
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    LLVMValueRef function = compat_intrinsic(e->module, name, &type, 1);
    return emit_call(e, function, arguments, count);
}

LLVMValueRef emit_fence(Emitter *e, LLVMValueRef x) {
    return emit_intrinsic(e, "llvm.arithmetic.fence", &x, 1);
}

static LLVMTypeRef runtime_type(const Emitter *e, RuntimeFunction function) {
    LLVMTypeRef VOID = e->void_type, POINTER = e->pointer, INT = e->i32, LONG = e->i64,
                REAL = LLVMDoubleTypeInContext(e->llvm);
    switch (function) {
#define RUNTIME(NAME, RESULT, ...)                                                                 \
    case RUNTIME_##NAME: {                                                                         \
        LLVMTypeRef types[] = {RESULT __VA_OPT__(, ) __VA_ARGS__};                                 \
        return LLVMFunctionType(types[0], types + 1, sizeof types / sizeof *types - 1, false);     \
    }
#include "codegen/runtime.def"
#undef RUNTIME
    case RUNTIME_COUNT:
        break;
    }

    return NULL;
}

LLVMValueRef emit_runtime_call(Emitter *e, RuntimeFunction function, LLVMValueRef *arguments) {
    static const char *const names[] = {
#define RUNTIME(NAME, RESULT, ...) #NAME,
#include "codegen/runtime.def"
#undef RUNTIME
    };
    LLVMTypeRef type = runtime_type(e, function);
    LLVMValueRef callee = LLVMGetNamedFunction(e->module, names[function]);
    if (!callee) {
        callee = LLVMAddFunction(e->module, names[function], type);
        compat_mark(callee, "nounwind");
        if (function == RUNTIME_hlc_allocate || function == RUNTIME_hlc_allocate_kept) {
            LLVMAddAttributeAtIndex(callee, LLVMAttributeReturnIndex,
                                    compat_attribute(e->llvm, "noalias", 0));
            LLVMAddAttributeAtIndex(callee, LLVMAttributeReturnIndex,
                                    compat_attribute(e->llvm, "align", MEMORY_ALIGNMENT));
        }
    }
    return LLVMBuildCall2(e->builder, type, callee, arguments, LLVMCountParamTypes(type), "");
}

/* ---- failing ---- */

static LLVMBasicBlockRef failure_block(Emitter *e) {
    if (!e->frame.on_failure)
        e->frame.on_failure = emit_block(e, "failure");
    return e->frame.on_failure;
}

LLVMBasicBlockRef emit_begin_failure(Emitter *e, LLVMValueRef condition) {
    LLVMBasicBlockRef bad = emit_block(e, "bad"), good = emit_block(e, "good");
    LLVMBuildCondBr(e->builder, condition, good, bad);
    LLVMPositionBuilderAtEnd(e->builder, bad);
    return good;
}

void emit_end_failure(Emitter *e, LLVMBasicBlockRef good) {
    LLVMBuildBr(e->builder, failure_block(e));
    LLVMPositionBuilderAtEnd(e->builder, good);
}

void emit_check(Emitter *e, LLVMValueRef condition) {
    emit_end_failure(e, emit_begin_failure(e, condition));
}
