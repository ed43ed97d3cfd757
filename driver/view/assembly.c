/* assembly.c -- the assembly that the target program of a schedule became.
 *
 * The target program in the text form is compiled with debug information. Its assembly names lines of
 * that text, so each instruction knows its statement. It is the code that is measured: the assembler
 * makes the object of this text. Without times nothing runs, and the code has no profile.
 *
 *     {"text":"out:\n\tpushq\t%rbp\n..", "lines":[LINE, COUNT, LINE, COUNT, ..]}
 *
 * COUNT lines of the text stem from line LINE of the target program; LINE 0 is no line. Directives,
 * data and the labels of debug information are left out.
 */
#include "driver/view/view.h"

#include <stdlib.h>
#include <string.h>

/* ---- from the assembler's text ---- */

typedef struct AssemblyReader {
    FILE *text, *lines;
    bool is_code; /* in a section of code */
    unsigned line, pending, count;
} AssemblyReader;

static void end_stretch(AssemblyReader *reader) {
    if (reader->count)
        fprintf(reader->lines, "%s%u,%u", ftell(reader->lines) > 1 ? "," : "", reader->pending,
                reader->count);
    reader->count = 0;
}

static void keep(AssemblyReader *reader, const char *line, size_t length) {
    if (reader->line != reader->pending)
        end_stretch(reader);
    reader->pending = reader->line;
    reader->count++;
    fwrite(line, 1, length, reader->text);
    fputc('\n', reader->text);
}

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

static void read_line(AssemblyReader *reader, const char *line, size_t length) {
    if (begins(line, "\t.loc\t"))
        sscanf(line, "\t.loc %*u %u", &reader->line);
    else if (begins(line, "\t.text") || begins(line, "\t.section\t.text"))
        reader->is_code = true;
    else if (begins(line, "\t.section"))
        reader->is_code = false;
    if (!reader->is_code || length == 0 || line[0] == '#' || begins(line, "\t."))
        return;
    bool is_label = line[0] != '\t';
    bool is_local = begins(line, ".L");
    if (is_label && is_local && !begins(line, ".LBB")) /* of debug information, and of data */
        return;
    if (!is_label && line[1] == '#')
        return;
    if (is_label && !is_local)
        reader->line = 0;
    keep(reader, line, length);
}

static hlc_status read_assembly(const ViewText *from, ViewText *to) {
    ViewText text, lines;
    hlc_status status = view_begin(&text);
    if (status == HLC_YES && (status = view_begin(&lines)) != HLC_YES)
        view_end(&text, status);
    if (status != HLC_YES)
        return status;
    AssemblyReader reader = {.text = text.file, .lines = lines.file};
    fputc('[', lines.file);
    for (const char *at = from->text, *end = at + from->length; at < end;) {
        size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
        read_line(&reader, at, length);
        at += length + 1;
    }
    end_stretch(&reader);
    fputc(']', lines.file);
    status = view_end(&lines, view_end(&text, status));
    if (status == HLC_YES)
        status = view_begin(to);
    if (status == HLC_YES) {
        fputs("{\"text\":", to->file);
        view_put_text(text.text, text.length, to->file);
        fprintf(to->file, ",\"lines\":%s}", lines.text);
        status = view_end(to, status);
    }
    free(text.text);
    free(lines.text);
    return status;
}

void view_make_code(ViewSchedule *schedule, hlc *h, int optimize, bool has_times) {
    ViewText text = {0};
    hlc_status status = view_begin(&text);
    hlc_compile_options options = {.optimize = optimize, .debug = true, .profile = has_times};
    if (has_times && status == HLC_YES) {
        options.assembly = text.file;
        schedule->profiled = hlc_compile_function(h, NULL, NULL, &options);
        status = schedule->profiled ? HLC_YES : HLC_USER;
    } else if (status == HLC_YES) {
        options.emit = "asm";
        status = hlc_compile(h, NULL, NULL, &options, text.file);
    }
    status = view_end(&text, status);
    if (status == HLC_YES && text.length && text.text[text.length - 1] == '\n')
        read_assembly(&text, &schedule->assembly);
    free(text.text);
    if (schedule->profiled)
        schedule->own = h;
    else
        hlc_destroy(h);
}
