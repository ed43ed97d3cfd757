/* schedule.c -- expands the directives of a schedule. */
#include "frontend/static/static.h"

#include <string.h>

/* A bare name is a func, a loop's name, a word or a value.  Only a static name is replaced. */
static Syntax *expand_argument(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    const Meaning *meaning =
        syntax->kind == SYNTAX_NAME ? static_find(x, scope, syntax->name) : NULL;
    bool is_text = meaning && (meaning->kind == MEANING_TEXT || meaning->kind == MEANING_LIST);
    if (!is_text)
        return static_expand(x, scope, syntax);
    if (meaning->out == meaning->name)
        return syntax;
    diag(x->context, DIAG_HIDDEN_NAME, syntax->place, syntax->name->text);
    return NULL;
}

/* `rfactor(.., part[k])`, `wrap(f, .., f.w)`: the last argument is the name of a new func. */
static bool define_new(StaticExpander *x, StaticScope *scope, const DirectiveSyntax *written,
                       Syntax **last) {
    bool makes =
        !strcmp(written->name.name->text, "wrap") || !strcmp(written->name.name->text, "rfactor");
    bool is_path = (*last)->kind == SYNTAX_SUBSCRIPT || (*last)->kind == SYNTAX_MEMBER ||
                   (*last)->kind == SYNTAX_SUFFIX;
    NameSyntax name = {.place = (*last)->place};
    if (!makes || !is_path)
        return false;
    if (!static_path_name(x, *scope, *last, &name.name))
        return false;
    static_add_member(x, *scope, *last, name.name);
    static_define(x, MEANING_FUNC, name);
    scope->visible = x->next_number;
    *last = static_node(x, SYNTAX_NAME, name.place);
    (*last)->name = name.name;
    return true;
}

static void expand_directive(StaticExpander *x, StaticScope *scope, const DirectiveSyntax *written,
                             ItemSyntaxes *out) {
    DirectiveSyntax *made = arena_new(x->arena, DirectiveSyntax);
    made->name = written->name;
    bool good = static_step(x, written->name.place);
    for (size_t i = 0; i < written->arguments.length && !x->is_spent; i++) {
        Syntax *argument = written->arguments.data[i];
        bool is_new =
            i + 1 == written->arguments.length && define_new(x, scope, written, &argument);
        if (!is_new)
            argument = expand_argument(x, *scope, argument);
        good &= argument != NULL;
        vec_push(x->arena, &made->arguments, argument);
    }
    if (good)
        vec_push(x->arena, out, ((ItemSyntax){ITEM_DIRECTIVE, .directive = made}));
}

static void expand_line(StaticExpander *x, StaticScope *scope, const ItemSyntax *item,
                        ItemSyntaxes *out) {
    ItemSyntaxes lets = {0};
    switch (item->kind) {
    case ITEM_DIRECTIVE:
        expand_directive(x, scope, item->directive, out);
        break;
    case ITEM_BLOCK:
        static_block(x, scope, item->block, expand_line, out);
        break;
    case ITEM_LET:
        x->all_static = true;
        static_define_let(x, scope, item->let, true, &lets);
        x->all_static = false;
        break;
    case ITEM_FUN:
    case ITEM_RECURRENCE:
    case ITEM_REQUIRE:
    case ITEM_STAGE:
        hlc_assert(false, "a schedule holds directives, constants and blocks");
        break;
    }
}

ScheduleSyntax *static_schedule(StaticExpander *x, const ScheduleSyntax *written) {
    ScheduleSyntax *made = arena_new(x->arena, ScheduleSyntax);
    *made = *written;
    StaticScope scope = {NULL, x->next_number};
    ItemSyntaxes lines = {0};
    for (size_t i = 0; i < written->items.length && !x->is_spent; i++)
        expand_line(x, &scope, &written->items.data[i], &lines);
    for (size_t i = 0; i < lines.length; i++)
        vec_push(x->arena, &made->directives, *lines.data[i].directive);
    return made;
}
