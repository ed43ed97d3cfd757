/* startup.c -- the checks before a run: the funcs that the outputs reach, and startup expressions.
 *
 * The checks and their order equal those of compiled code (hlc_errors.def), so both refuse alike:
 * ranges of parameters, extents of images and windows, requirements, lengths of rdoms.
 */
#include "checkers/reference/engine/engine.h"

#include "ir/interpret/entry.h"
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
    case OP_VARIABLE: /* an index variable counts only if it is a buffer field */
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

void startup_reach(Engine *engine, Symbol func) {
    const Pipeline *pipeline = engine->pipeline;
    Map reached = map_create(engine->arena);
    if (func)
        pipeline_reach(pipeline, func, &reached, engine->arena);
    else
        pipeline_reach_outputs(pipeline, &reached, engine->arena);
    for (size_t i = 0; i < pipeline->funcs.length; i++)
        if (map_get(&reached, pipeline->funcs.data[i]->shape->name))
            vec_push(engine->arena, &engine->reached, pipeline->funcs.data[i]);
}

/* ---- checks ---------------------------------------------------------------------------------- */

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
    if (!entry_check(engine->pipeline, engine->arguments, &engine->outcome))
        return STATUS_REFUSED;
    return check_requirements(engine) == STATUS_DONE ? check_reductions(engine) : STATUS_REFUSED;
}
