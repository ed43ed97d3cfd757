/* complete.c -- what could be typed at a point.
 *
 * An unfinished statement seldom parses. So the text is mended, and read by another handle. In an
 * algorithm a name that nobody uses stands at the point, and brackets and the semicolon follow it:
 *
 *     fun f(x, y) = g(x + |               fun f(x, y) = g(x + point__);
 *
 * The scope of that name has the answers. In a schedule the statement is left out. Its rest is, too, if it
 * does not parse. What remains says which loops exist there (complete_schedule.c).
 */
#include "editor/complete.h"

#include "frontend/elaborate.h"

#include <string.h>

static const char PLACEHOLDER[] = "point__";

/* ---- the site ---- */

static EditorPoint token_end(const Token *token) {
    return (EditorPoint){token->place.line, token->place.column + token->place.length};
}

static size_t offset_of(const SourceFile *file, EditorPoint at) {
    size_t offset = 0;
    unsigned line = 1;
    for (; line < at.line && offset < file->length; offset++)
        line += file->text[offset] == '\n';
    offset += at.column - 1;
    return offset < file->length ? offset : file->length;
}

/* Is the point in a comment? No token stands between `from` and it. */
static bool in_comment(const SourceFile *file, size_t from, size_t to) {
    bool in_line = false, in_block = false;
    for (size_t i = from; i < to; i++) {
        bool has_next = i + 1 < to;
        if (in_line)
            in_line = file->text[i] != '\n';
        else if (in_block)
            in_block = !(file->text[i - 1] == '*' && file->text[i] == '/');
        else if (has_next && file->text[i] == '/' && file->text[i + 1] == '/')
            in_line = true;
        else if (has_next && file->text[i] == '/' && file->text[i + 1] == '*') {
            in_block = true;
            i++;
        }
    }
    return in_line || in_block;
}

static bool begins_declaration(const Token *token) {
    static const char *const words[] = {"pipeline", "schedule", "template", "directive"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_name(token, words[i]))
            return true;
    return false;
}

/* Walks the tokens before the point: which statement of which declaration is it in? */
static void find_statement(const Tokens *tokens, size_t end, Site *site) {
    size_t brackets = 0;
    site->head = SIZE_MAX;
    for (size_t i = 0; i < end; i++) {
        const Token *token = &tokens->data[i];
        if (site->depth == 0 && begins_declaration(token))
            site->head = i;
        bool opens = token_is(token, "("), closes = token_is(token, ")");
        bool begins = token_is(token, "{"), ends = token_is(token, "}");
        brackets += opens;
        brackets -= brackets > 0 && closes;
        site->depth += begins;
        site->depth -= site->depth > 0 && ends;
        if (ends || begins)
            brackets = 0;
        if (begins || ends || (brackets == 0 && token_is(token, ";")))
            site->statement = i + 1;
        if (ends && site->depth == 0)
            site->head = SIZE_MAX;
    }
}

/* A directive's name, hyphens included, from the token on; returns what follows it. */
static size_t directive_name(Arena *arena, const Tokens *tokens, size_t i, size_t end,
                             const char **name) {
    *name = "";
    for (; i < end; i++) {
        const Token *token = &tokens->data[i];
        if (token->kind != TOKEN_NAME && !token_is(token, "-"))
            break;
        *name = arena_format(arena, "%s%.*s", *name, (int)token->length, token->text);
    }
    return i;
}

/* In a schedule: at a directive, or in an argument of one. */
static void find_argument(Arena *arena, const Tokens *tokens, size_t end, Site *site) {
    size_t depth = 0;
    size_t i = directive_name(arena, tokens, site->statement, end, &site->directive);
    site->kind = SITE_LINE;
    if (i == end) {
        site->word = site->statement < end ? site->statement : site->word;
        return;
    }
    if (!token_is(&tokens->data[i], "("))
        site->kind = SITE_EXPRESSION; /* `for k in ..`, `const n = ..` */
    for (; i < end && site->kind == SITE_LINE; i++) {
        const Token *token = &tokens->data[i];
        depth += token_is(token, "(") || token_is(token, "[");
        depth -= depth > 0 && (token_is(token, ")") || token_is(token, "]"));
        site->argument += depth == 1 && token_is(token, ",");
    }
    if (depth > 0 && site->kind == SITE_LINE)
        site->kind = SITE_ARGUMENT;
}

static Site find_site(const Reading *reading, Arena *arena, EditorPoint at) {
    const Tokens *tokens = &reading->tokens;
    const SourceFile *file = &reading->h->context->files.data[reading->h->file];
    Site site = {.kind = SITE_NOTHING, .at = at};
    size_t end = 0;
    while (end < tokens->length && tokens->data[end].kind != TOKEN_END &&
           point_is_before(editor_point(tokens->data[end].place), at))
        end++;
    const Token *last = end > 0 ? &tokens->data[end - 1] : NULL;
    bool touches = last && !point_is_before(token_end(last), at);
    bool in_name = touches && last->kind == TOKEN_NAME;
    if (touches && !in_name && last->kind != TOKEN_PUNCTUATION)
        return site;
    if (!touches &&
        in_comment(file, last ? offset_of(file, token_end(last)) : 0, offset_of(file, at)))
        return site;
    site.word = end - in_name;
    site.end = end;
    find_statement(tokens, site.word, &site);
    const Token *head = site.head < end ? &tokens->data[site.head] : NULL;
    bool in_schedule = head && site.depth > 0 &&
                       (token_is_name(head, "schedule") || token_is_name(head, "directive"));
    if (!head && site.statement == site.word) {
        site.kind = SITE_TOP;
    } else if (in_schedule) {
        find_argument(arena, tokens, site.word, &site);
        /* Of a loop's name, all of the path is completed. */
        while (site.kind == SITE_ARGUMENT && site.word > site.statement + 1 &&
               token_is(&tokens->data[site.word - 1], ".") &&
               tokens->data[site.word - 2].kind == TOKEN_NAME)
            site.word -= 2;
    } else {
        site.kind = site.statement == site.word && site.depth > 0 ? SITE_ITEM : SITE_EXPRESSION;
    }
    bool is_field = site.kind == SITE_EXPRESSION && site.word > 1 &&
                    token_is(&tokens->data[site.word - 1], ".") &&
                    tokens->data[site.word - 2].kind == TOKEN_NAME;
    if (is_field)
        site.path =
            arena_text(arena, tokens->data[site.word - 2].text, tokens->data[site.word - 2].length);
    return site;
}

/* ---- the mended text ---- */

typedef Vec(char) Letters;

static void append(Arena *arena, Letters *letters, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        vec_push(arena, letters, text[i]);
}

static EditorPoint word_begin(const Tokens *tokens, const Site *site) {
    return site->word < site->end ? editor_point(tokens->data[site->word].place) : site->at;
}

/* The token after the block that is `depth` blocks deep at token `i`, or after this statement. */
static size_t skip(const Tokens *tokens, size_t i, size_t depth, bool is_statement) {
    static const char *const starts[] = {"fun", "let", "const", "for", "if"};
    size_t inner = 0;
    for (; i < tokens->length && tokens->data[i].kind != TOKEN_END; i++) {
        const Token *token = &tokens->data[i];
        bool opens = token_is(token, "{"), closes = token_is(token, "}");
        if (is_statement && inner == 0 && closes)
            return i;
        inner += opens;
        if (closes && inner > 0)
            inner--;
        else if (closes && depth-- <= 1 && !is_statement)
            return i + 1;
        bool is_next = false;
        for (size_t k = 0; token->line_before && k < sizeof starts / sizeof *starts; k++)
            is_next |= token_is_name(token, starts[k]);
        bool is_behind_name = i > 0 && tokens->data[i - 1].kind == TOKEN_NAME;
        is_next |= depth > 0 && (token->line_before || is_behind_name) && token->kind == TOKEN_NAME;
        if (is_statement && inner == 0 && is_next)
            return i;
        if (is_statement && inner == 0 && (token_is(token, ";") || closes))
            return i + 1;
    }
    return i;
}

static void append_rest(Arena *arena, Letters *letters, const SourceFile *file,
                        const Tokens *tokens, size_t i) {
    if (i >= tokens->length || tokens->data[i].kind == TOKEN_END)
        return;
    size_t from = offset_of(file, editor_point(tokens->data[i].place));
    append(arena, letters, "\n", 1);
    append(arena, letters, file->text + from, file->length - from);
}

/* The brackets that are open in the statement, innermost last. */
static const char *closers(Arena *arena, const Tokens *tokens, const Site *site) {
    const char *text = "";
    for (size_t i = site->statement; i < site->word; i++) {
        const Token *token = &tokens->data[i];
        bool opens = token_is(token, "(") || token_is(token, "[");
        bool closes = token_is(token, ")") || token_is(token, "]");
        if (opens)
            text = arena_format(arena, "%s%s", token_is(token, "(") ? ")" : "]", text);
        else if (closes && *text)
            text++;
    }
    return text;
}

/* `is_cut`: of a schedule, nothing follows. */
static void mend(const Reading *reading, Arena *arena, Completion *completion, bool is_cut) {
    const Site *site = &completion->site;
    const Tokens *tokens = &reading->tokens;
    const SourceFile *file = &reading->h->context->files.data[reading->h->file];
    Letters letters = {0};
    bool is_schedule = site->kind == SITE_LINE || site->kind == SITE_ARGUMENT;
    bool has_statement =
        is_schedule && site->statement < tokens->length &&
        point_is_before(editor_point(tokens->data[site->statement].place), site->at);
    EditorPoint until = has_statement ? editor_point(tokens->data[site->statement].place)
                                      : word_begin(tokens, site);
    append(arena, &letters, file->text, offset_of(file, until));
    completion->above = until;
    if (is_schedule && !is_cut) {
        append_rest(arena, &letters, file, tokens, skip(tokens, site->end, site->depth, true));
    } else if (is_schedule) {
        for (size_t i = 0; i < site->depth; i++)
            append(arena, &letters, "}", 1);
        append_rest(arena, &letters, file, tokens, skip(tokens, site->end, site->depth, false));
    } else {
        if (site->kind == SITE_ITEM)
            append(arena, &letters, "let point__2 = ", 15);
        const char *close = closers(arena, tokens, site);
        append(arena, &letters, PLACEHOLDER, sizeof PLACEHOLDER - 1);
        append(arena, &letters, close, strlen(close));
        append(arena, &letters, ";", 1);
        append_rest(arena, &letters, file, tokens, skip(tokens, site->end, 0, true));
    }
    completion->length = letters.length;
    vec_push(arena, &letters, '\0');
    completion->text = letters.data;
}

/* ---- names, functions, words ---- */

static EditorItemKind kind_of(const Definition *definition) {
    return definition->kind == DEFINES_FUNC || definition->kind == DEFINES_IMAGE ? EDITOR_ITEM_FUNC
                                                                                 : EDITOR_ITEM_NAME;
}

static const char *detail_of(const Editor *editor, Arena *arena, const Definition *definition) {
    static const char *const words[] = {
        [DEFINES_PIPELINE] = "pipeline",   [DEFINES_SCHEDULE] = "schedule",
        [DEFINES_PARAMETER] = "parameter", [DEFINES_IMAGE] = "image",
        [DEFINES_CONSTANT] = "const",      [DEFINES_LET] = "let",
        [DEFINES_HELPER] = "helper",       [DEFINES_FUNC] = "func",
        [DEFINES_VARIABLE] = "variable",   [DEFINES_LOOP] = "loop",
        [DEFINES_MADE_FUNC] = "func",      [DEFINES_FORMAL] = "parameter",
        [DEFINES_TEMPLATE] = "template",   [DEFINES_DIRECTIVE] = "directive",
        [DEFINES_PACKAGE] = "package"};
    const Func *func = definition->kind == DEFINES_FUNC ? editor_func(editor, definition) : NULL;
    const char *types = func ? editor_types(arena, func) : NULL;
    const char *word = words[definition->kind];
    return types ? arena_format(arena, "%s: %s", word, types) : word;
}

static void add_definition(const Editor *editor, Arena *arena, Completion *completion,
                           const Definition *definition) {
    if (!strncmp(definition->name->text, PLACEHOLDER, sizeof PLACEHOLDER - 1) ||
        definition->kind == DEFINES_DIRECTIVE)
        return;
    for (size_t i = 0; i < completion->list.length; i++)
        if (!strcmp(completion->list.data[i].label, definition->name->text))
            return; /* an inner name hides it */
    complete_add(completion, arena, definition->name->text, kind_of(definition),
                 detail_of(editor, arena, definition));
}

static void add_scope(const Editor *editor, Arena *arena, Completion *completion,
                      const NamesScope *scope) {
    for (const LocalName *local = scope->locals; local; local = local->outer)
        add_definition(editor, arena, completion, local->definition);
    for (const NamesTable *table = scope->table; table; table = table->outer) {
        for (size_t i = 0; i < table->definitions.length; i++)
            add_definition(editor, arena, completion, table->definitions.data[i]);
        for (size_t i = 0; i < table->imports.length; i++)
            complete_add(completion, arena, table->imports.data[i]->package->text, EDITOR_ITEM_NAME,
                         "package");
    }
}

static void add_functions(Arena *arena, Completion *completion) {
    static const char *const reductions[] = {"sum",     "product", "minimum",
                                             "maximum", "argmin",  "argmax"};
    Type type;
    for (size_t i = 0; scope_builtin(i); i++)
        complete_add(
            completion, arena, scope_builtin(i),
            type_from_name(scope_builtin(i), &type) ? EDITOR_ITEM_TYPE : EDITOR_ITEM_FUNCTION, "");
    for (int op = 0; op < OP_COUNT; op++)
        if (op_info((Op)op)->form == FORM_CALL)
            complete_add(completion, arena, op_info((Op)op)->text, EDITOR_ITEM_FUNCTION, "");
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        complete_add(completion, arena, reductions[i], EDITOR_ITEM_FUNCTION, "reduction");
}

/* Behind a dot: the fields of an image, or the names of a package. */
static void add_fields(const Editor *editor, Arena *arena, Completion *completion,
                       const NamesScope *scope) {
    Symbol name = symbol_from(&completion->mended->context->symbols, completion->site.path);
    const NamesTable *package = names_find(scope, name) ? NULL : names_package(scope, name);
    for (size_t i = 0; package && i < package->definitions.length; i++)
        add_definition(editor, arena, completion, package->definitions.data[i]);
    for (size_t i = 0; !package && call_field(i); i++)
        complete_add(completion, arena, call_field(i), EDITOR_ITEM_FIELD, "");
}

static void add_words(Arena *arena, Completion *completion, const char *const *words) {
    for (; *words; words++)
        complete_add(completion, arena, *words, EDITOR_ITEM_KEYWORD, "");
}

static void complete_algorithm(Editor *editor, Arena *arena, void *data) {
    Completion *completion = data;
    hlc *h = completion->mended;
    static const char *const top[] = {"pipeline", "schedule", "import",    "let",
                                      "const",    "template", "directive", NULL};
    static const char *const items[] = {"fun", "let", "const",    "recurrence", "require",
                                        "for", "if",  "template", NULL};
    if (completion->site.kind == SITE_TOP) {
        add_words(arena, completion, top);
        return;
    }
    FileSyntaxes files = {0};
    reading_parse(h, arena, &files);
    const TextNames *names = names_read(h->context, arena, files.data, files.length,
                                        symbol_from(&h->context->symbols, PLACEHOLDER));
    if (completion->site.kind == SITE_ITEM)
        add_words(arena, completion, items);
    else if (names->caught.table && completion->site.path)
        add_fields(editor, arena, completion, &names->caught);
    else {
        if (names->caught.table)
            add_scope(editor, arena, completion, &names->caught);
        add_functions(arena, completion);
    }
}

/* ---- the answer ---- */

static void prepare(Editor *editor, Arena *arena, void *data) {
    Completion *completion = data;
    const Reading *now = editor->now;
    if (!now->text)
        return;
    completion->site = find_site(now, arena, completion->site.at);
    const Site *site = &completion->site;
    if (site->kind == SITE_NOTHING)
        return;
    const Token *last = site->word < site->end ? &now->tokens.data[site->end - 1] : NULL;
    completion->replaced = (EditorRange){editor->path, word_begin(&now->tokens, site),
                                         last ? token_end(last) : site->at};
    mend(now, arena, completion, false);
    Context *context = now->h->context;
    size_t errors = diag_error_count(context);
    uint32_t file = context_add_file(context, "", completion->text, completion->length);
    parse_file(context, arena, file);
    if (diag_error_count(context) > errors)
        mend(now, arena, completion, true);
}

EditorItems editor_complete(Editor *editor, EditorPoint at, hlc *mended, hlc_importer *import,
                            void *data) {
    Completion completion = {.site.at = at, .mended = mended};
    if (!editor_ask(editor, prepare, &completion) || completion.site.kind == SITE_NOTHING)
        return (EditorItems){0};
    bool is_schedule = completion.site.kind == SITE_LINE || completion.site.kind == SITE_ARGUMENT;
    hlc_load_text(mended, editor->path, completion.text, completion.length, import, data);
    editor_ask_of(editor, mended, is_schedule ? complete_schedule : complete_algorithm,
                  &completion);
    return (EditorItems){completion.list.data, completion.list.length, completion.replaced};
}
