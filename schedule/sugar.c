/* sugar.c -- expands sugar into primitives: split, swap and traverse.
 *
 *     nest y, x; tile(x, y, xo, yo, xi, yi, a, b)      split(x, ..); split(y, ..): yo, yi, xo, xi
 *                                                      swap(yi):                   yo, xo, yi, xi
 *
 * Reordering needs the current nest.  So each new primitive is also applied to the symbolic nests.
 */
#include "schedule/directive_record.h"

static bool emit(SugarExpansion *expansion, DirectiveKind kind, const DirectiveArgument *arguments,
                 size_t count, bool (*follow)(const Resolver *, const Directive *)) {
    Arena *arena = expansion->resolver->arena;
    Directive primitive = {.kind = kind, .place = expansion->place};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &primitive.arguments, arguments[i]);
    if (!follow(expansion->resolver, &primitive))
        return false;
    vec_push(arena, expansion->primitives, primitive);
    return true;
}

bool sugar_split(SugarExpansion *expansion, const LoopName *loop, Place place,
                 DirectiveArgument outer, DirectiveArgument inner, const DirectiveArgument *factor,
                 const DirectiveArgument *tail) {
    DirectiveArgument arguments[5] = {argument_at(argument_loop(loop), place), outer, inner,
                                      *factor};
    if (tail)
        arguments[4] = *tail;
    return emit(expansion, DIRECTIVE_SPLIT, arguments, tail ? 5 : 4, split_follow);
}

bool sugar_traverse(SugarExpansion *expansion, const LoopName *loop, Traversal traversal,
                    Place place) {
    DirectiveArgument arguments[] = {argument_at(argument_loop(loop), place),
                                     argument_at(argument_traversal(traversal), place)};
    return emit(expansion, DIRECTIVE_TRAVERSE, arguments, 2, traverse_follow);
}

/* ---- reordering ---- */

static bool is_named(const SugarOrder *order, Symbol variable) {
    for (size_t i = 0; i < order->variables.length; i++)
        if (order->variables.data[i] == variable)
            return true;
    return false;
}

bool sugar_order_add(const Resolver *resolver, SugarOrder *order, const DirectiveArgument *argument,
                     LoopName *loop) {
    if (!resolve_loop(resolver, argument, loop))
        return false;
    const LoopName *like = &order->like;
    if (!order->variables.length)
        order->like = *loop;
    else if (like->func != loop->func || like->specialization != loop->specialization ||
             like->stage != loop->stage)
        return refuse(resolver, DIAG_REORDER_STAGES, argument->place, loop_text(resolver, loop),
                      loop_text(resolver, like));
    if (is_named(order, loop->variable))
        return refuse(resolver, DIAG_REORDER_TWICE, argument->place, loop_text(resolver, loop));
    vec_push(resolver->arena, &order->variables, loop->variable);
    return true;
}

/* Swaps the loop at `from` outward to the place `to`. */
static bool move_outward(SugarExpansion *expansion, const SugarOrder *order, const LoopNest *nest,
                         size_t from, size_t to) {
    for (; from > to; from--) {
        LoopName loop = nest_loop_name(nest, nest->loops.data[from - 1].variable);
        DirectiveArgument argument = argument_at(argument_loop(&loop), order->place);
        if (!emit(expansion, DIRECTIVE_SWAP, &argument, 1, swap_follow))
            return false;
    }
    return true;
}

/* Fills the places from the outermost inward, each with the loop that belongs there.  It swaps only
 * pairs whose order changes. */
bool sugar_reorder(SugarExpansion *expansion, const SugarOrder *order) {
    LoopName any = order->like;
    any.variable = order->variables.data[0];
    size_t position, next = order->variables.length;
    const LoopNest *nest = nest_of(expansion->resolver, &any, &position);
    Vec(Symbol) wanted = {0};
    for (size_t i = 0; i < nest->loops.length; i++) {
        Symbol variable = nest->loops.data[i].variable;
        if (is_named(order, variable))
            variable = order->variables.data[--next];
        vec_push(expansion->resolver->arena, &wanted, variable);
    }
    for (size_t i = 0; i < wanted.length; i++) {
        size_t from = i;
        while (nest->loops.data[from].variable != wanted.data[i])
            from++;
        if (!move_outward(expansion, order, nest, from, i))
            return false;
    }
    return true;
}
