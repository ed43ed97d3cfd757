/* manner_split.c -- the names and traversals of loops that vectorize, unroll and parallel make. */
#include "schedule/sugar.h"

static const SugarManner manners[] = {
    {DIRECTIVE_VECTORIZE, TRAVERSE_VECTORIZED, "_o", "_v", false},
    {DIRECTIVE_UNROLL, TRAVERSE_UNROLLED, "_o", "_u", false},
    {DIRECTIVE_PARALLEL, TRAVERSE_PARALLEL, "_p", "_i", true},
};

const SugarManner *sugar_manner(DirectiveKind kind) {
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++)
        if (manners[i].kind == kind)
            return &manners[i];
    return NULL;
}

bool sugar_manner_split(const Resolver *resolver, const Directive *directive, MannerSplit *split) {
    const SugarManner *manner = sugar_manner(directive->kind);
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
