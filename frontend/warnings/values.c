/* values.c -- sums in narrow types that wrap before they are divided or widened, and divisions by zero.
 *
 *     (input(x, y) + input(x + 1, y)) / 2      u8: the sum may be 510, and wraps
 *     u16(input(x, y) * 2)                     wraps before it is widened
 *     sum(r in (-1, 3)) input(x + r, y) / 3    the sum of three u8 is u8
 *
 * Of each expression we know the interval of its values, and of a sum the interval that it would
 * have without wrapping (`exact`). An author who divides or widens a value wants the exact one.
 *
 * Nobody is warned where the intervals are coarser than the values, or where wrapping is a known
 * idiom: operands that are made of bits, choices or differences (`min(a, 255 - b) + b`), and what a
 * `select` on a value guards. Such an expression is not `clear`. A division by zero in an arm of a
 * `select` is never made, if the author asked for zero.
 */
#include "frontend/warnings/watch.h"
#include "simplify/interval.h"

typedef struct Known {
    ConstantInterval value, exact;
    bool is_clear, reads;        /* some image or func */
    const WatchedOperation *sum; /* the one whose exact value does not fit */
} Known;

typedef struct Narrow {
    Watch *watch;
    Arena *arena;
    const Pipeline *pipeline;
    Map nodes;           /* Expr -> const Known */
    Map funcs;           /* Symbol -> const Known, one a component */
    Map guarded, chosen; /* Exprs in an arm of a `select` on values; of any `select` */
    Map *arms;           /* the one that is filled */
    Map said;            /* WatchedOperations */
} Narrow;

static bool is_watched(Type type) {
    return type_is_machine_integer(type) && type.bits <= WATCHED_BITS;
}

static Known unknown(Type type) {
    ConstantInterval all =
        type_is_machine_integer(type) || type_is_bool(type) ? interval_of_type(type) : EVERYTHING;
    return (Known){.value = all, .exact = all};
}

static Known settled(Known known, Type type, const WatchedOperation *sum) {
    bool fits = interval_fits(known.exact, type);
    known.value = fits ? known.exact : interval_of_type(type);
    known.sum = fits ? NULL : sum;
    return known;
}

/* ---- one node ---- */

static Known known_variable(const Narrow *narrow, Expr node) {
    Known known = unknown(node->type);
    const Parameter *parameter = signature_parameter(&narrow->pipeline->signature, node->name);
    if (!parameter || !type_is_machine_integer(node->type))
        return known;
    if (parameter->has_range)
        known.value = known.exact =
            interval_join(interval_point(parameter->lower), interval_point(parameter->upper));
    known.is_clear = true;
    return known;
}

static Known known_access(const Narrow *narrow, Expr node) {
    Known known = unknown(node->type);
    const Known *func = map_get(&narrow->funcs, node->name);
    if (func)
        known = func[node->component];
    if (!func)
        known.is_clear = signature_image(&narrow->pipeline->signature, node->name) != NULL;
    known.reads = true;
    return known;
}

static Known known_operator(const Narrow *narrow, Expr node) {
    Known known = unknown(node->type);
    ConstantInterval values[OP_MAX_ARITY], exact[OP_MAX_ARITY];
    bool is_clear = true;
    if (!type_is_machine_integer(node->type))
        return known;
    for (int i = 0; i < node->arity; i++) {
        const Known *operand = map_get(&narrow->nodes, node->arguments[i]);
        values[i] = operand->value;
        exact[i] = operand->exact;
        is_clear &= operand->is_clear;
        known.reads |= operand->reads;
    }
    known.value = known.exact = interval_apply((Op)node->op, node->type, values);
    switch ((int)node->op) {
    case OP_ADD:
    case OP_MUL:
        known.is_clear = is_clear;
        if (!is_watched(node->type))
            return known;
        known.exact = interval_apply((Op)node->op, INDEX, exact);
        return settled(known, node->type,
                       narrow->watch ? map_get(&narrow->watch->operations, node) : NULL);
    case OP_DIV:
    case OP_MOD:
    case OP_SHIFT_RIGHT:
    case OP_MIN:
    case OP_MAX:
        known.is_clear = is_clear;
        return known;
    case OP_CAST:
        known.is_clear = is_clear && interval_fits(values[0], node->type);
        return known;
    default:
        return known;
    }
}

static bool is_known(void *data, Expr node) {
    const Narrow *narrow = data;
    return map_get(&narrow->nodes, node);
}

static void learn(void *data, Expr node) {
    Narrow *narrow = data;
    Known *known = arena_new(narrow->arena, Known);
    if (node->op == OP_CONSTANT &&
        (type_is_machine_integer(node->type) || type_is_bool(node->type)))
        *known = (Known){interval_point(node->bits), interval_point(node->bits), true, false, NULL};
    else if (node->op == OP_VARIABLE)
        *known = known_variable(narrow, node);
    else if (node->op == OP_ACCESS)
        *known = known_access(narrow, node);
    else if (node->op < OP_COUNT && node->arity > 0)
        *known = known_operator(narrow, node);
    else
        *known = unknown(node->type);
    map_put(&narrow->nodes, node, known);
}

static const Known *know(Narrow *narrow, Expr expr) {
    expr_visit_rest(narrow->arena, expr, is_known, learn, narrow);
    return map_get(&narrow->nodes, expr);
}

/* ---- one func ---- */

/* The other operand, if the update adds something to the element that it writes; else null. */
static Expr added(const Func *func, const Stage *stage, int component) {
    Expr value = stage->values[component];
    for (int i = 0; value->op == OP_ADD && i < 2; i++) {
        Expr self = value->arguments[i];
        bool is_self = self->op == OP_ACCESS && self->name == func->shape->name &&
                       self->component == component;
        for (int k = 0; is_self && k < func->shape->dimensions; k++)
            is_self = self->arguments[k] == stage->indices[k];
        if (is_self)
            return value->arguments[1 - i];
    }
    return NULL;
}

/* How often the update adds to an element, at most. An unknown length is many. */
static int64_t rounds_of(const Stage *stage) {
    enum { MANY = 1 << 20 };
    int64_t rounds = 1, length;
    for (size_t i = 0; i < stage->reduction.length; i++) {
        Expr extent = stage->reduction.data[i].interval.length;
        bool is_short = expr_constant_integer(extent, &length) && length < MANY && rounds < MANY;
        rounds = is_short ? rounds * (length > 0 ? length : 0) : MANY;
    }
    return rounds;
}

/* What an element may be after an update, if it was `before`. */
static Known after_update(Narrow *narrow, const Func *func, const Stage *stage, int component,
                          Known before) {
    Type type = func->shape->types[component];
    Expr more = is_watched(type) ? added(func, stage, component) : NULL;
    Known after = unknown(type);
    const Known *each = more ? know(narrow, more) : NULL;
    if (!each || !each->is_clear || !each->reads || !before.is_clear)
        return after;
    ConstantInterval step = interval_join(interval_point(0), each->exact);
    after.exact = interval_add(before.exact, interval_scale(step, rounds_of(stage)));
    after.is_clear = true;
    WatchedOperation *sum = arena_new(narrow->arena, WatchedOperation);
    *sum = (WatchedOperation){stage->place, NULL};
    return settled(after, type, before.sum ? before.sum : sum);
}

static void know_func(Narrow *narrow, const Func *func) {
    Known *known = arena_array(narrow->arena, Known, func->shape->components);
    const Stage *pure = func->stages.data[0];
    for (int c = 0; c < func->shape->components; c++)
        known[c] =
            func->recurrence ? unknown(func->shape->types[c]) : *know(narrow, pure->values[c]);
    for (size_t s = 1; s < func->stages.length; s++)
        for (int c = 0; c < func->shape->components; c++)
            known[c] = after_update(narrow, func, func->stages.data[s], c, known[c]);
    map_put(&narrow->funcs, func->shape->name, known);
}

/* ---- what is said ---- */

static const char *limit_text(Arena *arena, ConstantInterval exact, Type type) {
    ConstantInterval own = interval_of_type(type);
    if (!exact.has_maximum || exact.maximum > own.maximum)
        return exact.has_maximum && exact.maximum < INT32_MAX
                   ? arena_format(arena, "as much as %lld", (long long)exact.maximum)
                   : arena_format(arena, "far more than %lld", (long long)own.maximum);
    return exact.has_minimum ? arena_format(arena, "as little as %lld", (long long)exact.minimum)
                             : "below all values of it";
}

static Type type_for(ConstantInterval exact) {
    const Type types[] = {U16, I16, U32, I32};
    size_t i = 0;
    while (i < 3 && !interval_fits(exact, types[i]))
        i++;
    return types[i];
}

static void warn(Narrow *narrow, const WatchedOperation *sum, const char *what, Type type,
                 ConstantInterval exact, const char *use) {
    Context *context = narrow->watch->context;
    if (!sum || map_get(&narrow->said, sum) || context->files.data[sum->place.file].is_built_in)
        return;
    map_put(&narrow->said, sum, sum);
    const Use *outer = context->use;
    context->use = sum->use;
    diag(context, DIAG_NARROW_WRAPS, sum->place, what, type_name(type),
         limit_text(narrow->arena, exact, type), use, type_name(type_for(exact)));
    context->use = outer;
}

/* `input(x + 1, y) - input(x - 1, y)`: a gradient, which is negative somewhere. */
static bool is_gradient(const Narrow *narrow, Expr node) {
    if (node->op != OP_SUB || !is_watched(node->type) || type_is_signed(node->type))
        return false;
    Expr a = node->arguments[0], b = node->arguments[1];
    const Func *func = pipeline_func(narrow->pipeline, a->name);
    return a->op == OP_ACCESS && b->op == OP_ACCESS && a->name == b->name &&
           a->component == b->component && !(func && func->stages.length > 1);
}

/* What an author does with a value whose carry he wants; null: something else. */
static const char *use_of(const Narrow *narrow, Expr node) {
    Type from = node->arity > 0 ? node->arguments[0]->type : BOOL, to = node->type;
    switch ((int)node->op) {
    case OP_DIV:
        return "divided";
    case OP_SHIFT_RIGHT:
        return "shifted to the right";
    case OP_CAST:
        if (type_is_float(to) || (type_is_machine_integer(to) && to.bits > from.bits))
            return arena_format(narrow->arena, "converted to %s", type_name(to));
        return NULL;
    default:
        return NULL;
    }
}

static void look_at_divisor(const Narrow *narrow, Expr node) {
    Context *context = narrow->watch->context;
    const WatchedOperation *division = map_get(&narrow->watch->operations, node);
    if (!division || !watch_is_by_zero(node) || map_get(&narrow->chosen, node) ||
        context->files.data[division->place.file].is_built_in)
        return;
    const Use *outer = context->use;
    context->use = division->use;
    diag(context, DIAG_DIVIDED_BY_ZERO, division->place, op_info((Op)node->op)->text);
    context->use = outer;
}

static void look(void *data, Expr node) {
    Narrow *narrow = data;
    look_at_divisor(narrow, node);
    Expr operand = node->arity > 0 ? node->arguments[0] : NULL;
    if (!operand || !is_watched(operand->type) || map_get(&narrow->guarded, node))
        return;
    const char *use = use_of(narrow, node);
    const Known *known = use ? know(narrow, operand) : NULL;
    if (!known)
        return;
    if (known->is_clear && known->reads && known->sum)
        warn(narrow, known->sum, "sum or product", operand->type, known->exact, use);
    bool is_signed = type_is_float(node->type) || type_is_signed(node->type);
    if (node->op == OP_CAST && is_signed && is_gradient(narrow, operand)) {
        ConstantInterval all = interval_of_type(operand->type);
        warn(narrow, map_get(&narrow->watch->operations, operand), "difference", operand->type,
             interval_join(interval_point(-all.maximum), interval_point(0)), use);
    }
}

static bool is_in_arm(void *data, Expr node) {
    const Narrow *narrow = data;
    return map_get(narrow->arms, node);
}

static void set_in_arm(void *data, Expr node) {
    const Narrow *narrow = data;
    map_put(narrow->arms, node, node);
}

static void guard(void *data, Expr node) {
    Narrow *narrow = data;
    Map *const kinds[] = {&narrow->chosen, &narrow->guarded};
    for (int k = 0; node->op == OP_SELECT && k < (expr_has_access(node->arguments[0]) ? 2 : 1); k++)
        for (int i = 1; i < 3; i++) {
            narrow->arms = kinds[k];
            expr_visit_rest(narrow->arena, node->arguments[i], is_in_arm, set_in_arm, narrow);
        }
}

static void look_at_stage(Narrow *narrow, const Func *func, const Stage *stage) {
    if (stage->predicate && expr_has_access(stage->predicate))
        return;
    for (int c = 0; c < func->shape->components; c++)
        expr_visit(narrow->arena, stage->values[c], guard, narrow);
    for (int c = 0; c < func->shape->components; c++)
        expr_visit(narrow->arena, stage->values[c], look, narrow);
}

static Narrow create(Watch *watch, const Pipeline *pipeline, Arena *arena) {
    return (Narrow){.watch = watch,
                    .arena = arena,
                    .pipeline = pipeline,
                    .nodes = map_create(arena),
                    .funcs = map_create(arena)};
}

const ConstantInterval *ranges_of_values(const Pipeline *pipeline, const Func *func, Arena *arena) {
    Narrow narrow = create(NULL, pipeline, arena);
    const Known *known = NULL;
    for (size_t i = 0; i < pipeline->funcs.length && !known; i++) {
        know_func(&narrow, pipeline->funcs.data[i]);
        known = map_get(&narrow.funcs, func->shape->name);
    }
    ConstantInterval *ranges = arena_array(arena, ConstantInterval, func->shape->components);
    for (int c = 0; c < func->shape->components; c++)
        ranges[c] = known ? known[c].value : EVERYTHING;
    return ranges;
}

void warn_of_values(Watch *watch, const Pipeline *pipeline) {
    Narrow narrow = create(watch, pipeline, watch->arena);
    narrow.guarded = map_create(watch->arena);
    narrow.chosen = map_create(watch->arena);
    narrow.said = map_create(watch->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        const Func *func = pipeline->funcs.data[i];
        know_func(&narrow, func);
        for (size_t s = 0; s < func->stages.length; s++)
            look_at_stage(&narrow, func, func->stages.data[s]);
    }
}
