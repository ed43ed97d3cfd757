/* node.c -- nodes of the tree that is made, the budget, and the two recursions with their limits.
 * The cases of syntax are above this file. */
#include "frontend/static/static.h"

enum { BYTES_OF_STEP = 32 }; /* what is made counts, too */

bool static_step(StaticExpander *x, Place place) {
    size_t limit = x->context->limits.expansion_steps;
    size_t made = (arena_used(x->arena) - x->used_before) / BYTES_OF_STEP;
    if (!x->is_spent && ++x->steps + made > limit) {
        diag(x->context, DIAG_EXPANSION_STEPS, place, arena_number(x->arena, (int64_t)limit));
        x->is_spent = true;
    }
    return !x->is_spent;
}

Syntax *static_node(StaticExpander *x, SyntaxKind kind, Place place) {
    Syntax *syntax = arena_new(x->arena, Syntax);
    syntax->kind = kind;
    syntax->place = place;
    syntax->depth = 1;
    return syntax;
}

void static_adopt(StaticExpander *x, Syntax *parent, Syntax *child) {
    vec_push(x->arena, &parent->children, child);
    if (parent->depth <= child->depth)
        parent->depth = child->depth + 1;
}

Syntax *static_copy(StaticExpander *x, const Syntax *syntax) {
    Syntax *result = arena_new(x->arena, Syntax);
    *result = *syntax;
    result->children = (Syntaxes){0};
    return result;
}

Syntax *static_name(StaticExpander *x, Symbol name, Place place) {
    Syntax *syntax = static_node(x, SYNTAX_NAME, place);
    syntax->name = name;
    return syntax;
}

/* The innermost maker that is expanded inside of itself, if makers are many of the levels: their
 * arguments, which are evaluated through all makers around, take most. */
static const StaticMaker *find_recursion(const StaticExpander *x) {
    size_t count = 0;
    for (const StaticMaker *maker = x->maker; maker; maker = maker->outer)
        count++;
    if (8 * count < x->depth)
        return NULL;
    for (const StaticMaker *inner = x->maker; inner; inner = inner->outer)
        for (const StaticMaker *outer = inner->outer; outer; outer = outer->outer)
            if (outer->written == inner->written)
                return inner;
    return NULL;
}

bool static_enter(StaticExpander *x, Place place) {
    if (!static_step(x, place))
        return false;
    if (x->depth < 2 * x->context->limits.nesting) {
        x->depth++;
        return true;
    }
    x->is_spent = true;
    const StaticMaker *maker = find_recursion(x);
    if (maker)
        return diag(x->context, DIAG_EXPANSION_RECURSION, maker->name.place, maker->what,
                    maker->name.name->text);
    return diag(x->context, DIAG_EXPANSION_NESTING, place,
                arena_number(x->arena, (int64_t)(2 * x->context->limits.nesting)));
}

bool static_enter_maker(StaticExpander *x, StaticMaker *maker) {
    maker->outer = x->maker;
    if (!static_enter(x, maker->name.place))
        return false;
    x->maker = maker;
    return true;
}

Syntax *static_expand(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    if (!static_enter(x, syntax->place))
        return NULL;
    Syntax *result = x->cases->expand(x, scope, syntax);
    x->depth--;
    return result;
}

Syntax *static_list(StaticExpander *x, StaticScope scope, Syntax *syntax, bool *failed) {
    *failed = !static_enter(x, syntax->place);
    if (*failed)
        return NULL;
    Syntax *result = x->cases->list(x, scope, syntax, failed);
    x->depth--;
    return result;
}

bool static_is_made(const Syntax *list) {
    for (size_t i = 0; i < list->children.length; i++)
        if (list->children.data[i]->kind == SYNTAX_COMPREHENSION ||
            list->children.data[i]->kind == SYNTAX_SPREAD)
            return true;
    return false;
}
