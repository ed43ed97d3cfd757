/* moves.c -- what is proposed when: each directive that the choices allow and its check lets
 * through, in the phase that it would be applied in.  What could be said of loops is in
 * move_loops.c, of funcs in move_funcs.c, of recurrences in recurrence_moves.c.
 */
#include "schedule/proposal.h"

/* The nests of all funcs as they are now, by func, specialization, stage. */
static void read_nests(Proposing *p) {
    p->nests.length = 0;
    for (size_t i = 0; i < p->scheduler->plans.length; i++) {
        const FuncPlan *plan = p->scheduler->plans.data[i];
        int specializations = plan->specialize ? (int)plan->specialize->arguments.length : 1;
        for (int z = 0; z < specializations; z++)
            for (size_t j = 0; j < plan->func->stages.length; j++)
                vec_push(p->arena, &p->nests,
                         nest_read(p->scheduler, compute_of(p->scheduler, plan->func, z),
                                   plan->func, (int)j));
    }
}

static void propose(const Proposing *p, DirectiveKind kind, const FuncPlan *only) {
    const Proposer *of_loops = &loop_proposers[kind];
    const Proposer *proposer = of_loops->of_loop ? of_loops : &func_proposers[kind];
    for (size_t i = 0; proposer->of_func && i < p->scheduler->plans.length; i++)
        if (!only || p->scheduler->plans.data[i] == only)
            proposer->of_func(p, p->scheduler->plans.data[i]);
    for (size_t i = 0; proposer->of_loop && i < p->nests.length; i++)
        for (size_t l = 0; l < p->nests.data[i]->loops.length; l++)
            proposer->of_loop(p, p->nests.data[i], l);
}

void propose_phase(Proposing *p, Phase phase, const FuncPlan *only) {
    bool has_nests = false, was_silent = p->scheduler->resolver.silent;
    p->scheduler->resolver.silent = true;
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++) {
        Phase own = directive_info((DirectiveKind)kind)->phase;
        if (!(p->choices->kinds >> kind & 1) ||
            (own != phase && (own != PHASE_SUGAR || phase != PHASE_LOOPS)))
            continue;
        if (!has_nests && phase >= PHASE_LOOPS)
            read_nests(p);
        has_nests = true;
        propose(p, (DirectiveKind)kind, only);
    }
    p->scheduler->resolver.silent = was_silent;
}
