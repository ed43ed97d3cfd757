/* recurrence_moves.c -- what could be said of recurrences.
 *
 * When moves are looked for, equations are funcs already, which know of which they were made.
 * Whether an order of the loops is left, and no circle of nests, is seen when the longer schedule
 * is applied (lower/moves.c).
 */
#include "schedule/proposal.h"

static bool is_taken(const Proposing *p, const Stage *stage, Symbol name) {
    for (size_t r = 0; r < stage->reduction.length; r++)
        if (stage->reduction.data[r].variable == name)
            return true;
    for (size_t i = 0; i < stage->splits.length; i++)
        if (stage->splits.data[i].variable == name)
            return true;
    for (int k = 0; k < MAX_DIMENSIONS; k++)
        if (stage->pure[k] && stage->indices[k]->name == name)
            return true;
    return signature_parameter(&p->scheduler->resolver.pipeline->signature, name) != NULL;
}

static Symbol fresh_front(const Proposing *p, const Stage *stage) {
    SymbolTable *symbols = &p->scheduler->resolver.context->symbols;
    Symbol name = symbol_format(symbols, "front");
    for (int n = 2; is_taken(p, stage, name); n++)
        name = symbol_format(symbols, "front%d", n);
    return name;
}

/* Each two variables of the domain, free ones (needed.c) too. */
void wavefront_propose(const Proposing *p, const FuncPlan *plan) {
    const Func *func = plan->func;
    Vec(Symbol) variables = {0};
    if (!func->realised)
        return;
    const Stage *stage = func->stages.data[1];
    for (size_t r = 0; r < stage->reduction.length; r++)
        vec_push(p->arena, &variables, stage->reduction.data[r].variable);
    for (size_t i = 0; i < stage->splits.length; i++)
        if (stage->splits.data[i].is_predicate)
            vec_push(p->arena, &variables, stage->splits.data[i].value->name);
    for (size_t i = 0; i < variables.length; i++)
        for (size_t j = 0; j < variables.length; j++) {
            if (i == j)
                continue;
            Directive *directive = proposal_begin(p, DIRECTIVE_WAVEFRONT);
            proposal_put_func(p, directive, func->equations.data[0]);
            proposal_put_name(p, directive, variables.data[i]);
            proposal_put_name(p, directive, variables.data[j]);
            proposal_put_name(p, directive, fresh_front(p, stage));
            proposal_offer(p, directive, NULL);
        }
}

/* With each nest of the same recurrence that stands behind. */
void merge_ures_propose(const Proposing *p, const FuncPlan *plan) {
    const Func *func = plan->func;
    for (size_t n = plan->order + 1; func->realised && n < p->scheduler->plans.length; n++) {
        const Func *other = p->scheduler->plans.data[n]->func;
        Directive *directive = proposal_begin(p, DIRECTIVE_MERGE_URES);
        if (other->realised != func->realised)
            continue;
        for (size_t i = 0; i < func->equations.length; i++)
            proposal_put_func(p, directive, func->equations.data[i]);
        for (size_t i = 0; i < other->equations.length; i++)
            proposal_put_func(p, directive, other->equations.data[i]);
        proposal_offer(p, directive, NULL);
    }
}

void unfold_storage_propose(const Proposing *p, const FuncPlan *plan) {
    Directive *directive = proposal_begin(p, DIRECTIVE_UNFOLD_STORAGE);
    if (!plan->func->realised)
        return;
    proposal_put_func(p, directive, plan->func->equations.data[0]);
    proposal_offer(p, directive, NULL);
}
