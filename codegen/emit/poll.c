/* poll.c -- calls of hlc_poll in loops, which end a call early. Only code made with
 * CodegenOptions.stoppable has them.
 *
 * A loop around another loop polls in each iteration, an innermost loop in one of POLL_PERIOD.
 *
 * The window form has them too, for the `cancel` of a call, where they cost little: in each iteration
 * of loops around others, but in one of SHORT_PERIOD if these are short and innermost. Its innermost
 * loops do not poll. */
#include "codegen/emit.h"

enum { POLL_PERIOD = 1024, SHORT_PERIOD = 64, SHORT_LENGTH = 64 };

/* What loops that stay loops are in a block. */
typedef enum Nest {
    NEST_NONE,
    NEST_SHORT, /* innermost ones of a small constant length, and no others */
    NEST_LONG
} Nest;

static Nest nest_in(const Block *block);

static Nest nest_of(Stmt *stmt) {
    const Block *body = stmt_body(stmt);
    bool stays = stmt->kind == STMT_FOR && (stmt->loop.traversal == TRAVERSE_SERIAL ||
                                            stmt->loop.traversal == TRAVERSE_PARALLEL);
    Nest nest = body ? nest_in(body) : NEST_NONE;
    int64_t length;
    if (stmt->kind == STMT_IF) {
        Nest other = nest_in(&stmt->branch.otherwise);
        nest = other > nest ? other : nest;
    }
    if (!stays)
        return nest;
    bool is_short = nest == NEST_NONE &&
                    expr_constant_integer(stmt->loop.interval.length, &length) &&
                    length <= SHORT_LENGTH;
    return is_short ? NEST_SHORT : NEST_LONG;
}

/* A statement that vector.c makes has a body whose owner is another one, so block_visit cannot walk
 * it. The context's limits bound the depth. */
static Nest nest_in(const Block *block) {
    Nest most = NEST_NONE;
    for (Stmt *stmt = block->first; stmt && most < NEST_LONG; stmt = stmt->next) {
        Nest nest = nest_of(stmt);
        most = nest > most ? nest : most;
    }
    return most;
}

/* Of the loop that has this body, in which the builder is: polls in one of so many iterations. 0:
 * never. */
static int poll_period(const Emitter *e, const Block *body) {
    if (!e->stoppable && !e->signature->windows)
        return 0;
    Nest nest = nest_in(body);
    if (e->stoppable)
        return nest != NEST_NONE ? 1 : POLL_PERIOD;
    return nest == NEST_NONE ? 0 : nest == NEST_LONG || e->loop_depth <= 1 ? 1 : SHORT_PERIOD;
}

void emit_poll(Emitter *e, const Block *body, LLVMValueRef variable) {
    LLVMBasicBlockRef poll = NULL, on = NULL;
    int period = poll_period(e, body);
    if (period == 0)
        return;
    if (period > 1) {
        poll = emit_block(e, "poll");
        on = emit_block(e, "on");
        LLVMValueRef turn =
            LLVMBuildAnd(e->builder, variable, emit_index_constant(e, period - 1), "");
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
