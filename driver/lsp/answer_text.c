/* answer_text.c -- what is said of a text, and what could be typed: hover, hints, completion, actions,
 * layout. */
#include "driver/lsp/lsp.h"

#include <string.h>

json_t *answer_hover(Server *server, Document *document, const json_t *params) {
    EditorRange word;
    const char *text =
        editor_hover(document->editor, document_point(server, document, params), &word);
    json_t *place = text ? document_range(server, document, &word) : NULL;
    return place ? json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", text,
                             "range", place)
                 : NULL;
}

/* The lines of a range, from 1; without one, all. */
static void read_lines(const Server *server, const Document *document, const json_t *params,
                       unsigned *first, unsigned *last) {
    const json_t *range = json_object_get(params, "range");
    const Lines *lines = &document->lines;
    size_t from = lines_offset(lines, json_object_get(range, "start"), server->is_utf8);
    size_t to = lines_offset(lines, json_object_get(range, "end"), server->is_utf8);
    *first = range ? lines_point(lines, from).line : 1;
    *last = range ? lines_point(lines, to).line : (unsigned)lines->count;
}

json_t *answer_hints(Server *server, Document *document, const json_t *params) {
    unsigned first, last;
    read_lines(server, document, params, &first, &last);
    EditorHints hints = editor_hints(document->editor, first, last);
    json_t *all = json_array();
    for (size_t i = 0; i < hints.count; i++)
        json_array_append_new(
            all, json_pack("{s:o, s:s, s:i}", "position",
                           lines_position(&document->lines, hints.data[i].at, server->is_utf8),
                           "label", hints.data[i].text, "kind", hints.data[i].is_type ? 1 : 2));
    return all;
}

/* ---- completion ---- */

json_t *answer_completion(Server *server, Document *document, const json_t *params) {
    static const int kinds[] = {
        [EDITOR_ITEM_NAME] = 6,       [EDITOR_ITEM_FUNC] = 3, [EDITOR_ITEM_FUNCTION] = 3,
        [EDITOR_ITEM_DIRECTIVE] = 14, [EDITOR_ITEM_LOOP] = 6, [EDITOR_ITEM_KEYWORD] = 14,
        [EDITOR_ITEM_TYPE] = 7,       [EDITOR_ITEM_FIELD] = 5};
    hlc *mended = document_handle(server);
    if (!mended)
        return refuse_answer(server, ERROR_INTERNAL, "there is not enough memory");
    channel_also(&server->channel, mended);
    EditorItems items = editor_complete(document->editor, document_point(server, document, params),
                                        mended, document_import, server);
    json_t *all = json_array();
    for (size_t i = 0; i < items.count; i++) {
        const EditorItem *item = &items.data[i];
        json_t *place = document_range(server, document, &items.replaced);
        char order[32];
        snprintf(order, sizeof order, "%05zu", i);
        json_t *made = place ? json_pack("{s:s, s:i, s:s, s:{s:o, s:s}}", "label", item->label,
                                         "kind", kinds[item->kind], "sortText", order, "textEdit",
                                         "range", place, "newText", item->label)
                             : NULL;
        if (made && *item->detail)
            json_object_set_new(made, "detail", json_string(item->detail));
        if (made)
            json_array_append_new(all, made);
    }
    channel_also(&server->channel, NULL);
    hlc_destroy(mended);
    return json_pack("{s:b, s:o}", "isIncomplete", false, "items", all);
}

/* ---- actions ---- */

static json_t *edit_of(Server *server, Document *document, const EditorRange *range,
                       const char *text) {
    json_t *place = document_range(server, document, range);
    return place ? json_pack("{s:{s:[{s:o, s:s}]}}", "changes", document->uri, "range", place,
                             "newText", text)
                 : NULL;
}

json_t *answer_actions(Server *server, Document *document, const json_t *params) {
    unsigned first, last;
    read_lines(server, document, params, &first, &last);
    EditorActions actions = editor_actions(document->editor, first, last);
    json_t *all = json_array();
    for (size_t i = 0; i < actions.count; i++) {
        const EditorAction *action = &actions.data[i];
        json_t *edit = edit_of(server, document, &action->range, action->text);
        json_t *mended = edit ? publish_diagnostic(server, document, action->diagnostic) : NULL;
        json_t *made = mended ? json_pack("{s:s, s:s, s:[o], s:b, s:o}", "title", action->title,
                                          "kind", "quickfix", "diagnostics", mended, "isPreferred",
                                          action->is_preferred, "edit", edit)
                              : NULL;
        if (made)
            json_array_append_new(all, made);
        else
            json_decref(edit);
    }
    return all;
}

static bool is_inside(char byte) {
    return (byte & 0xC0) == 0x80;
}

/* One edit: what both texts begin and end with stays. So the places of an editor's marks do. */
static json_t *edit_to(Server *server, Document *document, const char *text, size_t length) {
    const char *old = document->text;
    size_t most = length < document->length ? length : document->length, head = 0, tail = 0;
    while (head < most && text[head] == old[head])
        head++;
    if (head == length && head == document->length)
        return json_array();
    while (head > 0 && (is_inside(old[head]) || is_inside(text[head])))
        head--;
    /* A place between the two characters of a line break cannot be told. */
    bool has_pairs = memchr(old, '\r', document->length);
    while (!has_pairs && tail < most - head &&
           text[length - 1 - tail] == old[document->length - 1 - tail])
        tail++;
    while (tail > 0 && is_inside(text[length - tail]))
        tail--;
    EditorRange range = {document->path, lines_point(&document->lines, head),
                         lines_point(&document->lines, document->length - tail)};
    return json_pack("[{s:o, s:s#}]", "range", document_range(server, document, &range), "newText",
                     text + head, (int)(length - tail - head));
}

json_t *answer_format(Server *server, Document *document, const json_t *params) {
    hlc *h = document_handle(server);
    size_t length;
    (void)params;
    if (!h)
        return refuse_answer(server, ERROR_INTERNAL, "there is not enough memory");
    channel_also(&server->channel, h);
    const char *text = editor_format(document->editor, h, &length);
    json_t *made = text ? edit_to(server, document, text, length)
                        : refuse_answer(server, ERROR_FAILED, "the text does not parse");
    channel_also(&server->channel, NULL);
    hlc_destroy(h);
    return made;
}
