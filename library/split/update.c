/* update.c -- the step of one update of a cut func, whose outermost reduction variable runs in blocks.
 *
 * A chain carries an accumulator through the blocks in order. The part begins from the accumulator
 * and runs the update on the iterations of one block:
 *
 *     fun f(x) = { f_before(x);  rdom(.. ; r = (first, end - first)) in (e) <- u; }
 *
 * The blocks are the iterations of the whole in their order, so any update may run so.
 *
 * A scan (scan.c) computes its array in windows. In each dimension along which it runs, the windows have
 * an order, and a window reads what is final before it, its *face*: `reach` coordinates.
 *
 *     fun f(x, y) = { select(y < first_1, f_before_1(x, clamp(y, first_1 - 1, first_1 - 1)),
 *                            select(x < first_0, f_before_0(clamp(x, ..), y), f's first value));
 *                     rdom(i = ..from first_0, to end_0..; j = ..) in (i, j) <- f(i - 1, j) + f(i, j - 1); }
 *
 * Coordinates that no iteration writes keep the first value, before and after the range. */
#include "library/split/splitting.h"

#include "schedule/redefine.h"

/* An order of the step's blocks, and what the part has for it. */
typedef struct BlockOrder {
    size_t variable; /* of the reduction */
    Symbol first, end;
    ScanAlong along;         /* of a scan */
    Symbol before[MOST_CUT]; /* images, by component; null: none */
} BlockOrder;

typedef struct BlockedUpdate {
    Splitting *splitting;
    const CutFunc *cut;
    const Stage *stage;
    bool is_scan;
    BlockOrder orders[MAX_IMAGE_DIMENSIONS];
    int count;
    PartPlan plan;
} BlockedUpdate;

static Expr parameter(const BlockedUpdate *update, Symbol name) {
    Pool *pool = update->splitting->pool;
    return expr_cast(pool, INDEX, expr_variable(pool, name, I32));
}

static bool runs_in_blocks(const BlockedUpdate *update, size_t variable) {
    for (int k = 0; k < update->count; k++)
        if (update->orders[k].variable == variable)
            return true;
    return false;
}

/* ---- the range ---- */

/* 1 if it is positive, else 0. */
static Expr is_some(Pool *pool, Expr length) {
    Expr zero = expr_index(pool, 0), one = expr_index(pool, 1);
    bool is_natural =
        length->op == OP_MAX && (length->arguments[0] == zero || length->arguments[1] == zero);
    return expr_min(pool, is_natural ? length : expr_max(pool, length, zero), one);
}

/* The length, or 0 if there are no iterations as a variable beside the blocks has none. */
static Expr length_if_any(const BlockedUpdate *update, Expr length) {
    Pool *pool = update->splitting->pool;
    const Stage *stage = update->stage;
    for (size_t r = 0; r < stage->reduction.length; r++) {
        Expr other = stage->reduction.data[r].interval.length;
        int64_t number;
        if (runs_in_blocks(update, r) || (expr_constant_integer(other, &number) && number > 0))
            continue;
        length = expr_mul(pool, length, is_some(pool, other));
    }
    return length;
}

/* A part whose only output proposes the iterations; of a scan, the coordinates that they write. */
static bool make_range(BlockedUpdate *update, PlanPart *range) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    Func *func = arena_new(arena, Func);
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = (FuncShape){
        .name = split_name(splitting, "range"), .dimensions = update->count, .components = 1};
    shape->types = arena_array(arena, Type, 1);
    shape->types[0] = U8;
    func->shape = shape;
    Extent *size = arena_array(arena, Extent, update->count);
    for (int k = 0; k < update->count; k++) {
        const BlockOrder *order = &update->orders[k];
        shape->variables[k] =
            split_name(splitting, update->count > 1 ? arena_format(arena, "at_%d", k) : "at");
        func->variables[k] = expr_variable(splitting->pool, shape->variables[k], INDEX);
        size[k] = update->stage->reduction.data[order->variable].interval;
        if (update->is_scan)
            size[k] = scan_written(splitting->pool, &order->along, size[k]);
        if (update->is_scan)
            size[k].length = length_if_any(update, size[k].length);
    }
    Stage *stage = stage_of_all_points(arena, func, NOWHERE);
    stage->values[0] = expr_constant(splitting->pool, U8, 0);
    vec_push(arena, &func->stages, stage);
    PartPlan plan = {.size = size};
    vec_push(arena, &plan.goals, func);
    *range = (PlanPart){0};
    if (!part_create(splitting, &plan, range))
        return false;
    vec_push(arena, &range->outputs,
             ((PlanPort){range->pipeline->signature.outputs.data[0].func->text, ""}));
    return true;
}

/* Which variable of a chain runs in blocks: the outermost, unless it is short and another is long, and
 * the order of the iterations does not matter. A scan has its variables. False after reporting. */
static bool choose_variable(BlockedUpdate *update, bool is_any_order, PlanPart *range) {
    Splitting *splitting = update->splitting;
    const Stage *stage = update->stage;
    size_t last = stage->reduction.length - 1;
    if (splitting->options->each_update && is_any_order)
        update->orders[0].variable = (size_t)stage->number % stage->reduction.length;
    if (!make_range(update, range))
        return false;
    if (splitting->options->each_update || stage->has_distances || range_grows(splitting, range))
        return true;
    for (size_t r = last + 1; r-- > 0;) {
        if (runs_in_blocks(update, r))
            continue;
        BlockedUpdate other = *update;
        PlanPart longer;
        other.is_scan = false;
        other.count = 1;
        other.orders[0].variable = r;
        if (!make_range(&other, &longer))
            return false;
        if (!range_grows(splitting, &longer))
            continue;
        if (!is_any_order)
            return diag(splitting->context, DIAG_SPLIT_ORDER, stage->place,
                        update->cut->func->shape->name->text,
                        stage->reduction.data[r].variable->text,
                        stage->reduction.data[last].variable->text);
        update->orders[0].variable = r;
        *range = longer;
        return true;
    }
    return true;
}

/* The iterations of the block, or of the window, in the range. */
static ReductionVariable block_of(const BlockedUpdate *update, const BlockOrder *order) {
    Pool *pool = update->splitting->pool;
    ReductionVariable variable = update->stage->reduction.data[order->variable];
    Extent whole = variable.interval;
    Expr first = parameter(update, order->first), end = parameter(update, order->end);
    if (update->is_scan)
        scan_iterations(pool, &order->along, &first, &end);
    /* An empty block lies in the range, too: the hull of what it would read is in that of all. */
    Expr last = expr_add(pool, whole.minimum, whole.length),
         minimum = expr_min(pool, expr_max(pool, first, whole.minimum), last),
         stop = expr_min(pool, end, last);
    variable.interval.minimum = minimum;
    variable.interval.length = expr_max(pool, expr_sub(pool, stop, minimum), expr_index(pool, 0));
    variable.extent = RUNS_WHOLE;
    return variable;
}

/* Of equations the whole reads nothing for a window without iterations. So no variable has some if another
 * one has none. */
static void empty_together(const BlockedUpdate *update, Stage *stage) {
    Pool *pool = update->splitting->pool;
    Expr lengths[MAX_DIMENSIONS];
    size_t count = stage->reduction.length;
    for (size_t r = 0; r < count; r++)
        lengths[r] = stage->reduction.data[r].interval.length;
    for (size_t r = 0; r < count; r++)
        for (size_t other = 0; other < count; other++)
            if (other != r)
                stage->reduction.data[r].interval.length = expr_mul(
                    pool, stage->reduction.data[r].interval.length, is_some(pool, lengths[other]));
}

/* The variables of a scan stay where they are, that of a chain becomes the outermost. */
static Stage *blocked_stage(const BlockedUpdate *update) {
    Arena *arena = update->splitting->arena;
    Stage *stage = arena_new(arena, Stage);
    *stage = *update->stage;
    stage->number = 1;
    stage->reduction = (typeof(stage->reduction)){0};
    for (size_t r = 0; r < update->stage->reduction.length; r++) {
        ReductionVariable variable = update->stage->reduction.data[r];
        for (int k = 0; k < update->count && update->is_scan; k++)
            if (update->orders[k].variable == r)
                variable = block_of(update, &update->orders[k]);
        if (update->is_scan || !runs_in_blocks(update, r))
            vec_push(arena, &stage->reduction, variable);
    }
    if (!update->is_scan)
        vec_push(arena, &stage->reduction, block_of(update, &update->orders[0]));
    if (stage->has_distances)
        empty_together(update, stage);
    return stage;
}

/* ---- the first stage ---- */

static Expr read_before(const BlockedUpdate *update, const BlockOrder *order, int component,
                        const Expr *indices) {
    const FuncShape *shape = update->cut->func->shape;
    return expr_access(update->splitting->pool, order->before[component], 0,
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

/* The coordinates of order `j` in the face of order `k`: those before the window in k, in the window in
 * orders before k, in or before the window in others. */
static Expr face_coordinate(const BlockedUpdate *update, int j, int k) {
    Pool *pool = update->splitting->pool;
    const BlockOrder *order = &update->orders[j];
    Expr first = parameter(update, order->first), end = parameter(update, order->end),
         reach = expr_index(pool, order->along.reach), low = first, high = end;
    if (j >= k && order->along.is_lower)
        high = expr_add(pool, end, reach);
    else if (j >= k)
        low = expr_sub(pool, first, reach);
    if (j == k && order->along.is_lower)
        low = end;
    else if (j == k)
        high = first;
    Expr at = update->cut->func->variables[order->along.dimension];
    return expr_max(pool, expr_min(pool, at, expr_sub(pool, high, expr_index(pool, 1))), low);
}

static Expr is_before(const BlockedUpdate *update, const BlockOrder *order) {
    Pool *pool = update->splitting->pool;
    Expr at = expr_cast(pool, I32, update->cut->func->variables[order->along.dimension]);
    return order->along.is_lower ? expr_le(pool, expr_variable(pool, order->end, I32), at)
                                 : expr_lt(pool, at, expr_variable(pool, order->first, I32));
}

/* Before the window what is final there, else what the func held. */
static Expr scan_value(BlockedUpdate *update, int component, const PlanNames *arrays) {
    Pool *pool = update->splitting->pool;
    const Func *func = update->cut->func;
    Expr value = value_at_first(update, component, arrays), indices[MAX_DIMENSIONS];
    for (int k = update->count; k-- > 0;) {
        const BlockOrder *order = &update->orders[k];
        if (!order->along.reach)
            continue;
        for (int d = 0; d < func->shape->dimensions; d++)
            indices[d] = func->variables[d];
        for (int j = 0; j < update->count; j++)
            indices[update->orders[j].along.dimension] = face_coordinate(update, j, k);
        value = expr_select(pool, is_before(update, order),
                            read_before(update, order, component, indices), value);
    }
    return value;
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
        stage->values[c] = update->is_scan
                               ? scan_value(update, c, arrays)
                               : read_before(update, &update->orders[0], c, func->variables);
    vec_push(arena, &made->stages, stage);
    vec_push(arena, &made->stages, blocked_stage(update));
    return made;
}

/* ---- the step ---- */

/* `f_before`, `f_before_1` along dimension 1 of several, `f_before_1_0` of component 0 of several. */
static Symbol order_name(const BlockedUpdate *update, int order, const char *what, int component) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    const FuncShape *shape = update->cut->func->shape;
    const char *stem = arena_format(arena, "%s_%s", split_identifier(splitting, shape->name), what);
    if (update->count > 1)
        stem = arena_format(arena, "%s_%d", stem, update->orders[order].along.dimension);
    if (component >= 0 && shape->components > 1)
        stem = arena_format(arena, "%s_%d", stem, component);
    return split_name(splitting, stem);
}

static void add_inputs(BlockedUpdate *update, const PlanNames *before) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    int components = update->cut->func->shape->components;
    for (int k = 0; k < update->count; k++) {
        BlockOrder *order = &update->orders[k];
        bool has_before = !update->is_scan || order->along.reach > 0;
        order->first = order_name(update, k, "first", -1);
        order->end = order_name(update, k, "end", -1);
        for (int c = 0; c < components && has_before; c++) {
            order->before[c] = order_name(update, k, "before", c);
            add_image(update, order->before[c], c);
        }
        Parameter parameters[2] = {{.name = order->first, .type = I32},
                                   {.name = order->end, .type = I32}};
        vec_push(arena, &update->plan.parameters, parameters[0]);
        vec_push(arena, &update->plan.parameters, parameters[1]);
    }
    for (int c = 0; c < components && update->is_scan && before; c++)
        add_image(update, context_symbol(splitting->context, before->data[c]), c);
}

static void add_orders(const BlockedUpdate *update, PlanStep *step, const PlanNames *before,
                       const PlanNames *after) {
    for (int k = 0; k < update->count; k++) {
        const BlockOrder *order = &update->orders[k];
        PlanOrder made = {.first = order->first->text,
                          .end = order->end->text,
                          .dimension = order->along.dimension,
                          .is_lower = order->along.is_lower,
                          .reach = (int)order->along.reach};
        for (int c = 0; c < update->cut->func->shape->components && order->before[c]; c++)
            vec_push(update->splitting->arena, &made.before,
                     ((PlanPort){order->before[c]->text,
                                 update->is_scan ? after->data[c] : before->data[c]}));
        step->orders[step->order_count++] = made;
    }
}

static void add_ports(BlockedUpdate *update, PlanStep *step, const PlanNames *before,
                      const PlanNames *after) {
    Splitting *splitting = update->splitting;
    Arena *arena = splitting->arena;
    const FuncShape *shape = update->cut->func->shape;
    const char *output = step->part.pipeline->signature.outputs.data[0].func->text;
    for (int c = 0; c < shape->components; c++) {
        if (update->is_scan && before)
            vec_push(arena, &step->part.images, ((PlanPort){before->data[c], before->data[c]}));
        vec_push(
            arena, &step->part.outputs,
            ((PlanPort){shape->components > 1 ? arena_format(arena, "%s.%d", output, c) : output,
                        after->data[c]}));
        vec_push(arena, &splitting->plan->arrays,
                 ((PlanArray){after->data[c], shape->types[c], shape->dimensions,
                              splitting->plan->steps.length}));
    }
}

static void set_orders(BlockedUpdate *update) {
    ScanOrder order = scan_order(update->splitting, update->cut->func, update->stage);
    update->is_scan = order.count > 0;
    update->count = update->is_scan ? order.count : 1;
    update->orders[0].variable = update->stage->reduction.length - 1;
    for (int k = 0; k < order.count; k++) {
        update->orders[k].along = order.along[k];
        update->orders[k].variable = order.along[k].variable;
    }
}

int blocks_bound(Splitting *splitting, const CutFunc *cut, int number) {
    BlockedUpdate update = {
        .splitting = splitting, .cut = cut, .stage = cut->func->stages.data[number]};
    PlanPart range;
    set_orders(&update);
    if (!make_range(&update, &range))
        return -1;
    return range_grows(splitting, &range);
}

bool blocked_step(Splitting *splitting, const CutFunc *cut, int number, const PlanNames *before,
                  const PlanNames *after) {
    const Func *func = cut->func;
    BlockedUpdate update = {.splitting = splitting,
                            .cut = cut,
                            .stage = func->stages.data[number],
                            .plan = {.keeps_schedule = true}};
    PlanStep step = {.dimensions = func->shape->dimensions,
                     .is_of_equations = update.stage->has_distances};
    bool is_any_order = false;
    set_orders(&update);
    step.kind = update.is_scan ? PLAN_SCAN : PLAN_CHAIN;
    if (!update.is_scan) {
        if (!merge_create(splitting, cut, number, after, &step.merge))
            return false;
        is_any_order = step.merge && step.merge->is_commutative;
    }
    if (!choose_variable(&update, is_any_order, &step.range))
        return false;
    add_inputs(&update, before);
    vec_push(splitting->arena, &update.plan.goals, make_func(&update, before));
    if (!part_create(splitting, &update.plan, &step.part))
        return false;
    for (int d = 0; d < step.dimensions; d++)
        step.windows[d] = update.stage->pure[d];
    for (int k = 0; k < update.count && update.is_scan; k++)
        step.windows[update.orders[k].along.dimension] = true;
    add_orders(&update, &step, before, after);
    add_ports(&update, &step, before, after);
    vec_push(splitting->arena, &splitting->plan->steps, step);
    return true;
}
