/* stage.c -- the clauses on the loops of one stage.
 *
 *   covered   for each point of the compute region, in the pure dimensions, and each point of the
 *             reduction domain, an iteration exists.  Its loops run it, its guards hold, and it
 *             writes there (the stage's own predicate is ignored: 5b).  invert.c gives the
 *             iteration, so no search is needed: one for each write (pieces.c).
 *   once      for updates: the iteration that reaches a point is a function of the point
 *   domain    for updates: each iteration's values of the reduction's variables are in its domain
 *   race      the iteration of a parallel or vectorized loop is a function of the written point,
 *   and
 *             of each read point of the same func.  A tail may let two iterations write one point
 *             of a pure stage; the text shows that they write equal values.
 *   overlap   points that a tail adds do no harm: the stage is pure and its memory lives as long as
 *             one run of it; otherwise the tail must add none
 *
 * Covered is asked where the stage begins; the others at the write, under its loops and guards.
 */
#include "checkers/certify/internal.h"

/* Credits the first directive that made a loop of the nest. */
static void credit_nest(CertifyWalk *walk, Obligation *obligation, const StageNest *nest) {
    for (size_t i = 0; i < nest->path.length && !obligation->directive; i++)
        origin_of_directive(walk, obligation, nest->path.data[i]->place);
    if (!obligation->directive)
        origin_of_level(walk, obligation, nest->shape->name);
}

static Obligation *ask(CertifyWalk *walk, ClauseId clause, const StageNest *nest, Stmt *at,
                       Expr goal, const char *text) {
    Obligation *obligation = obligation_add(walk, clause, at, nest->shape->name, goal, text);
    credit_nest(walk, obligation, nest);
    return obligation;
}

/* ---- covered ---- */

/* Does the guard, in a text, restrict the values of a reduction variable?  It mentions nothing else
 * in the nest, as after a split and a fuse that undo each other. */
static bool is_of_domain(CertifyWalk *walk, const Witness *witness, Expr condition) {
    bool found = false;
    Exprs variables = expr_variables_of(walk->arena, condition);
    for (size_t v = 0; v < variables.length; v++) {
        bool is_reduction = false;
        for (size_t i = 0; i < witness->roots.length; i++)
            is_reduction |= witness->roots.data[i].is_loop &&
                            witness->roots.data[i].binder == variables.data[v]->name;
        found |= is_reduction;
        if (!is_reduction && map_get(&witness->is_bound, variables.data[v]->name))
            return false;
    }
    return found;
}

/* Without the algorithm, the text gives the reduction domain: the ranges of loops, guards on
 * nothing else, and the predicate.  The predicate counts even if loops have been cut to it. */
static const ContextFact *assume_domain(CertifyWalk *walk, Witness *witness,
                                        const ContextFact *context) {
    const StageNest *nest = witness->nest;
    if (!walk->pipeline)
        context = derived_assume(witness, context);
    for (size_t i = 0; i < nest->path.length && !walk->pipeline && nest->stage > 0; i++) {
        const Stmt *stmt = nest->path.data[i];
        bool is_cut = stmt->kind == STMT_FOR && stmt->loop.predicate.minimum;
        Expr condition = is_cut
                             ? interval_holds(walk->pool, stmt->loop.predicate,
                                              expr_variable(walk->pool, stmt->loop.binder, INDEX))
                             : nest_condition(walk, nest, i);
        if (condition &&
            (is_cut || stmt->branch.role == IF_PREDICATE || is_of_domain(walk, witness, condition)))
            context = fact_add(walk, context, witness_at(witness, condition));
    }
    return context;
}

static const ContextFact *assume_point(CertifyWalk *walk, Witness *witness) {
    const ContextFact *context = walk->context;
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        Expr least = root->base == root->range.minimum ? expr_index(walk->pool, 0)
                                                       : witness_at(witness, root->range.minimum);
        Extent offsets = {least, witness_at(witness, root->range.length)};
        context = fact_bind(walk, context, root->offset, offsets);
    }
    /* Dimensions that are not pure do not matter, but a region without points needs nothing. */
    const FuncKnowledge *state = walk_state(walk, witness->nest->shape->name);
    context = fact_has_points(walk, context, state->compute, state->shape->dimensions);
    return assume_domain(walk, witness, context);
}

static const char *loops_text(CertifyWalk *walk, const StageNest *nest) {
    return arena_format(walk->arena, "the loops of %s", stage_text(walk, nest->shape, nest->stage));
}

static void ask_covered(CertifyWalk *walk, Stmt *label, Witness *witness) {
    const ContextFact *context = assume_point(walk, witness);
    Obligation *obligation = ask(walk, CLAUSE_COVERED, witness->nest, label, pieces_reach(witness),
                                 loops_text(walk, witness->nest));
    obligation->context = context;
    obligation->is_exact = false;
    if (witness->pieces->length == 1)
        obligation->steps = lift(&walk->lifter, witness_steps(witness));
    if (derived_hides_domain(witness))
        obligation->reason =
            "the text does not tell the whole domain of this reduction: what is not "
            "reached may lie outside of it, which the algorithm would say";
    else if (witness->is_guessed)
        obligation->reason =
            "the text does not tell which dimensions of this update are pure: what "
            "is not reached may be no point of it, which the algorithm would say";
    else
        obligation->witness = witness;
}

void stage_clauses(CertifyWalk *walk, Stmt *label) {
    const FuncKnowledge *state = walk_state(walk, stmt_parent(label)->label.name);
    int stage = 0;
    if (!stage_number(label, &stage))
        return;
    bool is_asked = !state_has_places(state, -1); /* witnesses are useful in any case */
    const StagePieces *pieces = stage_pieces(walk, label);
    if (stage == 0 && is_asked && partial_ask(walk, label, pieces))
        return;
    for (size_t i = 0; i < pieces->length; i++)
        if (is_asked && pieces_is_first(pieces->data[i]))
            ask_covered(walk, label, pieces->data[i]);
    if (!pieces->length)
        runs_ask_empty(walk, label, state, stage);
}

/* ---- once, domain ---- */

static bool is_nest_loop(const Witness *witness, const Stmt *loop) {
    return map_get(&witness->is_bound, loop->loop.binder) != NULL;
}

/* Returns the context under which the store changes something. */
static const ContextFact *assume_change(CertifyWalk *walk, const Stmt *store) {
    Expr changes = blend_condition(walk, store);
    return changes ? fact_add(walk, walk->context, changes) : walk->context;
}

static void ask_once(CertifyWalk *walk, Witness *witness, Stmt *store) {
    Pool *pool = walk->pool;
    const char *text = loops_text(walk, witness->nest);
    if (blend_is_idle(store)) {
        Obligation *obligation = ask(walk, CLAUSE_ONCE, witness->nest, store, NULL, text);
        obligation_settle(obligation, true, "what is written is what is there");
        return;
    }
    Expr goal = pieces_are_apart(witness);
    for (size_t i = 0; i < witness->nest->path.length; i++) {
        const Stmt *stmt = witness->nest->path.data[i];
        if (stmt->kind == STMT_FOR)
            goal = goal_both(
                pool, goal,
                expr_eq(pool, expr_variable(pool, stmt->loop.binder, INDEX),
                        witness_iteration(walk, witness, stmt, store->store.indices, true)));
    }
    const ContextFact *context = assume_change(walk, store);
    Obligation *obligation = ask(walk, CLAUSE_ONCE, witness->nest, store, goal, text);
    obligation->context = context;
    obligation->is_exact = false;
    if (witness->is_partial)
        obligation->reason = "the text does not tell what a reduction loop counts: a part of the "
                             "loop that nothing reads is no longer there";
    else
        obligation->witness = witness;
}

/* If only a loop's range is known of the domain, there is nothing to ask. */
static void ask_domain(CertifyWalk *walk, Witness *witness, Stmt *store) {
    Pool *pool = walk->pool;
    Expr goal = expr_bool(pool, true);
    bool is_known = false;
    for (size_t i = 0; i < witness->roots.length; i++) {
        const Root *root = &witness->roots.data[i];
        if (root->dimension >= 0 || root->is_loop)
            continue;
        is_known = true;
        goal =
            goal_both(pool, goal,
                      interval_holds(pool, root->range, expr_variable(pool, root->binder, INDEX)));
    }
    if (!is_known)
        return;
    const ContextFact *context = assume_change(walk, store);
    ask(walk, CLAUSE_DOMAIN, witness->nest, store, goal, loops_text(walk, witness->nest))->context =
        context;
}

/* ---- properties that the text shows ---- */

/* Does the written value depend on the iteration only through the indices, and not on the func? */
static bool is_function_of_point(const CertifyWalk *walk, const Witness *witness,
                                 const Stmt *store) {
    const FuncShape *shape = store->store.func;
    if (store_own_reads(walk, store).length)
        return false;
    for (int i = 0; i < shape->components; i++) {
        Exprs variables = expr_variables_of(walk->arena, store_value(walk, store, i));
        for (size_t v = 0; v < variables.length; v++) {
            bool is_index = !map_get(&witness->is_bound, variables.data[v]->name);
            for (int k = 0; k < shape->dimensions && !is_index; k++)
                is_index = store->store.indices[k] == variables.data[v];
            if (!is_index)
                return false;
        }
    }
    return true;
}

/* Does the value come from memory of the iteration, whose coordinates may count from its start? */
static bool reads_own_memory(const CertifyWalk *walk, const Witness *witness, const Stmt *store) {
    Exprs accesses = {0};
    for (int i = 0; i < store->store.func->components; i++)
        expr_accesses(walk->arena, store_value(walk, store, i), &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        const FuncKnowledge *state = walk_state(walk, accesses.data[i]->name);
        if (state && state->allocate && stmt_is_inside(state->allocate, witness->nest->label))
            return true;
    }
    return false;
}

static void ask_overlap(CertifyWalk *walk, const Witness *witness, Stmt *store) {
    const FuncKnowledge *state = walk_state(walk, store->store.func->name);
    bool is_blended =
        witness->nest->stage > 0 && (blend_condition(walk, store) || blend_is_idle(store));
    bool is_harmless = !tails_overwrite(walk, witness, state, store) &&
                       (is_blended || is_function_of_point(walk, witness, store));
    const char *text =
        arena_format(walk->arena, "the points that a tail adds to %s", state->shape->name->text);
    Obligation *obligation = ask(walk, CLAUSE_OVERLAP, witness->nest, store,
                                 is_harmless ? NULL : tails_add_none(walk, witness), text);
    if (!is_harmless && reads_own_memory(walk, witness, store)) {
        obligation->is_exact = false;
        obligation->reason = "the text does not tell whether the value is a function of the point: "
                             "it is read in memory that each iteration has of its own";
    }
    if (is_harmless)
        obligation_settle(
            obligation, true,
            is_blended ? "such a point keeps what it holds (blend)"
                       : "the value written is a function of the point, and what is beyond the "
                         "region no iteration holds (tail-storage)");
}

/* ---- races ---- */

static void name_race(CertifyWalk *walk, Obligation *obligation, const Stmt *loop) {
    origin_of_directive(walk, obligation, loop->place);
    for (size_t i = 0; walk->primitives && i < walk->primitives->length; i++) {
        const Directive *directive = &walk->primitives->data[i];
        const DirectiveArgument *argument = directive->arguments.data;
        if (directive->kind == DIRECTIVE_TRAVERSE && argument->loop.func == loop->loop.name.func &&
            argument->loop.variable == loop->loop.name.variable &&
            argument->loop.specialization == loop->loop.name.specialization) {
            obligation->directive = directive_text(walk->arena, directive);
            obligation->directive_place = directive->place;
        }
    }
}

/* Asks about "the write of f in parallel loop f.s0.y". */
static Obligation *ask_race_of(CertifyWalk *walk, const Witness *witness, Stmt *store, Expr goal,
                               const Stmt *loop, const char *what) {
    Obligation *obligation =
        ask(walk, CLAUSE_RACE, witness->nest, store, goal,
            arena_format(walk->arena, "%s of %s in %s loop %s", what, store->store.func->name->text,
                         traversal_text(loop->loop.traversal), loop->loop.binder->text));
    name_race(walk, obligation, loop);
    return obligation;
}

static void ask_disjoint(CertifyWalk *walk, Witness *witness, Stmt *store, const Stmt *loop,
                         const Expr *indices, const char *what) {
    Pool *pool = walk->pool;
    Expr iteration =
        is_nest_loop(witness, loop) ? witness_iteration(walk, witness, loop, indices, false) : NULL;
    Expr variable = expr_variable(pool, loop->loop.binder, INDEX);
    Expr goal = iteration ? expr_eq(pool, variable, iteration) : expr_bool(pool, false);
    for (size_t p = 0; iteration && p < witness->pieces->length; p++) {
        Witness *piece = witness->pieces->data[p];
        Expr other = is_nest_loop(piece, loop)
                         ? witness_iteration(walk, piece, loop, indices, false)
                         : iteration;
        if (other != iteration)
            goal = goal_both(pool, goal,
                             other ? expr_eq(pool, variable, other) : expr_bool(pool, false));
    }
    Obligation *obligation = ask_race_of(walk, witness, store, goal, loop, what);
    obligation->is_exact = false;
    obligation->witness = witness;
    obligation->touched = indices;
    obligation->loop = loop;
}

static void ask_apart(CertifyWalk *walk, const Witness *witness, const StageNest *touched,
                      Stmt *loop, const Expr *indices, const char *what) {
    const char *text = arena_format(walk->arena, "the write of %s and %s in %s loop %s",
                                    witness->nest->shape->name->text, what,
                                    traversal_text(loop->loop.traversal), loop->loop.binder->text);
    name_race(walk, apart_ask(walk, witness->nest, touched, loop, indices, text), loop);
}

static bool is_in_nest(const StageNest *nest, const Stmt *loop) {
    for (size_t i = 0; i < nest->path.length; i++)
        if (nest->path.data[i] == loop)
            return true;
    return false;
}

/* For a reduction loop: its iterations, in any piece of the stage, never meet. */
static void ask_independent(CertifyWalk *walk, const Witness *witness, Stmt *loop) {
    for (size_t p = 0; p < witness->pieces->length; p++) {
        const StageNest *touched = witness->pieces->data[p]->nest;
        const Stmt *store = touched->store;
        if (!is_in_nest(touched, loop))
            continue;
        ask_apart(walk, witness, touched, loop, store->store.indices, "another");
        Exprs reads = store_own_reads(walk, store);
        for (size_t i = 0; i < reads.length; i++)
            ask_apart(walk, witness, touched, loop, reads.data[i]->arguments, "a read");
    }
}

/* Asks that the order does not matter: two iterations may write one point. */
static void ask_commuting(CertifyWalk *walk, const Witness *witness, Stmt *store, Stmt *loop) {
    const char *reason = NULL;
    bool commutes = commute_at_store(walk, store, loop, &reason);
    Obligation *obligation = ask_race_of(walk, witness, store, NULL, loop, "the update");
    if (commutes)
        obligation_settle(
            obligation, true,
            "updates of one element are atomic, and their operator is associative and "
            "commutative (atomic)");
    obligation->reason = reason;
}

/* Says what the text shows of a store that is not atomic; null if nothing. */
static const char *why_no_race(CertifyWalk *walk, const Witness *witness, const Stmt *store,
                               const Stmt *loop) {
    bool is_blended = blend_condition(walk, store) || blend_is_idle(store);
    if (is_blended)
        return blend_is_disjoint(walk, witness->nest, store, loop)
                   ? "the index grows with the loop's variable (blend)"
                   : NULL;
    /* A text may have inlined the let of a tail. */
    bool may_overlap = tails_add_points(walk, witness) ||
                       (!walk->pipeline && !reads_own_memory(walk, witness, store));
    return is_nest_loop(witness, loop) && may_overlap && is_function_of_point(walk, witness, store)
               ? "two iterations that write one point write equal values: the value is a function "
                 "of the point (equal-values)"
               : NULL;
}

static void ask_race(CertifyWalk *walk, Witness *witness, Stmt *store, Stmt *loop) {
    const FuncShape *shape = store->store.func;
    if (store->store.is_atomic) {
        ask_commuting(walk, witness, store, loop);
        return;
    }
    if (loop->loop.independent) {
        ask_independent(walk, witness, loop);
        return;
    }
    const char *reason = why_no_race(walk, witness, store, loop);
    if (reason) {
        obligation_settle(ask_race_of(walk, witness, store, NULL, loop, "the write"), true, reason);
        return;
    }
    ask_disjoint(walk, witness, store, loop, store->store.indices, "the write");
    for (int i = 0; i < shape->components; i++) {
        Exprs accesses = expr_accesses_of(walk->arena, store_value(walk, store, i));
        for (size_t a = 0; a < accesses.length; a++)
            if (accesses.data[a]->name == shape->name &&
                (i == 0 || accesses.data[a]->component == i))
                ask_disjoint(walk, witness, store, loop, accesses.data[a]->arguments, "a read");
    }
}

/* Does the loop run iterations on this memory side by side? */
static bool shares(const FuncKnowledge *state, const Stmt *loop) {
    bool reorders =
        loop->loop.traversal == TRAVERSE_PARALLEL || loop->loop.traversal == TRAVERSE_VECTORIZED;
    return reorders && !stmt_is_inside(state->allocate, loop);
}

void stage_at_store(CertifyWalk *walk, Stmt *store) {
    Witness *witness = map_get(&walk->witnesses, store);
    FuncKnowledge *state = walk_state(walk, store->store.func->name);
    if (!witness || !state->memory || !state->computing)
        return;
    bool is_asked = !state_has_places(state, -1);
    if (witness->nest->stage > 0 && is_asked)
        ask_once(walk, witness, store);
    if (witness->nest->stage > 0)
        ask_domain(walk, witness, store);
    if (is_asked)
        partial_at_store(walk, witness, store);
    bool has_extra_points = tails_add_points(walk, witness);
    if (has_extra_points && store_reads_places(walk, store))
        return; /* is a value a function of the point?  That depends on the content of places */
    if (has_extra_points && is_asked)
        ask_overlap(walk, witness, store);
    for (Stmt *stmt = stmt_parent(store); stmt; stmt = stmt_parent(stmt))
        if (stmt->kind == STMT_FOR && shares(state, stmt))
            ask_race(walk, witness, store, stmt);
}
