/* reader.h -- inside the text form: what read_token.c (words) and read.c (expressions) give to
 * read_program.c.
 *
 * Every function that can fail returns false or null after the one report of the reading; nothing
 * is read after a fault.
 */
#ifndef HLC_IR_READER_H
#define HLC_IR_READER_H

#include "base/lex.h"
#include "ir/read.h"
#include "ir/walk.h"

/* A name that stands for a value: a parameter for good, a loop's or let's variable in its body. */
typedef struct Binding {
    Type type;
    bool in_scope;
} Binding;

/* A number whose type is that of its neighbour: f32 until there is one. */
typedef struct LooseNumber {
    Expr expr;
    Token token;
    bool negative;
} LooseNumber;
typedef Vec(LooseNumber) Loose;

typedef struct Reader {
    Pool *pool;
    Context *context;
    Arena *arena;
    Lexer lexer;
    Token token; /* the next one */
    Token end;   /* what is seen instead at the end of a line */
    bool by_lines, line_started;
    size_t nesting;
    Exprs shared;         /* %1, %2, .. of the statement being read */
    Loose loose;          /* outside programs: numbers with a point and without a type */
    Signature *signature; /* null outside programs, where names ask `name_type` */
    Map bindings;
    NameType *name_type;
    void *data;
} Reader;

Reader reader_begin(Pool *pool, Arena *arena, const char *text, size_t length, Place place);

/* The next token; the end of the line is an end. */
const Token *reader_peek(Reader *reader);
void reader_advance(Reader *reader);
bool reader_sees(Reader *reader, const char *punctuation);
bool reader_sees_name(Reader *reader, const char *name);
/* Takes the token if it is this one. */
bool reader_accept(Reader *reader, const char *punctuation);
bool reader_accept_name(Reader *reader, const char *name);
/* Takes the token or reports. */
bool reader_expect(Reader *reader, const char *punctuation);
bool reader_expect_name(Reader *reader, const char *name);
/* Any name that is not `?hole` or `%n`; `what` says in words what it should name. */
bool read_name(Reader *reader, const char *what, Symbol *name);
bool read_type(Reader *reader, Type *type);
/* A number of at most `most`. */
bool read_count(Reader *reader, int most, int *count);
/* A literal of a type that is known: `-1`, `0.5`, `true`. */
bool read_value(Reader *reader, Type type, Bits *bits);
/* Reports what stands there instead of `wanted`; false. */
bool reader_unexpected(Reader *reader, const char *wanted);
const char *reader_token_text(Reader *reader, const Token *token);
Symbol reader_token_symbol(Reader *reader, const Token *token);
bool reader_token_type(const Token *token, Type *type);
/* `3`, `0.5`, `inf`, `nan`: numbers without sign; `inf` and `nan` only before a colon, unless a
 * value is wanted anyway. */
bool reader_is_number(Reader *reader, bool value_wanted);
/* The number as a value of the type; false after reporting that it does not fit. */
bool reader_number_bits(Reader *reader, Type type, const Token *token, bool negative, Bits *bits);

Expr read_expr(Reader *reader);
/* An expression that must have this type. */
Expr read_expr_of(Reader *reader, Type type);

/* `i32` or `{i32, f32}`: at most `most` value types. */
bool read_types(Reader *reader, Type *types, int most, int *count);

bool reader_declared_twice(Reader *reader, Place place, const char *name);
bool reader_wrong_count(Reader *reader, Place place, const char *what, const char *has,
                        const char *wanted);
/* A new name for a value; null after reporting. */
Binding *reader_bind(Reader *reader, Symbol name, Type type, Place place);
bool reader_end_line(Reader *reader);
/* Moves to the next line; false at the end of the text. */
bool reader_next_line(Reader *reader);

/* The first line, and the lines `func ..` under it. */
bool read_header(Reader *reader);
bool read_funcs(Reader *reader);
/* What follows the word `needs`. */
bool read_need(Reader *reader, Need *need);
/* The statement's kind by its first word, which is taken; a store begins with a func and `[`. */
bool read_kind(Reader *reader, StmtKind *kind);
/* The rest of the statement's line.  `binding` is what it binds in its body, or null. */
bool read_line(Reader *reader, StmtKind kind, Stmt *stmt, const Stmt *parent, Binding **binding);

#endif
