/* case.c -- writes a case as text: the .hl file with pipeline `p` and schedule `s`, and the values
 * of a command line that runs it.  The text is the case: `hlc check` on it does what the fuzzer
 * did. */
#include "checkers/fuzz/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_inputs(FILE *out, const Case *c) {
    static const char *const layouts[] = {[LAYOUT_PLANAR] = "",
                                          [LAYOUT_INTERLEAVED] = ", interleaved",
                                          [LAYOUT_STRIDED] = ", strided"};
    for (int i = 0; i < c->image_count; i++)
        fprintf(out, "%s%s: image<%s, %d%s>", i ? ", " : "", c->images[i].name,
                type_name(c->images[i].type), c->images[i].dimensions,
                layouts[c->images[i].layout]);
    for (int i = 0; i < c->parameter_count; i++) {
        const CaseParameter *p = &c->parameters[i];
        fprintf(out, "%s%s: %s = %s", i || c->image_count ? ", " : "", p->name, type_name(p->type),
                p->value);
        if (p->lower <= p->upper)
            fprintf(out, " in %d..%d", p->lower, p->upper);
    }
}

static void print_header(FILE *out, const Case *c) {
    fputs("pipeline p(", out);
    print_inputs(out, c);
    fputs(") -> (", out);
    bool first = true;
    for (int f = 0; f < c->func_count; f++)
        if (c->funcs[f].is_output) {
            bool is_interleaved =
                c->funcs[f].layout == LAYOUT_INTERLEAVED && c->funcs[f].dimensions == 3;
            int shared = c->funcs[f].shared;
            fprintf(out, "%s%s%s%s%s%s", first ? "" : ", ", c->funcs[f].name,
                    c->funcs[f].size ? c->funcs[f].size : "", is_interleaved ? ": interleaved" : "",
                    shared ? " in " : "", shared ? c->images[shared - 1].name : "");
            first = false;
        }
    static const char *const grants[2][2] = {
        {"", " with reassociation"}, {" with contraction", " with contraction, reassociation"}};
    fprintf(out, ")%s {\n", grants[c->contraction][c->reassociation]);
    for (int i = 0; i < c->image_count; i++)
        if (c->images[i].boundary)
            fprintf(out, "    let b%s = %s;\n", c->images[i].name, c->images[i].boundary);
    for (size_t i = 0; i < c->statements.length; i++)
        fprintf(out, "    %s;\n", c->statements.data[i]);
}

static const char *const variables[] = {"", "x", "x, y", "x, y, c"};

static void print_types(FILE *out, const CaseFunc *func) {
    fputs(func->components > 1 ? ": {" : ": ", out);
    for (int i = 0; i < func->components; i++)
        fprintf(out, "%s%s", i ? ", " : "", type_name(func->types[i]));
    fputs(func->components > 1 ? "}" : "", out);
}

/* Declares all equations, so they may stand in any order. */
static void print_equations(FILE *out, const Case *c) {
    fprintf(out, "    recurrence (%s) {\n", c->domain);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < c->equation_count; i++) {
            const CaseFunc *func = &c->funcs[c->first_equation + i];
            fprintf(out, "        fun %s(%s)", func->name, variables[func->dimensions]);
            print_types(out, func);
            if (pass)
                fprintf(out, " = %s", func->pure);
            fputs(";\n", out);
        }
    fputs("    }\n", out);
}

static void print_func(FILE *out, const CaseFunc *func) {
    fprintf(out, "    fun %s(%s)", func->name, variables[func->dimensions]);
    if (func->is_external)
        print_types(out, func);
    fputs(" = ", out);
    if (!func->updates.length && !func->let) {
        fprintf(out, "%s;\n", func->pure);
        return;
    }
    fprintf(out, "{\n");
    if (func->let)
        fprintf(out, "        %s\n", func->let);
    fprintf(out, "        %s;\n", func->pure);
    for (size_t i = 0; i < func->updates.length; i++)
        fprintf(out, "        %s;\n", func->updates.data[i].text);
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
    for (int i = 0; i < c->func_count; i++) {
        bool is_equation =
            c->domain && i >= c->first_equation && i < c->first_equation + c->equation_count;
        if (is_equation && i == c->first_equation)
            print_equations(out, c);
        if (!is_equation)
            print_func(out, &c->funcs[i]);
    }
    for (int i = 0; i < c->func_count; i++)
        if (c->funcs[i].is_output && c->funcs[i].require)
            fprintf(out, "    require(%s, \"the window of %s\");\n", c->funcs[i].require,
                    c->funcs[i].name);
    fputs("}\n\nschedule s for p {\n", out);
    for (size_t i = 0; i < c->directives.length; i++)
        fprintf(out, "    %s;\n", c->directives.data[i]);
    fputs("}\n", out);
    return take_text(arena, out, &text, &length);
}

static void print_box(FILE *out, const CaseBox *box, int dimensions) {
    for (int d = 0; d < dimensions; d++)
        fprintf(out, "%s%" PRId64, d ? "x" : "", box->extent[d]);
    for (int d = 0; d < dimensions; d++)
        fprintf(out, "+%" PRId64, box->minimum[d]);
}

char *case_arguments(Arena *arena, const Case *c, const CaseBox *boxes) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const char *space = "";
    for (int i = 0; i < c->parameter_count; i++, space = " ")
        fprintf(out, "%s%s=%s", space, c->parameters[i].name, c->parameters[i].value);
    for (int i = 0; i < c->image_count; i++, space = " ") {
        const CaseImage *image = &c->images[i];
        fprintf(out, "%s%s=%s:", space, image->name, image->fill);
        if (image->fill[1] != 'a' || image->fill[2] != 'm') /* a ramp has no seed */
            fprintf(out, "%" PRIu64 ":", c->data_seed + (uint64_t)i);
        print_box(out, &boxes[i], image->dimensions);
    }
    for (int f = 0; f < c->func_count; f++)
        if (c->funcs[f].is_output && c->funcs[f].dimensions) {
            fprintf(out, "%s%s=", space, c->funcs[f].name);
            print_box(out, &c->funcs[f].window, c->funcs[f].dimensions);
            space = " ";
        }
    return take_text(arena, out, &text, &length);
}
