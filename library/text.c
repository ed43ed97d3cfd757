/* text.c -- see text.h. */
#include "library/text.h"

#include <inttypes.h>

const char *text_value(Arena *arena, Type type, Bits bits) {
    char text[64];
    value_print(type, bits, text, sizeof text);
    return arena_format(arena, "%s", text);
}

const char *text_point(Arena *arena, const int64_t *point, int dimensions) {
    const char *text = "";
    for (int d = 0; d < dimensions; d++)
        text = arena_format(arena, "%s%s%" PRId64, text, d ? ", " : "", point[d]);
    return text;
}

const char *text_box(Arena *arena, const Image *box, bool with_minimum) {
    const char *text = "";
    for (int d = 0; d < box->dimensions; d++)
        text = arena_format(arena, "%s%s%" PRId64, text, d ? "x" : "", box->extent[d]);
    for (int d = 0; with_minimum && d < box->dimensions; d++)
        text = arena_format(arena, "%s+%" PRId64, text, box->minimum[d]);
    return text;
}

const char *text_place(Arena *arena, const Context *context, Place place) {
    return place.line ? arena_format(arena, "%s:%u:%u", context->files.data[place.file].path,
                                     place.line, place.column)
                      : NULL;
}
