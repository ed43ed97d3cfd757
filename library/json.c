/* json.c -- see json.h. */
#include "library/json.h"

#include "base/printable.h"

#include <string.h>

void json_text(const char *text, FILE *out) {
    fputc('"', out);
    uint32_t character;
    for (size_t length = strlen(text), size; length > 0; text += size, length -= size) {
        size = printable_read(text, length, &character);
        if (character == '"' || character == '\\')
            fprintf(out, "\\%c", *text);
        else if (character == '\n')
            fputs("\\n", out);
        else if (printable_is(character))
            fwrite(text, 1, size, out);
        else
            fprintf(out, "\\u%04x", (unsigned)character);
    }
    fputc('"', out);
}

void json_begin(const char *kind, FILE *out) {
    fputs("{\"kind\":", out);
    json_text(kind, out);
}

void json_member(const char *name, const char *text, FILE *out) {
    fprintf(out, ",\"%s\":", name);
    if (text)
        json_text(text, out);
    else
        fputs("null", out);
}

void json_end(FILE *out) {
    fputs("}\n", out);
}
