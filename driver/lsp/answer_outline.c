/* answer_outline.c -- the structure of a text: symbols, blocks to fold, lenses. */
#include "driver/lsp/lsp.h"

json_t *answer_symbols(Server *server, Document *document, const json_t *params) {
    static const int kinds[] = {
        [EDITOR_TOKEN_PIPELINE] = 2,  [EDITOR_TOKEN_SCHEDULE] = 5, [EDITOR_TOKEN_PARAMETER] = 13,
        [EDITOR_TOKEN_CONSTANT] = 14, [EDITOR_TOKEN_FUNC] = 12,    [EDITOR_TOKEN_HELPER] = 12,
        [EDITOR_TOKEN_VARIABLE] = 13, [EDITOR_TOKEN_DIRECTIVE] = 6};
    enum { DEEPEST = 64 };
    json_t *levels[DEEPEST] = {json_array()};
    EditorSymbols symbols = editor_symbols(document->editor);
    (void)params;
    for (size_t i = 0; i < symbols.count; i++) {
        const EditorSymbol *symbol = &symbols.data[i];
        json_t *whole = document_range(server, document, &symbol->whole);
        json_t *word = document_range(server, document, &symbol->word);
        json_t *inner = json_array();
        json_t *made = json_pack("{s:s, s:s, s:i, s:o, s:o, s:o}", "name", symbol->name, "detail",
                                 symbol->detail, "kind", kinds[symbol->kind], "range", whole,
                                 "selectionRange", word, "children", inner);
        unsigned depth = symbol->depth < DEEPEST - 1 ? symbol->depth : DEEPEST - 2;
        if (made && levels[depth]) {
            json_array_append_new(levels[depth], made);
            levels[depth + 1] = inner;
        }
    }
    return levels[0];
}

json_t *answer_folds(Server *server, Document *document, const json_t *params) {
    EditorFolds folds = editor_folds(document->editor);
    json_t *all = json_array();
    (void)server;
    (void)params;
    for (size_t i = 0; i < folds.count; i++) {
        const EditorFold *fold = &folds.data[i];
        json_t *made = json_pack("{s:I, s:I}", "startLine", (json_int_t)fold->first - 1, "endLine",
                                 (json_int_t)fold->last - 1);
        if (made && fold->is_comment)
            json_object_set_new(made, "kind", json_string("comment"));
        json_array_append_new(all, made);
    }
    return all;
}

json_t *answer_lenses(Server *server, Document *document, const json_t *params) {
    EditorLenses lenses = editor_lenses(document->editor);
    json_t *all = json_array();
    (void)params;
    for (size_t i = 0; i < lenses.count; i++) {
        json_t *made = run_lenses(server, document, &lenses.data[i]);
        json_array_extend(all, made);
        json_decref(made);
    }
    return all;
}
