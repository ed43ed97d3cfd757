/* parse_expression.c -- parses expressions by precedence climbing over the table of operators
 * (ops.def).
 *
 *   expression  = binary [ "?" expression ":" expression ]
 *   binary      = unary { infix unary }                      C's precedence
 *   unary       = ("-" | "!" | "~") unary | postfix
 *   postfix     = primary { "(" list ")" | "[" expression "]" | "." name | "." integer }
 *   list        = [element {"," element}]
 *   element     = expression {"for" range} ["if" expression] | ".." expression
 *               | expression ".." expression               in parentheses
 *   path        = name {"[" expression "]" | "_suffix" | "." name}
 *   primary     = number | "true" | "false" | name | type "(" expression ")"
 *               | conversion "<" type ">" "(" expression ")"
 *               | "(" expression ")" | "(" expression "," expression ")"
 *               | "{" list "}" | "[" list "]"
 *               | "extern" string "(" list ")"
 *               | reduction "(" name "in" interval {"," name "in" interval} ")" expression
 */
#include "frontend/parse.h"

#include <string.h>

static Syntax *create(Parser *parser, SyntaxKind kind, Place place) {
    Syntax *syntax = arena_new(parser->arena, Syntax);
    syntax->kind = kind;
    syntax->place = place;
    syntax->depth = 1;
    return syntax;
}

static void adopt(Parser *parser, Syntax *parent, Syntax *child) {
    vec_push(parser->arena, &parent->children, child);
    if (parent->depth <= child->depth)
        parent->depth = child->depth + 1;
}

/* Counts a level of recursion; reports when the limit is exceeded. */
bool parser_enter(Parser *parser) {
    if (parser->depth < parser->context->limits.nesting) {
        parser->depth++;
        return true;
    }
    if (!parser->too_deep) {
        char *limit = arena_number(parser->arena, parser->context->limits.nesting);
        diag(parser->context, DIAG_NESTING, parser->tokens[0].place, limit);
    }
    parser->too_deep = true;
    return false;
}

static Syntax *leave(Parser *parser, Syntax *syntax) {
    parser->depth--;
    return syntax;
}

bool parse_range(Parser *parser, RangeSyntax *range) {
    *range = (RangeSyntax){0};
    if (!parser_expect_name(parser, "a name for the values of the loop", &range->variable) ||
        !parser_expect(parser, "in") || !(range->first = parse_expression(parser)))
        return false;
    if (!parser_accept(parser, ".."))
        return true;
    return (range->last = parse_expression(parser)) &&
           (!parser_accept(parser, "by") || (range->step = parse_expression(parser)));
}

/* The rest of `e for k in a..b if c`, an element of a list. */
static Syntax *parse_comprehension(Parser *parser, Syntax *element) {
    Syntax *syntax = create(parser, SYNTAX_COMPREHENSION, element->place);
    syntax->comprehension = arena_new(parser->arena, ComprehensionSyntax);
    adopt(parser, syntax, element);
    while (parser_accept(parser, "for")) {
        RangeSyntax range;
        if (!parse_range(parser, &range))
            return NULL;
        vec_push(parser->arena, &syntax->comprehension->ranges, range);
    }
    if (parser_accept(parser, "if") &&
        !(syntax->comprehension->condition = parse_expression(parser)))
        return NULL;
    return syntax;
}

/* The rest of `first .. last`, a coordinate of a box. */
static Syntax *parse_range_rest(Parser *parser, Syntax *first) {
    parser_take(parser);
    Syntax *last = parse_expression(parser);
    if (!last)
        return NULL;
    Syntax *syntax = create(parser, SYNTAX_RANGE, place_join(first->place, parser->last));
    adopt(parser, syntax, first);
    adopt(parser, syntax, last);
    return syntax;
}

static Syntax *parse_element(Parser *parser, char close) {
    Place start = parser->tokens[0].place;
    bool spreads = parser_accept(parser, "..");
    Syntax *element = parse_expression(parser);
    if (!element)
        return NULL;
    if (spreads) {
        Syntax *syntax = create(parser, SYNTAX_SPREAD, place_join(start, parser->last));
        adopt(parser, syntax, element);
        return syntax;
    }
    if (close == ')' && parser_at(parser, ".."))
        return parse_range_rest(parser, element);
    return close == ']' && parser_at_block(parser) ? parse_comprehension(parser, element) : element;
}

bool parse_list(Parser *parser, const char *close, Syntaxes *list) {
    if (parser_accept(parser, close))
        return true;
    do {
        Syntax *element = parse_element(parser, *close);
        if (!element)
            return false;
        vec_push(parser->arena, list, element);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, close);
}

bool parse_interval(Parser *parser, Syntax **minimum, Syntax **length) {
    const char *hint = parser->hint;
    if (!parser_at(parser, "("))
        parser->hint = "an interval is `(minimum, length)`: `(-1, 3)` has -1, 0 and 1";
    bool is_open = parser_expect(parser, "(");
    parser->hint = hint;
    return is_open && (*minimum = parse_expression(parser)) && parser_expect(parser, ",") &&
           (*length = parse_expression(parser)) && parser_expect(parser, ")");
}

static Syntax *parse_children(Parser *parser, SyntaxKind kind, Place start, Syntax *first,
                              const char *close) {
    Syntax *syntax = create(parser, kind, start);
    if (first)
        adopt(parser, syntax, first);
    Syntaxes list = {0};
    if (!parse_list(parser, close, &list))
        return NULL;
    for (size_t i = 0; i < list.length; i++)
        adopt(parser, syntax, list.data[i]);
    syntax->place = place_join(start, parser->last);
    return syntax;
}

Syntax *parse_tuple_rest(Parser *parser, Place start, Syntax *first) {
    if (first)
        parser_take(parser);
    return parse_children(parser, SYNTAX_TUPLE, start, first, "}");
}

/* Parses `sum(r in (-w, 2*w + 1), s in (0, 3)) e`. The body extends as far as possible. */
static Syntax *parse_reduction(Parser *parser) {
    Token word = parser_take(parser);
    Syntax *syntax = create(parser, SYNTAX_REDUCE, word.place);
    syntax->name = symbol_intern(&parser->context->symbols, word.text, word.length);
    parser_take(parser);
    do {
        ReductionSyntax variable;
        if (!parser_expect_name(parser, "a reduction variable", &variable.variable) ||
            !parser_expect(parser, "in") ||
            !parse_interval(parser, &variable.minimum, &variable.length))
            return NULL;
        vec_push(parser->arena, &syntax->variables, variable);
        uint32_t depth = variable.minimum->depth > variable.length->depth ? variable.minimum->depth
                                                                          : variable.length->depth;
        syntax->depth = depth + 1 > syntax->depth ? depth + 1 : syntax->depth;
    } while (parser_accept(parser, ",") || parser_accept(parser, ";"));
    if (!parser_expect(parser, ")"))
        return NULL;
    Syntax *body = parse_expression(parser);
    if (!body)
        return NULL;
    adopt(parser, syntax, body);
    return syntax;
}

bool syntax_is_reduction(const char *name) {
    static const char *const names[] = {"sum", "product", "minimum", "maximum", "argmin", "argmax"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool at_reduction(const Parser *parser) {
    const Token *tokens = parser->tokens;
    char name[8] = "";
    if (tokens[0].length < sizeof name)
        memcpy(name, tokens[0].text, tokens[0].length);
    return syntax_is_reduction(name) && token_is(&tokens[1], "(") && tokens[2].kind == TOKEN_NAME &&
           token_is_name(&tokens[3], "in");
}

static Syntax *parse_converted(Parser *parser, Op op, Type type, Place start) {
    if (!parser_expect(parser, "("))
        return NULL;
    Syntax *operand = parse_expression(parser);
    if (!operand || !parser_expect(parser, ")"))
        return NULL;
    Syntax *syntax = create(parser, SYNTAX_CONVERT, place_join(start, parser->last));
    syntax->op = op;
    syntax->type = type;
    adopt(parser, syntax, operand);
    return syntax;
}

/* Parses `u8(e)`, `index(e)`, `u8_sat(e)` or `saturating_cast<u8>(e)`. Sets `*is` if the next
 * tokens are a conversion. */
static Syntax *parse_conversion(Parser *parser, bool *is) {
    static const struct {
        const char *text;
        Op op;
    } conversions[] = {{"cast", OP_CAST},
                       {"saturating_cast", OP_SATURATING_CAST},
                       {"reinterpret", OP_REINTERPRET}};
    Token word = parser->tokens[0];
    char name[16] = "";
    if (word.length < sizeof name)
        memcpy(name, word.text, word.length);
    *is = true;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (!strcmp(name, conversions[i].text) && token_is(&parser->tokens[1], "<")) {
            Type type;
            NameSyntax type_name;
            parser_take(parser);
            parser_take(parser);
            if (!parser_expect_type(parser, &type, &type_name) || !parser_expect(parser, ">"))
                return NULL;
            Syntax *converted = parse_converted(parser, conversions[i].op, type, word.place);
            if (converted)
                converted->name = type_name.name;
            return converted;
        }
    Type type;
    char *suffix = strstr(name, "_sat");
    bool saturates = suffix && suffix != name && !suffix[4];
    if (saturates)
        *suffix = '\0';
    if (token_is(&parser->tokens[1], "(") && type_from_name(name, &type) &&
        !(saturates && type_is_index(type))) {
        parser_take(parser);
        return parse_converted(parser, saturates ? OP_SATURATING_CAST : OP_CAST, type, word.place);
    }
    *is = false;
    return NULL;
}

/* `extern "name"(list)` */
static Syntax *parse_extern(Parser *parser) {
    Place start = parser_take(parser).place;
    Token name = parser_take(parser);
    if (!parser_expect(parser, "("))
        return NULL;
    Syntax *syntax = parse_children(parser, SYNTAX_EXTERN, start, NULL, ")");
    if (syntax)
        syntax->name = symbol_intern(&parser->context->symbols, name.text, name.length);
    return syntax;
}

static Syntax *parse_name(Parser *parser) {
    if (parser_at(parser, "true") || parser_at(parser, "false")) {
        Syntax *syntax = create(parser, SYNTAX_BOOL, parser->tokens[0].place);
        syntax->integer = parser_at(parser, "true");
        parser_take(parser);
        return syntax;
    }
    if (at_reduction(parser))
        return parse_reduction(parser);
    if (parser_at(parser, "extern") && parser->tokens[1].kind == TOKEN_STRING)
        return parse_extern(parser);
    bool is_conversion;
    Syntax *conversion = parse_conversion(parser, &is_conversion);
    if (is_conversion)
        return conversion;
    NameSyntax name;
    if (!parser_expect_name(parser, "an expression", &name))
        return NULL;
    Syntax *syntax = create(parser, SYNTAX_NAME, name.place);
    syntax->name = name.name;
    return syntax;
}

static Syntax *parse_parenthesized(Parser *parser) {
    Place start = parser_take(parser).place;
    Syntax *first = parse_expression(parser);
    if (!first)
        return NULL;
    if (!parser_accept(parser, ","))
        return parser_expect(parser, ")") ? first : NULL;
    Syntax *second = parse_expression(parser);
    if (!second || !parser_expect(parser, ")"))
        return NULL;
    Syntax *syntax = create(parser, SYNTAX_INTERVAL, place_join(start, parser->last));
    adopt(parser, syntax, first);
    adopt(parser, syntax, second);
    return syntax;
}

static Syntax *parse_primary(Parser *parser) {
    Token token = parser->tokens[0];
    switch (token.kind) {
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_INTEGER:
    case TOKEN_FLOAT: {
        parser_take(parser);
        Syntax *syntax =
            create(parser, token.kind == TOKEN_FLOAT ? SYNTAX_FLOAT : SYNTAX_INTEGER, token.place);
        syntax->integer = token.integer;
        syntax->text = arena_text(parser->arena, token.text, token.length);
        return syntax;
    }
    case TOKEN_PUNCTUATION:
        if (token_is(&token, "("))
            return parse_parenthesized(parser);
        if (token_is(&token, "{")) {
            parser_take(parser);
            return parse_children(parser, SYNTAX_TUPLE, token.place, NULL, "}");
        }
        if (token_is(&token, "[")) {
            parser_take(parser);
            return parse_children(parser, SYNTAX_LIST, token.place, NULL, "]");
        }
        break;
    case TOKEN_END:
    case TOKEN_STRING:
    case TOKEN_ERROR:
        break;
    }
    parser_unexpected(parser, "an expression");
    return NULL;
}

static Syntax *parse_member(Parser *parser, Syntax *base) {
    Token token = parser->tokens[0];
    Syntax *syntax = create(parser, SYNTAX_MEMBER, base->place);
    adopt(parser, syntax, base);
    if (token.kind == TOKEN_INTEGER) {
        syntax->kind = SYNTAX_COMPONENT;
        syntax->integer = token.integer;
        parser_take(parser);
    } else if (token.kind == TOKEN_NAME) {
        syntax->name = symbol_intern(&parser->context->symbols, token.text, token.length);
        parser_take(parser);
    } else {
        parser_unexpected(parser, "a name or a component's number after `.`");
        return NULL;
    }
    syntax->place = place_join(base->place, token.place);
    return syntax;
}

/* Parses `[i]`. `[i, j]` means `[i][j]`. */
static Syntax *parse_subscript(Parser *parser, Syntax *base) {
    do {
        Syntax *syntax = create(parser, SYNTAX_SUBSCRIPT, base->place);
        Syntax *index = parse_expression(parser);
        if (!index)
            return NULL;
        adopt(parser, syntax, base);
        adopt(parser, syntax, index);
        syntax->place = place_join(base->place, parser->last);
        base = syntax;
    } while (base->depth <= parser->context->limits.nesting && parser_accept(parser, ","));
    return parser_expect(parser, "]") ? base : NULL;
}

/* `_sum` behind `g[3]`: the name of a func that the compiler makes of the member. */
static bool at_suffix(const Parser *parser, const Syntax *base) {
    const Token *token = &parser->tokens[0];
    return base->kind == SYNTAX_SUBSCRIPT && token->kind == TOKEN_NAME && !token->space_before &&
           *token->text == '_';
}

static Syntax *parse_suffix(Parser *parser, Syntax *base) {
    Token token = parser_take(parser);
    Syntax *syntax = create(parser, SYNTAX_SUFFIX, place_join(base->place, token.place));
    adopt(parser, syntax, base);
    syntax->name = symbol_intern(&parser->context->symbols, token.text, token.length);
    return syntax;
}

/* Is the tree at its depth's limit?  Then reports it. */
static bool is_too_deep(Parser *parser, const Syntax *base) {
    if (base->depth <= parser->context->limits.nesting)
        return false;
    parser->depth += parser->context->limits.nesting;
    parser_enter(parser);
    parser->depth -= parser->context->limits.nesting;
    return true;
}

Syntax *parse_path(Parser *parser, const char *what) {
    NameSyntax name;
    if (!parser_expect_name(parser, what, &name))
        return NULL;
    Syntax *base = create(parser, SYNTAX_NAME, name.place);
    base->name = name.name;
    while (base) {
        if (is_too_deep(parser, base))
            return NULL;
        if (at_suffix(parser, base))
            base = parse_suffix(parser, base);
        else if (parser_accept(parser, "["))
            base = parse_subscript(parser, base);
        else if (parser_at(parser, ".") && parser->tokens[1].kind == TOKEN_NAME)
            base = (parser_take(parser), parse_member(parser, base));
        else
            break;
    }
    return base;
}

static Syntax *parse_postfix(Parser *parser) {
    Syntax *base = parse_primary(parser);
    while (base) {
        if (is_too_deep(parser, base))
            return NULL;
        if (at_suffix(parser, base)) {
            base = parse_suffix(parser, base);
        } else if (parser_accept(parser, "(")) {
            base = parse_children(parser, SYNTAX_CALL, base->place, base, ")");
        } else if (parser_accept(parser, "[")) {
            base = parse_subscript(parser, base);
        } else if (parser_accept(parser, ".")) {
            base = parse_member(parser, base);
        } else {
            break;
        }
    }
    return base;
}

static Syntax *parse_unary(Parser *parser) {
    Token token = parser->tokens[0];
    Op op = token.kind == TOKEN_PUNCTUATION ? op_find(token.text, token.length, FORM_PREFIX, 1)
                                            : OP_COUNT;
    if (op == OP_COUNT)
        return parse_postfix(parser);
    if (!parser_enter(parser))
        return NULL;
    parser_take(parser);
    Syntax *operand = parse_unary(parser);
    if (!operand)
        return leave(parser, NULL);
    Syntax *syntax = create(parser, SYNTAX_OPERATOR, place_join(token.place, operand->place));
    syntax->op = op;
    adopt(parser, syntax, operand);
    return leave(parser, syntax);
}

/* Returns the next infix operator; OP_COUNT if there is none. */
static Op next_infix(Parser *parser) {
    const Token *token = &parser->tokens[0];
    if (token_is(token, "<-")) {
        diag(parser->context, DIAG_ARROW_IN_EXPRESSION, token->place);
        parser->reported_line = token->place.line;
        parser->reported_column = token->place.column;
        return OP_COUNT;
    }
    if (token->kind == TOKEN_NAME)
        return token_is_name(token, "div")   ? OP_DIV
               : token_is_name(token, "mod") ? OP_MOD
                                             : OP_COUNT;
    return token->kind == TOKEN_PUNCTUATION ? op_find(token->text, token->length, FORM_INFIX, 2)
                                            : OP_COUNT;
}

static Syntax *parse_binary(Parser *parser, int precedence) {
    if (!parser_enter(parser))
        return NULL;
    Syntax *left = parse_unary(parser);
    while (left) {
        Op op = next_infix(parser);
        if (op == OP_COUNT || op_info(op)->precedence < precedence)
            break;
        Place place = parser_take(parser).place;
        Syntax *right = parse_binary(parser, op_info(op)->precedence + 1);
        if (!right)
            return leave(parser, NULL);
        Syntax *syntax = create(parser, SYNTAX_OPERATOR, place);
        syntax->op = op;
        adopt(parser, syntax, left);
        adopt(parser, syntax, right);
        /* The loop follows the left spine, so the spine adds no depth. */
        syntax->depth = left->depth > right->depth + 1 ? left->depth : right->depth + 1;
        left = syntax;
    }
    return leave(parser, left);
}

Syntax *parse_expression(Parser *parser) {
    Syntax *condition = parse_binary(parser, 1);
    if (!condition || !parser_at(parser, "?"))
        return condition;
    parser->depth++; /* needs no check: the condition was as deep */
    Place place = parser_take(parser).place;
    Syntax *yes = parse_expression(parser);
    Syntax *no = yes && parser_expect(parser, ":") ? parse_expression(parser) : NULL;
    if (!no)
        return leave(parser, NULL);
    Syntax *syntax = create(parser, SYNTAX_OPERATOR, place);
    syntax->op = OP_SELECT;
    adopt(parser, syntax, condition);
    adopt(parser, syntax, yes);
    adopt(parser, syntax, no);
    return leave(parser, syntax);
}
