/* vector.c -- vectorized loops.
 *
 * The target language has no vectors. A vectorized loop is a loop whose iterations are independent
 * because it is pure (Def 8.3). This file emits it as straight-line code for all iterations at
 * once. Iteration i is lane i of an LLVM vector. An expression that contains the loop variable,
 * directly or through a let, is a vector. Every other expression is a scalar, and is broadcast
 * where it meets a vector. The emitters of operators serve both (operators.c). Indices stay scalars
 * as far as possible (affine_lanes.c), so memory accesses are dense (access.c). Loops of more than
 * MAX_LANES iterations are emitted in pieces. If the statement is so large that its lanes are more
 * than MOST_LANE_WORK operations (MOST_RARE_WORK in a rare loop), the pieces are narrower, and there
 * is a loop over them.  They are narrower, too, if more values would be live than there are registers
 * (pressure.c).
 *
 * An inner loop stays a loop: its bounds are uniform. A branch on a uniform condition stays a
 * branch. If lanes differ, the branch runs under a mask, and only if at least one lane takes it. So
 * a uniform value may be loaded as a scalar, even under a mask. For guards of splits and similar
 * conditions, one comparison decides whether they hold in all lanes (find_coverage). The code for
 * that case, by far the most frequent, has no masks.
 *
 * A statement that reads through clamped indices is emitted twice: with dense loads, for the case
 * that no lane is clamped, and element by element, for the borders. Under a mask, and in a rare
 * loop (lower/passes/partition.c), only the second version is emitted.
 *
 * The scheduler refuses a vectorized loop with allocations, computes, assertions, or loops whose
 * bounds vary from lane to lane. Such a loop from another source is emitted as a serial one.
 */
#include "codegen/interleave.h"
#include "ir/walk.h"

/* ---- loops that vector code can express ---- */

typedef struct LaneSurvey {
    Emitter *emitter;
    Map varying; /* Symbol: differs from lane to lane */
    bool is_possible;
} LaneSurvey;

static bool is_varying(void *data, Expr node) {
    const LaneSurvey *survey = data;
    return node->op == OP_VARIABLE && map_get(&survey->varying, node->name);
}

static bool differs(LaneSurvey *survey, Expr expr) {
    return emit_any_node(survey->emitter, expr, is_varying, survey);
}

static bool survey_statement(void *data, Stmt *stmt) {
    LaneSurvey *survey = data;
    switch (stmt->kind) {
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_COMPUTE:
    case STMT_PREFETCH:
        survey->is_possible = false;
        break;
    case STMT_FOR:
        survey->is_possible &= !differs(survey, stmt->loop.interval.minimum) &&
                               !differs(survey, stmt->loop.interval.length);
        break;
    case STMT_LET:
        if (differs(survey, stmt->let.value))
            map_put(&survey->varying, stmt->let.binder, stmt);
        break;
    case STMT_STORE:
        survey->is_possible &= !stmt_is_extern(stmt);
        break;
    case STMT_NOP:
    case STMT_IF:
    case STMT_LABEL:
        break;
    }
    return survey->is_possible;
}

static bool can_widen(Emitter *e, const Stmt *loop) {
    LaneSurvey survey = {.emitter = e,
                         .varying = map_create(e->arena),
                         .is_possible = loop->loop.pure || loop->loop.independent};
    map_put(&survey.varying, loop->loop.binder, loop);
    StmtVisitor visitor = {.data = &survey, .enter = survey_statement};
    block_visit((Block *)&loop->loop.body, &visitor); /* nothing is changed in it */
    return survey.is_possible;
}

/* ---- the width of the pieces ---- */

/* The work of one statement, in operations on one lane each, that is emitted as straight-line code.
 * LLVM's time grows faster than the length of a block. A rare loop, beside the loop that runs most
 * iterations, gets less. */
enum { MOST_LANE_WORK = 1 << 16, MOST_RARE_WORK = 1 << 13, LEAST_PIECE = 4 };

/* Machines divide integers of 64 bits lane by lane; LLVM takes such a vector apart. */
enum { DIVISION = 16, CALL = 8 };

static bool add_work(void *data, Expr node) {
    bool is_division = node->op == OP_DIV || node->op == OP_MOD;
    bool is_call = node->op < OP_COUNT && op_info((Op)node->op)->traits & FINZ;
    *(int64_t *)data += is_division ? DIVISION : is_call ? CALL : 1;
    return false;
}

typedef struct LaneWork {
    Emitter *emitter;
    int64_t count;
} LaneWork;

static Expr add_expr_work(void *data, Expr expr) {
    LaneWork *work = data;
    emit_any_new_node(work->emitter, expr, add_work, &work->count);
    return expr;
}

/* The operations of the body in each lane: each distinct node once. */
static int64_t work_of(Emitter *e, const Block *body) {
    LaneWork work = {.emitter = e};
    e->search++;
    block_map_exprs((Block *)body, add_expr_work, &work); /* nothing is changed in it */
    return work.count;
}

/* ---- the loop ---- */

static void emit_piece(Emitter *e, const Stmt *loop, LLVMValueRef first, unsigned count) {
    Symbol binder = loop->loop.binder;
    e->lanes = (Lanes){.count = count > 1 ? count : 0};
    e->frame.is_hot = true;
    profile_lanes(e, e->lanes.count);
    Where around = e->frame.where;
    map_put(&e->variables, binder, first);
    debug_variable(e, binder, INDEX, first);
    if (count > 1)
        map_put(&e->affine_variables, binder, affine_begin(e, first));
    e->loop_depth++;
    e->statements(e, &loop->loop.body);
    interleave_flush_groups(e);
    e->loop_depth--;
    map_put(&e->variables, binder, NULL);
    map_put(&e->affine_variables, binder, NULL);
    e->lanes = (Lanes){0};
    debug_leave(e, around);
}

/* A loop over pieces, from `minimum` up to `end`. There is at least one. */
static void emit_loop_of_pieces(Emitter *e, const Stmt *loop, LLVMValueRef minimum, int64_t length,
                                unsigned lanes) {
    interleave_flush(e);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef body = emit_block(e, loop->loop.binder->text), done = emit_block(e, "done");
    LLVMValueRef end = emit_index_add(e, minimum, emit_index_constant(e, length));
    LLVMBuildBr(e->builder, body);
    LLVMPositionBuilderAtEnd(e->builder, body);
    LLVMValueRef first = LLVMBuildPhi(e->builder, e->i64, loop->loop.binder->text);
    emit_piece(e, loop, first, lanes);
    interleave_flush(e);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next =
        LLVMBuildNSWAdd(e->builder, first, emit_index_constant(e, (int64_t)lanes), "");
    LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, end, "");
    LLVMBuildCondBr(e->builder, more, body, done);
    LLVMAddIncoming(first, (LLVMValueRef[]){minimum, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    emit_resume(e, done);
}

bool emit_vectorized(Emitter *e, const Stmt *loop) {
    int64_t length;
    if (loop->loop.traversal != TRAVERSE_VECTORIZED || e->lanes.count ||
        !expr_constant_integer(loop->loop.interval.length, &length) || length < 2 ||
        length > LONGEST_VECTORIZED || !can_widen(e, loop))
        return false;
    int64_t work = work_of(e, &loop->loop.body), at = 0;
    int64_t limit = e->rare ? MOST_RARE_WORK : MOST_LANE_WORK;
    unsigned most = MAX_LANES;
    while (most > LEAST_PIECE && work * most > limit)
        most /= 2;
    if (length <= most)
        most = pressure_lanes(e, loop, (unsigned)length);
    LLVMValueRef minimum = emit_expr(e, loop->loop.interval.minimum);
    emit_forget(e);
    if (length >= 2 * most && work * length > limit) {
        at = length - length % most;
        emit_loop_of_pieces(e, loop, minimum, at, most);
    }
    for (; at < length; at += most) {
        int64_t rest = length - at;
        LLVMValueRef first = emit_index_add(e, minimum, emit_index_constant(e, at));
        emit_piece(e, loop, first, rest < most ? (unsigned)rest : most);
    }
    return true;
}

/* ---- branches ---- */

/* Is a condition on indices true in all lanes, in any lane? */
typedef struct LaneCoverage {
    LLVMValueRef all, any;
} LaneCoverage;

/* Handles a < b and a <= b if a - b is monotone in the lanes. The lanes that satisfy the condition
 * are then the first ones, or the last ones. */
static bool find_coverage(Emitter *e, Expr condition, LaneCoverage *coverage) {
    if ((condition->op != OP_LT && condition->op != OP_LE) ||
        !type_is_index(condition->arguments[0]->type))
        return false;
    AffineLanes sides[2];
    bool is_moving = false;
    for (int i = 0; i < 2; i++) {
        emit_prepare(e, condition->arguments[i]);
        if (!affine_operand(e, condition->arguments[i], &sides[i]))
            return false;
        is_moving |= affine_of(e, condition->arguments[i]) != NULL;
    }
    bool rises = sides[0].least >= sides[1].most, falls = sides[0].most <= sides[1].least;
    if (!is_moving || (!rises && !falls))
        return false;
    LLVMValueRef first =
        emit_operator(e, condition, (LLVMValueRef[]){sides[0].first, sides[1].first});
    LLVMValueRef last = emit_operator(e, condition, (LLVMValueRef[]){sides[0].last, sides[1].last});
    *coverage = rises ? (LaneCoverage){.all = last, .any = first}
                      : (LaneCoverage){.all = first, .any = last};
    return true;
}

/* Returns the lanes of `around` (null: all) in which `condition` holds, or does not hold. */
static LLVMValueRef narrow_mask(Emitter *e, LLVMValueRef around, LLVMValueRef condition,
                                bool holds) {
    if (!holds)
        condition = LLVMBuildNot(e->builder, condition, "");
    return around ? LLVMBuildAnd(e->builder, around, condition, "") : condition;
}

/* Emits the block under the mask, skipped if no lane runs. */
static void emit_masked(Emitter *e, const Block *block, LLVMValueRef mask) {
    if (!block->first)
        return;
    LLVMBasicBlockRef some = emit_block(e, "some"), none = emit_block(e, "none");
    LLVMValueRef around = e->lanes.mask;
    LLVMBuildCondBr(e->builder, emit_intrinsic(e, "llvm.vector.reduce.or", &mask, 1), some, none);
    LLVMPositionBuilderAtEnd(e->builder, some);
    e->lanes.mask = mask;
    e->statements(e, block);
    interleave_flush(e);
    e->lanes.mask = around;
    LLVMBuildBr(e->builder, none);
    LLVMPositionBuilderAtEnd(e->builder, none);
}

/* Branches to `done` after code for the case that the condition holds in all lanes, or (without
 * else branch) in none. Otherwise continues. */
static void emit_unmasked(Emitter *e, const Stmt *stmt, const LaneCoverage *coverage,
                          LLVMBasicBlockRef done) {
    LLVMBasicBlockRef all = emit_block(e, "all"), rest = emit_block(e, "rest");
    LLVMBuildCondBr(e->builder, coverage->all, all, rest);
    emit_forget(e);
    LLVMPositionBuilderAtEnd(e->builder, all);
    e->statements(e, &stmt->branch.body);
    interleave_flush(e);
    LLVMBuildBr(e->builder, done);
    LLVMPositionBuilderAtEnd(e->builder, rest);
    if (stmt->branch.otherwise.first)
        return;
    LLVMBasicBlockRef part = emit_block(e, "part");
    LLVMBuildCondBr(e->builder, coverage->any, part, done);
    LLVMPositionBuilderAtEnd(e->builder, part);
}

static bool emit_branch(Emitter *e, const Stmt *stmt) {
    LLVMValueRef around = e->lanes.mask;
    LaneCoverage coverage;
    /* If masks are cheap, rare iterations need no version for all lanes. */
    bool is_short = e->rare && e->target->has_avx512;
    bool is_covered = !around && !is_short && find_coverage(e, stmt->branch.condition, &coverage);
    if (!is_covered && emit_lane_count(emit_expr(e, stmt->branch.condition)) == 1)
        return false;
    LLVMBasicBlockRef done = emit_block(e, "fi");
    interleave_flush(e);
    if (is_covered)
        emit_unmasked(e, stmt, &coverage, done);
    LLVMValueRef condition = emit_splat(e, emit_expr(e, stmt->branch.condition), e->lanes.count);
    emit_forget(e);
    LLVMValueRef yes = narrow_mask(e, around, condition, true);
    LLVMValueRef no = narrow_mask(e, around, condition, false);
    emit_masked(e, &stmt->branch.body, yes);
    emit_masked(e, &stmt->branch.otherwise, no);
    LLVMBuildBr(e->builder, done);
    emit_resume(e, done);
    return true;
}

/* ---- lets and stores ---- */

static bool emit_let(Emitter *e, const Stmt *stmt) {
    Symbol binder = stmt->let.binder;
    LLVMValueRef value = emit_expr(e, stmt->let.value);
    map_put(&e->affine_variables, binder, affine_of(e, stmt->let.value));
    map_put(&e->variables, binder, value);
    emit_forget(e);
    const AffineLanes *affine = affine_of(e, stmt->let.value);
    debug_variable(e, binder, stmt->let.value->type, affine ? affine->first : value);
    e->statements(e, &stmt->let.body);
    map_put(&e->variables, binder, NULL);
    map_put(&e->affine_variables, binder, NULL);
    return true;
}

typedef struct StoreReads {
    Arena *arena;
    Exprs accesses;
} StoreReads;

static bool collect_access(void *data, Expr node) {
    StoreReads *reads = data;
    if (node->op == OP_ACCESS)
        vec_push(reads->arena, &reads->accesses, node);
    return false;
}

static bool is_access(void *data, Expr node) {
    (void)data;
    return node->op == OP_ACCESS;
}

/* Returns the condition that all clamped indices of the statement's reads are straight; null if
 * there are none. Indices that contain reads are left alone. The other reads are emitted here, so
 * both versions share them. */
static LLVMValueRef test_straight(Emitter *e, const Stmt *stmt) {
    StoreReads reads = {.arena = e->arena};
    for (int c = 0; c < stmt->store.func->components; c++)
        emit_any_node(e, stmt->store.values[c], collect_access, &reads);
    LLVMValueRef result = NULL;
    e->tests++;
    for (size_t i = 0; i < reads.accesses.length; i++) {
        Expr access = reads.accesses.data[i];
        bool has_reads = false;
        for (int d = 0; d < access->arity; d++)
            has_reads |= emit_any_node(e, access->arguments[d], is_access, NULL);
        if (has_reads)
            continue;
        for (int d = 0; d < access->arity; d++)
            emit_prepare(e, access->arguments[d]);
        LLVMValueRef test = access_test_straight(e, access->arguments, access->arity, e->tests);
        if (!test)
            emit_prepare(e, access);
        else
            result = result ? LLVMBuildAnd(e->builder, result, test, "") : test;
    }
    return result;
}

/* Branches to `done` after one version; returns its last block. */
static LLVMBasicBlockRef emit_version(Emitter *e, const Stmt *stmt, LLVMBasicBlockRef version,
                                      LLVMBasicBlockRef done, unsigned test, LLVMValueRef *values) {
    size_t known = e->known.length;
    LLVMPositionBuilderAtEnd(e->builder, version);
    e->lanes.straight = test;
    profile_border(e, !test);
    emit_stored_values(e, stmt, values);
    profile_border(e, false);
    e->lanes.straight = 0;
    emit_forget_since(e, known);
    LLVMBuildBr(e->builder, done);
    return LLVMGetInsertBlock(e->builder);
}

/* Emits the pending stores that the statement's reads may alias. This precedes the versions,
 * because only one of them runs. */
static bool settle_access(void *data, Expr node) {
    Emitter *e = data;
    const Memref *memrefs = node->op == OP_ACCESS ? map_get(&e->memrefs, node->name) : NULL;
    if (memrefs)
        interleave_settle(e, &memrefs[node->component], NULL, 0, false);
    return false;
}

/* Emits the values in two versions, and stores them once. */
static bool emit_store_statement(Emitter *e, const Stmt *stmt) {
    int count = stmt->store.func->components;
    /* Masked-off lanes are nearly always beyond an edge, where indices are clamped. */
    LLVMValueRef straight = e->lanes.mask || e->rare ? NULL : test_straight(e, stmt);
    if (!straight)
        return false;
    LLVMValueRef *values[2];
    LLVMBasicBlockRef from[2], dense = emit_block(e, "dense"), border = emit_block(e, "border"),
                               done = emit_block(e, "values");
    for (int i = 0; i < 2; i++)
        values[i] = arena_array(e->arena, LLVMValueRef, count);
    for (int c = 0; c < count; c++)
        emit_any_node(e, stmt->store.values[c], settle_access, e);
    LLVMBuildCondBr(e->builder, straight, dense, border);
    from[0] = emit_version(e, stmt, dense, done, e->tests, values[0]);
    from[1] = emit_version(e, stmt, border, done, 0, values[1]);
    emit_resume(e, done);
    for (int c = 0; c < count; c++) {
        LLVMValueRef merged = LLVMBuildPhi(e->builder, LLVMTypeOf(values[0][c]), "");
        LLVMAddIncoming(merged, (LLVMValueRef[]){values[0][c], values[1][c]}, from, 2);
        values[0][c] = merged;
    }
    emit_stores(e, stmt, values[0]);
    emit_forget(e);
    return true;
}

bool emit_vector_statement(Emitter *e, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_IF:
        return emit_branch(e, stmt);
    case STMT_LET:
        return emit_let(e, stmt);
    case STMT_STORE:
        return emit_store_statement(e, stmt);
    case STMT_FOR:
        return emit_hoisted(e, stmt);
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_COMPUTE:
    case STMT_LABEL:
    case STMT_PREFETCH:
        return false;
    }
    return false;
}
