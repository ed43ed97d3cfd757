/* format.h -- the canonical layout of .hl files (`hlc fmt`); docs/language.md describes it.
 *
 *   format_pieces.c   splits the text into tokens and comments, and notes the space between them;
 *                     counts the blanks between two on one line
 *   format_roles.c    finds the role of each in the grammar: a sign, the comma of a statement, ..
 *   format.c          lines and indentation
 *
 * The formatter works on tokens and comments, not on the tree, so it loses nothing. The text must
 * parse without errors.
 */
#ifndef HLC_FRONTEND_FORMAT_H
#define HLC_FRONTEND_FORMAT_H

#include "base/lex.h"

/* Formats a registered file that parses. Asserts that the text has the same tokens as the file. */
char *format_file(Context *context, Arena *arena, uint32_t file, size_t *length);

/* ---- private to format*.c ---- */

typedef enum PieceKind { PIECE_TOKEN, PIECE_LINE_COMMENT, PIECE_BLOCK_COMMENT } PieceKind;

typedef enum Role {
    ROLE_PLAIN,       /* names, numbers, strings, words */
    ROLE_OPEN,        /* ( [ and the { of tuples */
    ROLE_CLOSE,       /* ) ] } of these */
    ROLE_OPEN_ANGLE,  /* < of types and loops */
    ROLE_CLOSE_ANGLE, /* > */
    ROLE_OPEN_BLOCK,  /* { of pipelines, schedules and the stages of funcs */
    ROLE_CLOSE_BLOCK,
    ROLE_UNARY,
    ROLE_PRODUCT, /* * / %: spaces as written */
    ROLE_INFIX,   /* other operators and arrows, `=`, `?`, the `:` after a `?` */
    ROLE_TIGHT,   /* . and .., and the hyphens of `compute-at` */
    ROLE_TYPE,    /* : before a type */
    ROLE_COMMA,
    ROLE_SEMICOLON
} Role;

/* A text has a piece for each three of its bytes or so: the fields are as small as they can be. */
typedef struct FormatPiece {
    const char *text;
    uint32_t length, partner; /* the second: the matching CLOSE_BLOCK or OPEN_BLOCK */
    int depth;                /* number of enclosing blocks */
    int nesting;              /* number of other enclosing brackets in its statement */
    PieceKind kind : 8;
    Role role : 8;
    TokenKind token : 8;
    uint8_t breaks;        /* line breaks before it in the source; 2 means two or more */
    bool space : 1;        /* white space before it in the source */
    bool begins : 1;       /* it begins a statement, stage or directive */
    bool ends : 1;         /* it ends one: a semicolon or closing brace */
    bool is_keyword : 1;   /* a word such as `in` or `if`, after which an operand begins */
    bool is_broken : 1;    /* for an OPEN_BLOCK: each statement has its own line */
    bool shares_lines : 1; /* for an OPEN_BLOCK: statements written on one line may stay there */
} FormatPiece;

typedef struct FormatPieces {
    FormatPiece *data;
    size_t length, capacity;
} FormatPieces;

FormatPieces format_pieces(Context *context, Arena *arena, uint32_t file);
void format_roles(Arena *arena, FormatPieces *pieces);
/* Returns the number of blanks between pieces i - 1 and i on one line. */
int format_blanks(const FormatPieces *pieces, size_t i);
/* Is the piece this punctuation, or this name? */
bool format_is(const FormatPiece *piece, const char *punctuation);
bool format_is_name(const FormatPiece *piece, const char *name);
/* Is it the `else` behind a block? */
bool format_is_else(const FormatPiece *piece);
/* Returns the last token before piece `i`; null if there is none. */
const FormatPiece *format_before(const FormatPieces *pieces, size_t i);

#endif
