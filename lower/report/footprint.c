/* footprint.c -- the most memory that is live at one time.
 *
 * Two steps.  First each allocate statement gets its bytes: its lengths, with the loops around
 * eliminated, each over its whole range (region.h), outermost first.  Then the peak is computed
 * from the inside out.  In a block, allocations stay to the end, and one statement's own peak at a
 * time is added to them:
 *
 *     peak(s1; ..; sn) = the greatest of: live before si, plus peak(si)
 *     peak(if)         = the greater of the branches'
 *     peak(for)        = the body's
 *
 * Allocations inside parallel loops count once for each iteration that can run at the same time.
 * For all parallel loops together that is at most min(threads, iterations), since each iteration
 * runs in its own thread.  A parallel loop inside another runs in its thread; if the outer loop has
 * a single iteration, the inner one takes its place (runtime.md).
 *
 * The memory that code generation keeps on the stack (storage.h) is found by the same limits.
 * There slots are shared; here none are.  So a function that keeps too much by this count is taken
 * to keep nothing on the stack.
 */
#include "lower/report/footprint.h"

#include "ir/storage.h"
#include "lower/passes/lets.h"
#include "lower/passes/storage.h"

#include <inttypes.h>

typedef struct FootprintMeasure {
    const Program *program;
    Pool *pool;
    Arena *arena;
    Simplifier *simplifier;
    Ranges ranges; /* eliminates loops */
    Footprint *footprint;
    Lets lets;
    Vec(const Stmt *) parallel; /* the parallel loops around, outermost first */
    Vec(Expr) iterations;       /* of each with those around it; null: not known */
    Map counts;                 /* Symbol of a func -> number of its allocate statements */
} FootprintMeasure;

/* ---- the memory of each statement ---- */

/* Returns the greatest value over all iterations around; null if there is no limit. */
static Expr most(FootprintMeasure *measuring, Expr expr) {
    return ranges_of(&measuring->ranges, lets_expand(&measuring->lets, expr)).upper;
}

static void bind_loop(FootprintMeasure *measuring, const Stmt *loop) {
    Pool *pool = measuring->pool;
    Extent interval = lets_expand_interval(&measuring->lets, loop->loop.interval);
    if (loop->loop.traversal == TRAVERSE_PARALLEL) {
        Expr count = most(measuring, interval.length);
        size_t outer = measuring->parallel.length;
        if (outer && count)
            count = measuring->iterations.data[outer - 1]
                        ? expr_mul(pool, measuring->iterations.data[outer - 1], count)
                        : NULL;
        vec_push(measuring->arena, &measuring->parallel, loop);
        vec_push(measuring->arena, &measuring->iterations, count);
    }
    lets_bind_range(&measuring->ranges, loop->loop.binder, interval);
}

/* Returns the product of the lengths, each at its greatest and at least 0; null if one has no
 * limit. */
static Expr count_bytes(FootprintMeasure *measuring, const Stmt *allocate) {
    Pool *pool = measuring->pool;
    const FuncShape *shape = allocate->allocate.func;
    Expr bytes = expr_index(pool, shape_bytes(shape));
    for (int d = shape->dimensions; d-- > 0;) {
        Expr length = most(measuring, allocate->allocate.intervals[d].length);
        if (!length)
            return NULL;
        length = simplify(measuring->simplifier, expr_max(pool, length, expr_index(pool, 0)));
        bytes = expr_mul(pool, length, bytes);
    }
    return simplify(measuring->simplifier, bytes);
}

/* Returns the condition that the box of an output's memory is not its window. */
static Expr is_staged(FootprintMeasure *measuring, const Stmt *allocate) {
    Pool *pool = measuring->pool;
    const FuncShape *shape = allocate->allocate.func;
    Expr staged = expr_bool(pool, false);
    for (int d = 0; d < shape->dimensions; d++) {
        const Extent *interval = &allocate->allocate.intervals[d];
        Expr ends[2] = {lets_expand(&measuring->lets, interval->minimum),
                        lets_expand(&measuring->lets, interval->length)};
        for (int e = 0; e < 2; e++) {
            Expr window = expr_buffer_field(pool, shape->name, e ? FIELD_EXTENT : FIELD_MINIMUM, d);
            Expr differs = expr_unary(pool, OP_NOT, expr_eq(pool, ends[e], window));
            staged = expr_or(pool, staged, differs);
        }
    }
    return simplify(measuring->simplifier, staged);
}

static Symbol name_of(FootprintMeasure *measuring, const FuncShape *shape) {
    intptr_t number = (intptr_t)map_get(&measuring->counts, shape->name) + 1;
    map_put(&measuring->counts, shape->name, (void *)number);
    if (number == 1)
        return shape->name;
    return context_symbol(measuring->pool->context, arena_format(measuring->arena, "%s'%" PRIdPTR,
                                                                 shape->name->text, number));
}

/* Is each component small enough for the stack? */
static bool is_small(const Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    int64_t elements = 1, length;
    if (allocate->allocate.storage->memory != MEMORY_AUTOMATIC)
        return allocate->allocate.storage->memory != MEMORY_HEAP;
    for (int d = 0; d < shape->dimensions; d++)
        if ((length = storage_longest(allocate->allocate.intervals[d].length)) < 1 ||
            __builtin_mul_overflow(elements, length, &elements))
            return false;
    for (int c = 0; c < shape->components; c++)
        if (elements > LARGEST_ON_STACK / type_bytes(shape->types[c]))
            return false;
    return !shape->is_output;
}

static void add_holding(FootprintMeasure *measuring, const Stmt *allocate) {
    const FuncShape *shape = allocate->allocate.func;
    if (allocate->allocate.storage->table)
        return; /* a table is a part of the code */
    Holding holding = {.allocate = allocate,
                       .bytes = count_bytes(measuring, allocate),
                       .stacked = is_small(allocate)};
    if (measuring->parallel.length) {
        size_t innermost = measuring->parallel.length - 1;
        holding.parallel = measuring->parallel.data[innermost];
        holding.iterations = measuring->iterations.data[innermost];
    }
    if (shape->is_output) {
        holding.staged = is_staged(measuring, allocate);
        if (expr_is_false(holding.staged))
            return;
        if (expr_is_true(holding.staged))
            holding.staged = NULL;
    }
    holding.name = name_of(measuring, shape);
    vec_push(measuring->arena, &measuring->footprint->holdings, holding);
}

/* Do all later statements run only if this statement has run?  They do if its block is the
 * program's own, or that of a let, or the only branch of an if, that ends such a block. */
static bool is_passed(const Stmt *stmt) {
    for (const Stmt *owner = stmt->block->owner; owner; owner = owner->block->owner)
        if (owner->next ||
            (owner->kind != STMT_LET && (owner->kind != STMT_IF || owner->branch.otherwise.first)))
            return false;
    return true;
}

static void learn(FootprintMeasure *measuring, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSERT && is_passed(stmt))
        simplifier_learn(measuring->simplifier,
                         lets_expand(&measuring->lets, stmt->assertion.condition));
    if (stmt->kind == STMT_IF && is_passed(stmt) && !stmt->next && !stmt->branch.otherwise.first)
        simplifier_learn(measuring->simplifier,
                         lets_expand(&measuring->lets, stmt->branch.condition));
}

static bool enter_first(void *data, Stmt *stmt) {
    FootprintMeasure *measuring = data;
    learn(measuring, stmt);
    if (stmt->kind == STMT_FOR)
        bind_loop(measuring, stmt);
    else if (stmt->kind == STMT_LET)
        lets_bind(&measuring->lets, stmt->let.binder, stmt->let.value);
    else if (stmt->kind == STMT_ALLOCATE)
        add_holding(measuring, stmt);
    return true;
}

static void leave_first(void *data, Stmt *stmt) {
    FootprintMeasure *measuring = data;
    if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_PARALLEL)
        measuring->iterations.length = --measuring->parallel.length;
}

/* ---- on the stack ---- */

static int64_t stack_bytes(const Holding *holding) {
    enum { ALIGNMENT = 64 };
    const FuncShape *shape = holding->allocate->allocate.func;
    int64_t bytes = 0;
    expr_constant_integer(holding->bytes, &bytes);
    return bytes + (int64_t)(ALIGNMENT + 2 * OBJECT_PADDING) * shape->components;
}

/* Functions that would keep more than the limit on the stack are taken to keep nothing there. */
static void limit_stacks(FootprintMeasure *measuring) {
    Map totals = map_create(measuring->arena); /* function -> bytes; null stands for the program */
    Footprint *footprint = measuring->footprint;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < footprint->holdings.length; i++) {
            Holding *holding = &footprint->holdings.data[i];
            const void *function = storage_function(holding->allocate);
            function = function ? function : measuring->program;
            intptr_t total = (intptr_t)map_get(&totals, function);
            if (holding->allocate->allocate.storage->memory != MEMORY_AUTOMATIC)
                continue;
            if (pass == 0 && holding->stacked)
                map_put(&totals, function, (void *)(total + (intptr_t)stack_bytes(holding)));
            else if (pass == 1)
                holding->stacked &= total <= STACK_OF_FUNCTION;
        }
}

/* ---- the peak ---- */

/* An open block, and the memory of its current statement. */
typedef struct Level {
    Expr live, peak, inside;
} Level;

typedef struct Peak {
    FootprintMeasure *measuring;
    Pool *pool;
    Vec(Level) levels;
    size_t next; /* the next holding */
    bool unknown;
} Peak;

static void raise_peak(Peak *peak, Expr candidate) {
    Level *level = &peak->levels.data[peak->levels.length - 1];
    int64_t nothing;
    if (level->peak == candidate || (expr_constant_integer(candidate, &nothing) && nothing == 0))
        return;
    bool is_first = expr_constant_integer(level->peak, &nothing) && nothing == 0;
    level->peak = is_first || level->peak == level->live
                      ? candidate
                      : expr_max(peak->pool, level->peak, candidate);
}

/* Multiplies the holding by the number of iterations around that run at once. */
static Expr in_all_iterations(const Peak *peak, const Holding *holding) {
    Expr bytes = expr_variable(peak->pool, holding->name, INDEX);
    if (!holding->parallel)
        return bytes;
    Expr threads = expr_variable(peak->pool, peak->measuring->footprint->threads, INDEX);
    Expr at_once =
        holding->iterations ? expr_min(peak->pool, threads, holding->iterations) : threads;
    return expr_mul(peak->pool, at_once, bytes);
}

static void take(Peak *peak, const Stmt *allocate) {
    const Footprint *footprint = peak->measuring->footprint;
    if (peak->next == footprint->holdings.length ||
        footprint->holdings.data[peak->next].allocate != allocate)
        return;
    const Holding *holding = &footprint->holdings.data[peak->next++];
    peak->unknown |= !holding->bytes;
    if (holding->stacked)
        return;
    Level *level = &peak->levels.data[peak->levels.length - 1];
    Expr more = expr_add(peak->pool, level->live, in_all_iterations(peak, holding));
    raise_peak(peak, more);
    level->live = more;
}

static bool enter_second(void *data, Stmt *stmt) {
    Peak *peak = data;
    Expr zero = expr_index(peak->pool, 0);
    if (!stmt->previous)
        vec_push(peak->measuring->arena, &peak->levels, (Level){zero, zero, zero});
    peak->levels.data[peak->levels.length - 1].inside = zero;
    if (stmt->kind == STMT_ALLOCATE)
        take(peak, stmt);
    return true;
}

static void leave_second(void *data, Stmt *stmt) {
    Peak *peak = data;
    Level *level = &peak->levels.data[peak->levels.length - 1];
    Expr inside = level->inside;
    int64_t nothing;
    bool is_empty = expr_constant_integer(inside, &nothing) && nothing == 0;
    if (!is_empty)
        raise_peak(peak, expr_add(peak->pool, level->live, inside));
    if (stmt->next)
        return;
    Expr whole = level->peak;
    if (--peak->levels.length == 0) {
        peak->measuring->footprint->peak = whole;
        return;
    }
    Level *outer = &peak->levels.data[peak->levels.length - 1];
    bool other = !(expr_constant_integer(outer->inside, &nothing) && nothing == 0);
    outer->inside = other ? expr_max(peak->pool, outer->inside, whole) : whole;
}

static Symbol threads_symbol(const Program *program) {
    Context *context = program->pool->context;
    const char *text = "threads";
    const Signature *signature = program->signature;
    Symbol symbol = context_symbol(context, text);
    while (signature_parameter(signature, symbol) || signature_func(signature, symbol))
        symbol = context_symbol(context, text = arena_format(context->arena, "%s_", text));
    return symbol;
}

/* Replaces the names of the holdings by their bytes. */
static Expr in_startup_variables(FootprintMeasure *measuring) {
    const Footprint *footprint = measuring->footprint;
    Pool *pool = measuring->pool;
    Substitution substitution = substitution_create(measuring->arena);
    for (size_t i = 0; i < footprint->holdings.length; i++) {
        const Holding *holding = &footprint->holdings.data[i];
        Expr bytes = holding->bytes;
        if (holding->staged)
            bytes = expr_select(pool, holding->staged, bytes, expr_index(pool, 0));
        substitution_add(&substitution, holding->name, bytes);
    }
    return substitution_apply(pool, &substitution, footprint->peak);
}

static void find_peak(FootprintMeasure *measuring) {
    Footprint *footprint = measuring->footprint;
    Pool *pool = measuring->pool;
    Peak peak = {.measuring = measuring, .pool = pool};
    StmtVisitor visitor = {.data = &peak, .enter = enter_second, .leave = leave_second};
    footprint->peak = expr_index(pool, 0);
    block_visit((Block *)&measuring->program->body, &visitor);
    if (peak.unknown) {
        footprint->peak = NULL;
        return;
    }
    Expr zero = expr_index(pool, 0);
    for (size_t i = 0; i < footprint->holdings.length; i++)
        simplifier_learn(
            measuring->simplifier,
            expr_le(pool, zero, expr_variable(pool, footprint->holdings.data[i].name, INDEX)));
    footprint->peak = simplify(measuring->simplifier, footprint->peak);
    footprint->bytes = in_startup_variables(measuring);
}

Footprint footprint_of(const Program *program, Arena *arena) {
    Footprint footprint = {.threads = threads_symbol(program)};
    Simplifier *simplifier = simplifier_create(program->pool, arena);
    FootprintMeasure measuring = {.program = program,
                                  .pool = program->pool,
                                  .arena = arena,
                                  .simplifier = simplifier,
                                  .ranges = ranges_create(program->pool, arena, simplifier),
                                  .footprint = &footprint,
                                  .lets = lets_create(program->pool, arena),
                                  .counts = map_create(arena)};
    StmtVisitor visitor = {.data = &measuring, .enter = enter_first, .leave = leave_first};
    block_visit((Block *)&program->body, &visitor);
    limit_stacks(&measuring);
    find_peak(&measuring);
    return footprint;
}
