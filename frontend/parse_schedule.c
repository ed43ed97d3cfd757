/* parse_schedule.c -- parses schedules and their directives. */
#include "frontend/parse.h"

#include <string.h>

/* Parses `<h, z0, s1, x>`. */
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
    if (token_is(&parser->tokens[1], ".") &&
        !(parser_expect_name(parser, "a directive", &directive->package) &&
          parser_expect(parser, ".")))
        return false;
    if (parser->tokens[0].kind != TOKEN_NAME)
        return parser_unexpected(parser, "a directive");
    parse_directive_name(parser, &directive->name);
    if (!parser_expect(parser, "("))
        return false;
    if (!parser_accept(parser, ")")) {
        do {
            NameSyntax name = {0};
            if (parser_at_named(parser)) {
                if (!parser_expect_name(parser, "a parameter's name", &name))
                    return false;
                parser_take(parser);
            }
            vec_push(parser->arena, &directive->argument_names, name);
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

bool parse_line(Parser *parser, void *owner, ItemSyntaxes *items) {
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
        (parser_at(parser, "(") && !parse_formals(parser, &schedule->formals)) ||
        !parser_expect(parser, "for") ||
        !parser_expect_name(parser, "a pipeline's name", &schedule->pipeline))
        return NULL;
    if (parser_accept(parser, "extends") &&
        (!parser_expect_name(parser, "a schedule's name", &schedule->base) ||
         (parser_accept(parser, "(") && !parse_arguments(parser, &schedule->base_arguments))))
        return NULL;
    if (!parser_expect(parser, "{"))
        return NULL;
    while (!parser_accept(parser, "}")) {
        if (parser->tokens[0].kind == TOKEN_END || parser_at(parser, "pipeline") ||
            parser_at(parser, "schedule")) {
            parser_unexpected(parser, "`}`");
            break;
        }
        Place start = parser->tokens[0].place;
        if (!parse_line(parser, NULL, &schedule->items))
            skip_failed(parser, start);
    }
    return schedule;
}
