/* simplify.c -- the engine: simplifies bottom-up, each node until no step applies, with a memo.
 *
 * A node with simplified arguments takes one step (step.c). The result of the step is simplified
 * again, arguments first. A stack of frames replaces the recursion.
 *
 * Rules decrease a reduction order, so this terminates. A budget bounds the steps on results of
 * steps even if the order were wrong (`exhausted` counts that, and tests assert that it stays 0).
 */
#include "simplify/internal.h"

#include <string.h>

enum { ARGUMENTS, STEP, RESULT };

#define BUDGET      65536
#define FIRST_PAGES 16
#define MAX_CHAIN   512

NodeMemo *memo_page(Simplifier *s, uint32_t page) {
    Memo *memo = &s->memo;
    uint32_t count = memo->count ? memo->count : FIRST_PAGES;
    while (count <= page)
        count *= 2;
    if (count > memo->count) {
        NodeMemo **pages = arena_array(s->arena, NodeMemo *, count);
        if (memo->count)
            memcpy(pages, memo->pages, memo->count * sizeof *pages);
        *memo = (Memo){pages, count};
    }
    return memo->pages[page] = arena_array(s->arena, NodeMemo, MEMO_PAGE);
}

static Expr recall(Simplifier *s, Expr expr) {
    const NodeMemo *memo = memo_of(s, expr);
    return memo->result_epoch == memo_epoch(s, expr) ? memo->result : NULL;
}

static void remember(Simplifier *s, Expr expr, Expr result) {
    NodeMemo *memo = memo_of(s, expr);
    memo->result_epoch = memo_epoch(s, expr);
    memo->result = result;
}

void memo_mark(Simplifier *s, Expr expr, NormalForm form) {
    NodeMemo *memo = memo_of(s, expr);
    uint32_t epoch = memo_epoch(s, expr);
    memo->normal = (uint16_t)(form | (memo->normal_epoch == epoch ? memo->normal : 0));
    memo->normal_epoch = epoch;
}

/* Is the expression fully simplified? Leaves and sums in normal form are, unless facts mention
 * them. */
static bool is_settled(Simplifier *s, Expr expr) {
    switch (expr->op) {
    case OP_CONSTANT:
        return true;
    case OP_VARIABLE:
        return !s->facts.length;
    case OP_ADD:
    case OP_SUB:
        return !s->facts.length && memo_is(s, expr, NORMAL_SUM);
    default: /* not known */
        return false;
    }
}

static bool is_done(Simplifier *s, Expr expr) {
    if (recall(s, expr))
        return true;
    if (!is_settled(s, expr))
        return false;
    remember(s, expr, expr);
    return true;
}

/* Both arms of a select, and all operands of && and ||, are evaluated. So an index of a read in one
 * of them must be right even if the others do not hold. Such arguments stay unchanged there. */
static bool keeps_arguments(const Simplifier *s, Expr expr) {
    return !expr->arity || (expr->op == OP_ACCESS && s->context_depth > 0);
}

/* Pushes the arguments that have no result yet. */
static void enter(Simplifier *s, Expr expr, uint16_t chain) {
    for (int i = keeps_arguments(s, expr) ? -1 : expr->arity - 1; i >= 0; i--)
        if (!is_done(s, expr->arguments[i]))
            vec_push(
                s->arena, &s->frames,
                (SimplifierFrame){.expr = expr->arguments[i], .state = ARGUMENTS, .chain = chain});
}

static Expr rebuild(Simplifier *s, Expr expr) {
    Expr small[MAX_SMALL_ARITY], *arguments = small;
    if (keeps_arguments(s, expr))
        return expr;
    if (expr->arity > MAX_SMALL_ARITY)
        arguments = arena_array(s->arena, Expr, expr->arity);
    for (int i = 0; i < expr->arity; i++)
        arguments[i] = recall(s, expr->arguments[i]);
    return expr_with_arguments(s->pool, expr, arguments);
}

/* Takes one step of the top frame; false if it is done. */
static bool advance(Simplifier *s, size_t at) {
    SimplifierFrame *frame = &s->frames.data[at];
    if (frame->state == RESULT) {
        Expr result = recall(s, frame->next);
        remember(s, frame->rebuilt, result);
        remember(s, frame->expr, result);
        return false;
    }
    if (recall(s, frame->expr))
        return false;
    if (frame->state == ARGUMENTS) {
        frame->state = STEP;
        uint16_t chain = frame->chain;
        enter(s, frame->expr, chain);
        if (s->frames.length > at + 1)
            return true;
    }
    Expr rebuilt = rebuild(s, frame->expr), result = recall(s, rebuilt);
    if (!result) {
        s->budget -= frame->chain > 0;
        bool spent = s->budget < 0 || frame->chain >= MAX_CHAIN;
        s->exhausted += spent;
        result = spent ? rebuilt : s->step(s, rebuilt);
        frame = &s->frames.data[at]; /* a context may have moved the frames */
        if (result != rebuilt && !is_done(s, result)) {
            frame->rebuilt = rebuilt;
            frame->next = result;
            frame->state = RESULT;
            SimplifierFrame next = {
                .expr = result, .state = ARGUMENTS, .chain = (uint16_t)(frame->chain + 1)};
            vec_push(s->arena, &s->frames, next);
            return true;
        }
        result = result == rebuilt ? rebuilt : recall(s, result);
        remember(s, rebuilt, result);
    }
    remember(s, frame->expr, result);
    return false;
}

Expr simplify(Simplifier *s, Expr expr) {
    Expr known = recall(s, expr);
    if (known)
        return known;
    size_t base = s->frames.length;
    s->budget = BUDGET + 32 * (int64_t)(expr->tree_size & 0xffffff);
    vec_push(s->arena, &s->frames, (SimplifierFrame){.expr = expr, .state = ARGUMENTS});
    while (s->frames.length > base)
        if (!advance(s, s->frames.length - 1))
            s->frames.length--;
    return recall(s, expr);
}
