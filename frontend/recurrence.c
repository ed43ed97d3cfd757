/* recurrence.c -- turns a block of equations, `recurrence (i = (0, n); ..) { fun .. }`, into a
 * Recurrence.
 *
 * A func of the block may be read above its definition, and by itself, once its types are declared.
 * A block must keep these rules ("Design of Merge Ures"):
 *
 *   rule                                                                    tested in
 *   each func has one stage; all have the same variables in the same
 *   order, with all domain variables; equations that lack some come last    equation_admit
 *   no equation reads those; no inline reduction reads the block            equation_readable
 *   arguments in the same order, at constant distances                      check_distances
 *   an initial value for each equation                                      initial_value.c
 *   no cycle at distance zero, some order of loops                          check_order
 *   reads inside the domain                                                 inside.c
 */
#include "frontend/elaborate.h"
#include "frontend/recurrence.h"
#include "ir/dependence.h"
#include "ir/print.h"
#include "ir/recurrence.h"

/* ---- distances ---- */

/* If the index is another variable of the equation plus a constant, returns that variable. */
static Symbol misplaced(const Func *func, Expr index) {
    int64_t offset;
    for (int k = 0; k < func->shape->dimensions; k++)
        if (recurrence_offset(func->variables[k], index, &offset))
            return func->shape->variables[k];
    return NULL;
}

static bool in_domain(const Recurrence *recurrence, Symbol variable) {
    for (size_t d = 0; d < recurrence->domain.length; d++)
        if (recurrence->domain.data[d].variable == variable)
            return true;
    return false;
}

static bool check_index(Elaborator *e, const Func *func, const AccessSite *site, int k) {
    Symbol variable = func->shape->variables[k];
    Expr index = site->access->arguments[k];
    const char *name = site->access->name->text;
    int64_t offset;
    if (recurrence_offset(func->variables[k], index, &offset)) {
        if (offset == 0 || in_domain(func->recurrence, variable))
            return true;
        return diag(e->context, DIAG_EQUATION_BATCH, site->place, name, expr_text(e->arena, index),
                    variable->text);
    }
    Symbol other = misplaced(func, index);
    if (other)
        return diag(e->context, DIAG_EQUATION_ORDER, site->place, name, other->text,
                    variable->text);
    return diag(e->context, DIAG_EQUATION_DISTANCE, site->place, name, expr_text(e->arena, index),
                variable->text);
}

/* Reports each access site at most once. */
static bool check_distances(Elaborator *e, const Recurrence *recurrence) {
    bool good = true;
    for (size_t f = 0; f < recurrence->funcs.length; f++) {
        const Func *func = recurrence->funcs.data[f];
        const Stage *stage = func->stages.data[0];
        for (size_t s = 0; s < stage->sites.length; s++) {
            const AccessSite *site = &stage->sites.data[s];
            bool constant = true;
            if (!recurrence_has(e->pipeline, recurrence, site->access->name))
                continue;
            for (int k = 0; constant && k < func->shape->dimensions; k++)
                constant = check_index(e, func, site, k);
            good &= constant;
        }
    }
    return good;
}

/* ---- order ---- */

static bool check_cycle(Elaborator *e, const Dependences *dependences) {
    if (dependences->cycle.length == 0)
        return true;
    const Dependence *first = dependences->cycle.data[0];
    const Func *func = dependences->recurrence->funcs.data[first->reader];
    const char *text = arena_format(e->arena, "`%s`", func->shape->name->text);
    for (size_t i = 0; i < dependences->cycle.length; i++)
        text = arena_format(e->arena, "%s%s reads `%s`", text, i ? ", which" : "",
                            dependences->cycle.data[i]->site->access->name->text);
    return diag(e->context, DIAG_EQUATION_CYCLE, first->site->place, func->shape->name->text, text);
}

static const char *distance_text(Elaborator *e, const Dependences *dependences,
                                 const Dependence *dependence) {
    const char *text = "(";
    for (size_t d = 0; d < dependences->recurrence->domain.length; d++)
        text = arena_format(e->arena, "%s%s%lld", text, d ? ", " : "",
                            (long long)dependence->distance[d]);
    return arena_format(e->arena, "%s)", text);
}

/* Reports two reads that no order of loops satisfies together, or one that goes forward along all
 * variables. */
static bool check_orders(Elaborator *e, const Dependences *dependences) {
    for (size_t p = 0; p < dependences->parts.length; p++) {
        const DependencePart *part = &dependences->parts.data[p];
        const Dependence *one = NULL, *other = NULL;
        for (size_t d = 0; !part->has_order && d < dependences->recurrence->domain.length; d++) {
            if (!one)
                one = part->against[d];
            else if (part->against[d] && part->against[d] != one)
                other = part->against[d];
        }
        if (!one)
            continue;
        const char *name = one->site->access->name->text,
                   *text = distance_text(e, dependences, one);
        if (other)
            return diag(e->context, DIAG_EQUATION_CONTRARY, one->site->place, name, text,
                        arena_number(e->arena, other->site->place.line),
                        other->site->access->name->text, distance_text(e, dependences, other));
        return diag(e->context, DIAG_EQUATION_FORWARD, one->site->place, name, text);
    }
    return true;
}

static bool check_order(Elaborator *e, const Recurrence *recurrence) {
    const Dependences *dependences = dependences_create(e->pipeline, e->arena, recurrence);
    return check_cycle(e, dependences) && check_orders(e, dependences);
}

/* ---- the block ---- */

static bool read_domain(Elaborator *e, EquationBlock *block) {
    Stage *stage = arena_new(e->arena, Stage);
    Environment here = {NULL, e->next_number}, inner;
    e->active.length = 0;
    e->root = symbol_format(&e->context->symbols, "recurrence");
    bool good = stage_reduction(e, here, &inner, &block->syntax->domain, stage);
    e->active.length = 0;
    for (size_t d = 0; d < stage->reduction.length; d++) {
        ReductionVariable variable = stage->reduction.data[d];
        const NameSyntax *name = &block->syntax->domain.data[d].variable;
        if (variable.variable != name->name && good) {
            diag(e->context, DIAG_VARIABLE_HIDES_PARAMETER, name->place, "domain's",
                 name->name->text);
            good = false;
        }
        vec_push(e->arena, &block->recurrence->domain, variable);
    }
    return good;
}

/* Collects the defined equations, in definition order. Returns false if one has a fault. */
static bool collect_funcs(Elaborator *e, EquationBlock *block) {
    Recurrence *recurrence = block->recurrence;
    for (size_t i = 0; i < block->syntax->funs.length; i++) {
        const FunSyntax *syntax = block->syntax->funs.data[i];
        const NameBinding *binding = map_get(&e->pipeline_names->by_name, syntax->name.name);
        if (!binding || binding->kind != BINDING_FUNC || binding->func->state != FUNC_DEFINED ||
            binding->func->block != block)
            return false;
        if (binding->func->is_extended || !syntax->has_body)
            continue;
        Func *func = binding->func->func;
        func->recurrence = recurrence;
        vec_push(e->arena, &recurrence->funcs, func);
    }
    return true;
}

void define_recurrence(Elaborator *e, const RecurrenceSyntax *syntax) {
    EquationBlock *block = arena_new(e->arena, EquationBlock);
    block->syntax = syntax;
    block->recurrence = arena_new(e->arena, Recurrence);
    block->recurrence->place = syntax->place;
    block->is_broken = !read_domain(e, block);
    e->block = block;
    for (size_t i = 0; i < syntax->funs.length; i++) {
        e->steps = 0;
        e->too_large = false;
        e->context->use = syntax->funs.data[i]->use;
        define_func(e, syntax->funs.data[i]);
    }
    e->block = NULL;
    if (!block->first) {
        diag(e->context, DIAG_EQUATION_NONE, syntax->place);
        return;
    }
    const Recurrence *recurrence = block->recurrence;
    if (!block->is_broken && collect_funcs(e, block) && check_distances(e, recurrence) &&
        initial_values_exist(e->context, e->arena, e->pipeline, recurrence) &&
        check_order(e, recurrence) &&
        reads_stay_inside(e->context, e->arena, e->pipeline, recurrence))
        vec_push(e->arena, &e->pipeline->recurrences, block->recurrence);
}
