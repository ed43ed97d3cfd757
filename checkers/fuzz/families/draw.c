/* draw.c -- a whole program: files' names, constants, items, outputs, schedules. */
#include "checkers/fuzz/families/families.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE_PROGRAM = 60000 };

static void draw_constants(Writer *w, FamilyProgram *program, const char **text) {
    program->constant_count = random_between(&w->random, 1, FAMILY_CONSTANTS);
    for (int i = 0; i < program->constant_count; i++) {
        const char *name = family_new_name(w);
        int value = random_below(&w->random, 4), other = random_below(&w->random, 4);
        program->constants[i] = name;
        program->values[i] =
            random_chance(&w->random, 70) ? arena_format(w->arena, "%d", value) : NULL;
        *text = arena_format(w->arena, "%sconst %s = %d in 0..3, ", *text, name, other);
        Entity *entity = family_entity(w, ENTITY_NUMBER, name);
        entity->number = program->values[i] ? value : other;
        entity->is_static = entity->is_size = true;
        family_push(w, name, entity);
    }
}

/* Images and a number; variables may not have their names. */
static void draw_inputs(Writer *w) {
    Entity *number = family_entity(w, ENTITY_VALUE, "in0");
    number->flat = "in0";
    family_push(w, "in0", number);
    for (int i = 1; i < 3; i++) {
        Entity *image = family_entity(w, ENTITY_FUNC, NULL);
        const char *name = arena_format(w->arena, "in%d", i);
        const char *path =
            arena_format(w->arena, i == 1 ? "repeat_edge(%s)" : "mirror_image(%s)", name);
        image->path = (Pair){path, path};
        image->dimensions = i == 1 ? 2 : 3;
        family_push(w, name, image);
    }
}

static void draw_output(Writer *w) {
    Pair variables[FAMILY_DIMENSIONS];
    bool is_pure;
    family_fun(w, "out", "out", 2, true, variables, &is_pure);
    family_target(w, "out", "", NULL, variables, is_pure);
    family_fun(w, "side", "side", 2, true, variables, &is_pure);
    family_target(w, "side", "", NULL, variables, is_pure);
}

static void draw_item(Writer *w) {
    int kind = random_below(&w->random, 16);
    if (kind < 8)
        family_plain_item(w);
    else if (kind == 8)
        family_template(w);
    else if (kind > 11 || !family_instance(w))
        family_several(w);
}

static void draw_pipeline(Writer *w, FamilyProgram *program) {
    const char *constants = "";
    static const char inputs[] = "in0: i32 = 3, in1: image<i32, 2>, in2: image<i32, 3>";
    w->used.length = 0; /* the names of files may be used again */
    const Scope *outer = w->scope;
    draw_constants(w, program, &constants);
    family_print(w, "\npipeline p(%s%s) -> (out, side) {\n", constants, inputs);
    family_print_flat(w, "pipeline p(%s) -> (out, side) {\n", inputs);
    w->indent++;
    draw_inputs(w);
    if (random_chance(&w->random, 50)) {
        Entity *image = family_entity(w, ENTITY_FUNC, family_new_name(w));
        image->flat = "repeat_edge(in1)";
        image->dimensions = 2;
        family_print(w, "let %s = repeat_edge(in1);\n", image->name);
        family_push(w, image->name, image);
    }
    for (int i = random_between(&w->random, 3, 8); i > 0; i--)
        draw_item(w);
    draw_output(w);
    w->indent--;
    family_print(w, "}\n");
    family_print_flat(w, "}\n");
    family_schedules(w);
    w->scope = outer;
}

void family_draw(Arena *arena, uint64_t seed, bool renames, FamilyProgram *program) {
    char *written, *flat;
    size_t written_length, flat_length;
    Writer w = {.arena = arena, .random = {seed}, .live = true, .prints = true, .renames = renames};
    *program = (FamilyProgram){.renamed = 0};
    w.written = open_memstream(&written, &written_length);
    w.flat = open_memstream(&flat, &flat_length);
    random_bits(&w.random);
    w.pool = random_between(&w.random, 3, 18);
    for (int i = random_between(&w.random, 0, 4); i > 0; i--)
        if (random_chance(&w.random, 30))
            family_template(&w);
        else
            family_file_item(&w);
    family_commands(&w);
    draw_pipeline(&w, program);
    fclose(w.written);
    fclose(w.flat);
    program->written = arena_text(arena, written, written_length);
    program->flat = arena_text(arena, flat, flat_length);
    program->renamed = w.renamed;
    program->is_large = w.flat_size > LARGE_PROGRAM;
    free(written);
    free(flat);
}

const char *family_arguments(Arena *arena, const FamilyProgram *program) {
    const char *text = "";
    for (int i = 0; i < program->constant_count; i++)
        if (program->values[i])
            text = arena_format(arena, "%s %s=%s", text, program->constants[i], program->values[i]);
    return text;
}
