/* function.c -- the beginning and the end of each function of the module.
 *
 * A function returns 0, or its report's error. All its failures branch to one block, which frees
 * the held blocks (allocate.c).
 */
#include "codegen/emit.h"

/* Slots are made at the front of `entry`, so the builder must be in another block meanwhile. */
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
