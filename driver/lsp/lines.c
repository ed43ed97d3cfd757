/* lines.c -- places in a text. Here a place is a line and a byte, from 1; in the protocol a line and a
 * UTF-16 unit, from 0, or a byte if the client offers it.
 */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

bool lines_read(Lines *lines, const char *text, size_t length) {
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    size_t *starts = malloc(count * sizeof *starts);
    if (!starts)
        return false;
    free(lines->starts);
    *lines = (Lines){text, length, starts, count};
    starts[0] = 0;
    for (size_t i = 0, line = 1; i < length; i++)
        if (text[i] == '\n')
            starts[line++] = i + 1;
    return true;
}

void lines_free(Lines *lines) {
    free(lines->starts);
    *lines = (Lines){0};
}

/* The offset of the end of a line, before its line break. */
static size_t line_end(const Lines *lines, size_t line) {
    size_t end = line + 1 < lines->count ? lines->starts[line + 1] - 1 : lines->length;
    return end > lines->starts[line] && line + 1 < lines->count && lines->text[end - 1] == '\r'
               ? end - 1
               : end;
}

/* How many bytes the character at an offset has, and how many units. A byte that begins no character
 * counts as one, like U+FFFD. */
static size_t character(const Lines *lines, size_t at, size_t end, size_t *units) {
    unsigned char first = (unsigned char)lines->text[at];
    size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    *units = bytes == 4 ? 2 : 1;
    bool is_cut = at + bytes > end;
    if (is_cut)
        *units = 1;
    return is_cut ? 1 : bytes;
}

/* A number of the protocol, within 0..INT32_MAX. */
static size_t natural(const json_t *number) {
    json_int_t value = json_integer_value(number);
    return value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : (size_t)value;
}

size_t lines_offset(const Lines *lines, const json_t *position, bool is_utf8) {
    size_t line = natural(json_object_get(position, "line"));
    size_t wanted = natural(json_object_get(position, "character")), units = 0;
    if (line >= lines->count)
        return lines->length;
    size_t at = lines->starts[line], end = line_end(lines, line);
    if (is_utf8)
        return wanted < end - at ? at + wanted : end;
    while (at < end && units < wanted) {
        size_t own;
        size_t bytes = character(lines, at, end, &own);
        if (units + own > wanted)
            break; /* between the halves of a character */
        at += bytes;
        units += own;
    }
    return at;
}

EditorPoint lines_point(const Lines *lines, size_t offset) {
    size_t low = 0, high = lines->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (lines->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (EditorPoint){(unsigned)low + 1, (unsigned)(offset - lines->starts[low]) + 1};
}

static size_t count_units(const Lines *lines, size_t from, size_t to, bool is_utf8) {
    size_t units = 0;
    if (is_utf8)
        return to - from;
    while (from < to) {
        size_t own;
        from += character(lines, from, to, &own);
        units += own;
    }
    return units;
}

/* The offset of a point, within its line. */
static size_t offset_of(const Lines *lines, EditorPoint at) {
    if (at.line == 0 || at.line > lines->count)
        return lines->length;
    size_t start = lines->starts[at.line - 1], end = line_end(lines, at.line - 1);
    size_t offset = start + (at.column > 0 ? at.column - 1 : 0);
    return offset < end ? offset : end;
}

json_t *lines_position(const Lines *lines, EditorPoint at, bool is_utf8) {
    size_t line = at.line > lines->count ? lines->count : at.line > 0 ? at.line : 1;
    size_t offset = offset_of(lines, at), start = lines->starts[line - 1];
    return json_pack(
        "{s:I, s:I}", "line", (json_int_t)line - 1, "character",
        (json_int_t)count_units(lines, start, offset < start ? start : offset, is_utf8));
}

size_t lines_units(const Lines *lines, EditorPoint at, unsigned bytes, bool is_utf8) {
    size_t from = offset_of(lines, at);
    EditorPoint end = {at.line, at.column + bytes};
    return count_units(lines, from, offset_of(lines, end), is_utf8);
}
