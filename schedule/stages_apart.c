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

/* Directives about loops of the func, by stage. Those of its stages before the last one are about
 * `before`. */
static bool move_reference(LoopReference *loop, const Func *func, const Func *before) {
    int last = (int)func->stages.length - 1;
    if (loop->func != func->shape->name)
        return true;
    if (loop->stage < 0)
        return false;
    if (loop->stage < last)
        loop->func = before->shape->name;
    else
        loop->stage = 1;
    return true;
}

static bool reads(const Func *func, size_t first, size_t end, Symbol name) {
    for (size_t j = first; j < end; j++)
        for (size_t i = 0; i < func->stages.data[j]->sites.length; i++)
            if (func->stages.data[j]->sites.data[i].access->name == name)
                return true;
    return false;
}

/* The consumer `func` of a wrap stands for those of the two that read `wrapped`. False if none does
 * as the algorithm is written. */
static bool move_consumer(Arena *arena, Directive *wrap, DirectiveArgument consumer, Symbol wrapped,
                          const Func *func, const Func *before) {
    size_t last = func->stages.length - 1;
    bool is_last = reads(func, last, last + 1, wrapped), is_before = reads(func, 0, last, wrapped);
    if (is_last)
        vec_push(arena, &wrap->arguments, consumer);
    consumer.name = before->shape->name;
    if (is_before)
        vec_push(arena, &wrap->arguments, consumer);
    return is_last || is_before;
}

static bool move_directive(Arena *arena, const Directive *from, const Func *func,
                           const Func *before, Directive *to) {
    *to = *from;
    to->arguments = (typeof(to->arguments)){0};
    for (size_t k = 0; k < from->arguments.length; k++) {
        DirectiveArgument argument = from->arguments.data[k];
        bool is_of_loop = argument.kind == ARGUMENT_LOOP || argument.kind == ARGUMENT_STAGE,
             is_consumer = (from->kind == DIRECTIVE_WRAP || from->kind == DIRECTIVE_CLONE) &&
                           k > 0 && argument.kind == ARGUMENT_FUNC &&
                           argument.name == func->shape->name;
        if (is_of_loop && !move_reference(&argument.loop, func, before))
            return false;
        if (!is_consumer)
            vec_push(arena, &to->arguments, argument);
        else if (!move_consumer(arena, to, argument, from->arguments.data[0].name, func, before))
            return false;
    }
    return true;
}

/* Copies the schedule; null if it cannot move along.  Both funcs are computed at one place, and
 * specialized alike. */
static const Schedule *move_directives(Arena *arena, const Schedule *schedule, const Func *func,
                                       const Func *before) {
    Schedule *result = arena_new(arena, Schedule);
    *result = *schedule;
    result->directives = (typeof(result->directives)){0};
    for (size_t i = 0; i < schedule->directives.length; i++) {
        Directive directive;
        if (!move_directive(arena, &schedule->directives.data[i], func, before, &directive))
            return NULL;
        vec_push(arena, &result->directives, directive);
        const DirectiveArgument *subject = directive_argument(&directive, 0);
        bool is_of_both =
            (directive.kind == DIRECTIVE_COMPUTE_AT || directive.kind == DIRECTIVE_SPECIALIZE) &&
            subject->name == func->shape->name;
        if (!is_of_both)
            continue;
        move_directive(arena, &schedule->directives.data[i], func, before, &directive);
        directive.arguments.data->name = before->shape->name;
        vec_push(arena, &result->directives, directive);
    }
    return result;
}

const Pipeline *stages_apart(const Pipeline *pipeline, const Schedule **schedule, Symbol name,
                             Arena *arena) {
    const Func *func = pipeline_func(pipeline, name);
    if (!func || func->stages.length < 3 || func->definition || func->recurrence || func->extends ||
        func->realised || pipeline->funcs.length >= pipeline->pool->context->limits.funcs)
        return NULL;
    Resolver resolver = resolver_create(arena, pipeline);
    AlgorithmRun run = {.resolver = &resolver};
    Redefinition *redefinition = run_redefinition(&run);
    Func *before = stages_before(&resolver, func);
    if (*schedule && !(*schedule = move_directives(arena, *schedule, func, before)))
        return NULL;
    redefine_replace(redefinition, last_stage(&resolver, func, before));
    redefine_add_before(redefinition, name, before);
    redefine_end(redefinition);
    return redefine_pipeline(redefinition);
}
