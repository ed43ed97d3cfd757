/* compile.c -- writes a pipeline under a schedule as an object, or as text of the same code, to a
 * file or to memory. */
#include "library/compiler.h"
#include "library/reserved.h"

#include <errno.h>
#include <string.h>

typedef struct Compile {
    const char *pipeline, *schedule;
    const hlc_compile_options *options;
    FILE *out; /* null: into `made` */
    hlc_object *made;
} Compile;

/* Writes a path for a make rule. False if make has no way to quote it. */
static bool put_path(FILE *out, const char *path) {
    for (const char *at = path; *at; at++) {
        if (*at == '\n')
            return false;
        if (*at == ' ' || *at == '\t') /* make also reads the backslashes before it as escapes */
            for (const char *before = at; before > path && before[-1] == '\\'; before--)
                putc('\\', out);
        if (strchr(" \t#", *at))
            putc('\\', out);
        else if (*at == '$')
            putc('$', out);
        putc(*at, out);
    }
    return true;
}

static bool write_dependencies(hlc *h, const hlc_compile_options *options) {
    FILE *out = options->depfile;
    const char *path = options->object;
    bool is_said = put_path(out, path);
    putc(':', out);
    for (size_t i = 1; is_said && i < h->context->files.length; i++) {
        if (h->context->files.data[i].is_built_in)
            continue;
        path = h->context->files.data[i].path;
        fputs(" \\\n  ", out);
        is_said = put_path(out, path);
    }
    putc('\n', out);
    if (!is_said)
        diag(h->context, DIAG_FILE_UNWRITABLE, NOWHERE, path, "make cannot be told its name");
    return is_said;
}

/* Can linked code have the pipeline's name? Text for reading may have any name. */
static bool may_be_linked(hlc *h, const hlc_compile_options *options, const Program *program) {
    const char *name = program->signature->name->text;
    bool is_text = options->emit && strcmp(options->emit, "object") != 0 && !options->header;
    if (is_text || !is_reserved_name(name))
        return true;
    diag(h->context, DIAG_PIPELINE_NAME, NOWHERE, name);
    return false;
}

static hlc_status compile(hlc *h, void *data) {
    Compile *request = data;
    const hlc_compile_options standard = {.optimize = 2},
                              *wanted = request->options ? request->options : &standard;
    if (!compiler_has_options(h, wanted))
        return HLC_USER;
    if (wanted->depfile && !wanted->object) {
        diag(h->context, DIAG_CALL_ARGUMENT, NOWHERE, "options->object", "is a null pointer");
        return HLC_USER;
    }
    h->traces = wanted->trace;
    const Program *program = compiler_find_program(h, request->pipeline, request->schedule);
    CodegenOptions options = {.optimize = wanted->optimize,
                              .emit = wanted->emit,
                              .targets = h->targets,
                              .debug = wanted->debug,
                              .sanitize = wanted->sanitize,
                              .trace = wanted->trace,
                              .stoppable = wanted->stoppable,
                              .profile = wanted->profile,
                              .assembly = wanted->assembly};
    Object object;
    if (!program || !may_be_linked(h, wanted, program) ||
        !compiler_object(h, program, &options, &object))
        return HLC_USER;
    if (wanted->header)
        header_write(h, wanted->header, h->scratch, program, request->schedule, &object,
                     wanted->profile);
    if (wanted->assembly && !compiler_put_assembly(h, &object, wanted->assembly))
        return HLC_WORLD;
    if (wanted->depfile && !write_dependencies(h, wanted))
        return HLC_USER;
    if (!request->out) {
        request->made = object_keep(h, &object);
        return HLC_YES;
    }
    if (fwrite(object.bytes, 1, object.length, request->out) == object.length)
        return HLC_YES;
    diag(h->context, DIAG_FILE_UNWRITABLE, NOWHERE, "the object", strerror(errno));
    return HLC_WORLD;
}

static hlc_status set_targets(hlc *h, void *data) {
    const char *targets = data;
    if (!codegen_has_targets(h->context, targets, false))
        return HLC_USER;
    h->targets = targets ? arena_text(h->arena, targets, strlen(targets)) : NULL;
    return HLC_YES;
}

hlc_status hlc_set_targets(hlc *h, const char *targets) {
    return compiler_enter(h, set_targets, (void *)targets);
}

hlc_status hlc_compile(hlc *h, const char *pipeline, const char *schedule,
                       const hlc_compile_options *options, FILE *out) {
    if (!out)
        return compiler_null(h, "out");
    Compile request = {.pipeline = pipeline, .schedule = schedule, .options = options, .out = out};
    return compiler_enter(h, compile, &request);
}

hlc_object *hlc_compile_object(hlc *h, const char *pipeline, const char *schedule,
                               const hlc_compile_options *options) {
    Compile request = {.pipeline = pipeline, .schedule = schedule, .options = options};
    compiler_enter(h, compile, &request);
    return request.made;
}
