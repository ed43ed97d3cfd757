/* prepare.c -- objects of all pipelines of a file under all schedules, for many targets, and calls
 * of them with what the reference answers:  prepare FOLDER ROUNDS FILE.hl TARGETS..
 *
 * Writes FOLDER/TARGETS/PIPELINE.K.o, where schedule K = 0 is the empty one, and
 * FOLDER/calls/PIPELINE.N.call.  A pipeline that a target refuses for want of fused multiply-add
 * has no object there.  The arguments are drawn as `hlc check` does.
 */
#include "library/check/trial.h"
#include "checkers/reference/engine/reference.h"
#include "tests/target/call.h"

#include <stdlib.h>
#include <string.h>

typedef struct Preparation {
    const char *folder, *targets;
    int rounds;
    Demands demands;
} Preparation;

static _Noreturn void give_up(const char *what, const char *name) {
    fprintf(stderr, "prepare: %s %s\n", what, name);
    exit(1);
}

static FILE *create(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file)
        give_up("cannot write", path);
    return file;
}

static void put(FILE *file, const void *bytes, size_t length) {
    if (length > 0 && fwrite(bytes, 1, length, file) != length)
        give_up("cannot write", "a file");
}

/* ---- objects ---- */

/* Is all that went wrong that the target lacks fused multiply-add? */
static bool lacks_fma(hlc *h) {
    const Reports *reports = &h->context->reports;
    for (size_t i = 0; i < reports->length; i++)
        if (reports->data[i].code != DIAG_NEEDS_FMA)
            return false;
    return reports->length > 0;
}

static void write_object(hlc *h, const Preparation *job, const Program *program, size_t number) {
    CodegenOptions options = {.optimize = 2, .targets = job->targets};
    Object object;
    const char *name = program->signature->name->text;
    hlc_clear_diagnostics(h);
    if (!codegen_object(program, h->scratch, &options, &object)) {
        if (!lacks_fma(h))
            give_up("no code for", name);
        return;
    }
    FILE *file = create(arena_format(h->scratch, "%s/%s.%zu.o", job->folder, name, number));
    put(file, object.bytes, object.length);
    fclose(file);
}

static void add_variant(hlc *h, Preparation *job, const Pipeline *pipeline,
                        const Schedule *schedule, size_t number) {
    LowerOptions options = {.last = (PassId)(PASS_COUNT - 1), .directives = SIZE_MAX};
    const Lowered *lowered = lower(pipeline, schedule, h->scratch, &options);
    if (!lowered)
        give_up("cannot lower", pipeline->signature.name->text);
    write_object(h, job, lowered->program, number);
    demand_add(&job->demands, h->scratch, schedule, lowered, true);
}

/* ---- calls ---- */

static void put_scalar(FILE *file, Type type, Bits value) {
    CallArgument argument = {.kind = CALL_SCALAR, .bytes = 8};
    uint64_t bytes = 0;
    bits_store(type, &bytes, value);
    put(file, &argument, sizeof argument);
    put(file, &bytes, sizeof bytes);
}

static void put_image(FILE *file, int kind, const Image *image) {
    CallArgument argument = {.kind = kind,
                             .dimensions = image->dimensions,
                             .type = {argument_type_code(image->type), image->type.bits, 1},
                             .bytes = image_count(image) * type_bytes(image->type)};
    for (int d = 0; d < image->dimensions; d++)
        argument.dim[d] = (halide_dimension_t){
            (int32_t)image->minimum[d], (int32_t)image->extent[d], (int32_t)image->stride[d], 0};
    put(file, &argument, sizeof argument);
    put(file, image->data, (size_t)argument.bytes);
}

static void put_call(hlc *h, const Preparation *job, const hlc_arguments *a, int round) {
    const Signature *signature = a->signature;
    const char *name = signature->name->text;
    FILE *file = create(arena_format(h->scratch, "%s/calls/%s.%d.call", job->folder, name, round));
    int32_t counts[] = {(int32_t)(signature->inputs.length + a->output_count),
                        (int32_t)strlen(name)};
    put(file, CALL_MAGIC, 8);
    put(file, counts, sizeof counts);
    put(file, name, strlen(name));
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        if (input.is_image)
            put_image(file, CALL_INPUT, &a->values.images[input.index]);
        else
            put_scalar(file, signature->parameters.data[input.index].type,
                       a->values.parameters[input.index]);
    }
    for (size_t i = 0; i < a->output_count; i++)
        put_image(file, CALL_OUTPUT, &a->values.outputs[i]);
    fclose(file);
}

static void write_calls(hlc *h, Preparation *job, const Pipeline *pipeline) {
    hlc_arguments *a = arguments_create(h, pipeline->signature.name->text);
    Factors factors = {0};
    ReferenceOptions options = {0};
    uint64_t state = 1;
    vec_push(h->scratch, &factors, 16);
    for (int round = 0, draws = 0; round < job->rounds; draws++) {
        if (draws > 100 * job->rounds)
            give_up("no arguments are accepted by", pipeline->signature.name->text);
        if (!trial_draw(a, NULL, &job->demands, &factors, TRIAL_MET, false, &state) ||
            arguments_ready(a, true) != HLC_YES)
            continue;
        Arena *arena = arena_create(&h->context->memory);
        Outcome outcome = reference_realize(pipeline, arena, &a->values, &options, NULL);
        arena_destroy(arena);
        if (outcome.error == HLC_SUCCESS)
            put_call(h, job, a, round++);
    }
    arguments_free(a);
}

static hlc_status prepare(hlc *h, void *data) {
    Preparation *job = data;
    for (size_t p = 0; p < h->module->pipelines.length; p++) {
        const Pipeline *pipeline = h->module->pipelines.data[p];
        size_t number = 1;
        job->demands = (Demands){0};
        add_variant(h, job, pipeline, NULL, 0);
        for (size_t s = 0; s < h->module->schedules.length; s++)
            if (h->module->schedules.data[s]->pipeline == pipeline->signature.name)
                add_variant(h, job, pipeline, h->module->schedules.data[s], number++);
        write_calls(h, job, pipeline);
    }
    return HLC_YES;
}

int main(int count, char **arguments) {
    if (count != 5)
        give_up("usage:", "prepare FOLDER TARGETS ROUNDS FILE.hl");
    Preparation job = {
        .folder = arguments[1], .targets = arguments[2], .rounds = atoi(arguments[3])};
    hlc *h = hlc_create();
    if (!h || hlc_load(h, arguments[4]) != HLC_YES)
        give_up("cannot load", arguments[4]);
    compiler_enter(h, prepare, &job);
    hlc_destroy(h);
    return 0;
}
