/* actions.c -- edits: those that mend a diagnostic, and the canonical layout.
 *
 *     did you mean `blurred`?         replaces the place by the name
 *     expected `;`                    puts it there
 *     write `import blur;` ..         puts the line first
 *     a warning                       puts `// allow CODE` above the line
 */
#include "editor/reading.h"

#include "frontend/format.h"

#include <string.h>

typedef Vec(EditorAction) ActionList;

typedef struct Mending {
    unsigned first, last;
    ActionList list;
} Mending;

/* What stands between the two texts; null if they do not. */
static const char *between(Arena *arena, const char *text, const char *before, const char *after) {
    const char *at = strstr(text, before), *end = at ? strstr(at + strlen(before), after) : NULL;
    return end ? arena_text(arena, at + strlen(before), (size_t)(end - at) - strlen(before)) : NULL;
}

static void add(Mending *mending, Arena *arena, size_t diagnostic, EditorRange range,
                const char *title, const char *text, bool is_preferred) {
    vec_push(arena, &mending->list, (EditorAction){title, text, range, diagnostic, is_preferred});
}

/* The blanks that the line begins with. */
static const char *indentation(Arena *arena, const SourceFile *file, unsigned line) {
    const char *at = file->text;
    for (unsigned n = 1; at && n < line; n++)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    return at ? arena_text(arena, at, strspn(at, " \t")) : "";
}

static void mend_report(Mending *mending, Arena *arena, const Context *context, size_t i) {
    const Report *report = &context->reports.data[i];
    EditorRange range = editor_range(context, report->place);
    EditorRange first_line = {range.path, {1, 1}, {1, 1}};
    const char *name = between(arena, report->remedy, "did you mean `", "`?");
    if (name)
        add(mending, arena, i, range, arena_format(arena, "Write `%s`", name), name, true);
    const char *wanted =
        report->code == DIAG_EXPECTED ? between(arena, report->message, "expected `", "`") : NULL;
    if (wanted && strlen(wanted) == 1 && strchr(";,)}]", *wanted)) {
        EditorRange before = {range.path, range.from, range.from};
        add(mending, arena, i, before, arena_format(arena, "Insert `%s`", wanted), wanted, true);
    }
    const char *package = between(arena, report->remedy, "write `import ", ";`");
    if (package)
        add(mending, arena, i, first_line, arena_format(arena, "Import `%s`", package),
            arena_format(arena, "import %s;\n", package), true);
    if (report->severity == SEVERITY_WARNING) {
        const SourceFile *file = &context->files.data[report->place.file];
        EditorRange line = {range.path, {range.from.line, 1}, {range.from.line, 1}};
        const char *code = diag_info(report->code)->code;
        add(mending, arena, i, line, arena_format(arena, "Allow %s here", code),
            arena_format(arena, "%s// allow %s\n", indentation(arena, file, range.from.line), code),
            false);
    }
}

static void mend(Editor *editor, Arena *arena, void *data) {
    Mending *mending = data;
    const Context *context = editor->now->h->context;
    for (size_t i = 0; i < context->reports.length; i++) {
        const Place *place = &context->reports.data[i].place;
        if (place->file == editor->now->h->file && place->line >= mending->first &&
            place->line <= mending->last)
            mend_report(mending, arena, context, i);
    }
}

EditorActions editor_actions(Editor *editor, unsigned first, unsigned last) {
    Mending mending = {.first = first, .last = last};
    return editor_ask(editor, mend, &mending)
               ? (EditorActions){mending.list.data, mending.list.length}
               : (EditorActions){0};
}

/* ---- the layout ---- */

typedef struct Formatting {
    hlc *h;
    const char *text;
    size_t length;
} Formatting;

static void format(Editor *editor, Arena *arena, void *data) {
    Formatting *formatting = data;
    const SourceFile *source = &editor->now->h->context->files.data[editor->now->h->file];
    Context *context = formatting->h->context;
    uint32_t file = context_add_file(context, source->path, source->text, source->length);
    parse_file(context, arena, file);
    if (diag_error_count(context) == 0)
        formatting->text = format_file(context, arena, file, &formatting->length);
}

const char *editor_format(Editor *editor, hlc *h, size_t *length) {
    Formatting formatting = {.h = h};
    if (!editor->now || !editor->now->text || !editor_ask_of(editor, h, format, &formatting))
        return NULL;
    *length = formatting.length;
    return formatting.text;
}
