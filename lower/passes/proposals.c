/* proposals.c -- the windows that the pipeline proposes for its outputs: `proposes out [..] if ..`.
 *
 * Nothing that the program computes depends on them.  NAME_propose evaluates them after the checks
 * of the parameters' ranges.  Their arithmetic stays in 64 bits where the conditions `fits` hold: the operations
 * that intervals do not bound are computed in f64, and found at most 2^62 (index_range.h).
 */
#include "lower/lower.h"

#include "ir/print.h"
#include "lower/passes/index_range.h"

#define LIMIT_62 0x1p62

typedef struct WindowChecks {
    Pool *pool;
    Arena *arena; /* of the program */
    Place place;
    ProposedWindow *proposal;
    bool failed;
} WindowChecks;

static void index_fault(void *data, Expr node, Expr size, const Stmt *stmt) {
    WindowChecks *checks = data;
    Pool *pool = checks->pool;
    Expr fits = size ? expr_le(pool, size, expr_float(pool, F64, LIMIT_62)) : NULL;
    (void)stmt;
    if (!fits || expr_is_false(fits)) {
        diag(pool->context, DIAG_INDEX_ARITHMETIC, checks->place, expr_text(checks->arena, node));
        checks->failed = true;
    } else if (!expr_is_true(fits)) {
        vec_push(checks->arena, &checks->proposal->fits, fits);
    }
}

bool lower_proposals(Program *program, const Pipeline *pipeline, Arena *arena) {
    const Signature *signature = &pipeline->signature;
    WindowChecks checks = {.pool = program->pool, .arena = program->arena};
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const Output *output = &signature->outputs.data[i];
        if (!output->size)
            continue;
        IndexRanges *ranges = index_ranges_create(program, pipeline, arena);
        ProposedWindow proposal = {.func = signature_func(signature, output->func)};
        checks.proposal = &proposal;
        checks.place = output->size_place;
        for (int k = 0; k < proposal.func->dimensions; k++) {
            proposal.box[k] = output->size[k];
            index_ranges_check(ranges, proposal.box[k].minimum, index_fault, &checks);
            index_ranges_check(ranges, proposal.box[k].length, index_fault, &checks);
        }
        vec_push(program->arena, &program->proposals, proposal);
    }
    return !checks.failed;
}
