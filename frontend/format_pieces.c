/* format_pieces.c -- splits the text into tokens and comments. The lexer skips comments, so this
 * file finds them between the end of one token and the start of the next. It also counts the blanks
 * between two pieces on one line. */
#include "frontend/format.h"

#include <string.h>

typedef struct PieceReader {
    Arena *arena;
    FormatPieces *pieces;
    const char *at; /* end of the last piece */
    int breaks;
    bool space;
} PieceReader;

static void add(PieceReader *reading, FormatPiece piece, const char *begin, const char *end) {
    piece.text = begin;
    piece.length = (uint32_t)(end - begin);
    piece.breaks = (uint8_t)(reading->breaks > 2 ? 2 : reading->breaks);
    piece.space = reading->space || reading->breaks > 0;
    vec_push(reading->arena, reading->pieces, piece);
    reading->at = end;
    reading->breaks = 0;
    reading->space = false;
}

static const char *end_of_line(const char *at, const char *end) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    line = line ? line : end;
    while (line > at && (line[-1] == ' ' || line[-1] == '\t' || line[-1] == '\r'))
        line--;
    return line;
}

/* Reads comments and white space up to the next token, which begins at `end`. */
static void read_gap(PieceReader *reading, const char *end) {
    while (reading->at < end) {
        const char *at = reading->at;
        if (at[0] == '/' && at[1] == '/') {
            add(reading, (FormatPiece){.kind = PIECE_LINE_COMMENT}, at, end_of_line(at, end));
        } else if (at[0] == '/' && at[1] == '*') {
            const char *close = at + 2;
            while (close[0] != '*' || close[1] != '/')
                close++;
            add(reading, (FormatPiece){.kind = PIECE_BLOCK_COMMENT}, at, close + 2);
        } else {
            reading->breaks += *at == '\n';
            reading->space = true;
            reading->at++;
        }
    }
}

FormatPieces format_pieces(Context *context, Arena *arena, uint32_t file) {
    const SourceFile *source = &context->files.data[file];
    FormatPieces pieces = {0};
    PieceReader reading = {.arena = arena, .pieces = &pieces, .at = source->text};
    /* A piece has some three bytes: growing would copy, and leave behind, as much memory again. */
    vec_reserve(arena, &pieces, source->length / 3);
    Place start = {file, 1, 1, 0};
    Lexer lexer = lex_begin(arena, source->text, source->length, start, (LexOptions){0});
    for (;;) {
        Token token = lex_next(&lexer);
        hlc_assert(token.kind != TOKEN_ERROR, "what is formatted has been parsed");
        const char *begin = lexer.line_start + token.place.column - 1;
        if (token.kind == TOKEN_END) {
            read_gap(&reading, source->text + source->length);
            return pieces;
        }
        read_gap(&reading, begin);
        add(&reading, (FormatPiece){.kind = PIECE_TOKEN, .token = token.kind}, begin,
            begin + token.place.length);
    }
}

/* ---- blanks ---- */

/* Was the `*`, `/` or `%` written without spaces? */
static bool is_close(const FormatPieces *pieces, size_t product) {
    return product + 1 < pieces->length && !pieces->data[product].space &&
           !pieces->data[product + 1].space;
}

static bool joins_left(Role role) {
    return role == ROLE_COMMA || role == ROLE_SEMICOLON || role == ROLE_CLOSE ||
           role == ROLE_CLOSE_ANGLE || role == ROLE_TIGHT || role == ROLE_TYPE ||
           role == ROLE_OPEN_ANGLE;
}

static bool joins_right(Role role) {
    return role == ROLE_OPEN || role == ROLE_OPEN_ANGLE || role == ROLE_UNARY || role == ROLE_TIGHT;
}

/* A bracket after an operand is a call or a subscript. */
static int before_bracket(const FormatPiece *before, const FormatPiece *piece) {
    if (piece->text[0] == '{')
        return 1;
    if (before->role == ROLE_CLOSE)
        return piece->space; /* `f(a)(b)` is a call; `sum(..) (a + b)` is not */
    return before->role == ROLE_PLAIN && !before->is_keyword ? 0 : before->role != ROLE_CLOSE_ANGLE;
}

/* Does the pair need a blank? `t(x).1 .0` without it would contain the number 1.0. */
static bool makes_number(const FormatPiece *before, const FormatPiece *piece) {
    return before->token == TOKEN_INTEGER && piece->text[0] == '.' && piece->length == 1;
}

static bool has_text(const FormatPiece *piece, const char *text) {
    return piece->length == strlen(text) && memcmp(piece->text, text, piece->length) == 0;
}

bool format_is(const FormatPiece *piece, const char *punctuation) {
    return piece->token == TOKEN_PUNCTUATION && has_text(piece, punctuation);
}

bool format_is_name(const FormatPiece *piece, const char *name) {
    return piece->token == TOKEN_NAME && *piece->text == *name && has_text(piece, name);
}

bool format_is_else(const FormatPiece *piece) {
    return !piece->begins && piece->is_keyword && format_is_name(piece, "else");
}

int format_blanks(const FormatPieces *pieces, size_t i) {
    const FormatPiece *before = &pieces->data[i - 1], *piece = &pieces->data[i];
    if (piece->kind == PIECE_LINE_COMMENT)
        return 2;
    if (piece->kind != PIECE_TOKEN)
        return 1;
    if (before->kind != PIECE_TOKEN)
        return piece->role != ROLE_COMMA && piece->role != ROLE_SEMICOLON;
    bool is_suffix = before->text[0] == ']' && piece->text[0] == '_' && !piece->space;
    if (is_suffix) /* `g[3]_sum` */
        return 0;
    if (before->ends && format_is_else(piece))
        return 1;
    if (before->ends)
        return piece->role == ROLE_SEMICOLON ? 0 : piece->role == ROLE_CLOSE_BLOCK ? 1 : 2;
    if (makes_number(before, piece))
        return 1;
    if (before->role == ROLE_PRODUCT && is_close(pieces, i - 1))
        return 0;
    if (piece->role == ROLE_PRODUCT && is_close(pieces, i))
        return 0;
    if (piece->role == ROLE_OPEN_ANGLE && before->role != ROLE_PLAIN)
        return before->role == ROLE_COMMA;
    bool signs = before->role == ROLE_UNARY && piece->role == ROLE_UNARY;
    if (joins_left(piece->role) || (joins_right(before->role) && !signs))
        return 0;
    if (signs)
        return piece->text[0] == before->text[0];
    if (piece->role == ROLE_OPEN)
        return before_bracket(before, piece);
    return 1;
}
