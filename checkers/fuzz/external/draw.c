/* draw.c -- draws calls of C functions (external.h). */
#include "checkers/fuzz/external/external.h"

#include "codegen/codegen.h"
#include "ir/extern.h"

static void add(Context *context, ExternTable *table, const char *text, void (*function)(void)) {
    ExternEntry *entry = arena_new(context->arena, ExternEntry);
    Symbol name = context_symbol(context, text);
    entry->function = function;
    map_put(&table->functions, name, entry);
    vec_push(context->arena, &table->names, name);
}

void external_register(Context *context) {
    ExternTable *table = arena_new(context->arena, ExternTable);
    *table = (ExternTable){.functions = map_create(context->arena), .call = codegen_call_extern};
    add(context, table, "fuzz_mix_11", (void (*)(void))fuzz_mix_11);
    add(context, table, "fuzz_mix_12", (void (*)(void))fuzz_mix_12);
    add(context, table, "fuzz_mix_21", (void (*)(void))fuzz_mix_21);
    add(context, table, "fuzz_mix_22", (void (*)(void))fuzz_mix_22);
    context->externs = table;
}

/* A func or an image that can be read. */
typedef struct Readable {
    const char *name;
    int dimensions;
} Readable;

/* An image that is too small is refused; a fitted one has the region that is needed. */
static int list_readable(const Case *c, int number, Readable *list) {
    int count = 0;
    for (int i = 0; i < number; i++)
        if (c->funcs[i].components == 1)
            list[count++] = (Readable){c->funcs[i].name, c->funcs[i].dimensions};
    for (int i = 0; i < c->image_count; i++)
        if (c->images[i].fitted)
            list[count++] = (Readable){c->images[i].name, c->images[i].dimensions};
    return count;
}

static const char *coordinate(Arena *arena, const CaseFunc *func, int d, int offset) {
    int k = d < func->dimensions - 1 ? d : func->dimensions - 1;
    return k < 0 ? arena_format(arena, "%d", offset)
                 : arena_format(arena, "%s + %d", case_variables[k], offset);
}

static const char *box_text(Arena *arena, const CaseFunc *func, Readable read, int low, int high) {
    const char *text = arena_format(arena, "%s(", read.name);
    for (int d = 0; d < read.dimensions; d++)
        text = arena_format(arena, "%s%s%s..%s", text, d ? ", " : "",
                            coordinate(arena, func, d, low), coordinate(arena, func, d, high));
    return arena_format(arena, "%s)", text);
}

bool external_generate(Arena *arena, RandomSource *random, Case *c, int number) {
    CaseFunc *func = &c->funcs[number];
    Readable list[CASE_FUNCS + CASE_IMAGES];
    int count = list_readable(c, number, list);
    if (!count)
        return false;
    func->components = func->components > 1 ? 2 : 1;
    for (int i = 0; i < func->components; i++)
        if (type_is_short_float(func->types[i]))
            func->types[i] = F32;
    int inputs = random_chance(random, 40) ? 2 : 1;
    int low = random_between(random, -2, 1), high = low + random_between(random, 0, 2);
    const char *text = arena_format(arena, "extern \"fuzz_mix_%d%d\"(", inputs, func->components);
    for (int i = 0; i < inputs; i++)
        text = arena_format(arena, "%s%s, ", text,
                            box_text(arena, func, list[random_below(random, count)], low, high));
    func->pure = arena_format(arena, "%s%d, %d)", text, low, high);
    func->is_limited = false;
    func->is_external = true;
    return true;
}
