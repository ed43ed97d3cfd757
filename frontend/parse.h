/* parse.h -- the parser's own state, shared by parse.c (declarations) and parse_expression.c.
 *
 * The parser is recursive-descent with four tokens of lookahead. A function that fails has reported
 * the fault and returns null (or false). A caller that can recover skips to the end of the
 * statement.
 */
#ifndef HLC_FRONTEND_PARSE_H
#define HLC_FRONTEND_PARSE_H

#include "base/lex.h"
#include "frontend/ast.h"

#define LOOKAHEAD 4

typedef struct Parser {
    Context *context;
    Arena *arena;
    Lexer lexer;
    Token tokens[LOOKAHEAD];                 /* tokens[0] is the next token */
    Place last;                              /* place of the last token taken */
    size_t depth;                            /* recursion depth */
    bool too_deep;                           /* the fault has been reported */
    uint32_t reported_line, reported_column; /* place of the last unexpected token, which is
                                                reported once */
    const char *hint; /* the remedy for an unexpected token; null: the page with the grammar */
} Parser;

void parser_begin(Parser *parser, Context *context, Arena *arena, uint32_t file);

/* Takes the next token. */
Token parser_take(Parser *parser);
/* Is the next token this punctuation or word? */
bool parser_at(const Parser *parser, const char *text);
/* Takes the next token if it is `text`. */
bool parser_accept(Parser *parser, const char *text);
/* Takes `text`, or reports. */
bool parser_expect(Parser *parser, const char *text);
bool parser_expect_string(Parser *parser, const char *what, const char **text);
/* Takes a name that is not a keyword; `what` describes its owner in the message. */
bool parser_expect_name(Parser *parser, const char *what, NameSyntax *name);
bool parser_expect_type(Parser *parser, Type *type);
/* Reports that `wanted` was expected, and the token found. Returns false. */
bool parser_unexpected(Parser *parser, const char *wanted);
/* Is it a keyword, which cannot be a name? */
bool parser_is_keyword(const Token *token);

/* Returns the range from the start of `from` to the end of `to`, if both are on one line. */
Place place_join(Place from, Place to);

Syntax *parse_expression(Parser *parser);
/* Parses the rest of `{ first, .. }` from the comma on. */
Syntax *parse_tuple_rest(Parser *parser, Place start, Syntax *first);
/* Parses `( minimum , length )`. */
bool parse_interval(Parser *parser, Syntax **minimum, Syntax **length);
/* Parses a comma-separated list of expressions, and takes `close`. */
bool parse_list(Parser *parser, const char *close, Syntaxes *list);

#endif
