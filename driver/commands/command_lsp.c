/* command_lsp.c -- hlc lsp: a language server on standard input and output (driver/lsp/lsp.h) */
#include "driver/lsp/lsp.h"

#include <stdlib.h>

static hlc_status lost(const Server *server) {
    diagnose(server->command, "E0962",
             "a message begins with the line Content-Length: and its length");
    return HLC_USER;
}

/* Messages come first; between them, the open texts get what they need. */
static hlc_status serve(Server *server) {
    for (;;) {
        Message *message = channel_take(&server->channel, false);
        if (!message && publish_step(server))
            continue;
        message = message ? message : channel_take(&server->channel, true);
        MessageKind kind = message->kind;
        bool goes_on =
            kind == MESSAGE_BAD || (kind == MESSAGE_JSON && methods_handle(server, message->json));
        if (kind == MESSAGE_BAD)
            channel_send(json_pack("{s:s, s:n, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", "error",
                                   "code", ERROR_PARSE, "message", "this is no JSON"));
        json_decref(message->json);
        free(message);
        if (kind == MESSAGE_LOST)
            return lost(server);
        if (!goes_on) /* by the protocol, the end without a shutdown is a failure */
            return server->is_shut_down ? HLC_YES : HLC_NO;
    }
}

hlc_status command_lsp(const Command *command) {
    Server *server =
        calloc(1, sizeof *server); /* not freed: the thread that reads may wait for ever */
    if (!server)
        return HLC_WORLD;
    server->command = command;
    pthread_mutex_init(&server->running.lock, NULL);
    hlc_status status = operands_at_most(command, 0);
    if (status == HLC_YES)
        status = options_seconds(command, OPTION_ANSWER_LIMIT, 5, &server->seconds);
    if (status != HLC_YES)
        return status;
    if (!channel_begin(&server->channel))
        return HLC_WORLD;
    status = serve(server);
    run_end(server);
    documents_free(server);
    return status;
}
