/* names.c -- names in scope, and texts in both forms.  The written form draws its names from a small
 * pool, so that files, pipelines, templates, bodies, loops and variables share them. */
#include "checkers/fuzz/families/families.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

Entity *family_entity(Writer *w, EntityKind kind, const char *name) {
    Entity *entity = arena_new(w->arena, Entity);
    entity->kind = kind;
    entity->name = name;
    return entity;
}

void family_push(Writer *w, const char *name, Entity *entity) {
    Scope *scope = arena_new(w->arena, Scope);
    *scope = (Scope){name, entity, w->scope};
    w->scope = scope;
}

static const Entity *find(const Writer *w, const char *name) {
    const Scope *scope = w->scope;
    while (scope && strcmp(scope->name, name) != 0)
        scope = scope->outer;
    return scope ? scope->entity : NULL;
}

bool family_is_known(const Writer *w, const char *name) {
    return find(w, name) != NULL;
}

bool family_is_visible(const Writer *w, const Entity *entity) {
    bool is_behind = entity->needs[0] != NULL;
    for (int i = 0; i < 2; i++)
        if (entity->needs[i] && !family_is_visible(w, entity->needs[i]))
            return false;
    if (!is_behind && entity->name && find(w, entity->name) != entity)
        return false;
    if (entity->limit && !family_is_visible(w, entity->limit))
        return false;
    return !entity->inner || family_is_visible(w, entity->inner);
}

Entity *family_pick(Writer *w, EntityKind kind, int dimensions) {
    Entities found = {0};
    for (const Scope *scope = w->scope; scope; scope = scope->outer) {
        Entity *entity = scope->entity;
        bool is_kind = entity && entity->kind == kind &&
                       (!dimensions || (entity->dimensions == dimensions && !entity->has_rest));
        if (is_kind && family_is_visible(w, entity))
            vec_push(w->arena, &found, entity);
    }
    return found.length ? found.data[random_below(&w->random, (int)found.length)] : NULL;
}

static bool has(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static const char *draw_name(Writer *w) {
    static const char *const pool[] = {"a", "k", "f", "x", "g", "v", "n", "y", "w",
                                       "s", "b", "r", "h", "c", "m", "p", "q", "t"};
    return pool[random_below(&w->random, w->pool)];
}

const char *family_other_name(Writer *w, const char *const *names, size_t count) {
    const char *name = draw_name(w);
    for (int i = 2; has(w->fixed.data, w->fixed.length, name) || has(names, count, name); i++)
        name = arena_format(w->arena, "%c%d", name[0], i);
    return name;
}

const char *family_any_name(Writer *w) {
    return family_other_name(w, NULL, 0);
}

const char *family_new_name(Writer *w) {
    const char *name = draw_name(w);
    for (int i = 2;
         has(w->fixed.data, w->fixed.length, name) || has(w->used.data, w->used.length, name); i++)
        name = arena_format(w->arena, "%c%d", name[0], i);
    vec_push(w->arena, &w->used, name);
    return name;
}

void family_leave_block(Writer *w, const Scope *outer) {
    Vec(const char *) names = {0};
    for (const Scope *scope = w->scope; scope != outer; scope = scope->outer)
        vec_push(w->arena, &names, scope->name);
    w->scope = outer;
    for (size_t i = 0; i < names.length; i++)
        family_push(w, names.data[i], NULL);
}

/* ---- texts ---- */

static const char *take(Writer *w, FILE *out, char **text, size_t *length) {
    fclose(out);
    const char *kept = arena_text(w->arena, *text, *length);
    free(*text);
    return kept;
}

Pair family_pair(Writer *w, const char *format, ...) {
    char *written, *flat;
    size_t written_length, flat_length;
    FILE *first = open_memstream(&written, &written_length);
    FILE *second = open_memstream(&flat, &flat_length);
    va_list list;
    va_start(list, format);
    for (const char *at = format; *at; at++) {
        if (*at != '@') {
            fputc(*at, first);
            fputc(*at, second);
            continue;
        }
        Pair part = va_arg(list, Pair);
        fputs(part.written, first);
        fputs(part.flat, second);
    }
    va_end(list);
    Pair pair = {take(w, first, &written, &written_length), take(w, second, &flat, &flat_length)};
    return pair;
}

void family_print(Writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (w->prints) {
        fprintf(w->written, "%*s", 4 * w->indent, "");
        vfprintf(w->written, format, list);
    }
    va_end(list);
}

void family_print_flat(Writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (w->live)
        w->flat_size += (size_t)vfprintf(w->flat, format, list);
    va_end(list);
}
