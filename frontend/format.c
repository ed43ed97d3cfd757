/* format.c -- breaks pieces into lines and indents them.
 *
 * The stages of a func, or the directives of a schedule, stay on the line of their braces if they
 * were written there and fit. Otherwise each stage has its own line. Items and directives that
 * shared a line still share it. The formatter keeps a break inside a statement. It indents the next
 * line to the enclosing bracket, else to the `=` of the definition, else by four. Comments stay in
 * place; trailing comments of consecutive lines are aligned.
 */
#include "frontend/format.h"

#include <string.h>

enum { INDENTATION = 4, WIDEST = 100 };

typedef struct FormatLine {
    bool blank_before;
    int indentation;
    Vec(char) code;
    const char *comment; /* a trailing comment; null if there is none */
    size_t comment_length;
    size_t block; /* piece number of the first one-line block on it; SIZE_MAX if there is none */
} FormatLine;

/* A column to which continuation lines of a statement are indented. */
typedef struct Anchor {
    int nesting; /* nesting of the pieces that it applies to */
    size_t column;
    size_t piece; /* a bracket or `=` */
} Anchor;

typedef struct FormatState {
    Arena *arena;
    FormatPieces pieces;
    Vec(FormatLine) lines;
    Vec(Anchor) anchors; /* of the current statement, innermost last */
} FormatState;

/* ---- which blocks are broken ---- */

/* Does the source have a line break between its statements, or a line comment? */
static bool was_broken(const FormatPieces *pieces, size_t open) {
    for (size_t i = open + 1; i <= pieces->data[open].partner; i++) {
        const FormatPiece *piece = &pieces->data[i];
        bool begins = i == open + 1 || piece->begins || i == pieces->data[open].partner;
        if (piece->kind == PIECE_LINE_COMMENT || (begins && piece->breaks > 0))
            return true;
    }
    return false;
}

static void break_blocks(FormatPieces *pieces) {
    for (size_t i = 0; i < pieces->length; i++)
        if (pieces->data[i].role == ROLE_OPEN_BLOCK && pieces->data[i].kind == PIECE_TOKEN)
            pieces->data[i].is_broken |= was_broken(pieces, i);
}

/* ---- lines ---- */

static FormatLine *last_line(FormatState *format) {
    return &format->lines.data[format->lines.length - 1];
}

static void begin_line(FormatState *format, int indentation, bool blank) {
    vec_push(format->arena, &format->lines,
             (FormatLine){.blank_before = blank, .indentation = indentation, .block = SIZE_MAX});
}

static void put(FormatState *format, const FormatPiece *piece, int blanks) {
    FormatLine *line = last_line(format);
    for (int i = 0; i < blanks && line->code.length > 0; i++)
        vec_push(format->arena, &line->code, ' ');
    for (size_t i = 0; i < piece->length; i++)
        vec_push(format->arena, &line->code, piece->text[i]);
}

/* Returns the innermost open block; null at the top. */
static const FormatPiece *block_of(const FormatState *format, const size_t *open, int depth) {
    return depth ? &format->pieces.data[open[depth - 1]] : NULL;
}

/* Does piece `i` start a new line? Concerns pieces that begin or close a block or statement, and
 * comments before them. */
static bool is_on_new_line(const FormatState *format, size_t i, const FormatPiece *block) {
    const FormatPiece *piece = &format->pieces.data[i],
                      *before = i ? &format->pieces.data[i - 1] : NULL;
    if (!before || before->kind == PIECE_LINE_COMMENT)
        return true;
    if (piece->kind != PIECE_TOKEN)
        return piece->breaks > 0;
    if (format_is_else(piece))
        return false;
    bool begins = piece->begins || piece->role == ROLE_CLOSE_BLOCK;
    bool behind_comment = before->kind == PIECE_BLOCK_COMMENT && (before->breaks > 0 || i == 1);
    if (!begins || behind_comment) /* keep the break as written */
        return piece->breaks > 0;
    if (!block)
        return true;
    if (!block->is_broken)
        return false;
    if (piece->role == ROLE_CLOSE_BLOCK)
        return i != block->partner || before != block;
    bool shares = block->shares_lines && format_before(&format->pieces, i) != block;
    return piece->breaks > 0 || !shares;
}

/* Is piece `i` between statements, or before the end of a block? */
static bool is_between(const FormatPieces *pieces, size_t i) {
    while (i < pieces->length && pieces->data[i].kind != PIECE_TOKEN)
        i++;
    return i == pieces->length || pieces->data[i].begins ||
           pieces->data[i].role == ROLE_CLOSE_BLOCK;
}

static bool wants_blank(const FormatState *format, size_t i, int depth) {
    const FormatPieces *pieces = &format->pieces;
    const FormatPiece *piece = &pieces->data[i], *before = &pieces->data[i - 1];
    if (before->kind == PIECE_TOKEN && before->role == ROLE_OPEN_BLOCK)
        return false;
    if (piece->kind == PIECE_TOKEN && piece->role == ROLE_CLOSE_BLOCK)
        return false;
    bool heads = depth == 0 && piece->kind == PIECE_TOKEN && piece->begins &&
                 (format_is_name(piece, "pipeline") || format_is_name(piece, "schedule") ||
                  format_is_name(piece, "template") || format_is_name(piece, "directive"));
    bool behind_code = before->kind == PIECE_TOKEN || (i > 1 && before->breaks == 0);
    return piece->breaks > 1 || (heads && behind_code);
}

static void drop_anchors(FormatState *format, int nesting) {
    while (format->anchors.length > 0 &&
           format->anchors.data[format->anchors.length - 1].nesting > nesting)
        format->anchors.length--;
}

/* Updates the anchors after piece `i`, which may itself be one. */
static void keep_anchor(FormatState *format, size_t i) {
    const FormatPiece *piece = &format->pieces.data[i];
    const FormatLine *line = last_line(format);
    size_t end = (size_t)line->indentation + line->code.length;
    drop_anchors(format, piece->begins || piece->ends ? -1 : piece->nesting);
    if (piece->role == ROLE_OPEN || piece->role == ROLE_OPEN_ANGLE)
        vec_push(format->arena, &format->anchors, (Anchor){piece->nesting + 1, end, i});
    else if (piece->nesting == 0 && format_is(piece, "=") && format->anchors.length == 0)
        vec_push(format->arena, &format->anchors, (Anchor){0, end - 1, i});
}

/* Returns the indentation of a continuation line that begins with piece `i`. */
static int continued(FormatState *format, size_t i, int outside) {
    const FormatPiece *piece = &format->pieces.data[i];
    drop_anchors(format, piece->nesting);
    if (format->anchors.length == 0)
        return outside + INDENTATION;
    const Anchor *anchor = &format->anchors.data[format->anchors.length - 1];
    const FormatPiece *next = &format->pieces.data[anchor->piece + 1];
    bool was_last = next->breaks > 0 || next->kind == PIECE_LINE_COMMENT;
    bool is_here = anchor->nesting == piece->nesting && !was_last;
    return is_here ? (int)anchor->column : outside + INDENTATION;
}

static void lay_out(FormatState *format) {
    const FormatPieces *pieces = &format->pieces;
    size_t *open = arena_array(format->arena, size_t, pieces->length + 1);
    int depth = 0;
    format->lines.length = format->anchors.length = 0;
    for (size_t i = 0; i < pieces->length; i++) {
        const FormatPiece *piece = &pieces->data[i];
        bool token = piece->kind == PIECE_TOKEN;
        const FormatPiece *block = block_of(format, open, depth);
        bool closes = token && piece->role == ROLE_CLOSE_BLOCK;
        if (is_on_new_line(format, i, block)) {
            int outside = INDENTATION * (depth - closes);
            begin_line(format, is_between(pieces, i) ? outside : continued(format, i, outside),
                       i > 0 && wants_blank(format, i, depth));
        }
        FormatLine *line = last_line(format);
        if (piece->kind == PIECE_LINE_COMMENT && line->code.length > 0) {
            line->comment = piece->text;
            line->comment_length = piece->length;
        } else {
            put(format, piece, i ? format_blanks(pieces, i) : 0);
        }
        if (token)
            keep_anchor(format, i);
        if (token && piece->role == ROLE_OPEN_BLOCK) {
            if (!piece->is_broken && line->block == SIZE_MAX)
                line->block = i;
            open[depth++] = i;
        }
        depth -= closes;
    }
}

/* Breaks the blocks of lines that are too wide. Returns false if there are none. */
static bool break_wide_lines(FormatState *format) {
    bool broke = false;
    for (size_t i = 0; i < format->lines.length; i++) {
        const FormatLine *line = &format->lines.data[i];
        if (line->block != SIZE_MAX && line->indentation + line->code.length > WIDEST) {
            format->pieces.data[line->block].is_broken = true;
            broke = true;
        }
    }
    return broke;
}

/* ---- writing ---- */

static size_t width(const FormatLine *line) {
    return (size_t)line->indentation + line->code.length;
}

/* Returns the column of the trailing comments of consecutive lines from `i` on. */
static size_t comment_column(const FormatState *format, size_t i) {
    size_t widest = 0;
    for (size_t j = i; j < format->lines.length; j++) {
        const FormatLine *line = &format->lines.data[j];
        if (!line->comment || (j > i && line->blank_before))
            break;
        if (width(line) > widest)
            widest = width(line);
    }
    return widest + 2;
}

typedef Vec(char) Text;

static void write_text(const FormatState *format, Text *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        vec_push(format->arena, out, text[i]);
}

static void write_blanks(const FormatState *format, Text *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        vec_push(format->arena, out, ' ');
}

static void write_lines(const FormatState *format, Text *out) {
    size_t column = 0;
    for (size_t i = 0; i < format->lines.length; i++) {
        const FormatLine *line = &format->lines.data[i];
        bool aligned = i > 0 && format->lines.data[i - 1].comment && !line->blank_before;
        write_text(format, out, "\n", line->blank_before);
        write_blanks(format, out, (size_t)line->indentation);
        write_text(format, out, line->code.data, line->code.length);
        if (line->comment) {
            column = aligned ? column : comment_column(format, i);
            write_blanks(format, out, column - width(line));
            write_text(format, out, line->comment, line->comment_length);
        }
        write_text(format, out, "\n", 1);
    }
}

/* Does the text have the same tokens as the file? */
static bool has_same_tokens(Context *context, Arena *arena, uint32_t file, const char *text,
                            size_t length) {
    const SourceFile *source = &context->files.data[file];
    Place start = {file, 1, 1, 0};
    Lexer a = lex_begin(arena, source->text, source->length, start, (LexOptions){0});
    Lexer b = lex_begin(arena, text, length, start, (LexOptions){0});
    for (;;) {
        Token x = lex_next(&a), y = lex_next(&b);
        if (x.kind != y.kind || x.length != y.length || memcmp(x.text, y.text, x.length) != 0)
            return false;
        if (x.kind == TOKEN_END)
            return true;
    }
}

char *format_file(Context *context, Arena *arena, uint32_t file, size_t *length) {
    FormatState format = {.arena = arena, .pieces = format_pieces(context, arena, file)};
    format_roles(arena, &format.pieces);
    break_blocks(&format.pieces);
    do
        lay_out(&format);
    while (break_wide_lines(&format));
    Text text = {0};
    write_lines(&format, &text);
    *length = text.length;
    vec_push(arena, &text, '\0');
    hlc_assert(has_same_tokens(context, arena, file, text.data, *length),
               "formatting keeps all tokens and their order");
    return text.data;
}
