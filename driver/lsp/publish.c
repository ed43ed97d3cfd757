/* publish.c -- diagnostics of open texts. A text is read first, which finds most errors. Then each of
 * its schedules is judged: a schedule's errors show when its directives are applied. At last the
 * schedules are lowered further, for their warnings. Each is a step, and messages come between steps.
 */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

/* Ended calls are no news. */
static bool is_told(const hlc_diagnostic *diagnostic) {
    return strcmp(diagnostic->code, "E0868") != 0;
}

static json_t *own_place(Server *server, Document *document, const hlc_diagnostic *diagnostic) {
    EditorRange place = {diagnostic->file,
                         {diagnostic->line, diagnostic->column},
                         {diagnostic->line, diagnostic->column + diagnostic->length}};
    json_t *location = document_location(server, document, &place);
    return location
               ? json_pack("[{s:o, s:s}]", "location", location, "message", diagnostic->message)
               : NULL;
}

json_t *publish_diagnostic(Server *server, Document *document, size_t i) {
    static const int severities[] = {[HLC_ERROR] = 1, [HLC_WARNING] = 2, [HLC_NOTE] = 3};
    hlc_diagnostic diagnostic = hlc_diagnostic_at(editor_handle(document->editor), i);
    bool is_elsewhere;
    EditorRange range = editor_diagnostic_range(document->editor, i, &is_elsewhere);
    if (range.to.column <= range.from.column)
        range.to.column = range.from.column + 1;
    json_t *place = document_range(server, document, &range);
    size_t room =
        strlen(diagnostic.message) + strlen(diagnostic.help) + strlen(diagnostic.file) + 64;
    char *message = malloc(room);
    if (!place || !message) {
        json_decref(place);
        free(message);
        return NULL;
    }
    size_t length =
        is_elsewhere ? (size_t)snprintf(message, room, "%s:%u: ", diagnostic.file, diagnostic.line)
                     : 0;
    snprintf(message + length, room - length, "%s%s%s", diagnostic.message,
             *diagnostic.help ? "\nhelp: " : "", diagnostic.help);
    json_t *made = json_pack("{s:o, s:i, s:s, s:s, s:s}", "range", place, "severity",
                             severities[diagnostic.severity], "code", diagnostic.code, "source",
                             "hlc", "message", message);
    free(message);
    json_t *related =
        is_elsewhere && server->has_links ? own_place(server, document, &diagnostic) : NULL;
    if (made && related)
        json_object_set_new(made, "relatedInformation", related);
    return made;
}

static void report(Server *server, Document *document) {
    const hlc *h = editor_handle(document->editor);
    json_t *all = json_array();
    for (size_t i = 0; h && i < hlc_diagnostic_count(h); i++) {
        hlc_diagnostic diagnostic = hlc_diagnostic_at(h, i);
        json_t *made = is_told(&diagnostic) ? publish_diagnostic(server, document, i) : NULL;
        if (made)
            json_array_append_new(all, made);
    }
    channel_diagnostics(document->uri, all, &document->version);
    document->is_reported = true;
}

static bool has_errors(const Document *document) {
    const hlc *h = editor_handle(document->editor);
    for (size_t i = 0; h && i < hlc_diagnostic_count(h); i++) {
        hlc_diagnostic diagnostic = hlc_diagnostic_at(h, i);
        if (diagnostic.severity == HLC_ERROR && is_told(&diagnostic))
            return true;
    }
    return false;
}

static size_t count_told(const Document *document) {
    const hlc *h = editor_handle(document->editor);
    size_t count = 0;
    for (size_t i = 0; h && i < hlc_diagnostic_count(h); i++) {
        hlc_diagnostic diagnostic = hlc_diagnostic_at(h, i);
        count += is_told(&diagnostic);
    }
    return count;
}

/* Judges the next schedule. False behind the last. */
static bool judge_next(Server *server, Document *document, bool warns) {
    hlc *h = editor_handle(document->editor);
    channel_work(&server->channel, WORK_JUDGES, NULL, h, NULL);
    if (server->seconds > 0)
        hlc_set_deadline(h, server->seconds);
    bool has_more = editor_judge(document->editor, document->judged, warns);
    if (!channel_rest(&server->channel))
        document->judged++; /* else it is judged again */
    hlc_set_deadline(h, 0);
    return has_more;
}

/* What one text needs next. False if it needs nothing. */
static bool step(Server *server, Document *document) {
    if (!document->is_read) {
        document_read(server, document, WORK_READS);
        if (document->is_read && has_errors(document)) {
            report(server, document);
            document->is_warned = true; /* nothing is lowered */
        }
        return true;
    }
    if (document->is_warned)
        return false;
    bool warns = document->is_reported;
    size_t before = count_told(document);
    if (editor_handle(document->editor) && judge_next(server, document, warns)) {
        /* Schedule warnings are few: they are sent as they come. */
        if (warns && count_told(document) > before)
            report(server, document);
        return true;
    }
    document->judged = 0;
    if (warns)
        document->is_warned = true;
    else
        report(server, document);
    return true;
}

bool publish_step(Server *server) {
    for (Document *document = server->documents; document; document = document->next)
        if (step(server, document))
            return true;
    return false;
}
