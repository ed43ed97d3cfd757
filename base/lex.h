/* lex.h -- the one lexer: .hl files, the text form of target programs, rule files, the command
 * line.
 *
 * Tokens are names, numbers, strings and punctuation (the longest match over one fixed list).  `//`
 * and, on request, `#` begin a comment to the end of the line.  `/ * .. * /` comments do not nest.
 * A token knows its place, and whether white space or a line break stands before it.
 */
#ifndef HLC_BASE_LEX_H
#define HLC_BASE_LEX_H

#include "base/context.h"

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INTEGER, /* decimal or 0x; `integer` */
    TOKEN_FLOAT, /* has a point or an exponent; `number`, rounded once to f64; see `text` for f32 */
    TOKEN_STRING, /* "..": `text` without the quotes, escapes \n \t \\ \" undone */
    TOKEN_PUNCTUATION,
    TOKEN_ERROR /* a character that begins no token, an unclosed string or comment, a bad number:
                   `text` says which in words */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Place place;
    const char *text;
    size_t length;
    uint64_t integer;
    double number;
    bool space_before; /* white space, comment or start of the text */
    bool line_before;  /* first on its line */
} Token;

typedef struct LexOptions {
    bool dotted_names;  /* `h.s1.x'2` is one name (the text form), and `?for.h.x.min`, `%3` too */
    bool hash_comments; /* `#` begins a comment */
    const SymbolTable
        *families; /* with dotted names: `g[3]` is one name where `g` is among these */
} LexOptions;

typedef struct Lexer {
    Arena *arena;
    LexOptions options;
    const char *at, *end, *line_start;
    uint32_t file, line;
} Lexer;

/* Text that stays in place; `start` is the place of its first character (column 1, line 1 for a
 * file). */
Lexer lex_begin(Arena *arena, const char *text, size_t length, Place start, LexOptions options);
Token lex_next(Lexer *lexer);

static inline bool token_is(const Token *token, const char *punctuation) {
    if (token->kind != TOKEN_PUNCTUATION)
        return false;
    size_t i = 0;
    while (i < token->length && punctuation[i] == token->text[i] && punctuation[i])
        i++;
    return i == token->length && !punctuation[i];
}

bool token_is_name(const Token *token, const char *name);

/* The punctuation or the name `text`. */
static inline bool token_says(const Token *token, const char *text) {
    return token_is(token, text) || token_is_name(token, text);
}

#endif
