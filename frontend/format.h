/* format.h -- the canonical layout of .hl files (`hlc fmt`); docs/language.md describes it.
 *
 *   format_pieces.c   splits the text into tokens and comments, and notes the space between them
 *   format_roles.c    finds the role of each in the grammar: a sign, the comma of a statement, ..
 *   format.c          lines and indentation
 *   format_spaces.c   blanks between two pieces on one line
 *
 * The formatter works on tokens and comments, not on the tree, so it loses nothing.  The text must
 * have been parsed without errors.
 */
#ifndef HLC_FRONTEND_FORMAT_H
#define HLC_FRONTEND_FORMAT_H

#include "base/lex.h"

/* The formatted text of a registered file that parses.  Its tokens are those of the file
 * (asserted).
 */
char *format_file(Context *context, Arena *arena, uint32_t file, size_t *length);

/* ---- private to format*.c ---- */

typedef enum PieceKind { PIECE_TOKEN, PIECE_LINE_COMMENT, PIECE_BLOCK_COMMENT } PieceKind;

typedef enum Role {
    ROLE_PLAIN,       /* names, numbers, strings, words */
    ROLE_OPEN,        /* ( [ and the { of tuples */
    ROLE_CLOSE,       /* their ends */
    ROLE_OPEN_ANGLE,  /* < of types and loops */
    ROLE_CLOSE_ANGLE, /* > */
    ROLE_OPEN_BLOCK,  /* { of pipelines, schedules and the stages of funcs */
    ROLE_CLOSE_BLOCK,
    ROLE_UNARY,
    ROLE_PRODUCT, /* * / %: as it was written, close or apart */
    ROLE_INFIX,   /* other operators and arrows, `=`, `?`, the `:` behind a `?` */
    ROLE_TIGHT,   /* . and .., and the hyphens of `compute-at` */
    ROLE_TYPE,    /* : before a type */
    ROLE_COMMA,
    ROLE_SEMICOLON
} Role;

typedef struct FormatPiece {
    PieceKind kind;
    Role role;
    Token token;
    const char *text;
    size_t length;
    int breaks;        /* line breaks before it in the source; 2 for more */
    bool space;        /* white space before it in the source */
    bool begins;       /* a statement (or stage, or directive) */
    bool ends;         /* one: its semicolon or closing brace */
    bool is_keyword;   /* a word without an operand before it: in, if, .. */
    int depth;         /* enclosing blocks */
    int nesting;       /* other enclosing brackets, inside its statement */
    size_t partner;    /* of an OPEN_BLOCK its end, of a CLOSE_BLOCK its beginning */
    bool is_broken;    /* of an OPEN_BLOCK: each statement has a line of its own */
    bool shares_lines; /* of an OPEN_BLOCK: statements written on one line may stay there */
} FormatPiece;

typedef struct FormatPieces {
    FormatPiece *data;
    size_t length, capacity;
} FormatPieces;

FormatPieces format_pieces(Context *context, Arena *arena, uint32_t file);
void format_roles(Arena *arena, FormatPieces *pieces);
/* Returns the number of blanks between pieces i - 1 and i on one line. */
int format_blanks(const FormatPieces *pieces, size_t i);
/* Returns the last token before piece `i`; null if there is none. */
const FormatPiece *format_before(const FormatPieces *pieces, size_t i);

#endif
