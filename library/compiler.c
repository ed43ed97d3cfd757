/* compiler.c -- the handle: lifetime, names, lowering, code. */
#include "library/compiler.h"
#include "library/worker/worker.h"

#include "base/nearest.h"
#include "ir/verify.h"

#include <stdlib.h>
#include <errno.h>
#include <string.h>

const char *hlc_version(void) {
    return HLC_VERSION;
}

void hlc_describe(char *text, size_t size) {
    char code[100];
    codegen_describe(code, sizeof code);
    if (text && size > 0)
        snprintf(text, size, "hlc %s, %s", HLC_VERSION, code);
}

/* ---- lifetimes ---- */

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
    h->interpreter.seed = 1;
    h->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    h->context = h->locale ? context_create() : NULL;
    if (h->context && compiler_enter(h, create_arena, NULL) == HLC_YES)
        return h;
    hlc_destroy(h);
    return NULL;
}

void hlc_destroy(hlc *h) {
    if (!h)
        return;
    worker_stop(h);
    while (h->arguments)
        arguments_free(h->arguments);
    while (h->functions)
        hlc_function_destroy(h->functions);
    while (h->objects)
        hlc_object_destroy(h->objects);
    externs_close(h);
    arena_destroy(h->arena);
    context_destroy(h->context);
    if (h->locale)
        freelocale(h->locale);
    free(h);
}

void hlc_limit_memory(hlc *h, size_t bytes) {
    if (!h)
        return;
    h->context->memory.limit = bytes;
}

bool compiler_has_options(hlc *h, const hlc_compile_options *options) {
    static const char *const EMITS[] = {"object", "asm", "listing", "ll"};
    bool is_known = !options->emit;
    for (size_t i = 0; !is_known && i < sizeof EMITS / sizeof *EMITS; i++)
        is_known = strcmp(options->emit, EMITS[i]) == 0;
    if (!is_known)
        diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "emit",
             arena_format(h->scratch, "it does not take `%s`", options->emit),
             "write one of: object, asm, listing, ll");
    bool is_level = options->optimize >= 0 && options->optimize <= 3;
    if (!is_level)
        diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "optimize",
             arena_format(h->scratch, "there is no level %d", options->optimize),
             "LLVM's levels are 0 to 3");
    return is_known && is_level;
}

static hlc_status set_code(hlc *h, void *data) {
    const hlc_code *code = data;
    if (!compiler_has_options(h, &(hlc_compile_options){.optimize = code->optimize}))
        return HLC_USER;
    if (!codegen_has_sanitizer(h->context, code->sanitize, true))
        return HLC_USER;
    const char *name = code->sanitize;
    h->code = *code;
    h->code.sanitize = name ? arena_text(h->arena, name, strlen(name)) : NULL;
    return HLC_YES;
}

hlc_status hlc_set_code(hlc *h, const hlc_code *code) {
    if (!code)
        return compiler_null(h, "code");
    return compiler_enter(h, set_code, (void *)code);
}

void hlc_set_interpreter(hlc *h, const hlc_interpreter *interpreter) {
    if (!h || !interpreter)
        return;
    h->interpreter = *interpreter;
    if ((unsigned)interpreter->order > HLC_ORDER_INTERLEAVED) /* there is no such order */
        h->interpreter.order = HLC_ORDER_FORWARD;
}

void hlc_on_progress(hlc *h, hlc_progress *progress, void *data) {
    if (!h)
        return;
    h->progress = progress;
    h->progress_data = data;
}

/* ---- names ---- */

const char *hlc_nearest(const char *name, const char *const *candidates) {
    if (!name || !candidates)
        return NULL;
    Nearest nearest = {.name = name};
    for (; *candidates; candidates++)
        nearest_offer(&nearest, *candidates);
    return nearest.best;
}

const char *compiler_list(hlc *h, const NameList *names) {
    const char *text = names->length ? "" : "none";
    for (size_t i = 0; i < names->length; i++)
        text = arena_format(h->scratch, "%s%s%s", text, i ? ", " : "", names->data[i]);
    return text;
}

const char *compiler_choices(hlc *h, const NameList *names, const char *name) {
    Nearest nearest = {.name = name};
    for (size_t i = 0; i < names->length; i++)
        nearest_offer(&nearest, names->data[i]);
    return nearest_behind(h->scratch, &nearest, compiler_list(h, names));
}

const Pipeline *compiler_pipeline(hlc *h, const char *name) {
    if (!h->module) {
        diag(h->context, h->program ? DIAG_NO_ALGORITHM : DIAG_FILE_NOT_LOADED, NOWHERE,
             "this command");
        return NULL;
    }
    NameList names = {0};
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
        diag(h->context, DIAG_PIPELINE_UNKNOWN, NOWHERE, name, compiler_choices(h, &names, name));
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

bool compiler_schedule_is_named(const char *name) {
    return name && *name;
}

bool compiler_schedule(hlc *h, const Pipeline *pipeline, const char *name,
                       const Schedule **schedule) {
    bool is_named = compiler_schedule_is_named(name);
    *schedule = is_named ? module_schedule(h->module, pipeline, name) : NULL;
    if (!is_named || *schedule)
        return true;
    const char *open = module_open_parameter(h->module, pipeline, name);
    if (open)
        return diag(h->context, DIAG_SCHEDULE_OPEN, NOWHERE, name, open);
    NameList names = {0};
    for (size_t i = 0; i < hlc_schedule_count(h); i++)
        if (strcmp(hlc_schedule_pipeline(h, i), pipeline->signature.name->text) == 0)
            vec_push(h->scratch, &names, hlc_schedule_name(h, i));
    diag(h->context, DIAG_SCHEDULE_UNKNOWN, NOWHERE, pipeline->signature.name->text, name,
         compiler_choices(h, &names, name));
    return false;
}

Lowered *compiler_lower(hlc *h, const Pipeline *pipeline, const char *name, PassId last,
                        size_t directives) {
    const Schedule *schedule;
    if (!compiler_schedule(h, pipeline, name, &schedule))
        return NULL;
    timing_begin(h->context, "lower");
    Lowered *lowered = compiler_lower_schedule(h, pipeline, schedule, last, directives, h->scratch);
    timing_end(h->context);
    return lowered;
}

Lowered *compiler_lower_schedule(hlc *h, const Pipeline *pipeline, const Schedule *schedule,
                                 PassId last, size_t directives, Arena *arena) {
    bool is_certified = h->certifier && last >= PASS_CHECKS;
    LowerOptions options = {.last = is_certified ? PASS_CHECKS : last,
                            .directives = directives,
                            .verify = h->context->verifies,
                            .traces = h->traces,
                            /* a caller that stops there prints them */
                            .explains = last == PASS_BOUNDS};
    Lowered *lowered = lower(pipeline, schedule, arena, &options);
    options.last = last;
    if (lowered && is_certified &&
        !(compiler_certify(h, lowered) && lower_rest(lowered, arena, &options)))
        return NULL;
    return lowered;
}

bool compiler_accepts(hlc *h, const Pipeline *pipeline, const char *name) {
    const Schedule *schedule;
    LowerOptions options = {.last = PASS_FOLD, .directives = SIZE_MAX};
    return compiler_schedule(h, pipeline, name, &schedule) &&
           lower(pipeline, schedule, h->scratch, &options);
}

const Program *compiler_program(hlc *h, const Pipeline *pipeline, const char *schedule) {
    if (pipeline) {
        const Lowered *lowered =
            compiler_lower(h, pipeline, schedule, (PassId)(PASS_COUNT - 1), SIZE_MAX);
        return lowered ? lowered->program : NULL;
    }
    Lowered lowered = {.program = compiler_loaded_program(h, schedule)};
    if (!lowered.program || (h->certifier && !compiler_certify(h, &lowered)))
        return NULL;
    return lowered.program;
}

Program *compiler_loaded_program(hlc *h, const char *schedule) {
    if (compiler_schedule_is_named(schedule)) {
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

bool compiler_object(hlc *h, const Program *program, const CodegenOptions *options,
                     Object *object) {
    timing_begin(h->context, "code");
    bool is_made = h->worker.path ? worker_object(h, program, options, object)
                                  : codegen_object(program, h->scratch, options, object);
    timing_end(h->context);
    return is_made;
}

bool compiler_put_assembly(hlc *h, const Object *object, FILE *out) {
    if (fputs(object->assembly ? object->assembly : "", out) >= 0)
        return true;
    diag(h->context, DIAG_FILE_UNWRITABLE, NOWHERE, "the assembly", strerror(errno));
    return false;
}

static Jit *make_jit(hlc *h, const Program *program, const hlc_code *code, bool once,
                     FILE *assembly) {
    CodegenOptions options = {.optimize = code->optimize,
                              .targets = h->targets,
                              .debug = code->debug,
                              .stoppable = code->stoppable,
                              .trace = code->trace,
                              .profile = code->profile,
                              .once = once,
                              .assembly = assembly,
                              .sanitize = code->sanitize};
    Object object;
    if (!externs_ready_of_program(h, program) ||
        !codegen_has_targets(h->context, h->targets, true) ||
        !compiler_object(h, program, &options, &object) ||
        (assembly && !compiler_put_assembly(h, &object, assembly)))
        return NULL;
    vec_reserve(h->scratch, &h->jits, h->jits.length + 1); /* so the loaded data is freed */
    timing_begin(h->context, "link");
    Jit *jit = jit_load(h->context, program->signature, &object);
    timing_end(h->context);
    if (jit)
        vec_push(h->scratch, &h->jits, jit);
    return jit && code->perf_map && !jit_write_perf_map(h->context, jit, &object) ? NULL : jit;
}

Jit *compiler_jit(hlc *h, const Program *program, const hlc_code *code, FILE *assembly) {
    return make_jit(h, program, code, false, assembly);
}

Jit *compiler_jit_once(hlc *h, const Program *program) {
    return make_jit(h, program, &h->code, true, NULL);
}

void compiler_keep_jit(hlc *h) {
    h->jits.length--;
}
