/* update.c -- the step of one update of a cut func, whose outermost reduction variable runs in blocks.
 *
 * A chain carries an accumulator through the blocks in order. The part begins from the accumulator
 * and runs the update on the iterations of one block:
 *
 *     fun f(x) = { f_before(x);  rdom(.. ; r = (first, end - first)) in (e) <- u; }
 *
 * The blocks are the iterations of the whole in their order, so any update may run so.
 *
 * A scan is an update that writes at the coordinate r + c of one dimension in iteration r, and reads
 * its func no further back there than `reach`: those coordinates are final when the iterations
 * before are done. So windows in increasing order need only the last coordinates before them:
 *
 *     fun f(x, y) = { select(y < first, f_before(x, clamp(y, first - 1, first - 1)), f's first value);
 *                     rdom(r = ..from first, to end..) in (x, r) <- f(x, r - 1) + a(x, r); }
 *
 * Coordinates that no iteration writes keep the first value, before and after the range. */
#include "library/split/splitting.h"

#include "ir/walk.h"
#include "schedule/redefine.h"

enum { LONGEST_REACH = 1024 };

typedef struct BlockedUpdate {
    Splitting *splitting;
    const CutFunc *cut;
    const Stage *stage;
    size_t blocked; /* the reduction variable that runs in blocks */
    Symbol first, end;
    bool is_scan;
    int dimension;
    int64_t offset, reach;
    Symbol before[16];
    PartPlan plan;
} BlockedUpdate;

static Expr parameter(const BlockedUpdate *update, Symbol name) {
    Pool *pool = update->splitting->pool;
    return expr_cast(pool, INDEX, expr_variable(pool, name, I32));
}

/* ---- scans ---- */

/* Is it `r + offset`? */
static bool is_at(Expr index, Symbol r, int64_t *offset) {
    *offset = 0;
    if (index->op == OP_VARIABLE)
        return index->name == r;
    if ((index->op != OP_ADD && index->op != OP_SUB) || index->arguments[0]->op != OP_VARIABLE ||
        index->arguments[0]->name != r || !expr_constant_integer(index->arguments[1], offset))
        return false;
    if (index->op == OP_SUB)
        *offset = -*offset;
    return *offset >= -LONGEST_REACH && *offset <= LONGEST_REACH;
}

/* The accesses of the func in an update. */
static Exprs own_accesses(Arena *arena, const Func *func, const Stage *stage) {
    Exprs all = {0}, own = {0};
    for (int k = 0; k < func->shape->dimensions; k++)
        expr_accesses(arena, stage->indices[k], &all);
    for (int c = 0; c < func->shape->components; c++)
        expr_accesses(arena, stage->values[c], &all);
    if (stage->predicate)
        expr_accesses(arena, stage->predicate, &all);
    for (size_t i = 0; i < all.length; i++)
        if (all.data[i]->name == func->shape->name)
            vec_push(arena, &own, all.data[i]);
    return own;
}

static bool is_scan_along(const Exprs *own, const Stage *stage, Symbol r, int d, int64_t *offset,
                          int64_t *reach) {
    *reach = 0;
    if (!is_at(stage->indices[d], r, offset))
        return false;
    for (size_t i = 0; i < own->length; i++) {
        int64_t read;
        if (!is_at(own->data[i]->arguments[d], r, &read) || read > *offset)
            return false;
        *reach = *reach > *offset - read ? *reach : *offset - read;
    }
    return true;
}

static bool find_scan(Arena *arena, const Func *func, const Stage *stage, int *dimension,
                      int64_t *offset, int64_t *reach) {
    if (!stage->reduction.length || stage->writes > 1)
        return false;
    Symbol r = stage->reduction.data[stage->reduction.length - 1].variable;
    Exprs own = own_accesses(arena, func, stage);
    for (*dimension = 0; *dimension < func->shape->dimensions; ++*dimension)
        if (is_scan_along(&own, stage, r, *dimension, offset, reach))
            return true;
    return false;
}

bool update_is_scan(Splitting *splitting, const Func *func, const Stage *stage, int *dimension,
                    int64_t *reach) {
    int64_t offset;
    return find_scan(splitting->arena, func, stage, dimension, &offset, reach);
}

/* ---- the range ---- */

/* A part whose only output proposes the iterations; of a scan, the coordinates that they write. */
static bool make_range(BlockedUpdate *update, const ReductionVariable *variable, PlanPart *range) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    Func *func = arena_new(arena, Func);
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = (FuncShape){.name = split_name(splitting, "range"), .dimensions = 1, .components = 1};
    shape->types = arena_array(arena, Type, 1);
    shape->types[0] = U8;
    shape->variables[0] = split_name(splitting, "at");
    func->shape = shape;
    func->variables[0] = expr_variable(splitting->pool, shape->variables[0], INDEX);
    Stage *stage = stage_of_all_points(arena, func, NOWHERE);
    stage->values[0] = expr_constant(splitting->pool, U8, 0);
    vec_push(arena, &func->stages, stage);
    Extent *size = arena_array(arena, Extent, 1);
    size[0] = variable->interval;
    if (update->is_scan && update->offset)
        size[0].minimum =
            expr_add(splitting->pool, size[0].minimum, expr_index(splitting->pool, update->offset));
    PartPlan plan = {.size = size};
    vec_push(arena, &plan.goals, func);
    *range = (PlanPart){0};
    if (!part_create(splitting, &plan, range))
        return false;
    vec_push(arena, &range->outputs,
             ((PlanPort){range->pipeline->signature.outputs.data[0].func->text, ""}));
    return true;
}

/* Which variable runs in blocks: the outermost, unless it is short and another is long, and the order
 * of the iterations does not matter. False after reporting. */
static bool choose_variable(BlockedUpdate *update, bool is_any_order, PlanPart *range) {
    Splitting *splitting = update->splitting;
    const Stage *stage = update->stage;
    size_t last = stage->reduction.length - 1;
    update->blocked = last;
    if (splitting->options->each_update && is_any_order)
        update->blocked = (size_t)stage->number % stage->reduction.length;
    if (!make_range(update, &stage->reduction.data[update->blocked], range))
        return false;
    for (size_t r = last;
         !splitting->options->each_update && !range_grows(splitting, range) && r-- > 0;) {
        PlanPart other;
        if (!make_range(update, &stage->reduction.data[r], &other))
            return false;
        if (!range_grows(splitting, &other))
            continue;
        if (!is_any_order)
            return diag(splitting->context, DIAG_SPLIT_ORDER, stage->place,
                        update->cut->func->shape->name->text,
                        stage->reduction.data[r].variable->text,
                        stage->reduction.data[last].variable->text);
        update->blocked = r;
        *range = other;
    }
    return true;
}

/* The iterations of the block, or of the window, in the range. */
static Stage *blocked_stage(const BlockedUpdate *update) {
    Arena *arena = update->splitting->arena;
    Pool *pool = update->splitting->pool;
    Stage *stage = arena_new(arena, Stage);
    *stage = *update->stage;
    stage->number = 1;
    stage->reduction = (typeof(stage->reduction)){0};
    for (size_t r = 0; r < update->stage->reduction.length; r++)
        if (r != update->blocked)
            vec_push(arena, &stage->reduction, update->stage->reduction.data[r]);
    ReductionVariable variable = update->stage->reduction.data[update->blocked];
    Extent whole = variable.interval;
    Expr offset = expr_index(pool, update->is_scan ? update->offset : 0),
         first = parameter(update, update->first), end = parameter(update, update->end);
    if (update->is_scan && update->offset) {
        first = expr_sub(pool, first, offset);
        end = expr_sub(pool, end, offset);
    }
    /* An empty block lies in the range, too: the hull of what it would read is in that of all. */
    Expr last = expr_add(pool, whole.minimum, whole.length),
         minimum = expr_min(pool, expr_max(pool, first, whole.minimum), last),
         stop = expr_min(pool, end, last);
    variable.interval.minimum = minimum;
    variable.interval.length = expr_max(pool, expr_sub(pool, stop, minimum), expr_index(pool, 0));
    vec_push(arena, &stage->reduction, variable);
    return stage;
}

/* ---- the first stage ---- */

static Expr read_before(const BlockedUpdate *update, int component, const Expr *indices) {
    const FuncShape *shape = update->cut->func->shape;
    return expr_access(update->splitting->pool, update->before[component], 0,
                       shape->types[component], indices, shape->dimensions);
}

/* What the func holds before the update: an array, or its own first stage. */
static Expr value_at_first(BlockedUpdate *update, int component, const PlanNames *arrays) {
    const Func *func = update->cut->func;
    const FuncShape *shape = func->shape;
    if (!arrays)
        return func->stages.data[0]->values[component];
    Symbol image = context_symbol(update->splitting->context, arrays->data[component]);
    return expr_access(update->splitting->pool, image, 0, shape->types[component], func->variables,
                       shape->dimensions);
}

/* y < first ? what is final before the window : what the func held. */
static Expr scan_value(BlockedUpdate *update, int component, const PlanNames *arrays) {
    Pool *pool = update->splitting->pool;
    const Func *func = update->cut->func;
    int k = update->dimension;
    Expr held = value_at_first(update, component, arrays), indices[MAX_DIMENSIONS];
    if (!update->reach)
        return held;
    Expr first = parameter(update, update->first);
    for (int d = 0; d < func->shape->dimensions; d++)
        indices[d] = func->variables[d];
    indices[k] = expr_max(
        pool, expr_min(pool, func->variables[k], expr_sub(pool, first, expr_index(pool, 1))),
        expr_sub(pool, first, expr_index(pool, update->reach)));
    Expr is_before = expr_lt(pool, expr_cast(pool, I32, func->variables[k]),
                             expr_variable(pool, update->first, I32));
    return expr_select(pool, is_before, read_before(update, component, indices), held);
}

static void add_image(BlockedUpdate *update, Symbol name, int component) {
    const FuncShape *shape = update->cut->func->shape;
    ImageParameter image = {.name = name,
                            .type = shape->types[component],
                            .dimensions = shape->dimensions,
                            .layout = LAYOUT_PLANAR};
    vec_push(update->splitting->arena, &update->plan.images, image);
}

static const Func *make_func(BlockedUpdate *update, const PlanNames *arrays) {
    Arena *arena = update->splitting->arena;
    const Func *func = update->cut->func;
    Func *made = func_without_stages(arena, func);
    Stage *stage = stage_of_all_points(arena, func, update->stage->place);
    for (int c = 0; c < func->shape->components; c++)
        stage->values[c] = update->is_scan ? scan_value(update, c, arrays)
                                           : read_before(update, c, func->variables);
    vec_push(arena, &made->stages, stage);
    vec_push(arena, &made->stages, blocked_stage(update));
    return made;
}

/* ---- the step ---- */

static void add_inputs(BlockedUpdate *update, PlanStep *step, const PlanNames *before) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    const FuncShape *shape = update->cut->func->shape;
    const char *name = split_identifier(splitting, shape->name);
    bool has_before = !update->is_scan || update->reach > 0;
    update->first = split_name(splitting, arena_format(arena, "%s_first", name));
    update->end = split_name(splitting, arena_format(arena, "%s_end", name));
    for (int c = 0; c < shape->components && has_before; c++) {
        const char *stem = shape->components > 1 ? arena_format(arena, "%s_before_%d", name, c)
                                                 : arena_format(arena, "%s_before", name);
        update->before[c] = split_name(splitting, stem);
        add_image(update, update->before[c], c);
    }
    for (int c = 0; c < shape->components && update->is_scan && before; c++)
        add_image(update, context_symbol(splitting->context, before->data[c]), c);
    Parameter parameters[2] = {{.name = update->first, .type = I32},
                               {.name = update->end, .type = I32}};
    vec_push(arena, &update->plan.parameters, parameters[0]);
    vec_push(arena, &update->plan.parameters, parameters[1]);
    step->first = update->first->text;
    step->end = update->end->text;
}

static void add_ports(BlockedUpdate *update, PlanStep *step, const PlanNames *before,
                      const PlanNames *after) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    const FuncShape *shape = update->cut->func->shape;
    const char *output = step->part.pipeline->signature.outputs.data[0].func->text;
    for (int c = 0; c < shape->components; c++) {
        const char *own = after->data[c];
        if (update->before[c])
            vec_push(
                arena, &step->before,
                ((PlanPort){update->before[c]->text, update->is_scan ? own : before->data[c]}));
        if (update->is_scan && before)
            vec_push(arena, &step->part.images, ((PlanPort){before->data[c], before->data[c]}));
        vec_push(
            arena, &step->part.outputs,
            ((PlanPort){shape->components > 1 ? arena_format(arena, "%s.%d", output, c) : output,
                        own}));
        vec_push(
            arena, &splitting->plan->arrays,
            ((PlanArray){own, shape->types[c], shape->dimensions, splitting->plan->steps.length}));
    }
}

bool blocked_step(Splitting *splitting, const CutFunc *cut, int number, const PlanNames *before,
                  const PlanNames *after) {
    const Func *func = cut->func;
    BlockedUpdate update = {.splitting = splitting,
                            .cut = cut,
                            .stage = func->stages.data[number],
                            .plan = {.keeps_schedule = true}};
    PlanStep step = {.dimensions = func->shape->dimensions};
    bool is_any_order = false;
    update.is_scan = find_scan(splitting->arena, func, update.stage, &update.dimension,
                               &update.offset, &update.reach);
    step.kind = update.is_scan ? PLAN_SCAN : PLAN_CHAIN;
    if (!update.is_scan) {
        if (!merge_create(splitting, cut, number, after, &step.merge))
            return false;
        is_any_order = step.merge && step.merge->is_commutative;
    }
    if (!choose_variable(&update, is_any_order, &step.range))
        return false;
    add_inputs(&update, &step, before);
    vec_push(splitting->arena, &update.plan.goals, make_func(&update, before));
    if (!part_create(splitting, &update.plan, &step.part))
        return false;
    for (int d = 0; d < step.dimensions; d++)
        step.windows[d] = update.stage->pure[d] || (update.is_scan && d == update.dimension);
    step.dimension = update.dimension;
    step.reach = (int)update.reach;
    add_ports(&update, &step, before, after);
    vec_push(splitting->arena, &splitting->plan->steps, step);
    return true;
}
