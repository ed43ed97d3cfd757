/* output.c -- which outputs need a func.
 *
 * A program runs where some output's window has points.  With several outputs the others may be
 * empty, wherever they lie: what only those need is neither computed nor asked of the inputs.  So
 * each func and each read knows the set of outputs on whose account it is, and a set that is not
 * all of them has a condition.
 */
#include "bounds/solver.h"

#define MAX_OUTPUTS 64

static OutputSet all_outputs(const BoundsInference *solver) {
    size_t count = solver->pipeline->signature.outputs.length;
    return count >= MAX_OUTPUTS ? ~(OutputSet)0 : ((OutputSet)1 << count) - 1;
}

OutputSet output_set(const BoundsInference *solver, Symbol func) {
    const Outputs *outputs = &solver->pipeline->signature.outputs;
    for (size_t i = 0; i < outputs->length; i++)
        if (outputs->data[i].func == func)
            return outputs->length > MAX_OUTPUTS ? all_outputs(solver) : (OutputSet)1 << i;
    return 0;
}

OutputSet output_needs(const BoundsInference *solver, Symbol func) {
    const FuncSolution *solution = map_get(&solver->by_func, func);
    return solution ? solution->needed_by : all_outputs(solver);
}

static OutputSet mark_uses(const BoundsInference *solver, Uses *uses) {
    OutputSet set = 0;
    for (size_t i = 0; i < uses->length; i++) {
        AccessUse *use = &uses->data[i];
        use->needed_by = use->reader ? output_needs(solver, use->reader) : all_outputs(solver);
        set |= use->needed_by;
    }
    return set;
}

void output_collect(BoundsInference *solver) {
    for (size_t i = solver->funcs.length; i-- > 0;) {
        FuncSolution *solution = solver->funcs.data[i];
        solution->needed_by = output_set(solver, solution->shape->name);
        for (size_t k = 0; k < solution->sites.length; k++)
            solution->needed_by |= mark_uses(solver, &solution->sites.data[k]->reads);
        if (!solution->needed_by) /* no iteration reads it; it runs in any case, and reads */
            solution->needed_by = all_outputs(solver);
        for (size_t k = 0; k < solution->sites.length; k++)
            mark_uses(solver, &solution->sites.data[k]->own);
    }
    for (size_t i = 0; i < solver->image_uses.length; i++)
        mark_uses(solver, solver->image_uses.data[i]);
}

static Expr window_has_points(BoundsInference *solver, const FuncShape *shape) {
    Pool *pool = solver->pool;
    Expr points = expr_bool(pool, true);
    for (int k = 0; k < shape->dimensions; k++)
        points = expr_and(pool, points,
                          expr_lt(pool, expr_index(pool, 0),
                                  expr_buffer_field(pool, shape->name, FIELD_EXTENT, k)));
    return simplify(solver->simplifier, points);
}

/* `out.needed`, a let at the top: that the window of `out` has points. */
static Expr needed_variable(BoundsInference *solver, const FuncShape *shape) {
    Expr variable = map_get(&solver->needed, shape->name);
    if (!variable) {
        const char *stem = arena_format(solver->arena, "%s.needed", shape->name->text);
        variable =
            inference_bind(solver, &solver->program->body, window_has_points(solver, shape), stem);
        map_put(&solver->needed, shape->name, variable);
    }
    return variable;
}

static Expr bind_condition(BoundsInference *solver, OutputSet outputs) {
    const Signature *signature = &solver->pipeline->signature;
    Expr some = expr_bool(solver->pool, false);
    int count = 0;
    for (size_t i = 0; i < signature->outputs.length; i++) {
        if (!(outputs >> i & 1))
            continue;
        const FuncShape *shape = signature_func(signature, signature->outputs.data[i].func);
        some = expr_or(solver->pool, some, needed_variable(solver, shape));
        count++;
    }
    some = simplify(solver->simplifier, some);
    return count > 1 ? inference_bind(solver, &solver->program->body, some, "any.needed") : some;
}

Expr output_condition(BoundsInference *solver, OutputSet outputs) {
    if (!outputs || outputs == all_outputs(solver))
        return NULL;
    for (size_t i = 0; i < solver->conditions.length; i++)
        if (solver->conditions.data[i].outputs == outputs)
            return solver->conditions.data[i].condition;
    Expr condition = bind_condition(solver, outputs);
    vec_push(solver->arena, &solver->conditions, (OutputCondition){outputs, condition});
    return condition;
}

Expr output_length(BoundsInference *solver, OutputSet outputs, Expr length) {
    Expr condition = output_condition(solver, outputs);
    if (!condition)
        return length;
    return simplify(solver->simplifier,
                    expr_select(solver->pool, condition, length, expr_index(solver->pool, 0)));
}

Expr output_site_condition(BoundsInference *solver, const ComputeSite *site) {
    return site->shares ? output_condition(solver, output_needs(solver, site->shape->name)) : NULL;
}
