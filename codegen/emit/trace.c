/* trace.c -- calls of hlc_trace at the beginning and end of a pipeline, and of the compute
 * statement of a func. Only code made with CodegenOptions.trace has them. */
#include "codegen/emit.h"

static void call(Emitter *e, int kind, const char *func, LLVMValueRef box, int dimensions,
                 LLVMValueRef error) {
    LLVMValueRef null = LLVMConstNull(e->pointer);
    LLVMValueRef arguments[] = {LLVMConstInt(e->i32, (unsigned long long)kind, false),
                                emit_text(e, e->signature->name->text),
                                func ? emit_text(e, func) : null,
                                box ? box : null,
                                LLVMConstInt(e->i32, (unsigned long long)dimensions, false),
                                error ? error : LLVMConstInt(e->i32, 0, false)};
    emit_runtime_call(e, RUNTIME_hlc_trace, arguments);
}

void trace_pipeline(Emitter *e, hlc_trace_kind kind, LLVMValueRef error) {
    if (e->trace)
        call(e, kind, NULL, NULL, 0, error);
}

void trace_compute(Emitter *e, hlc_trace_kind kind, const Stmt *compute) {
    const FuncShape *func = compute->compute.func;
    LLVMValueRef ends[2 * MAX_DIMENSIONS];
    if (!e->trace)
        return;
    for (int k = 0; k < func->dimensions; k++) {
        ends[2 * k] = emit_expr(e, compute->compute.intervals[k].minimum);
        ends[2 * k + 1] = emit_expr(e, compute->compute.intervals[k].length);
    }
    call(e, kind, func->name->text, emit_array(e, ends, 2 * func->dimensions), func->dimensions,
         NULL);
    emit_forget(e);
}
