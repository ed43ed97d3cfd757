/* page.c -- writes the page of `hlc view`: the text that is part of the command, with the data inside.
 *
 * The data is one JSON object in a <script> of a type that no browser runs. A `<` stands only in its
 * texts; it is written as \u003c, so no text of a program ends the script or begins a comment.
 */
#include "driver/view/view.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

hlc_status view_begin(ViewText *text) {
    *text = (ViewText){0};
    text->file = open_memstream(&text->text, &text->length);
    return text->file ? HLC_YES : HLC_WORLD;
}

hlc_status view_end(ViewText *text, hlc_status status) {
    FILE *file = text->file;
    text->file = NULL;
    if (file && (fflush(file) != 0 || ferror(file)) && status == HLC_YES)
        status = HLC_WORLD;
    if (file)
        fclose(file);
    return status;
}

void view_put_text(const char *text, size_t length, FILE *out) {
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fputs("\\n", out);
        else if (c == '\t')
            fputs("\\t", out);
        else if (c < 0x20 || c == '"' || c == '\\')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* ---- the page ---- */

static void put_escaped(const ViewText *text, FILE *out) {
    if (!text->length)
        fputs("null", out);
    for (size_t i = 0; i < text->length; i++)
        if (text->text[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(text->text[i], out);
}

static void put_member(const char *name, const ViewText *text, FILE *out) {
    fprintf(out, ",\n\"%s\":", name);
    put_escaped(text, out);
}

static void put_name(const char *name, FILE *out) {
    ViewText quoted;
    if (view_begin(&quoted) != HLC_YES)
        return;
    view_put_text(name, strlen(name), quoted.file);
    view_end(&quoted, HLC_YES);
    put_escaped(&quoted, out);
    free(quoted.text);
}

/* The arguments as they were given, for the commands that the page shows. */
static void put_operands(const Command *command, FILE *out) {
    fputs("[", out);
    for (int i = 0; i < command->operand_count; i++) {
        fputs(i ? "," : "", out);
        put_name(command->operands[i], out);
    }
    fputs("]", out);
}

hlc_status view_write(const ViewPage *view, FILE *out) {
    fputs(view_page_before, out);
    fputs("{\"hlc\":", out);
    put_name(hlc_version(), out);
    fputs(",\"operands\":", out);
    put_operands(view->command, out);
    fputs(",\"pipeline_name\":", out);
    put_name(view->pipeline, out);
    fprintf(out, ",\"threads\":%d", view->has_times ? hlc_thread_count() : 0);
    put_member("pipeline", &view->description, out);
    put_member("values", &view->values, out);
    fputs(",\n\"schedules\":[", out);
    for (int i = 0; i < view->schedule_count; i++) {
        const ViewSchedule *schedule = &view->schedules[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        put_name(schedule->name, out);
        put_member("nest", &schedule->nest, out);
        fputs(",\n\"target\":", out);
        ViewText target;
        if (view_begin(&target) != HLC_YES)
            return HLC_WORLD;
        view_put_text(schedule->target.text, schedule->target.length, target.file);
        hlc_status status = view_end(&target, HLC_YES);
        put_escaped(&target, out);
        free(target.text);
        if (status != HLC_YES)
            return status;
        put_member("assembly", &schedule->assembly, out);
        put_member("times", &schedule->times, out);
        fputs("}", out);
    }
    fputs("]}", out);
    fputs(view_page_after, out);
    return HLC_YES;
}
