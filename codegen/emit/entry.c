/* entry.c -- the entries of a module: the functions around the program that a caller sees.
 *
 * NAME_report answers a bounds query (runtime/query.c, which calls NAME.needs). Otherwise it checks
 * the raw buffers through the run-time library and splits them into numbers. Then it calls the body
 * for this processor, in the default float environment. In the body every startup variable
 * (parameter, `input.min.0`, `out.extent.1`) is an argument. Buffers are `noalias` addresses: the
 * checks have shown that the outputs overlap nothing. An output that may share the memory of an
 * image, and the image, are not. The program's own assertions check its other
 * requirements, and that an empty window requires nothing.
 */
#include "codegen/emit/entry.h"

static void add_buffer(Entry *entry, EntryBuffer buffer) {
    Arena *arena = entry->emitter->arena;
    buffer.argument = (unsigned)entry->parameters.length;
    vec_push(arena, &entry->parameters, entry->emitter->pointer);
    vec_push(arena, &entry->buffers, buffer);
}

/* Returns hlc_buffer_rule.shares. */
static int32_t share_image(Entry *entry, Symbol image) {
    for (size_t i = 0; image && i < entry->buffers.length; i++) {
        EntryBuffer *buffer = &entry->buffers.data[i];
        if (!buffer->is_output && buffer->name == image) {
            buffer->is_shared = true;
            return (int32_t)i + 1;
        }
    }
    return 0;
}

static void add_output(Entry *entry, const Output *output) {
    const FuncShape *func = signature_func(entry->emitter->signature, output->func);
    int32_t first = (int32_t)entry->buffers.length;
    for (int c = 0; c < func->components; c++)
        add_buffer(entry, (EntryBuffer){.name = func->name,
                                        .text = func->components == 1
                                                    ? func->name->text
                                                    : arena_format(entry->emitter->arena, "%s.%d",
                                                                   func->name->text, c),
                                        .type = func->types[c],
                                        .dimensions = func->dimensions,
                                        .component = c,
                                        .is_output = true,
                                        .layout = LAYOUT_STRIDED,
                                        .window_of = first,
                                        .shares = share_image(entry, output->image),
                                        .is_shared = output->image != NULL,
                                        .fields.layout = output->layout});
}

/* The arguments of NAME: inputs as written, then outputs. */
static void collect(Entry *entry) {
    Emitter *e = entry->emitter;
    const Signature *signature = e->signature;
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        if (!input.is_image) {
            Type type = signature->parameters.data[input.index].type;
            vec_push(e->arena, &entry->parameters, emit_memory_type(e, type));
            continue;
        }
        const ImageParameter *image = &signature->images.data[input.index];
        add_buffer(entry, (EntryBuffer){.name = image->name,
                                        .text = image->name->text,
                                        .type = image->type,
                                        .dimensions = image->dimensions,
                                        .layout = image->layout,
                                        .window_of = (int32_t)entry->buffers.length});
    }
    for (size_t i = 0; i < signature->outputs.length; i++)
        add_output(entry, &signature->outputs.data[i]);
}

/* ---- the body ---- */

/* In order: the report, the scalar parameters, then of each buffer the host and for each dimension
 * minimum, extent and stride. In the window form, minimum and extent of its domain follow; the last
 * argument is what the call asks for. */
static LLVMTypeRef body_type(Entry *entry) {
    Emitter *e = entry->emitter;
    LlvmTypes types = {0};
    vec_push(e->arena, &types, e->pointer);
    for (size_t i = 0; i < e->signature->parameters.length; i++)
        vec_push(e->arena, &types, emit_type(e, e->signature->parameters.data[i].type));
    for (size_t i = 0; i < entry->buffers.length; i++) {
        vec_push(e->arena, &types, e->pointer);
        int fields = e->signature->windows ? BUFFER_FIELDS : FIELD_STRIDE + 1;
        for (int n = 0; n < fields * entry->buffers.data[i].dimensions; n++)
            vec_push(e->arena, &types, e->i64);
    }
    if (e->signature->windows)
        vec_push(e->arena, &types, e->i32);
    return LLVMFunctionType(e->i32, types.data, (unsigned)types.length, false);
}

static void bind_buffer(Emitter *e, EntryBuffer *buffer, unsigned *at) {
    UserBuffer *fields = &buffer->fields;
    if (!buffer->is_shared)
        LLVMAddAttributeAtIndex(e->frame.function, *at + 1,
                                compat_attribute(e->llvm, "noalias", 0));
    fields->host = LLVMGetParam(e->frame.function, (*at)++);
    for (int d = 0; d < buffer->dimensions; d++) {
        fields->minimum[d] = LLVMGetParam(e->frame.function, (*at)++);
        fields->extent[d] = LLVMGetParam(e->frame.function, (*at)++);
        fields->stride[d] = LLVMGetParam(e->frame.function, (*at)++);
        entry_bind_field(e, buffer, FIELD_MINIMUM, d, fields->minimum[d]);
        entry_bind_field(e, buffer, FIELD_EXTENT, d, fields->extent[d]);
        entry_bind_field(e, buffer, FIELD_STRIDE, d, fields->stride[d]);
        if (!e->signature->windows)
            continue;
        fields->domain_minimum[d] = LLVMGetParam(e->frame.function, (*at)++);
        fields->domain_extent[d] = LLVMGetParam(e->frame.function, (*at)++);
        entry_bind_field(e, buffer, FIELD_DOMAIN_MINIMUM, d, fields->domain_minimum[d]);
        entry_bind_field(e, buffer, FIELD_DOMAIN_EXTENT, d, fields->domain_extent[d]);
    }
}

/* The stride that the layout promises for a dimension: a constant, or the value that it equals. */
static LLVMValueRef promised_stride(Emitter *e, const EntryBuffer *buffer, int dimension) {
    bool is_interleaved = buffer->layout == LAYOUT_INTERLEAVED;
    if ((buffer->layout == LAYOUT_PLANAR && dimension == 0) || (is_interleaved && dimension == 2))
        return emit_index_constant(e, 1);
    return is_interleaved && dimension == 0 ? buffer->fields.extent[2]
                                            : buffer->fields.stride[dimension];
}

static void bind_image(Emitter *e, const EntryBuffer *buffer) {
    Memref *memref = arena_new(e->arena, Memref);
    *memref = (Memref){.type = buffer->type, .dimensions = buffer->dimensions, .is_input = true};
    LLVMValueRef offset = emit_index_constant(e, 0);
    memref->origin = buffer->fields.host;
    for (int d = 0; d < buffer->dimensions; d++) {
        memref->stride[d] = promised_stride(e, buffer, d);
        LLVMValueRef step =
            LLVMBuildMul(e->builder, buffer->fields.minimum[d], memref->stride[d], "");
        offset = LLVMBuildSub(e->builder, offset, step, "");
    }
    memref->origin = emit_element(e, memref, offset);
    if (buffer->dimensions && buffer->layout == LAYOUT_PLANAR) {
        memref->row_first = buffer->fields.minimum[0];
        memref->row_length = buffer->fields.extent[0];
    }
    map_put(&e->memrefs, buffer->name, memref);
}

static void bind_outputs(Entry *entry) {
    Emitter *e = entry->emitter;
    for (size_t i = 0; i < entry->buffers.length; i++) {
        EntryBuffer *buffer = &entry->buffers.data[i];
        if (!buffer->is_output || buffer->component > 0)
            continue;
        const FuncShape *func = signature_func(e->signature, buffer->name);
        UserBuffer *users = arena_array(e->arena, UserBuffer, func->components);
        for (int c = 0; c < func->components; c++)
            users[c] = entry->buffers.data[i + (size_t)c].fields;
        map_put(&e->outputs, buffer->name, users);
    }
}

static void emit_body_function(void *data, LLVMValueRef function) {
    Entry *entry = data;
    Emitter *e = entry->emitter;
    emit_begin_function(e, function);
    unsigned at = 1; /* after the report */
    for (size_t i = 0; i < e->signature->parameters.length; i++) {
        Symbol parameter = e->signature->parameters.data[i].name;
        map_put(&e->variables, parameter, LLVMGetParam(e->frame.function, at));
        debug_argument(e, parameter, LLVMGetParam(e->frame.function, at++));
    }
    for (size_t i = 0; i < entry->buffers.length; i++)
        bind_buffer(e, &entry->buffers.data[i], &at);
    for (size_t i = 0; i < entry->buffers.length; i++)
        if (!entry->buffers.data[i].is_output)
            bind_image(e, &entry->buffers.data[i]);
    bind_outputs(entry);
    profile_body(e);
    e->asks = e->signature->windows ? LLVMGetParam(function, at) : NULL;
    e->rest = e->asks ? program_rest(e->program) : NULL;
    emit_statements(e, &e->program->body);
    emit_close_body(e);
}

/* ---- NAME_report ---- */

/* The constant array of hlc_buffer_rule. */
static LLVMValueRef emit_rules(Entry *entry) {
    Emitter *e = entry->emitter;
    LLVMTypeRef members[] = {e->pointer, e->i32, e->i32, e->i8, e->i8, e->i8, e->i8, e->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(e->llvm, members, 8, false);
    hlc_assert(LLVMABISizeOfType(e->machine->data, type) == sizeof(hlc_buffer_rule),
               "the generated rule has the layout of hlc_buffer_rule");
    LlvmValues rules = {0};
    for (size_t i = 0; i < entry->buffers.length; i++) {
        const EntryBuffer *buffer = &entry->buffers.data[i];
        static const unsigned layouts[] = {[LAYOUT_PLANAR] = HLC_LAYOUT_PLANAR,
                                           [LAYOUT_INTERLEAVED] = HLC_LAYOUT_INTERLEAVED,
                                           [LAYOUT_STRIDED] = HLC_LAYOUT_STRIDED};
        LLVMValueRef values[] = {
            emit_text(e, buffer->text),
            LLVMConstInt(e->i32, (unsigned long long)buffer->dimensions, false),
            LLVMConstInt(e->i32, (unsigned long long)buffer->window_of, false),
            LLVMConstInt(e->i8, emit_type_code(buffer->type), false),
            LLVMConstInt(e->i8, buffer->type.bits, false),
            LLVMConstInt(e->i8, layouts[buffer->is_output ? buffer->fields.layout : buffer->layout],
                         false),
            LLVMConstInt(e->i8, buffer->is_output, false),
            LLVMConstInt(e->i32, (unsigned long long)buffer->shares, false)};
        vec_push(e->arena, &rules, LLVMConstStructInContext(e->llvm, values, 8, false));
    }
    return emit_global(e, LLVMConstArray2(type, rules.data, rules.length), "rules");
}

static void emit_buffer_check(Entry *entry) {
    Emitter *e = entry->emitter;
    LLVMValueRef array = entry_buffer_array(entry);
    LLVMValueRef count = LLVMConstInt(e->i32, entry->buffers.length, false);
    LLVMValueRef query[] = {e->frame.report, entry->rules, array,
                            count,           entry->needs, entry_scalar_array(entry)};
    entry_return_unless_zero(e, emit_runtime_call(e, RUNTIME_hlc_answer_query, query));
    LLVMValueRef check[] = {e->frame.report, entry->rules, array, count};
    entry_return_unless_zero(e, emit_runtime_call(e, RUNTIME_hlc_check_buffers, check));
}

static void emit_report_function(Entry *entry) {
    Emitter *e = entry->emitter;
    LlvmTypes types = {0};
    vec_push(e->arena, &types, e->pointer);
    for (size_t i = 0; i < entry->parameters.length; i++)
        vec_push(e->arena, &types, entry->parameters.data[i]);
    const char *name = arena_format(e->arena, "%s_report", e->signature->name->text);
    entry->report_type = LLVMFunctionType(e->i32, types.data, (unsigned)types.length, false);
    entry->report = LLVMAddFunction(e->module, name, entry->report_type);
    emit_begin_function(e, entry->report);
    emit_mark_cold(e);
    if (e->signature->windows) {
        entry_forward(entry);
        return;
    }
    entry_check_abi(e);
    LLVMValueRef choice = emit_choice(e);
    emit_buffer_check(entry);
    entry_load_fields(entry);
    LLVMBuildRet(e->builder, entry_run(entry, choice, NULL));
}

/* ---- NAME, NAME_argv ---- */

/* Makes a function of NAME's parameters. It calls `callee`, which has a report before them, and
 * raises the error. */
static LLVMValueRef emit_raising_function(Entry *entry, const char *name, LLVMValueRef callee) {
    Emitter *e = entry->emitter;
    LLVMValueRef function = LLVMAddFunction(e->module, name, entry->name_type);
    emit_begin_function(e, function);
    emit_mark_cold(e);
    LLVMTypeRef words = LLVMArrayType2(e->i64, (sizeof(hlc_report) + 7) / 8);
    LLVMValueRef report = emit_slot(e, words, "report");
    LlvmValues arguments = {0};
    vec_push(e->arena, &arguments, report);
    for (unsigned i = 0; i < entry->parameters.length; i++)
        vec_push(e->arena, &arguments, LLVMGetParam(e->frame.function, i));
    LLVMValueRef error = LLVMBuildCall2(e->builder, entry->report_type, callee, arguments.data,
                                        (unsigned)arguments.length, "");
    LLVMBasicBlockRef good = emit_block(e, "good"), bad = emit_block(e, "bad");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, error, ""), good, bad);
    LLVMPositionBuilderAtEnd(e->builder, good);
    LLVMBuildRet(e->builder, LLVMConstInt(e->i32, 0, false));
    LLVMPositionBuilderAtEnd(e->builder, bad);
    LLVMBuildRet(e->builder, emit_runtime_call(e, RUNTIME_hlc_raise, &report));
    return function;
}

static void emit_argv_function(Entry *entry) {
    Emitter *e = entry->emitter;
    const char *name = arena_format(e->arena, "%s_argv", e->signature->name->text);
    entry->argv_type = LLVMFunctionType(e->i32, &e->pointer, 1, false);
    emit_begin_function(e, LLVMAddFunction(e->module, name, entry->argv_type));
    emit_mark_cold(e);
    LlvmValues arguments = entry_load_arguments(entry, LLVMGetParam(e->frame.function, 0));
    LLVMBuildRet(e->builder, LLVMBuildCall2(e->builder, entry->name_type, entry->name,
                                            arguments.data, (unsigned)arguments.length, ""));
}

/* ---- NAME_propose ---- */

static void emit_propose_function(Entry *entry) {
    Emitter *e = entry->emitter;
    const char *name = e->signature->name->text;
    LLVMValueRef function =
        LLVMAddFunction(e->module, arena_format(e->arena, "%s.propose", name), entry->report_type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    emit_begin_function(e, function);
    emit_mark_cold(e);
    entry_check_abi(e);
    LLVMValueRef arguments[] = {e->frame.report,
                                entry->rules,
                                entry_buffer_array(entry),
                                LLVMConstInt(e->i32, entry->buffers.length, false),
                                entry->windows,
                                entry_scalar_array(entry)};
    LLVMBuildRet(e->builder, emit_runtime_call(e, RUNTIME_hlc_propose, arguments));
    emit_raising_function(entry, arena_format(e->arena, "%s_propose", name), function);
}

void emit_entries(Emitter *emitter) {
    Entry entry = {.emitter = emitter};
    emitter->statements = emit_statements;
    emitter->frame.where.place = emitter->signature->place;
    collect(&entry);
    profile_begin(emitter);
    entry.body_type = body_type(&entry);
    entry.bodies = emit_versions(emitter, entry.body_type, emit_body_function, &entry);
    entry.rules = emit_rules(&entry);
    entry.needs = emit_needs_function(&entry);
    entry.windows = emit_windows_function(&entry);
    if (emitter->signature->windows)
        emit_call_function(&entry);
    emit_report_function(&entry);
    entry.name_type = LLVMFunctionType(emitter->i32, entry.parameters.data,
                                       (unsigned)entry.parameters.length, false);
    entry.name = emit_raising_function(&entry, emitter->signature->name->text, entry.report);
    emit_argv_function(&entry);
    if (entry.windows)
        emit_propose_function(&entry);
    emit_metadata(emitter);
    profile_finish(emitter);
}
