/* hints.c -- what is written into the margin of a text: the types of funcs that declare none; under a
 * schedule the lengths of the loops that it names, and how much of a func is computed at a level.
 *
 *     fun wide(x, y): i32 = ..
 *     compute-at(wide x: out.extent.0, y: 34, out.y_p: (out.extent.1 + 31)/32)
 */
#include "editor/reading.h"

#include <string.h>

typedef Vec(EditorHint) HintList;

typedef struct Hinting {
    unsigned first, last;
    HintList list;
    const ScheduleNest *nest; /* of the schedule at work */
} Hinting;

static void add(Hinting *hinting, Arena *arena, EditorPoint at, const char *text, bool is_type) {
    if (at.line >= hinting->first && at.line <= hinting->last)
        vec_push(arena, &hinting->list, (EditorHint){at, text, is_type});
}

/* ---- types ---- */

/* Behind the bracket that closes the variables of a func; line 0 if there is none. */
static EditorPoint behind_variables(const Tokens *tokens, Place name) {
    size_t i = tokens_at(tokens, editor_point(name)), depth = 0;
    for (; i < tokens->length && !token_is(&tokens->data[i], "="); i++) {
        const Token *token = &tokens->data[i];
        depth += token_is(token, "(");
        depth -= depth > 0 && token_is(token, ")");
        if (depth == 0 && token_is(token, ")"))
            return (EditorPoint){token->place.line, token->place.column + 1};
    }
    return (EditorPoint){0, 0};
}

static void hint_types(Editor *editor, Arena *arena, void *data) {
    Hinting *hinting = data;
    const Reading *now = editor->now;
    for (size_t i = 0; now->names && i < now->names->definitions.length; i++) {
        const Definition *definition = now->names->definitions.data[i];
        const FunSyntax *fun = definition->fun;
        if (!fun || fun->has_types || !fun->has_body || fun->path ||
            definition->place.file != now->h->file)
            continue;
        const Func *func = editor_func(editor, definition);
        const char *types = func ? editor_types(arena, func) : NULL;
        EditorPoint at = behind_variables(&now->tokens, definition->place);
        if (types && at.line > 0)
            add(hinting, arena, at, arena_format(arena, ": %s", types), true);
    }
}

/* ---- loops and levels ---- */

/* Splits `f.s1.x`; false for another text, and for a loop of a family. */
static bool read_loop(const Syntax *syntax, const char **func, const char **variable,
                      const char **stage) {
    const Syntax *base = syntax->kind == SYNTAX_MEMBER ? syntax->children.data[0] : NULL;
    if (!base)
        return false;
    *variable = syntax->name->text;
    *stage = base->kind == SYNTAX_MEMBER ? base->name->text : NULL;
    base = *stage ? base->children.data[0] : base;
    *func = base->kind == SYNTAX_NAME ? base->name->text : NULL;
    return *func;
}

static const char *length_of(const ScheduleNest *nest, const Syntax *syntax) {
    const char *func, *variable, *stage, *length = NULL;
    char number[16];
    size_t found = 0;
    if (!read_loop(syntax, &func, &variable, &stage))
        return NULL;
    for (size_t i = 0; i < nest->loops.length; i++) {
        const NestedLoop *loop = &nest->loops.data[i];
        snprintf(number, sizeof number, "s%d", loop->stage);
        if (strcmp(loop->func, func) != 0 || strcmp(loop->variable, variable) != 0 ||
            (stage && strcmp(stage, number) != 0) || loop->specialization != 0)
            continue;
        length = loop->length;
        found++;
    }
    return found == 1 ? length : NULL;
}

static EditorPoint behind(Place place) {
    return (EditorPoint){place.line, place.column + place.length};
}

static void hint_directive(Hinting *hinting, Arena *arena, const DirectiveSyntax *directive) {
    const DirectiveInfo *info = directive_named(directive->name.name->text);
    const ScheduleNest *nest = hinting->nest;
    if (!info || directive->package.name)
        return;
    for (size_t i = 0; i < directive->arguments.length; i++) {
        const Syntax *argument = directive->arguments.data[i];
        char letters[MOST_LETTERS];
        directive_letters(info->arguments, i, letters);
        const char *length = strchr(letters, 'l') ? length_of(nest, argument) : NULL;
        if (length)
            add(hinting, arena, behind(argument->place), arena_format(arena, ": %s", length),
                false);
    }
    const Syntax *first = directive->arguments.length > 0 ? directive->arguments.data[0] : NULL;
    bool is_level = info->phase == PHASE_COMPUTE || info->phase == PHASE_STORAGE;
    for (size_t i = 0; is_level && first && first->kind == SYNTAX_NAME && i < nest->funcs.length;
         i++) {
        const NestedFunc *func = &nest->funcs.data[i];
        if (strcmp(func->func, first->name->text) != 0 || !*func->text)
            continue;
        add(hinting, arena, behind(first->place), arena_format(arena, " [%s]", func->text), false);
        break;
    }
}

static void hint_lines(Hinting *hinting, Arena *arena, const ItemSyntaxes *items) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        if (item->kind == ITEM_DIRECTIVE)
            hint_directive(hinting, arena, item->directive);
        if (item->kind == ITEM_BLOCK && !item->block->is_loop) {
            hint_lines(hinting, arena, &item->block->items);
            hint_lines(hinting, arena, &item->block->otherwise);
        }
    }
}

typedef struct ScheduleHinting {
    Hinting *hinting;
    size_t schedule; /* in the text */
} ScheduleHinting;

static void hint_schedule(Editor *editor, Arena *arena, void *data) {
    const ScheduleHinting *wanted = data;
    hint_lines(wanted->hinting, arena, &editor->now->text->schedules.data[wanted->schedule]->items);
}

EditorHints editor_hints(Editor *editor, unsigned first, unsigned last) {
    Hinting hinting = {.first = first, .last = last};
    editor_ask(editor, hint_types, &hinting);
    const FileSyntax *text = editor->now ? editor->now->text : NULL;
    /* Lengths are of the text as it is: no hint comes from an earlier version. */
    for (size_t i = 0; text && editor->good == editor->now && i < text->schedules.length; i++) {
        const ScheduleSyntax *schedule = text->schedules.data[i];
        if (schedule->name.place.line > last || schedule->formals.length > 0)
            continue;
        hinting.nest =
            nest_of_schedule(editor, schedule->pipeline.name->text, schedule->name.name->text);
        if (hinting.nest)
            editor_ask(editor, hint_schedule, &(ScheduleHinting){&hinting, i});
    }
    return (EditorHints){hinting.list.data, hinting.list.length};
}
