/* variants.c -- the code under test: what the compiler makes of a function, scalar and in lanes, for each target that this
 * machine runs. */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/ulp/ulp.h"
#include "tests/unit/share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, MOST_LANES = 16 };

typedef struct Variant {
    const char *target;
    int lanes;
    hlc_function *function;
} Variant;

struct Variants {
    size_t function, count;
    Format format;
    hlc *handle;
    Variant variants[MOST];
    char targets[256];
};

static const char *const targets[] = {"x86-64",         "x86-64-v2", "x86-64-v3",      "x86-64-v4",
                                      "x86-64-v4-vnni", "aarch64",   "aarch64-dotprod"};

static const char *import_nothing(void *data, const char *path, size_t *length) {
    (void)data, (void)path, (void)length;
    return NULL;
}

static hlc_status load(hlc *h, const Function *function, const char *type) {
    char text[1024];
    int length = snprintf(
        text, sizeof text,
        "import math;\n"
        "pipeline p(a: image<%s, 1>, b: image<%s, 1>) -> out { fun out(x): %s = %s(a(x)%s); }\n"
        "schedule lanes_1 for p { }\n",
        type, type, type, function->text, function->arity == 2 ? ", b(x)" : "");
    for (int lanes = 2; lanes <= MOST_LANES; lanes *= 2)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "schedule lanes_%d for p { vectorize(out.x, %d); }\n", lanes, lanes);
    return hlc_load_text(h, "ulp.hl", text, (size_t)length, import_nothing, NULL);
}

/* Is the only diagnostic one of these: a machine without the target, a target without FMA? */
static bool is_refused(hlc *h) {
    static const char *const codes[] = {"E0881", "E0885"};
    for (size_t i = 0; i < hlc_diagnostic_count(h); i++)
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
            if (strcmp(hlc_diagnostic_at(h, i).code, codes[k]) == 0)
                return true;
    return false;
}

static halide_buffer_t buffer_of(Format format, uint8_t *elements, halide_dimension_t *dimension) {
    *dimension = (halide_dimension_t){0, BLOCK, 1, 0};
    halide_buffer_t buffer = {0};
    buffer.host = elements;
    buffer.type.code = format == BF16 ? halide_type_bfloat : halide_type_float;
    buffer.type.bits = (uint8_t)formats[format].bits;
    buffer.type.lanes = 1;
    buffer.dimensions = 1;
    buffer.dim = dimension;
    return buffer;
}

static int call(const Variant *variant, Format format, Block *block, uint8_t *result) {
    halide_dimension_t dimensions[ARITY + 1];
    halide_buffer_t buffers[] = {buffer_of(format, block->arguments[0], &dimensions[0]),
                                 buffer_of(format, block->arguments[1], &dimensions[1]),
                                 buffer_of(format, result, &dimensions[2])};
    void *arguments[] = {&buffers[0], &buffers[1], &buffers[2]};
    struct hlc_report report;
    return hlc_function_call(variant->function, NULL, &report, arguments);
}

/* Does this machine lack what the code needs? */
static bool lacks_features(const Variant *variant, Format format) {
    Block *block = aligned_alloc(_Alignof(Block), sizeof *block);
    memset(block, 0, sizeof *block);
    int error = call(variant, format, block, block->result);
    free(block);
    return error == HLC_ERROR_CPU_LACKS_FEATURES;
}

static bool compile(Variants *v, const char *target) {
    static const int short_lanes[] = {1, 4, 8, 16}, long_lanes[] = {1, 2, 4, 8};
    enum { WIDTHS = 4 };
    if (hlc_set_targets(v->handle, target) != HLC_YES)
        return false;
    /* A share compiles the scalar code and one width, another one for the next function. */
    int width = 1 + (int)(v->function + (size_t)v->format) % (WIDTHS - 1);
    for (int i = 0; i < WIDTHS; i++) {
        if (share() > 1 && i > 0 && i != width)
            continue;
        Variant *variant = &v->variants[v->count];
        char schedule[32];
        *variant = (Variant){target, (v->format == F64 ? long_lanes : short_lanes)[i], NULL};
        snprintf(schedule, sizeof schedule, "lanes_%d", variant->lanes);
        variant->function = hlc_compile_function(v->handle, "p", schedule, NULL);
        if (!variant->function)
            return false;
        if (lacks_features(variant, v->format))
            return true;
        v->count++;
    }
    snprintf(v->targets + strlen(v->targets), sizeof v->targets - strlen(v->targets), "%s%s",
             *v->targets ? ", " : "", target);
    return true;
}

Variants *variants_create(size_t function, Format format) {
    Variants *v = calloc(1, sizeof *v);
    v->function = function, v->format = format, v->handle = hlc_create();
    bool is_good = load(v->handle, &functions[function], formats[format].name) == HLC_YES;
    for (size_t i = 0; is_good && i < sizeof targets / sizeof *targets; i++) {
        hlc_clear_diagnostics(v->handle);
        is_good = compile(v, targets[i]) || is_refused(v->handle);
    }
    if (is_good && v->count > 0)
        return v;
    fprintf(stderr, "%s of %s cannot be compiled\n", functions[function].text,
            formats[format].name);
    hlc_print_diagnostics(v->handle, stderr);
    variants_destroy(v);
    return NULL;
}

void variants_destroy(Variants *v) {
    hlc_destroy(v->handle);
    free(v);
}

size_t variants_count(const Variants *v) {
    return v->count;
}

const char *variants_targets(const Variants *v) {
    return v->targets;
}

/* Says in `difference` where `other` is not the first variant's; returns whether it is. */
static bool compare(const Variants *v, const Variant *variant, const Block *block, char *difference,
                    size_t size) {
    for (size_t i = 0; i < BLOCK; i++) {
        double wanted = element_value(v->format, element_get(block->result, v->format, i));
        double got = element_value(v->format, element_get(block->other, v->format, i));
        if ((isnan(wanted) && isnan(got)) || (wanted == got && signbit(wanted) == signbit(got)))
            continue;
        snprintf(difference, size, "%s of %s at %a, %a: %a for %s in %d lanes, %a for %s in %d",
                 functions[v->function].name, formats[v->format].name,
                 element_value(v->format, element_get(block->arguments[0], v->format, i)),
                 element_value(v->format, element_get(block->arguments[1], v->format, i)), got,
                 variant->target, variant->lanes, wanted, v->variants[0].target,
                 v->variants[0].lanes);
        return false;
    }
    return true;
}

bool variants_run(const Variants *v, Block *block, bool all, char *difference, size_t size) {
    size_t bytes = (size_t)formats[v->format].bits / 8 * BLOCK, widest = 0;
    for (size_t k = 0; k < v->count; k++)
        if (v->variants[k].lanes >= v->variants[widest].lanes)
            widest = k;
    for (size_t k = 0; k < (all ? v->count : 1); k++) {
        const Variant *variant = &v->variants[all ? k : widest];
        int error = call(variant, v->format, block, k == 0 ? block->result : block->other);
        if (error) {
            snprintf(difference, size, "the call fails: %s", hlc_error_name(error));
            return false;
        }
        if (k > 0 && memcmp(block->result, block->other, bytes) != 0 &&
            !compare(v, &v->variants[k], block, difference, size))
            return false;
    }
    return true;
}
