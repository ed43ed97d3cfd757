/* compile.c -- a pipeline under a schedule as an object, or as text of the same code. */
#include "library/compiler.h"

#include <errno.h>
#include <string.h>

typedef struct Compile {
    const char *pipeline, *schedule;
    const hlc_compile_options *options;
    FILE *out;
} Compile;

static hlc_status compile(hlc *h, void *data) {
    const Compile *request = data;
    const Program *program = compiler_find_program(h, request->pipeline, request->schedule);
    CodegenOptions options = {.optimize = request->options->optimize,
                              .emit = request->options->emit,
                              .targets = h->targets};
    Object object;
    if (!program || !codegen_object(program, h->scratch, &options, &object))
        return HLC_USER;
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
    Compile request = {.pipeline = pipeline, .schedule = schedule, .options = options, .out = out};
    return compiler_enter(h, compile, &request);
}
