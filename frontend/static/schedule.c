/* schedule.c -- expands the directives of a schedule. */
#include "frontend/static/static.h"

#include <string.h>

static void expand_line(StaticExpander *x, StaticScope *scope, const ItemSyntax *item,
                        ItemSyntaxes *out);

/* A bare name is a func, a loop's name, a word or a value.  Only a static name is replaced. */
static Syntax *expand_argument(StaticExpander *x, StaticScope scope, Syntax *syntax) {
    const Meaning *meaning = static_named(x, scope, syntax);
    bool stays = meaning && (meaning->kind == MEANING_FAMILY || meaning->kind == MEANING_BUNDLE);
    if (stays) /* for a directive of the user's */
        return syntax;
    bool is_text = meaning && (meaning->kind == MEANING_TEXT || meaning->kind == MEANING_LIST);
    if (!is_text)
        return static_expand(x, scope, syntax);
    if (syntax->kind == SYNTAX_NAME && meaning->out == meaning->name)
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
    if (!static_new_name(x, *scope, *last, &name.name))
        return false;
    static_add_member(x, name.name, name.place);
    static_define(x, MEANING_FUNC, name);
    scope->visible = x->next_number;
    *last = static_node(x, SYNTAX_NAME, name.place);
    (*last)->name = name.name;
    return true;
}

/* `fast(g[3].dx, ..)`, with the func that is named first; in the lines it has a parameter's name. */
static const char *use_text(StaticExpander *x, StaticScope scope, const DirectiveSyntax *written) {
    Arena *arena = x->context->arena;
    const char *name = written->name.name->text;
    Symbol func;
    size_t count = written->arguments.length;
    if (count == 0 || static_path(x, scope, written->arguments.data[0], &func) != PATH_FUNC)
        return arena_format(arena, "%s(..)", name);
    return arena_format(arena, "%s(%s%s)", name, func->text, count > 1 ? ", .." : "");
}

/* A directive of the user's: its lines, with the arguments; false for a built-in one. */
static bool expand_command(StaticExpander *x, StaticScope *scope, const DirectiveSyntax *written,
                           ItemSyntaxes *out) {
    bool failed = false;
    StaticScope inner = {.visible = x->module_numbers};
    const TemplateSyntax *command =
        static_find_command(x, *scope, written, &inner.package, &failed);
    StaticMaker maker = {"directive", written->name, command, NULL};
    if (!command || !static_enter_maker(x, &maker))
        return command || failed;
    ArgumentSyntaxes arguments = {0};
    const Use *use = x->context->use;
    for (size_t i = 0; i < written->arguments.length; i++)
        vec_push(x->arena, &arguments,
                 ((ArgumentSyntax){written->argument_names.data[i], written->arguments.data[i]}));
    if (static_bind_formals(x, *scope, written->name, &command->formals, &arguments, &inner)) {
        static_enter_use(x, written->name.place, use_text(x, *scope, written));
        for (size_t i = 0; i < command->items.length && !x->is_spent; i++)
            expand_line(x, &inner, &command->items.data[i], out);
    }
    x->context->use = use;
    x->depth--;
    x->maker = maker.outer;
    return true;
}

static void expand_directive(StaticExpander *x, StaticScope *scope, const DirectiveSyntax *written,
                             ItemSyntaxes *out) {
    if (expand_command(x, scope, written, out))
        return;
    DirectiveSyntax *made = arena_new(x->arena, DirectiveSyntax);
    made->name = written->name;
    made->use = x->context->use;
    bool good = static_step(x, written->name.place);
    for (size_t i = 0; i < written->arguments.length && !x->is_spent; i++) {
        Syntax *argument = written->arguments.data[i];
        NameSyntax named = written->argument_names.data[i];
        if (named.name)
            good = diag(x->context, DIAG_UNKNOWN_NAME, named.place, "parameter", named.name->text,
                        "arguments of built-in directives have no names");
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
    case ITEM_INSTANCE:
    case ITEM_TEMPLATE:
        hlc_assert(false, "a schedule holds directives, constants and blocks");
        break;
    }
}

/* ---- schedules that extend others ---- */

typedef Vec(const ScheduleSyntax *) NamedSchedules;

void static_add_schedule(StaticExpander *x, const ScheduleSyntax *written) {
    NamedSchedules *named = map_get(&x->schedules, written->name.name);
    if (!named) {
        named = arena_new(x->arena, NamedSchedules);
        map_put(&x->schedules, written->name.name, named);
    }
    vec_push(x->arena, named, written);
}

static const ScheduleSyntax *find_base(StaticExpander *x, const ScheduleSyntax *written) {
    const NamedSchedules *named = map_get(&x->schedules, written->base.name);
    for (size_t i = 0; named && i < named->length; i++)
        if (named->data[i]->pipeline.name == written->pipeline.name)
            return named->data[i];
    diag(x->context, DIAG_UNKNOWN_NAME, written->base.place, "schedule", written->base.name->text,
         arena_format(x->arena, "a schedule extends another one of the pipeline `%s`",
                      written->pipeline.name->text));
    return NULL;
}

/* The lines of the schedule that it extends, then its own. */
static void expand_lines(StaticExpander *x, StaticScope caller, NameSyntax use,
                         const ScheduleSyntax *written, const ArgumentSyntaxes *arguments,
                         ItemSyntaxes *out) {
    StaticScope scope = {.visible = x->next_number};
    StaticMaker maker = {"schedule", use, written, NULL};
    for (const StaticMaker *outer = x->maker; outer; outer = outer->outer)
        if (outer->written == written) {
            diag(x->context, DIAG_SCHEDULE_CYCLE, use.place, use.name->text);
            return;
        }
    if (!static_enter_maker(x, &maker))
        return;
    if (static_bind_formals(x, caller, use, &written->formals, arguments, &scope)) {
        const ScheduleSyntax *base = written->base.name ? find_base(x, written) : NULL;
        if (base)
            expand_lines(x, scope, written->base, base, &written->base_arguments, out);
        for (size_t i = 0; i < written->items.length && !x->is_spent; i++)
            expand_line(x, &scope, &written->items.data[i], out);
    }
    x->depth--;
    x->maker = maker.outer;
}

ScheduleSyntax *static_schedule(StaticExpander *x, const ScheduleSyntax *written) {
    ScheduleSyntax *made = arena_new(x->arena, ScheduleSyntax);
    *made = *written;
    for (size_t i = 0; i < written->formals.length; i++)
        if (!written->formals.data[i].default_value)
            return NULL;
    ItemSyntaxes lines = {0};
    ArgumentSyntaxes none = {0};
    expand_lines(x, (StaticScope){.visible = x->next_number}, written->name, written, &none,
                 &lines);
    for (size_t i = 0; i < lines.length; i++)
        vec_push(x->arena, &made->directives, *lines.data[i].directive);
    return made;
}
