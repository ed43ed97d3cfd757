#include "base/allow.h"

#include <stdlib.h>
#include <string.h>

/* `code` is not terminated. */
struct Allowance {
    uint32_t line;
    const char *code;
};

enum { CODE_LENGTH = 5 };

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\t';
}

static bool is_code(const char *at, const char *end) {
    if (end - at < CODE_LENGTH || *at != 'E')
        return false;
    for (int i = 1; i < CODE_LENGTH; i++)
        if (at[i] < '0' || at[i] > '9')
            return false;
    return true;
}

/* Adds the codes behind `// allow`, for the lines `first` to `last`. */
static void add_codes(Context *context, SourceFile *file, const char *at, const char *end,
                      uint32_t first, uint32_t last) {
    for (uint32_t line = first; line <= last; line++)
        for (const char *code = at; is_code(code, end);) {
            vec_push(context->arena, &file->allowances, ((struct Allowance){line, code}));
            code += CODE_LENGTH;
            while (code < end && (is_blank(*code) || *code == ','))
                code++;
        }
}

static void read_line(Context *context, SourceFile *file, const char *line, const char *end,
                      uint32_t number) {
    static const char WORD[] = "allow";
    const char *first = line, *at = line;
    while (first < end && is_blank(*first))
        first++;
    while (at + 1 < end && !(at[0] == '/' && at[1] == '/'))
        at++;
    bool is_alone = at == first;
    for (at += 2; at < end && is_blank(*at);)
        at++;
    size_t length = sizeof WORD - 1;
    if (at >= end || (size_t)(end - at) <= length || memcmp(at, WORD, length) != 0 ||
        !is_blank(at[length]))
        return;
    for (at += length; at < end && is_blank(*at);)
        at++;
    add_codes(context, file, at, end, number, is_alone ? number + 1 : number);
}

static void read_comments(Context *context, SourceFile *file) {
    file->has_allowances = true;
    const char *end = file->text + file->length;
    uint32_t number = 1;
    for (const char *line = file->text; line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        read_line(context, file, line, stop, number);
        line = stop + 1;
    }
}

static bool allows(Context *context, Place place, const char *code) {
    SourceFile *file = &context->files.data[place.file];
    if (place.line == 0)
        return false;
    if (!file->has_allowances)
        read_comments(context, file);
    size_t low = 0, high = file->allowances.length;
    while (low < high) { /* the lines rise, but that a comment of two lines may overtake the next */
        size_t middle = low + (high - low) / 2;
        if (file->allowances.data[middle].line + 1 < place.line)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < file->allowances.length && file->allowances.data[low].line <= place.line + 1;
         low++)
        if (file->allowances.data[low].line == place.line &&
            memcmp(file->allowances.data[low].code, code, CODE_LENGTH) == 0)
            return true;
    return false;
}

bool allow_at(Context *context, Place place, const Use *use, const char *code) {
    if (strlen(code) != CODE_LENGTH)
        return false;
    bool allowed = allows(context, place, code);
    for (; use && !allowed; use = use->outer)
        allowed = allows(context, use->place, code);
    return allowed;
}
