/* outline.c -- the structure of a text: its symbols, its blocks, and where something can be run. */
#include "editor/reading.h"

#include <string.h>

/* ---- symbols ---- */

typedef Vec(EditorSymbol) SymbolList;

typedef struct SymbolOutline {
    const Editor *editor;
    Arena *arena;
    SymbolList list;
} SymbolOutline;

static void add_whole(SymbolOutline *outline, NameSyntax name, EditorToken kind, const char *detail,
                      unsigned depth, EditorPoint end) {
    const Context *context = outline->editor->now->h->context;
    EditorRange word = editor_range(context, name.place);
    EditorRange whole = {word.path, {name.place.line, 1}, end};
    if (!point_is_before(word.to, end))
        whole.to = word.to;
    vec_push(outline->arena, &outline->list,
             (EditorSymbol){name.name->text, detail, kind, whole, word, depth});
}

static void add(SymbolOutline *outline, NameSyntax name, EditorToken kind, const char *detail,
                unsigned depth) {
    add_whole(outline, name, kind, detail, depth,
              tokens_end(&outline->editor->now->tokens, name.place));
}

static void add_items(SymbolOutline *outline, const ItemSyntaxes *items, unsigned depth) {
    for (size_t i = 0; i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        switch ((int)item->kind) {
        case ITEM_LET:
            add(outline, item->let->name,
                item->let->parameters.length ? EDITOR_TOKEN_HELPER : EDITOR_TOKEN_CONSTANT, "let",
                depth);
            break;
        case ITEM_FUN:
            add(outline, item->fun->name, EDITOR_TOKEN_FUNC, "func", depth);
            break;
        case ITEM_INSTANCE:
            add(outline, item->instance->name, EDITOR_TOKEN_FUNC,
                item->instance->template.name->text, depth);
            break;
        case ITEM_TEMPLATE:
            add(outline, item->template->name, EDITOR_TOKEN_HELPER, "template", depth);
            add_items(outline, &item->template->items, depth + 1);
            break;
        case ITEM_RECURRENCE:
            add_items(outline, &item->recurrence->items, depth);
            break;
        case ITEM_BLOCK:
            add_items(outline, &item->block->items, depth);
            add_items(outline, &item->block->otherwise, depth);
            break;
        default:
            break;
        }
    }
}

static void add_pipeline(SymbolOutline *outline, const PipelineSyntax *pipeline) {
    add(outline, pipeline->name, EDITOR_TOKEN_PIPELINE, "pipeline", 0);
    for (size_t i = 0; i < pipeline->parameters.length; i++) {
        const ParameterSyntax *parameter = &pipeline->parameters.data[i];
        EditorPoint end = {0, 0};
        add_whole(outline, parameter->name, EDITOR_TOKEN_PARAMETER,
                  parameter->is_image ? "image" : "parameter", 1, end);
    }
    add_items(outline, &pipeline->items, 1);
}

static void list_symbols(Editor *editor, Arena *arena, void *data) {
    SymbolOutline *outline = data;
    const FileSyntax *file = editor->now->text;
    outline->arena = arena;
    for (size_t i = 0; file && i < file->lets.length; i++)
        add(outline, file->lets.data[i]->name, EDITOR_TOKEN_CONSTANT, "let", 0);
    for (size_t i = 0; file && i < file->templates.length; i++) {
        add(outline, file->templates.data[i]->name, EDITOR_TOKEN_HELPER, "template", 0);
        add_items(outline, &file->templates.data[i]->items, 1);
    }
    for (size_t i = 0; file && i < file->commands.length; i++)
        add(outline, file->commands.data[i]->name, EDITOR_TOKEN_DIRECTIVE, "directive", 0);
    for (size_t i = 0; file && i < file->pipelines.length; i++)
        add_pipeline(outline, file->pipelines.data[i]);
    for (size_t i = 0; file && i < file->schedules.length; i++)
        add(outline, file->schedules.data[i]->name, EDITOR_TOKEN_SCHEDULE,
            arena_format(arena, "for %s", file->schedules.data[i]->pipeline.name->text), 0);
}

EditorSymbols editor_symbols(Editor *editor) {
    SymbolOutline outline = {.editor = editor};
    return editor_ask(editor, list_symbols, &outline)
               ? (EditorSymbols){outline.list.data, outline.list.length}
               : (EditorSymbols){0};
}

/* ---- blocks ---- */

typedef Vec(EditorFold) FoldList;

static void fold_blocks(const Tokens *tokens, Arena *arena, FoldList *list) {
    Vec(unsigned) open = {0};
    for (size_t i = 0; i < tokens->length; i++) {
        const Token *token = &tokens->data[i];
        bool opens = token_is(token, "{"), closes = token_is(token, "}");
        if (opens)
            vec_push(arena, &open, token->place.line);
        if (!closes || open.length == 0)
            continue;
        unsigned first = open.data[--open.length];
        if (token->place.line > first + 1)
            vec_push(arena, list, (EditorFold){first, token->place.line - 1, false});
    }
}

/* Lines of comments that follow one another. */
static void fold_comments(const SourceFile *file, Arena *arena, FoldList *list) {
    unsigned line = 1, first = 0;
    for (const char *at = file->text, *end = at + file->length; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *text = at + strspn(at, " \t");
        bool is_comment = text + 1 < end && text[0] == '/' && text[1] == '/';
        if (is_comment && !first)
            first = line;
        if (!is_comment && first && line - 1 > first)
            vec_push(arena, list, (EditorFold){first, line - 1, true});
        if (!is_comment)
            first = 0;
        at = stop ? stop + 1 : end;
    }
    if (first && line - 1 > first)
        vec_push(arena, list, (EditorFold){first, line - 1, true});
}

static void list_folds(Editor *editor, Arena *arena, void *data) {
    const Reading *now = editor->now;
    if (!now->text)
        return;
    fold_blocks(&now->tokens, arena, data);
    fold_comments(&now->h->context->files.data[now->h->file], arena, data);
}

EditorFolds editor_folds(Editor *editor) {
    FoldList list = {0};
    return editor_ask(editor, list_folds, &list) ? (EditorFolds){list.data, list.length}
                                                 : (EditorFolds){0};
}

/* ---- places to run something ---- */

typedef Vec(EditorLens) LensList;

static void list_lenses(Editor *editor, Arena *arena, void *data) {
    LensList *list = data;
    const FileSyntax *file = editor->now->text;
    const Context *context = editor->now->h->context;
    for (size_t i = 0; file && i < file->pipelines.length; i++) {
        const NameSyntax *name = &file->pipelines.data[i]->name;
        vec_push(arena, list,
                 (EditorLens){editor_range(context, name->place), name->name->text, NULL});
    }
    for (size_t i = 0; file && i < file->schedules.length; i++) {
        const ScheduleSyntax *schedule = file->schedules.data[i];
        if (schedule->formals.length == 0)
            vec_push(arena, list,
                     (EditorLens){editor_range(context, schedule->name.place),
                                  schedule->pipeline.name->text, schedule->name.name->text});
    }
}

EditorLenses editor_lenses(Editor *editor) {
    LensList list = {0};
    return editor_ask(editor, list_lenses, &list) ? (EditorLenses){list.data, list.length}
                                                  : (EditorLenses){0};
}
