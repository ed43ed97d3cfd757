/* reader.h -- inside the text form: the parts of read_token.c (words) and read.c (expressions) that
 * read_program.c uses.
 *
 * A function that fails returns false or null. Reading stops at the first fault, with one report.
 */
#ifndef HLC_IR_READER_H
#define HLC_IR_READER_H

#include "base/lex.h"
#include "ir/read.h"
#include "ir/walk.h"

/* The name of a value. A parameter is always in scope; the variable of a loop or let only in its
 * body. */
typedef struct ReaderBinding {
    Type type;
    bool in_scope;
} ReaderBinding;

/* A number that takes the type of the other operand; f32 if there is none. */
typedef struct LooseNumber {
    Expr expr;
    Token token;
    bool negative;
} LooseNumber;
typedef Vec(LooseNumber) Loose;

typedef struct TextReader {
    Pool *pool;
    Context *context;
    Arena *arena;
    Lexer lexer;
    Token token; /* the next token */
    Token end;   /* replaces `token` at the end of a line */
    bool by_lines, line_started;
    size_t nesting;
    Exprs shared;         /* %1, %2, .. of the statement being read */
    Loose loose;          /* outside programs: numbers with a point but no type */
    Signature *signature; /* null outside programs: then `name_type` gives the types of names */
    Map bindings;
    NameType *name_type;
    void *data;
} TextReader;

TextReader reader_begin(Pool *pool, Arena *arena, const char *text, size_t length, Place place);

/* Returns the next token. The end of a line counts as the end. */
const Token *reader_peek(TextReader *reader);
void reader_advance(TextReader *reader);
/* Is the next token this punctuation or name? */
bool reader_sees(TextReader *reader, const char *text);
/* Takes the token if it is this one. */
bool reader_accept(TextReader *reader, const char *text);
/* Takes the token or reports. */
bool reader_expect(TextReader *reader, const char *text);
/* Takes any name but `?hole` and `%n`. `what` describes the wanted name in the message. */
bool read_name(TextReader *reader, const char *what, Symbol *name);
bool read_type(TextReader *reader, Type *type);
/* Reads a number of at most `most`. */
bool read_count(TextReader *reader, int most, int *count);
/* Reads a literal of a known type: `-1`, `0.5`, `true`. */
bool read_value(TextReader *reader, Type type, Bits *bits);
/* Reports the token found instead of `wanted`; returns false. */
bool reader_unexpected(TextReader *reader, const char *wanted);
const char *reader_token_text(TextReader *reader, const Token *token);
Symbol reader_token_symbol(TextReader *reader, const Token *token);
bool reader_token_type(const Token *token, Type *type);
/* Is the next token a number without sign: `3`, `0.5`, `inf`, `nan`? `inf` and `nan` count only
 * before a colon, or if `value_wanted`. */
bool reader_is_number(TextReader *reader, bool value_wanted);
/* Converts the number to the type; returns false after reporting that it does not fit. */
bool reader_number_bits(TextReader *reader, Type type, const Token *token, bool negative,
                        Bits *bits);

Expr read_expr(TextReader *reader);
/* Reads an expression that must have this type. */
Expr read_expr_of(TextReader *reader, Type type);

/* Reads `i32` or `{i32, f32}`: at most `most` value types. */
bool read_types(TextReader *reader, Type *types, int most, int *count);

bool reader_declared_twice(TextReader *reader, Place place, const char *name);
bool reader_wrong_count(TextReader *reader, Place place, const char *what, const char *has,
                        const char *wanted);
/* Declares a new name for a value; null after reporting. */
ReaderBinding *reader_bind(TextReader *reader, Symbol name, Type type, Place place);
bool reader_end_line(TextReader *reader);
/* Moves to the next line; false at the end of the text. */
bool reader_next_line(TextReader *reader);

/* Read the first line, and the lines `func ..` below it. */
bool read_header(TextReader *reader);
bool read_funcs(TextReader *reader);
/* Reads the rest of the line after the word `needs`. */
bool read_need(TextReader *reader, Need *need);
/* Reads the rest of the line after the word `proposes`. */
bool read_proposal(TextReader *reader, ProposedWindow *proposal);
/* Takes the first word and finds the statement's kind. A store begins with a func and `[`. */
bool read_kind(TextReader *reader, StmtKind *kind);
/* Reads the rest of the statement's line. Sets `binding` to the binding for its body, or null.
 * `is_below`: the body is not indented. */
bool read_line(TextReader *reader, StmtKind kind, Stmt *stmt, const Stmt *parent,
               ReaderBinding **binding, bool *is_below);

#endif
