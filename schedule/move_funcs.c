/* move_funcs.c -- what could be said of funcs: what becomes of their definitions, and where and how
 * much of them is computed and stored.
 */
#include "schedule/proposal.h"
#include "schedule/reduction_loops.h"
#include "schedule/reorder_reduction.h"

/* ---- definitions ---- */

static void propose_of_func(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                            ProposalCheck *check) {
    Directive *directive = proposal_begin(p, kind);
    proposal_put_func(p, directive, plan->func->shape->name);
    proposal_offer(p, directive, check);
}

static bool check_inline(Scheduler *scheduler, const Directive *directive) {
    return inline_check(&scheduler->resolver, directive);
}

static void propose_inline(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_INLINE, check_inline);
}

static bool check_eager(Scheduler *scheduler, const Directive *directive) {
    return eager_check(&scheduler->resolver, directive);
}

static void propose_eager(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_EAGER, check_eager);
}

/* A name that nothing in the pipeline has: the func's with an ending, and a number if need be. */
static Symbol fresh_func_name(const Proposing *p, Symbol func, const char *ending) {
    Context *context = p->scheduler->resolver.context;
    const Pipeline *pipeline = p->scheduler->resolver.pipeline;
    const Signature *signature = &pipeline->signature;
    Symbol name = symbol_format(&context->symbols, "%s_%s", func->text, ending);
    for (int n = 1;
         pipeline_func(pipeline, name) || signature_image(signature, name) ||
         signature_parameter(signature, name) || map_get(&p->scheduler->resolver.inlined, name);
         n++)
        name = symbol_format(&context->symbols, "%s_%s%d", func->text, ending, n);
    return name;
}

static void offer_wrap(const Proposing *p, Symbol wrapped, const FuncPlan *consumer) {
    Directive *directive = proposal_begin(p, DIRECTIVE_WRAP);
    proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = wrapped});
    if (consumer)
        proposal_put_func(p, directive, consumer->func->shape->name);
    proposal_put_name(p, directive, fresh_func_name(p, wrapped, "w"));
    vec_push(p->arena, p->moves, *directive);
}

/* The func for all that read it, and what it reads for it alone. */
static void propose_wrap(const Proposing *p, const FuncPlan *plan) {
    Symbol own = plan->func->shape->name;
    Map seen = map_create(p->arena);
    map_put(&seen, own, own);
    if (plan->consumers.length)
        offer_wrap(p, own, NULL);
    for (size_t j = 0; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        for (size_t i = 0; i < stage->sites.length; i++) {
            Symbol read = stage->sites.data[i].access->name;
            if (!map_get(&seen, read))
                offer_wrap(p, read, plan);
            map_put(&seen, read, read);
        }
    }
}

/* ---- reductions ---- */

static bool check_rfactor(Scheduler *scheduler, const Directive *directive) {
    return rfactor_check(&scheduler->resolver, directive);
}

static bool check_split_reduction(Scheduler *scheduler, const Directive *directive) {
    return split_reduction_check(&scheduler->resolver, directive);
}

static void put_reduction(const Proposing *p, Directive *directive, const FuncPlan *plan,
                          const Stage *stage, size_t r) {
    LoopReference loop = {.func = plan->func->shape->name,
                          .variable = stage->reduction.data[r].variable,
                          .stage = stage->number};
    proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = loop});
}

/* Each variable alone, and the two outermost; the new dimensions have the variables' names. */
static void propose_rfactor(const Proposing *p, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        size_t count = stage->reduction.length;
        for (size_t r = 0; r < count + (count > 1); r++) {
            Directive *rfactor = proposal_begin(p, DIRECTIVE_RFACTOR);
            for (size_t k = r < count ? r : count - 2; k <= r && k < count; k++) {
                put_reduction(p, rfactor, plan, stage, k);
                proposal_put_name(p, rfactor, stage->reduction.data[k].variable);
            }
            proposal_put_name(p, rfactor, fresh_func_name(p, plan->func->shape->name, "p"));
            proposal_offer(p, rfactor, check_rfactor);
        }
    }
}

static void propose_split_reduction(const Proposing *p, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        const Nest *nest =
            nest_initial(p->scheduler->resolver.context, p->arena, plan->func, 0, stage->number);
        size_t count = stage->reduction.length;
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < p->choices->factors.length; i++) {
                size_t position = nest->loops.length - 1 - r; /* the first-named is innermost */
                Directive *split = proposal_begin(p, DIRECTIVE_SPLIT_REDUCTION);
                put_reduction(p, split, plan, stage, r);
                proposal_put_name(p, split, proposal_fresh_name(p, nest, position, "_o"));
                proposal_put_name(p, split, proposal_fresh_name(p, nest, position, "_i"));
                proposal_put_number(p, split, &p->choices->factors.data[i]);
                proposal_offer(p, split, check_split_reduction);
            }
    }
}

static void propose_atomic(const Proposing *p, const FuncPlan *plan) {
    for (size_t j = 1; j < plan->func->stages.length; j++) {
        const Stage *stage = plan->func->stages.data[j];
        if (!stage->reduction.length)
            continue;
        Directive *atomic = proposal_begin(p, DIRECTIVE_ATOMIC);
        LoopReference of = {.func = plan->func->shape->name, .stage = stage->number};
        proposal_put(p, atomic, (DirectiveArgument){.kind = ARGUMENT_STAGE, .loop = of});
        proposal_offer(p, atomic, atomic_check);
    }
}

static void propose_specialize(const Proposing *p, const FuncPlan *plan) {
    for (size_t i = 0; i < p->choices->conditions.length; i++) {
        Directive *specialize = proposal_begin(p, DIRECTIVE_SPECIALIZE);
        proposal_put_func(p, specialize, plan->func->shape->name);
        proposal_put_number(p, specialize, &p->choices->conditions.data[i]);
        proposal_offer(p, specialize, specialize_check);
    }
}

/* With one number, and with two where there is a second list. */
static void propose_bounds(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                           const MoveNumbers *first, const MoveNumbers *second, bool needs_second) {
    const FuncShape *shape = plan->func->shape;
    size_t seconds = second ? second->length : 0;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < first->length; i++)
            for (size_t j = needs_second; j <= seconds; j++) {
                Directive *directive = proposal_begin(p, kind);
                proposal_put_func(p, directive, plan->func->shape->name);
                proposal_put_name(p, directive, shape->variables[d]);
                proposal_put_number(p, directive, &first->data[i]);
                if (j)
                    proposal_put_number(p, directive, &second->data[j - 1]);
                proposal_offer(p, directive, bound_check);
            }
}

static void propose_bound(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_BOUND, &p->choices->minima, &p->choices->lengths, true);
}

static void propose_bound_extent(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_BOUND_EXTENT, &p->choices->lengths, NULL, false);
}

static void propose_align_bounds(const Proposing *p, const FuncPlan *plan) {
    propose_bounds(p, plan, DIRECTIVE_ALIGN_BOUNDS, &p->choices->moduli, &p->choices->remainders,
                   false);
}

static void propose_fold_storage(const Proposing *p, const FuncPlan *plan) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < p->choices->factors.length; i++) {
            Directive *directive = proposal_begin(p, DIRECTIVE_FOLD_STORAGE);
            proposal_put_func(p, directive, plan->func->shape->name);
            proposal_put_name(p, directive, shape->variables[d]);
            proposal_put_number(p, directive, &p->choices->factors.data[i]);
            proposal_offer(p, directive, fold_storage_check);
        }
}

static void propose_compute_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_COMPUTE_ROOT, compute_root_check);
}

static void propose_store_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_STORE_ROOT, store_root_check);
}

static void propose_level(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                          ProposalCheck *check) {
    for (size_t i = 0; i < p->nests.length; i++)
        for (size_t l = 0; l < p->nests.data[i]->loops.length; l++) {
            Directive *directive = proposal_begin(p, kind);
            proposal_put_func(p, directive, plan->func->shape->name);
            proposal_put_loop(p, directive, p->nests.data[i], l);
            proposal_offer(p, directive, check);
        }
}

static void propose_compute_at(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_COMPUTE_AT, compute_at_check);
}

static void propose_store_at(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_STORE_AT, store_at_check);
}

static void propose_hoist_storage(const Proposing *p, const FuncPlan *plan) {
    propose_level(p, plan, DIRECTIVE_HOIST_STORAGE, hoist_storage_check);
}

static void propose_hoist_storage_root(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_HOIST_STORAGE_ROOT, hoist_storage_root_check);
}

/* Each dimension as the closest, before the one that is. */
static void propose_reorder_storage(const Proposing *p, const FuncPlan *plan) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 1; d < shape->dimensions; d++) {
        Directive *directive = proposal_begin(p, DIRECTIVE_REORDER_STORAGE);
        proposal_put_func(p, directive, plan->func->shape->name);
        proposal_put_name(p, directive, shape->variables[d]);
        proposal_put_name(p, directive, shape->variables[d - 1]);
        proposal_offer(p, directive, reorder_storage_check);
    }
}

static void propose_store_in(const Proposing *p, const FuncPlan *plan) {
    for (int m = MEMORY_STACK; m <= MEMORY_REGISTER; m++) {
        Directive *directive = proposal_begin(p, DIRECTIVE_STORE_IN);
        proposal_put_func(p, directive, plan->func->shape->name);
        proposal_put(p, directive,
                     (DirectiveArgument){.kind = ARGUMENT_MEMORY, .memory = (MemoryKind)m});
        proposal_offer(p, directive, store_in_check);
    }
}

static void propose_stream(const Proposing *p, const FuncPlan *plan) {
    propose_of_func(p, plan, DIRECTIVE_STREAM, stream_check);
}

static void propose_size(const Proposing *p, const FuncPlan *plan, DirectiveKind kind,
                         const MoveNumbers *numbers) {
    const FuncShape *shape = plan->func->shape;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < numbers->length; i++) {
            Directive *directive = proposal_begin(p, kind);
            proposal_put_func(p, directive, plan->func->shape->name);
            proposal_put_name(p, directive, shape->variables[d]);
            proposal_put_number(p, directive, &numbers->data[i]);
            proposal_offer(p, directive, size_storage_check);
        }
}

static void propose_align_storage(const Proposing *p, const FuncPlan *plan) {
    propose_size(p, plan, DIRECTIVE_ALIGN_STORAGE, &p->choices->moduli);
}

static void propose_bound_storage(const Proposing *p, const FuncPlan *plan) {
    propose_size(p, plan, DIRECTIVE_BOUND_STORAGE, &p->choices->lengths);
}

const Proposer func_proposers[DIRECTIVE_COUNT] = {
    [DIRECTIVE_INLINE] = {.of_func = propose_inline},
    [DIRECTIVE_EAGER] = {.of_func = propose_eager},
    [DIRECTIVE_WRAP] = {.of_func = propose_wrap},
    [DIRECTIVE_RFACTOR] = {.of_func = propose_rfactor},
    [DIRECTIVE_SPLIT_REDUCTION] = {.of_func = propose_split_reduction},
    [DIRECTIVE_WAVEFRONT] = {.of_func = wavefront_propose},
    [DIRECTIVE_MERGE_URES] = {.of_func = merge_ures_propose},
    [DIRECTIVE_UNFOLD_STORAGE] = {.of_func = unfold_storage_propose},
    [DIRECTIVE_ATOMIC] = {.of_func = propose_atomic},
    [DIRECTIVE_SPECIALIZE] = {.of_func = propose_specialize},
    [DIRECTIVE_BOUND] = {.of_func = propose_bound},
    [DIRECTIVE_BOUND_EXTENT] = {.of_func = propose_bound_extent},
    [DIRECTIVE_ALIGN_BOUNDS] = {.of_func = propose_align_bounds},
    [DIRECTIVE_COMPUTE_AT] = {.of_func = propose_compute_at},
    [DIRECTIVE_COMPUTE_ROOT] = {.of_func = propose_compute_root},
    [DIRECTIVE_COMPUTE_WITH] = {.of_func = compute_with_propose},
    [DIRECTIVE_STORE_AT] = {.of_func = propose_store_at},
    [DIRECTIVE_STORE_ROOT] = {.of_func = propose_store_root},
    [DIRECTIVE_HOIST_STORAGE] = {.of_func = propose_hoist_storage},
    [DIRECTIVE_HOIST_STORAGE_ROOT] = {.of_func = propose_hoist_storage_root},
    [DIRECTIVE_FOLD_STORAGE] = {.of_func = propose_fold_storage},
    [DIRECTIVE_REORDER_STORAGE] = {.of_func = propose_reorder_storage},
    [DIRECTIVE_STORE_IN] = {.of_func = propose_store_in},
    [DIRECTIVE_STREAM] = {.of_func = propose_stream},
    [DIRECTIVE_ALIGN_STORAGE] = {.of_func = propose_align_storage},
    [DIRECTIVE_BOUND_STORAGE] = {.of_func = propose_bound_storage},
};
