#include "base/lex.h"

#include "base/printable.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Longest first. */
static const char *const punctuation[] = {
    "<<=", "=/=>", "<-", "->", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "..",
    "=>",  "+",    "-",  "*",  "/",  "%",  "<",  ">",  "=",  "!",  "&",  "|",  "^",
    "~",   "(",    ")",  "[",  "]",  "{",  "}",  ",",  ";",  ":",  ".",  "?",  "@"};

Lexer lex_begin(Arena *arena, const char *text, size_t length, Place start, LexOptions options) {
    Lexer lexer = {.arena = arena, .options = options, .at = text, .end = text + length};
    lexer.file = start.file;
    lexer.line = start.line;
    lexer.line_start = text - (start.column ? start.column - 1 : 0);
    return lexer;
}

static char peek(const Lexer *lexer, size_t ahead) {
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void step(Lexer *lexer) {
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

static Token begin_token(const Lexer *lexer, TokenKind kind) {
    Token token = {.kind = kind, .text = lexer->at};
    token.place =
        (Place){lexer->file, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1, 0};
    return token;
}

static Token finish(const Lexer *lexer, Token token) {
    token.length = (size_t)(lexer->at - token.text);
    token.place.length = (uint32_t)token.length;
    return token;
}

static Token bad(const Lexer *lexer, Token token, const char *words) {
    token = finish(lexer, token);
    token.kind = TOKEN_ERROR;
    token.text = words;
    token.length = strlen(words);
    return token;
}

/* Skips white space and comments; false at a block comment that is not closed. */
static bool skip(Lexer *lexer, bool *space, bool *line) {
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            *line |= c == '\n';
            step(lexer);
        } else if ((c == '/' && peek(lexer, 1) == '/') ||
                   (c == '#' && lexer->options.hash_comments)) {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            lexer->at += 2;
            while (lexer->at < lexer->end && !(*lexer->at == '*' && peek(lexer, 1) == '/'))
                step(lexer);
            if (lexer->at >= lexer->end)
                return false;
            lexer->at += 2;
        } else {
            return true;
        }
        *space = true;
    }
    return true;
}

/* A name's further characters; with dots, `h.s1.x'2` and `in.min.0`. */
static bool continues_name(const Lexer *lexer) {
    char c = peek(lexer, 0);
    if (is_letter(c) || is_digit(c))
        return true;
    if (!lexer->options.dotted_names)
        return false;
    char next = peek(lexer, 1);
    return c == '\'' ? is_digit(next) : c == '.' && (is_letter(next) || is_digit(next));
}

/* The length of `[3]` where it belongs to the name that begins at `start`; 0 where it does not.  Of
 * `?mem.g[3].x.min` the family is `g`. */
static size_t member_length(const Lexer *lexer, const char *start) {
    size_t length = peek(lexer, 1) == '-' ? 2 : 1;
    if (!lexer->options.families || peek(lexer, 0) != '[' || !is_digit(peek(lexer, length)))
        return 0;
    while (is_digit(peek(lexer, length)))
        length++;
    if (peek(lexer, length) != ']')
        return 0;
    for (const char *at = start; *start == '?' && at < lexer->at; at++)
        if (*at == '.') {
            start = at + 1;
            break;
        }
    bool is_family = symbol_exists(lexer->options.families, start, (size_t)(lexer->at - start));
    return is_family ? length + 1 : 0;
}

static Token lex_name(Lexer *lexer, Token token) {
    lexer->at++;
    for (size_t member = 0;; lexer->at += member) {
        while (continues_name(lexer))
            lexer->at++;
        if (!(member = member_length(lexer, token.text)))
            return finish(lexer, token);
    }
}

static Token lex_number(Lexer *lexer, Token token) {
    bool hexadecimal = *lexer->at == '0' && (peek(lexer, 1) | 32) == 'x', is_float = false;
    if (hexadecimal)
        lexer->at += 2;
    for (;; lexer->at++) {
        char c = peek(lexer, 0);
        if (is_digit(c) || (hexadecimal && (c | 32) >= 'a' && (c | 32) <= 'f'))
            continue;
        if (hexadecimal)
            break;
        /* `1..2` is a range; `f(x).0` is a tuple element, but that is the parser's to see. */
        if (c == '.' && !is_float && peek(lexer, 1) != '.' && !is_letter(peek(lexer, 1)))
            is_float = true;
        else if ((c | 32) == 'e' &&
                 (is_digit(peek(lexer, 1)) ||
                  ((peek(lexer, 1) == '-' || peek(lexer, 1) == '+') && is_digit(peek(lexer, 2))))) {
            is_float = true;
            lexer->at++;
        } else
            break;
    }
    token = finish(lexer, token);
    if (is_letter(peek(lexer, 0))) {
        while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->at++;
        return bad(lexer, token, "a number with letters after it");
    }
    char *copy = arena_text(lexer->arena, token.text, token.length), *stop;
    errno = 0;
    if (is_float) {
        /* The digits are read in the "C" locale whatever the host has set. */
        locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        token.kind = TOKEN_FLOAT;
        token.number = strtod_l(copy, &stop, c_locale);
        freelocale(c_locale);
    } else {
        token.integer = strtoull(copy, &stop, hexadecimal ? 16 : 10);
        if (errno == ERANGE)
            return bad(lexer, token, "an integer that does not fit into 64 bits");
    }
    if (*stop)
        return bad(lexer, token, "a malformed number");
    return token;
}

/* Strings are messages and names of files: they go to terminals. */
static bool has_controls(const char *text, size_t length) {
    uint32_t character = ' ';
    for (size_t i = 0; i < length && (printable_is(character) || character == '\t');)
        i += printable_read(text + i, length - i, &character);
    return !printable_is(character) && character != '\t';
}

static Token lex_string(Lexer *lexer, Token token) {
    const char *start = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at +=
            *lexer->at == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] != '\n' ? 2 : 1;
    if (lexer->at >= lexer->end || *lexer->at != '"')
        return bad(lexer, token, "a string that is not closed on its line");
    size_t length = (size_t)(lexer->at - start), out = 0;
    lexer->at++;
    token = finish(lexer, token);
    if (has_controls(start, length))
        return bad(lexer, token, "a string with a control character, or that is not UTF-8");
    char *text = arena_text(lexer->arena, start, length);
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '\\' && i + 1 < length) {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        text[out++] = c;
    }
    text[out] = '\0';
    token.text = text;
    token.length = out;
    return token;
}

static Token lex_punctuation(Lexer *lexer, Token token) {
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++) {
        if (*punctuation[i] != *lexer->at)
            continue;
        size_t length = strlen(punctuation[i]);
        if ((size_t)(lexer->end - lexer->at) >= length &&
            memcmp(lexer->at, punctuation[i], length) == 0) {
            lexer->at += length;
            return finish(lexer, token);
        }
    }
    bool is_hash = *lexer->at++ == '#';
    while (lexer->at < lexer->end && ((unsigned char)*lexer->at & 0xC0) == 0x80)
        lexer->at++; /* the rest of a UTF-8 character */
    return bad(lexer, token,
               is_hash ? "no comment: one begins with `//`" : "a character that begins no word");
}

Token lex_next(Lexer *lexer) {
    bool space = lexer->at == lexer->line_start, line = space;
    Token start = begin_token(lexer, TOKEN_END);
    if (!skip(lexer, &space, &line)) {
        start.place.length = 2;
        return bad(lexer, start, "a comment that is not closed");
    }
    Token token = begin_token(lexer, TOKEN_END);
    token.space_before = space;
    token.line_before = line;
    if (lexer->at >= lexer->end)
        return finish(lexer, token);
    char c = *lexer->at, next = peek(lexer, 1);
    bool dotted = lexer->options.dotted_names;
    if (is_letter(c) || (dotted && c == '?' && is_letter(next)) ||
        (dotted && c == '%' && is_digit(next) && space)) {
        token.kind = TOKEN_NAME;
        return lex_name(lexer, token);
    }
    if (is_digit(c)) {
        token.kind = TOKEN_INTEGER;
        return lex_number(lexer, token);
    }
    if (c == '"') {
        token.kind = TOKEN_STRING;
        return lex_string(lexer, token);
    }
    token.kind = TOKEN_PUNCTUATION;
    return lex_punctuation(lexer, token);
}

bool token_is_name(const Token *token, const char *name) {
    return token->kind == TOKEN_NAME && *token->text == *name && strlen(name) == token->length &&
           memcmp(token->text, name, token->length) == 0;
}
