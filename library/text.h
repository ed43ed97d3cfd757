/* text.h -- values, points, boxes and places as text, in an arena. */
#ifndef HLC_LIBRARY_TEXT_H
#define HLC_LIBRARY_TEXT_H

#include "base/context.h"
#include "ir/argument.h"

/* Prints a value in the language's syntax: "3", "true", "0.5". */
const char *text_value(Arena *arena, Type type, Bits bits);
/* "3, -4" */
const char *text_point(Arena *arena, const int64_t *point, int dimensions);
/* "640x480"; `with_minimum`, "640x480+0+-1". */
const char *text_box(Arena *arena, const Image *box, bool with_minimum);
/* "examples/blur.hl:3:5"; null for no place. */
const char *text_place(Arena *arena, const Context *context, Place place);

#endif
