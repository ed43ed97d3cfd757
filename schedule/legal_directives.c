/* legal_directives.c -- lists legal directives in the phase that applies them.  Each directive that
 * the choices allow is made by its own file, and is listed if its check accepts it.
 */
#include "schedule/directive_record.h"

/* Reads the current nests of all funcs, by func, specialization, stage. */
static void read_nests(LegalSearch *search) {
    const Scheduler *scheduler = search->scheduler;
    search->nests.length = 0;
    for (size_t i = 0; i < scheduler->plans.length; i++) {
        const FuncPlan *plan = scheduler->plans.data[i];
        if (func_is_extern(plan->func))
            continue;
        int specializations = plan->specialize ? (int)plan->specialize->arguments.length : 1;
        for (int z = 0; z < specializations; z++)
            for (size_t j = 0; j < plan->func->stages.length; j++)
                vec_push(
                    search->arena, &search->nests,
                    nest_read(scheduler, compute_of(scheduler, plan->func, z), plan->func, (int)j));
    }
}

static void list_kind(LegalSearch *search, DirectiveKind kind, const FuncPlan *only) {
    const DirectiveRecord *record = directive_record(kind);
    search->kind = kind;
    search->check = record->check;
    for (size_t i = 0; record->candidates_of_func && i < search->scheduler->plans.length; i++)
        if (!only || search->scheduler->plans.data[i] == only)
            record->candidates_of_func(search, search->scheduler->plans.data[i]);
    for (size_t i = 0; record->candidates_of_loop && i < search->nests.length; i++)
        for (size_t l = 0; l < search->nests.data[i]->loops.length; l++)
            record->candidates_of_loop(search, search->nests.data[i], l);
}

/* Returns the phase in which the search looks for a directive.  Sugar is searched with loops. */
static Phase phase_of_search(DirectiveKind kind) {
    Phase own = directive_info(kind)->phase;
    return own == PHASE_SUGAR ? PHASE_LOOPS : own == PHASE_RECURRENCE ? PHASE_ALGORITHM : own;
}

void legal_list_phase(LegalSearch *search, Phase phase, const FuncPlan *only) {
    Resolver *resolver = &search->scheduler->resolver;
    bool has_nests = false, was_silent = resolver->silent;
    resolver->silent = true;
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++) {
        if (!(search->choices->kinds >> kind & 1) || phase_of_search((DirectiveKind)kind) != phase)
            continue;
        if (!has_nests && phase >= PHASE_LOOPS)
            read_nests(search);
        has_nests = true;
        list_kind(search, (DirectiveKind)kind, only);
    }
    resolver->silent = was_silent;
}
