/* schedule.c -- schedules: expands sugar, sorts primitives by phase, applies them one by one.
 *
 *   schedule_expand   Phases 0 to 3 in written order; sugar becomes primitives where it stands.
 *                     Phases 4 and 5 from the last-defined func to the first.  Phase 0 is applied
 *                     to the algorithm at once, because later directives name its funcs.  Then
 *                     funcs that share loops become neighbours (group.c).
 *   schedule_apply    Phases 1 to 5 on a program: each directive is checked and applied, and in
 *                     debug builds verified.  Then come the rules that need finished nests and
 *                     levels.
 *
 * Any prefix of the list is itself a schedule, and is judged as one.
 */
#include "schedule/directives/atomic.h"
#include "schedule/directive_record.h"
#include "schedule/reduction_loops.h"

#include "ir/verify.h"
#include "ir/walk.h"

static Phase phase_of(const Directive *directive) {
    return directive_info(directive->kind)->phase;
}

/* ---- expansion ---- */

typedef struct Expander {
    Resolver resolver;
    Nests nests;
    Directives *primitives;
} Expander;

/* Copies the directive and writes the stage into each loop, as the program has it. */
static bool with_resolved_loops(const Resolver *resolver, const Directive *directive,
                                Directive *resolved) {
    *resolved = directive_copy(resolver->arena, directive);
    for (size_t i = 0; i < resolved->arguments.length; i++) {
        DirectiveArgument *argument = &resolved->arguments.data[i];
        LoopName name;
        if (argument->kind != ARGUMENT_LOOP)
            continue;
        if (!resolve_loop(resolver, argument, &name))
            return false;
        argument->loop.stage = name.stage;
    }
    return true;
}

static bool expand_one(Expander *expander, const Directive *directive) {
    Resolver *resolver = &expander->resolver;
    const DirectiveRecord *record = directive_record(directive->kind);
    if (record->expand) {
        SugarExpansion expansion = {resolver, directive->place, expander->primitives};
        return record->expand(&expansion, directive);
    }
    Directive primitive;
    if (!with_resolved_loops(resolver, directive, &primitive) ||
        (record->follow && !record->follow(resolver, &primitive)))
        return false;
    vec_push(resolver->arena, expander->primitives, primitive);
    return true;
}

static bool belongs(const Directive *directive, Phase phase) {
    Phase own = phase_of(directive);
    return own == phase || (phase == PHASE_LOOPS && own == PHASE_SUGAR);
}

/* Expands one phase up to the first mistake: later directives may name loops that it did not
 * make. */
static bool expand_phase(Expander *expander, const Schedule *schedule, Phase phase) {
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (belongs(directive, phase) && !expand_one(expander, directive))
            return false;
    }
    return true;
}

/* The directives of one phase by func, for the walk from the last func to the first. */
typedef struct FuncDirectives {
    Vec(const Directive *) directives;
} FuncDirectives;

static bool expand_levels(Expander *expander, const Schedule *schedule, Phase phase) {
    Resolver *resolver = &expander->resolver;
    const Pipeline *pipeline = resolver->pipeline;
    Map by_func = map_create(resolver->arena);
    bool sound = true;
    for (size_t i = 0; i < schedule->directives.length; i++) {
        const Directive *directive = &schedule->directives.data[i];
        if (phase_of(directive) != phase)
            continue;
        DirectiveArgument subject = directive_subject(directive);
        const Func *func = resolve_func(resolver, &subject);
        if (!func) {
            sound = false;
            continue;
        }
        FuncDirectives *of = map_get(&by_func, func);
        if (!of) {
            of = arena_new(resolver->arena, FuncDirectives);
            map_put(&by_func, func, of);
        }
        vec_push(resolver->arena, &of->directives, directive);
    }
    for (size_t f = pipeline->funcs.length; f-- > 0;) {
        const FuncDirectives *of = map_get(&by_func, pipeline->funcs.data[f]);
        for (size_t i = 0; of && i < of->directives.length; i++) {
            Directive primitive;
            if (with_resolved_loops(resolver, of->directives.data[i], &primitive))
                vec_push(resolver->arena, expander->primitives, primitive);
            else
                sound = false;
        }
    }
    return sound;
}

static bool expand_phases(Expander *expander, const ReductionLoops *reductions,
                          Schedule *schedule) {
    for (int phase = PHASE_SPECIALIZE; phase <= PHASE_LOOPS; phase++)
        if (!expand_phase(expander, schedule, (Phase)phase))
            return false;
    reduction_loops_place(reductions, &expander->resolver, expander->primitives, schedule);
    bool sound = expand_levels(expander, schedule, PHASE_COMPUTE);
    sound &= expand_levels(expander, schedule, PHASE_STORAGE);
    return sound;
}

static const Pipeline *expand(const Pipeline *pipeline, const Schedule *schedule, size_t limit,
                              Arena *arena, Directives *primitives) {
    Expander expander = {.resolver = resolver_create(arena, pipeline),
                         .nests = {pipeline->pool->context, arena, map_create(arena)},
                         .primitives = primitives};
    nests_resolve_with(&expander.nests, &expander.resolver);
    if (!schedule)
        return recurrences_realise(&expander.resolver, NULL, limit, primitives);
    atomic_collect(&expander.resolver, &schedule->directives);
    ReductionLoops reductions = reduction_loops_create(arena);
    Schedule later = *schedule;
    later.directives = (Directives){0};
    const Pipeline *rewritten =
        algorithm_rewrite(&expander.resolver, schedule, limit, primitives, &reductions, &later);
    if (!rewritten || primitives->length >= limit)
        return rewritten;
    expander.resolver.pipeline = rewritten = group_sort(&expander.resolver, &later.directives);
    if (!rewritten || !expand_phases(&expander, &reductions, &later))
        return NULL;
    if (primitives->length > limit)
        primitives->length = limit;
    return rewritten;
}

const Pipeline *schedule_expand(const Pipeline *pipeline, const Schedule *schedule, size_t limit,
                                Arena *arena, Directives *primitives) {
    const Pipeline *rewritten = expand(pipeline, schedule, limit, arena, primitives);
    if (rewritten)
        pipeline_mark_shared(rewritten, arena);
    return rewritten;
}

/* ---- application ---- */

static int count_specializations(void *data, const Func *func) {
    const Scheduler *scheduler = data;
    const Directive *given = scheduler_plan(scheduler, func->shape->name)->specialize;
    return given ? (int)given->arguments.length - 1 : 0;
}

static LoopNest *nest_of_statements(void *data, const Func *func, int specialization, int stage) {
    const Scheduler *scheduler = data;
    return nest_read(scheduler, compute_of(scheduler, func, specialization), func, stage);
}

static void make_plans(Scheduler *scheduler) {
    Arena *arena = scheduler->resolver.arena;
    const Pipeline *pipeline = scheduler->resolver.pipeline;
    for (size_t i = 0; i < pipeline->funcs.length; i++) {
        FuncPlan *plan = arena_new(arena, FuncPlan);
        plan->func = pipeline->funcs.data[i];
        plan->sites = program_func(scheduler->program, plan->func->shape->name);
        plan->order = i;
        vec_push(arena, &scheduler->plans, plan);
        map_put(&scheduler->by_name, plan->func->shape->name, plan);
    }
}

/* Adds each stage of another func that reads a func to that func's consumers, once. */
static void add_consumers(Scheduler *scheduler, Arena *scratch, FuncPlan *reader,
                          const Stage *stage) {
    Exprs accesses = {0};
    stage_accesses(scratch, reader->func, stage, &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Expr access = accesses.data[i];
        FuncPlan *read = scheduler_plan(scheduler, access->name);
        if (!read || read == reader)
            continue;
        size_t count = read->consumers.length;
        if (count && read->consumers.data[count - 1].stage == stage)
            continue;
        Consumer consumer = {reader, stage, access};
        vec_push(scheduler->resolver.arena, &read->consumers, consumer);
    }
}

static void find_consumers(Scheduler *scheduler) {
    Arena *scratch = arena_create(&scheduler->resolver.context->memory);
    for (size_t i = 0; i < scheduler->plans.length; i++) {
        FuncPlan *plan = scheduler->plans.data[i];
        for (size_t j = 0; j < plan->func->stages.length; j++)
            add_consumers(scheduler, scratch, plan, plan->func->stages.data[j]);
    }
    arena_destroy(scratch);
}

/* Verifies Lemmas 6.1 and 6.2.  Debug builds only: the check walks the whole program each time. */
static void verify(const Scheduler *scheduler, const Directive *directive) {
#ifdef HLC_CHECKS_DIRECTIVES
    Arena *scratch = arena_create(&scheduler->resolver.context->memory);
    const char *fault = program_verify(scratch, scheduler->program, true);
    hlc_assert(!fault, arena_format(scratch, "%s keeps the program well formed; the verifier: %s",
                                    directive_text(scratch, directive), fault));
    arena_destroy(scratch);
#else
    (void)scheduler;
    (void)directive;
#endif
}

static bool apply_one(Scheduler *scheduler, const Directive *directive) {
    const DirectiveRecord *record = directive_record(directive->kind);
    hlc_assert(record->apply, "sugar is expanded before it is applied");
    if (directive->place.line)
        scheduler->program->pool->context->at = directive->place;
    if (!record->check(scheduler, directive))
        return false;
    record->apply(scheduler, directive);
    verify(scheduler, directive);
    return true;
}

/* The state of applying primitives to a program. */
typedef struct Application {
    Scheduler *scheduler;
    const Directives *primitives;
    size_t next, end;
    LegalSearch *search; /* null: no search for legal directives runs */
} Application;

/* Returns the next directive if it belongs to the phase and, with `only`, to that func. */
static const Directive *next_of(const Application *a, Phase phase, const FuncPlan *only) {
    const Directive *next = a->next < a->end ? &a->primitives->data[a->next] : NULL;
    bool belongs = next && phase_of(next) == phase &&
                   (!only || directive_subject(next).name == only->func->shape->name);
    return belongs ? next : NULL;
}

/* Applies all directives of one phase (and func) in order.  A mistake in the phase LOOPS ends the
 * phase.  In other phases directives are independent enough to look for more mistakes. */
static bool apply_phase(Application *a, Phase phase, const FuncPlan *only) {
    bool sound = true;
    for (const Directive *next; (next = next_of(a, phase, only)); a->next++)
        if (!apply_one(a->scheduler, next)) {
            sound = false;
            if (phase == PHASE_SPECIALIZE || phase == PHASE_LOOPS)
                return false;
        }
    if (a->search)
        legal_list_phase(a->search, phase, only);
    return sound;
}

/* Applies a phase of levels, from the last-defined func to the first. */
static bool apply_levels(Application *a, Phase phase) {
    bool sound = true;
    for (size_t f = a->scheduler->plans.length; f-- > 0;)
        sound &= apply_phase(a, phase, a->scheduler->plans.data[f]);
    return sound;
}

static Scheduler *scheduler_create(Program *program, const Pipeline *pipeline,
                                   const Directives *primitives, BoundRequests *bounds) {
    Arena *arena = program->arena;
    Scheduler *scheduler = arena_new(arena, Scheduler);
    scheduler->program = program;
    scheduler->pool = program->pool;
    scheduler->bounds = bounds;
    scheduler->by_name = map_create(arena);
    scheduler->shared = map_create(arena);
    scheduler->resolver = resolver_create(arena, pipeline);
    scheduler->resolver.data = scheduler;
    scheduler->resolver.specializations = count_specializations;
    scheduler->resolver.nest = nest_of_statements;
    for (size_t i = 0; i < primitives->length; i++)
        if (primitives->data[i].kind == DIRECTIVE_INLINE)
            map_put(&scheduler->resolver.inlined, directive_argument(&primitives->data[i], 0)->name,
                    &primitives->data[i]);
    make_plans(scheduler);
    find_consumers(scheduler);
    return scheduler;
}

static bool apply_all(Application *a) {
    if (a->search)
        legal_list_phase(a->search, PHASE_ALGORITHM, NULL);
    if (!apply_phase(a, PHASE_SPECIALIZE, NULL) || !apply_phase(a, PHASE_BOUNDS, NULL))
        return false;
    bound_partial_results(a->scheduler, a->primitives);
    if (!apply_phase(a, PHASE_LOOPS, NULL))
        return false;
    bool sound = traverse_judge(a->scheduler);
    sound &= split_judge(a->scheduler);
    sound &= atomic_judge(a->scheduler);
    sound &= apply_levels(a, PHASE_COMPUTE);
    levels_unroll(a->scheduler);
    sound = sound && apply_levels(a, PHASE_STORAGE);
    sound = sound && levels_judge(a->scheduler);
    hlc_assert(!sound || a->next == a->end, "primitives are sorted by phase, levels by func");
    return sound;
}

/* Counts the primitives that schedule_expand has applied. */
static size_t count_rewrites(const Directives *primitives) {
    size_t count = 0;
    while (count < primitives->length && phase_of(&primitives->data[count]) <= PHASE_ALGORITHM)
        count++;
    return count;
}

bool schedule_apply(Program *program, const Pipeline *pipeline, const Directives *primitives,
                    size_t count, BoundRequests *bounds) {
    size_t first = count_rewrites(primitives), left = primitives->length - first;
    Application a = {scheduler_create(program, pipeline, primitives, bounds), primitives, first,
                     first + (count < left ? count : left), NULL};
    bool sound = apply_all(&a);
    if (sound && count >= left) {
        specialize_warn(program->pool->context, primitives);
        split_warn(a.scheduler);
    }
    return sound;
}

bool schedule_list_legal(Program *program, const Pipeline *pipeline, const Directives *primitives,
                         BoundRequests *bounds, const DirectiveChoices *choices,
                         Directives *legal) {
    Scheduler *scheduler = scheduler_create(program, pipeline, primitives, bounds);
    LegalSearch search = {
        .scheduler = scheduler, .arena = program->arena, .choices = choices, .legal = legal};
    Application a = {scheduler, primitives, count_rewrites(primitives), primitives->length,
                     &search};
    return apply_all(&a);
}
