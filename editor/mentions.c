/* mentions.c -- definition, references, rename, colours: answers that are lists of mentions.
 *
 * A rename is checked. The renamed text must have as many errors as before, and each of its names must
 * mean the definition that it meant before. So a new name that is taken, that is a word of the language,
 * or that something hides, is refused with the compiler's own reason.
 */
#include "editor/reading.h"

#include "frontend/frontend.h"

#include <string.h>

/* ---- lists ---- */

typedef Vec(EditorMention) MentionList;

typedef struct Finding {
    EditorPoint at;
    bool only_definitions;
    MentionList found;
} Finding;

static const Mention *mention_at(const Editor *editor, EditorPoint at) {
    const Reading *now = editor->now;
    return now && now->names ? names_at(now->names, now->h->file, at) : NULL;
}

static void list_mentions(const Editor *editor, Arena *arena, const Definition *definition,
                          bool only_definitions, MentionList *list) {
    const TextNames *names = editor->now->names;
    for (size_t i = 0; i < names->mentions.length; i++) {
        const Mention *mention = &names->mentions.data[i];
        if (mention->definition == definition && (mention->is_definition || !only_definitions))
            vec_push(arena, list,
                     (EditorMention){editor_range(names->context, mention->place),
                                     mention->is_definition});
    }
}

/* The beginning of the file that the import at this point reads. */
static void list_import(const Editor *editor, Arena *arena, EditorPoint at, MentionList *list) {
    const FileSyntax *text = editor->now->text;
    const Context *context = editor->now->h->context;
    for (size_t i = 0; text && i < text->imports.length; i++) {
        const ImportSyntax *import = &text->imports.data[i];
        Place place = import->place;
        if (!import->path || place.line != at.line || at.column < place.column ||
            at.column > place.column + place.length)
            continue;
        const char *path =
            frontend_resolve(arena, context->files.data[place.file].path, import->path);
        for (size_t k = 0; k < context->files.length; k++)
            if (strcmp(context->files.data[k].path, path) == 0)
                vec_push(arena, list,
                         (EditorMention){{context->files.data[k].path, {1, 1}, {1, 1}}, true});
    }
}

static void find(Editor *editor, Arena *arena, void *data) {
    Finding *finding = data;
    const Mention *mention = mention_at(editor, finding->at);
    if (!mention && finding->only_definitions)
        list_import(editor, arena, finding->at, &finding->found);
    if (mention)
        list_mentions(editor, arena, mention->definition, finding->only_definitions,
                      &finding->found);
}

static EditorMentions answer(Editor *editor, EditorPoint at, bool only_definitions) {
    Finding finding = {.at = at, .only_definitions = only_definitions};
    if (!editor_ask(editor, find, &finding))
        return (EditorMentions){0};
    return (EditorMentions){finding.found.data, finding.found.length};
}

EditorMentions editor_definition(Editor *editor, EditorPoint at) {
    return answer(editor, at, true);
}

EditorMentions editor_references(Editor *editor, EditorPoint at) {
    return answer(editor, at, false);
}

/* ---- rename ---- */

typedef struct RenamedFile {
    const char *path, *text;
    size_t length;
} RenamedFile;

typedef struct Renaming {
    EditorPoint at;
    const char *name, *old;
    EditorRename answer;
    MentionList places;
    Vec(RenamedFile) files;
    hlc_importer *import; /* of the files without a mention */
    void *data;
    hlc *check;
    const char *refused;
} Renaming;

/* The text of a file with the new name in place of its mentions. */
static void rename_in(Renaming *renaming, Arena *arena, const SourceFile *file) {
    Vec(char) text = {0};
    size_t at = 0;
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < renaming->places.length; i++) {
        const EditorRange *range = &renaming->places.data[i].range;
        if (strcmp(range->path, file->path) != 0)
            continue;
        for (; at < file->length && (line != range->from.line || column != range->from.column);
             at++) {
            vec_push(arena, &text, file->text[at]);
            bool is_end = file->text[at] == '\n';
            line += is_end;
            column = is_end ? 1 : column + 1;
        }
        for (const char *letter = renaming->name; *letter; letter++)
            vec_push(arena, &text, *letter);
        at += range->to.column - range->from.column;
        column = range->to.column;
    }
    for (; at < file->length; at++)
        vec_push(arena, &text, file->text[at]);
    vec_push(arena, &text, '\0');
    vec_push(arena, &renaming->files, (RenamedFile){file->path, text.data, text.length - 1});
}

static bool has_place_in(const Renaming *renaming, const char *path) {
    for (size_t i = 0; i < renaming->places.length; i++)
        if (!strcmp(renaming->places.data[i].range.path, path))
            return true;
    return false;
}

static void prepare(Editor *editor, Arena *arena, void *data) {
    Renaming *renaming = data;
    const Context *context = editor->now->h->context;
    const Mention *mention = mention_at(editor, renaming->at);
    if (!mention) {
        renaming->refused = "this is no name that the program defines";
        return;
    }
    renaming->old = mention->definition->name->text;
    renaming->answer.word = editor_range(context, mention->place);
    list_mentions(editor, arena, mention->definition, false, &renaming->places);
    for (size_t i = 0; i < renaming->places.length; i++)
        if (!renaming->places.data[i].range.path) {
            renaming->refused = "this name is of a package of the library";
            return;
        }
    for (size_t i = 1; renaming->name && i < context->files.length; i++) {
        const SourceFile *file = &context->files.data[i];
        if (!file->is_built_in && (has_place_in(renaming, file->path) || i == editor->now->h->file))
            rename_in(renaming, arena, file);
    }
}

static const char *import_renamed(void *data, const char *path, size_t *length) {
    const Renaming *renaming = data;
    for (size_t i = 0; i < renaming->files.length; i++)
        if (!strcmp(renaming->files.data[i].path, path)) {
            *length = renaming->files.data[i].length;
            return renaming->files.data[i].text;
        }
    return renaming->import ? renaming->import(renaming->data, path, length) : NULL;
}

/* Do the names of both texts mean corresponding definitions? */
static bool correspond(const TextNames *before, const TextNames *after, Arena *arena) {
    Map after_of = map_create(arena), before_of = map_create(arena);
    if (before->mentions.length != after->mentions.length)
        return false;
    for (size_t i = 0; i < before->mentions.length; i++) {
        const Mention *old = &before->mentions.data[i], *new = &after->mentions.data[i];
        const Definition *known = map_get(&after_of, old->definition);
        if (old->place.line != new->place.line || old->is_definition != new->is_definition)
            return false;
        if (known ? known != new->definition : map_get(&before_of, new->definition) != NULL)
            return false;
        map_put(&after_of, old->definition, new->definition);
        map_put(&before_of, new->definition, old->definition);
    }
    return true;
}

/* Does the old name still stand as a type, `cast<T>(..)`? The tree has no place of it. */
static bool is_left(const Renaming *renaming, Arena *arena, const TextNames *after) {
    const hlc *h = renaming->check;
    Tokens tokens = tokens_read(h->context, arena, h->file);
    for (size_t i = 1; i < tokens.length; i++)
        if (token_is_name(&tokens.data[i], renaming->old) && token_is(&tokens.data[i - 1], "<") &&
            !names_at(after, h->file, editor_point(tokens.data[i].place)))
            return true;
    return false;
}

static void compare(Editor *editor, Arena *arena, void *data) {
    Renaming *renaming = data;
    FileSyntaxes files = {0};
    reading_parse(renaming->check, arena, &files);
    const TextNames *after =
        names_read(renaming->check->context, arena, files.data, files.length, NULL);
    if (!correspond(editor->now->names, after, arena))
        renaming->refused = "another name of the program would mean something else";
    else if (is_left(renaming, arena, after))
        renaming->refused = "the name also stands in `cast<..>`, which is not renamed";
}

static void check_renamed(Editor *editor, Renaming *renaming) {
    const RenamedFile *text = NULL;
    const Context *context = editor->now->h->context;
    for (size_t i = 0; i < renaming->files.length; i++)
        if (!strcmp(renaming->files.data[i].path, editor->path))
            text = &renaming->files.data[i];
    if (!text)
        return;
    hlc_load_text(renaming->check, editor->path, text->text, text->length, import_renamed,
                  renaming);
    if (diag_error_count(renaming->check->context) > diag_error_count(context)) {
        renaming->refused = hlc_first_message(renaming->check);
        return;
    }
    /* The schedules name funcs and loops that only lowering looks up. */
    const Module *module = renaming->check->module;
    Editor renamed = {.now = &(Reading){.h = renaming->check}};
    for (size_t i = 0; module && i < module->schedules.length; i++)
        editor_judge(&renamed, i, false);
    size_t errors = diag_error_count(renaming->check->context);
    if (module) {
        for (size_t i = 0; errors > 0 && editor_judge(editor, i, false); i++)
            ;
        if (errors > diag_error_count(context)) {
            renaming->refused = hlc_first_message(renaming->check);
            return;
        }
    }
    if (!editor_ask_of(editor, renaming->check, compare, renaming))
        renaming->refused = "the renamed text could not be read in time";
}

EditorRename editor_rename(Editor *editor, EditorPoint at, const char *name, hlc *check,
                           hlc_importer *import, void *data) {
    Renaming renaming = {.at = at, .name = name, .import = import, .data = data, .check = check};
    if (!editor_ask(editor, prepare, &renaming))
        renaming.refused = "the text could not be read";
    if (!renaming.refused && name)
        check_renamed(editor, &renaming);
    renaming.answer.refused = renaming.refused;
    if (!renaming.refused)
        renaming.answer.places = (EditorMentions){renaming.places.data, renaming.places.length};
    return renaming.answer;
}

/* ---- colours ---- */

typedef Vec(EditorColour) ColourList;

static EditorToken definition_token(const Definition *definition) {
    switch (definition->kind) {
    case DEFINES_PIPELINE:
        return EDITOR_TOKEN_PIPELINE;
    case DEFINES_SCHEDULE:
        return EDITOR_TOKEN_SCHEDULE;
    case DEFINES_PARAMETER:
    case DEFINES_IMAGE:
    case DEFINES_FORMAL:
        return EDITOR_TOKEN_PARAMETER;
    case DEFINES_CONSTANT:
    case DEFINES_LET:
        return EDITOR_TOKEN_CONSTANT;
    case DEFINES_FUNC:
    case DEFINES_MADE_FUNC:
        return EDITOR_TOKEN_FUNC;
    case DEFINES_HELPER:
    case DEFINES_TEMPLATE:
    case DEFINES_PACKAGE:
        return EDITOR_TOKEN_HELPER;
    case DEFINES_VARIABLE:
    case DEFINES_LOOP:
        return EDITOR_TOKEN_VARIABLE;
    case DEFINES_DIRECTIVE:
        return EDITOR_TOKEN_DIRECTIVE;
    }
    return EDITOR_TOKEN_CONSTANT;
}

static void colour(Editor *editor, Arena *arena, void *data) {
    ColourList *list = data;
    const Reading *now = editor->now;
    for (size_t i = 0; now->names && i < now->names->mentions.length; i++) {
        const Mention *mention = &now->names->mentions.data[i];
        if (mention->place.file == now->h->file)
            vec_push(arena, list,
                     (EditorColour){editor_point(mention->place), mention->place.length,
                                    definition_token(mention->definition), mention->is_definition});
    }
}

EditorColours editor_colours(Editor *editor) {
    ColourList list = {0};
    return editor_ask(editor, colour, &list) ? (EditorColours){list.data, list.length}
                                             : (EditorColours){0};
}
