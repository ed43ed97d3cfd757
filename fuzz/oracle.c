/* oracle.c -- one case, every way to run it.
 *
 * The reference's outcome is taken first.  Then the schedule is applied directive by directive;
 * after each, the program is lowered to the end and run by the target interpreter.  Of the whole
 * schedule's program it is asked whether its bounds satisfy B(S); it is also run before
 * PASS_SIMPLIFY, from its text, and compiled.
 */
#include "fuzz/oracle.h"

#include "bounds/query.h"
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "fuzz/random.h"
#include "ir/print.h"
#include "ir/read.h"
#include "lower/lower.h"
#include "lower/run.h"
#include "reference/reference.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct Trial {
    Context *context;
    const Case *c;
    const Pipeline *pipeline;
    const Schedule *schedule;
    Arguments arguments;
    Image expected; /* the reference's output */
    Outcome reference;
    CaseResult *result;
} Trial;

static void conclude(Trial *trial, Verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The worst verdict so far stands, with its first message. */
static void conclude(Trial *trial, Verdict verdict, const char *format, ...) {
    if (trial->result->verdict >= verdict && trial->result->message[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    trial->result->verdict = verdict;
    vsnprintf(trial->result->message, sizeof trial->result->message, format, arguments);
    va_end(arguments);
}

/* ---- input ---- */

/* Half of the values are near the edges of the type. */
static Bits random_value(Random *random, Type type) {
    static const int64_t edges[] = {0, 1, -1, 2, 127, 128, 255, INT32_MAX, INT32_MIN, 65535};
    if (type_is_float(type)) {
        static const double specials[] = {0.0, -0.0, 1.0, -1.5, 1e30, 3e9, 0.1, 255.0};
        double value = random_chance(random, 30) ? random_pick(random, specials)
                                                 : random_between(random, -4000, 4000) / 16.0;
        return bits_from_double(type, value);
    }
    if (random_chance(random, 30))
        return bits_wrap(type, random_pick(random, edges));
    return bits_wrap(type, random_chance(random, 50) ? (int64_t)random_bits(random)
                                                     : random_between(random, -20, 20));
}

static void fill(Image *image, uint64_t seed) {
    Random random = {seed};
    int64_t count = image_count(image);
    for (int64_t i = 0; i < count; i++)
        bits_store(image->type, image->data + i * type_bytes(image->type),
                   random_value(&random, image->type));
}

static bool allocate(Trial *trial, Image *image, Type type, int dimensions, const int64_t *minimum,
                     const int64_t *extent) {
    if (image_allocate(image, type, dimensions, minimum, extent))
        return true;
    conclude(trial, VERDICT_REFUSED, "no memory");
    return false;
}

static bool make_arguments(Trial *trial, Arena *arena) {
    const Case *c = trial->c;
    const Signature *signature = &trial->pipeline->signature;
    Arguments *arguments = &trial->arguments;
    arguments->parameters = arena_array(arena, Bits, c->parameter_count);
    for (int i = 0; i < c->parameter_count; i++)
        arguments->parameters[i] = c->parameters[i].value;
    arguments->images = arena_array(arena, Image, c->image_count);
    for (int i = 0; i < c->image_count; i++) {
        const CaseImage *image = &c->images[i];
        if (!allocate(trial, &arguments->images[i], signature->images.data[i].type,
                      image->dimensions, image->minimum, image->extent))
            return false;
        fill(&arguments->images[i], c->data_seed + (uint64_t)i);
    }
    const FuncShape *output = signature_func(signature, signature->outputs.data[0].func);
    arguments->outputs = arena_array(arena, Image, 1);
    return allocate(trial, &arguments->outputs[0], output->types[0], output->dimensions,
                    c->window_minimum, c->window_extent) &&
           allocate(trial, &trial->expected, output->types[0], output->dimensions,
                    c->window_minimum, c->window_extent);
}

static void free_arguments(Trial *trial) {
    for (int i = 0; i < trial->c->image_count && trial->arguments.images; i++)
        free(trial->arguments.images[i].data);
    if (trial->arguments.outputs)
        free(trial->arguments.outputs[0].data);
    free(trial->expected.data);
}

/* ---- comparing ---- */

static void clear_output(Trial *trial) {
    Image *output = &trial->arguments.outputs[0];
    memset(output->data, 0xA5, (size_t)(image_count(output) * type_bytes(output->type)));
}

static void compare_images(Trial *trial, const char *way) {
    const Image *output = &trial->arguments.outputs[0];
    int64_t count = image_count(output), width = output->extent[0];
    int size = type_bytes(output->type);
    for (int64_t i = 0; i < count; i++) {
        Bits got = bits_load(output->type, output->data + i * size);
        Bits wanted = bits_load(output->type, trial->expected.data + i * size);
        if (bits_same(output->type, got, wanted))
            continue;
        char got_text[48], wanted_text[48];
        value_print(output->type, got, got_text, sizeof got_text);
        value_print(output->type, wanted, wanted_text, sizeof wanted_text);
        conclude(trial, VERDICT_DIFFERS,
                 "%s: out(%" PRId64 ", %" PRId64 ") is %s, the reference says %s", way,
                 output->minimum[0] + i % width, output->minimum[1] + i / width, got_text,
                 wanted_text);
        return;
    }
}

static void compare(Trial *trial, const Outcome *outcome, const char *way) {
    bool internal = outcome->error == HLC_ERROR_INTERNAL;
    if (internal)
        conclude(trial, VERDICT_DIFFERS, "%s: %s", way, outcome->message);
    else if (outcome->error)
        conclude(trial, VERDICT_REFUSED, "%s: %s", way, outcome->message);
    else if (trial->reference.error)
        conclude(trial, VERDICT_DIFFERS, "%s: accepted, but the reference refuses: %s", way,
                 trial->reference.message);
    else
        compare_images(trial, way);
}

/* ---- the ways ---- */

static Lowered *lower_to(Trial *trial, Arena *arena, size_t directives, PassId last) {
    LowerOptions options = {.last = last, .directives = directives, .verify = true};
    Lowered *lowered = lower(trial->pipeline, trial->schedule, arena, &options);
    if (!lowered) {
        const Reports *reports = &trial->context->reports;
        hlc_assert(reports->length, "a refusal is reported");
        conclude(trial, VERDICT_REFUSED, "%s", reports->data[reports->length - 1].message);
    }
    return lowered;
}

static void interpret(Trial *trial, Arena *arena, const Program *program, const char *way) {
    clear_output(trial);
    RunOptions options = {
        .seed = trial->c->seed, .budget = 50000000, .order = (RunOrder)(trial->c->seed % 3)};
    Outcome outcome = run_program(program, arena, &trial->arguments, &options);
    compare(trial, &outcome, way);
}

/* The program read back from its text, which must print as that text; null after concluding. */
static Program *read_back(Trial *trial, Arena *arena, const Program *program, const char *stage) {
    Context *context = trial->context;
    char *text = program_text(arena, program);
    uint32_t file = context_add_file(context, "case.ir", text, strlen(text));
    Program *back = program_read(program->pool, arena, file);
    if (!back) {
        const Reports *reports = &context->reports;
        const Report *report = &reports->data[reports->length - 1];
        conclude(trial, VERDICT_DIFFERS, "text %s: line %u: %s", stage, report->place.line,
                 report->message);
    } else if (strcmp(program_text(arena, back), text) != 0) {
        conclude(trial, VERDICT_DIFFERS, "text %s: read back, it prints otherwise", stage);
    }
    return back;
}

static void compile_and_run(Trial *trial, Arena *arena, const Lowered *lowered) {
    Random random = {trial->c->seed};
    CodegenOptions options = {.optimize = random_below(&random, 2) ? 2 : 0};
    Object object;
    Jit *jit = NULL;
    if (codegen_object(lowered->program, arena, &options, &object))
        jit = jit_load(trial->context, &trial->pipeline->signature, &object);
    if (!jit) {
        const Reports *reports = &trial->context->reports;
        conclude(trial, VERDICT_REFUSED, "%s",
                 reports->length ? reports->data[reports->length - 1].message : "no code");
        return;
    }
    clear_output(trial);
    int threads = 1 + (int)random_below(&random, 4);
    int before = hlc_set_thread_count(threads);
    Outcome outcome = jit_call(jit, &trial->arguments);
    hlc_set_thread_count(before);
    char way[60];
    snprintf(way, sizeof way, "compiled at -O%d, %d threads", options.optimize, threads);
    compare(trial, &outcome, way);
    jit_free(jit);
}

static bool startup_variable(void *data, Symbol name, Bits *bits) {
    const Trial *trial = data;
    return argument_variable(&trial->pipeline->signature, &trial->arguments, trial->context, name,
                             bits);
}

/* B(S) holds of the oracle's answer for this input. */
static void ask_bounds(Trial *trial, Arena *arena, const Lowered *lowered) {
    QueryOptions options = {startup_variable, trial, trial->c->seed, 1000000};
    QueryAnswer answer =
        bounds_query(lowered->program, lowered->pipeline, lowered->bounds, arena, &options);
    if (answer.violation)
        conclude(trial, VERDICT_DIFFERS, "bounds: %s", answer.violation);
}

static void run_schedule(Trial *trial) {
    Context *context = trial->context;
    size_t count = SIZE_MAX;
    for (size_t n = 0; n <= count; n++) {
        Arena *arena = arena_create(&context->memory);
        Lowered *lowered = lower_to(trial, arena, n, PASS_SIMPLIFY);
        if (lowered) {
            count = lowered->primitives.length;
            char way[80];
            snprintf(way, sizeof way, "interpreted after %zu of %zu directives", n, count);
            interpret(trial, arena, lowered->program, way);
        }
        arena_destroy(arena);
        if (!lowered && count == SIZE_MAX)
            return; /* not even the first could be expanded */
    }
    Arena *arena = arena_create(&context->memory);
    Lowered *with_holes = lower_to(trial, arena, SIZE_MAX, PASS_SCHEDULE);
    if (with_holes)
        read_back(trial, arena, with_holes->program, "with holes");
    Lowered *unsimplified = lower_to(trial, arena, SIZE_MAX, PASS_CHECKS);
    if (unsimplified) {
        ask_bounds(trial, arena, unsimplified);
        Program *back = read_back(trial, arena, unsimplified->program, "before simplifying");
        if (back)
            interpret(trial, arena, back, "read back and interpreted before simplifying");
    }
    Lowered *lowered = lower_to(trial, arena, SIZE_MAX, PASS_SIMPLIFY);
    if (lowered)
        compile_and_run(trial, arena, lowered);
    arena_destroy(arena);
}

static void run_trial(Trial *trial, Arena *arena) {
    if (!make_arguments(trial, arena))
        return;
    ReferenceOptions options = {0};
    ReferenceError error;
    trial->reference =
        reference_realize(trial->pipeline, arena, &trial->arguments, &options, &error);
    const Image *output = &trial->arguments.outputs[0];
    memcpy(trial->expected.data, output->data,
           (size_t)(image_count(output) * type_bytes(output->type)));
    run_schedule(trial);
}

CaseResult oracle_run(const Case *c) {
    CaseResult result = {VERDICT_EQUAL, ""};
    Context *context = context_create();
    Trial trial = {.context = context, .c = c, .result = &result};
    Arena *arena = arena_create(&context->memory);
    char *text = case_text(arena, c);
    uint32_t file = context_add_file(context, "case.hl", text, strlen(text));
    Module *module = frontend_load(context, arena, file, NULL, NULL);
    if (!module) {
        const Report *report = &context->reports.data[0];
        conclude(&trial, VERDICT_INVALID, "%u:%u: %s", report->place.line, report->place.column,
                 report->message);
    } else {
        trial.pipeline = module_pipeline(module, "p");
        trial.schedule = module_schedule(module, trial.pipeline, "s");
        run_trial(&trial, arena);
    }
    free_arguments(&trial);
    arena_destroy(arena);
    context_destroy(context);
    return result;
}
