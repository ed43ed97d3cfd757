#include "frontend/warnings/watch.h"

#include <string.h>

Watch *watch_create(Context *context, Arena *arena, uint32_t file) {
    Watch *watch = arena_new(arena, Watch);
    watch->context = context;
    watch->arena = arena;
    watch->file = file;
    watch->used = map_create(arena);
    watch->needed = map_create(arena);
    watch->defined = map_create(arena);
    watch->operations = map_create(arena);
    return watch;
}

/* A place as a key of a map; null: nowhere, or so far to the right that it is not watched. */
static const void *key_of(Place place) {
    enum { COLUMN_BITS = 16, LINE_BITS = 32 };
    if (place.line == 0 || place.column >> COLUMN_BITS || place.file >> COLUMN_BITS)
        return NULL;
    uint64_t key = ((uint64_t)place.file << (LINE_BITS + COLUMN_BITS)) |
                   ((uint64_t)place.line << COLUMN_BITS) | place.column;
    return (const void *)(uintptr_t)key; // NOLINT: a number
}

static void define(Watch *watch, Watched watched) {
    const void *key = key_of(watched.name.place);
    if (!key || watched.name.place.file != watch->file || map_get(&watch->defined, key))
        return;
    map_put(&watch->defined, key, watch);
    vec_push(watch->arena, &watch->names, watched);
}

void watch_define(Watch *watch, const char *kind, NameSyntax name) {
    if (watch)
        define(watch, (Watched){kind, name, &watch->used});
}

/* `g` of `g[3].dx`: the members of a family are defined at one place. */
void watch_func(Watch *watch, Symbol name, Place definition, bool is_needed) {
    size_t length = strcspn(name->text, "[.");
    const void *key = key_of(definition);
    if (!key)
        return;
    Symbol first = symbol_intern(&watch->context->symbols, name->text, length);
    define(watch, (Watched){"func", {first, definition}, &watch->needed});
    if (is_needed)
        map_put(&watch->needed, key, watch);
}

void watch_use(Watch *watch, Place definition) {
    const void *key = watch ? key_of(definition) : NULL;
    if (key)
        map_put(&watch->used, key, watch);
}

bool watch_is_used(const Watched *watched) {
    return map_get(watched->uses, key_of(watched->name.place));
}

void watch_choice(Watch *watch) {
    if (watch)
        watch->chooses = true;
}

bool watch_is_by_zero(Expr expr) {
    int64_t divisor;
    return (expr->op == OP_DIV || expr->op == OP_MOD) &&
           expr_constant_integer(expr->arguments[1], &divisor) && divisor == 0;
}

void watch_operation(Watch *watch, Expr expr, Place place) {
    if (!watch)
        return;
    bool is_sum = expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL;
    bool is_narrow = type_is_machine_integer(expr->type) && expr->type.bits <= WATCHED_BITS;
    if (!(is_sum && is_narrow) && !watch_is_by_zero(expr))
        return;
    if (map_get(&watch->operations, expr))
        return;
    WatchedOperation *operation = arena_new(watch->arena, WatchedOperation);
    *operation = (WatchedOperation){place, watch->context->use};
    map_put(&watch->operations, expr, operation);
}
