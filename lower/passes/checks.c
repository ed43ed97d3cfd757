/* checks.c -- PASS_CHECKS: refuses inputs that the program cannot run on, before the first store.
 *
 *     pipeline blur(input: image<u8, 2>, w: i32 in 0..64) -> (h: i32(x, y))
 *       assert 0 <= w else parameter_too_small(..)       every value that the entry is given,
 *       assert w <= 64 else parameter_too_large(..)      in the order of the list below;
 *       ..                                               where these hold, nothing below overflows
 *       if 0 < h.extent.0 && 0 < h.extent.1:             nothing to do for an empty window
 *         assert .. else access_out_of_bounds(..)        what the regions that the oracle found ask
 *         assert .. else coordinate_range(..)
 *         (the program)
 *
 * The order is the reference's (ir/interpret/entry.h), so both refuse alike: ranges of parameters,
 * images and windows, boundary conditions, requirements, reduction domains.  The conditions of the
 * schedule (factors, alignments) come last.  An assertion stands after those that its own
 * arithmetic depends on.
 *
 * Index arithmetic must stay in 64 bits.  This pass shows it by intervals (index_range.h).  Else an
 * assertion does it: it computes the operation in f64, or its magnitude over all iterations
 * (magnitude.h), and finds it at most 2^62.  Anything else is refused at compile time.
 */
#include "lower/lower.h"

#include "ir/print.h"
#include "lower/passes/index_range.h"
#include "lower/passes/splice.h"
#include "lower/passes/storage.h"

#define LIMIT_62 0x1p62

typedef struct Checks {
    Program *program;
    const Pipeline *pipeline;
    Pool *pool;
    Arena *arena;
    Block *block;         /* the next assertion goes here */
    const char *subject;  /* of the assertion whose arithmetic is being checked */
    hlc_error arithmetic; /* the error where arithmetic may leave 64 bits */
    Place place, upper;   /* of the next assertion */
    IndexRanges *ranges;
    Map asserted; /* conditions -> themselves: each is asserted once */
    bool failed;
} Checks;

/* ---- assertions ---- */

#define MAX_OPERANDS 5

static void append_assert(Checks *checks, Expr condition, hlc_error error, const char *subject,
                          const Expr *operands, int count) {
    if (expr_is_true(condition) || map_get(&checks->asserted, condition))
        return;
    map_put(&checks->asserted, condition, condition);
    Stmt *stmt = stmt_create(checks->program, STMT_ASSERT, checks->place);
    stmt->assertion.condition = condition;
    stmt->assertion.error = error;
    stmt->assertion.subject = subject;
    stmt->assertion.operands = arena_array(checks->program->arena, Expr, count);
    for (int i = 0; i < count; i++)
        stmt->assertion.operands[i] = operands[i];
    stmt->assertion.operand_count = count;
    stmt->assertion.upper = checks->upper;
    block_append(checks->block, stmt);
}

static void index_fault(void *data, Expr node, Expr size, const Stmt *stmt) {
    Checks *checks = data;
    Pool *pool = checks->pool;
    Expr fits = size ? expr_le(pool, size, expr_float(pool, F64, LIMIT_62)) : NULL;
    if (!fits || expr_is_false(fits)) {
        diag(pool->context, DIAG_INDEX_ARITHMETIC, stmt ? stmt->place : checks->place,
             expr_text(checks->arena, node));
        checks->failed = true;
        return;
    }
    append_assert(checks, fits, checks->arithmetic, checks->subject, NULL, 0);
}

/* Asserts the condition, after the assertions that its own arithmetic needs. */
static void put_assert(Checks *checks, Expr condition, hlc_error error, const char *subject,
                       const Expr *operands, int count) {
    checks->subject = subject;
    index_ranges_check(checks->ranges, condition, index_fault, checks);
    append_assert(checks, condition, error, subject, operands, count);
}

#define check(checks, condition, error, subject, ...)                                              \
    put_assert((checks), (condition), (error), (subject), (Expr[]){__VA_ARGS__},                   \
               (int)(sizeof((Expr[]){__VA_ARGS__}) / sizeof(Expr)))

static Expr number(const Checks *checks, int64_t value) {
    return expr_index(checks->pool, value);
}

/* Return a && b and a || b, without neutral constants. */
static Expr both(const Checks *checks, Expr a, Expr b) {
    return expr_is_true(a) ? b : expr_is_true(b) ? a : expr_and(checks->pool, a, b);
}

static Expr either(const Checks *checks, Expr a, Expr b) {
    return expr_is_false(a) ? b : expr_is_false(b) ? a : expr_or(checks->pool, a, b);
}

/* Returns the last coordinate of an interval. */
static Expr last_of(const Checks *checks, Extent interval) {
    Pool *pool = checks->pool;
    return expr_sub(pool, expr_add(pool, interval.minimum, interval.length), expr_index(pool, 1));
}

static Expr is_empty(const Checks *checks, Extent interval) {
    return expr_le(checks->pool, interval.length, number(checks, 0));
}

/* Returns the condition that `inner` lies inside `outer`.  Neither is empty. */
static Expr is_inside(const Checks *checks, Extent inner, Extent outer) {
    Pool *pool = checks->pool;
    return both(checks, expr_le(pool, outer.minimum, inner.minimum),
                expr_le(pool, expr_add(pool, inner.minimum, inner.length),
                        expr_add(pool, outer.minimum, outer.length)));
}

/* Returns the condition that the interval and its length lie in i32. */
static Expr is_narrow(const Checks *checks, Extent interval) {
    Pool *pool = checks->pool;
    Expr lowest = expr_le(pool, number(checks, INT32_MIN), interval.minimum);
    Expr highest = expr_le(pool, expr_add(pool, interval.minimum, interval.length),
                           number(checks, (int64_t)INT32_MAX + 1));
    Expr length = expr_le(pool, interval.length, number(checks, INT32_MAX));
    return both(checks, both(checks, lowest, highest), length);
}

/* ---- inputs of the entry ---- */

/* Returns how hlc_errors.def prints a parameter's value, and the number that it takes for it. */
static int manner(Type type) {
    return type_is_float(type) ? 1 : type.kind == TYPE_UINT && type.bits == 64 ? 2 : 0;
}

static Expr message_number(const Checks *checks, Expr value) {
    Pool *pool = checks->pool;
    if (type_is_float(value->type))
        value = expr_convert(pool, OP_REINTERPRET, I64, expr_cast(pool, F64, value));
    return expr_cast(pool, INDEX, value);
}

static void check_parameter(Checks *checks, const Parameter *parameter) {
    if (!parameter->has_range)
        return;
    Pool *pool = checks->pool;
    const char *name = parameter->name->text;
    Expr value = expr_variable(pool, parameter->name, parameter->type);
    Expr lower = expr_constant(pool, parameter->type, parameter->lower);
    Expr upper = expr_constant(pool, parameter->type, parameter->upper);
    Expr numbers[] = {message_number(checks, value), message_number(checks, lower),
                      message_number(checks, upper), number(checks, manner(parameter->type))};
    int count = manner(parameter->type) ? 4 : 3;
    checks->place = parameter->place;
    put_assert(checks, expr_le(pool, lower, value), HLC_ERROR_PARAMETER_TOO_SMALL, name, numbers,
               count);
    put_assert(checks, expr_le(pool, value, upper), HLC_ERROR_PARAMETER_TOO_LARGE, name, numbers,
               count);
}

/* Returns the condition that one dimension is empty; then nothing is needed. */
static Expr any_empty(const Checks *checks, const Extent *intervals, int dimensions) {
    Expr result = expr_bool(checks->pool, false);
    for (int k = 0; k < dimensions; k++)
        result = either(checks, result, is_empty(checks, intervals[k]));
    return result;
}

static Extent buffer_interval(const Checks *checks, Symbol buffer, int dimension) {
    return (Extent){expr_buffer_field(checks->pool, buffer, FIELD_MINIMUM, dimension),
                    expr_buffer_field(checks->pool, buffer, FIELD_EXTENT, dimension)};
}

static void check_interval(Checks *checks, const char *name, Extent interval, int k) {
    Pool *pool = checks->pool;
    check(checks, expr_le(pool, number(checks, 0), interval.length), HLC_ERROR_NEGATIVE_EXTENT,
          name, interval.length, number(checks, k));
    Expr last = expr_max(pool, interval.minimum, last_of(checks, interval));
    check(checks, is_narrow(checks, interval), HLC_ERROR_COORDINATE_RANGE, name, interval.minimum,
          last, number(checks, k));
}

/* Asserts that a window with points lies in its domain. */
static void check_domain(Checks *checks, Symbol buffer, int dimensions) {
    Extent window[MAX_DIMENSIONS] = {{0}};
    for (int k = 0; k < dimensions; k++) {
        window[k] = buffer_interval(checks, buffer, k);
        check_interval(checks, buffer->text,
                       signature_domain(&checks->pipeline->signature, checks->pool, buffer, k), k);
    }
    Expr empty = any_empty(checks, window, dimensions);
    for (int k = 0; k < dimensions; k++) {
        Extent domain = signature_domain(&checks->pipeline->signature, checks->pool, buffer, k);
        check(checks, either(checks, empty, is_inside(checks, window[k], domain)),
              HLC_ERROR_WINDOW_OUTSIDE, buffer->text, window[k].minimum, last_of(checks, window[k]),
              number(checks, k), domain.minimum, last_of(checks, domain));
    }
}

/* Asserts that the extents of an image or window are not negative and its coordinates lie in
 * i32. */
static void check_buffer(Checks *checks, Symbol buffer, int dimensions, Place place) {
    checks->place = place;
    for (int k = 0; k < dimensions; k++)
        check_interval(checks, buffer->text, buffer_interval(checks, buffer, k), k);
    if (checks->pipeline->signature.windows)
        check_domain(checks, buffer, dimensions);
}

static void check_buffers(Checks *checks) {
    const Signature *signature = &checks->pipeline->signature;
    for (size_t i = 0; i < signature->images.length; i++) {
        const ImageParameter *image = &signature->images.data[i];
        check_buffer(checks, image->name, image->dimensions, image->place);
    }
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const Output *output = &signature->outputs.data[i];
        check_buffer(checks, output->func, signature_func(signature, output->func)->dimensions,
                     output->place);
    }
}

/* Asserts that an image has points: a boundary condition folds coordinates into it. */
static void check_boundaries(Checks *checks) {
    for (size_t i = 0; i < checks->pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &checks->pipeline->boundaries.data[i];
        Expr extent = signature_domain_field(&checks->pipeline->signature, checks->pool, use->image,
                                             FIELD_EXTENT, use->dimension);
        checks->place = use->place;
        check(checks, expr_lt(checks->pool, number(checks, 0), extent), HLC_ERROR_EMPTY_IMAGE,
              use->image->text, extent, number(checks, use->dimension));
    }
}

static void check_requirements(Checks *checks) {
    for (size_t i = 0; i < checks->pipeline->requirements.length; i++) {
        const Requirement *requirement = &checks->pipeline->requirements.data[i];
        checks->place = requirement->place;
        put_assert(checks, requirement->condition, HLC_ERROR_REQUIREMENT_FAILED,
                   requirement->message, NULL, 0);
    }
}

static void check_reduction(Checks *checks, const ReductionVariable *reduction) {
    Pool *pool = checks->pool;
    Extent interval = reduction->interval;
    const char *name = reduction->variable->text;
    checks->place = reduction->place;
    check(checks, expr_le(pool, number(checks, 0), interval.length), HLC_ERROR_RDOM_LENGTH, name,
          interval.length);
    Expr last = last_of(checks, interval);
    Expr narrow = both(checks, expr_le(pool, number(checks, INT32_MIN), interval.minimum),
                       expr_le(pool, last, number(checks, INT32_MAX)));
    check(checks, either(checks, is_empty(checks, interval), narrow), HLC_ERROR_COORDINATE_RANGE,
          name, interval.minimum, last, number(checks, 0));
}

/* Checks the factor before the number of blocks is computed from it. */
static void check_factor(Checks *checks, const ReductionSplit *split) {
    Pool *pool = checks->pool;
    Expr positive = expr_le(pool, number(checks, 1), split->factor),
         narrow = expr_le(pool, split->factor, number(checks, INT32_MAX));
    checks->place = split->place;
    check(checks, both(checks, positive, narrow), HLC_ERROR_SPLIT_FACTOR, split->variable->text,
          split->factor);
}

static void check_reductions(Checks *checks) {
    for (size_t i = 0; i < checks->pipeline->funcs.length; i++) {
        const Func *func = checks->pipeline->funcs.data[i];
        for (size_t j = 0; j < func->stages.length; j++) {
            const Stage *stage = func->stages.data[j];
            /* The variables that were split first come first, each before its parts. */
            for (size_t s = 0; s < stage->splits.length; s++) {
                const ReductionSplit *split = &stage->splits.data[s];
                check_reduction(checks, &(ReductionVariable){.variable = split->variable,
                                                             .interval = split->domain,
                                                             .place = split->place});
                if (split->factor)
                    check_factor(checks, split);
            }
            for (size_t r = 0; r < stage->reduction.length; r++)
                check_reduction(checks, &stage->reduction.data[r]);
        }
    }
}

/* ---- conditions of the schedule ---- */

/* Moves the assertions that directives left at the top (factors of split), in order. */
static void move_assertions(Checks *checks, Block *block) {
    Stmt *stmt = block->first;
    while (stmt) {
        Stmt *next = stmt->next;
        if (stmt->kind == STMT_ASSERT) {
            stmt_unlink(stmt);
            checks->subject = stmt->assertion.subject;
            checks->place = stmt->place;
            index_ranges_check(checks->ranges, stmt->assertion.condition, index_fault, checks);
            block_append(checks->block, stmt);
        } else if (stmt->kind == STMT_LET && !next) {
            next = stmt->let.body.first; /* bounds that the oracle bound around the program */
        }
        stmt = next;
    }
}

static const char *dimension_text(const Checks *checks, Symbol func, int dimension) {
    const FuncShape *shape = signature_func(&checks->pipeline->signature, func);
    return arena_format(checks->arena, "%s.%s", func->text, shape->variables[dimension]->text);
}

static void check_alignment(Checks *checks, const BoundRequest *request) {
    Pool *pool = checks->pool;
    Expr positive = expr_lt(pool, number(checks, 0), request->modulus);
    Expr below = both(checks, expr_le(pool, number(checks, 0), request->remainder),
                      expr_lt(pool, request->remainder, request->modulus));
    checks->place = request->place;
    check(checks, both(checks, positive, below), HLC_ERROR_ALIGN_MODULUS,
          dimension_text(checks, request->func, request->dimension), request->modulus,
          request->remainder);
}

static void check_alignments(Checks *checks, const BoundRequests *requests) {
    for (size_t i = 0; i < requests->requests.length; i++)
        if (requests->requests.data[i].kind == BOUND_ALIGN)
            check_alignment(checks, &requests->requests.data[i]);
}

/* ---- conditions of the oracle's regions ---- */

static void check_image_region(Checks *checks, const BoundsRegion *region) {
    Expr empty = any_empty(checks, region->asserted, region->dimensions);
    for (int k = 0; k < region->dimensions; k++) {
        Extent needed = region->asserted[k], held = buffer_interval(checks, region->func, k);
        checks->place = region->lower[k].provenance.place;
        checks->upper = region->upper[k].provenance.place;
        check(checks, either(checks, empty, is_inside(checks, needed, held)),
              HLC_ERROR_ACCESS_OUT_OF_BOUNDS, region->func->text, needed.minimum,
              last_of(checks, needed), number(checks, k), held.minimum, last_of(checks, held));
    }
    checks->upper = NOWHERE;
}

static void check_coordinates(Checks *checks, const BoundsRegion *region) {
    Expr empty = any_empty(checks, region->asserted, region->dimensions);
    for (int k = 0; k < region->dimensions; k++) {
        Extent whole = region->asserted[k];
        checks->place = region->lower[k].provenance.place;
        checks->upper = region->upper[k].provenance.place;
        check(checks, either(checks, empty, is_narrow(checks, whole)), HLC_ERROR_COORDINATE_RANGE,
              region->func->text, whole.minimum, last_of(checks, whole), number(checks, k));
    }
    checks->upper = NOWHERE;
}

/* Asserts that the region fixed by a directive holds what is needed.  A request that the compiler
 * inserted may not apply. */
static void check_request(Checks *checks, const BoundRequest *request, const BoundsRegion *region) {
    Pool *pool = checks->pool;
    int k = request->dimension;
    Extent needed = region->needed[k];
    Extent fixed = {request->minimum, request->length};
    if (request->is_least && !region->lower[k].is_fixed)
        return;
    bool is_interval = request->kind == BOUND_INTERVAL;
    Expr positive = expr_le(pool, number(checks, 0), fixed.length);
    if (is_interval && (request->is_least || request->is_of_nest)) {
        fixed.minimum = region->lower[k].expr;
        fixed.length =
            expr_add(pool, expr_sub(pool, region->upper[k].expr, fixed.minimum), number(checks, 1));
    }
    if (request->kind == BOUND_LENGTH) {
        fixed.minimum = needed.minimum;
        if (region->longest[k])
            needed.length = region->longest[k];
    }
    Expr empty = any_empty(checks, region->needed, region->dimensions);
    Expr holds = either(checks, empty, is_inside(checks, needed, fixed));
    if (is_interval && request->is_of_nest) /* the interval as written */
        fixed = (Extent){request->minimum, request->length};
    checks->place = request->place;
    check(checks, both(checks, positive, holds), HLC_ERROR_BOUND_TOO_SMALL,
          dimension_text(checks, request->func, k), fixed.minimum, last_of(checks, fixed),
          needed.minimum, last_of(checks, needed));
}

static void check_requests(Checks *checks, const BoundRequests *requests,
                           const BoundsResult *bounds) {
    for (size_t i = 0; i < requests->requests.length; i++) {
        const BoundRequest *request = &requests->requests.data[i];
        for (size_t r = 0; r < bounds->funcs.length && request->kind != BOUND_ALIGN; r++)
            if (bounds->funcs.data[r]->func == request->func)
                check_request(checks, request, bounds->funcs.data[r]);
    }
}

static void check_folds(Checks *checks, const BoundsResult *bounds) {
    for (size_t i = 0; i < bounds->folds.length; i++) {
        const FoldCheck *fold = &bounds->folds.data[i];
        Expr positive = expr_lt(checks->pool, number(checks, 0), fold->factor);
        Expr enough = expr_le(checks->pool, fold->most, fold->factor);
        checks->place = fold->place;
        check(checks, both(checks, positive, enough), HLC_ERROR_FOLD_TOO_SMALL,
              dimension_text(checks, fold->func, fold->dimension), fold->factor, fold->most);
    }
}

/* Asserts that memory of a fixed length is long enough. */
static void check_storage(Checks *checks, const StorageNeeds *needs) {
    for (size_t i = 0; i < needs->length; i++) {
        const StorageRequest *request = needs->data[i].request;
        Expr most = needs->data[i].most, length = number(checks, request->number);
        Pool *pool = checks->pool;
        checks->place = request->place;
        check(checks, expr_le(pool, most, length), HLC_ERROR_BOUND_TOO_SMALL,
              arena_format(checks->program->arena, "the memory of %s",
                           dimension_text(checks, request->func, request->dimension)),
              number(checks, 0), expr_sub(pool, length, number(checks, 1)), number(checks, 0),
              expr_sub(pool, most, number(checks, 1)));
    }
}

/* ---- all checks ---- */

/* Returns the condition that some output has a point to compute. */
static Expr has_points(const Checks *checks) {
    Pool *pool = checks->pool;
    const Signature *signature = &checks->pipeline->signature;
    Expr some = expr_bool(pool, false);
    for (size_t i = 0; i < signature->outputs.length; i++) {
        Symbol name = signature->outputs.data[i].func;
        Expr points = expr_bool(pool, true);
        for (int k = 0; k < signature_func(signature, name)->dimensions; k++)
            points = both(
                checks, points,
                expr_lt(pool, number(checks, 0), expr_buffer_field(pool, name, FIELD_EXTENT, k)));
        some = either(checks, some, points);
    }
    return some;
}

/* Opens an `if` around the rest: it runs only if some output has points. */
static void open_if(Checks *checks) {
    Expr condition = has_points(checks);
    if (expr_is_true(condition))
        return;
    Stmt *branch = stmt_create(checks->program, STMT_IF, checks->pipeline->signature.place);
    branch->branch.role = IF_PLAIN;
    branch->branch.condition = condition;
    block_append(checks->block, branch);
    checks->block = &branch->branch.body;
}

static void mark_mentioned(const Checks *checks, Map *mentioned, const BoundsRegion *region) {
    for (int k = 0; k < region->dimensions; k++) {
        Expr ends[] = {region->asserted[k].minimum, region->asserted[k].length};
        for (int i = 0; i < 2; i++) {
            Exprs variables = expr_variables_of(checks->arena, ends[i]);
            for (size_t v = 0; v < variables.length; v++)
                map_put(mentioned, variables.data[v]->name, variables.data[v]);
        }
    }
}

/* Returns the only statement of the block if it is a let. */
static Stmt *let_around(const Block *block) {
    Stmt *stmt = block->first;
    return stmt && stmt->kind == STMT_LET && !stmt->next ? stmt : NULL;
}

/* Opens the lets around the program that the oracle's regions mention, and those around them. */
static void open_lets(Checks *checks, Block *rest, const BoundsResult *bounds) {
    Map mentioned = map_create(checks->arena);
    int count = 0, last = 0;
    for (size_t i = 0; i < bounds->funcs.length; i++)
        mark_mentioned(checks, &mentioned, bounds->funcs.data[i]);
    for (size_t i = 0; i < bounds->images.length; i++)
        mark_mentioned(checks, &mentioned, bounds->images.data[i]);
    for (Stmt *let = let_around(rest); let; let = let_around(&let->let.body)) {
        count++;
        if (map_get(&mentioned, let->let.binder))
            last = count;
    }
    checks->subject = checks->pipeline->signature.name->text;
    checks->place = checks->pipeline->signature.place;
    for (; last; last--) {
        Stmt *let = rest->first;
        index_ranges_check_let(checks->ranges, let, index_fault, checks);
        stmt_unlink(let);
        block_move_all(rest, &let->let.body);
        block_append(checks->block, let);
        checks->block = &let->let.body;
    }
}

bool lower_checks(Program *program, const Pipeline *pipeline, const BoundsResult *bounds,
                  const BoundRequests *requests, Arena *arena) {
    Checks checks = {.program = program,
                     .pipeline = pipeline,
                     .pool = program->pool,
                     .arena = arena,
                     .block = &program->body,
                     .arithmetic = HLC_ERROR_INDEX_RANGE,
                     .ranges = index_ranges_create(program, pipeline, arena),
                     .asserted = map_create(arena)};
    Block rest = {0};
    StorageNeeds storage = {0};
    block_move_all(&rest, &program->body);
    if (!storage_size(program, &rest, requests, arena, &storage))
        return false;

    for (size_t i = 0; i < pipeline->signature.parameters.length; i++)
        check_parameter(&checks, &pipeline->signature.parameters.data[i]);
    check_buffers(&checks);
    check_boundaries(&checks);
    check_requirements(&checks);
    check_reductions(&checks);
    move_assertions(&checks, &rest);
    check_alignments(&checks, requests);

    open_if(&checks);
    open_lets(&checks, &rest, bounds);
    for (size_t i = 0; i < bounds->funcs.length; i++)
        check_coordinates(&checks, bounds->funcs.data[i]);
    check_requests(&checks, requests, bounds);
    check_folds(&checks, bounds);
    check_storage(&checks, &storage);
    for (size_t i = 0; i < bounds->images.length; i++)
        check_image_region(&checks, bounds->images.data[i]);
    lower_needs(program, pipeline, bounds, has_points(&checks), arena);
    checks.failed |= !lower_proposals(program, pipeline, arena);

    checks.subject = pipeline->signature.name->text;
    checks.place = pipeline->signature.place;
    index_ranges_check_block(checks.ranges, &rest, index_fault, &checks);
    block_move_all(checks.block, &rest);
    return !checks.failed;
}

/* ---- additional conditions ---- */

void lower_insist(const Lowered *lowered, const Insistence *insistences, size_t count,
                  Arena *arena) {
    Block made = {0};
    Checks checks = {.program = lowered->program,
                     .pipeline = lowered->pipeline,
                     .pool = lowered->program->pool,
                     .arena = arena,
                     .block = &made,
                     .arithmetic = HLC_ERROR_NOT_CERTIFIED,
                     .ranges = index_ranges_create(lowered->program, lowered->pipeline, arena),
                     .asserted = map_create(arena)};
    for (size_t i = 0; i < count; i++) {
        checks.place = insistences[i].place;
        put_assert(&checks, insistences[i].condition, HLC_ERROR_NOT_CERTIFIED,
                   insistences[i].subject, NULL, 0);
    }
    Stmt *rest = program_rest(lowered->program);
    while (made.first && rest) {
        Stmt *stmt = made.first;
        stmt_unlink(stmt);
        stmt_insert_before(rest, stmt);
    }
}
