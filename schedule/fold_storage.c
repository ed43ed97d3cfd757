/* fold_storage.c -- fold-storage(f, x, F).
 *
 * It changes no statement: the bounds oracle folds the memory of f (bounds/fold.c), refuses where
 * that would overwrite what is needed, and has the entry check that F is enough where that is known
 * only at run time.
 */
#include "schedule/scheduler.h"

bool fold_storage_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 2);
    const Func *func = resolve_func(resolver, directive_argument(directive, 0));
    int64_t factor;
    if (!func)
        return false;
    const char *name = func->shape->name->text;
    if (func->shape->is_output)
        return refuse(resolver, DIAG_STORAGE_OF_OUTPUT, directive_argument(directive, 0)->place,
                      name);
    int dimension = resolve_dimension(resolver, func, directive_argument(directive, 1));
    if (dimension < 0 || !check_startup(resolver, argument))
        return false;
    for (size_t i = 0; i < scheduler->bounds->folds.length; i++) {
        const FoldRequest *other = &scheduler->bounds->folds.data[i];
        if (other->func == func->shape->name && other->dimension == dimension)
            return refuse(resolver, DIAG_FOLD_TWICE, directive->place,
                          directive_argument(directive, 1)->name->text, name);
    }
    if (expr_constant_integer(argument->expr, &factor) && factor < 1)
        return refuse(resolver, DIAG_BOUND_VALUE, argument->place, "the number of coordinates",
                      arena_format(resolver->arena, "%lld", (long long)factor), "at least 1");
    return true;
}

void fold_storage_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = scheduler_plan(scheduler, directive_argument(directive, 0)->name);
    vec_push(scheduler->program->arena, &scheduler->bounds->folds,
             (FoldRequest){.func = plan->func->shape->name,
                           .dimension = resolve_dimension(&scheduler->resolver, plan->func,
                                                          directive_argument(directive, 1)),
                           .factor = directive_argument(directive, 2)->expr,
                           .place = directive->place});
}
