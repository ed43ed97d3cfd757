/* frontend_support.h -- what the tests of frontend/ share: loading a text, stages as text. */
#ifndef HLC_TESTS_FRONTEND_SUPPORT_H
#define HLC_TESTS_FRONTEND_SUPPORT_H

#include "frontend/frontend.h"
#include "ir/print.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Arena *arena;

static inline void setup(void) {
    context = context_create();
    arena = arena_create(&context->memory);
}

static inline void teardown(void) {
    arena_destroy(arena);
    context_destroy(context);
}

static inline const char *read_file(void *data, Arena *into, const char *path, size_t *length) {
    (void)data;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    enum { MOST = 1 << 20 };
    char *text = arena_allocate(into, MOST);
    *length = fread(text, 1, MOST - 1, file);
    fclose(file);
    return text;
}

static inline Module *load(const char *text) {
    uint32_t file = context_add_file(context, "test.hl", text, strlen(text));
    return frontend_load(context, arena, file, read_file, NULL);
}

/* Loads what must be right. */
static inline Module *good(const char *text) {
    Module *module = load(text);
    if (!module)
        diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(module);
    return module;
}

/* Stage `number` of the func as text: `(indices) <- values if predicate`. */
static inline char *stage_text(const Module *module, const char *func_name, size_t number) {
    const Pipeline *pipeline = module->pipelines.data[0];
    const Func *func = pipeline_func(pipeline, context_symbol(context, func_name));
    ck_assert_ptr_nonnull(func);
    ck_assert_uint_lt(number, func->stages.length);
    const Stage *stage = func->stages.data[number];
    char *text = arena_format(arena, "(");
    for (int i = 0; i < func->shape->dimensions; i++)
        text =
            arena_format(arena, "%s%s%s", text, i ? ", " : "", expr_text(arena, stage->indices[i]));
    text = arena_format(arena, "%s) <-", text);
    for (int i = 0; i < func->shape->components; i++)
        text =
            arena_format(arena, "%s%s %s", text, i ? "," : "", expr_text(arena, stage->values[i]));
    if (stage->predicate)
        text = arena_format(arena, "%s if %s", text, expr_text(arena, stage->predicate));
    return text;
}

#define check_stage(module, func, number, text)                                                    \
    ck_assert_str_eq(stage_text((module), (func), (number)), (text))

/* Is the text refused, with this code first? */
#define check_refused(text, code_wanted)                                                           \
    do {                                                                                           \
        ck_assert_ptr_null(load(text));                                                            \
        ck_assert_str_eq(diag_info(context->reports.data[0].code)->code, (code_wanted));           \
    } while (0)

#endif
