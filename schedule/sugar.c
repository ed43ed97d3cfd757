/* sugar.c -- what tile, reorder, vectorize, unroll and parallel mean: sequences of primitives.
 *
 *   vectorize(v, k)   split(v, v_o, v_v, k); traverse(v_v, vectorized)
 *   unroll(v, k)      split(v, v_o, v_u, k); traverse(v_u, unrolled)
 *   parallel(v, k)    split(v, v_p, v_i, k); traverse(v_p, parallel)
 *                     each without k: the traverse alone
 *   reorder(a, b, c)  swaps that put the named loops, a innermost, in the places that these loops
 * have now; other loops of the nest stay where they are tile(x, y, xo, yo, xi, yi, a, b) split(x,
 * xo, xi, a); split(y, yo, yi, b); reorder(xi, yi, xo, yo)
 *
 * Reordering needs the nest as it is, so each primitive is followed in symbolic nests as it is
 * made.
 */
#include "schedule/loop.h"

typedef struct Expansion {
    Nests *nests;
    const Resolver *resolver;
    Place place; /* of the sugar: its primitives are reported there */
    Directives *primitives;
} Expansion;

static bool emit(Expansion *expansion, DirectiveKind kind, const DirectiveArgument *arguments,
                 size_t count) {
    Arena *arena = expansion->resolver->arena;
    Directive primitive = {.kind = kind, .place = expansion->place};
    for (size_t i = 0; i < count; i++)
        vec_push(arena, &primitive.arguments, arguments[i]);
    if (!nests_follow(expansion->nests, expansion->resolver, &primitive))
        return false;
    vec_push(arena, expansion->primitives, primitive);
    return true;
}

/* The argument for a loop beside `like`, of the same stage. */
static DirectiveArgument loop_argument(const LoopName *like, Symbol variable, Place place) {
    LoopReference reference = {like->func, variable, like->specialization, like->stage};
    return (DirectiveArgument){.kind = ARGUMENT_LOOP, .place = place, .loop = reference};
}

static DirectiveArgument name_argument(Symbol name, Place place) {
    return (DirectiveArgument){.kind = ARGUMENT_NAME, .place = place, .name = name};
}

static bool emit_split(Expansion *expansion, const LoopName *loop, Place place,
                       DirectiveArgument outer, DirectiveArgument inner,
                       const DirectiveArgument *factor, const DirectiveArgument *tail) {
    DirectiveArgument arguments[5] = {loop_argument(loop, loop->variable, place), outer, inner,
                                      *factor};
    if (tail)
        arguments[4] = *tail;
    return emit(expansion, DIRECTIVE_SPLIT, arguments, tail ? 5 : 4);
}

static bool emit_swap(Expansion *expansion, const LoopName *like, Symbol variable, Place place) {
    DirectiveArgument argument = loop_argument(like, variable, place);
    return emit(expansion, DIRECTIVE_SWAP, &argument, 1);
}

/* ---- vectorize, unroll, parallel ---- */

typedef struct Manner {
    DirectiveKind kind;
    Traversal traversal;
    const char *outer, *inner; /* what the new loops' names end with */
    bool is_outer;             /* which of the two the traversal is for */
} Manner;

static const Manner manners[] = {
    {DIRECTIVE_VECTORIZE, TRAVERSE_VECTORIZED, "_o", "_v", false},
    {DIRECTIVE_UNROLL, TRAVERSE_UNROLLED, "_o", "_u", false},
    {DIRECTIVE_PARALLEL, TRAVERSE_PARALLEL, "_p", "_i", true},
};

static const Manner *manner_of(const Directive *directive) {
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++)
        if (manners[i].kind == directive->kind)
            return &manners[i];
    return NULL;
}

bool sugar_split(const Resolver *resolver, const Directive *directive, SugarSplit *split) {
    const Manner *manner = manner_of(directive);
    if (!manner || !directive_find(directive, ARGUMENT_EXPR))
        return false;
    SymbolTable *symbols = &resolver->context->symbols;
    const char *stem = directive_argument(directive, 0)->loop.variable->text;
    split->outer = symbol_format(symbols, "%s%s", stem, manner->outer);
    split->inner = symbol_format(symbols, "%s%s", stem, manner->inner);
    split->chosen = manner->is_outer ? split->outer : split->inner;
    split->traversal = manner->traversal;
    return true;
}

static bool expand_manner(Expansion *expansion, const Directive *directive, const Manner *manner) {
    const Resolver *resolver = expansion->resolver;
    const DirectiveArgument *argument = directive_argument(directive, 0),
                            *factor = directive_find(directive, ARGUMENT_EXPR),
                            *tail = directive_find(directive, ARGUMENT_TAIL);
    LoopName loop;
    if (!resolve_loop(resolver, argument, &loop))
        return false;
    if (tail && !factor)
        return refuse(resolver, DIAG_TAIL_WITHOUT_FACTOR, tail->place,
                      directive_info(directive->kind)->text,
                      loop_symbol(resolver->context, &loop)->text);
    Symbol chosen = loop.variable;
    SugarSplit split;
    if (sugar_split(resolver, directive, &split)) {
        if (!emit_split(expansion, &loop, argument->place,
                        name_argument(split.outer, argument->place),
                        name_argument(split.inner, argument->place), factor, tail))
            return false;
        chosen = split.chosen;
    }
    DirectiveArgument arguments[] = {
        loop_argument(&loop, chosen, argument->place),
        {.kind = ARGUMENT_TRAVERSAL, .place = argument->place, .traversal = manner->traversal}};
    return emit(expansion, DIRECTIVE_TRAVERSE, arguments, 2);
}

/* ---- reorder ---- */

/* The loops of a reorder, innermost first, all of one nest. */
typedef struct Order {
    LoopName like; /* the stage */
    Vec(Symbol) variables;
    Place place;
} Order;

static bool is_named(const Order *order, Symbol variable) {
    for (size_t i = 0; i < order->variables.length; i++)
        if (order->variables.data[i] == variable)
            return true;
    return false;
}

/* Swaps the loop at `from` outward until it stands at `to`. */
static bool move_outward(Expansion *expansion, const Order *order, const Nest *nest, size_t from,
                         size_t to) {
    for (; from > to; from--)
        if (!emit_swap(expansion, &order->like, nest->loops.data[from - 1].variable, order->place))
            return false;
    return true;
}

/* From the outermost place inward: each place gets the loop that belongs there.  Only pairs whose
 * order changes are ever swapped. */
static bool expand_order(Expansion *expansion, const Order *order) {
    LoopName any = order->like;
    any.variable = order->variables.data[0];
    size_t position, next = order->variables.length;
    const Nest *nest = nest_of(expansion->resolver, &any, &position);
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

static bool same_stage(const LoopName *a, const LoopName *b) {
    return a->func == b->func && a->specialization == b->specialization && a->stage == b->stage;
}

static bool expand_reorder(Expansion *expansion, const Directive *directive) {
    const Resolver *resolver = expansion->resolver;
    Order order = {.place = directive->place};
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const DirectiveArgument *argument = &directive->arguments.data[i];
        LoopName loop;
        if (!resolve_loop(resolver, argument, &loop))
            return false;
        const char *text = loop_symbol(resolver->context, &loop)->text;
        if (i == 0)
            order.like = loop;
        else if (!same_stage(&order.like, &loop))
            return refuse(resolver, DIAG_REORDER_STAGES, argument->place, text,
                          loop_symbol(resolver->context, &order.like)->text);
        if (is_named(&order, loop.variable))
            return refuse(resolver, DIAG_REORDER_TWICE, argument->place, text);
        vec_push(resolver->arena, &order.variables, loop.variable);
    }
    return expand_order(expansion, &order);
}

/* ---- tile ---- */

static bool expand_tile(Expansion *expansion, const Directive *directive) {
    const Resolver *resolver = expansion->resolver;
    const DirectiveArgument *a = directive->arguments.data,
                            *tail = directive_find(directive, ARGUMENT_TAIL);
    enum { X, Y, XO, YO, XI, YI, X_FACTOR, Y_FACTOR };
    LoopName x, y;
    if (!resolve_loop(resolver, &a[X], &x) || !resolve_loop(resolver, &a[Y], &y))
        return false;
    const char *y_text = loop_symbol(resolver->context, &y)->text;
    if (!same_stage(&x, &y))
        return refuse(resolver, DIAG_REORDER_STAGES, a[Y].place, y_text,
                      loop_symbol(resolver->context, &x)->text);
    if (x.variable == y.variable)
        return refuse(resolver, DIAG_REORDER_TWICE, a[Y].place, y_text);
    if (!emit_split(expansion, &x, a[X].place, a[XO], a[XI], &a[X_FACTOR], tail) ||
        !emit_split(expansion, &y, a[Y].place, a[YO], a[YI], &a[Y_FACTOR], tail))
        return false;
    Order order = {.like = x, .place = directive->place};
    const int innermost_first[] = {XI, YI, XO, YO};
    for (size_t i = 0; i < 4; i++)
        vec_push(resolver->arena, &order.variables, a[innermost_first[i]].name);
    return expand_order(expansion, &order);
}

bool sugar_expand(Nests *nests, const Resolver *resolver, const Directive *directive,
                  Directives *primitives) {
    Expansion expansion = {nests, resolver, directive->place, primitives};
    if (directive->kind == DIRECTIVE_TILE)
        return expand_tile(&expansion, directive);
    if (directive->kind == DIRECTIVE_REORDER)
        return expand_reorder(&expansion, directive);
    const Manner *manner = manner_of(directive);
    hlc_assert(manner, "each sugar has an expansion");
    return expand_manner(&expansion, directive, manner);
}
