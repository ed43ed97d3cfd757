/* tile.c -- tile(x, y, xo, yo, xi, yi, a, b): split(x, xo, xi, a); split(y, yo, yi, b);
 * reorder(xi, yi, xo, yo).
 */
#include "schedule/directive_record.h"

bool tile_expand(SugarExpansion *expansion, const Directive *directive) {
    const Resolver *resolver = expansion->resolver;
    const DirectiveArgument *a = directive->arguments.data,
                            *tail = directive_find(directive, ARGUMENT_TAIL);
    enum { X, Y, XO, YO, XI, YI, X_FACTOR, Y_FACTOR };
    SugarOrder order = {.place = directive->place};
    LoopName x, y;
    if (!sugar_order_add(resolver, &order, &a[X], &x) ||
        !sugar_order_add(resolver, &order, &a[Y], &y) ||
        !sugar_split(expansion, &x, a[X].place, a[XO], a[XI], &a[X_FACTOR], tail) ||
        !sugar_split(expansion, &y, a[Y].place, a[YO], a[YI], &a[Y_FACTOR], tail))
        return false;
    const int innermost_first[] = {XI, YI, XO, YO};
    order.variables.length = 0;
    for (size_t i = 0; i < 4; i++)
        vec_push(resolver->arena, &order.variables, a[innermost_first[i]].name);
    return sugar_reorder(expansion, &order);
}

/* Offers the loop as y, and the loop directly inside it as x. */
void tile_candidates(const LegalSearch *search, const LoopNest *nest, size_t position) {
    if (position + 1 == nest->loops.length)
        return;
    const NumberChoices *factors = &search->choices->factors;
    Symbol names[4];
    for (int i = 0; i < 4; i++)
        names[i] =
            candidate_loop_name(search, nest, i % 2 ? position : position + 1, i < 2 ? "_o" : "_i");
    for (size_t i = 0; i < factors->length; i++)
        for (int tail = 0; tail < CANDIDATE_TAIL_WAYS; tail++) {
            const NumberChoice *a = &factors->data[i], *b = &factors->data[factors->length - 1 - i];
            if (!split_candidate(search, nest, position + 1, names[0], names[2], a, tail) ||
                !split_candidate(search, nest, position, names[1], names[3], b, tail))
                continue;
            Directive *tile = candidate(
                search, argument_of_nest(nest, position + 1), argument_of_nest(nest, position),
                argument_name(names[0]), argument_name(names[1]), argument_name(names[2]),
                argument_name(names[3]), argument_number(a), argument_number(b));
            candidate_put_tail(search, tile, tail);
            candidate_accept(search, tile);
        }
}
