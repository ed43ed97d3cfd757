/* metadata.c -- NAME_metadata(): describes the arguments of a pipeline, as constants in the
 * published layout of halide_filter_metadata_t, version 1 (hlc_runtime.h). Clients use it to call
 * NAME_argv without the pipeline's header.
 *
 * The arguments have the order of NAME's. Defaults and ranges come from the declaration; there are
 * no estimates. A scalar takes eight bytes, with the value in the lowest.
 */
#include "codegen/emit.h"

enum { KIND_SCALAR, KIND_INPUT, KIND_OUTPUT }; /* halide_argument_kind_t */

typedef struct Metadata {
    Emitter *emitter;
    Vec(LLVMValueRef) arguments;
} Metadata;

/* A halide_scalar_value_t, or null if the declaration gives no value. */
static LLVMValueRef scalar(Emitter *e, bool is_declared, Type type, Bits bits) {
    if (!is_declared)
        return LLVMConstNull(e->pointer);
    uint64_t value = (uint64_t)bits;
    if (type.bits < 64)
        value &= (UINT64_C(1) << type.bits) - 1;
    return emit_global(e, LLVMConstInt(e->i64, value, false), "scalar");
}

static void add_argument(Metadata *metadata, const char *name, unsigned kind, int dimensions,
                         Type type, const Parameter *parameter) {
    Emitter *e = metadata->emitter;
    LLVMValueRef type_fields[] = {LLVMConstInt(e->i8, emit_type_code(type), false),
                                  LLVMConstInt(e->i8, type.bits, false),
                                  LLVMConstInt(LLVMInt16TypeInContext(e->llvm), 1, false)};
    const Parameter none = {0}, *p = parameter ? parameter : &none;
    LLVMValueRef null = LLVMConstNull(e->pointer);
    LLVMValueRef fields[] = {emit_text(e, name),
                             LLVMConstInt(e->i32, kind, false),
                             LLVMConstInt(e->i32, (unsigned long long)dimensions, false),
                             LLVMConstStructInContext(e->llvm, type_fields, 3, false),
                             scalar(e, p->has_default, type, p->default_value),
                             scalar(e, p->has_range, type, p->lower),
                             scalar(e, p->has_range, type, p->upper),
                             null,
                             null};
    vec_push(e->arena, &metadata->arguments, LLVMConstStructInContext(e->llvm, fields, 9, false));
}

static void add_inputs(Metadata *metadata) {
    const Signature *signature = metadata->emitter->signature;
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        if (input.is_image) {
            const ImageParameter *image = &signature->images.data[input.index];
            add_argument(metadata, image->name->text, KIND_INPUT, image->dimensions, image->type,
                         NULL);
        } else {
            const Parameter *parameter = &signature->parameters.data[input.index];
            add_argument(metadata, parameter->name->text, KIND_SCALAR, 0, parameter->type,
                         parameter);
        }
    }
}

static void add_outputs(Metadata *metadata) {
    Emitter *e = metadata->emitter;
    for (size_t i = 0; i < e->signature->outputs.length; i++) {
        const FuncShape *func = signature_func(e->signature, e->signature->outputs.data[i].func);
        for (int c = 0; c < func->components; c++)
            add_argument(metadata,
                         func->components == 1
                             ? func->name->text
                             : arena_format(e->arena, "%s.%d", func->name->text, c),
                         KIND_OUTPUT, func->dimensions, func->types[c], NULL);
    }
}

/* The processor's family and system in the ecosystem's spelling. */
static const char *target_text(const Emitter *e) {
    return strncmp(e->machine->triple, "aarch64", 7) == 0 ? "arm-64-linux" : "x86-64-linux";
}

void emit_metadata(Emitter *e) {
    Metadata metadata = {.emitter = e};
    add_inputs(&metadata);
    add_outputs(&metadata);
    LLVMTypeRef type = LLVMTypeOf(metadata.arguments.data[0]); /* there is an output at least */
    hlc_assert(LLVMABISizeOfType(e->machine->data, type) == sizeof(struct halide_filter_argument_t),
               "a generated argument has the layout of halide_filter_argument_t");
    LLVMValueRef array = emit_global(
        e, LLVMConstArray2(type, metadata.arguments.data, metadata.arguments.length), "arguments");
    const char *name = e->signature->name->text;
    LLVMValueRef fields[] = {LLVMConstInt(e->i32, 1, false),
                             LLVMConstInt(e->i32, metadata.arguments.length, false), array,
                             emit_text(e, target_text(e)), emit_text(e, name)};
    LLVMValueRef whole =
        emit_global(e, LLVMConstStructInContext(e->llvm, fields, 5, false), "metadata");
    LLVMTypeRef function_type = LLVMFunctionType(e->pointer, NULL, 0, false);
    LLVMValueRef function =
        LLVMAddFunction(e->module, arena_format(e->arena, "%s_metadata", name), function_type);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->llvm, function, "entry"));
    LLVMBuildRet(e->builder, whole);
}
