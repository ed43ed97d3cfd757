/* compiler.c -- the handle: its lifetimes, the way in and out of every entry, loading, names. */
#include "library/compiler.h"

#include "ir/read.h"
#include "ir/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *hlc_version(void) {
    return HLC_VERSION;
}

/* ---- lifetimes ----------------------------------------------------------------------------------
 */

static void end_entry(hlc *h) {
    if (h->reading)
        fclose(h->reading);
    h->reading = NULL;
    for (size_t i = 0; i < h->jits.length; i++)
        jit_free(h->jits.data[i]);
    h->jits.data = NULL; /* they were in the scratch arena */
    h->jits.length = h->jits.capacity = 0;
    arena_destroy(h->scratch);
    h->scratch = NULL;
}

hlc_status compiler_enter(hlc *h, Body *body, void *data) {
    jmp_buf failed;
    Memory *memory = &h->context->memory;
    const Arena *const before = memory->newest;
    const hlc_arguments *const bound = h->arguments;
    const hlc_function *const made = h->functions;
    memory->on_failure = &failed;
    if (setjmp(failed)) {
        while (h->arguments != bound)
            arguments_free(h->arguments);
        while (h->functions != made)
            hlc_function_destroy(h->functions);
        end_entry(h);
        memory_destroy_arenas(memory, before);
        memory->on_failure = NULL;
        return HLC_WORLD;
    }
    size_t errors = diag_error_count(h->context);
    h->scratch = arena_create(&h->context->memory);
    hlc_status status = body(h, data);
    if (status == HLC_YES && diag_error_count(h->context) > errors)
        status = HLC_USER;
    end_entry(h);
    memory->on_failure = NULL;
    return status;
}

static hlc_status create_arena(hlc *h, void *data) {
    (void)data;
    h->arena = arena_create(&h->context->memory);
    return HLC_YES;
}

hlc *hlc_create(void) {
    hlc *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->code.optimize = 2;
    h->context = context_create();
    if (h->context && compiler_enter(h, create_arena, NULL) == HLC_YES)
        return h;
    context_destroy(h->context);
    free(h);
    return NULL;
}

void hlc_destroy(hlc *h) {
    if (!h)
        return;
    while (h->arguments)
        hlc_arguments_destroy(h->arguments);
    while (h->functions)
        hlc_function_destroy(h->functions);
    arena_destroy(h->arena);
    context_destroy(h->context);
    free(h);
}

void hlc_limit_memory(hlc *h, size_t bytes) {
    h->context->memory.limit = bytes;
}

void hlc_set_code(hlc *h, const hlc_code *code) {
    h->code = *code;
}

void hlc_on_progress(hlc *h, hlc_progress *progress, void *data) {
    h->progress = progress;
    h->progress_data = data;
}

/* ---- loading ------------------------------------------------------------------------------------
 */

/* A file's text in the arena; null, with errno, where it cannot be read or is longer than allowed.
 */
static const char *read_text(hlc *h, Arena *arena, const char *path, size_t *length) {
    size_t limit = h->context->limits.source_bytes;
    Vec(char) text = {0};
    FILE *file = h->reading = fopen(path, "rb");
    if (!file)
        return NULL;
    for (int c; text.length <= limit && (c = getc(file)) != EOF;)
        vec_push(arena, &text, (char)c);
    bool failed = ferror(file);
    if (text.length > limit) {
        errno = EFBIG;
        failed = true;
    }
    vec_push(arena, &text, 0);
    h->reading = NULL;
    fclose(file);
    *length = text.length - 1;
    return failed ? NULL : text.data;
}

/* A program that is named on the command line may come through a pipe; what a program names itself
 * must not make the compiler wait. */
static const char *read_import(void *data, Arena *arena, const char *path, size_t *length) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return NULL;
    return read_text(data, arena, path, length);
}

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static hlc_status load(hlc *h, void *data) {
    const char *path = data;
    size_t length = 0;
    const char *text = read_text(h, h->scratch, path, &length);
    if (!text) {
        diag(h->context, DIAG_FILE_UNREADABLE, NOWHERE, path, strerror(errno));
        return HLC_WORLD;
    }
    h->file = context_add_file(h->context, path, text, length);
    if (ends_in(path, ".ir"))
        h->program = program_read(pool_create(h->context, h->arena), h->arena, h->file);
    else
        h->module = frontend_load(h->context, h->arena, h->file, read_import, h);
    return h->module || h->program ? HLC_YES : HLC_USER;
}

hlc_status hlc_load(hlc *h, const char *path) {
    return compiler_enter(h, load, (void *)path);
}

size_t hlc_pipeline_count(const hlc *h) {
    return h->module ? h->module->pipelines.length : h->program != NULL;
}

const char *hlc_pipeline_name(const hlc *h, size_t i) {
    return h->module ? h->module->pipelines.data[i]->signature.name->text
                     : h->program->signature->name->text;
}

size_t hlc_schedule_count(const hlc *h) {
    return h->module ? h->module->schedules.length : 0;
}

const char *hlc_schedule_name(const hlc *h, size_t i) {
    return h->module->schedules.data[i]->name->text;
}

const char *hlc_schedule_pipeline(const hlc *h, size_t i) {
    return h->module->schedules.data[i]->pipeline->text;
}

/* ---- names --------------------------------------------------------------------------------------
 */

const char *compiler_list(hlc *h, const Names *names) {
    const char *text = names->length ? "" : "none";
    for (size_t i = 0; i < names->length; i++)
        text = arena_format(h->scratch, "%s%s%s", text, i ? ", " : "", names->data[i]);
    return text;
}

const Pipeline *compiler_pipeline(hlc *h, const char *name) {
    if (!h->module) {
        diag(h->context, h->program ? DIAG_NO_ALGORITHM : DIAG_FILE_NOT_LOADED, NOWHERE,
             "this command");
        return NULL;
    }
    Names names = {0};
    for (size_t i = 0; i < h->module->pipelines.length; i++)
        vec_push(h->scratch, &names, hlc_pipeline_name(h, i));
    const Pipeline *found = NULL;
    if (name)
        found = module_pipeline(h->module, name);
    else if (names.length == 1)
        found = h->module->pipelines.data[0];
    if (found)
        return found;
    if (name)
        diag(h->context, DIAG_PIPELINE_UNKNOWN, NOWHERE, name, compiler_list(h, &names));
    else if (names.length == 0)
        diag(h->context, DIAG_PIPELINE_NONE, NOWHERE);
    else
        diag(h->context, DIAG_PIPELINE_NOT_SAID, NOWHERE, compiler_list(h, &names));
    return NULL;
}

bool compiler_program_is(hlc *h, const char *pipeline) {
    const char *name = h->program->signature->name->text;
    if (!pipeline || strcmp(pipeline, name) == 0)
        return true;
    diag(h->context, DIAG_PIPELINE_UNKNOWN, NOWHERE, pipeline, name);
    return false;
}

bool compiler_schedule(hlc *h, const Pipeline *pipeline, const char *name,
                       const Schedule **schedule) {
    *schedule = name ? module_schedule(h->module, pipeline, name) : NULL;
    if (!name || *schedule)
        return true;
    Names names = {0};
    for (size_t i = 0; i < hlc_schedule_count(h); i++)
        if (strcmp(hlc_schedule_pipeline(h, i), pipeline->signature.name->text) == 0)
            vec_push(h->scratch, &names, hlc_schedule_name(h, i));
    diag(h->context, DIAG_SCHEDULE_UNKNOWN, NOWHERE, pipeline->signature.name->text, name,
         compiler_list(h, &names));
    return false;
}

Lowered *compiler_lower(hlc *h, const Pipeline *pipeline, const char *name, PassId last,
                        size_t directives) {
    const Schedule *schedule;
    if (!compiler_schedule(h, pipeline, name, &schedule))
        return NULL;
    LowerOptions options = {.last = last, .directives = directives, .verify = true};
    return lower(pipeline, schedule, h->scratch, &options);
}

const Program *compiler_program(hlc *h, const Pipeline *pipeline, const char *schedule) {
    if (pipeline) {
        const Lowered *lowered =
            compiler_lower(h, pipeline, schedule, (PassId)(PASS_COUNT - 1), SIZE_MAX);
        return lowered ? lowered->program : NULL;
    }
    if (schedule) {
        diag(h->context, DIAG_NO_ALGORITHM, NOWHERE, "a schedule");
        return NULL;
    }
    const char *fault = program_verify(h->scratch, h->program, false);
    if (fault) {
        diag(h->context, DIAG_PROGRAM_NOT_RUNNABLE, NOWHERE, fault);
        return NULL;
    }
    return h->program;
}

const Program *compiler_find_program(hlc *h, const char *name, const char *schedule) {
    if (h->program)
        return compiler_program_is(h, name) ? compiler_program(h, NULL, schedule) : NULL;
    const Pipeline *pipeline = compiler_pipeline(h, name);
    return pipeline ? compiler_program(h, pipeline, schedule) : NULL;
}

Jit *compiler_jit(hlc *h, const Program *program, int optimize) {
    CodegenOptions options = {.optimize = optimize, .targets = h->targets, .debug = h->code.debug};
    Object object;
    if (!codegen_has_targets(h->context, h->targets, true) ||
        !codegen_object(program, h->scratch, &options, &object))
        return NULL;
    vec_reserve(h->scratch, &h->jits, h->jits.length + 1); /* so that what is loaded is freed */
    Jit *jit = jit_load(h->context, program->signature, &object);
    if (jit)
        vec_push(h->scratch, &h->jits, jit);
    return jit && h->code.perf_map && !jit_write_perf_map(h->context, jit, &object) ? NULL : jit;
}

void compiler_keep_jit(hlc *h) {
    h->jits.length--;
}
