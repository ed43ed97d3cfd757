/* compiled.h -- programs in the text form, compiled and called: for the tests of codegen/. */
#ifndef HLC_TESTS_UNIT_COMPILED_H
#define HLC_TESTS_UNIT_COMPILED_H

#include "codegen/codegen.h"
#include "guarded.h"
#include "ir/read.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

typedef struct Compiled {
    Context *context;
    Arena *arena;
    Program *program;
    Jit *jit;
} Compiled;

static inline Program *read_text(Context *context, Arena *arena, const char *text) {
    uint32_t file = context_add_file(context, "test.ir", text, strlen(text));
    Program *program = program_read(pool_create(context, arena), arena, file);
    if (!program)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(program);
    return program;
}

static inline Compiled compile_with(const char *text, CodegenOptions options) {
    Compiled compiled = {.context = context_create()};
    compiled.arena = arena_create(&compiled.context->memory);
    compiled.program = read_text(compiled.context, compiled.arena, text);
    Object object;
    bool made = codegen_object(compiled.program, compiled.arena, &options, &object);
    if (made)
        compiled.jit = jit_load(compiled.context, compiled.program->signature, &object);
    if (!compiled.jit)
        diag_print_all(compiled.context, stderr);
    ck_assert_ptr_nonnull(compiled.jit);
    return compiled;
}

static inline Compiled compile_for(const char *text, int optimize, const char *targets) {
    return compile_with(text, (CodegenOptions){.optimize = optimize, .targets = targets});
}

static inline Compiled compile(const char *text, int optimize) {
    return compile_for(text, optimize, NULL);
}

static inline void discard(Compiled *compiled) {
    jit_free(compiled->jit);
    arena_destroy(compiled->arena);
    ck_assert_uint_eq(diag_error_count(compiled->context), 0);
    context_destroy(compiled->context);
}

/* A dense image on [minimum, minimum + extent) in each dimension, zeroed, before a forbidden page;
 * to be freed by guarded_free. */
static inline Image dense(Type type, int dimensions, const int64_t *minimum,
                          const int64_t *extent) {
    return guarded_image(type, dimensions, minimum, extent);
}

static inline Image line(Type type, int64_t minimum, int64_t extent) {
    return dense(type, 1, &minimum, &extent);
}

static inline Bits at(const Image *image, int64_t x, int64_t y) {
    return bits_load(image->type, image_at(image, (int64_t[]){x, y, 0, 0}));
}

static inline void put(const Image *image, int64_t x, int64_t y, Bits bits) {
    bits_store(image->type, image_at(image, (int64_t[]){x, y, 0, 0}), bits);
}

static inline void succeed(const Compiled *compiled, const Arguments *arguments) {
    Outcome outcome = jit_call(compiled->jit, arguments);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
}

static inline void refuse(const Compiled *compiled, const Arguments *arguments, int error,
                          const char *message) {
    Outcome outcome = jit_call(compiled->jit, arguments);
    ck_assert_int_eq(outcome.error, error);
    ck_assert_str_eq(outcome.message, message);
}

#endif
