/* move_loops.c -- what could be said of loops.
 *
 * Of sugar the first primitive is checked; whether the rest follows is known when the sugar is
 * expanded and applied (lower/moves.c).  Left out is what would change nothing: a loop's traversal
 * as it is, a reorder of loops that stand in that order.
 */
#include "schedule/atomic.h"
#include "schedule/dependence.h"
#include "schedule/proposal.h"
#include "schedule/reduction_loops.h"
#include "schedule/reorder_reduction.h"

static const Stmt *statement(const Proposing *p, const Nest *nest, size_t position) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    return loop_named(p->scheduler, &name);
}

/* Null where the split is refused, or its tail is not wanted. */
static Directive *split(const Proposing *p, const Nest *nest, size_t l, Symbol outer, Symbol inner,
                        const MoveNumber *factor, int tail) {
    Directive *directive = proposal_begin(p, DIRECTIVE_SPLIT);
    proposal_put_loop(p, directive, nest, l);
    proposal_put_name(p, directive, outer);
    proposal_put_name(p, directive, inner);
    proposal_put_number(p, directive, factor);
    bool is_move = proposal_put_tail(p, directive, tail) && split_check(p->scheduler, directive);
    return is_move ? directive : NULL;
}

static void propose_split(const Proposing *p, const Nest *nest, size_t l) {
    Symbol outer = proposal_fresh_name(p, nest, l, "_o"),
           inner = proposal_fresh_name(p, nest, l, "_i");
    for (size_t i = 0; i < p->choices->factors.length; i++)
        for (int tail = 0; tail < PROPOSAL_TAIL_WAYS; tail++) {
            Directive *made = split(p, nest, l, outer, inner, &p->choices->factors.data[i], tail);
            if (made)
                vec_push(p->arena, p->moves, *made);
        }
}

static void propose_fuse(const Proposing *p, const Nest *nest, size_t l) {
    if (l + 1 == nest->loops.length)
        return;
    const char *ending = arena_format(p->arena, "_%s", nest->loops.data[l + 1].variable->text);
    Directive *fuse = proposal_begin(p, DIRECTIVE_FUSE);
    proposal_put_loop(p, fuse, nest, l);
    proposal_put_name(p, fuse, proposal_fresh_name(p, nest, l, ending));
    proposal_offer(p, fuse, fuse_check);
}

static void propose_start_early(const Proposing *p, const Nest *nest, size_t l) {
    for (size_t i = 0; i < p->choices->factors.length; i++) {
        Directive *early = proposal_begin(p, DIRECTIVE_START_EARLY);
        proposal_put_loop(p, early, nest, l);
        proposal_put_name(p, early, proposal_fresh_name(p, nest, l, "_e"));
        proposal_put_number(p, early, &p->choices->factors.data[i]);
        proposal_offer(p, early, start_early_check);
    }
}

static void propose_swap(const Proposing *p, const Nest *nest, size_t l) {
    Directive *swap = proposal_begin(p, DIRECTIVE_SWAP);
    proposal_put_loop(p, swap, nest, l);
    proposal_offer(p, swap, swap_check);
}

static Directive *traverse(const Proposing *p, const Nest *nest, size_t l, Traversal traversal) {
    Directive *directive = proposal_begin(p, DIRECTIVE_TRAVERSE);
    proposal_put_loop(p, directive, nest, l);
    proposal_put(p, directive,
                 (DirectiveArgument){.kind = ARGUMENT_TRAVERSAL, .traversal = traversal});
    return directive;
}

/* Of what the loop's stage itself reads; the distance is a number that factors have. */
static void propose_prefetch(const Proposing *p, const Nest *nest, size_t l) {
    const Stage *stage = nest->func->stages.data[nest->stage];
    Exprs accesses = {0};
    Map seen = map_create(p->arena);
    for (int c = 0; c < nest->func->shape->components; c++)
        expr_accesses(p->arena, stage->values[c], &accesses);
    for (size_t i = 0; i < accesses.length; i++) {
        Symbol name = accesses.data[i]->name;
        if (map_get(&seen, name) || name == nest->func->shape->name)
            continue;
        map_put(&seen, name, name);
        for (size_t k = 0; k < p->choices->factors.length; k++) {
            Directive *directive = proposal_begin(p, DIRECTIVE_PREFETCH);
            proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = name});
            proposal_put_loop(p, directive, nest, l);
            proposal_put_number(p, directive, &p->choices->factors.data[k]);
            proposal_offer(p, directive, prefetch_check);
        }
    }
}

static void propose_traverse(const Proposing *p, const Nest *nest, size_t l) {
    for (int t = TRAVERSE_SERIAL; t <= TRAVERSE_UNROLLED; t++) {
        const Directive *directive = traverse(p, nest, l, (Traversal)t);
        if (statement(p, nest, l)->loop.traversal == (Traversal)t)
            continue;
        if (reduction_loop_check(&p->scheduler->resolver, directive))
            vec_push(p->arena, p->moves, *directive);
        else
            proposal_offer(p, directive, traverse_check);
    }
}

/* ---- sugar ---- */

/* Of a reduction loop it means an rfactor, of the whole or of a part of it. */
static void propose_of_reduction(const Proposing *p, const Nest *nest, size_t l, DirectiveKind kind,
                                 const MoveNumbers *factors) {
    for (size_t i = 0; i <= factors->length; i++) {
        Directive *sugar = proposal_begin(p, kind);
        proposal_put_loop(p, sugar, nest, l);
        if (i > 0)
            proposal_put_number(p, sugar, &factors->data[i - 1]);
        if (reduction_loop_check(&p->scheduler->resolver, sugar))
            vec_push(p->arena, p->moves, *sugar);
    }
}

/* vectorize, unroll and parallel: the traverse alone, and after a split. */
static void propose_manner(const Proposing *p, const Nest *nest, size_t l, DirectiveKind kind,
                           Traversal traversal, const MoveNumbers *factors) {
    bool reorders = traversal != TRAVERSE_UNROLLED,
         is_atomic = atomic_is_said(&p->scheduler->resolver, nest->func->shape->name, nest->stage);
    if (reorders && !nest->loops.data[l].pure && !is_atomic && !dependences_known(nest)) {
        propose_of_reduction(p, nest, l, kind, factors);
        return;
    }
    if (statement(p, nest, l)->loop.traversal != traversal &&
        traverse_check(p->scheduler, traverse(p, nest, l, traversal))) {
        Directive *alone = proposal_begin(p, kind);
        proposal_put_loop(p, alone, nest, l);
        vec_push(p->arena, p->moves, *alone);
    }
    Symbol outer = proposal_fresh_name(p, nest, l, "_o"),
           inner = proposal_fresh_name(p, nest, l, "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < PROPOSAL_TAIL_WAYS; tail++) {
            if (!split(p, nest, l, outer, inner, &factors->data[i], tail))
                continue;
            Directive *sugar = proposal_begin(p, kind);
            proposal_put_loop(p, sugar, nest, l);
            proposal_put_number(p, sugar, &factors->data[i]);
            proposal_put_tail(p, sugar, tail);
            vec_push(p->arena, p->moves, *sugar);
        }
}

static void propose_vectorize(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_VECTORIZE, TRAVERSE_VECTORIZED, &p->choices->widths);
}

static void propose_unroll(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_UNROLL, TRAVERSE_UNROLLED, &p->choices->factors);
}

static void propose_parallel(const Proposing *p, const Nest *nest, size_t l) {
    propose_manner(p, nest, l, DIRECTIVE_PARALLEL, TRAVERSE_PARALLEL, &p->choices->factors);
}

/* The loop and each one inside it, exchanged. */
static void propose_reorder(const Proposing *p, const Nest *nest, size_t l) {
    for (size_t inner = l + 1; inner < nest->loops.length; inner++) {
        bool keeps_updates =
            nest->loops.data[l].pure || nest->loops.data[inner].pure ||
            (inner == l + 1 && dependences_allow_swap(nest, l)) ||
            reduction_order(&p->scheduler->resolver, nest->func, nest->stage)->is_free;
        Directive *reorder = proposal_begin(p, DIRECTIVE_REORDER);
        proposal_put_loop(p, reorder, nest, l);
        proposal_put_loop(p, reorder, nest, inner);
        if (keeps_updates)
            vec_push(p->arena, p->moves, *reorder);
    }
}

/* The loop as y, and the one directly inside it as x. */
static void propose_tile(const Proposing *p, const Nest *nest, size_t l) {
    if (l + 1 == nest->loops.length)
        return;
    const MoveNumbers *factors = &p->choices->factors;
    Symbol names[4];
    for (int i = 0; i < 4; i++)
        names[i] = proposal_fresh_name(p, nest, i % 2 ? l : l + 1, i < 2 ? "_o" : "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < PROPOSAL_TAIL_WAYS; tail++) {
            const MoveNumber *a = &factors->data[i], *b = &factors->data[factors->length - 1 - i];
            if (!split(p, nest, l + 1, names[0], names[2], a, tail) ||
                !split(p, nest, l, names[1], names[3], b, tail))
                continue;
            Directive *tile = proposal_begin(p, DIRECTIVE_TILE);
            proposal_put_loop(p, tile, nest, l + 1);
            proposal_put_loop(p, tile, nest, l);
            for (int n = 0; n < 4; n++)
                proposal_put_name(p, tile, names[n]);
            proposal_put_number(p, tile, a);
            proposal_put_number(p, tile, b);
            proposal_put_tail(p, tile, tail);
            vec_push(p->arena, p->moves, *tile);
        }
}

const Proposer loop_proposers[DIRECTIVE_COUNT] = {
    [DIRECTIVE_SPLIT] = {.of_loop = propose_split},
    [DIRECTIVE_FUSE] = {.of_loop = propose_fuse},
    [DIRECTIVE_SWAP] = {.of_loop = propose_swap},
    [DIRECTIVE_START_EARLY] = {.of_loop = propose_start_early},
    [DIRECTIVE_TRAVERSE] = {.of_loop = propose_traverse},
    [DIRECTIVE_PREFETCH] = {.of_loop = propose_prefetch},
    [DIRECTIVE_TILE] = {.of_loop = propose_tile},
    [DIRECTIVE_REORDER] = {.of_loop = propose_reorder},
    [DIRECTIVE_VECTORIZE] = {.of_loop = propose_vectorize},
    [DIRECTIVE_UNROLL] = {.of_loop = propose_unroll},
    [DIRECTIVE_PARALLEL] = {.of_loop = propose_parallel},
};
