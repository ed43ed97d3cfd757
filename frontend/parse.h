/* parse.h -- the parser's own state, shared by parse.c (declarations) and parse_expression.c.
 *
 * Recursive descent with four tokens of lookahead.  A function that fails has reported the fault
 * and returns null (or false).  A caller that can recover skips to the end of the statement.
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
    Token tokens[LOOKAHEAD];                 /* tokens[0] is the next */
    Place last;                              /* of the token taken last */
    size_t depth;                            /* of the recursion */
    bool too_deep;                           /* reported already */
    uint32_t reported_line, reported_column; /* of the last unexpected token: reported once */
} Parser;

void parser_begin(Parser *parser, Context *context, Arena *arena, uint32_t file);

/* Takes the next token. */
Token parser_take(Parser *parser);
/* Is the next token this punctuation or word? */
bool parser_at(const Parser *parser, const char *text);
/* Takes it if it is next. */
bool parser_accept(Parser *parser, const char *text);
/* Takes it or reports. */
bool parser_expect(Parser *parser, const char *text);
bool parser_expect_string(Parser *parser, const char *what, const char **text);
/* Takes a name that is not a keyword; `what` describes its owner in the message. */
bool parser_expect_name(Parser *parser, const char *what, NameSyntax *name);
bool parser_expect_type(Parser *parser, Type *type);
/* Reports that `wanted` was expected, and the token found. Returns false. */
bool parser_unexpected(Parser *parser, const char *wanted);
/* Is it a word of the language that cannot name anything? */
bool parser_is_keyword(const Token *token);

/* From the start of one to the end of the other, if on one line. */
Place place_join(Place from, Place to);

Syntax *parse_expression(Parser *parser);
/* The rest of `{ first, .. }`, from the comma on. */
Syntax *parse_tuple_rest(Parser *parser, Place start, Syntax *first);
/* `( minimum , length )` */
bool parse_interval(Parser *parser, Syntax **minimum, Syntax **length);
/* Parses expressions separated by commas, and takes `close`. */
bool parse_list(Parser *parser, const char *close, Syntaxes *list);

#endif
