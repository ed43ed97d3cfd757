#include "base/context.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const Limits default_limits = {
    .source_bytes = 4 << 20,
    .nesting = 256,
    .expression_nodes = 1 << 20,
    .funcs = 16384,
    .stages = 256,
    .dimensions = 8,
    .tuple_elements = 16,
    .parameters = 256,
    .outputs = 512,
    .directives = 65536,
    .loops = 64,
    .import_depth = 32,
    .table_elements = 100000,
    .conditions = 1024,
    .expansion_steps = 1 << 22,
    .copies = 4096,
};

/* Everything of a new context that takes memory; apart, so that no local lives across the setjmp.
 */
static void fill_in(Context *context) {
    context->arena = arena_create(&context->memory);
    context->symbols.arena = context->arena;
    context->limits = default_limits;
#if defined(__SANITIZE_ADDRESS__) || defined(HLC_CHECKS_ORDER)
    context->checks_order = context->verifies = true;
#endif
    context_add_file(context, "", "", 0);
}

Context *context_create(void) {
    Context *volatile context = calloc(1, sizeof(Context));
    if (!context)
        return NULL;
    jmp_buf failed;
    context->memory.fail_after = -1;
    context->memory.on_failure = &failed;
    if (setjmp(failed)) {
        arena_destroy(context->arena);
        free(context);
        return NULL;
    }
    fill_in(context);
    context->memory.on_failure = NULL;
    return context;
}

void context_destroy(Context *context) {
    if (!context)
        return;
    arena_destroy(context->arena);
    free(context);
}

uint32_t context_add_file(Context *context, const char *path, const char *text, size_t length) {
    static const char BYTE_ORDER_MARK[] = {'\xEF', '\xBB', '\xBF'};
    if (length >= sizeof BYTE_ORDER_MARK &&
        memcmp(text, BYTE_ORDER_MARK, sizeof BYTE_ORDER_MARK) == 0) {
        text += sizeof BYTE_ORDER_MARK;
        length -= sizeof BYTE_ORDER_MARK;
    }
    SourceFile file = {.path = arena_text(context->arena, path, strlen(path)),
                       .text = arena_text(context->arena, text, length),
                       .length = length};
    vec_push(context->arena, &context->files, file);
    return (uint32_t)(context->files.length - 1);
}

typedef struct LimitField {
    const char *name;
    size_t offset;
    bool is_fixed; /* parts of the compiler are built for it */
} LimitField;

#define FIELD(NAME) #NAME, offsetof(Limits, NAME)
static const LimitField FIELDS[] = {
    {FIELD(source_bytes), false},
    {FIELD(nesting), false},
    {FIELD(expression_nodes), false},
    {FIELD(funcs), false},
    {FIELD(stages), false},
    {FIELD(dimensions), true},
    {FIELD(tuple_elements), true},
    {FIELD(parameters), false},
    {FIELD(outputs), false},
    {FIELD(directives), false},
    {FIELD(loops), true},
    {FIELD(copies), false},
    {FIELD(conditions), false},
    {FIELD(table_elements), false},
    {FIELD(import_depth), false},
    {FIELD(expansion_steps), false},
};
#undef FIELD

enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

static size_t *limit_at(Context *context, const LimitField *field) {
    return (size_t *)(void *)((char *)&context->limits + field->offset);
}

static const LimitField *find_limit(const char *name) {
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(FIELDS[i].name, name) == 0)
            return &FIELDS[i];
    return NULL;
}

bool context_set_limit(Context *context, const char *name, size_t value) {
    const LimitField *field = find_limit(name);
    if (field)
        *limit_at(context, field) = value;
    return field;
}

bool context_lower_limit(Context *context, const char *name, size_t value) {
    const LimitField *field = find_limit(name);
    return field && !field->is_fixed && value <= *limit_at(context, field) &&
           context_set_limit(context, name, value);
}

const char *context_limits_text(Context *context, Arena *arena) {
    const char *text = "";
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (!FIELDS[i].is_fixed)
            text = arena_format(arena, "%s%s%s %zu", text, *text ? ", " : "", FIELDS[i].name,
                                *limit_at(context, &FIELDS[i]));
    return text;
}
