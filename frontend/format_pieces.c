/* format_pieces.c -- splits the text into tokens and comments. The lexer skips comments, so this
 * file finds them between the end of one token and the start of the next. */
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
    piece.length = (size_t)(end - begin);
    piece.breaks = reading->breaks > 2 ? 2 : reading->breaks;
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
        add(&reading, (FormatPiece){.kind = PIECE_TOKEN, .token = token}, begin,
            begin + token.place.length);
    }
}
