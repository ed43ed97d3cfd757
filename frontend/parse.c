/* parse.c -- parses declarations: files, pipelines, funcs, schedules. docs/language.md has the
 * grammar.
 *
 * Recovery: the parser skips a faulty statement to its end and continues, so one run reports the
 * faults of several statements. The end is a semicolon, or the brace that closes the surrounding
 * block; the parser counts braces inside the statement.
 */
#include "frontend/parse.h"
#include "ir/signature.h"

#include <string.h>

/* Does the next token begin a line, and is it a word that begins only other statements? With
 * `lets`, this includes `let` and `const`, which a func's body may also contain. */
static bool at_next_item(const Parser *parser, bool lets) {
    static const char *const starts[] = {"fun",      "require", "recurrence", "pipeline",
                                         "schedule", "import",  "let",        "const"};
    size_t count = sizeof starts / sizeof *starts - (lets ? 0 : 2);
    for (size_t i = 0; parser->tokens[0].line_before && i < count; i++)
        if (parser_at(parser, starts[i]))
            return true;
    return false;
}

/* Skips the rest of the statement. Stops before a brace that closes the surrounding block, and
 * before a line that begins with a word of another statement. */
static void skip_statement(Parser *parser) {
    size_t depth = 0;
    for (;;) {
        bool opens = parser_at(parser, "{"), closes = parser_at(parser, "}");
        bool ends = parser_at(parser, ";");
        if (parser->tokens[0].kind == TOKEN_END || (depth == 0 && closes) ||
            at_next_item(parser, true))
            return;
        parser_take(parser);
        depth += opens;
        depth -= closes;
        if (depth == 0 && (ends || closes))
            return;
    }
}

/* ---- lets, funcs, requirements ---- */

static bool parse_names(Parser *parser, const char *what, NameSyntaxes *names) {
    if (!parser_expect(parser, "("))
        return false;
    if (parser_accept(parser, ")"))
        return true;
    do {
        NameSyntax name;
        if (!parser_expect_name(parser, what, &name))
            return false;
        vec_push(parser->arena, names, name);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

static LetSyntax *parse_let(Parser *parser) {
    LetSyntax *let = arena_new(parser->arena, LetSyntax);
    let->is_constant = parser_at(parser, "const");
    parser_take(parser);
    if (!parser_expect_name(parser, let->is_constant ? "a constant's name" : "a name", &let->name))
        return NULL;
    if (!let->is_constant && parser_at(parser, "(") &&
        !parse_names(parser, "a parameter's name", &let->parameters))
        return NULL;
    if (let->parameters.length == 0 && parser_accept(parser, ":")) {
        let->has_type = true;
        if (!parser_expect_type(parser, &let->type))
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
    return parser_expect(parser, ")");
}

/* Parses `rdom(r = I; ..) in (e1, ..) <- e if p`. Only the arrow and its value are required. */
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
    if (!(stage->value = parse_expression(parser)))
        return NULL;
    if (parser_accept(parser, "if") && !(stage->predicate = parse_expression(parser)))
        return NULL;
    return stage;
}

/* Parses the braces of `fun f(x) = { .. }` after the opening one: stages and lets, or the rest of a
 * tuple if a comma follows the first expression. */
static bool parse_body(Parser *parser, FunSyntax *fun, Place start) {
    LetSyntaxes lets = {0};
    while (!parser_accept(parser, "}")) {
        if (parser->tokens[0].kind == TOKEN_END)
            return parser_expect(parser, "}");
        if (fun->is_broken && at_next_item(parser, false))
            return true; /* recovery skipped the closing brace */
        if (parser_at(parser, "let") || parser_at(parser, "const")) {
            LetSyntax *let = parse_let(parser);
            if (let) {
                vec_push(parser->arena, &lets, let);
            } else {
                fun->is_broken = true;
                skip_statement(parser);
            }
            continue;
        }
        StageSyntax *stage;
        if (fun->stages.length > 0) {
            stage = parse_update(parser);
        } else if (parser_at(parser, "rdom")) {
            return diag(parser->context, DIAG_FIRST_STAGE_IS_UPDATE, parser->tokens[0].place,
                        fun->name.name->text);
        } else {
            stage = arena_new(parser->arena, StageSyntax);
            stage->place = parser->tokens[0].place;
            stage->value = parse_expression(parser);
            if (stage->value && parser_at(parser, ",")) {
                Syntax *tuple = parse_tuple_rest(parser, start, stage->value);
                stage->value = tuple;
                stage->place = start;
                stage->lets = lets;
                vec_push(parser->arena, &fun->stages, stage);
                return tuple != NULL;
            }
            if (!stage->value)
                return false;
        }
        if (stage && (parser_at(parser, "}") || parser_expect(parser, ";"))) {
            stage->lets = lets;
            lets = (LetSyntaxes){0};
            vec_push(parser->arena, &fun->stages, stage);
        } else {
            skip_statement(parser);
            fun->is_broken = true;
        }
    }
    if (fun->stages.length == 0 && !fun->is_broken) {
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
        if (!parser_expect_type(parser, &type))
            return false;
        vec_push(parser->arena, &fun->types, type);
    } while (tuple && parser_accept(parser, ","));
    return !tuple || parser_expect(parser, "}");
}

/* Returns null after reporting and skipping the func. Keeps and marks a func with a fault in an
 * update, because its uses must not be reported as unknown. */
static FunSyntax *parse_fun(Parser *parser) {
    FunSyntax *fun = arena_new(parser->arena, FunSyntax);
    parser_take(parser);
    if (!parser_expect_name(parser, "a func's name", &fun->name))
        return skip_statement(parser), NULL;
    fun->is_broken = true;
    if (!parse_names(parser, "a pure variable", &fun->variables) ||
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
    vec_push(parser->arena, &fun->stages, stage);
    if (!stage->value || !parser_expect(parser, ";")) {
        fun->is_broken = true;
        skip_statement(parser);
    }
    return fun;
}

/* Returns null after reporting a fault in the head. Otherwise keeps every readable equation. */
static RecurrenceSyntax *parse_recurrence(Parser *parser) {
    RecurrenceSyntax *recurrence = arena_new(parser->arena, RecurrenceSyntax);
    recurrence->place = parser_take(parser).place;
    if (!parse_domain(parser, "a variable of the domain", &recurrence->domain) ||
        !parser_expect(parser, "{"))
        return NULL;
    while (!parser_accept(parser, "}")) {
        if (!parser_at(parser, "fun")) {
            parser_unexpected(parser, "`fun` or `}`");
            if (parser->tokens[0].kind == TOKEN_END || at_next_item(parser, false))
                break;
            parser_take(parser);
            skip_statement(parser);
            continue;
        }
        FunSyntax *fun = parse_fun(parser);
        if (fun)
            vec_push(parser->arena, &recurrence->funs, fun);
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

/* ---- pipelines ---- */

static bool parse_layout(Parser *parser, int *layout) {
    static const char *const words[] = {[LAYOUT_PLANAR] = "planar",
                                        [LAYOUT_INTERLEAVED] = "interleaved",
                                        [LAYOUT_STRIDED] = "strided"};
    for (*layout = 0; *layout < (int)(sizeof words / sizeof *words); ++*layout)
        if (parser_accept(parser, words[*layout]))
            return true;
    return parser_unexpected(parser, "`planar`, `interleaved` or `strided`");
}

static bool parse_image_type(Parser *parser, ParameterSyntax *parameter) {
    parameter->is_image = true;
    parser_take(parser);
    if (!parser_expect(parser, "<") || !parser_expect_type(parser, &parameter->type) ||
        !parser_expect(parser, ","))
        return false;
    if (parser->tokens[0].kind != TOKEN_INTEGER)
        return parser_unexpected(parser, "the number of dimensions");
    Token dimensions = parser_take(parser);
    parameter->dimensions = dimensions.integer;
    parameter->dimensions_place = dimensions.place;
    if (parser_accept(parser, ",") && !parse_layout(parser, &parameter->layout))
        return false;
    return parser_expect(parser, ">");
}

static bool parse_image(Parser *parser, ParameterSyntax *parameter) {
    parser->hint = "an image has the type of its elements and its number of dimensions: write "
                   "e.g. image<u8, 2>";
    bool good = parse_image_type(parser, parameter);
    parser->hint = NULL;
    return good;
}

static bool parse_parameter(Parser *parser, ParameterSyntax *parameter) {
    *parameter = (ParameterSyntax){0};
    if (!parser_expect_name(parser, "a parameter's name", &parameter->name) ||
        !parser_expect(parser, ":"))
        return false;
    if (parser_at(parser, "image"))
        return parse_image(parser, parameter);
    if (!parser_expect_type(parser, &parameter->type))
        return false;
    if (parser_accept(parser, "=") && !(parameter->default_value = parse_expression(parser)))
        return false;
    if (parser_accept(parser, "in"))
        return (parameter->lower = parse_expression(parser)) && parser_expect(parser, "..") &&
               (parameter->upper = parse_expression(parser));
    return true;
}

static bool parse_output(Parser *parser, PipelineSyntax *pipeline) {
    OutputSyntax output = {0};
    if (!parser_expect_name(parser, "an output's name", &output.name))
        return false;
    if (parser_accept(parser, ":")) {
        output.layout_place = parser->tokens[0].place;
        if (!parse_layout(parser, &output.layout))
            return false;
    }
    vec_push(parser->arena, &pipeline->outputs, output);
    return true;
}

static bool parse_outputs(Parser *parser, PipelineSyntax *pipeline) {
    if (!parser_accept(parser, "("))
        return parse_output(parser, pipeline);
    if (parser_accept(parser, ")"))
        return true;
    do {
        if (!parse_output(parser, pipeline))
            return false;
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")");
}

static bool parse_header(Parser *parser, PipelineSyntax *pipeline) {
    if (!parser_expect_name(parser, "a pipeline's name", &pipeline->name) ||
        !parser_expect(parser, "("))
        return false;
    if (!parser_accept(parser, ")")) {
        do {
            ParameterSyntax parameter;
            if (!parse_parameter(parser, &parameter))
                return false;
            vec_push(parser->arena, &pipeline->parameters, parameter);
        } while (parser_accept(parser, ","));
        if (!parser_expect(parser, ")"))
            return false;
    }
    if (!parser_expect(parser, "->") || !parse_outputs(parser, pipeline))
        return false;
    if (!parser_accept(parser, "with"))
        return true;
    do {
        if (parser_accept(parser, "contraction"))
            pipeline->contraction = true;
        else if (parser_accept(parser, "reassociation"))
            pipeline->reassociation = true;
        else {
            return parser_unexpected(parser, "`contraction` or `reassociation`");
        }
    } while (parser_accept(parser, ","));
    return true;
}

static bool parse_item(Parser *parser, PipelineSyntax *pipeline) {
    ItemSyntax item;
    bool good = true; /* parse_fun skips a func that it cannot read */
    if (parser_at(parser, "fun")) {
        item = (ItemSyntax){ITEM_FUN, .fun = parse_fun(parser)};
        pipeline->lacks_items |= !item.fun;
        if (!item.fun)
            return true;
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
        bool defines = parser->tokens[0].kind == TOKEN_NAME && token_is(&parser->tokens[1], "(");
        parser->hint = defines ? "the definition of a func begins with `fun`" : NULL;
        parser_unexpected(parser, "`fun`, `let`, `const`, `recurrence`, `require` or `}`");
        parser->hint = NULL;
        return false;
    }
    if (good)
        vec_push(parser->arena, &pipeline->items, item);
    return good;
}

static PipelineSyntax *parse_pipeline(Parser *parser) {
    PipelineSyntax *pipeline = arena_new(parser->arena, PipelineSyntax);
    parser_take(parser);
    bool whole = parse_header(parser, pipeline);
    while (!whole && parser->tokens[0].kind != TOKEN_END && !parser_at(parser, "{"))
        parser_take(parser);
    if (!parser_expect(parser, "{"))
        return NULL;
    while (!parser_accept(parser, "}")) {
        if (parser->tokens[0].kind == TOKEN_END || parser_at(parser, "pipeline") ||
            parser_at(parser, "schedule") || parser_at(parser, "import")) {
            parser_unexpected(parser, "`}`");
            break;
        }
        if (!parse_item(parser, pipeline)) {
            pipeline->lacks_items = true;
            skip_statement(parser);
        }
    }
    return whole ? pipeline : NULL;
}

/* ---- schedules ---- */

/* Parses a directive's name such as `compute-at`: words joined by hyphens without space. */
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

/* Parses `<h, z0, s1, x>`. */
static Syntax *parse_loop(Parser *parser) {
    Syntax *loop = arena_new(parser->arena, Syntax);
    loop->kind = SYNTAX_LOOP;
    loop->depth = 2;
    loop->place = parser_take(parser).place;
    do {
        NameSyntax name;
        if (!parser_expect_name(parser, "a part of a loop's name <func, z0, s1, variable>", &name))
            return NULL;
        Syntax *part = arena_new(parser->arena, Syntax);
        part->kind = SYNTAX_NAME;
        part->depth = 1;
        part->place = name.place;
        part->name = name.name;
        vec_push(parser->arena, &loop->children, part);
    } while (parser_accept(parser, ","));
    if (!parser_expect(parser, ">"))
        return NULL;
    loop->place = place_join(loop->place, parser->last);
    return loop;
}

static bool parse_directive(Parser *parser, ScheduleSyntax *schedule) {
    DirectiveSyntax directive = {0};
    if (parser->tokens[0].kind != TOKEN_NAME)
        return parser_unexpected(parser, "a directive");
    parse_directive_name(parser, &directive.name);
    if (!parser_expect(parser, "("))
        return false;
    if (!parser_accept(parser, ")")) {
        do {
            Syntax *argument =
                parser_at(parser, "<") ? parse_loop(parser) : parse_expression(parser);
            if (!argument)
                return false;
            vec_push(parser->arena, &directive.arguments, argument);
        } while (parser_accept(parser, ","));
        if (!parser_expect(parser, ")"))
            return false;
    }
    if (!parser_at(parser, "}") && !parser_expect(parser, ";"))
        return false;
    vec_push(parser->arena, &schedule->directives, directive);
    return true;
}

static ScheduleSyntax *parse_schedule(Parser *parser) {
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
        if (!parse_directive(parser, schedule))
            skip_statement(parser);
    }
    return schedule;
}

/* ---- files ---- */

static bool parse_import(Parser *parser, FileSyntax *file) {
    ImportSyntax import;
    parser_take(parser);
    import.place = parser->tokens[0].place;
    if (!parser_expect_string(parser, "a path in quotes", &import.path))
        return false;
    vec_push(parser->arena, &file->imports, import);
    return parser_expect(parser, ";");
}

static bool parse_declaration(Parser *parser, FileSyntax *file) {
    if (parser_at(parser, "import"))
        return parse_import(parser, file);
    if (parser_at(parser, "let") || parser_at(parser, "const")) {
        LetSyntax *let = parse_let(parser);
        if (let)
            vec_push(parser->arena, &file->lets, let);
        return let;
    }
    if (parser_at(parser, "pipeline")) {
        PipelineSyntax *pipeline = parse_pipeline(parser);
        if (pipeline)
            vec_push(parser->arena, &file->pipelines, pipeline);
        return pipeline;
    }
    if (parser_at(parser, "schedule")) {
        ScheduleSyntax *schedule = parse_schedule(parser);
        if (schedule)
            vec_push(parser->arena, &file->schedules, schedule);
        return schedule;
    }
    parser_unexpected(parser, "`pipeline`, `schedule`, `let`, `const` or `import`");
    parser_take(parser);
    return false;
}

FileSyntax *parse_file(Context *context, Arena *arena, uint32_t file) {
    Parser parser;
    parser_begin(&parser, context, arena, file);
    FileSyntax *syntax = arena_new(arena, FileSyntax);
    while (parser.tokens[0].kind != TOKEN_END)
        if (!parse_declaration(&parser, syntax)) {
            skip_statement(&parser);
            parser_accept(&parser, "}");
        }
    return syntax;
}

Syntax *parse_single_expression(Context *context, Arena *arena, uint32_t file) {
    Parser parser;
    parser_begin(&parser, context, arena, file);
    Syntax *syntax = parse_expression(&parser);
    if (syntax && parser.tokens[0].kind != TOKEN_END) {
        parser_unexpected(&parser, "the end of the expression");
        return NULL;
    }
    return syntax;
}
