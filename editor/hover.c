/* hover.c -- what is said of the word at a point: its declaration, its comment, its type, and under a
 * schedule where it is computed and how much of it; or what the pages say of a directive, a function.
 */
#include "editor/reading.h"

#include "frontend/warnings/watch.h"
#include "simplify/interval.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LETTERS_SHOWN = 400, MOST_SCHEDULES = 3 };

typedef struct Hover {
    EditorPoint at;
    const char *text; /* the answer */
    EditorRange word;
    const Definition *definition;
    const char *pipeline, *schedule; /* what is said of schedules; schedule null: of all */
} Hover;

/* ---- the source ---- */

static const char *line_of(const SourceFile *file, uint32_t line) {
    const char *at = file->text, *end = file->text + file->length;
    for (uint32_t n = 1; at && n < line; n++)
        if ((at = memchr(at, '\n', (size_t)(end - at))))
            at++;
    return at;
}

/* The comments on the lines directly above a place, without their slashes. */
static const char *comment_above(Arena *arena, const SourceFile *file, uint32_t line) {
    const char *text = "";
    for (; line > 1; line--) {
        const char *above = line_of(file, line - 1);
        above = above ? above + strspn(above, " \t") : "";
        if (strncmp(above, "//", 2) != 0 || !strncmp(above, "// allow ", 9))
            break;
        above += 2 + (above[2] == ' ');
        text = arena_format(arena, "%.*s\n%s", (int)strcspn(above, "\r\n"), above, text);
    }
    return text;
}

/* The declaration of a name: its text up to the end, in one line. */
static const char *source_until(Arena *arena, const SourceFile *file, Place from, EditorPoint to) {
    const char *at = line_of(file, from.line), *end = line_of(file, to.line);
    Vec(char) text = {0};
    if (!at || !end)
        return "";
    at += from.column - 1;
    end += to.column - 1;
    for (; at < end && text.length < MOST_LETTERS_SHOWN; at++) {
        bool is_space = strchr(" \t\r\n", *at);
        bool is_repeated = text.length > 0 && text.data[text.length - 1] == ' ';
        if (!is_space || !is_repeated)
            vec_push(arena, &text, is_space ? ' ' : *at);
    }
    return arena_format(arena, "%.*s%s", (int)text.length, text.length ? text.data : "",
                        at < end ? " .." : "");
}

/* The end of a parameter: before the comma or the bracket behind it. */
static EditorPoint parameter_end(const Tokens *tokens, Place name) {
    EditorPoint end = {name.line, name.column + name.length};
    int depth = 0;
    for (size_t i = 0; i < tokens->length; i++) {
        const Token *token = &tokens->data[i];
        if (point_is_before(editor_point(token->place), editor_point(name)))
            continue;
        bool opens = token_is(token, "(") || token_is(token, "<") || token_is(token, "{");
        bool closes = token_is(token, ")") || token_is(token, ">") || token_is(token, "}");
        depth += opens - closes;
        if (depth < 0 || token->kind == TOKEN_END || (depth == 0 && token_is(token, ",")))
            break;
        end = (EditorPoint){token->place.line, token->place.column + token->place.length};
    }
    return end;
}

/* ---- definitions ---- */

static const char *variables_text(Arena *arena, const NameSyntaxes *variables) {
    const char *text = "";
    for (size_t i = 0; i < variables->length; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "", variables->data[i].name->text);
    return text;
}

static const char *fun_text(const Editor *editor, Arena *arena, const Definition *definition) {
    const Func *func = editor_func(editor, definition);
    const char *types = func ? editor_types(arena, func) : NULL;
    const char *name = definition->name->text;
    const char *variables =
        definition->fun ? variables_text(arena, &definition->fun->variables) : NULL;
    for (int d = 0; !variables && func && d < func->shape->dimensions; d++)
        variables = arena_format(arena, "%s%s%s", variables ? variables : "", d ? ", " : "",
                                 func->shape->variables[d]->text);
    const char *text = arena_format(arena, "fun %s(%s)%s%s", name, variables ? variables : "..",
                                    types ? ": " : "", types ? types : "");
    if (func && func->stages.length > 1)
        text = arena_format(arena, "%s  // a pure stage and %zu update%s", text,
                            func->stages.length - 1, func->stages.length > 2 ? "s" : "");
    return text;
}

/* "Values: 0 to 765.", if more is known of the values than their types say. */
static const char *ranges_text(const Editor *editor, Arena *arena, const Definition *definition) {
    const Func *func = editor_func(editor, definition);
    const Pipeline *pipeline =
        func ? module_pipeline(editor_module(editor), definition->pipeline->name.name->text) : NULL;
    const char *text = "";
    bool is_known = false;
    if (!pipeline || !func->shape->types)
        return "";
    const ConstantInterval *ranges = ranges_of_values(pipeline, func, arena);
    for (int c = 0; c < func->shape->components; c++) {
        Type type = func->shape->types[c];
        bool is_whole =
            !type_is_machine_integer(type) || !ranges[c].has_minimum || !ranges[c].has_maximum;
        ConstantInterval all = is_whole ? EVERYTHING : interval_of_type(type);
        is_whole =
            is_whole || (all.minimum == ranges[c].minimum && all.maximum == ranges[c].maximum);
        is_known |= !is_whole;
        const char *range = is_whole ? type_name(type)
                                     : arena_format(arena, "%" PRId64 " to %" PRId64,
                                                    ranges[c].minimum, ranges[c].maximum);
        text = arena_format(arena, "%s%s%s", text, c ? ", " : "", range);
    }
    return is_known ? arena_format(arena, "\nValues: %s.\n", text) : "";
}

/* `strong: i32 = abs(change(x, y));`, with the type that nobody wrote. */
static const char *let_text(const Editor *editor, Arena *arena, const Definition *definition,
                            const char *rest) {
    const Module *module = editor_module(editor);
    const Place *place = &definition->place;
    const char *type = NULL;
    for (size_t i = 0; module && i < module->let_types.length; i++) {
        const LetType *noted = &module->let_types.data[i];
        if (noted->place.file == place->file && noted->place.line == place->line &&
            noted->place.column == place->column)
            type = type_name(noted->type);
    }
    bool is_shown = type && definition->let && !definition->let->has_type &&
                    definition->let->type_name.name == NULL;
    return is_shown ? arena_format(arena, "let %s: %s%s", definition->name->text, type,
                                   rest + definition->name->length)
                    : arena_format(arena, "let %s", rest);
}

static const char *declaration(const Editor *editor, Arena *arena, const Definition *definition) {
    const Context *context = editor->now->names->context;
    const SourceFile *file = &context->files.data[definition->place.file];
    Tokens tokens = tokens_read(editor->now->h->context, arena, definition->place.file);
    const char *name = definition->name->text;
    const char *rest =
        source_until(arena, file, definition->place, tokens_end(&tokens, definition->place));
    switch (definition->kind) {
    case DEFINES_FUNC:
        return fun_text(editor, arena, definition);
    case DEFINES_PARAMETER:
    case DEFINES_IMAGE:
        return source_until(arena, file, definition->place,
                            parameter_end(&tokens, definition->place));
    case DEFINES_CONSTANT:
        return definition->parameter || !definition->let
                   ? arena_format(arena, "const %s",
                                  source_until(arena, file, definition->place,
                                               parameter_end(&tokens, definition->place)))
                   : arena_format(arena, "const %s", rest);
    case DEFINES_LET:
        return let_text(editor, arena, definition, rest);
    case DEFINES_HELPER:
        return arena_format(arena, "let %s", rest);
    case DEFINES_PIPELINE:
        return arena_format(arena, "pipeline %s", rest);
    case DEFINES_SCHEDULE:
        return arena_format(arena, "schedule %s", rest);
    case DEFINES_TEMPLATE:
        return arena_format(arena, "template %s", rest);
    case DEFINES_DIRECTIVE:
        return arena_format(arena, "directive %s", rest);
    case DEFINES_VARIABLE:
        return arena_format(arena, "%s  // a variable%s%s", name, definition->owner ? " of " : "",
                            definition->owner ? definition->owner->name->text : "");
    case DEFINES_LOOP:
        return arena_format(arena, "%s  // a loop that the schedule makes", name);
    case DEFINES_MADE_FUNC:
        return arena_format(arena, "%s  // a func that the schedule makes", name);
    case DEFINES_FORMAL:
        return arena_format(arena, "%s  // a parameter", name);
    case DEFINES_PACKAGE:
        return name;
    }
    return name;
}

/* ---- directives and functions ---- */

static const DirectiveSyntax *directive_in(const ItemSyntaxes *items, EditorPoint at) {
    const DirectiveSyntax *found = NULL;
    for (size_t i = 0; !found && i < items->length; i++) {
        const ItemSyntax *item = &items->data[i];
        if (item->kind == ITEM_BLOCK) {
            found = directive_in(&item->block->items, at);
            found = found ? found : directive_in(&item->block->otherwise, at);
        }
        const Place *place = item->kind == ITEM_DIRECTIVE ? &item->directive->name.place : NULL;
        if (place && place->line == at.line && at.column >= place->column &&
            at.column <= place->column + place->length)
            found = item->directive;
    }
    return found;
}

static const DirectiveSyntax *directive_at(const FileSyntax *file, EditorPoint at) {
    const DirectiveSyntax *found = NULL;
    for (size_t i = 0; !found && i < file->schedules.length; i++)
        found = directive_in(&file->schedules.data[i]->items, at);
    for (size_t i = 0; !found && i < file->commands.length; i++)
        found = directive_in(&file->commands.data[i]->items, at);
    return found;
}

/* A word of the language at the point: a directive or a function. */
static void tell_word(const Editor *editor, Arena *arena, Hover *hover) {
    const Reading *now = editor->now;
    const Context *context = now->h->context;
    const DirectiveSyntax *directive = directive_at(now->text, hover->at);
    const DirectiveInfo *info = directive ? directive_named(directive->name.name->text) : NULL;
    if (info) {
        const char *page = page_of_directive(arena, info->text);
        hover->word = editor_range(context, directive->name.place);
        hover->text =
            arena_format(arena, "`%s` %s\n\n%s", info->text, info->sentence, page ? page : "");
        return;
    }
    size_t i = tokens_at(&now->tokens, hover->at);
    const Token *token = i < now->tokens.length ? &now->tokens.data[i] : NULL;
    if (!token || token->kind != TOKEN_NAME)
        return;
    const char *word = arena_text(arena, token->text, token->length);
    const char *page = page_of_function(arena, word);
    hover->word = editor_range(context, token->place);
    if (page)
        hover->text = arena_format(arena, "`%s`\n\n%s", word, page);
}

/* ---- under a schedule ---- */

/* Is the line of `hlc explain` about the func, or about the loop `func.variable`? */
static bool is_about(const char *line, size_t length, const Definition *definition) {
    static const char *const heads[] = {"compute ", "allocate ", "output "};
    const Definition *owner = definition->owner;
    const char *name = definition->name->text;
    size_t blanks = strspn(line, " ");
    line += blanks;
    length -= blanks;
    if (definition->kind == DEFINES_VARIABLE || definition->kind == DEFINES_LOOP) {
        if (!owner || strncmp(line, "for ", 4) != 0 ||
            strncmp(line + 4, owner->name->text, owner->name->length) != 0 ||
            line[4 + owner->name->length] != '.')
            return false;
        const char *end = memchr(line + 4, ' ', length - 4), *at = end;
        while (at && at > line && at[-1] != '.')
            at--;
        size_t own = definition->name->length;
        return at && !strncmp(at, name, own) && (at[own] == ' ' || at[own] == '_');
    }
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t head = strlen(heads[i]), own = definition->name->length;
        if (length > head + own && !strncmp(line, heads[i], head) &&
            !strncmp(line + head, name, own) && strchr(" :.[", line[head + own]))
            return true;
    }
    return false;
}

static const char *lines_about(Arena *arena, const ScheduleNest *nest,
                               const Definition *definition) {
    const char *text = "";
    for (const char *line = nest->explained; line && *line;) {
        size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");
        if (is_about(line, length, definition))
            text = arena_format(arena, "%s%.*s\n", text, (int)(length - blanks), line + blanks);
        line += length + (line[length] == '\n');
    }
    return text;
}

typedef struct Telling {
    Hover *hover;
    const ScheduleNest *nests[MOST_SCHEDULES];
    size_t count;
} Telling;

static void tell_schedules(Editor *editor, Arena *arena, void *data) {
    const Telling *telling = data;
    Hover *hover = telling->hover;
    (void)editor;
    for (size_t i = 0; i < telling->count; i++) {
        const char *lines = lines_about(arena, telling->nests[i], hover->definition);
        if (*lines)
            hover->text = arena_format(arena, "%s\nUnder `%s`:\n```text\n%s```\n", hover->text,
                                       telling->nests[i]->schedule, lines);
    }
}

/* Lowers the schedules that are spoken of, each in an entry of its own. */
static void add_schedules(Editor *editor, Hover *hover) {
    const Module *module = editor->good ? editor->good->h->module : NULL;
    Telling telling = {.hover = hover};
    for (size_t i = 0; module && i < module->schedules.length; i++) {
        const Schedule *schedule = module->schedules.data[i];
        bool is_wanted = !strcmp(schedule->pipeline->text, hover->pipeline) &&
                         (!hover->schedule || !strcmp(schedule->name->text, hover->schedule));
        const ScheduleNest *nest =
            is_wanted && telling.count < MOST_SCHEDULES
                ? nest_of_schedule(editor, hover->pipeline, schedule->name->text)
                : NULL;
        if (nest)
            telling.nests[telling.count++] = nest;
    }
    editor_ask(editor, tell_schedules, &telling);
}

/* The schedule whose text contains the point; null if there is none. */
static const ScheduleSyntax *schedule_at(const Reading *now, EditorPoint at) {
    for (size_t i = 0; i < now->text->schedules.length; i++) {
        const ScheduleSyntax *schedule = now->text->schedules.data[i];
        EditorPoint end = tokens_end(&now->tokens, schedule->name.place);
        if (!point_is_before(at, editor_point(schedule->name.place)) && point_is_before(at, end))
            return schedule;
    }
    return NULL;
}

static void tell(Editor *editor, Arena *arena, void *data) {
    Hover *hover = data;
    const Reading *now = editor->now;
    const Mention *mention = now->names ? names_at(now->names, now->h->file, hover->at) : NULL;
    if (!mention) {
        if (now->names)
            tell_word(editor, arena, hover);
        return;
    }
    const Definition *definition = mention->definition;
    const Context *context = now->names->context;
    const ScheduleSyntax *schedule = schedule_at(now, hover->at);
    hover->word = editor_range(context, mention->place);
    hover->definition = definition;
    bool has_comment = definition->fun || definition->let || definition->template ||
                       definition->kind == DEFINES_PIPELINE || definition->kind == DEFINES_SCHEDULE;
    hover->text = arena_format(
        arena, "```hl\n%s\n```\n%s%s", declaration(editor, arena, definition),
        has_comment ? comment_above(arena, &context->files.data[definition->place.file],
                                    definition->place.line)
                    : "",
        definition->kind == DEFINES_FUNC ? ranges_text(editor, arena, definition) : "");
    bool is_scheduled = definition->kind == DEFINES_FUNC || definition->kind == DEFINES_LOOP ||
                        definition->kind == DEFINES_MADE_FUNC ||
                        (definition->kind == DEFINES_VARIABLE && schedule);
    if (is_scheduled && definition->pipeline)
        hover->pipeline = definition->pipeline->name.name->text;
    hover->schedule = schedule ? schedule->name.name->text : NULL;
}

const char *editor_hover(Editor *editor, EditorPoint at, EditorRange *word) {
    Hover hover = {.at = at};
    if (!editor_ask(editor, tell, &hover))
        return NULL;
    if (hover.pipeline)
        add_schedules(editor, &hover);
    *word = hover.word;
    return hover.text;
}
