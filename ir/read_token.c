/* read_token.c -- reads the words of the text form: tokens line by line, names, types, literals. */
#include "ir/reader.h"

#include <string.h>

/* ---- tokens ---- */

/* The families of `func g[3].d[1](x): i32` are `g` and `g[3].d`. */
static void collect_families(SymbolTable *families, const char *text, size_t length) {
    static const char word[] = "  func ";
    for (const char *end = text + length, *line = text; line; text = line + 1) {
        line = memchr(text, '\n', (size_t)(end - text));
        const char *stop = line ? line : end;
        if ((size_t)(stop - text) < sizeof word || memcmp(text, word, sizeof word - 1) != 0)
            continue;
        const char *name = text + sizeof word - 1;
        for (const char *at = name; at < stop && *at != '('; at++)
            if (*at == '[')
                symbol_intern(families, name, (size_t)(at - name));
    }
}

TextReader reader_begin(Pool *pool, Arena *arena, const char *text, size_t length, Place place) {
    TextReader reader = {.pool = pool, .context = pool->context, .arena = arena};
    SymbolTable *families = arena_new(arena, SymbolTable);
    families->arena = arena;
    collect_families(families, text, length);
    reader.lexer = lex_begin(arena, text, length, place,
                             (LexOptions){.dotted_names = true, .families = families});
    reader.bindings = map_create(arena);
    reader.token = lex_next(&reader.lexer);
    return reader;
}

const Token *reader_peek(TextReader *reader) {
    if (!reader->by_lines || !reader->line_started || !reader->token.line_before)
        return &reader->token;
    return &reader->end;
}

void reader_advance(TextReader *reader) {
    Place place = reader->token.place;
    place.column += place.length;
    place.length = 1;
    reader->end = (Token){.kind = TOKEN_END, .place = place};
    reader->line_started = true;
    reader->context->at = reader->token.place;
    reader->token = lex_next(&reader->lexer);
}

bool reader_sees(TextReader *reader, const char *text) {
    return token_says(reader_peek(reader), text);
}

bool reader_accept(TextReader *reader, const char *text) {
    if (!reader_sees(reader, text))
        return false;
    reader_advance(reader);
    return true;
}

const char *reader_token_text(TextReader *reader, const Token *token) {
    if (token->kind == TOKEN_END)
        return reader->by_lines && token == &reader->end ? "the end of the line" : "the end";
    if (token->kind == TOKEN_ERROR)
        return token->text;
    if (token->length > 40)
        return arena_format(reader->arena, "`%.40s..`", token->text);
    return arena_format(reader->arena, "`%.*s`", (int)token->length, token->text);
}

bool reader_unexpected(TextReader *reader, const char *wanted) {
    const Token *token = reader_peek(reader);
    if (token->kind == TOKEN_ERROR)
        return diag(reader->context, DIAG_TEXT_BAD_TOKEN, token->place, token->text);
    return diag(reader->context, DIAG_TEXT_EXPECTED, token->place, wanted,
                reader_token_text(reader, token));
}

bool reader_expect(TextReader *reader, const char *text) {
    return reader_accept(reader, text) ||
           reader_unexpected(reader, arena_format(reader->arena, "`%s`", text));
}

Symbol reader_token_symbol(TextReader *reader, const Token *token) {
    return symbol_intern(&reader->context->symbols, token->text, token->length);
}

bool read_name(TextReader *reader, const char *what, Symbol *name) {
    const Token *token = reader_peek(reader);
    if (token->kind != TOKEN_NAME || token->text[0] == '?' || token->text[0] == '%')
        return reader_unexpected(reader, what);
    *name = reader_token_symbol(reader, token);
    reader_advance(reader);
    return true;
}

bool reader_token_type(const Token *token, Type *type) {
    char name[8];
    if (token->kind != TOKEN_NAME || token->length >= sizeof name)
        return false;
    memcpy(name, token->text, token->length);
    name[token->length] = '\0';
    return type_from_name(name, type);
}

bool read_type(TextReader *reader, Type *type) {
    if (!reader_token_type(reader_peek(reader), type))
        return reader_unexpected(reader, "a type");
    reader_advance(reader);
    return true;
}

bool read_count(TextReader *reader, int most, int *count) {
    const Token *token = reader_peek(reader);
    if (token->kind != TOKEN_INTEGER || token->integer > (uint64_t)most)
        return reader_unexpected(reader, arena_format(reader->arena, "a number up to %d", most));
    *count = (int)token->integer;
    reader_advance(reader);
    return true;
}

/* Returns the token after the next one. */
static Token peek_second(const TextReader *reader) {
    Lexer lexer = reader->lexer;
    return lex_next(&lexer);
}

/* ---- literals ---- */

bool reader_is_number(TextReader *reader, bool value_wanted) {
    const Token *token = reader_peek(reader);
    if (token->kind == TOKEN_INTEGER || token->kind == TOKEN_FLOAT)
        return true;
    if (!token_is_name(token, "inf") && !token_is_name(token, "nan"))
        return false;
    Token second = peek_second(reader);
    return value_wanted || token_is(&second, ":");
}

static Bits float_bits(TextReader *reader, Type type, const Token *token, bool negative) {
    char *text = arena_text(reader->arena, token->text, token->length);
    Bits bits = bits_from_text(type, text, NULL);
    return bits_wrap(type, negative ? bits ^ type_sign(type) : bits);
}

static bool integer_bits(Type type, const Token *token, bool negative, Bits *bits) {
    __int128 value = negative ? -(__int128)token->integer : (__int128)token->integer;
    __int128 most = type.kind == TYPE_UINT ? (__int128)(uint64_t)type_maximum(type)
                                           : (__int128)type_maximum(type);
    *bits = (Bits)value;
    return token->kind == TOKEN_INTEGER && value >= type_minimum(type) && value <= most;
}

bool reader_number_bits(TextReader *reader, Type type, const Token *token, bool negative,
                        Bits *bits) {
    if (type_is_float(type)) {
        *bits = float_bits(reader, type, token, negative);
        return true;
    }
    if (!type_is_bool(type) && integer_bits(type, token, negative, bits))
        return true;
    return diag(
        reader->context, DIAG_TEXT_LITERAL, token->place,
        arena_format(reader->arena, "%s%.*s", negative ? "-" : "", (int)token->length, token->text),
        type_name(type));
}

bool read_value(TextReader *reader, Type type, Bits *bits) {
    if (type_is_bool(type)) {
        *bits = reader_sees(reader, "true");
        return reader_accept(reader, "true") || reader_accept(reader, "false") ||
               reader_unexpected(reader, "`true` or `false`");
    }
    bool negative = reader_accept(reader, "-");
    if (!reader_is_number(reader, true))
        return reader_unexpected(reader, "a number");
    Token token = *reader_peek(reader);
    reader_advance(reader);
    return reader_number_bits(reader, type, &token, negative, bits);
}
