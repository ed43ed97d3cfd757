/* format.c -- prints one .hl file in the canonical layout. */
#include "library/compiler.h"

#include "frontend/ast.h"
#include "frontend/format.h"

#include <errno.h>
#include <string.h>

typedef struct FormatRequest {
    const char *path;
    bool *is_formatted;
    FILE *out;
} FormatRequest;

static hlc_status format(hlc *h, void *data) {
    const FormatRequest *request = data;
    bool standard = strcmp(request->path, "-") == 0;
    const char *name = standard ? "standard input" : request->path;
    size_t length = 0, formatted_length;
    const char *text =
        compiler_read_text(h, h->scratch, standard ? "/dev/stdin" : request->path, &length);
    if (!text)
        return compiler_unread_text(h, name);
    uint32_t file = context_add_file(h->context, name, text, length);
    size_t errors = diag_error_count(h->context);
    parse_file(h->context, h->scratch, file);
    if (diag_error_count(h->context) > errors)
        return HLC_USER;
    const char *formatted = format_file(h->context, h->scratch, file, &formatted_length);
    *request->is_formatted = formatted_length == length && memcmp(formatted, text, length) == 0;
    fwrite(formatted, 1, formatted_length, request->out);
    return HLC_YES;
}

hlc_status hlc_format(hlc *h, const char *path, bool *is_formatted, FILE *out) {
    if (!path)
        return compiler_null(h, "path");
    if (!is_formatted)
        return compiler_null(h, "is_formatted");
    if (!out)
        return compiler_null(h, "out");
    FormatRequest request = {.path = path, .is_formatted = is_formatted, .out = out};
    return compiler_enter(h, format, &request);
}
