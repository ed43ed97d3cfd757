/* stages.c -- the state of the stage being read: its access sites, its variables, its startup
 * expressions. */
#include "frontend/elaborate.h"
#include "frontend/valid.h"

StageState stage_enter(Elaborator *e, FuncEntry *entry, Stage *stage) {
    StageState state = {e->entry, e->stage, e->sites, e->stage_number};
    e->entry = entry;
    e->stage = stage;
    e->sites = map_create(e->arena);
    e->stage_number = ++e->module_names->last_stage_number;
    return state;
}

void stage_leave(Elaborator *e, StageState state) {
    e->entry = state.entry;
    e->stage = state.stage;
    e->sites = state.sites;
    e->stage_number = state.stage_number;
}

Stage *stage_create(Elaborator *e, Func *func, Place place) {
    Stage *stage = arena_new(e->arena, Stage);
    stage->number = (int)func->stages.length;
    stage->indices = arena_array(e->arena, Expr, MAX_DIMENSIONS);
    stage->values = arena_array(e->arena, Expr, e->context->limits.tuple_elements + 1);
    stage->place = place;
    return stage;
}

static bool is_around(const Elaborator *e, Symbol name) {
    for (size_t i = 0; i < e->active.length; i++)
        if (e->active.data[i]->name == name)
            return true;
    return signature_parameter(&e->pipeline->signature, name) != NULL;
}

/* Returns the symbol of a reduction variable: the written name, or `r2`, `r3`, .. if that name
 * would capture a variable or parameter of the surroundings, which a helper's argument may mention.
 */
static Symbol variable_symbol(Elaborator *e, Symbol written) {
    Symbol name = written;
    for (int number = 2; is_around(e, name); number++)
        name = symbol_format(&e->context->symbols, "%s%d", written->text, number);
    return name;
}

bool stage_reduction(Elaborator *e, Environment outer, Environment *inner,
                     const ReductionSyntaxes *reduction, Stage *stage) {
    bool good = true;
    *inner = outer;
    size_t limit = e->context->limits.loops - MAX_DIMENSIONS;
    if (reduction->length > limit) {
        diag(e->context, DIAG_LOOPS_TOO_MANY, reduction->data[limit].variable.place, e->root->text,
             arena_number(e->arena, e->context->limits.loops));
        good = false;
    }
    for (size_t i = 0; i < reduction->length; i++) {
        const ReductionSyntax *syntax = &reduction->data[i];
        ReductionVariable variable = {.place = syntax->variable.place};
        variable.interval.minimum = elaborate_startup(e, outer, syntax->minimum, SORT_INDEX,
                                                      "the minimum of a reduction variable");
        variable.interval.length = elaborate_startup(e, outer, syntax->length, SORT_INDEX,
                                                     "the length of a reduction variable");
        good &= variable.interval.minimum && variable.interval.length;
        for (size_t j = 0; j < i; j++)
            if (reduction->data[j].variable.name == syntax->variable.name) {
                diag(e->context, DIAG_DUPLICATE_REDUCTION_VARIABLE, syntax->variable.place,
                     syntax->variable.name->text);
                good = false;
            }
        variable.variable = variable_symbol(e, syntax->variable.name);
        NameBinding *binding = scope_bind(e, inner, BINDING_INDEX, syntax->variable.name);
        binding->expr = expr_variable(e->pool, variable.variable, INDEX);
        binding->place = syntax->variable.place;
        vec_push(e->arena, &stage->reduction, variable);
        vec_push(e->arena, &e->active, binding->expr);
    }
    return good;
}

bool stage_size_ok(Elaborator *e, Expr expr, Place place) {
    if (!expr_exceeds(e->arena, expr, e->context->limits.expression_nodes))
        return true;
    return diag(e->context, DIAG_EXPRESSION_SIZE, place,
                arena_number(e->arena, e->context->limits.expression_nodes));
}

Expr record_access(Elaborator *e, Expr access, Place place) {
    if (e->stage && !map_get(&e->sites, access)) {
        map_put(&e->sites, access, access);
        AccessSite site = {access, place};
        vec_push(e->arena, &e->stage->sites, site);
    }
    return access;
}

Expr elaborate_startup(Elaborator *e, Environment environment, const Syntax *syntax, Sort sort,
                       const char *what) {
    StageState state = stage_enter(e, NULL, NULL);
    Expr expr = sort == SORT_INDEX ? elaborate_index(e, environment, syntax)
                                   : elaborate_bool(e, environment, syntax);
    stage_leave(e, state);
    StartupUse use = e->in_schedule ? STARTUP_SCHEDULE
                     : e->requiring ? STARTUP_REQUIREMENT
                                    : STARTUP_ALGORITHM;
    if (!expr || !valid_startup(e->context, e->arena, &e->pipeline->signature, expr, use, what,
                                syntax->place))
        return NULL;
    return stage_size_ok(e, expr, syntax->place) ? expr : NULL;
}
