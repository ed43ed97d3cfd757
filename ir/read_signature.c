/* read_signature.c -- reads the head of a program in the text form: inputs, outputs and funcs.
 *
 *     pipeline blur(input: image<u8, 2>, w: i32 = 3 in 0..64) -> (h)
 *       func f(x, y): i32
 *       func h(x, y): {i32, f32}
 */
#include "ir/reader.h"

bool reader_declared_twice(TextReader *reader, Place place, const char *name) {
    return diag(reader->context, DIAG_TEXT_TWICE, place, name);
}

bool reader_wrong_count(TextReader *reader, Place place, const char *what, const char *has,
                        const char *wanted) {
    return diag(reader->context, DIAG_TEXT_COUNT, place, what, has, wanted);
}

ReaderBinding *reader_bind(TextReader *reader, Symbol name, Type type, Place place) {
    if (map_get(&reader->bindings, name)) {
        reader_declared_twice(reader, place, name->text);
        return NULL;
    }
    ReaderBinding *binding = arena_new(reader->arena, ReaderBinding);
    *binding = (ReaderBinding){type, true};
    map_put(&reader->bindings, name, binding);
    return binding;
}

bool reader_end_line(TextReader *reader) {
    return reader_peek(reader)->kind == TOKEN_END ||
           reader_unexpected(reader, "the end of the line");
}

bool reader_next_line(TextReader *reader) {
    reader->line_started = false;
    return reader->token.kind != TOKEN_END;
}

static bool is_value_type(TextReader *reader, Type type, Place place) {
    if (!type_is_index(type))
        return true;
    return diag(reader->context, DIAG_TEXT_TYPE, place, "a value type", "index");
}

bool read_types(TextReader *reader, Type *types, int most, int *count) {
    *count = 0;
    bool tuple = reader_accept(reader, "{");
    do {
        if (*count == most)
            return reader_unexpected(reader, "`}`");
        Place place = reader_peek(reader)->place;
        if (!read_type(reader, &types[(*count)++]))
            return false;
        if (!is_value_type(reader, types[*count - 1], place))
            return false;
    } while (tuple && reader_accept(reader, ","));
    return !tuple || reader_expect(reader, "}");
}

/* Reads a layout. The text omits `planar`. */
static bool read_layout(TextReader *reader, Layout *layout) {
    bool is_interleaved = reader_accept(reader, "interleaved");
    *layout = is_interleaved ? LAYOUT_INTERLEAVED : LAYOUT_STRIDED;
    return is_interleaved || reader_expect(reader, "strided");
}

/* Reads the rest of `image<u8, 2, interleaved>` after `image`. */
static bool read_image(TextReader *reader, Symbol name, Place place) {
    ImageParameter image = {.name = name, .place = place};
    if (!reader_expect(reader, "<") || !read_type(reader, &image.type) ||
        !reader_expect(reader, ",") || !read_count(reader, MAX_IMAGE_DIMENSIONS, &image.dimensions))
        return false;
    if (reader_accept(reader, ",") && !read_layout(reader, &image.layout))
        return false;
    if (image.dimensions < 1 || type_is_index(image.type))
        return reader_wrong_count(reader, place, name->text,
                                  "at least 1 dimension and elements of a value type", "these");
    vec_push(reader->arena, &reader->signature->inputs,
             (InputRef){true, reader->signature->images.length});
    vec_push(reader->arena, &reader->signature->images, image);
    return reader_expect(reader, ">");
}

/* Reads `i32 = 3 in 0..64`. */
static bool read_parameter(TextReader *reader, Symbol name, Place place) {
    Parameter parameter = {.name = name, .place = place};
    Place type_place = reader_peek(reader)->place;
    if (!read_type(reader, &parameter.type) || !is_value_type(reader, parameter.type, type_place))
        return false;
    if (reader_accept(reader, "=")) {
        parameter.has_default = true;
        if (!read_value(reader, parameter.type, &parameter.default_value))
            return false;
    }
    if (reader_accept(reader, "in")) {
        parameter.has_range = true;
        if (!read_value(reader, parameter.type, &parameter.lower) || !reader_expect(reader, "..") ||
            !read_value(reader, parameter.type, &parameter.upper))
            return false;
    }
    vec_push(reader->arena, &reader->signature->inputs,
             (InputRef){false, reader->signature->parameters.length});
    vec_push(reader->arena, &reader->signature->parameters, parameter);
    return reader_bind(reader, name, parameter.type, place);
}

static bool read_input(TextReader *reader) {
    Place place = reader_peek(reader)->place;
    Symbol name;
    if (!read_name(reader, "the name of an input", &name) || !reader_expect(reader, ":"))
        return false;
    if (signature_image(reader->signature, name) || signature_parameter(reader->signature, name))
        return reader_declared_twice(reader, place, name->text);
    return reader_accept(reader, "image") ? read_image(reader, name, place)
                                          : read_parameter(reader, name, place);
}

static bool read_shared_image(TextReader *reader, Output *output) {
    return (read_name(reader, "the name of an image", &output->image) &&
            signature_image(reader->signature, output->image)) ||
           reader_unexpected(reader, "the name of an image");
}

static bool read_output(TextReader *reader) {
    Output output = {.place = reader_peek(reader)->place};
    if (!read_name(reader, "the name of an output", &output.func))
        return false;
    for (size_t i = 0; i < reader->signature->outputs.length; i++)
        if (reader->signature->outputs.data[i].func == output.func)
            return reader_declared_twice(reader, output.place, output.func->text);
    if (reader_accept(reader, ":") && !read_layout(reader, &output.layout))
        return false;
    if (reader_accept(reader, "in") && !read_shared_image(reader, &output))
        return false;
    vec_push(reader->arena, &reader->signature->outputs, output);
    return true;
}

/* Reads `(a, b, c)`; calls `read` for each element. */
static bool read_list(TextReader *reader, bool (*read)(TextReader *), size_t most) {
    if (!reader_expect(reader, "("))
        return false;
    for (size_t count = 0; !reader_sees(reader, ")"); count++) {
        if ((count && !reader_expect(reader, ",")) || !read(reader))
            return false;
        if (count == most)
            return reader_unexpected(reader, "no more than that");
    }
    return reader_expect(reader, ")");
}

/* Reads `in windows`, the window form, or nothing. */
static bool read_form(TextReader *reader) {
    reader->signature->windows = reader_accept(reader, "in");
    return (!reader->signature->windows || reader_expect(reader, "windows")) &&
           reader_end_line(reader);
}

bool read_header(TextReader *reader) {
    const Limits *limits = &reader->context->limits;
    if (!reader_expect(reader, "pipeline"))
        return false;
    reader->signature->place = reader_peek(reader)->place;
    return read_name(reader, "the pipeline's name", &reader->signature->name) &&
           read_list(reader, read_input, limits->parameters) && reader_expect(reader, "->") &&
           read_list(reader, read_output, limits->outputs) && read_form(reader);
}

static bool read_variables(TextReader *reader, FuncShape *func) {
    if (!reader_expect(reader, "("))
        return false;
    while (!reader_sees(reader, ")")) {
        Symbol name;
        if (func->dimensions == MAX_DIMENSIONS)
            return reader_unexpected(reader, "`)`");
        if (func->dimensions && !reader_expect(reader, ","))
            return false;
        Place place = reader_peek(reader)->place;
        if (!read_name(reader, "a variable", &name))
            return false;
        for (int k = 0; k < func->dimensions; k++)
            if (func->variables[k] == name)
                return reader_declared_twice(reader, place, name->text);
        func->variables[func->dimensions++] = name;
    }
    return reader_expect(reader, ")");
}

static bool is_output(const Signature *signature, Symbol name) {
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].func == name)
            return true;
    return false;
}

/* Reads `func f(x, y): i32`. */
static bool read_func(TextReader *reader) {
    FuncShape *func = arena_new(reader->arena, FuncShape);
    int most = (int)reader->context->limits.tuple_elements;
    func->types = arena_array(reader->arena, Type, most);
    Place place = reader->token.place;
    if (!reader_expect(reader, "func") || !read_name(reader, "the func's name", &func->name) ||
        !read_variables(reader, func) || !reader_expect(reader, ":") ||
        !read_types(reader, func->types, most, &func->components))
        return false;
    if (signature_func(reader->signature, func->name) ||
        signature_image(reader->signature, func->name))
        return reader_declared_twice(reader, place, func->name->text);
    func->is_output = is_output(reader->signature, func->name);
    if (func->is_output && func->dimensions > MAX_IMAGE_DIMENSIONS)
        return reader_wrong_count(reader, place, "an output", "at most 4 dimensions",
                                  arena_number(reader->arena, func->dimensions));
    vec_push(reader->arena, &reader->signature->funcs, func);
    map_put(&reader->signature->by_name, func->name, func);
    return reader_end_line(reader);
}

bool read_funcs(TextReader *reader) {
    while (reader_next_line(reader) && reader_sees(reader, "func")) {
        Token second = {0};
        Lexer ahead = reader->lexer;
        second = lex_next(&ahead);
        if (token_is(&second, "[")) /* a store to a func named `func` */
            break;
        if (!read_func(reader))
            return false;
    }
    for (size_t i = 0; i < reader->signature->outputs.length; i++) {
        Output output = reader->signature->outputs.data[i];
        if (!signature_func(reader->signature, output.func))
            return diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, output.place, output.func->text);
    }
    return true;
}
