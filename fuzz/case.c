#include "fuzz/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_header(FILE *out, const Case *c) {
    fputs("pipeline p(", out);
    for (int i = 0; i < c->image_count; i++)
        fprintf(out, "%s%s: image<%s, %d>", i ? ", " : "", c->images[i].name, c->images[i].type,
                c->images[i].dimensions);
    for (int i = 0; i < c->parameter_count; i++) {
        const CaseParameter *p = &c->parameters[i];
        fprintf(out, "%s%s: %s = %d in %d..%d", i || c->image_count ? ", " : "", p->name, p->type,
                p->lower, p->lower, p->upper);
    }
    fprintf(out, ") -> %s {\n", c->funcs[c->func_count - 1].name);
    for (int i = 0; i < c->image_count; i++)
        if (c->images[i].boundary)
            fprintf(out, "    let b%s = %s;\n", c->images[i].name, c->images[i].boundary);
}

static void print_func(FILE *out, const CaseFunc *func) {
    fprintf(out, "    fun %s(%s) = ", func->name, func->dimensions == 2 ? "x, y" : "x");
    if (!func->updates.length) {
        fprintf(out, "%s;\n", func->pure);
        return;
    }
    fprintf(out, "{\n        %s;\n", func->pure);
    for (size_t i = 0; i < func->updates.length; i++)
        fprintf(out, "        %s;\n", func->updates.data[i]);
    fputs("    }\n", out);
}

/* The text of an open_memstream, moved into the arena. */
static char *take_text(Arena *arena, FILE *out, char **text, size_t *length) {
    fclose(out);
    char *copy = arena_text(arena, *text, *length);
    free(*text);
    return copy;
}

char *case_text(Arena *arena, const Case *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    print_header(out, c);
    for (int i = 0; i < c->func_count; i++)
        print_func(out, &c->funcs[i]);
    fputs("}\n\nschedule s for p {\n", out);
    for (size_t i = 0; i < c->directives.length; i++)
        fprintf(out, "    %s;\n", c->directives.data[i]);
    fputs("}\n", out);
    return take_text(arena, out, &text, &length);
}

static void print_box(FILE *out, const int64_t *minimum, const int64_t *extent, int dimensions) {
    for (int d = 0; d < dimensions; d++)
        fprintf(out, "%s%" PRId64, d ? "x" : "", extent[d]);
    for (int d = 0; d < dimensions; d++)
        fprintf(out, "+%" PRId64, minimum[d]);
}

char *case_arguments(Arena *arena, const Case *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (int i = 0; i < c->parameter_count; i++)
        fprintf(out, "%s=%d ", c->parameters[i].name, c->parameters[i].value);
    for (int i = 0; i < c->image_count; i++) {
        const CaseImage *image = &c->images[i];
        fprintf(out, "%s=random:%" PRIu64 ":", image->name, c->data_seed + (uint64_t)i);
        print_box(out, image->minimum, image->extent, image->dimensions);
        fputc(' ', out);
    }
    const CaseFunc *output = &c->funcs[c->func_count - 1];
    fprintf(out, "%s=", output->name);
    print_box(out, c->window_minimum, c->window_extent, output->dimensions);
    return take_text(arena, out, &text, &length);
}
