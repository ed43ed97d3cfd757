/* startup.c -- what is checked before a run: the funcs that the outputs reach, and startup
 * expressions.
 *
 * The checks and their order are those of compiled code (hlc_errors.def), so that both refuse
 * alike: parameters' ranges, extents of images and windows, requirements, lengths of rdoms.
 */
#include "reference/engine/engine.h"

#include "ir/walk.h"

#include <string.h>

/* ---- startup expressions --------------------------------------------------------------------- */

static Uniform *remember(Engine *engine, Expr node, Value value) {
    Uniform *uniform = arena_new(engine->arena, Uniform);
    uniform->value = value;
    map_put(&engine->uniforms, node, uniform);
    return uniform;
}

static Uniform *apply_startup(Engine *engine, Expr node) {
    Type operands[OP_MAX_ARITY];
    Bits arguments[OP_MAX_ARITY];
    uint8_t errors[OP_MAX_ARITY], worst = 0;
    for (int i = 0; i < node->arity; i++) {
        const Uniform *argument = map_get(&engine->uniforms, node->arguments[i]);
        if (!argument)
            return NULL;
        operands[i] = node->arguments[i]->type;
        arguments[i] = argument->value.bits;
        errors[i] = argument->value.error;
        worst = errors[i] > worst ? errors[i] : worst;
    }
    if (worst == ERROR_INDEX)
        return remember(engine, node, (Value){0, ERROR_INDEX});
    bool formal = engine->options.formal;
    Value value =
        value_apply((Op)node->op, node->type, operands, arguments, formal ? errors : NULL);
    if (!formal && value.error != ERROR_INDEX)
        value.error = ERROR_NONE;
    if (engine->options.strict && node->op == OP_SELECT && value.error < worst)
        value.error = worst;
    return remember(engine, node, value);
}

static void visit_startup(void *data, Expr node) {
    Engine *engine = data;
    if (map_get(&engine->uniforms, node))
        return;
    const Signature *signature = &engine->pipeline->signature;
    Bits bits;
    switch (node->op) {
    case OP_CONSTANT:
        remember(engine, node, (Value){node->bits, ERROR_NONE});
        break;
    case OP_VARIABLE: /* of the index variables only buffer fields are startup expressions */
        if ((!type_is_index(node->type) || strchr(node->name->text, '.')) &&
            argument_variable(signature, engine->arguments, engine->pipeline->pool->context,
                              node->name, &bits))
            remember(engine, node, (Value){bits, ERROR_NONE});
        break;
    case OP_ACCESS:
    case OP_HOLE:
        break;
    default:
        apply_startup(engine, node);
    }
}

Uniform *startup_value(Engine *engine, Expr expr) {
    Uniform *known = map_get(&engine->uniforms, expr);
    if (known)
        return known;
    expr_visit(engine->arena, expr, visit_startup, engine);
    return map_get(&engine->uniforms, expr);
}

/* ---- reach ----------------------------------------------------------------------------------- */

typedef struct FuncReach {
    Engine *engine;
    Map seen; /* Symbol */
    Vec(const Func *) work;
} FuncReach;

static void reach_func(FuncReach *reach, Symbol name) {
    Func *func = pipeline_func(reach->engine->pipeline, name);
    if (!func || map_get(&reach->seen, name))
        return;
    map_put(&reach->seen, name, func);
    vec_push(reach->engine->arena, &reach->work, func);
}

static void reach_node(void *data, Expr node) {
    if (node->op == OP_ACCESS)
        reach_func(data, node->name);
}

static void reach_stage(FuncReach *reach, const Func *func, const Stage *stage) {
    Arena *arena = reach->engine->arena;
    for (int d = 0; d < func->shape->dimensions; d++)
        expr_visit(arena, stage->indices[d], reach_node, reach);
    for (int c = 0; c < func->shape->components; c++)
        expr_visit(arena, stage->values[c], reach_node, reach);
    if (stage->predicate)
        expr_visit(arena, stage->predicate, reach_node, reach);
}

void startup_reach(Engine *engine, Symbol func) {
    const Pipeline *pipeline = engine->pipeline;
    FuncReach reach = {.engine = engine, .seen = map_create(engine->arena)};
    if (func)
        reach_func(&reach, func);
    for (size_t i = 0; !func && i < pipeline->signature.outputs.length; i++)
        reach_func(&reach, pipeline->signature.outputs.data[i].func);
    while (reach.work.length > 0) {
        const Func *next = reach.work.data[--reach.work.length];
        for (size_t s = 0; s < next->stages.length; s++)
            reach_stage(&reach, next, next->stages.data[s]);
    }
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (map_get(&reach.seen, pipeline->funcs.data[i]->shape->name))
            vec_push(engine->arena, &engine->reached, pipeline->funcs.data[i]);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Is `a` below `b` in the order of their type? */
static bool below(Type type, Bits a, Bits b) {
    Type operands[2] = {type, type};
    return value_apply(OP_LT, BOOL, operands, (Bits[]){a, b}, NULL).bits != 0;
}

static Status check_parameters(Engine *engine) {
    const Parameters *parameters = &engine->pipeline->signature.parameters;
    for (size_t i = 0; i < parameters->length; i++) {
        const Parameter *p = &parameters->data[i];
        if (!p->has_range)
            continue;
        Bits value = engine->arguments->parameters[i];
        Type type = p->type;
        int64_t numbers[3] = {value, p->lower, p->upper};
        for (int n = 0; n < 3 && type_is_float(type); n++)
            numbers[n] = bits_from_double(F64, bits_to_double(type, numbers[n]));
        int manner = type_is_float(type) ? 1 : type.kind == TYPE_UINT && type.bits == 64 ? 2 : 0;
        bool small = below(type, value, p->lower);
        if (small || !(below(type, value, p->upper) || bits_same(type, value, p->upper)))
            return refuse(engine,
                          small ? HLC_ERROR_PARAMETER_TOO_SMALL : HLC_ERROR_PARAMETER_TOO_LARGE,
                          p->name->text, numbers[0], numbers[1], numbers[2], manner);
    }
    return STATUS_DONE;
}

/* A buffer's extents are not negative and its coordinates lie in i32. */
static Status check_extents(Engine *engine, const char *name, const Image *image) {
    for (int d = 0; d < image->dimensions; d++) {
        int64_t minimum = image->minimum[d], extent = image->extent[d];
        if (extent < 0)
            return refuse(engine, HLC_ERROR_NEGATIVE_EXTENT, name, extent, d);
        int64_t last = minimum;
        if (minimum < INT32_MIN || minimum > INT32_MAX || extent > (int64_t)1 << 32 ||
            (extent > 0 && (last = minimum + extent - 1) > INT32_MAX))
            return refuse(engine, HLC_ERROR_COORDINATE_RANGE, name, minimum, last, d);
    }
    return STATUS_DONE;
}

static Status check_buffers(Engine *engine) {
    const Signature *signature = &engine->pipeline->signature;
    const Arguments *arguments = engine->arguments;
    for (size_t i = 0; i < signature->images.length; i++)
        if (check_extents(engine, signature->images.data[i].name->text, &arguments->images[i]))
            return STATUS_REFUSED;
    size_t flat = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        for (int c = 0; c < shape->components; c++, flat++)
            if (check_extents(engine, shape->name->text, &arguments->outputs[flat]))
                return STATUS_REFUSED;
    }
    return STATUS_DONE;
}

/* A boundary condition folds coordinates into an image: it must have some. */
static Status check_boundaries(Engine *engine) {
    const Pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->boundaries.length; i++) {
        const BoundaryUse *use = &pipeline->boundaries.data[i];
        for (size_t image = 0; image < pipeline->signature.images.length; image++) {
            int64_t extent = engine->arguments->images[image].extent[use->dimension];
            if (pipeline->signature.images.data[image].name == use->image && extent == 0)
                return refuse(engine, HLC_ERROR_EMPTY_IMAGE, use->image->text, extent,
                              use->dimension);
        }
    }
    return STATUS_DONE;
}

static Status check_requirements(Engine *engine) {
    const Pipeline *pipeline = engine->pipeline;
    for (size_t i = 0; i < pipeline->requirements.length; i++) {
        const Requirement *requirement = &pipeline->requirements.data[i];
        const Uniform *held = startup_value(engine, requirement->condition);
        hlc_assert(held, "a requirement is a startup expression");
        if (held->value.error == ERROR_INDEX)
            return refuse(engine, HLC_ERROR_INDEX_RANGE, requirement->message, 0);
        if (held->value.error && !engine->erring)
            engine->erring = requirement;
        if (!held->value.bits)
            return refuse(engine, HLC_ERROR_REQUIREMENT_FAILED, requirement->message, 0);
    }
    return STATUS_DONE;
}

static Status check_reduction(Engine *engine, const ReductionVariable *variable) {
    const char *name = variable->variable->text;
    const Uniform *minimum = startup_value(engine, variable->interval.minimum);
    const Uniform *length = startup_value(engine, variable->interval.length);
    hlc_assert(minimum && length, "the bounds of an rdom are startup expressions (Def 4.5)");
    if (minimum->value.error == ERROR_INDEX || length->value.error == ERROR_INDEX)
        return refuse(engine, HLC_ERROR_INDEX_RANGE, name, 0);
    int64_t first = minimum->value.bits, count = length->value.bits, last;
    if (count < 0)
        return refuse(engine, HLC_ERROR_RDOM_LENGTH, name, count);
    if (count == 0)
        return STATUS_DONE;
    if (__builtin_add_overflow(first, count - 1, &last) || first < INT32_MIN || last > INT32_MAX)
        return refuse(engine, HLC_ERROR_COORDINATE_RANGE, name, first, last, 0);
    return STATUS_DONE;
}

static Status check_domain(Engine *engine, const Recurrence *recurrence) {
    for (size_t d = 0; recurrence && d < recurrence->domain.length; d++)
        if (check_reduction(engine, &recurrence->domain.data[d]))
            return STATUS_REFUSED;
    return STATUS_DONE;
}

static Status check_reductions(Engine *engine) {
    for (size_t f = 0; f < engine->reached.length; f++) {
        const Func *func = engine->reached.data[f];
        if (check_domain(engine, func->recurrence))
            return STATUS_REFUSED;
        for (size_t s = 0; s < func->stages.length; s++) {
            const Stage *stage = func->stages.data[s];
            for (size_t r = 0; r < stage->reduction.length; r++)
                if (check_reduction(engine, &stage->reduction.data[r]))
                    return STATUS_REFUSED;
        }
    }
    return STATUS_DONE;
}

Status startup_check(Engine *engine) {
    static Status (*const checks[])(Engine *) = {check_parameters, check_buffers, check_boundaries,
                                                 check_requirements, check_reductions};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i](engine) != STATUS_DONE)
            return STATUS_REFUSED;
    return STATUS_DONE;
}
