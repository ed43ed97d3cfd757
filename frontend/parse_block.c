/* parse_block.c -- parses what may contain any statements: blocks, templates, directives of the
 * user's.
 *
 * Recovery: the parser skips a faulty statement to its end and continues, so one run reports the
 * faults of several statements. The end is a semicolon, or the brace that closes the surrounding
 * block; the parser counts braces inside the statement. `{..} else {..};` is one statement.
 */
#include "frontend/parse.h"

#include <string.h>

bool parser_at_next_item(const Parser *parser, bool lets) {
    static const char *const starts[] = {"fun",      "require", "recurrence", "pipeline",
                                         "schedule", "import",  "let",        "const"};
    size_t count = sizeof starts / sizeof *starts - (lets ? 0 : 2);
    for (size_t i = 0; parser->tokens[0].line_before && i < count; i++)
        if (parser_at(parser, starts[i]))
            return true;
    return false;
}

void skip_statement(Parser *parser) {
    size_t depth = 0;
    for (;;) {
        bool opens = parser_at(parser, "{"), closes = parser_at(parser, "}");
        bool ends = parser_at(parser, ";");
        if (parser->tokens[0].kind == TOKEN_END || (depth == 0 && closes) ||
            parser_at_next_item(parser, true))
            return;
        parser_take(parser);
        depth += opens;
        depth -= closes;
        if (depth > 0 || parser_at(parser, "else") || !(ends || closes))
            continue;
        if (closes)
            parser_accept(parser, ";");
        return;
    }
}

void skip_failed(Parser *parser, Place start) {
    skip_statement(parser);
    const Token *next = &parser->tokens[0];
    bool is_stuck = next->place.line == start.line && next->place.column == start.column;
    if (is_stuck && next->kind != TOKEN_END && !parser_at(parser, "}"))
        parser_take(parser);
}

/* ---- blocks ---- */

bool parse_braces(Parser *parser, ParseStatement *parse, void *owner, ItemSyntaxes *items) {
    if (!parser_expect(parser, "{"))
        return false;
    while (!parser_accept(parser, "}")) {
        bool is_lost = parser_at(parser, "pipeline") || parser_at(parser, "schedule") ||
                       parser_at(parser, "import");
        if (parser->tokens[0].kind == TOKEN_END || is_lost)
            return parser_unexpected(parser, "`}`");
        Place place = parser->tokens[0].place;
        bool good = parser_at_block(parser) ? parse_block(parser, parse, owner, items)
                                            : parse(parser, owner, items);
        if (!good && !parser->too_deep)
            skip_statement(parser);
        Place next = parser->tokens[0].place;
        bool is_stuck = !good && next.line == place.line && next.column == place.column;
        if (parser->too_deep || is_stuck) /* the closing brace was lost in what was skipped */
            return false;
    }
    return true;
}

bool parse_block(Parser *parser, ParseStatement *parse, void *owner, ItemSyntaxes *items) {
    if (!parser_enter(parser))
        return false;
    BlockSyntax *block = arena_new(parser->arena, BlockSyntax);
    block->is_loop = parser_at(parser, "for");
    block->place = parser_take(parser).place;
    bool good = block->is_loop ? parse_range(parser, &block->range)
                               : (block->condition = parse_expression(parser)) != NULL;
    good = good && parse_braces(parser, parse, owner, &block->items);
    if (good && !block->is_loop && parser_accept(parser, "else"))
        good = parser_at_block(parser) ? parse_block(parser, parse, owner, &block->otherwise)
                                       : parse_braces(parser, parse, owner, &block->otherwise);
    parser->depth--;
    if (good)
        vec_push(parser->arena, items, ((ItemSyntax){ITEM_BLOCK, .block = block}));
    return good;
}

/* ---- templates, directives of the user's, and what they take ---- */

/* `f(_, _, ..c)` behind the name. */
static bool parse_pattern(Parser *parser, FormalSyntax *formal) {
    formal->has_pattern = true;
    do {
        if (parser_accept(parser, "..")) {
            if (!parser_expect_name(parser, "a name for the other dimensions", &formal->rest))
                return false;
            break;
        }
        if (!parser_accept(parser, "_"))
            return parser_unexpected(parser, "`_` or `..`");
        formal->blanks++;
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

bool parse_formals(Parser *parser, FormalSyntaxes *formals) {
    if (!parser_expect(parser, "("))
        return false;
    if (parser_accept(parser, ")"))
        return true;
    do {
        FormalSyntax formal = {0};
        if (!parser_expect_name(parser, "a parameter's name", &formal.name))
            return false;
        if (parser_accept(parser, "(") && !parse_pattern(parser, &formal))
            return false;
        if (parser_accept(parser, "=") && !(formal.default_value = parse_expression(parser)))
            return false;
        vec_push(parser->arena, formals, formal);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

bool parser_at_named(const Parser *parser) {
    return parser->tokens[0].kind == TOKEN_NAME && token_is(&parser->tokens[1], "=");
}

bool parse_arguments(Parser *parser, ArgumentSyntaxes *arguments) {
    if (parser_accept(parser, ")"))
        return true;
    do {
        ArgumentSyntax argument = {0};
        if (parser_at_named(parser)) {
            if (!parser_expect_name(parser, "a parameter's name", &argument.name))
                return false;
            parser_take(parser);
        }
        if (!(argument.value = parse_expression(parser)))
            return false;
        vec_push(parser->arena, arguments, argument);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

void parse_directive_name(Parser *parser, NameSyntax *name) {
    char text[64] = "";
    size_t length = 0;
    name->place = parser->tokens[0].place;
    do {
        Token word = parser_take(parser);
        if (length + word.length + 2 < sizeof text) {
            memcpy(text + length, word.text, word.length);
            length += word.length;
        }
        name->place = place_join(name->place, word.place);
        if (!parser_at(parser, "-") || parser->tokens[1].kind != TOKEN_NAME)
            break;
        parser_take(parser);
        text[length++] = '-';
    } while (length + 2 < sizeof text);
    name->name = symbol_intern(&parser->context->symbols, text, length);
}

bool parser_at_template(const Parser *parser) {
    return (parser_at(parser, "template") || parser_at(parser, "directive")) &&
           parser->tokens[1].kind == TOKEN_NAME;
}

TemplateSyntax *parse_template(Parser *parser, ParseStatement *parse) {
    TemplateSyntax *template = arena_new(parser->arena, TemplateSyntax);
    bool is_directive = parser_at(parser, "directive");
    parser_take(parser);
    if (is_directive)
        parse_directive_name(parser, &template->name);
    else if (!parser_expect_name(parser, "a template's name", &template->name))
        return NULL;
    bool good = parse_formals(parser, &template->formals) &&
                parse_braces(parser, parse, NULL, &template->items);
    return good ? template : NULL;
}
