/* parse.c -- parses declarations: files and the heads of pipelines.  docs/language.md has the
 * grammar.
 */
#include "frontend/parse.h"
#include "ir/signature.h"

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
    if (!parser_expect(parser, "<") ||
        !parser_expect_type(parser, &parameter->type, &parameter->type_name) ||
        !parser_expect(parser, ","))
        return false;
    parameter->dimensions_place = parser->tokens[0].place;
    if (parser->tokens[0].kind == TOKEN_NAME) {
        if (!(parameter->static_dimensions = parse_path(parser, "the number of dimensions")))
            return false;
    } else if (parser->tokens[0].kind == TOKEN_INTEGER) {
        parameter->dimensions = parser_take(parser).integer;
    } else {
        return parser_unexpected(parser, "the number of dimensions");
    }
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

/* `{f32, f64}` behind `in`. */
static bool parse_choices(Parser *parser, ParameterSyntax *parameter) {
    parser_take(parser);
    do {
        Type type;
        NameSyntax name;
        Token token = parser->tokens[0];
        if (!parser_expect_type(parser, &type, &name))
            return false;
        if (!name.name)
            name = (NameSyntax){symbol_intern(&parser->context->symbols, token.text, token.length),
                                token.place};
        vec_push(parser->arena, &parameter->choices, name);
    } while (parser_accept(parser, ","));
    return parser_expect(parser, "}");
}

static bool parse_constant(Parser *parser, ParameterSyntax *parameter) {
    parameter->is_constant = true;
    parser_take(parser);
    if (!parser_expect_name(parser, "a parameter's name", &parameter->name))
        return false;
    if (parser_accept(parser, ":")) {
        parameter->is_type = parser_accept(parser, "type");
        parameter->has_type = !parameter->is_type;
        if (parameter->has_type &&
            !parser_expect_type(parser, &parameter->type, &parameter->type_name))
            return false;
    }
    if (parser_accept(parser, "=") && !(parameter->default_value = parse_expression(parser)))
        return false;
    if (!parser_accept(parser, "in"))
        return true;
    if (parser_at(parser, "{"))
        return parse_choices(parser, parameter);
    return (parameter->lower = parse_expression(parser)) && parser_expect(parser, "..") &&
           (parameter->upper = parse_expression(parser));
}

static bool parse_parameter(Parser *parser, ParameterSyntax *parameter) {
    *parameter = (ParameterSyntax){0};
    if (parser_at(parser, "const"))
        return parse_constant(parser, parameter);
    if (!parser_expect_name(parser, "a parameter's name", &parameter->name))
        return false;
    parser->hint = "the type stands behind the name: `n: i32`, `input: image<u8, 2>`";
    bool is_typed = parser_expect(parser, ":");
    parser->hint = NULL;
    if (!is_typed)
        return false;
    if (parser_at(parser, "image"))
        return parse_image(parser, parameter);
    if (!parser_expect_type(parser, &parameter->type, &parameter->type_name))
        return false;
    if (parser_accept(parser, "=") && !(parameter->default_value = parse_expression(parser)))
        return false;
    if (parser_accept(parser, "in"))
        return (parameter->lower = parse_expression(parser)) && parser_expect(parser, "..") &&
               (parameter->upper = parse_expression(parser));
    return true;
}

/* `(input.width / 2, (0, 3))` behind the name of an output. */
static bool parse_size(Parser *parser, OutputSyntax *output) {
    output->size_place = parser->tokens[0].place;
    if (!parser_accept(parser, "("))
        return true;
    output->has_size = true;
    if (!parser_accept(parser, ")")) {
        do {
            Syntax *extent = parse_expression(parser);
            if (!extent)
                return false;
            vec_push(parser->arena, &output->size, extent);
        } while (parser_accept(parser, ","));
        if (!parser_expect(parser, ")"))
            return false;
    }
    output->size_place = place_join(output->size_place, parser->last);
    return true;
}

static bool parse_output(Parser *parser, PipelineSyntax *pipeline) {
    OutputSyntax output = {0};
    Syntax *path = parse_path(parser, "an output's name");
    if (!path)
        return false;
    output.path = path->kind == SYNTAX_NAME ? NULL : path;
    output.name = (NameSyntax){path->name, path->place};
    if (!parse_size(parser, &output))
        return false;
    if (parser_accept(parser, ":")) {
        output.layout_place = parser->tokens[0].place;
        if (!parse_layout(parser, &output.layout))
            return false;
    }
    if (parser_accept(parser, "in") && !parser_expect_name(parser, "an image", &output.image))
        return false;
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
        size_t before = diag_error_count(parser->context);
        Place start = parser->tokens[0].place;
        if (!parse_item(parser, NULL, &pipeline->items))
            skip_failed(parser, start);
        pipeline->lacks_items |= diag_error_count(parser->context) > before;
    }
    return whole ? pipeline : NULL;
}

/* ---- files ---- */

static bool parse_import(Parser *parser, FileSyntax *file) {
    ImportSyntax import = {0};
    NameSyntax package;
    parser_take(parser);
    import.place = parser->tokens[0].place;
    if (parser->tokens[0].kind == TOKEN_NAME && parser_expect_name(parser, "a name", &package))
        import.package = package.name;
    else if (!parser_expect_string(parser, "a path in quotes, or the name of a package",
                                   &import.path))
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
    if (parser_at_template(parser)) {
        bool is_directive = parser_at(parser, "directive");
        TemplateSyntax *template = parse_template(parser, is_directive ? parse_line : parse_item);
        if (template && is_directive)
            vec_push(parser->arena, &file->commands, template);
        else if (template)
            vec_push(parser->arena, &file->templates, template);
        return template;
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
    while (parser.tokens[0].kind != TOKEN_END) {
        Place start = parser.tokens[0].place;
        if (!parse_declaration(&parser, syntax)) {
            skip_failed(&parser, start);
            parser_accept(&parser, "}");
        }
    }
    return syntax;
}

ScheduleSyntax *parse_schedule_use(Context *context, Arena *arena, uint32_t file) {
    Parser parser;
    parser_begin(&parser, context, arena, file);
    ScheduleSyntax *schedule = arena_new(arena, ScheduleSyntax);
    if (!parser_expect_name(&parser, "the name of a schedule", &schedule->base) ||
        !parser_expect(&parser, "(") || !parse_arguments(&parser, &schedule->base_arguments))
        return NULL;
    if (parser.tokens[0].kind != TOKEN_END) {
        parser_unexpected(&parser, "the end of the arguments");
        return NULL;
    }
    schedule->name = schedule->base;
    return schedule;
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
