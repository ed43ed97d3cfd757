/* fold_storage.c -- fold-storage(f, x, F).
 *
 * It changes no statement.  The bounds oracle folds the memory of f (bounds/fold.c), and refuses if
 * the ring would overwrite points that are still needed.  If F is known only at run time, the entry
 * checks that F is enough.
 */
#include "schedule/directive_record.h"

bool fold_storage_check(Scheduler *scheduler, const Directive *directive) {
    const Resolver *resolver = &scheduler->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 2);
    const FuncPlan *plan = plan_of_storage(scheduler, directive);
    if (!plan)
        return false;
    Symbol name = plan->func->shape->name;
    int dimension = resolve_dimension(resolver, plan->func, directive_argument(directive, 1));
    if (dimension < 0 || !check_startup(resolver, argument))
        return false;
    for (size_t i = 0; i < scheduler->bounds->folds.length; i++) {
        const FoldRequest *other = &scheduler->bounds->folds.data[i];
        if (other->func == name && other->dimension == dimension)
            return refuse(resolver, DIAG_FOLD_TWICE, directive->place,
                          directive_argument(directive, 1)->name->text, name->text);
    }
    return check_least(resolver, argument, 1, "the number of coordinates");
}

void fold_storage_apply(Scheduler *scheduler, const Directive *directive) {
    const FuncPlan *plan = plan_of_directive(scheduler, directive);
    vec_push(scheduler->program->arena, &scheduler->bounds->folds,
             (FoldRequest){.func = plan->func->shape->name,
                           .dimension = resolve_dimension(&scheduler->resolver, plan->func,
                                                          directive_argument(directive, 1)),
                           .factor = directive_argument(directive, 2)->expr,
                           .place = directive->place});
}

void fold_storage_candidates(const LegalSearch *search, const FuncPlan *plan) {
    candidates_of_dimensions(search, plan, &search->choices->factors, NULL, false);
}
