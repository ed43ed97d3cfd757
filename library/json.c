/* json.c -- see json.h. */
#include "library/json.h"

void json_text(const char *text, FILE *out) {
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", out);
        else if (*c < ' ')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
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
