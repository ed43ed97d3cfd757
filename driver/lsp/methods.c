/* methods.c -- finds the method of a message, and answers a request exactly once. */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

typedef enum MethodNeeds { NEEDS_NOTHING, NEEDS_DOCUMENT } MethodNeeds;

typedef struct Method {
    const char *text;
    json_t *(*answer)(Server *server, Document *document, const json_t *params);
    MethodNeeds needs;
} Method;

static const Method methods[] = {
#define METHOD(NAME, TEXT, NEEDS) {TEXT, answer_##NAME, NEEDS_##NEEDS},
#include "driver/lsp/methods.def"
#undef METHOD
};

/* ---- answers ---- */

static void send_result(const json_t *id, json_t *result) {
    channel_send(json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
                           result ? result : json_null()));
}

/* A refusal may hold a part of a character. */
static json_t *text_of(const char *text) {
    json_t *made = json_string(text);
    return made ? made : json_string("the reason is no UTF-8");
}

static void send_error(const json_t *id, int error, const char *why) {
    channel_send(json_pack("{s:s, s:O, s:{s:i, s:o}}", "jsonrpc", "2.0", "id",
                           id ? id : json_null(), "error", "code", error, "message", text_of(why)));
}

static const Method *find(const char *text) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].text, text) == 0)
            return &methods[i];
    return NULL;
}

static void begin_answer(Server *server, Document *document, const json_t *id, bool *is_cancelled) {
    hlc *h = document ? editor_handle(document->editor) : NULL;
    hlc *good = document ? editor_good_handle(document->editor) : NULL;
    if (server->seconds > 0) {
        hlc_set_deadline(h, server->seconds);
        hlc_set_deadline(good, server->seconds);
    }
    *is_cancelled = !channel_work(&server->channel, WORK_ANSWERS, id, h, good);
    channel_about(&server->channel, document ? document->uri : NULL);
}

static bool end_answer(Server *server, Document *document) {
    bool was_ended = channel_rest(&server->channel);
    if (document) {
        hlc_set_deadline(editor_handle(document->editor), 0);
        hlc_set_deadline(editor_good_handle(document->editor), 0);
    }
    return was_ended;
}

static void answer(Server *server, const Method *method, const json_t *id, const json_t *params) {
    const json_t *uri = json_object_get(json_object_get(params, "textDocument"), "uri");
    Document *document =
        method->needs == NEEDS_DOCUMENT ? document_find(server, json_string_value(uri)) : NULL;
    if (method->needs == NEEDS_DOCUMENT && !document) {
        send_error(id, ERROR_INVALID_PARAMS, "this text is not open");
        return;
    }
    if (document) {
        document_read(server, document, WORK_READS);
        editor_forget(document->editor);
    }
    bool is_cancelled;
    begin_answer(server, document, id, &is_cancelled);
    server->error = 0;
    json_t *result = is_cancelled ? NULL : method->answer(server, document, params);
    is_cancelled |= end_answer(server, document);
    if (is_cancelled && server->channel.is_outdated)
        send_error(id, ERROR_OUTDATED, "the text has changed");
    else if (is_cancelled)
        send_error(id, ERROR_CANCELLED, "the request was cancelled");
    else if (server->error)
        send_error(id, server->error, server->refusal);
    else
        send_result(id, json_incref(result));
    json_decref(result);
}

static void answer_request(Server *server, const char *text, const json_t *id,
                           const json_t *params) {
    const Method *method = find(text);
    bool begins = strcmp(text, "initialize") == 0;
    if (server->is_shut_down)
        send_error(id, ERROR_INVALID_REQUEST, "the server is shut down");
    else if (begins && server->is_initialized)
        send_error(id, ERROR_INVALID_REQUEST, "the server is initialized");
    else if (!server->is_initialized && !begins)
        send_error(id, ERROR_NOT_INITIALIZED, "the first request is initialize");
    else if (strcmp(text, "workspace/executeCommand") == 0) {
        server->error = 0;
        if (!run_start(server, id, params))
            send_error(id, server->error, server->refusal);
    } else if (!method)
        send_error(id, ERROR_UNKNOWN_METHOD, text);
    else
        answer(server, method, id, params);
}

/* Notifications have no answer. */
static void take_notification(Server *server, const char *text, const json_t *params) {
    if (!server->is_initialized || server->is_shut_down)
        return;
    if (strcmp(text, "textDocument/didOpen") == 0)
        document_open(server, params);
    else if (strcmp(text, "textDocument/didChange") == 0)
        document_change(server, params);
    else if (strcmp(text, "textDocument/didClose") == 0)
        document_close(server, params);
    else if (strcmp(text, "workspace/didChangeWatchedFiles") == 0)
        for (Document *document = server->documents; document; document = document->next)
            document->is_read = false;
}

/* A command of run.c has ended: the message is the answer. */
static bool take_finished(const Server *server, json_t *message) {
    json_t *finished = json_object_get(message, "hlc/finished");
    if (!finished || json_object_get(message, "jsonrpc"))
        return false;
    run_finish(server, finished);
    return true;
}

bool methods_handle(Server *server, json_t *message) {
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const json_t *method = json_object_get(message, "method");
    lines_free(&server->others);
    free(server->other);
    server->other = NULL;
    if (take_finished(server, message))
        return true;
    bool has_id = json_is_integer(id) || json_is_string(id);
    if (!json_is_string(method)) {
        bool is_answer =
            has_id && (json_object_get(message, "result") || json_object_get(message, "error"));
        if (!is_answer)
            send_error(has_id ? id : NULL, ERROR_INVALID_REQUEST, "this is no request");
        return true;
    }
    const char *text = json_string_value(method);
    if (strcmp(text, "exit") == 0)
        return false;
    if (has_id)
        answer_request(server, text, id, params);
    else if (!id)
        take_notification(server, text, params);
    else
        send_error(NULL, ERROR_INVALID_REQUEST, "an id is a number or a text");
    return true;
}
