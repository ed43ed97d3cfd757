/* poll.c -- calls of hlc_poll in loops, which end a call early, and the end of a call that is only a
 * check. Only code made with CodegenOptions.stoppable polls.
 *
 * A loop around another loop polls in each iteration, but in one of SHORT_PERIOD if its inner loops are
 * short and innermost, as in a tile. These do not poll. Other innermost loops poll in one of POLL_PERIOD.
 *
 * The window form has them too, for the `cancel` of a call. Its innermost loops do not poll. */
#include "codegen/emit.h"

enum { POLL_PERIOD = 1024, SHORT_PERIOD = 64, SHORT_LENGTH = 64 };

/* What loops that stay loops are in a block. */
typedef enum InnerLoops {
    INNER_NONE,
    INNER_SHORT, /* innermost ones of at most SHORT_LENGTH iterations, and no others */
    INNER_LONG
} InnerLoops;

static InnerLoops nest_in(const Block *block);

/* Has the loop at most SHORT_LENGTH iterations? In a tile, the length is min(32, what is left). */
static bool is_short(const Stmt *loop) {
    Expr length = loop->loop.interval.length;
    bool is_least = length->op == OP_MIN;
    int64_t constant;
    for (int i = 0; i < (is_least ? length->arity : 1); i++)
        if (expr_constant_integer(is_least ? length->arguments[i] : length, &constant) &&
            constant <= SHORT_LENGTH)
            return true;
    return false;
}

static InnerLoops nest_of(Stmt *stmt) {
    const Block *body = stmt_body(stmt);
    bool stays = stmt->kind == STMT_FOR && (stmt->loop.traversal == TRAVERSE_SERIAL ||
                                            stmt->loop.traversal == TRAVERSE_PARALLEL);
    InnerLoops nest = body ? nest_in(body) : INNER_NONE;
    if (stmt->kind == STMT_IF) {
        InnerLoops other = nest_in(&stmt->branch.otherwise);
        nest = other > nest ? other : nest;
    }
    if (!stays)
        return nest;
    return nest == INNER_NONE && is_short(stmt) ? INNER_SHORT : INNER_LONG;
}

/* A statement that vector.c makes has a body whose owner is another one, so block_visit cannot walk
 * it. The context's limits bound the depth. */
static InnerLoops nest_in(const Block *block) {
    InnerLoops most = INNER_NONE;
    for (Stmt *stmt = block->first; stmt && most < INNER_LONG; stmt = stmt->next) {
        InnerLoops nest = nest_of(stmt);
        most = nest > most ? nest : most;
    }
    return most;
}

/* Of the loop that has this body, in which the builder is: polls in one of so many iterations. 0:
 * never. */
static int poll_period(const Emitter *e, const Block *body) {
    if (!e->stoppable && !e->signature->windows)
        return 0;
    InnerLoops nest = nest_in(body);
    if (e->stoppable && nest == INNER_NONE)
        return body->owner && body->owner->kind == STMT_FOR && is_short(body->owner) ? 0
                                                                                     : POLL_PERIOD;
    if (e->stoppable)
        return nest == INNER_LONG ? 1 : SHORT_PERIOD;
    return nest == INNER_NONE ? 0 : nest == INNER_LONG || e->loop_depth <= 1 ? 1 : SHORT_PERIOD;
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

void emit_end_check(Emitter *e) {
    LLVMBasicBlockRef checked = emit_block(e, "checked"), run = emit_block(e, "run");
    LLVMBuildCondBr(e->builder, LLVMBuildIsNull(e->builder, e->asks, ""), run, checked);
    LLVMPositionBuilderAtEnd(e->builder, checked);
    LLVMBuildRet(e->builder, LLVMConstInt(e->i32, 0, false));
    LLVMPositionBuilderAtEnd(e->builder, run);
}
