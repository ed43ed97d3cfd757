/* stages_apart.c -- computes the last update of a func apart from the stages before it.
 *
 *     fun h(x, y) = {                        fun h_s1(x, y) = { 0;  (x, x) <- h_s1(x, x + 1); }
 *         0;                                 fun h(x, y) = {
 *         (x, x) <- h(x, x + 1);      ->         h_s1(x, y);
 *         (y, y) <- h(y + 1, y); }               (y, y) <- h(y + 1, y); }
 *
 * One region serves all stages of a func. Here no finite one does: the first update needs one more
 * row than columns, the second one more column than rows. Apart, each func has its own region.
 */
#include "schedule/redefine.h"

#include "ir/walk.h"

/* Turns reads of the func into reads of `to`. */
typedef struct OwnRenaming {
    Pool *pool;
    Symbol from, to;
    ExprMemo memo;
} OwnRenaming;

static Expr rename_own(void *data, Pool *pool, Expr node) {
    const OwnRenaming *renaming = data;
    if (node->op != OP_ACCESS || node->name != renaming->from)
        return node;
    return expr_access(pool, renaming->to, node->component, node->type, node->arguments,
                       node->arity);
}

static Expr rename_in(void *data, Expr expr) {
    OwnRenaming *renaming = data;
    return expr_rewrite(renaming->pool, &renaming->memo, expr, rename_own, renaming);
}

static Symbol fresh_name(const Resolver *resolver, const Func *func) {
    SymbolTable *symbols = &resolver->context->symbols;
    const char *text = func->shape->name->text;
    int last = (int)func->stages.length - 2;
    Symbol name = symbol_format(symbols, "%s_s%d", text, last);
    for (int n = 2; pipeline_name_is_taken(resolver, name); n++)
        name = symbol_format(symbols, "%s_s%d_%d", text, last, n);
    return name;
}

/* Makes the func of all stages but the last. */
static Func *stages_before(const Resolver *resolver, const Func *func) {
    Arena *arena = resolver->arena;
    Func *before = func_without_stages(arena, func);
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = *func->shape;
    shape->name = fresh_name(resolver, func);
    shape->is_output = false;
    before->shape = shape;
    OwnRenaming renaming = {resolver->pipeline->pool, func->shape->name, shape->name,
                            expr_memo(arena)};
    for (size_t j = 0; j + 1 < func->stages.length; j++)
        vec_push(arena, &before->stages,
                 stage_map(arena, shape, func->stages.data[j], rename_in, &renaming));
    return before;
}

/* Makes the func that begins with the values of `before`. */
static Func *last_stage(const Resolver *resolver, const Func *func, const Func *before) {
    Arena *arena = resolver->arena;
    Pool *pool = resolver->pipeline->pool;
    const FuncShape *shape = func->shape;
    Func *last = func_without_stages(arena, func);
    Stage *first = stage_of_all_points(arena, func, func->place), *update = arena_new(arena, Stage);
    for (int c = 0; c < shape->components; c++)
        first->values[c] = expr_access(pool, before->shape->name, c, shape->types[c],
                                       first->indices, shape->dimensions);
    stage_add_sites(arena, shape, first, func->place);
    *update = *func->stages.data[func->stages.length - 1];
    update->number = 1;
    vec_push(arena, &last->stages, first);
    vec_push(arena, &last->stages, update);
    return last;
}

/* Does the schedule name a loop or a stage of the func? */
static bool names_stages(const Schedule *schedule, Symbol func) {
    for (size_t i = 0; schedule && i < schedule->directives.length; i++)
        for (size_t k = 0; k < schedule->directives.data[i].arguments.length; k++) {
            const DirectiveArgument *argument =
                directive_argument(&schedule->directives.data[i], k);
            if (argument->kind != ARGUMENT_FUNC && argument_func(argument) == func)
                return true;
        }
    return false;
}

const Pipeline *stages_apart(const Pipeline *pipeline, const Schedule *schedule, Symbol name,
                             Arena *arena) {
    const Func *func = pipeline_func(pipeline, name);
    if (!func || func->stages.length < 3 || func->definition || func->recurrence || func->extends ||
        func->realised || names_stages(schedule, name) ||
        pipeline->funcs.length >= pipeline->pool->context->limits.funcs)
        return NULL;
    Resolver resolver = resolver_create(arena, pipeline);
    AlgorithmRun run = {.resolver = &resolver};
    Redefinition *redefinition = run_redefinition(&run);
    Func *before = stages_before(&resolver, func);
    redefine_replace(redefinition, last_stage(&resolver, func, before));
    redefine_add_before(redefinition, name, before);
    redefine_end(redefinition);
    return redefine_pipeline(redefinition);
}
