/* call_entry.c -- NAME_call, the entry of the window form: each image and output is a window of a
 * domain, and a call may be a question.
 *
 *     int NAME_call(report, call, arguments)
 *         hlc_begin_call(..)        answers a query, or checks the buffers; fills the domains
 *         what = hlc_enter_call(..) the call's own threads and `cancel`
 *         NAME.TARGET(.., what)     the body: its assertions; then, unless it is a check, its rest
 *         hlc_leave_call(..)
 *
 * NAME_report calls it without an hlc_call: then a buffer is its own domain.
 */
#include "codegen/emit/entry.h"

static void load_domains(Entry *entry, LLVMValueRef domains) {
    Emitter *e = entry->emitter;
    size_t at = 0;
    for (size_t i = 0; i < entry->buffers.length; i++) {
        UserBuffer *fields = &entry->buffers.data[i].fields;
        for (int d = 0; d < entry->buffers.data[i].dimensions; d++) {
            fields->domain_minimum[d] = emit_field(e, e->i64, domains, 8 * at++);
            fields->domain_extent[d] = emit_field(e, e->i64, domains, 8 * at++);
        }
    }
}

/* A call may come from anywhere: checks, answers or begins it. Returns the array of domains. */
static LLVMValueRef begin_call(Entry *entry, LLVMValueRef call) {
    Emitter *e = entry->emitter;
    size_t dimensions = entry_dimensions(entry);
    LLVMValueRef domains = emit_slot(e, LLVMArrayType2(e->i64, 2 * dimensions + 1), "domains");
    LLVMValueRef arguments[] = {e->frame.report,
                                call,
                                entry->rules,
                                entry_buffer_array(entry),
                                LLVMConstInt(e->i32, entry->buffers.length, false),
                                entry->needs,
                                entry_scalar_array(entry),
                                domains};
    entry_return_unless_zero(e, emit_runtime_call(e, RUNTIME_hlc_begin_call, arguments));
    return domains;
}

void emit_call_function(Entry *entry) {
    Emitter *e = entry->emitter;
    LLVMTypeRef types[] = {e->pointer, e->pointer, e->pointer};
    entry->call_type = LLVMFunctionType(e->i32, types, 3, false);
    entry->call = LLVMAddFunction(
        e->module, arena_format(e->arena, "%s_call", e->signature->name->text), entry->call_type);
    emit_begin_function(e, entry->call);
    emit_mark_cold(e);
    entry_check_abi(e);
    LLVMValueRef choice = emit_choice(e), call = LLVMGetParam(entry->call, 1);
    entry->arguments = entry_load_arguments(entry, LLVMGetParam(entry->call, 2)).data;
    LLVMValueRef domains = begin_call(entry, call);
    entry_load_fields(entry);
    load_domains(entry, domains);
    LLVMTypeRef words = LLVMArrayType2(e->i64, (sizeof(hlc_call_scope) + 7) / 8);
    LLVMValueRef scope = emit_slot(e, words, "scope"), enter[] = {call, scope};
    LLVMValueRef asks = emit_runtime_call(e, RUNTIME_hlc_enter_call, enter);
    LLVMValueRef result = entry_run(entry, choice, asks);
    emit_runtime_call(e, RUNTIME_hlc_leave_call, &scope);
    LLVMBuildRet(e->builder, result);
    entry->arguments = NULL;
}

void entry_forward(Entry *entry) {
    Emitter *e = entry->emitter;
    unsigned count = (unsigned)entry->parameters.length;
    LLVMValueRef array = emit_slot(e, LLVMArrayType2(e->pointer, count + 1), "arguments");
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetParam(e->frame.function, i + 1);
        if (entry->parameters.data[i] != e->pointer) {
            LLVMValueRef place = emit_slot(e, entry->parameters.data[i], "scalar");
            LLVMBuildStore(e->builder, value, place);
            value = place;
        }
        LLVMBuildStore(e->builder, value, emit_at(e, e->pointer, array, i));
    }
    LLVMValueRef arguments[] = {e->frame.report, LLVMConstNull(e->pointer), array};
    LLVMBuildRet(e->builder,
                 LLVMBuildCall2(e->builder, entry->call_type, entry->call, arguments, 3, ""));
}
