/* function.c -- where each function of the module begins, and how it ends.
 *
 * A function answers 0, or the error that its report tells.  All failures in it go to one block,
 * which frees what is held (allocate.c).
 */
#include "codegen/emit.h"

/* Slots go to the front of `entry`, and the builder's block must not be it while they are made. */
void emit_begin_function(Emitter *e, LLVMValueRef function) {
    e->frame = (FunctionFrame){
        .function = function, .report = LLVMGetParam(function, 0), .where = e->frame.where};
    e->frame.entry = emit_block(e, "entry");
    debug_begin_function(e);
    LLVMBasicBlockRef start = emit_block(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, e->frame.entry);
    LLVMBuildBr(e->builder, start);
    LLVMPositionBuilderAtEnd(e->builder, start);
    compat_mark(function, "nounwind");
    target_mark(e->target, function);
}

bool emit_close_body(Emitter *e) {
    LLVMBasicBlockRef on_failure = e->frame.on_failure;
    if (!e->frame.is_hot)
        emit_mark_cold(e);
    stream_fence(e);
    LLVMBuildRet(e->builder, LLVMConstInt(e->i32, 0, false));
    if (on_failure) {
        LLVMPositionBuilderAtEnd(e->builder, on_failure);
        emit_release_held(e);
        stream_fence(e);
        LLVMBuildRet(e->builder,
                     emit_field(e, e->i32, e->frame.report, offsetof(hlc_report, error)));
    }
    return on_failure;
}
