/* parser.c -- the parser's tokens: peeks at them, takes them, and reports what was expected
 * instead. */
#include "frontend/parse.h"

#include "base/nearest.h"

#include <string.h>

void parser_begin(Parser *parser, Context *context, Arena *arena, uint32_t file) {
    const SourceFile *source = &context->files.data[file];
    *parser = (Parser){.context = context, .arena = arena};
    Place start = {file, 1, 1, 0};
    parser->lexer = lex_begin(arena, source->text, source->length, start, (LexOptions){0});
    for (size_t i = 0; i < LOOKAHEAD; i++)
        parser->tokens[i] = lex_next(&parser->lexer);
    parser->last = start;
}

Token parser_take(Parser *parser) {
    Token token = parser->tokens[0];
    memmove(parser->tokens, parser->tokens + 1, (LOOKAHEAD - 1) * sizeof *parser->tokens);
    if (parser->tokens[LOOKAHEAD - 2].kind != TOKEN_END)
        parser->tokens[LOOKAHEAD - 1] = lex_next(&parser->lexer);
    parser->last = parser->context->at = token.place;
    return token;
}

bool parser_at(const Parser *parser, const char *text) {
    return token_says(&parser->tokens[0], text);
}

bool parser_accept(Parser *parser, const char *text) {
    if (!parser_at(parser, text))
        return false;
    parser_take(parser);
    return true;
}

/* Returns the end of the last token. If a line lacks the end of its statement, the report points
 * there, not at the next line. */
static Place end_of_last(const Parser *parser) {
    Place place = parser->last;
    place.column += place.length;
    place.length = 1;
    return place;
}

const char *parser_foreign(const Token *token, const char *wanted) {
    static const struct {
        const char *found, *wanted, *remedy;
    } rows[] = {
#define FOREIGN(FOUND, WANTED, REMEDY) {FOUND, WANTED, REMEDY},
#include "frontend/foreign.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((!*rows[i].found || token_says(token, rows[i].found)) &&
            strncmp(wanted, rows[i].wanted, strlen(rows[i].wanted)) == 0)
            return rows[i].remedy;
    return NULL;
}

/* The nearest of the words that stand between backticks in `wanted`; null: none is near. */
static const char *nearest_wanted(const Parser *parser, const Token *token, const char *wanted) {
    Nearest nearest = {.name = arena_text(parser->arena, token->text, token->length)};
    for (const char *at = strchr(wanted, '`'); token->kind == TOKEN_NAME && at;) {
        size_t length = strcspn(at + 1, "`");
        nearest_offer(&nearest, arena_text(parser->arena, at + 1, length));
        at = at[1 + length] ? strchr(at + 2 + length, '`') : NULL;
    }
    enum { MOST = 2 };
    bool is_near = nearest.best && nearest.distance < (token->length < 5 ? MOST : MOST + 1);
    return is_near ? nearest_hint(parser->arena, &nearest, NULL) : NULL;
}

static const char *remedy_of(const Parser *parser, const Token *token, const char *wanted) {
    const char *own = NULL;
    if (token->kind == TOKEN_NAME)
        own = syntax_own_word(arena_text(parser->arena, token->text, token->length));
    if (own)
        return arena_format(parser->arena, "did you mean `%s`?", own);
    const char *foreign = parser_foreign(token, wanted);
    if (foreign)
        return foreign;
    bool is_value = strcmp(wanted, "an expression") == 0;
    bool is_name = strncmp(wanted, "a ", 2) == 0 && strstr(wanted, "name");
    if ((is_value || is_name) && parser_is_keyword(token))
        return arena_format(parser->arena,
                            "`%.*s` is a word of the language, and names nothing else: choose "
                            "another name",
                            (int)token->length, token->text);
    const char *near = parser->hint ? parser->hint : nearest_wanted(parser, token, wanted);
    return near ? near : "docs/language.md has the grammar";
}

bool parser_unexpected(Parser *parser, const char *wanted) {
    const Token *token = &parser->tokens[0];
    Place place = token->place;
    if (token->line_before && !strcmp(wanted, "`;`"))
        place = end_of_last(parser);
    if (parser->reported_line == token->place.line &&
        parser->reported_column == token->place.column)
        return false;
    parser->reported_line = token->place.line;
    parser->reported_column = token->place.column;
    if (token->kind == TOKEN_ERROR) {
        const char *what = arena_text(parser->arena, token->text, token->length);
        return diag(parser->context, DIAG_BAD_TOKEN, token->place, what,
                    strstr(what, "letters after it")
                        ? "write it without: a number takes the type that it meets, and `f32(2)` "
                          "converts one"
                        : "remove or complete it");
    }
    size_t length = token->length < 40 ? token->length : 40;
    const char *found = token->kind == TOKEN_END ? "the end of the file"
                        : token->kind == TOKEN_STRING
                            ? "a string"
                            : arena_format(parser->arena, "`%.*s`", (int)length, token->text);
    return diag(parser->context, DIAG_EXPECTED, place, wanted, found,
                remedy_of(parser, token, wanted));
}

bool parser_expect(Parser *parser, const char *text) {
    return parser_accept(parser, text) ||
           parser_unexpected(parser, arena_format(parser->arena, "`%s`", text));
}

bool parser_expect_string(Parser *parser, const char *what, const char **text) {
    if (parser->tokens[0].kind != TOKEN_STRING)
        return parser_unexpected(parser, what);
    Token string = parser_take(parser);
    *text = arena_text(parser->arena, string.text, string.length);
    return true;
}

bool parser_is_keyword(const Token *token) {
    static const char *const keywords[] = {
        "pipeline", "schedule", "for",        "fun",  "let",   "const", "rdom",  "in",  "if",
        "import",   "require",  "recurrence", "true", "false", "with",  "image", "div", "mod"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (token_is_name(token, keywords[i]))
            return true;
    return false;
}

bool parser_expect_name(Parser *parser, const char *what, NameSyntax *name) {
    const Token *token = &parser->tokens[0];
    if (token->kind != TOKEN_NAME || parser_is_keyword(token))
        return parser_unexpected(parser, what);
    name->name = symbol_intern(&parser->context->symbols, token->text, token->length);
    name->place = parser_take(parser).place;
    return true;
}

const char *const parser_type_words =
    "a type (bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32 or f64)";

bool parser_expect_type(Parser *parser, Type *type, NameSyntax *name) {
    const Token *token = &parser->tokens[0];
    char text[8] = "";
    *name = (NameSyntax){0};
    if (token->kind != TOKEN_NAME || parser_is_keyword(token))
        return parser_unexpected(parser, parser_type_words);
    if (token->length < sizeof text)
        memcpy(text, token->text, token->length);
    if (!type_from_name(text, type) || type_is_index(*type)) {
        name->name = symbol_intern(&parser->context->symbols, token->text, token->length);
        name->place = token->place;
    }
    parser_take(parser);
    return true;
}

bool parser_at_block(const Parser *parser) {
    return parser_at(parser, "for") || parser_at(parser, "if");
}

Place place_join(Place from, Place to) {
    if (from.line == to.line && from.file == to.file && to.column + to.length > from.column)
        from.length = to.column + to.length - from.column;
    return from;
}
