#include "base/diag.h"

#include "base/allow.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ERRORS = 100, MOST_WARNINGS = 100 };

static const DiagInfo table[DIAG_COUNT] = {
#define DIAG(NAME, CODE, SEVERITY, MESSAGE, REMEDY)                                                \
    [DIAG_##NAME] = {#NAME, CODE, SEVERITY_##SEVERITY, MESSAGE, REMEDY},
#include "base/diag.def"
#undef DIAG
};

const DiagInfo *diag_info(DiagCode code) {
    return &table[code];
}

/* `format` with %1 .. %9 replaced. */
static const char *fill(Arena *arena, const char *format, const char *const *arguments) {
    size_t count = 0, length = 1;
    while (arguments[count])
        length += strlen(arguments[count++]);
    /* No argument is used more than three times in any row. */
    char *text = arena_allocate(arena, strlen(format) + 3 * length), *out = text;
    for (const char *in = format; *in; in++) {
        if (in[0] == '%' && in[1] >= '1' && in[1] <= '9') {
            size_t index = (size_t)(in[1] - '1');
            hlc_assert(index < count, "a diagnostic gets a string for each hole of its text");
            size_t size = strlen(arguments[index]);
            memcpy(out, arguments[index], size);
            out += size;
            in++;
        } else {
            *out++ = *in;
        }
    }
    return text;
}

static bool is_repeated(const Context *context, const Report *report) {
    for (size_t i = 0; i < context->reports.length; i++) {
        const Report *other = &context->reports.data[i];
        if (other->code == report->code && other->place.file == report->place.file &&
            other->place.line == report->place.line &&
            other->place.column == report->place.column &&
            strcmp(other->message, report->message) == 0)
            return true;
    }
    return false;
}

static void record(Context *context, const Report *report) {
    if (is_repeated(context, report))
        return;
    vec_push(context->arena, &context->reports, *report);
    context->error_count += report->severity == SEVERITY_ERROR;
    context->warning_count += report->severity == SEVERITY_WARNING;
}

/* Those beyond the most that are kept are counted only. */
static bool is_beyond(Context *context, Severity severity) {
    bool error = severity == SEVERITY_ERROR && context->error_count >= MOST_ERRORS;
    bool warning = severity == SEVERITY_WARNING && context->warning_count >= MOST_WARNINGS;
    context->error_count += error;
    context->warning_count += warning;
    return error || warning;
}

/* Is the report dropped?  A warning or note may be denied, and so be an error. */
static bool is_dropped(Context *context, DiagCode code, Place place, Severity *severity) {
    const DiagInfo *info = diag_info(code);
    *severity = info->severity;
    if (info->severity != SEVERITY_ERROR) {
        if (context->attitudes[code] == ATTITUDE_ALLOW ||
            allow_at(context, place, context->use, info->code))
            return true;
        if (context->attitudes[code] == ATTITUDE_DENY)
            *severity = SEVERITY_ERROR;
    }
    return is_beyond(context, *severity);
}

void diag_record_(Context *context, DiagCode code, Place place, const char *const *arguments) {
    const DiagInfo *info = diag_info(code);
    Severity severity;
    if (is_dropped(context, code, place, &severity))
        return;
    Report report = {code,
                     severity,
                     place,
                     fill(context->arena, info->message, arguments),
                     fill(context->arena, info->remedy, arguments),
                     context->use};
    record(context, &report);
}

void diag_add(Context *context, DiagCode code, Place place, const char *message,
              const char *remedy) {
    Severity severity;
    if (is_dropped(context, code, place, &severity))
        return;
    Report report = {code,
                     severity,
                     place,
                     arena_text(context->arena, message, strlen(message)),
                     arena_text(context->arena, remedy, strlen(remedy)),
                     context->use};
    record(context, &report);
}

size_t diag_error_count(const Context *context) {
    return context->error_count;
}

DiagMark diag_mark(const Context *context) {
    return (DiagMark){context->reports.length, context->error_count, context->warning_count};
}

void diag_drop(Context *context, DiagMark since) {
    context->reports.length = since.reports;
    context->error_count = since.errors;
    context->warning_count = since.warnings;
}

/* The line of text that `place` is on. */
static const char *find_line(const SourceFile *file, uint32_t number, size_t *length) {
    const char *line = file->text, *end = file->text + file->length;
    for (uint32_t n = 1; n < number; n++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next)
            return NULL;
        line = next + 1;
    }
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((stop ? stop : end) - line);
    return line;
}

enum { WIDEST_LINE = 160 };

static void print_source(const SourceFile *file, Place place, FILE *out) {
    size_t length;
    const char *line = find_line(file, place.line, &length);
    if (!line)
        return;
    /* Of a very long line, the part around the place. */
    size_t start = place.column > WIDEST_LINE / 2 ? place.column - WIDEST_LINE / 2 : 0;
    if (length <= WIDEST_LINE || start >= length)
        start = 0;
    if (length - start > WIDEST_LINE)
        length = start + WIDEST_LINE;
    fprintf(out, "%5u | ", place.line);
    printable_line(line + start, length - start, out);
    fputs("\n      | ", out);
    uint32_t character;
    for (size_t i = start; i + 1 < place.column && i < length;) {
        i += printable_read(line + i, length - i, &character);
        fputc(character == '\t' ? '\t' : ' ', out); /* one blank a character, not a byte */
    }
    fputc('^', out);
    size_t at = place.column - 1, end = at + place.length;
    end = end < length ? end : length;
    while (at < end) {
        at += printable_read(line + at, length - at, &character);
        if (at < end)
            fputc('~', out);
    }
    fputc('\n', out);
}

enum { MOST_USES = 8, MOST_LETTERS = 60 };

/* Prints at most MOST_LETTERS of the text. */
static void print_use(const char *text, FILE *out) {
    size_t length = strlen(text), end = 0;
    uint32_t character;
    for (size_t count = 0; end < length && count < MOST_LETTERS; count++)
        end += printable_read(text + end, length - end, &character);
    printable_line(text, end, out);
    fputs(end < length ? ".." : "", out);
}

static bool same_place(Place a, Place b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

static void print_uses(const Context *context, const Use *use, FILE *out) {
    size_t count = 0;
    for (; use && count < MOST_USES; use = use->outer, count++) {
        fprintf(out, "      = in: `");
        print_use(use->text, out);
        fprintf(out, "`, ");
        printable_print(context->files.data[use->place.file].path, out);
        fprintf(out, ":%u:%u\n", use->place.line, use->place.column);
        size_t again = 0;
        for (; use->outer && same_place(use->place, use->outer->place); use = use->outer)
            again++;
        if (again > 0)
            fprintf(out, "      = in: %zu more of the same place\n", again);
    }
    for (count = 0; use; use = use->outer)
        count++;
    if (count > 0)
        fprintf(out, "      = in: %zu more\n", count);
}

void diag_print(const Context *context, const Report *report, FILE *out) {
    static const char *const severities[] = {"error", "warning", "note"};
    const DiagInfo *info = diag_info(report->code);
    const SourceFile *file = &context->files.data[report->place.file];
    if (report->place.line) {
        printable_print(file->path, out);
        fprintf(out, ":%u:%u: ", report->place.line, report->place.column);
    } else {
        fprintf(out, "hlc: ");
    }
    fprintf(out, "%s[%s]: ", severities[report->severity], info->code);
    printable_print(report->message, out);
    fputc('\n', out);
    if (report->place.line)
        print_source(file, report->place, out);
    if (report->remedy[0]) {
        fprintf(out, "      = help: ");
        printable_print(report->remedy, out);
        fputc('\n', out);
    }
    print_uses(context, report->use, out);
}

/* How many were counted beyond the most that are kept. */
static void print_rest(DiagCode code, size_t count, size_t most, FILE *out) {
    const DiagInfo *info = diag_info(code);
    if (count > most)
        fprintf(out, "hlc: note[%s]: %zu more %s are not shown\n", info->code, count - most,
                code == DIAG_TOO_MANY_ERRORS ? "errors" : "warnings");
}

void diag_print_all(const Context *context, FILE *out) {
    for (size_t i = 0; i < context->reports.length; i++)
        diag_print(context, &context->reports.data[i], out);
    print_rest(DIAG_TOO_MANY_ERRORS, context->error_count, MOST_ERRORS, out);
    print_rest(DIAG_TOO_MANY_WARNINGS, context->warning_count, MOST_WARNINGS, out);
}

/* The context of the library entry in progress.  Assertions are not handed one: most stand in
 * functions that need none otherwise. */
static _Thread_local Context *entered;

Context *diag_enter(Context *context) {
    Context *outer = entered;
    entered = context;
    return outer;
}

void diag_broken_invariant(const char *file, int line, const char *invariant) {
    if (entered && entered->memory.on_failure) {
        entered->broken = (BrokenInvariant){.file = file, .invariant = invariant, .line = line};
        longjmp(*entered->memory.on_failure, 1);
    }
    fprintf(stderr, "%s:%d: hlc is broken: this does not hold: %s\n", file, line, invariant);
    abort();
}
