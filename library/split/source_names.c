/* source_names.c -- appends to a text, and calls things by identifiers: a member of a family, `g[3].dx`,
 * gets another name. See source.h. */
#include "library/split/source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

void source_put(SourceText *source, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    vec_reserve(source->arena, &source->text, source->text.length + (size_t)length + 1);
    vsnprintf(source->text.data + source->text.length, (size_t)length + 1, format, arguments);
    source->text.length += (size_t)length;
    va_end(arguments);
}

bool source_is_identifier(const char *text) {
    bool good = isalpha((unsigned char)*text) || *text == '_';
    for (; *text && good; text++)
        good = isalnum((unsigned char)*text) || *text == '_';
    return good;
}

static Symbol symbol_of(SourceText *source, const char *text) {
    return context_symbol(source->pipeline->pool->context, text);
}

const char *source_free_name(SourceText *source, const char *stem) {
    Symbol name = symbol_of(source, stem);
    for (int n = 2; map_get(&source->taken, name); n++)
        name = symbol_of(source, arena_format(source->arena, "%s_%d", stem, n));
    map_put(&source->taken, name, name);
    return name->text;
}

const char *source_name(SourceText *source, Symbol name) {
    const char *known = map_get(&source->names, name);
    if (known)
        return known;
    char *text = arena_text(source->arena, name->text, name->length);
    bool is_kept = source_is_identifier(text);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
    known = is_kept ? name->text : source_free_name(source, text);
    map_put(&source->names, name, known);
    return known;
}
