/* header.c -- writes the C and C++ header of a compiled pipeline.
 *
 * A parameter of a prototype has the source's name with an underscore appended, so it is never a
 * keyword. The same pipeline under the same schedule gives the same text.
 */
#include "library/show/contract.h"

#include "ir/extern.h"
#include "ir/value.h"
#include "runtime/hlc_runtime.h"

#include <ctype.h>
#include <string.h>

/* One argument of NAME. */
typedef struct HeaderArgument {
    const char *name; /* the source's: `out.1` */
    const char *identifier;
    const char *type;  /* C's */
    const char *about; /* one line */
} HeaderArgument;

typedef struct HeaderText {
    hlc *h;
    FILE *out;
    Arena *arena;
    const Program *program;
    const Signature *signature;
    Vec(HeaderArgument) arguments;
} HeaderText;

/* ---- arguments ---- */

static bool is_taken(const HeaderText *header, const char *identifier) {
    for (size_t i = 0; i < header->arguments.length; i++)
        if (strcmp(header->arguments.data[i].identifier, identifier) == 0)
            return true;
    return false;
}

static const char *identifier_of(const HeaderText *header, const char *name) {
    char *text = arena_format(header->arena, "%s_", name);
    char *end = text;
    for (const char *at = text; *at; at++) /* `g[3].dx` is g_3_dx */
        if (isalnum((unsigned char)*at) || *at == '_')
            *end++ = *at;
        else if (*at != ']')
            *end++ = '_';
    *end = 0;
    while (is_taken(header, text))
        text = arena_format(header->arena, "%s_", text);
    return text;
}

static void add_argument(HeaderText *header, const char *name, const char *type,
                         const char *about) {
    HeaderArgument argument = {name, identifier_of(header, name), type, about};
    vec_push(header->arena, &header->arguments, argument);
}

/* "uint8_t"; a bool is a byte. */
static const char *scalar_type(Arena *arena, Type type) {
    if (type_is_short_float(type))
        return "uint16_t";
    if (type_is_float(type))
        return type.bits == 32 ? "float" : "double";
    hlc_assert(!type_is_index(type), "a parameter is of a machine type");
    return arena_format(arena, "%sint%d_t", type.kind == TYPE_INT ? "" : "u",
                        type_is_bool(type) ? 8 : type.bits);
}

static void add_parameter(HeaderText *header, const Parameter *parameter) {
    Type type = parameter->type;
    const char *about = arena_format(header->arena, "%s", type_name(type));
    if (parameter->has_range)
        about = arena_format(header->arena, "%s in %s..%s", about,
                             text_value(header->arena, type, parameter->lower),
                             text_value(header->arena, type, parameter->upper));
    if (parameter->has_default)
        about = arena_format(header->arena, "%s, by default %s", about,
                             text_value(header->arena, type, parameter->default_value));
    if (type_is_bool(type))
        about = arena_format(header->arena, "%s: any byte but 0 is true", about);
    add_argument(header, parameter->name->text, scalar_type(header->arena, type), about);
}

static void add_image(HeaderText *header, const ImageParameter *image) {
    static const char *const layouts[] = {[LAYOUT_PLANAR] = "stride(0) = 1",
                                          [LAYOUT_INTERLEAVED] =
                                              "interleaved: stride(2) = 1, stride(0) = extent(2)",
                                          [LAYOUT_STRIDED] = "any strides"};
    add_argument(header, image->name->text, "struct halide_buffer_t *",
                 arena_format(header->arena, "%s; %s",
                              arguments_image_text(header->arena, image->type, image->dimensions),
                              layouts[image->layout]));
}

static void add_output(HeaderText *header, const Output *output) {
    static const char *const fastest[] = {[LAYOUT_PLANAR] = "stride(0) = 1 is fastest",
                                          [LAYOUT_INTERLEAVED] = "interleaved is fastest",
                                          [LAYOUT_STRIDED] = "stride(0) = 1 is fastest"};
    const FuncShape *func = signature_func(header->signature, output->func);
    for (int c = 0; c < func->components; c++) {
        const char *name = func->name->text;
        if (func->components > 1)
            name = arena_format(header->arena, "%s.%d", name, c);
        add_argument(
            header, name, "struct halide_buffer_t *",
            arena_format(header->arena, "output: %s; any strides, %s%s%s",
                         arguments_image_text(header->arena, func->types[c], func->dimensions),
                         fastest[output->layout], output->image ? "; may be the memory of " : "",
                         output->image ? output->image->text : ""));
    }
}

static void collect(HeaderText *header) {
    const Signature *signature = header->signature;
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        if (input.is_image)
            add_image(header, &signature->images.data[input.index]);
        else
            add_parameter(header, &signature->parameters.data[input.index]);
    }
    for (size_t i = 0; i < signature->outputs.length; i++)
        add_output(header, &signature->outputs.data[i]);
}

/* ---- the text ---- */

/* Writes the sizes on which it runs, and its memory. */
static void put_contract(const HeaderText *header, const char *schedule) {
    ContractReport report = {.out = header->out,
                             .arena = header->arena,
                             .context = header->program->pool->context,
                             .signature = header->signature,
                             .schedule = schedule};
    contract_report_values(header->h, &report, " * ");
    Contract contract = contract_of(header->program, header->arena);
    Footprint footprint = footprint_of(header->program, header->arena);
    contract_report_comment(&report, &contract, &footprint, " * ");
}

/* Writes the prototypes of the C functions that the object calls. */
static void put_externs(const HeaderText *header) {
    Arena *arena = header->arena;
    ExternStores stores = extern_stores(header->program, arena);
    if (stores.length)
        fputs(" *\n * The object calls C functions, which the program must define "
              "(docs/runtime.md):\n",
              header->out);
    for (size_t i = 0; i < stores.length; i++) {
        Expr call = stores.data[i]->store.values[0];
        ExternParts parts = extern_parts(arena, call);
        fprintf(header->out, " *   int %s(", call->name->text);
        for (size_t p = 0; p < parts.length; p++)
            fprintf(header->out, "%s, ",
                    parts.data[p].scalar ? scalar_type(arena, parts.data[p].scalar->type)
                                         : "halide_buffer_t *");
        for (int c = 0; c < stores.data[i]->store.func->components; c++)
            fprintf(header->out, "%shalide_buffer_t *%s", c ? ", " : "",
                    c + 1 == stores.data[i]->store.func->components ? ");\n" : "");
    }
}

static void put_comment(const HeaderText *header, const char *schedule, bool needs_sleef) {
    const char *name = header->signature->name->text;
    int width = 0;
    for (size_t i = 0; i < header->arguments.length; i++) {
        int length = (int)strlen(header->arguments.data[i].name);
        width = length > width && length <= 24 ? length : width;
    }
    fprintf(header->out, "/* Calls the pipeline `%s`, compiled by hlc %s under ", name,
            HLC_VERSION);
    if (compiler_schedule_is_named(schedule))
        fprintf(header->out, "the schedule `%s`", schedule);
    else
        fputs("the empty schedule", header->out);
    fputs(".  Written by the\n * compiler: what is changed here is lost.\n *\n", header->out);
    for (size_t i = 0; i < header->arguments.length; i++)
        fprintf(header->out, " *   %-*s  %s\n", width, header->arguments.data[i].name,
                header->arguments.data[i].about);
    fputs(" *\n", header->out);
    put_contract(header, schedule);
    put_externs(header);
    fprintf(
        header->out,
        " *\n"
        " * The result is 0 or an error of hlc_runtime.h, before which the error handler has been\n"
        " * called with the message.  A call in which a buffer has neither host nor device memory\n"
        " * computes nothing: it writes into each such buffer the box that it must have.\n"
        " *\n"
        " * Link the object with the run-time library, `pkg-config --libs hlc-runtime`: -lhlcrt\n"
        " * -lm -lpthread%s.\n"
        " */\n",
        needs_sleef ? ", and with -lsleef" : "; libsleef is not needed");
}

/* `result NAMEsuffix(first, arguments);` */
static void put_prototype(const HeaderText *header, const char *suffix, const char *first) {
    fprintf(header->out, "int %s%s(%s", header->signature->name->text, suffix, first);
    for (size_t i = 0; i < header->arguments.length; i++) {
        const HeaderArgument *argument = &header->arguments.data[i];
        bool is_pointer = argument->type[strlen(argument->type) - 1] == '*';
        fprintf(header->out, "%s\n    %s%s%s", *first || i ? "," : "", argument->type,
                is_pointer ? "" : " ", argument->identifier);
    }
    fputs(");\n", header->out);
}

/* `#define HLC_pyramid_levels 4`: the values of the const parameters. A type is C's. */
static void put_constants(const HeaderText *header) {
    const char *name, *value, *pipeline = header->signature->name->text;
    const Pipeline *made = header->h->module ? module_pipeline(header->h->module, pipeline) : NULL;
    size_t i = 0;
    Type type;
    for (; made && (name = module_constant(header->h->module, made, i, &value)); i++) {
        if (type_from_name(value, &type))
            value = scalar_type(header->arena, type);
        else if (value[0] == '-')
            value = arena_format(header->arena, "(%s)", value);
        else if (!strcmp(value, "true") || !strcmp(value, "false"))
            value = value[0] == 't' ? "1" : "0";
        fprintf(header->out, "#define HLC_%s_%s %s\n", pipeline, name, value);
    }
    fputs(i > 0 ? "\n" : "", header->out);
}

static bool header_proposes(const Signature *signature) {
    for (size_t i = 0; i < signature->outputs.length; i++)
        if (signature->outputs.data[i].size)
            return true;
    return false;
}

void header_write(hlc *h, FILE *out, Arena *arena, const Program *program, const char *schedule,
                  const Object *object, bool has_profile) {
    HeaderText header = {
        .h = h, .out = out, .arena = arena, .program = program, .signature = program->signature};
    const char *name = program->signature->name->text;
    collect(&header);
    put_comment(&header, schedule, object->needs_sleef);
    fprintf(out, "#ifndef HLC_PIPELINE_%s_H\n#define HLC_PIPELINE_%s_H\n\n", name, name);
    fputs("#include \"hlc_runtime.h\"\n\n", out);
    fprintf(out, "#if HLC_ABI != %d\n", HLC_ABI);
    fprintf(out, "#error \"%s was compiled for ABI %d of the run-time library\"\n#endif\n\n", name,
            HLC_ABI);
    fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", out);
    put_constants(&header);
    put_prototype(&header, "", "");
    fputs("\n/* The same arguments in an array: buffers as themselves, scalars by pointers to "
          "them. */\n",
          out);
    fprintf(out, "int %s_argv(void **arguments);\n", name);
    fputs("\n/* The same without the error handler: code and message are left in the report. */\n",
          out);
    put_prototype(&header, "_report", "hlc_report *report");
    if (program->signature->windows)
        fprintf(out,
                "\n/* The window form: buffers are windows of the domains of `call`, which may be "
                "null.  The\n * arguments are those of %s_argv; the error handler is not called. "
                "*/\n"
                "int %s_call(hlc_report *report, const hlc_call *call, void **arguments);\n",
                name, name);
    if (header_proposes(program->signature)) {
        fputs("\n/* Writes the proposed windows into the outputs: minima, extents, dense strides, "
              "types.\n * Buffers need no memory; of the inputs only minima and extents are read.  "
              "The result\n * is 0 or an error, of which the error handler has been told. */\n",
              out);
        put_prototype(&header, "_propose", "");
    }
    fputs("\n/* What the arguments are, in the ecosystem's layout. */\n", out);
    fprintf(out, "const struct halide_filter_metadata_t *%s_metadata(void);\n", name);
    if (has_profile) {
        fputs("\n/* Where the time of the calls goes, while hlc_profile_start is in effect: "
              "hlc_profile_text,\n * hlc_profile_rows. */\n",
              out);
        fprintf(out, "hlc_profile *%s_profile(void);\n", name);
    }
    fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
}
