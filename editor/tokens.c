/* tokens.c -- the tokens of a text, which an editor has even where the text does not parse. */
#include "editor/reading.h"

Tokens tokens_read(Context *context, Arena *arena, uint32_t file) {
    const SourceFile *source = &context->files.data[file];
    Tokens tokens = {0};
    Lexer lexer =
        lex_begin(arena, source->text, source->length, (Place){file, 1, 1, 0}, (LexOptions){0});
    do
        vec_push(arena, &tokens, lex_next(&lexer));
    while (tokens.data[tokens.length - 1].kind != TOKEN_END);
    return tokens;
}

/* The last token that begins at or before the point; SIZE_MAX if there is none. */
static size_t last_until(const Tokens *tokens, EditorPoint at) {
    size_t low = 0, high = tokens->length;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (point_is_before(at, editor_point(tokens->data[middle].place)))
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 ? low - 1 : SIZE_MAX;
}

static bool covers(const Token *token, EditorPoint at) {
    return token->kind != TOKEN_END && token->place.line == at.line &&
           at.column <= token->place.column + token->place.length;
}

size_t tokens_at(const Tokens *tokens, EditorPoint at) {
    size_t i = last_until(tokens, at);
    if (i == SIZE_MAX)
        return i;
    /* Between `x` and `,` a name is meant. */
    bool is_behind_name = i > 0 && tokens->data[i].kind != TOKEN_NAME &&
                          tokens->data[i - 1].kind == TOKEN_NAME &&
                          covers(&tokens->data[i - 1], at);
    i -= is_behind_name;
    return covers(&tokens->data[i], at) ? i : SIZE_MAX;
}

EditorPoint tokens_end(const Tokens *tokens, Place name) {
    size_t i = last_until(tokens, editor_point(name)), depth = 0;
    EditorPoint end = {name.line, name.column + name.length};
    for (i = i == SIZE_MAX ? 0 : i; i < tokens->length; i++) {
        const Token *token = &tokens->data[i];
        if (token->kind == TOKEN_END)
            break;
        bool opens = token_is(token, "{") || token_is(token, "(") || token_is(token, "[");
        bool closes = token_is(token, "}") || token_is(token, ")") || token_is(token, "]");
        if (closes && depth == 0)
            break;
        depth += opens;
        depth -= closes;
        end = (EditorPoint){token->place.line, token->place.column + token->place.length};
        bool ends = token_is(token, ";") || token_is(token, "}");
        if (depth == 0 && ends)
            break;
    }
    return end;
}
