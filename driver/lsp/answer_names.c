/* answer_names.c -- names: definition, references, highlights, rename, colours. */
#include "driver/lsp/lsp.h"

#include <stdlib.h>
#include <string.h>

static json_t *locations(Server *server, Document *document, EditorMentions mentions,
                         bool with_definitions) {
    json_t *all = json_array();
    for (size_t i = 0; i < mentions.count; i++) {
        const EditorMention *mention = &mentions.data[i];
        json_t *location = with_definitions || !mention->is_definition
                               ? document_location(server, document, &mention->range)
                               : NULL;
        if (location)
            json_array_append_new(all, location);
    }
    return all;
}

json_t *answer_definition(Server *server, Document *document, const json_t *params) {
    EditorPoint at = document_point(server, document, params);
    return locations(server, document, editor_definition(document->editor, at), true);
}

json_t *answer_references(Server *server, Document *document, const json_t *params) {
    EditorPoint at = document_point(server, document, params);
    const json_t *context = json_object_get(params, "context");
    bool with = json_is_true(json_object_get(context, "includeDeclaration"));
    return locations(server, document, editor_references(document->editor, at), with);
}

json_t *answer_highlight(Server *server, Document *document, const json_t *params) {
    EditorPoint at = document_point(server, document, params);
    EditorMentions mentions = editor_references(document->editor, at);
    json_t *all = json_array();
    for (size_t i = 0; i < mentions.count; i++) {
        const EditorRange *range = &mentions.data[i].range;
        bool is_here = range->path && strcmp(range->path, document->path) == 0;
        json_t *place = is_here ? document_range(server, document, range) : NULL;
        if (place)
            json_array_append_new(all, json_pack("{s:o, s:i}", "range", place, "kind",
                                                 mentions.data[i].is_definition ? 3 : 2));
    }
    return all;
}

/* ---- rename ---- */

json_t *answer_prepare(Server *server, Document *document, const json_t *params) {
    EditorPoint at = document_point(server, document, params);
    EditorRename rename = editor_rename(document->editor, at, NULL, NULL, NULL, NULL);
    if (rename.refused)
        return refuse_answer(server, ERROR_FAILED, rename.refused);
    return document_range(server, document, &rename.word);
}

static json_t *edits(Server *server, Document *document, const EditorRename *rename,
                     const char *name) {
    json_t *changes = json_object();
    for (size_t i = 0; i < rename->places.count; i++) {
        const EditorRange *range = &rename->places.data[i].range;
        json_t *place = document_range(server, document, range);
        char *uri = place ? uri_of_path(server, range->path) : NULL;
        json_t *list = uri ? json_object_get(changes, uri) : NULL;
        if (uri && !list && json_object_set_new(changes, uri, json_array()) == 0)
            list = json_object_get(changes, uri);
        if (list)
            json_array_append_new(list, json_pack("{s:o, s:s}", "range", place, "newText", name));
        else
            json_decref(place);
        free(uri);
    }
    return json_pack("{s:o}", "changes", changes);
}

json_t *answer_rename(Server *server, Document *document, const json_t *params) {
    const char *name = json_string_value(json_object_get(params, "newName"));
    if (!name || strlen(name) > 200 || strcspn(name, "/\n\r;") != strlen(name))
        return refuse_answer(server, ERROR_INVALID_PARAMS, "this is no name");
    hlc *check = document_handle(server);
    if (!check)
        return refuse_answer(server, ERROR_INTERNAL, "there is not enough memory");
    channel_also(&server->channel, check);
    EditorPoint at = document_point(server, document, params);
    EditorRename rename = editor_rename(document->editor, at, name, check, document_import, server);
    json_t *made = rename.refused ? refuse_answer(server, ERROR_FAILED, rename.refused)
                                  : edits(server, document, &rename, name);
    channel_also(&server->channel, NULL);
    hlc_destroy(check);
    return made;
}

/* ---- colours ---- */

json_t *answer_colours(Server *server, Document *document, const json_t *params) {
    EditorColours colours = editor_colours(document->editor);
    json_t *data = json_array();
    json_int_t line = 0, column = 0;
    (void)params;
    for (size_t i = 0; i < colours.count; i++) {
        const EditorColour *colour = &colours.data[i];
        json_t *place = lines_position(&document->lines, colour->at, server->is_utf8);
        json_int_t at = json_integer_value(json_object_get(place, "line"));
        json_int_t from = json_integer_value(json_object_get(place, "character"));
        json_int_t length =
            (json_int_t)lines_units(&document->lines, colour->at, colour->length, server->is_utf8);
        json_decref(place);
        if (at == line && from < column)
            continue; /* within the last one */
        const json_int_t numbers[] = {at - line, at == line ? from - column : from, length,
                                      (json_int_t)colour->token, colour->is_definition};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            json_array_append_new(data, json_integer(numbers[k]));
        line = at;
        column = from;
    }
    return json_pack("{s:o}", "data", data);
}
