/* parse_item.c -- parses the items of a pipeline: lets, funcs with their stages, recurrences,
 * requirements.
 */
#include "frontend/parse.h"

#include <string.h>

/* ---- lets, funcs, requirements ---- */

/* `spreads`: null, or whether the last is `..c`. */
static bool parse_names(Parser *parser, const char *what, NameSyntaxes *names, bool *spreads) {
    if (!parser_expect(parser, "("))
        return false;
    if (parser_accept(parser, ")"))
        return true;
    do {
        NameSyntax name;
        bool spreads_last = spreads && parser_accept(parser, "..");
        if (!parser_expect_name(parser, what, &name))
            return false;
        vec_push(parser->arena, names, name);
        if (spreads_last) {
            *spreads = true;
            break;
        }
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

LetSyntax *parse_let(Parser *parser) {
    LetSyntax *let = arena_new(parser->arena, LetSyntax);
    let->is_constant = parser_at(parser, "const");
    parser_take(parser);
    if (!parser_expect_name(parser, let->is_constant ? "a constant's name" : "a name", &let->name))
        return NULL;
    if (!let->is_constant && parser_at(parser, "(") &&
        !parse_names(parser, "a parameter's name", &let->parameters, NULL))
        return NULL;
    if (let->parameters.length == 0 && parser_accept(parser, ":")) {
        let->has_type = true;
        if (!parser_expect_type(parser, &let->type, &let->type_name))
            return NULL;
    }
    if (!parser_expect(parser, "=") || !(let->value = parse_expression(parser)))
        return NULL;
    if (!parser_expect(parser, ";"))
        skip_statement(parser); /* the let itself is complete, so its uses need no reports */
    return let;
}

/* Parses `(r = (minimum, length); ..)`. */
static bool parse_domain(Parser *parser, const char *what, ReductionSyntaxes *domain) {
    if (!parser_expect(parser, "("))
        return false;
    do {
        ReductionSyntax variable;
        if (!parser_expect_name(parser, what, &variable.variable) || !parser_expect(parser, "=") ||
            !parse_interval(parser, &variable.minimum, &variable.length))
            return false;
        vec_push(parser->arena, domain, variable);
    } while (parser_accept(parser, ";"));
    const char *hint = parser->hint;
    if (parser_at(parser, ","))
        parser->hint = "variables are separated by `;`: write `(r = (0, 3); s = (0, 3))`";
    bool is_closed = parser_expect(parser, ")");
    parser->hint = hint;
    return is_closed;
}

/* Parses `, (e1, ..) <- e`, the other writes of an update. */
static bool parse_writes(Parser *parser, StageSyntax *stage) {
    while (parser_accept(parser, ",")) {
        WriteSyntax write = {.place = parser->tokens[0].place};
        if (!parser_expect(parser, "(") || !parse_list(parser, ")", &write.indices) ||
            !parser_expect(parser, "<-") || !(write.value = parse_expression(parser)))
            return false;
        vec_push(parser->arena, &stage->more, write);
    }
    return true;
}

/* Parses `rdom(r = I; ..) in (e1, ..) <- e, .. if p`. Only the arrow and its value are required. */
static StageSyntax *parse_update(Parser *parser) {
    StageSyntax *stage = arena_new(parser->arena, StageSyntax);
    stage->place = parser->tokens[0].place;
    if (parser_accept(parser, "rdom") &&
        !(parse_domain(parser, "a reduction variable", &stage->reduction) &&
          parser_expect(parser, "in")))
        return NULL;
    stage->has_indices = parser_accept(parser, "(");
    if (stage->has_indices && !parse_list(parser, ")", &stage->indices))
        return NULL;
    if (!parser_at(parser, "<-")) {
        parser_unexpected(parser,
                          stage->has_indices ? "`<-`" : "an update: `rdom(..) in (..) <- ..`");
        return NULL;
    }
    parser_take(parser);
    if (!(stage->value = parse_expression(parser)) || !parse_writes(parser, stage))
        return NULL;
    if (parser_accept(parser, "if") && !(stage->predicate = parse_expression(parser)))
        return NULL;
    return stage;
}

static void add_stage(Parser *parser, StageSyntax *stage, ItemSyntaxes *items) {
    vec_push(parser->arena, items, ((ItemSyntax){ITEM_STAGE, .stage = stage}));
}

static bool parse_body_let(Parser *parser, ItemSyntaxes *items) {
    LetSyntax *let = parse_let(parser);
    if (let)
        vec_push(parser->arena, items, ((ItemSyntax){ITEM_LET, .let = let}));
    return let;
}

/* A let, or an update with its semicolon, in a block of a body. */
static bool parse_in_body(Parser *parser, void *fun, ItemSyntaxes *items) {
    (void)fun;
    if (parser_at(parser, "let") || parser_at(parser, "const"))
        return parse_body_let(parser, items);
    StageSyntax *stage = parse_update(parser);
    if (!stage || !(parser_at(parser, "}") || parser_expect(parser, ";")))
        return false;
    add_stage(parser, stage, items);
    return true;
}

/* The braces of `fun f(x) = { .. }`: stages, lets and blocks; or the rest of a tuple, if a comma
 * follows the first expression.  The opening brace has been taken. */
static bool parse_body(Parser *parser, FunSyntax *fun, Place start) {
    bool has_pure_stage = false;
    while (!parser_accept(parser, "}")) {
        if (parser->tokens[0].kind == TOKEN_END)
            return parser_expect(parser, "}");
        if (fun->is_broken && parser_at_next_item(parser, false))
            return true; /* recovery skipped the closing brace */
        bool is_let = parser_at(parser, "let") || parser_at(parser, "const");
        if (is_let || parser_at_block(parser)) {
            if (!(is_let ? parse_body_let(parser, &fun->body)
                         : parse_block(parser, parse_in_body, fun, &fun->body))) {
                fun->is_broken = true;
                skip_statement(parser);
            }
            continue;
        }
        StageSyntax *stage;
        if (has_pure_stage) {
            stage = parse_update(parser);
        } else if (parser_at(parser, "rdom")) {
            return diag(parser->context, DIAG_FIRST_STAGE_IS_UPDATE, parser->tokens[0].place,
                        fun->name.name->text);
        } else {
            stage = arena_new(parser->arena, StageSyntax);
            stage->place = parser->tokens[0].place;
            bool spreads = parser_at(parser, "..");
            if (!spreads)
                stage->value = parse_expression(parser);
            if (spreads || (stage->value && parser_at(parser, ","))) {
                stage->value = parse_tuple_rest(parser, start, stage->value);
                stage->place = start;
                add_stage(parser, stage, &fun->body);
                return stage->value != NULL;
            }
            if (!stage->value)
                return false;
        }
        if (stage && (parser_at(parser, "}") || parser_expect(parser, ";"))) {
            has_pure_stage = true;
            add_stage(parser, stage, &fun->body);
        } else {
            skip_statement(parser);
            fun->is_broken = true;
        }
    }
    if (!has_pure_stage && !fun->is_broken) {
        diag(parser->context, DIAG_NO_PURE_STAGE, start, fun->name.name->text);
        fun->is_broken = true;
    }
    return true;
}

static bool parse_declared_types(Parser *parser, FunSyntax *fun) {
    bool tuple = parser_accept(parser, "{");
    fun->has_types = true;
    do {
        Type type;
        NameSyntax name;
        if (!parser_expect_type(parser, &type, &name))
            return false;
        vec_push(parser->arena, &fun->types, type);
        vec_push(parser->arena, &fun->type_names, name);
    } while (tuple && parser_accept(parser, ","));
    return !tuple || parser_expect(parser, "}");
}

static bool parse_fun_name(Parser *parser, FunSyntax *fun) {
    Syntax *path = parse_path(parser, "a func's name"), *first = path;
    if (!path)
        return false;
    if (path->kind != SYNTAX_NAME)
        fun->path = path;
    while (first->kind != SYNTAX_NAME)
        first = first->children.data[0];
    fun->name = (NameSyntax){first->name, path->place};
    return true;
}

/* What stands behind the name.  After reporting it skips what belongs to the func.  A func with a fault in an update is
 * kept (marked), so that its uses are not reported as unknown. */
static FunSyntax *parse_fun_rest(Parser *parser, FunSyntax *fun) {
    fun->is_broken = true;
    if (!parse_names(parser, "a pure variable", &fun->variables, &fun->spreads_last) ||
        (parser_accept(parser, ":") && !parse_declared_types(parser, fun)))
        return skip_statement(parser), fun;
    if (fun->has_types && parser_accept(parser, ";"))
        return fun->is_broken = false, fun;
    if (!parser_expect(parser, "="))
        return skip_statement(parser), fun;
    fun->has_body = true;
    fun->is_broken = false;
    Place start = parser->tokens[0].place;
    if (parser_accept(parser, "{")) {
        if (parse_body(parser, fun, start))
            return parser_accept(parser, ";"), fun;
        /* The parser is still inside the braces: skip to their end. */
        fun->is_broken = true;
        while (parser->tokens[0].kind != TOKEN_END && !parser_at(parser, "}") &&
               !(parser->tokens[0].line_before && parser_is_keyword(&parser->tokens[0])))
            skip_statement(parser);
        parser_accept(parser, "}");
        parser_accept(parser, ";");
        return fun;
    }
    StageSyntax *stage = arena_new(parser->arena, StageSyntax);
    stage->place = start;
    stage->value = parse_expression(parser);
    add_stage(parser, stage, &fun->body);
    if (!stage->value || !parser_expect(parser, ";")) {
        fun->is_broken = true;
        skip_statement(parser);
    }
    return fun;
}

/* Null after reporting and skipping. */
static FunSyntax *parse_fun(Parser *parser) {
    FunSyntax *fun = arena_new(parser->arena, FunSyntax);
    parser_take(parser);
    if (!parse_fun_name(parser, fun))
        return skip_statement(parser), NULL;
    return parse_fun_rest(parser, fun);
}

static bool parse_in_recurrence(Parser *parser, void *recurrence, ItemSyntaxes *items) {
    (void)recurrence;
    if (!parser_at(parser, "fun"))
        return parser_unexpected(parser, "`fun` or `}`");
    FunSyntax *fun = parse_fun(parser);
    if (fun)
        vec_push(parser->arena, items, ((ItemSyntax){ITEM_FUN, .fun = fun}));
    return true; /* a func that fails has skipped what belongs to it */
}

/* Returns null after reporting a fault in the head. Otherwise keeps every readable equation. */
static RecurrenceSyntax *parse_recurrence(Parser *parser) {
    RecurrenceSyntax *recurrence = arena_new(parser->arena, RecurrenceSyntax);
    recurrence->place = parser_take(parser).place;
    if (!parse_domain(parser, "a variable of the domain", &recurrence->domain) ||
        !parser_expect(parser, "{"))
        return NULL;
    while (!parser_accept(parser, "}")) {
        if (parser_at_block(parser)) {
            if (!parse_block(parser, parse_in_recurrence, NULL, &recurrence->items))
                skip_statement(parser);
        } else if (!parse_in_recurrence(parser, NULL, &recurrence->items)) {
            if (parser->tokens[0].kind == TOKEN_END || parser_at_next_item(parser, false))
                break;
            parser_take(parser);
            skip_statement(parser);
        }
    }
    return recurrence;
}

static RequireSyntax *parse_require(Parser *parser) {
    RequireSyntax *require = arena_new(parser->arena, RequireSyntax);
    require->place = parser_take(parser).place;
    bool good = parser_expect(parser, "(") && (require->condition = parse_expression(parser)) &&
                parser_expect(parser, ",") &&
                parser_expect_string(parser, "a message in quotes", &require->message) &&
                parser_expect(parser, ")") && parser_expect(parser, ";");
    return good ? require : NULL;
}

/* ---- items ---- */

/* `= template(..);` behind the path of an instance. */
static bool parse_instance(Parser *parser, const FunSyntax *fun, ItemSyntaxes *items) {
    InstanceSyntax *instance = arena_new(parser->arena, InstanceSyntax);
    instance->name = fun->name;
    instance->path = fun->path;
    parser_take(parser);
    if (!parser_expect_name(parser, "a template's name", &instance->template))
        return false;
    if (parser_accept(parser, ".")) {
        instance->package = instance->template;
        if (!parser_expect_name(parser, "a template's name", &instance->template))
            return false;
    }
    if (!parser_expect(parser, "(") || !parse_arguments(parser, &instance->arguments) ||
        !parser_expect(parser, ";"))
        return false;
    vec_push(parser->arena, items, ((ItemSyntax){ITEM_INSTANCE, .instance = instance}));
    return true;
}

/* A func or an instance. */
static bool parse_fun_item(Parser *parser, ItemSyntaxes *items) {
    FunSyntax *fun = arena_new(parser->arena, FunSyntax);
    parser_take(parser);
    if (!parse_fun_name(parser, fun))
        return false;
    if (parser_at(parser, "="))
        return parse_instance(parser, fun, items);
    parse_fun_rest(parser, fun);
    vec_push(parser->arena, items, ((ItemSyntax){ITEM_FUN, .fun = fun}));
    return true; /* a func that fails has skipped what belongs to it */
}

bool parse_item(Parser *parser, void *owner, ItemSyntaxes *items) {
    ItemSyntax item;
    (void)owner;
    bool good;
    if (parser_at_block(parser))
        return parse_block(parser, parse_item, owner, items);
    if (parser_at(parser, "fun"))
        return parse_fun_item(parser, items);
    if (parser_at_template(parser) && parser_at(parser, "template")) {
        item = (ItemSyntax){ITEM_TEMPLATE, .template = parse_template(parser, parse_item)};
        good = item.template;
    } else if (parser_at(parser, "let") || parser_at(parser, "const")) {
        item = (ItemSyntax){ITEM_LET, .let = parse_let(parser)};
        good = item.let;
    } else if (parser_at(parser, "recurrence")) {
        item = (ItemSyntax){ITEM_RECURRENCE, .recurrence = parse_recurrence(parser)};
        good = item.recurrence;
    } else if (parser_at(parser, "require")) {
        item = (ItemSyntax){ITEM_REQUIRE, .require = parse_require(parser)};
        good = item.require;
    } else {
        bool is_name = parser->tokens[0].kind == TOKEN_NAME;
        if (is_name && token_is(&parser->tokens[1], "("))
            parser->hint = "the definition of a func begins with `fun`";
        else if (is_name && token_is(&parser->tokens[1], "="))
            parser->hint = "a name for a value is defined by `let`: `let a = 1;`";
        else if (is_name && token_is(&parser->tokens[1], "."))
            parser->hint = "directives stand in a schedule behind the pipeline: "
                           "`schedule s for p { vectorize(f.x, 8); }`";
        parser_unexpected(parser, "`fun`, `let`, `const`, `recurrence`, `require` or `}`");
        parser->hint = NULL;
        return false;
    }
    if (good)
        vec_push(parser->arena, items, item);
    return good;
}
