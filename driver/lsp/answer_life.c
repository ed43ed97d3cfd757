/* answer_life.c -- the beginning and the end of a session: what the server can do. */
#include "driver/lsp/lsp.h"

#include <string.h>

/* Does the client offer positions that count bytes? */
static bool offers_bytes(const json_t *capabilities) {
    size_t i;
    json_t *encoding;
    const json_t *general = json_object_get(capabilities, "general");
    json_array_foreach(json_object_get(general, "positionEncodings"), i,
                       encoding) if (json_is_string(encoding) &&
                                     strcmp(json_string_value(encoding), "utf-8") == 0) return true;
    return false;
}

/* The names of token types, in the order of EditorToken. */
static json_t *token_types(void) {
    return json_pack("[s, s, s, s, s, s, s, s]", "namespace", "class", "parameter", "enumMember",
                     "function", "macro", "variable", "keyword");
}

/* What the server can do. */
static json_t *capabilities_of(const Server *server) {
    json_t *made = json_pack(
        "{s:s, s:{s:b, s:i}, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}", "positionEncoding",
        server->is_utf8 ? "utf-8" : "utf-16", "textDocumentSync", "openClose", true, "change", 2,
        "hoverProvider", true, "definitionProvider", true, "referencesProvider", true,
        "documentHighlightProvider", true, "documentSymbolProvider", true, "foldingRangeProvider",
        true, "documentFormattingProvider", true, "inlayHintProvider", true);
    json_t *more = json_pack(
        "{s:{s:b}, s:{s:[s, s, s]}, s:{s:[s]}, s:{s:b}, s:{s:o}, s:{s:{s:o, s:[s]}, s:b}}",
        "renameProvider", "prepareProvider", true, "completionProvider", "triggerCharacters", ".",
        "(", ",", "codeActionProvider", "codeActionKinds", "quickfix", "codeLensProvider",
        "resolveProvider", false, "executeCommandProvider", "commands", run_commands(),
        "semanticTokensProvider", "legend", "tokenTypes", token_types(), "tokenModifiers",
        "declaration", "full", true);
    if (made && more)
        json_object_update(made, more);
    json_decref(more);
    return made;
}

json_t *answer_initialize(Server *server, Document *document, const json_t *params) {
    const json_t *capabilities = json_object_get(params, "capabilities");
    const json_t *text = json_object_get(capabilities, "textDocument");
    (void)document;
    server->is_initialized = true;
    server->is_utf8 = offers_bytes(capabilities);
    server->has_links = json_is_true(
        json_object_get(json_object_get(text, "publishDiagnostics"), "relatedInformation"));
    server->shows_documents = json_is_true(json_object_get(
        json_object_get(json_object_get(capabilities, "window"), "showDocument"), "support"));
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities_of(server), "serverInfo",
                     "name", "hlc", "version", hlc_version());
}

json_t *answer_shutdown(Server *server, Document *document, const json_t *params) {
    (void)document;
    (void)params;
    server->is_shut_down = true;
    run_end(server);
    return NULL;
}
