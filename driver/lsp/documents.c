/* documents.c -- open texts: what the client has typed, not what the files hold. */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names ---- */

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The path of `file:///a%20b.hl`; of a text without a file, its name. */
static char *path_of_uri(const char *uri) {
    static const char SCHEME[] = "file://";
    bool is_file = strncmp(uri, SCHEME, sizeof SCHEME - 1) == 0;
    const char *from = is_file ? uri + sizeof SCHEME - 1 : uri;
    const char *slash = is_file ? strchr(from, '/') : NULL; /* behind the host */
    char *path = strdup(slash ? slash : from), *to = path;
    for (const char *at = path; is_file && at && *at; at++) {
        bool is_coded = *at == '%' && digit_of(at[1]) >= 0 && digit_of(at[2]) >= 0;
        char letter = is_coded ? (char)(digit_of(at[1]) << 4 | digit_of(at[2])) : *at;
        at += is_coded ? 2 : 0;
        if (letter)
            *to++ = letter;
    }
    if (is_file && path)
        *to = '\0';
    return path;
}

char *uri_of_path(const Server *server, const char *path) {
    static const char PLAIN[] = "/-._~";
    for (const Document *document = server->documents; document; document = document->next)
        if (strcmp(document->path, path) == 0)
            return strdup(document->uri);
    char *uri = malloc(3 * strlen(path) + sizeof "file://");
    size_t length = uri ? (size_t)sprintf(uri, "file://") : 0;
    for (; uri && *path; path++) {
        bool is_plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                        (*path >= '0' && *path <= '9') || strchr(PLAIN, *path);
        length += (size_t)sprintf(uri + length, is_plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return uri;
}

Document *document_find(const Server *server, const char *uri) {
    for (Document *document = server->documents; uri && document; document = document->next)
        if (strcmp(document->uri, uri) == 0)
            return document;
    return NULL;
}

/* ---- opening, changing, closing ---- */

static const json_t *identifier(const json_t *params) {
    return json_object_get(params, "textDocument");
}

static const char *uri_of(const json_t *params) {
    return json_string_value(json_object_get(identifier(params), "uri"));
}

/* Takes the text. Whoever imports it has to be read again, too. */
static void set_text(Server *server, Document *document, char *text, size_t length) {
    free(document->text);
    document->text = text;
    document->length = length;
    if (!lines_read(&document->lines, text, length))
        abort(); /* out of memory: the client starts the server again */
    for (Document *other = server->documents; other; other = other->next)
        other->is_read = other->is_reported = false;
    document->is_read = document->is_reported = false;
}

static char *copy(const char *text, size_t length) {
    char *made = malloc(length + 1);
    if (!made)
        abort();
    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

static void document_free(Document *document) {
    editor_destroy(document->editor);
    lines_free(&document->lines);
    free(document->uri);
    free(document->path);
    free(document->text);
    free(document);
}

void document_open(Server *server, const json_t *params) {
    const json_t *item = identifier(params), *text = json_object_get(item, "text");
    const char *uri = uri_of(params);
    if (!uri || !json_is_string(text))
        return;
    Document *document = document_find(server, uri);
    if (!document) {
        document = calloc(1, sizeof *document);
        if (!document)
            abort();
        document->uri = strdup(uri);
        document->path = path_of_uri(uri);
        document->editor = document->path ? editor_create(document->path) : NULL;
        if (!document->uri || !document->editor)
            abort();
        document->next = server->documents;
        server->documents = document;
    }
    document->version = json_integer_value(json_object_get(item, "version"));
    size_t length = json_string_length(text);
    set_text(server, document, copy(json_string_value(text), length), length);
}

/* One change: a range is replaced, or all of the text. */
static void change(Server *server, Document *document, const json_t *made) {
    const json_t *text = json_object_get(made, "text"), *range = json_object_get(made, "range");
    if (!json_is_string(text))
        return;
    size_t length = json_string_length(text);
    size_t from = 0, to = document->length;
    if (json_is_object(range)) {
        from = lines_offset(&document->lines, json_object_get(range, "start"), server->is_utf8);
        to = lines_offset(&document->lines, json_object_get(range, "end"), server->is_utf8);
        to = to < from ? from : to;
    }
    size_t rest = document->length - to;
    char *joined = malloc(from + length + rest + 1);
    if (!joined)
        abort();
    memcpy(joined, document->text, from);
    memcpy(joined + from, json_string_value(text), length);
    memcpy(joined + from + length, document->text + to, rest);
    joined[from + length + rest] = '\0';
    set_text(server, document, joined, from + length + rest);
}

void document_change(Server *server, const json_t *params) {
    Document *document = document_find(server, uri_of(params));
    const json_t *version = json_object_get(identifier(params), "version");
    size_t i;
    json_t *made;
    if (!document)
        return;
    if (json_is_integer(version))
        document->version = json_integer_value(version);
    json_array_foreach(json_object_get(params, "contentChanges"), i, made)
        change(server, document, made);
}

void document_close(Server *server, const json_t *params) {
    Document *document = document_find(server, uri_of(params));
    Document **link = &server->documents;
    if (!document)
        return;
    while (*link != document)
        link = &(*link)->next;
    *link = document->next;
    for (Document *other = server->documents; other; other = other->next)
        other->is_read = other->is_reported = false; /* imports read the file again */
    channel_diagnostics(document->uri, json_array(), NULL);
    document_free(document);
}

void documents_free(Server *server) {
    while (server->documents) {
        Document *document = server->documents;
        server->documents = document->next;
        document_free(document);
    }
    lines_free(&server->others);
    free(server->other);
    free(server->other_text);
    free(server->imported);
}

/* ---- reading ---- */

hlc *document_handle(Server *server) {
    Command command = *server->command;
    command.h = hlc_create();
    if (command.h && limits_apply(&command) != HLC_YES) {
        hlc_destroy(command.h);
        command.h = NULL;
    }
    if (command.h && server->seconds > 0)
        hlc_set_deadline(command.h, server->seconds);
    return command.h;
}

static char *read_file(const char *path, size_t *length) {
    enum { LARGEST = 64 << 20 };
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= LARGEST
                     ? fopen(path, "rbe")
                     : NULL;
    char *text = file ? malloc((size_t)about.st_size + 1) : NULL;
    *length = text ? fread(text, 1, (size_t)about.st_size, file) : 0;
    if (file)
        fclose(file);
    return text;
}

const char *document_import(void *data, const char *path, size_t *length) {
    Server *server = data;
    for (const Document *document = server->documents; document; document = document->next)
        if (strcmp(document->path, path) == 0) {
            *length = document->length;
            return document->text;
        }
    if (server->command->values[OPTION_ROOT] && !hlc_in_root(server->command->h, path))
        return NULL;
    free(server->imported);
    server->imported = read_file(path, length);
    return server->imported;
}

/* A byte order mark becomes blanks while the editor reads: so columns are those of the client, which
 * counts it as a character. */
static bool hide_mark(Document *document) {
    static const char MARK[] = "\xEF\xBB\xBF";
    bool has_mark = strncmp(document->text, MARK, sizeof MARK - 1) == 0;
    if (has_mark)
        memset(document->text, ' ', sizeof MARK - 1);
    return has_mark;
}

void document_read(Server *server, Document *document, Work work) {
    if (document->is_read)
        return;
    hlc *h = document_handle(server);
    document->is_read = true;
    if (!h)
        return;
    channel_work(&server->channel, work, NULL, h, NULL);
    bool has_mark = hide_mark(document);
    editor_read(document->editor, h, document->text, document->length, document_import, server);
    if (has_mark)
        memcpy(document->text, "\xEF\xBB\xBF", 3);
    bool was_ended = channel_rest(&server->channel);
    hlc_set_deadline(h, 0);
    document->is_read = !was_ended; /* a change of the text follows */
    document->is_reported = document->is_warned = false;
    document->judged = 0;
}

/* ---- places ---- */

const Lines *document_lines(Server *server, Document *document, const char *path) {
    size_t length;
    if (!path)
        return NULL;
    if (strcmp(path, document->path) == 0)
        return &document->lines;
    if (server->other && strcmp(path, server->other) == 0)
        return &server->others;
    const char *text = editor_text(document->editor, path, &length);
    free(server->other);
    free(server->other_text);
    server->other = text ? strdup(path) : NULL;
    server->other_text = text ? copy(text, length) : NULL;
    return text && lines_read(&server->others, server->other_text, length) ? &server->others : NULL;
}

json_t *document_range(Server *server, Document *document, const EditorRange *range) {
    const Lines *lines = document_lines(server, document, range->path);
    return lines ? json_pack("{s:o, s:o}", "start",
                             lines_position(lines, range->from, server->is_utf8), "end",
                             lines_position(lines, range->to, server->is_utf8))
                 : NULL;
}

json_t *document_location(Server *server, Document *document, const EditorRange *range) {
    json_t *place = document_range(server, document, range);
    char *uri = place ? uri_of_path(server, range->path) : NULL;
    json_t *location = uri ? json_pack("{s:s, s:o}", "uri", uri, "range", place) : NULL;
    if (!uri)
        json_decref(place);
    free(uri);
    return location;
}

EditorPoint document_point(const Server *server, const Document *document, const json_t *params) {
    const json_t *position = json_object_get(params, "position");
    return lines_point(&document->lines, lines_offset(&document->lines, position, server->is_utf8));
}
