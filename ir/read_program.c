/* read_program.c -- reads programs of the text form: the header, then one statement per line. Each
 * body is indented by two more spaces, unless a let says `below`.
 *
 * There is no recursion: the indentation of the next line pops bodies from a stack. The verifier
 * (verify.h) checks the program at the end, so later passes meet only well-formed programs.
 */
#include "ir/reader.h"
#include "ir/verify.h"

#include <string.h>

/* A body whose statements are being read. */
typedef struct ReadFrame {
    Block *block;
    uint32_t column;        /* column of its statements */
    ReaderBinding *binding; /* leaves scope at the end of the body; may be null */
} ReadFrame;

typedef struct ProgramReader {
    TextReader reader;
    Program *program;
    Vec(ReadFrame) frames;
} ProgramReader;

/* Reads `%3 = ..`: the next shared expression of the following statement. */
static bool read_shared(ProgramReader *p) {
    TextReader *reader = &p->reader;
    const char *wanted = arena_format(reader->arena, "%%%zu", reader->shared.length + 1);
    if (!reader_expect(reader, wanted) || !reader_expect(reader, "="))
        return false;
    Expr expr = read_expr(reader);
    if (!expr)
        return false;
    vec_push(reader->arena, &reader->shared, expr);
    return reader_end_line(reader);
}

static void open_frame(ProgramReader *p, Block *block, uint32_t column, ReaderBinding *binding) {
    if (binding)
        binding->in_scope = true;
    ReadFrame frame = {block, column, binding};
    vec_push(p->reader.arena, &p->frames, frame);
}

static ReadFrame *top(ProgramReader *p) {
    return &p->frames.data[p->frames.length - 1];
}

static bool read_else(ProgramReader *p) {
    TextReader *reader = &p->reader;
    Stmt *last = top(p)->block->last;
    if (!last || last->kind != STMT_IF || last->branch.otherwise.first)
        return reader_unexpected(reader, "a statement");
    reader_advance(reader);
    open_frame(p, &last->branch.otherwise, top(p)->column + 2, NULL);
    return reader_end_line(reader);
}

static bool read_statement(ProgramReader *p) {
    TextReader *reader = &p->reader;
    Place place = reader->token.place;
    StmtKind kind;
    if (!read_kind(reader, &kind))
        return false;
    Stmt *stmt = stmt_create(p->program, kind, place);
    ReaderBinding *binding;
    bool is_below;
    Block *block = top(p)->block;
    if (!read_line(reader, kind, stmt, block->owner, &binding, &is_below) ||
        !reader_end_line(reader))
        return false;
    reader->shared = (Exprs){0};
    block_append(block, stmt);
    program_register(p->program, stmt);
    if (stmt_body(stmt))
        open_frame(p, stmt_body(stmt), top(p)->column + (is_below ? 0 : 2), binding);
    return true;
}

/* Reads `needs`, which must precede the first statement. */
static bool read_needs(ProgramReader *p) {
    TextReader *reader = &p->reader;
    Need need;
    reader_advance(reader);
    if (!read_need(reader, &need) || !reader_end_line(reader))
        return false;
    reader->shared = (Exprs){0};
    vec_push(p->program->arena, &p->program->needs, need);
    return true;
}

/* Reads `proposes`, which must precede the first statement. */
static bool read_proposes(ProgramReader *p) {
    TextReader *reader = &p->reader;
    ProposedWindow proposal;
    Place place = reader->token.place;
    reader_advance(reader);
    if (!read_proposal(reader, &proposal) || !reader_end_line(reader))
        return false;
    reader->shared = (Exprs){0};
    vec_push(p->program->arena, &p->program->proposals, proposal);
    Outputs *outputs = &reader->signature->outputs;
    for (size_t i = 0; i < outputs->length; i++)
        if (outputs->data[i].func == proposal.func->name) {
            Extent *size = arena_array(reader->arena, Extent, MAX_IMAGE_DIMENSIONS);
            memcpy(size, proposal.box, sizeof proposal.box);
            outputs->data[i].size = size;
            outputs->data[i].size_place = place;
        }
    return true;
}

/* Is the next line `needs IMAGE ..`, rather than a store to a func named `needs`? */
static bool sees_line(ProgramReader *p, const char *word) {
    TextReader *reader = &p->reader;
    Lexer ahead = reader->lexer;
    if (!reader_sees(reader, word) || p->program->body.first)
        return false;
    Token second = lex_next(&ahead);
    return !token_is(&second, "[");
}

/* Closes each body that is indented deeper than the next line. */
static bool settle_indentation(ProgramReader *p) {
    TextReader *reader = &p->reader;
    Place place = reader->token.place;
    uint32_t deepest = top(p)->column;
    while (p->frames.length > 1 && place.column < top(p)->column) {
        if (top(p)->binding)
            top(p)->binding->in_scope = false;
        p->frames.length--;
    }
    if (place.column == top(p)->column)
        return true;
    return diag(
        reader->context, DIAG_TEXT_INDENTATION, place,
        arena_number(reader->arena, place.column - 1),
        arena_number(reader->arena, (place.column > deepest ? deepest : top(p)->column) - 1));
}

static bool read_body(ProgramReader *p) {
    TextReader *reader = &p->reader;
    open_frame(p, &p->program->body, 3, NULL);
    while (reader_next_line(reader)) {
        if (!settle_indentation(p))
            return false;
        bool read = reader->token.kind == TOKEN_NAME && reader->token.text[0] == '%'
                        ? read_shared(p)
                    : reader_sees(reader, "else") ? read_else(p)
                    : sees_line(p, "needs")       ? read_needs(p)
                    : sees_line(p, "proposes")    ? read_proposes(p)
                                                  : read_statement(p);
        if (!read)
            return false;
    }
    return true;
}

Program *program_read(Pool *pool, Arena *arena, uint32_t file) {
    const SourceFile *source = &pool->context->files.data[file];
    ProgramReader p = {0};
    Place start = {file, 1, 1, 0};
    p.reader = reader_begin(pool, arena, source->text, source->length, start);
    p.reader.by_lines = true;
    p.reader.signature = arena_new(arena, Signature);
    p.reader.signature->by_name = map_create(arena);
    if (!read_header(&p.reader) || !read_funcs(&p.reader))
        return NULL;
    p.program = program_create(pool, arena, p.reader.signature);
    if (!read_body(&p))
        return NULL;
    Place place;
    const char *fault = program_verify_place(arena, p.program, true, &place);
    if (fault) {
        diag(pool->context, DIAG_TEXT_MALFORMED, place.line ? place : start, fault);
        return NULL;
    }
    return p.program;
}
