/* parse.h -- the parser's own state, shared by parse*.c.
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
/* Takes a type, or a name that the expansion finds to be one: then `name->name` is not null. */
bool parser_expect_type(Parser *parser, Type *type, NameSyntax *name);
/* What is wanted where a type is. */
extern const char *const parser_type_words;
/* Reports that `wanted` was expected, and the token found. Returns false. */
bool parser_unexpected(Parser *parser, const char *wanted);
/* What to write in place of a word of another language (foreign.def); null if it is none. */
const char *parser_foreign(const Token *token, const char *wanted);
/* Is it a keyword, which cannot be a name? */
bool parser_is_keyword(const Token *token);

/* Is the next token the start of a block, `for` or `if`? */
bool parser_at_block(const Parser *parser);

/* Returns the range from the start of `from` to the end of `to`, if both are on one line. */
Place place_join(Place from, Place to);

/* ---- parse_expression.c ---- */

Syntax *parse_expression(Parser *parser);
/* Goes one level of recursion down; the caller comes back by `depth--`.  False after reporting. */
bool parser_enter(Parser *parser);
/* `g`, `g[k]`, `g[k].dx`: the name of a func; `what` describes it in the message. */
Syntax *parse_path(Parser *parser, const char *what);
/* `k in first..last by step`, from the name on. */
bool parse_range(Parser *parser, RangeSyntax *range);
/* The rest of `{ first, .. }`, from the comma on; `first` may be null, without a comma. */
Syntax *parse_tuple_rest(Parser *parser, Place start, Syntax *first);
/* Parses `( minimum , length )`. */
bool parse_interval(Parser *parser, Syntax **minimum, Syntax **length);
/* Parses a comma-separated list of expressions, and takes `close`. */
bool parse_list(Parser *parser, const char *close, Syntaxes *list);

/* ---- parse_block.c ---- */

/* Skips the rest of the statement. Stops before a brace that closes the surrounding block, and
 * before a line that begins with a word of another statement. */
void skip_statement(Parser *parser);
/* The same behind what began at `start` and could not be read; skips a token at least, so that a
 * loop over statements ends. */
void skip_failed(Parser *parser, Place start);
/* Does the next token begin a line, and is it a word that begins only other statements? With
 * `lets`, this includes `let` and `const`, which a func's body may also contain. */
bool parser_at_next_item(const Parser *parser, bool lets);
/* `for k in a..b { .. }`, `if c { .. } else { .. }`; `parse` reads one statement.  False after
 * reporting. */
typedef bool ParseStatement(Parser *parser, void *owner, ItemSyntaxes *items);
/* The statements between braces. */
bool parse_braces(Parser *parser, ParseStatement *parse, void *owner, ItemSyntaxes *items);
bool parse_block(Parser *parser, ParseStatement *parse, void *owner, ItemSyntaxes *items);

/* `(n = 8, f(_, ..c))` */
bool parse_formals(Parser *parser, FormalSyntaxes *formals);
/* `8, n = 4)`, from behind the opening parenthesis. */
bool parse_arguments(Parser *parser, ArgumentSyntaxes *arguments);
/* At `name =`, the start of a named argument? */
bool parser_at_named(const Parser *parser);
/* Is the next token `template` or `directive`, at the start of a declaration? */
bool parser_at_template(const Parser *parser);
/* `template name(..) { .. }`, `directive name(..) { .. }`; null after reporting. */
TemplateSyntax *parse_template(Parser *parser, ParseStatement *parse);
/* The name of a directive: words joined by hyphens without space. */
void parse_directive_name(Parser *parser, NameSyntax *name);

/* ---- parse_item.c ---- */

/* `let` or `const`. */
LetSyntax *parse_let(Parser *parser);
/* An item of a pipeline.  False after reporting. */
bool parse_item(Parser *parser, void *owner, ItemSyntaxes *items);
/* ---- parse_schedule.c ---- */

/* A directive, a constant or a block. */
bool parse_line(Parser *parser, void *owner, ItemSyntaxes *items);

ScheduleSyntax *parse_schedule(Parser *parser);

#endif
