/* compute_with.c -- compute-with(f.sJ.u, g.sK.v [, alignment]): a stage of f is computed in the
 * loops of a stage of g.  The loops of both nests down to u and v become one, pair by pair:
 *
 *     allocate f                             allocate f
 *     compute f                              allocate g
 *       label f                              compute f
 *         label s0                             label f
 *           for f.y in I do s                    label s0
 *     allocate g                     becomes       compute g
 *     compute g                                      label g
 *       label g                                        label s0
 *         label s0                                       for g.y' in hull of I and J
 *           for g.y in J do t                              label f
 *                                                            let f.y = g.y' in if f.y in I then s
 *                                                          let g.y = g.y' in if g.y in J then t
 *
 * `compute g` stands inside the stage of f.  At the end of `compute f` both are computed, each in
 * its own order of stages, and both are stored outside.  So Lemma 6.2, the regions and the clauses
 * of the certificate treat them as any two funcs.  What is left of f's nest stands under a label
 * with its name, where later directives find its loops.  A second func joins in the same way: its
 * compute statement goes around those that are there.
 *
 * The common loops keep g's names.  Each replaced loop becomes a let whose domain is its interval,
 * and a guard.  Both sink below the other loops of the nest, as in split.  An alignment pairs the
 * first iterations of f and g, or the last ones; without an alignment, iterations of equal numbers
 * pair.  Disjoint intervals are brought next to each other, so there are never more iterations than
 * both loops had.
 *
 * Why it is sound.  f does not read g (group.c), and what g reads of f is there (distance.c).  Each
 * func keeps the order of its iterations: the common loops have the order of either nest, pair by
 * pair.  A pair of parallel loops touches different points in each func, as before.
 */
#include "schedule/directive_record.h"

#include "schedule/directives/pairing.h"

static bool find_pairing(const Scheduler *scheduler, const Directive *directive, Pairing *pairing) {
    const DirectiveArgument *alignment = directive_argument(directive, 2);
    pairing->alignment = alignment ? alignment->alignment : ALIGN_VALUES;
    if (!resolve_loop(&scheduler->resolver, directive_argument(directive, 0),
                      &pairing->guest_loop) ||
        !resolve_loop(&scheduler->resolver, directive_argument(directive, 1), &pairing->host_loop))
        return false;
    pairing->guest = scheduler_plan(scheduler, pairing->guest_loop.func);
    pairing->host = scheduler_plan(scheduler, pairing->host_loop.func);
    return true;
}

/* ---- conditions on the funcs ---- */

static bool refuse_funcs(const Scheduler *scheduler, const Directive *directive,
                         const Pairing *pairing, const char *reason, const char *remedy) {
    return refuse(&scheduler->resolver, DIAG_COMPUTE_WITH_FUNC, directive->place,
                  pairing->guest_loop.func->text, pairing->host_loop.func->text, reason, remedy);
}

static bool is_guest(const FuncPlan *plan) {
    return plan->compute && plan->compute->kind == DIRECTIVE_COMPUTE_WITH;
}

static bool check_funcs(const Scheduler *scheduler, const Directive *directive,
                        const Pairing *pairing) {
    Arena *arena = scheduler->resolver.arena;
    const FuncPlan *guest = pairing->guest, *host = pairing->host,
                   *special = guest->specialize ? guest : host,
                   *eager = guest->func->definition ? guest : host;
    if (guest == host)
        return refuse_funcs(scheduler, directive, pairing, "they are the same func",
                            "name loops of two funcs");
    if (is_guest(guest))
        return refuse_funcs(
            scheduler, directive, pairing,
            arena_format(arena,
                         "a stage of %s shares loops already, and the other stages of %s run "
                         "before and after all of %s",
                         pairing->guest_loop.func->text, pairing->guest_loop.func->text,
                         guest->compute->arguments.data[1].loop.func->text),
            "leave one of the two, or make a func of each stage that shares loops");
    if (guest->compute)
        return refuse(&scheduler->resolver, DIAG_COMPUTE_TWICE, directive->place,
                      pairing->guest_loop.func->text);
    if (special->specialize)
        return refuse_funcs(
            scheduler, directive, pairing,
            arena_format(arena, "%s is specialized", special->func->shape->name->text),
            "specialize the func that reads them, and compute both in a loop of it");
    if (eager->func->definition)
        return refuse_funcs(scheduler, directive, pairing,
                            arena_format(arena, "%s is eager, and has no loops where it runs",
                                         eager->func->shape->name->text),
                            "leave this directive out, or `eager`");
    if (is_guest(host) || host->order < guest->order)
        return refuse_funcs(scheduler, directive, pairing,
                            arena_format(arena, "%s is computed in the loops of another func",
                                         pairing->host_loop.func->text),
                            "name a loop of that func");
    return true;
}

/* ---- several outputs ---- */

/* Does every stage have a loop that runs no iteration if the region is empty? */
static bool runs_on_region(const FuncPlan *plan) {
    for (size_t j = 0; j < plan->func->stages.length; j++) {
        bool has_loop = false;
        for (int k = 0; k < plan->func->shape->dimensions; k++)
            has_loop |= plan->func->stages.data[j]->pure[k];
        if (!has_loop)
            return false;
    }
    return true;
}

/* Does every output need the func? */
static bool is_needed_by_all(const Scheduler *scheduler, FuncPlan *plan) {
    Arena *arena = scheduler->resolver.arena;
    const Outputs *outputs = &scheduler->resolver.pipeline->signature.outputs;
    Map readers = map_create(arena); /* the func itself is among them */
    Vec(FuncPlan *) open = {0};
    vec_push(arena, &open, plan);
    while (open.length) {
        FuncPlan *next = open.data[--open.length];
        if (map_get(&readers, next->func->shape->name))
            continue;
        map_put(&readers, next->func->shape->name, next);
        for (size_t i = 0; i < next->consumers.length; i++)
            vec_push(arena, &open, next->consumers.data[i].plan);
    }
    for (size_t i = 0; i < outputs->length; i++)
        if (!map_get(&readers, outputs->data[i].func))
            return false;
    return true;
}

/* A func that only some outputs need must compute nothing when their windows are empty.  No `if`
 * can stand around shared loops, so the regions must be empty then. */
static bool check_outputs(const Scheduler *scheduler, const Directive *directive,
                          const Pairing *pairing) {
    const Resolver *resolver = &scheduler->resolver;
    FuncPlan *const plans[] = {pairing->guest, pairing->host};
    for (int i = 0; i < 2 && resolver->pipeline->signature.outputs.length > 1; i++)
        if (!runs_on_region(plans[i]) && !is_needed_by_all(scheduler, plans[i]))
            return refuse_funcs(
                scheduler, directive, pairing,
                arena_format(resolver->arena,
                             "not all outputs need %s, and a stage of it has no loop over a "
                             "dimension, which an empty region would keep from running",
                             plans[i]->func->shape->name->text),
                "leave this directive out");
    return true;
}

/* Returns the innermost loop around the host and all funcs in its loops; null at root. */
static const Stmt *level_of(const FuncPlan *host) {
    const Stmt *level = stmt_parent(stmt_group(host->sites->computes.data[0]));
    hlc_assert(!level || level->kind == STMT_FOR,
               "what is not specialized is computed at root, or where an iteration begins");
    return level;
}

/* Checks that the guest can go to the place where the host is computed. */
static bool check_place(const Scheduler *scheduler, const Directive *directive,
                        const Pairing *pairing) {
    const FuncPlan *guest = pairing->guest;
    const Stmt *level = level_of(pairing->host);
    if (!level)
        return true;
    if (guest->func->shape->is_output)
        return refuse(&scheduler->resolver, DIAG_LEVEL_OF_OUTPUT,
                      directive_argument(directive, 0)->place, guest->func->shape->name->text);
    return compute_at_dominates(scheduler, directive, guest, &level->loop.name) &&
           compute_at_has_room(scheduler, directive, guest, pairing->host->sites->computes.length);
}

/* ---- conditions on the loops ---- */

static bool refuse_loops(const Scheduler *scheduler, const Directive *directive,
                         const Pairing *pairing, const char *reason) {
    const Resolver *resolver = &scheduler->resolver;
    size_t position;
    return refuse(resolver, DIAG_COMPUTE_WITH_LOOPS, directive->place,
                  loop_text(resolver, &pairing->guest_loop),
                  loop_text(resolver, &pairing->host_loop), reason,
                  nest_text(resolver, nest_of(resolver, &pairing->guest_loop, &position)),
                  nest_text(resolver, nest_of(resolver, &pairing->host_loop, &position)));
}

static bool check_pair(const Scheduler *scheduler, const Directive *directive,
                       const Pairing *pairing, const Stmt *guest, const Stmt *host) {
    const Resolver *resolver = &scheduler->resolver;
    Traversal traversal = host->loop.traversal;
    const char *guest_text = loop_text(resolver, &guest->loop.name),
               *host_text = loop_text(resolver, &host->loop.name);
    int64_t length;
    if (guest->loop.traversal != traversal)
        return refuse_loops(scheduler, directive, pairing,
                            arena_format(resolver->arena, "%s is %s and %s is %s", guest_text,
                                         traversal_text(guest->loop.traversal), host_text,
                                         traversal_text(traversal)));
    for (int i = 0; i < 2; i++) {
        const Stmt *loop = i ? guest : host;
        if (traversal == TRAVERSE_PARALLEL && !loop->loop.pure && !loop->loop.independent)
            return refuse_loops(scheduler, directive, pairing,
                                arena_format(resolver->arena,
                                             "%s is a parallel loop of an update that is atomic",
                                             i ? guest_text : host_text));
    }
    if (traversal != TRAVERSE_VECTORIZED && traversal != TRAVERSE_UNROLLED)
        return true;
    bool is_constant = loop_has_constant_length(scheduler, guest->loop.interval.length, &length) &&
                       loop_has_constant_length(scheduler, host->loop.interval.length, &length) &&
                       (pairing->alignment != ALIGN_VALUES ||
                        guest->loop.interval.minimum == host->loop.interval.minimum);
    return is_constant ||
           refuse_loops(scheduler, directive, pairing,
                        arena_format(resolver->arena,
                                     "%s and %s are %s, and are not known to begin at one value, "
                                     "on which their common length depends (align-start helps)",
                                     guest_text, host_text, traversal_text(traversal)));
}

static bool check_loops(const Scheduler *scheduler, const Directive *directive,
                        const Pairing *pairing) {
    const Resolver *resolver = &scheduler->resolver;
    size_t guest_depth, host_depth;
    const LoopNest *guest = nest_of(resolver, &pairing->guest_loop, &guest_depth),
                   *host = nest_of(resolver, &pairing->host_loop, &host_depth);
    if (guest_depth != host_depth)
        return refuse_loops(scheduler, directive, pairing, "they are not equally deep");
    for (size_t i = 0; i <= guest_depth; i++) {
        LoopName a = nest_loop_name(guest, guest->loops.data[i].variable),
                 b = nest_loop_name(host, host->loops.data[i].variable);
        if (!check_pair(scheduler, directive, pairing, loop_named(scheduler, &a),
                        loop_named(scheduler, &b)))
            return false;
    }
    return true;
}

bool compute_with_check(Scheduler *scheduler, const Directive *directive) {
    Pairing pairing;
    return find_pairing(scheduler, directive, &pairing) &&
           check_funcs(scheduler, directive, &pairing) &&
           check_outputs(scheduler, directive, &pairing) &&
           check_place(scheduler, directive, &pairing) &&
           check_loops(scheduler, directive, &pairing) &&
           pairing_check_reads(scheduler, directive, &pairing);
}

/* ---- a pair of loops becomes one ---- */

/* Returns the start of the guest's interval in the host's count. */
static Expr start_of(Pool *pool, Alignment alignment, Extent guest, Extent host) {
    switch (alignment) {
    case ALIGN_START:
        return host.minimum;
    case ALIGN_END:
        return expr_sub(pool, end_of(pool, host), guest.length);
    case ALIGN_VALUES:
    case ALIGNMENT_COUNT:
        break;
    }
    if (guest.minimum == host.minimum)
        return guest.minimum;
    Expr least = expr_sub(pool, host.minimum, guest.length);
    return expr_min(pool, expr_max(pool, guest.minimum, least), end_of(pool, host));
}

/* Returns the interval that holds all iterations of both, in the host's count. */
static Extent hull_of(Pool *pool, Expr start, Extent guest, Extent host) {
    if (start == host.minimum)
        return (Extent){start, expr_max(pool, guest.length, host.length)};
    Expr first = expr_min(pool, start, host.minimum),
         end = expr_max(pool, plus(pool, start, guest.length), end_of(pool, host));
    return (Extent){first, expr_sub(pool, end, first)};
}

/* Wraps the block: it runs only if the variable, now `value`, lies in its own loop's interval. */
static void sink_variable(Scheduler *scheduler, Block *body, Symbol binder, Expr value,
                          Extent domain, Place place) {
    Pool *pool = scheduler->pool;
    Expr variable = expr_variable(pool, binder, INDEX);
    sink_guard(scheduler, body, expr_lt(pool, variable, end_of(pool, domain)), place);
    sink_guard(scheduler, body, expr_le(pool, domain.minimum, variable), place);
    sink_let(scheduler, body, binder, value, domain, TAIL_INSIDE, place);
}

static bool fetches(const Stmt *loop, Symbol name) {
    const Prefetch *prefetch = loop->loop.prefetches;
    while (prefetch && prefetch->name != name)
        prefetch = prefetch->next;
    return prefetch;
}

static void add_prefetches(Scheduler *scheduler, Stmt *loop, const Stmt *from) {
    for (const Prefetch *prefetch = from->loop.prefetches; prefetch; prefetch = prefetch->next) {
        if (fetches(loop, prefetch->name))
            continue;
        Prefetch *copy = arena_new(scheduler->program->arena, Prefetch);
        *copy = *prefetch;
        copy->next = loop->loop.prefetches;
        loop->loop.prefetches = copy;
    }
}

/* Gives the loop a new variable.  The old one becomes a let in `rest`, the rest of the nest. */
static void share_loop(Scheduler *scheduler, Stmt *loop, Block *rest, Place place) {
    Context *context = scheduler->resolver.context;
    Symbol own = loop->loop.binder;
    if (map_get(&scheduler->shared, loop))
        return;
    map_put(&scheduler->shared, loop, loop);
    loop->loop.binder =
        symbol_fresh(&context->symbols, loop_symbol(context, &loop->loop.name)->text);
    sink_variable(scheduler, rest, own, expr_variable(scheduler->pool, loop->loop.binder, INDEX),
                  loop->loop.interval, place);
}

static void merge(Scheduler *scheduler, const Directive *directive, Alignment alignment,
                  Stmt *guest, Stmt *host, Block *guest_rest) {
    Pool *pool = scheduler->pool;
    Extent own = guest->loop.interval, common = host->loop.interval;
    Expr start = start_of(pool, alignment, own, common),
         value = expr_variable(pool, host->loop.binder, INDEX);
    if (start != own.minimum)
        value = expr_add(pool, value, expr_sub(pool, own.minimum, start));
    sink_variable(scheduler, guest_rest, guest->loop.binder, value, own, directive->place);
    host->loop.interval = hull_of(pool, start, own, common);
    host->loop.pure &= guest->loop.pure;
    host->loop.independent |= guest->loop.independent;
    add_prefetches(scheduler, host, guest);
}

/* ---- the nests ---- */

/* Returns the loops from the outermost one of the stage down to the named one. */
static LoopStmts loops_down_to(const Scheduler *scheduler, Stmt *compute, const LoopName *last) {
    LoopStmts loops = {0};
    Stmt *loop = loop_outermost(compute, last->stage);
    for (; loop->loop.name.variable != last->variable; loop = loop_inside(loop))
        vec_push(scheduler->resolver.arena, &loops, loop);
    vec_push(scheduler->resolver.arena, &loops, loop);
    return loops;
}

/* Returns the block below a common loop to which lets and guards sink. */
static Block *innermost_body(Stmt *loop) {
    return &loop_innermost(loop)->loop.body;
}

static void join(Scheduler *scheduler, const Directive *directive, const Pairing *pairing,
                 MovedFunc moved, Stmt *compute) {
    Stmt *group = stmt_group(compute);
    LoopStmts guest = loops_down_to(scheduler, moved.compute, &pairing->guest_loop),
              host = loops_down_to(scheduler, compute, &pairing->host_loop);
    Stmt *inner = guest.data[guest.length - 1], *outer = guest.data[0],
         *common = host.data[host.length - 1];
    for (size_t i = host.length; i-- > 0;)
        share_loop(scheduler, host.data[i], innermost_body(common), directive->place);

    Stmt *label = stmt_create(scheduler->program, STMT_LABEL, directive->place);
    label->label.name = pairing->guest_loop.func;
    Block *stage = outer->block,
          *rest = loop_inside(inner) ? innermost_body(inner) : &label->label.body;
    block_move_all(&label->label.body, &inner->loop.body);
    stmt_insert_before(group, moved.allocate);
    stmt_insert_before(group, moved.compute);
    stmt_unlink(group);
    stmt_unlink(outer);
    block_append(stage, group);
    block_prepend(&common->loop.body, label);
    for (size_t i = guest.length; i-- > 0;)
        merge(scheduler, directive, pairing->alignment, guest.data[i], host.data[i], rest);
}

void compute_with_apply(Scheduler *scheduler, const Directive *directive) {
    Pairing pairing;
    find_pairing(scheduler, directive, &pairing);
    pairing.guest->compute = directive;
    const FuncSites *sites = pairing.host->sites;
    const MovedFunc *moved = compute_at_take(scheduler, pairing.guest, sites->computes.length);
    for (size_t i = 0; i < sites->computes.length; i++)
        join(scheduler, directive, &pairing, moved[i], sites->computes.data[i]);
}

/* ---- candidates ---- */

static Directive *pairing_directive(const LegalSearch *search, const LoopNest *guest,
                                    const LoopNest *host, size_t depth, Alignment alignment) {
    Directive *directive =
        candidate(search, argument_of_nest(guest, depth), argument_of_nest(host, depth));
    if (alignment != ALIGN_VALUES)
        candidate_put(search, directive,
                      (DirectiveArgument){.kind = ARGUMENT_ALIGNMENT, .alignment = alignment});
    return directive;
}

/* Can the funcs stand next to each other, together with the groups that exist? */
static bool can_be_sorted(const LegalSearch *search, const Directive *directive) {
    const Scheduler *scheduler = search->scheduler;
    Directives all = {0};
    vec_push(search->arena, &all, *directive);
    for (size_t i = 0; i < scheduler->plans.length; i++)
        if (is_guest(scheduler->plans.data[i]))
            vec_push(search->arena, &all, *scheduler->plans.data[i]->compute);
    return group_sort(&scheduler->resolver, &all);
}

static void offer_pairings(const LegalSearch *search, const LoopNest *guest, const LoopNest *host) {
    size_t depths =
        guest->loops.length < host->loops.length ? guest->loops.length : host->loops.length;
    for (size_t depth = 0; depth < depths; depth++)
        for (int a = 0; a < ALIGNMENT_COUNT; a++) {
            Directive *directive = pairing_directive(search, guest, host, depth, (Alignment)a);
            if (depth == 0 && a == 0 && !can_be_sorted(search, directive))
                return;
            candidate_offer(search, directive);
        }
}

void compute_with_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (size_t i = 0; i < search->nests.length; i++)
        for (size_t k = 0; k < search->nests.length && search->nests.data[i]->func == plan->func;
             k++) {
            const FuncShape *host = search->nests.data[k]->func->shape;
            if (scheduler_plan(search->scheduler, host->name)->order > plan->order)
                offer_pairings(search, search->nests.data[i], search->nests.data[k]);
        }
}
