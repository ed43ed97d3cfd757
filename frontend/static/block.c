/* block.c -- expands `for` and `if`.  They are no scope: only the variable of a loop ends with it.
 */
#include "frontend/static/static.h"

static void expand_items(StaticExpander *x, StaticScope *scope, const ItemSyntaxes *items,
                         ExpandItem *expand, ItemSyntaxes *out) {
    for (size_t i = 0; i < items->length && !x->is_spent; i++)
        expand(x, scope, &items->data[i], out);
}

/* The variable ends; what it hid is seen again. */
static void end_variable(StaticExpander *x, StaticScope *scope, NameSyntax name,
                         const Meaning *variable) {
    if (trie_get(scope->locals, name.name) == variable) /* no let has taken its place */
        scope->locals = trie_put(x->arena, scope->locals, name.name, variable->next);
}

/* `k = 3` */
static const char *round_text(StaticExpander *x, const Meaning *variable) {
    const char *value = variable->kind == MEANING_STATIC ? static_text(x, &variable->value) : "..";
    return arena_format(x->context->arena, "%s = %s", variable->name->text, value);
}

static void expand_loop(StaticExpander *x, StaticScope *scope, const BlockSyntax *block,
                        ExpandItem *expand, ItemSyntaxes *out) {
    StaticRange values;
    NameSyntax loop = x->loop;
    const Use *use = x->context->use;
    if (!static_range(x, *scope, &block->range, &values))
        return;
    if (values.count == 0) {
        watch_choice(x->watch);
        static_add_empty(x, &block->items);
    }
    x->loops++;
    x->loop = block->range.variable;
    for (size_t i = 0; i < values.count && static_step(x, block->place); i++) {
        static_bind_round(x, scope, &block->range, &values, i);
        const Meaning *variable = trie_get(scope->locals, block->range.variable.name);
        static_enter_use(x, block->place, round_text(x, variable));
        expand_items(x, scope, &block->items, expand, out);
        end_variable(x, scope, block->range.variable, variable);
        x->context->use = use;
    }
    x->context->use = use;
    x->loop = loop;
    x->loops--;
}

void static_block(StaticExpander *x, StaticScope *scope, const BlockSyntax *block,
                  ExpandItem *expand, ItemSyntaxes *out) {
    bool in_block = x->in_block, holds;
    if (!static_enter(x, block->place)) /* blocks in a template that recurs */
        return;
    x->in_block = true;
    if (!block->is_loop)
        watch_choice(x->watch);
    if (block->is_loop)
        expand_loop(x, scope, block, expand, out);
    else if (static_need_bool(x, *scope, block->condition, "the condition of an `if`", &holds))
        expand_items(x, scope, holds ? &block->items : &block->otherwise, expand, out);
    x->in_block = in_block;
    x->depth--;
}
