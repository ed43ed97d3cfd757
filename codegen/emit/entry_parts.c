/* entry_parts.c -- what the entries of a module share: the arguments of NAME, taken apart, and the call
 * of the body (entry.c, call_entry.c).
 */
#include "codegen/emit/entry.h"

/* Argument `number` of NAME, in NAME_report, whose first argument is the report, or in NAME_call. */
static LLVMValueRef argument(const Entry *entry, unsigned number) {
    return entry->arguments ? entry->arguments[number]
                            : LLVMGetParam(entry->emitter->frame.function, number + 1);
}

/* Returns from the function if `error` is not 0. 1 means that the call is already answered: its
 * result is 0. Other values are errors. */
void entry_return_unless_zero(Emitter *e, LLVMValueRef error) {
    LLVMBasicBlockRef stopped = emit_block(e, "stopped"), accepted = emit_block(e, "accepted");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, error, ""), accepted, stopped);
    LLVMPositionBuilderAtEnd(e->builder, stopped);
    LLVMValueRef zero = LLVMConstInt(e->i32, 0, false);
    LLVMValueRef is_error = LLVMBuildICmp(e->builder, LLVMIntSLT, error, zero, "");
    LLVMBuildRet(e->builder, LLVMBuildSelect(e->builder, is_error, error, zero, ""));
    LLVMPositionBuilderAtEnd(e->builder, accepted);
}

void entry_check_abi(Emitter *e) {
    LLVMValueRef abi[] = {e->frame.report, LLVMConstInt(e->i32, HLC_ABI, false)};
    entry_return_unless_zero(e, emit_runtime_call(e, RUNTIME_hlc_check_abi, abi));
}

/* The addresses of the buffers, in an array. */
LLVMValueRef entry_buffer_array(Entry *entry) {
    Emitter *e = entry->emitter;
    size_t count = entry->buffers.length;
    LLVMValueRef array = emit_slot(e, LLVMArrayType2(e->pointer, count ? count : 1), "buffers");
    for (size_t i = 0; i < count; i++)
        LLVMBuildStore(e->builder, argument(entry, entry->buffers.data[i].argument),
                       emit_at(e, e->pointer, array, (int64_t)i));
    return array;
}

/* The scalars in the signature's order, eight bytes each. */
LLVMValueRef entry_scalar_array(Entry *entry) {
    Emitter *e = entry->emitter;
    size_t count = e->signature->parameters.length;
    LLVMValueRef array = emit_slot(e, LLVMArrayType2(e->i64, count ? count : 1), "scalars");
    unsigned number = 0;
    for (size_t i = 0; i < e->signature->inputs.length; i++, number++) {
        const InputRef *input = &e->signature->inputs.data[i];
        if (!input->is_image)
            LLVMBuildStore(e->builder, argument(entry, number),
                           emit_at(e, e->i64, array, (int64_t)input->index));
    }
    return array;
}

static LLVMValueRef dimension_field(Emitter *e, LLVMValueRef dimensions, int dimension,
                                    size_t offset) {
    LLVMValueRef field =
        emit_field(e, e->i32, dimensions, (size_t)dimension * sizeof(halide_dimension_t) + offset);
    return LLVMBuildSExt(e->builder, field, e->i64, "");
}

void entry_load_fields(Entry *entry) {
    Emitter *e = entry->emitter;
    for (size_t i = 0; i < entry->buffers.length; i++) {
        EntryBuffer *buffer = &entry->buffers.data[i];
        LLVMValueRef address = argument(entry, buffer->argument);
        UserBuffer *fields = &buffer->fields;
        fields->host = emit_field(e, e->pointer, address, offsetof(halide_buffer_t, host));
        LLVMValueRef dim = emit_field(e, e->pointer, address, offsetof(halide_buffer_t, dim));
        for (int d = 0; d < buffer->dimensions; d++) {
            fields->minimum[d] = dimension_field(e, dim, d, offsetof(halide_dimension_t, min));
            fields->extent[d] = dimension_field(e, dim, d, offsetof(halide_dimension_t, extent));
            fields->stride[d] = dimension_field(e, dim, d, offsetof(halide_dimension_t, stride));
        }
    }
}

static LLVMValueRef call_body(Entry *entry, LLVMValueRef choice, LLVMValueRef asks) {
    Emitter *e = entry->emitter;
    LlvmValues arguments = {0};
    vec_push(e->arena, &arguments, e->frame.report);
    unsigned number = 0;
    /* The parameters in the signature's order; among NAME's arguments they are between images. */
    LLVMValueRef *parameters =
        arena_array(e->arena, LLVMValueRef, e->signature->parameters.length + 1);
    for (size_t i = 0; i < e->signature->inputs.length; i++, number++)
        if (!e->signature->inputs.data[i].is_image)
            parameters[e->signature->inputs.data[i].index] = argument(entry, number);
    for (size_t i = 0; i < e->signature->parameters.length; i++) {
        LLVMValueRef value = parameters[i];
        if (type_is_bool(e->signature->parameters.data[i].type))
            value = LLVMBuildIsNotNull(e->builder, value, "");
        vec_push(e->arena, &arguments, value);
    }
    for (size_t i = 0; i < entry->buffers.length; i++) {
        const EntryBuffer *buffer = &entry->buffers.data[i];
        vec_push(e->arena, &arguments, buffer->fields.host);
        for (int d = 0; d < buffer->dimensions; d++) {
            vec_push(e->arena, &arguments, buffer->fields.minimum[d]);
            vec_push(e->arena, &arguments, buffer->fields.extent[d]);
            vec_push(e->arena, &arguments, buffer->fields.stride[d]);
            if (!e->signature->windows)
                continue;
            vec_push(e->arena, &arguments, buffer->fields.domain_minimum[d]);
            vec_push(e->arena, &arguments, buffer->fields.domain_extent[d]);
        }
    }
    if (asks)
        vec_push(e->arena, &arguments, asks);
    return emit_chosen_call(e, entry->body_type, entry->bodies, choice, arguments.data);
}

LLVMValueRef entry_run(Entry *entry, LLVMValueRef choice, LLVMValueRef asks) {
    Emitter *e = entry->emitter;
    LLVMValueRef environment = emit_runtime_call(e, RUNTIME_hlc_float_enter, NULL);
    trace_pipeline(e, HLC_TRACE_BEGIN_PIPELINE, NULL);
    LLVMValueRef profiled = profile_enter(e);
    LLVMValueRef result = call_body(entry, choice, asks);
    profile_leave(e, profiled);
    trace_pipeline(e, HLC_TRACE_END_PIPELINE, result);
    emit_runtime_call(e, RUNTIME_hlc_float_leave, &environment);
    return result;
}

LlvmValues entry_load_arguments(Entry *entry, LLVMValueRef array) {
    Emitter *e = entry->emitter;
    LlvmValues arguments = {0};
    for (size_t i = 0; i < entry->parameters.length; i++) {
        LLVMTypeRef type = entry->parameters.data[i];
        LLVMValueRef value = emit_field(e, e->pointer, array, i * sizeof(void *));
        if (type != e->pointer)
            value = LLVMBuildLoad2(e->builder, type, value, "");
        vec_push(e->arena, &arguments, value);
    }
    return arguments;
}
