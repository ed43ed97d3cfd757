/* poll.c -- calls of hlc_poll in loops, which end a call early. Only code made with
 * CodegenOptions.stoppable has them.
 *
 * A loop around another loop polls in each iteration, an innermost loop in one of POLL_PERIOD. */
#include "codegen/emit.h"

enum { POLL_PERIOD = 1024 };

/* A statement that vector.c makes has a body whose owner is another one, so block_visit cannot walk
 * it. The context's limits bound the depth. */
static bool has_loop(const Block *block) {
    for (Stmt *stmt = block->first; stmt; stmt = stmt->next) {
        const Block *body = stmt_body(stmt);
        bool stays = stmt->kind == STMT_FOR && (stmt->loop.traversal == TRAVERSE_SERIAL ||
                                                stmt->loop.traversal == TRAVERSE_PARALLEL);
        if (stays || (body && has_loop(body)) ||
            (stmt->kind == STMT_IF && has_loop(&stmt->branch.otherwise)))
            return true;
    }
    return false;
}

void emit_poll(Emitter *e, const Block *body, LLVMValueRef variable) {
    LLVMBasicBlockRef poll = NULL, on = NULL;
    if (!e->stoppable)
        return;
    if (!has_loop(body)) {
        poll = emit_block(e, "poll");
        on = emit_block(e, "on");
        LLVMValueRef turn =
            LLVMBuildAnd(e->builder, variable, emit_index_constant(e, POLL_PERIOD - 1), "");
        LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, turn, ""), poll, on);
        LLVMPositionBuilderAtEnd(e->builder, poll);
    }
    LLVMValueRef report = e->frame.report;
    LLVMValueRef status = emit_runtime_call(e, RUNTIME_hlc_poll, &report);
    emit_check(e, LLVMBuildIsNull(e->builder, status, ""));
    if (on) {
        LLVMBuildBr(e->builder, on);
        LLVMPositionBuilderAtEnd(e->builder, on);
    }
}
