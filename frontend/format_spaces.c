/* format_spaces.c -- the number of blanks between two pieces on one line. */
#include "frontend/format.h"

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
    return before->token.kind == TOKEN_INTEGER && piece->text[0] == '.' && piece->length == 1;
}

bool format_is_else(const FormatPiece *piece) {
    return !piece->begins && piece->is_keyword && token_is_name(&piece->token, "else");
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
