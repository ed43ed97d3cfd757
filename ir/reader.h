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

/* A name of a value: a parameter everywhere, the variable of a loop or let in its body. */
typedef struct ReaderBinding {
    Type type;
    bool in_scope;
} ReaderBinding;

/* A number that takes its neighbour's type; f32 until there is one. */
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
    Token token; /* the next one */
    Token end;   /* replaces it at the end of a line */
    bool by_lines, line_started;
    size_t nesting;
    Exprs shared;         /* %1, %2, .. of the statement being read */
    Loose loose;          /* outside programs: numbers with a point and without a type */
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
/* Takes any name but `?hole` and `%n`; `what` describes it in the message. */
bool read_name(TextReader *reader, const char *what, Symbol *name);
bool read_type(TextReader *reader, Type *type);
/* A number of at most `most`. */
bool read_count(TextReader *reader, int most, int *count);
/* Reads a literal of a known type: `-1`, `0.5`, `true`. */
bool read_value(TextReader *reader, Type type, Bits *bits);
/* Reports the token found instead of `wanted`; returns false. */
bool reader_unexpected(TextReader *reader, const char *wanted);
const char *reader_token_text(TextReader *reader, const Token *token);
Symbol reader_token_symbol(TextReader *reader, const Token *token);
bool reader_token_type(const Token *token, Type *type);
/* `3`, `0.5`, `inf`, `nan`: numbers without sign; `inf` and `nan` only before a colon, unless a
 * value is wanted anyway. */
bool reader_is_number(TextReader *reader, bool value_wanted);
/* The number as a value of the type; false after reporting that it does not fit. */
bool reader_number_bits(TextReader *reader, Type type, const Token *token, bool negative,
                        Bits *bits);

Expr read_expr(TextReader *reader);
/* An expression that must have this type. */
Expr read_expr_of(TextReader *reader, Type type);

/* `i32` or `{i32, f32}`: at most `most` value types. */
bool read_types(TextReader *reader, Type *types, int most, int *count);

bool reader_declared_twice(TextReader *reader, Place place, const char *name);
bool reader_wrong_count(TextReader *reader, Place place, const char *what, const char *has,
                        const char *wanted);
/* A new name for a value; null after reporting. */
ReaderBinding *reader_bind(TextReader *reader, Symbol name, Type type, Place place);
bool reader_end_line(TextReader *reader);
/* Moves to the next line; false at the end of the text. */
bool reader_next_line(TextReader *reader);

/* The first line, and the lines `func ..` under it. */
bool read_header(TextReader *reader);
bool read_funcs(TextReader *reader);
/* Reads the rest of the line after the word `needs`. */
bool read_need(TextReader *reader, Need *need);
/* The statement's kind by its first word, which is taken; a store begins with a func and `[`. */
bool read_kind(TextReader *reader, StmtKind *kind);
/* Reads the rest of the statement's line. `binding` gets the binding for its body, or null. */
bool read_line(TextReader *reader, StmtKind kind, Stmt *stmt, const Stmt *parent,
               ReaderBinding **binding);

#endif
