/* output.c -- the outputs that need a func.
 *
 * A program runs if some output's window has points.  With several outputs the others may be empty,
 * wherever they lie.  Nothing is computed or read from the inputs for an empty window.  So each
 * func and each read knows the set of outputs that need it.  A set without all outputs has a
 * condition. */
#include "bounds/inference.h"

#define MAX_OUTPUTS 64

static OutputSet all_outputs(const BoundsInference *bounds) {
    size_t count = bounds->pipeline->signature.outputs.length;
    return count >= MAX_OUTPUTS ? ~(OutputSet)0 : ((OutputSet)1 << count) - 1;
}

OutputSet output_set(const BoundsInference *bounds, Symbol func) {
    const Outputs *outputs = &bounds->pipeline->signature.outputs;
    for (size_t i = 0; i < outputs->length; i++)
        if (outputs->data[i].func == func)
            return outputs->length > MAX_OUTPUTS ? all_outputs(bounds) : (OutputSet)1 << i;
    return 0;
}

OutputSet output_needs(const BoundsInference *bounds, Symbol func) {
    const FuncSolution *solution = map_get(&bounds->by_func, func);
    return solution ? solution->needed_by : all_outputs(bounds);
}

static OutputSet mark_uses(const BoundsInference *bounds, Uses *uses) {
    OutputSet set = 0;
    for (size_t i = 0; i < uses->length; i++) {
        AccessUse *use = &uses->data[i];
        use->needed_by = use->reader ? output_needs(bounds, use->reader) : all_outputs(bounds);
        set |= use->needed_by;
    }
    return set;
}

void output_collect(BoundsInference *bounds) {
    for (size_t i = bounds->funcs.length; i-- > 0;) {
        FuncSolution *solution = bounds->funcs.data[i];
        solution->needed_by = output_set(bounds, solution->shape->name);
        for (size_t k = 0; k < solution->realizations.length; k++)
            solution->needed_by |= mark_uses(bounds, &solution->realizations.data[k]->reads);
        if (!solution->needed_by) /* no iteration reads it; it runs in any case, and reads */
            solution->needed_by = all_outputs(bounds);
        for (size_t k = 0; k < solution->realizations.length; k++)
            mark_uses(bounds, &solution->realizations.data[k]->own);
    }
    for (size_t i = 0; i < bounds->image_uses.length; i++)
        mark_uses(bounds, bounds->image_uses.data[i]);
}

static Expr window_has_points(BoundsInference *bounds, const FuncShape *shape) {
    Pool *pool = bounds->pool;
    Expr points = expr_bool(pool, true);
    for (int k = 0; k < shape->dimensions; k++)
        points = expr_and(pool, points,
                          expr_lt(pool, expr_index(pool, 0),
                                  expr_buffer_field(pool, shape->name, FIELD_EXTENT, k)));
    return simplify(bounds->simplifier, points);
}

/* Returns `out.needed`, a let at the top: the window of `out` has points. */
static Expr needed_variable(BoundsInference *bounds, const FuncShape *shape) {
    Expr variable = map_get(&bounds->needed, shape->name);
    if (!variable) {
        const char *stem = arena_format(bounds->arena, "%s.needed", shape->name->text);
        variable =
            inference_bind(bounds, &bounds->program->body, window_has_points(bounds, shape), stem);
        map_put(&bounds->needed, shape->name, variable);
    }
    return variable;
}

static Expr bind_condition(BoundsInference *bounds, OutputSet outputs) {
    const Signature *signature = &bounds->pipeline->signature;
    Expr some = expr_bool(bounds->pool, false);
    int count = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        if (!(outputs >> i & 1))
            continue;
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        some = expr_or(bounds->pool, some, needed_variable(bounds, shape));
        count++;
    }
    some = simplify(bounds->simplifier, some);
    return count > 1 ? inference_bind(bounds, &bounds->program->body, some, "any.needed") : some;
}

Expr output_condition(BoundsInference *bounds, OutputSet outputs) {
    if (!outputs || outputs == all_outputs(bounds))
        return NULL;
    for (size_t i = 0; i < bounds->conditions.length; i++)
        if (bounds->conditions.data[i].outputs == outputs)
            return bounds->conditions.data[i].condition;
    Expr condition = bind_condition(bounds, outputs);
    vec_push(bounds->arena, &bounds->conditions, (OutputCondition){outputs, condition});
    return condition;
}

Expr output_length(BoundsInference *bounds, OutputSet outputs, Expr length) {
    Expr condition = output_condition(bounds, outputs);
    if (!condition)
        return length;
    return simplify(bounds->simplifier,
                    expr_select(bounds->pool, condition, length, expr_index(bounds->pool, 0)));
}

Expr output_condition_of(BoundsInference *bounds, const Realization *realization) {
    return realization->shares
               ? output_condition(bounds, output_needs(bounds, realization->shape->name))
               : NULL;
}
