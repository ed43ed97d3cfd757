/* parse_schedule.c -- parses schedules and their directives. */
#include "frontend/parse.h"

#include <string.h>

/* `compute-at`: words joined by hyphens without space. */
static void parse_directive_name(Parser *parser, NameSyntax *name) {
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

/* `<h, z0, s1, x>` */
static Syntax *parse_loop(Parser *parser) {
    Syntax *loop = arena_new(parser->arena, Syntax);
    loop->kind = SYNTAX_LOOP;
    loop->depth = 2;
    loop->place = parser_take(parser).place;
    do {
        Syntax *part = parse_path(parser, "a part of a loop's name <func, z0, s1, variable>");
        if (!part)
            return NULL;
        vec_push(parser->arena, &loop->children, part);
    } while (parser_accept(parser, ","));
    if (!parser_expect(parser, ">"))
        return NULL;
    loop->place = place_join(loop->place, parser->last);
    return loop;
}

static bool parse_directive(Parser *parser, ItemSyntaxes *items) {
    DirectiveSyntax *directive = arena_new(parser->arena, DirectiveSyntax);
    if (parser->tokens[0].kind != TOKEN_NAME)
        return parser_unexpected(parser, "a directive");
    parse_directive_name(parser, &directive->name);
    if (!parser_expect(parser, "("))
        return false;
    if (!parser_accept(parser, ")")) {
        do {
            Syntax *argument =
                parser_at(parser, "<") ? parse_loop(parser) : parse_expression(parser);
            if (!argument)
                return false;
            vec_push(parser->arena, &directive->arguments, argument);
        } while (parser_accept(parser, ","));
        if (!parser_expect(parser, ")"))
            return false;
    }
    if (!parser_at(parser, "}") && !parser_expect(parser, ";"))
        return false;
    vec_push(parser->arena, items, ((ItemSyntax){ITEM_DIRECTIVE, .directive = directive}));
    return true;
}

/* A directive, a constant or a block. */
static bool parse_line(Parser *parser, void *owner, ItemSyntaxes *items) {
    if (parser_at_block(parser))
        return parse_block(parser, parse_line, owner, items);
    if (!parser_at(parser, "const"))
        return parse_directive(parser, items);
    LetSyntax *let = parse_let(parser);
    if (let)
        vec_push(parser->arena, items, ((ItemSyntax){ITEM_LET, .let = let}));
    return let;
}

ScheduleSyntax *parse_schedule(Parser *parser) {
    ScheduleSyntax *schedule = arena_new(parser->arena, ScheduleSyntax);
    parser_take(parser);
    if (!parser_expect_name(parser, "a schedule's name", &schedule->name) ||
        !parser_expect(parser, "for") ||
        !parser_expect_name(parser, "a pipeline's name", &schedule->pipeline) ||
        !parser_expect(parser, "{"))
        return NULL;
    while (!parser_accept(parser, "}")) {
        if (parser->tokens[0].kind == TOKEN_END || parser_at(parser, "pipeline") ||
            parser_at(parser, "schedule")) {
            parser_unexpected(parser, "`}`");
            break;
        }
        if (!parse_line(parser, NULL, &schedule->items))
            skip_statement(parser);
    }
    return schedule;
}
