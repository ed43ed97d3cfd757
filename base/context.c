#include "base/context.h"

#include <stdlib.h>
#include <string.h>

static const Limits default_limits = {
    .source_bytes = 4 << 20,
    .nesting = 256,
    .expression_nodes = 1 << 20,
    .funcs = 4096,
    .stages = 256,
    .dimensions = 8,
    .tuple_elements = 16,
    .parameters = 256,
    .outputs = 512,
    .directives = 65536,
    .loops = 64,
    .import_depth = 32,
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
    SourceFile file = {arena_text(context->arena, path, strlen(path)),
                       arena_text(context->arena, text, length), length};
    vec_push(context->arena, &context->files, file);
    return (uint32_t)(context->files.length - 1);
}

bool context_set_limit(Context *context, const char *name, size_t value) {
    Limits *limits = &context->limits;
    const struct {
        const char *name;
        size_t *field;
    } FIELDS[] = {{"source_bytes", &limits->source_bytes},
                  {"nesting", &limits->nesting},
                  {"expression_nodes", &limits->expression_nodes},
                  {"funcs", &limits->funcs},
                  {"stages", &limits->stages},
                  {"dimensions", &limits->dimensions},
                  {"tuple_elements", &limits->tuple_elements},
                  {"parameters", &limits->parameters},
                  {"outputs", &limits->outputs},
                  {"directives", &limits->directives},
                  {"loops", &limits->loops},
                  {"copies", &limits->copies},
                  {"import_depth", &limits->import_depth}};
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        if (strcmp(FIELDS[i].name, name) == 0) {
            *FIELDS[i].field = value;
            return true;
        }
    return false;
}
