/* partition.c -- PASS_PARTITION: splits loops into prologue, steady state and epilogue.  The steady
 * state has none of the tests that the solver could remove from it.
 *
 *     for x in (0, n) do                       let x.begin = max(min(1, n), 0) in
 *       out[x] <- in[max(x - 1, 0)]     =>       for x'2 in (0, x.begin) do
 *                                                  out[x'2] <- in[max(x'2 - 1, 0)]
 *                                                for x in (x.begin, n - x.begin) do
 *                                                  out[x] <- in[x - 1]
 *
 * A loop whose body is one `if` (and lets) is trimmed before.  The iterations in which the
 * condition cannot hold are dropped, and need no copy.
 *
 * Which loops.  Serial loops of at least LEAST_ITERATIONS in a typical run without such a loop
 * inside: the innermost ones, whose tests run most often.  So no statement has more than three
 * copies, and the program at most three times its code.  A loop with such a loop inside is split
 * for tests on lanes alone, such as the clamps of a loop over tiles: in each vector, such a test
 * makes a gather of a load.  Its prologue and epilogue hold the loops inside as they were, so it
 * adds two copies.  If there is no such loop either, a loop of at least LEAST_BLOCKS is split for
 * these tests, such as one over the vectors of a tile's row.
 *   A loop whose body runs short loops, together LEAST_ITERATIONS times, is not split for a clamp that
 * is the same in all of them, such as the one that moves a convolution's last block: the clamp costs
 * nothing beside them, and the copy for the last block is made as if it ran rarely.  An innermost
 * loop of at most LONGEST_SHORT iterations, a constant, counts as lanes do: a loop around is split for
 * its tests, so that it keeps its length and is unrolled (short.c).
 *   Vectorized and unrolled loops stay whole.  The loop around them is partitioned, so the vectors of
 * its steady state have no test in any lane.  Loops inside a vectorized one stay, because their
 * bounds are the same in all lanes.  Parallel loops stay.  Iterations of an unrolled loop count as
 * lanes: without tests, a transpose loads them as vectors.
 *
 * Why it is sound.  The iterations are the original ones, in the same order.  The ends are put in
 * order, min <= begin <= stop <= end, whatever the solver says.  In the steady state each removed
 * test had the outcome that replaces it (likely.c).  Prologue and epilogue are copies of the
 * original loop.  Nothing else changes: trimming drops only iterations that do nothing.  (A program
 * after PASS_CHECKS has no negative length that could be trimmed away.)
 *
 * One walk finds the limits of all loops.  Then loops are split, outermost first, so the copies are
 * of the original statements.  Then the statements of steady states get their new expressions.
 */
#include "lower/passes/partition.h"

#include "decide/decide.h"
#include "lower/passes/splice.h"

enum { LEAST_ITERATIONS = 8, LEAST_BLOCKS = 3, LONGEST_SHORT = 16 };

/* ---- which loops ---- */

typedef struct PartitionSurvey {
    Partitioner *partitioner;
    int vectorized;          /* loops around */
    bool misses;             /* the middle of a typical run lies beyond the end of a loop */
    bool leaves;             /* or beyond the end of an image */
    Vec(Partition *) around; /* null for loops that may not be partitioned */
} PartitionSurvey;

static SplitsFor splits_for(int64_t length) {
    return length >= LEAST_ITERATIONS ? SPLITS_FOR_ALL
           : length >= LEAST_BLOCKS   ? SPLITS_LAST
                                      : SPLITS_FOR_NONE;
}

static bool is_long(Partitioner *p, const Stmt *loop) {
    int64_t length;
    return typical_value(&p->typical, loop->loop.interval.length, &length) &&
           length >= LEAST_ITERATIONS;
}

/* Returns how often the body of the innermost serial loop runs in a run of this loop. */
static int64_t nest_length(const Partition *partition) {
    int64_t length = partition->to - partition->from + 1,
            inside = partition->inside > 1 ? partition->inside : 1;
    return length < 1 ? 1 : length > LEAST_ITERATIONS ? LEAST_ITERATIONS : length * inside;
}

static Partition *partition_create(Partitioner *p, Stmt *loop) {
    int64_t minimum, length;
    if (!typical_value(&p->typical, loop->loop.interval.minimum, &minimum) ||
        !typical_value(&p->typical, loop->loop.interval.length, &length))
        return NULL;
    Partition *partition = arena_new(p->arena, Partition);
    *partition = (Partition){.loop = loop,
                             .splits_for = splits_for(length),
                             .from = minimum,
                             .to = minimum + length - 1};
    map_put(&p->partitions, loop, partition);
    return partition;
}

static Expr survey_expr(void *data, Expr expr) {
    PartitionSurvey *survey = data;
    survey->leaves |= typical_fit(&survey->partitioner->typical, expr);
    return expr;
}

static bool survey_enter(void *data, Stmt *stmt) {
    PartitionSurvey *survey = data;
    Partitioner *p = survey->partitioner;
    if (stmt->kind == STMT_STORE)
        stmt_map_own_exprs(stmt, survey_expr, survey);
    if (stmt->kind == STMT_FOR || stmt->kind == STMT_LET)
        typical_bind(&p->typical, stmt);
    int64_t holds;
    if (stmt->kind == STMT_IF && stmt->branch.role == IF_GUARD &&
        typical_value(&p->typical, stmt->branch.condition, &holds))
        survey->misses |= !holds;
    if (stmt->kind != STMT_FOR)
        return true;
    bool is_serial = stmt->loop.traversal == TRAVERSE_SERIAL && !survey->vectorized;
    vec_push(p->arena, &survey->around, is_serial ? partition_create(p, stmt) : NULL);
    survey->vectorized += stmt->loop.traversal == TRAVERSE_VECTORIZED;
    return true;
}

/* A loop that may be split for all tests leaves those of lanes to the loops around it. */
static void survey_leave(void *data, Stmt *stmt) {
    PartitionSurvey *survey = data;
    if (stmt->kind != STMT_FOR)
        return;
    survey->vectorized -= stmt->loop.traversal == TRAVERSE_VECTORIZED;
    Partition *inner = survey->around.data[--survey->around.length];
    if (!inner)
        return;
    int64_t length;
    inner->is_short = inner->inside == 0 &&
                      expr_constant_integer(stmt->loop.interval.length, &length) &&
                      length <= LONGEST_SHORT;
    SplitsFor left = is_long(survey->partitioner, stmt)       ? SPLITS_FOR_LANES
                     : nest_length(inner) >= LEAST_ITERATIONS ? SPLITS_FOR_INNER
                                                              : SPLITS_FOR_ALL;
    for (size_t i = 0; i < survey->around.length; i++) {
        Partition *around = survey->around.data[i];
        if (around && around->splits_for > left)
            around->splits_for = left;
        if (around && around->inside < nest_length(inner))
            around->inside = nest_length(inner);
    }
}

/* Surveys the loops with outputs of this extent, or of a smaller one that fits.  Images that are
 * read beyond their end in the middle become larger.  Returns whether the middle lies beyond the end
 * of a loop. */
static bool survey_extent(Partitioner *p, Program *program, int64_t extent) {
    enum { MOST_FITTINGS = 4 };
    Map extents = map_create(p->arena);
    PartitionSurvey survey = {.leaves = true};
    for (int i = 0; survey.leaves && i <= MOST_FITTINGS; i++) {
        p->typical = typical_create(program, p->arena, extent);
        p->typical.extents = extents;
        survey = (PartitionSurvey){.partitioner = p};
        StmtVisitor surveying = {.data = &survey, .enter = survey_enter, .leave = survey_leave};
        block_visit(&program->body, &surveying);
        extents = p->typical.extents;
        extent = p->typical.fitted;
    }
    return survey.misses;
}

/* Surveys the loops.  Blocks of a constant size may be longer than a picture is wide; then the
 * images are longer, too. */
static void survey_loops(Partitioner *p, Program *program) {
    if (survey_extent(p, program, TYPICAL_EXTENT) && survey_extent(p, program, TYPICAL_LENGTH))
        survey_extent(p, program, TYPICAL_EXTENT);
}

/* ---- the walk ---- */

typedef struct LikelyRewriting {
    Partitioner *partitioner;
    Rewritten *rewritten;
    bool is_condition, is_changed;
} LikelyRewriting;

static Expr rewrite_expr(void *data, Expr expr) {
    LikelyRewriting *rewriting = data;
    Partitioner *p = rewriting->partitioner;
    Expr likely =
        rewriting->is_condition ? partition_likely_condition(p, expr) : partition_likely(p, expr);
    rewriting->is_changed |= likely != expr;
    p->is_length = rewriting->rewritten->stmt->kind == STMT_FOR; /* its length is the second one */
    vec_push(p->arena, &rewriting->rewritten->exprs, likely);
    return expr; /* it stays until the splitting */
}

static void rewrite_later(Partitioner *p, Stmt *stmt) {
    LikelyRewriting rewriting = {p, arena_new(p->arena, Rewritten), stmt->kind == STMT_IF, false};
    rewriting.rewritten->stmt = stmt;
    p->outcomes = map_create(p->arena);
    p->solved = map_create(p->arena);
    p->is_length = false;
    if (stmt->kind == STMT_IF && partition_trim(p, stmt)) {
        vec_push(p->arena, &rewriting.rewritten->exprs, expr_bool(p->program->pool, true));
        rewriting.is_changed = true;
    } else {
        stmt_map_own_exprs(stmt, rewrite_expr, &rewriting);
    }
    if (rewriting.is_changed)
        vec_push(p->arena, &p->rewritten, rewriting.rewritten);
}

static bool has_tests(const Stmt *stmt) {
    return stmt->kind == STMT_STORE || stmt->kind == STMT_IF || stmt->kind == STMT_FOR ||
           stmt->kind == STMT_LET;
}

static void learn_range(void *data, const Stmt *stmt) {
    Partitioner *p = data;
    bool is_loop = stmt->kind == STMT_FOR;
    Symbol name = is_loop ? stmt->loop.binder : stmt->let.binder;
    Type type = is_loop ? INDEX : stmt->let.value->type;
    if (!type_is_index(type))
        return;
    Expr variable = expr_variable(p->program->pool, name, type);
    simplifier_learn_range(p->ranges, name, simplify_interval(p->knowledge.simplifier, variable));
}

static bool opens_scope(const Stmt *stmt) {
    return stmt->kind == STMT_FOR || stmt->kind == STMT_LET;
}

static bool enter(void *data, Stmt *stmt) {
    Partitioner *p = data;
    knowledge_enter(&p->knowledge, stmt);
    if (p->around.length && has_tests(stmt))
        rewrite_later(p, stmt);
    knowledge_learn_statement(&p->knowledge, stmt);
    if (!opens_scope(stmt))
        return true;
    Partition *partition = map_get(&p->partitions, stmt);
    if (partition)
        partition->depth = p->around.length;
    size_t *depth = arena_new(p->arena, size_t);
    *depth = p->around.length;
    map_put(&p->depths, stmt->kind == STMT_FOR ? stmt->loop.binder : stmt->let.binder, depth);
    vec_push(p->arena, &p->around, stmt);
    return true;
}

/* ---- the ends ---- */

/* Returns the greatest of `least` and `end`, or with OP_MIN the least, without limits that are
 * implied. */
static Expr tightest(Partitioner *p, Op op, const Exprs *limits, int64_t offset, Expr end) {
    Pool *pool = p->program->pool;
    for (size_t i = 0; i < limits->length; i++) {
        Simplifier *simplifier = knowledge_simplifier(&p->knowledge);
        Expr limit = expr_add(pool, limits->data[i], expr_index(pool, offset));
        limit = knowledge_simplify(&p->knowledge, limit);
        bool counts = op == OP_MAX ? !decide_proves_le(simplifier, limit, end)
                                   : !decide_proves_le(simplifier, end, limit);
        if (counts)
            end = knowledge_simplify(&p->knowledge, expr_binary(pool, op, end, limit));
    }
    return end;
}

static Expr at_least(Partitioner *p, Expr expr, Expr minimum) {
    Exprs limits = {.data = &minimum, .length = 1};
    return tightest(p, OP_MAX, &limits, 0, expr);
}

static Expr at_most(Partitioner *p, Expr expr, Expr maximum) {
    Exprs limits = {.data = &maximum, .length = 1};
    return tightest(p, OP_MIN, &limits, 0, expr);
}

static Extent between(Partitioner *p, Expr first, Expr end) {
    Expr length = expr_sub(p->program->pool, end, first);
    return (Extent){first, knowledge_simplify(&p->knowledge, length)};
}

/* Returns the iterations that the predicate lets through, for later passes: the text no longer
 * shows them.  No interval if all are. */
static Extent find_predicate(Partitioner *p, const Partition *partition) {
    Extent whole = partition->loop->loop.interval;
    Expr after = expr_add(p->program->pool, whole.minimum, whole.length);
    Expr first = tightest(p, OP_MAX, &partition->predicate.least, 0, whole.minimum);
    Expr end = tightest(p, OP_MIN, &partition->predicate.most, 1, after);
    return first == whole.minimum && end == after ? (Extent){0}
                                                  : between(p, first, at_least(p, end, first));
}

static void find_ends(Partitioner *p, Partition *partition) {
    Extent whole = partition->loop->loop.interval;
    Expr minimum = whole.minimum, after = expr_add(p->program->pool, minimum, whole.length);
    Expr first = tightest(p, OP_MAX, &partition->alive.least, 0, minimum);
    Expr end = tightest(p, OP_MIN, &partition->alive.most, 1, after);
    if (first != minimum || end != after)
        end = at_least(p, end, first);
    Expr begin = tightest(p, OP_MAX, &partition->steady.least, 0, first);
    if (begin != first)
        begin = at_most(p, begin, end);
    Expr stop = tightest(p, OP_MIN, &partition->steady.most, 1, end);
    bool may_cross =
        stop != end && !decide_proves_le(knowledge_simplifier(&p->knowledge), begin, stop);
    partition->ends = (LoopEnds){first, begin, stop, end, may_cross};
    partition->let_through = find_predicate(p, partition);
    partition->is_changed = first != minimum || begin != first || stop != after;
    if (partition->is_changed)
        vec_push(p->arena, &p->changed, partition);
    bool has_before = begin != first, has_after = stop != end;
    p->counts.loops++;
    p->counts.changed += partition->is_changed;
    p->counts.trimmed += first != minimum || end != after;
    p->counts.prologues += has_before;
    p->counts.epilogues += has_after;
    p->counts.both += has_before && has_after;
}

static void leave(void *data, Stmt *stmt) {
    Partitioner *p = data;
    knowledge_leave(&p->knowledge, stmt);
    if (!opens_scope(stmt))
        return;
    p->around.length--;
    Partition *partition = map_get(&p->partitions, stmt);
    if (partition)
        find_ends(p, partition);
}

/* ---- splitting ---- */

/* Copies the original loop, for the few iterations that are not in the steady state. */
static Stmt *copy_loop(Program *program, const Stmt *loop) {
    Stmt *copy = splice_copy_loop(program, loop);
    copy->loop.rare = true;
    return copy;
}

/* Puts the statement into the body of a new let.  Returns the let's variable. */
static Expr wrap_in_let(Program *program, Stmt *inside, const char *name, Expr value) {
    Stmt *let = stmt_create(program, STMT_LET, inside->place);
    let->let.binder = symbol_fresh(&program->pool->context->symbols, name);
    let->let.value = value;
    stmt_insert_before(inside, let);
    stmt_unlink(inside);
    block_append(&let->let.body, inside);
    return expr_variable(program->pool, let->let.binder, INDEX);
}

static void split(Partitioner *p, const Partition *partition) {
    Program *program = p->program;
    Pool *pool = program->pool;
    Stmt *loop = partition->loop;
    LoopEnds ends = partition->ends;
    const char *name = loop->loop.binder->text;
    loop->loop.predicate = partition->let_through;
    Stmt *before = ends.begin != ends.first ? copy_loop(program, loop) : NULL;
    Stmt *after = ends.stop != ends.end ? copy_loop(program, loop) : NULL;
    if (before) {
        const char *begin = arena_format(p->arena, "%s.begin", name);
        ends.begin = wrap_in_let(program, loop, begin, ends.begin);
        before->loop.interval = between(p, ends.first, ends.begin);
        stmt_insert_before(loop, before);
    }
    if (after) {
        const char *stop = arena_format(p->arena, "%s.stop", name);
        Expr value = ends.may_cross ? expr_max(pool, ends.stop, ends.begin) : ends.stop;
        ends.stop = wrap_in_let(program, loop, stop, value);
        after->loop.interval = between(p, ends.stop, ends.end);
        stmt_insert_after(loop, after);
    }
    loop->loop.interval = between(p, ends.begin, ends.stop);
}

/* ---- the statements of steady states ---- */

static Expr take_next(void *data, Expr expr) {
    Rewritten *rewritten = data;
    (void)expr;
    return *rewritten->exprs.data++;
}

/* A loop with new ends keeps them. */
static void rewrite(Partitioner *p, Rewritten *rewritten) {
    const Partition *partition = map_get(&p->partitions, rewritten->stmt);
    if (!partition || !partition->is_changed)
        stmt_map_own_exprs(rewritten->stmt, take_next, rewritten);
}

typedef struct Settling {
    Partitioner *partitioner;
    Substitution only;
} Settling;

static Expr settle_expr(void *data, Expr expr) {
    Settling *settling = data;
    Pool *pool = settling->partitioner->program->pool;
    Expr settled = substitution_apply(pool, &settling->only, expr);
    return settled == expr ? expr : simplify(settling->partitioner->ranges, settled);
}

/* In a loop that has come to a single iteration, replaces the variable by its value.  So places in
 * a ring become constants (`(y - y0) % 4`, where y is y0 + 4*i + 2). */
static void settle(Partitioner *p, Stmt *stmt) {
    int64_t length;
    if (stmt->kind != STMT_FOR || !expr_constant_integer(stmt->loop.interval.length, &length) ||
        length != 1)
        return;
    Settling settling = {p, substitution_create(p->arena)};
    substitution_add(&settling.only, stmt->loop.binder, stmt->loop.interval.minimum);
    block_map_exprs(&stmt->loop.body, settle_expr, &settling);
}

static bool is_decided(const Stmt *stmt) {
    return stmt->kind == STMT_IF && expr_is_constant(stmt->branch.condition);
}

static void learn_startup(Partitioner *p, Symbol name, int64_t least, int64_t most) {
    const ConstantInterval interval = {true, true, least, most};
    simplifier_learn_range(p->ranges, name, interval);
    simplifier_learn_range(knowledge_simplifier(&p->knowledge), name, interval);
}

static void learn_buffer(Partitioner *p, Symbol buffer, int dimensions) {
    Pool *pool = p->program->pool;
    for (int d = 0; d < dimensions; d++) {
        learn_startup(p, expr_buffer_field(pool, buffer, FIELD_MINIMUM, d)->name, INT32_MIN,
                      (int64_t)INT32_MAX + 1);
        learn_startup(p, expr_buffer_field(pool, buffer, FIELD_EXTENT, d)->name, 0, INT32_MAX);
        if (!p->program->signature->windows)
            continue;
        Extent domain = signature_domain(p->program->signature, pool, buffer, d);
        learn_startup(p, domain.minimum->name, INT32_MIN, (int64_t)INT32_MAX + 1);
        learn_startup(p, domain.length->name, 0, INT32_MAX);
    }
}

/* Learns the entry's assertions, which hold before any loop, as limits for intervals. */
static void learn_entry(Partitioner *p) {
    const Signature *signature = p->program->signature;
    for (size_t i = 0; i < signature->images.length; i++)
        learn_buffer(p, signature->images.data[i].name, signature->images.data[i].dimensions);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *func = signature_func(signature, signature->outputs.data[i].func);
        learn_buffer(p, func->name, func->dimensions);
    }
    for (size_t i = 0; i < signature->parameters.length; i++) {
        const Parameter *parameter = &signature->parameters.data[i];
        if (parameter->has_range && type_is_machine_integer(parameter->type) &&
            parameter->type.bits <= 32)
            learn_startup(p, parameter->name, parameter->lower, parameter->upper);
    }
}

PartitionCounts lower_partition(Program *program, Arena *arena) {
    Partitioner p = {.program = program,
                     .arena = arena,
                     .knowledge = knowledge_create(program, arena),
                     .ranges = simplifier_create(program->pool, arena),
                     .partitions = map_create(arena),
                     .depths = map_create(arena)};
    p.knowledge.on_binder = learn_range;
    p.knowledge.data = &p;
    learn_entry(&p);
    survey_loops(&p, program);
    StmtVisitor partitioning = {.data = &p, .enter = enter, .leave = leave};
    block_visit(&program->body, &partitioning);
    for (size_t i = p.changed.length; i-- > 0;)
        split(&p, p.changed.data[i]);
    for (size_t i = 0; i < p.rewritten.length; i++)
        rewrite(&p, p.rewritten.data[i]);
    for (size_t i = 0; i < p.rewritten.length; i++)
        settle(&p, p.rewritten.data[i]->stmt);
    for (size_t i = p.rewritten.length; i-- > 0;)
        if (is_decided(p.rewritten.data[i]->stmt))
            splice_branch(p.rewritten.data[i]->stmt);
    splice_register(program);
    return p.counts;
}
