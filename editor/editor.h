/* editor.h -- what editors ask about a text while it is typed; `hlc lsp` (driver/lsp) answers with it.
 *
 *   reading.c     reads a version of the text, judges its schedules
 *   tokens.c      the tokens of the text: blocks, the statement around a point
 *   names.c names_file.c names_schedule.c  which name means which definition, from the syntax tree
 *   mentions.c    definition, references, rename
 *   regions.c     loops and memory of a func under a schedule
 *   hover.c hints.c            what is said of a name, and within the text
 *   complete.c complete_schedule.c    what could be typed at a point
 *   outline.c     symbols, blocks, places to run something
 *   actions.c     edits that mend a diagnostic
 *   pages.c       what the pages of docs/ say of a word
 *
 * An Editor is one open text. Each version is read by a handle of its own (include/hlc.h), under that
 * handle's limits; another thread may end a call by hlc_cancel. TextNames and places come from the newest
 * version, even if it has faults. Types and loops come from it, too, if it can be elaborated, else
 * from the last version that could.
 *
 * Answers live until editor_forget, until the next version is read, or until the handle is destroyed
 * that they were asked with. A question that is ended early, or beyond its limits, has an empty answer.
 */
#ifndef HLC_EDITOR_EDITOR_H
#define HLC_EDITOR_EDITOR_H

#include "include/hlc.h"

typedef struct Editor Editor;

/* Both count from 1; columns in bytes. */
typedef struct EditorPoint {
    unsigned line, column;
} EditorPoint;

typedef struct EditorRange {
    const char *path; /* null: a package of the library, which is part of the compiler */
    EditorPoint from, to;
} EditorRange;

/* Null when memory runs out. The path is absolute; it is copied. */
Editor *editor_create(const char *path);
void editor_destroy(Editor *editor);

/* ---- versions ---- */

/* Reads a version with `h`, which is fresh, and belongs to the editor from now on. The importer
 * (hlc_load_text) is called in here only. */
hlc_status editor_read(Editor *editor, hlc *h, const char *text, size_t length,
                       hlc_importer *import, void *data);
/* The handle of the newest version, for its diagnostics; null before the first. */
hlc *editor_handle(const Editor *editor);
/* The handle that types and loops come from, perhaps the same; null before a version was good. Another
 * thread may end a question by both. */
hlc *editor_good_handle(const Editor *editor);
/* Where a diagnostic of the handle is shown in the text. `*is_elsewhere`: its own place is in another
 * file, and this is what made it, or the first line. */
EditorRange editor_diagnostic_range(const Editor *editor, size_t i, bool *is_elsewhere);
/* The text of a file that the newest version has read; null if there is none of this path. */
const char *editor_text(const Editor *editor, const char *path, size_t *length);
/* Lowers schedule `i` as far as it can be refused; with `warns`, as far as it is warned of. The
 * diagnostics are the handle's. Returns false behind the last schedule. */
bool editor_judge(Editor *editor, size_t i, bool warns);

/* Frees the answers so far. */
void editor_forget(Editor *editor);

/* ---- names ---- */

typedef struct EditorMention {
    EditorRange range;
    bool is_definition;
} EditorMention;

typedef struct EditorMentions {
    EditorMention *data;
    size_t count;
} EditorMentions;

/* Where the name at a point is defined; count 0 if it is no name. A name of several definitions, a
 * family of funcs, has several. The path of an import is defined at the beginning of its file. */
EditorMentions editor_definition(Editor *editor, EditorPoint at);
/* All mentions in the files that the text has read, definitions too. */
EditorMentions editor_references(Editor *editor, EditorPoint at);

typedef struct EditorRename {
    EditorMentions places; /* to be replaced by the new name */
    EditorRange word;      /* the name at the point */
    const char *refused;   /* null, or why it cannot be renamed */
} EditorRename;
/* `name` null: only tells whether it could be renamed. `check` is a fresh handle, which the caller
 * destroys: it reads the renamed text, which must mean the same. */
EditorRename editor_rename(Editor *editor, EditorPoint at, const char *name, hlc *check,
                           hlc_importer *import, void *data);

typedef enum EditorToken {
    EDITOR_TOKEN_PIPELINE,
    EDITOR_TOKEN_SCHEDULE,
    EDITOR_TOKEN_PARAMETER,
    EDITOR_TOKEN_CONSTANT,
    EDITOR_TOKEN_FUNC,
    EDITOR_TOKEN_HELPER,
    EDITOR_TOKEN_VARIABLE,
    EDITOR_TOKEN_DIRECTIVE
} EditorToken;

typedef struct EditorColour {
    EditorPoint at;
    unsigned length;
    EditorToken token;
    bool is_definition;
} EditorColour;

typedef struct EditorColours {
    EditorColour *data;
    size_t count;
} EditorColours;

/* The names of the text, in order. */
EditorColours editor_colours(Editor *editor);

/* ---- what is said ---- */

/* Markdown about the word at a point; null if there is nothing to say. */
const char *editor_hover(Editor *editor, EditorPoint at, EditorRange *word);

typedef struct EditorHint {
    EditorPoint at;
    const char *text;
    bool is_type;
} EditorHint;

typedef struct EditorHints {
    EditorHint *data;
    size_t count;
} EditorHints;

/* Types of funcs that declare none, lengths of loops, regions of levels, from line `first` to `last`. */
EditorHints editor_hints(Editor *editor, unsigned first, unsigned last);

/* ---- what could be typed ---- */

typedef enum EditorItemKind {
    EDITOR_ITEM_NAME,
    EDITOR_ITEM_FUNC,
    EDITOR_ITEM_FUNCTION, /* of the language */
    EDITOR_ITEM_DIRECTIVE,
    EDITOR_ITEM_LOOP,
    EDITOR_ITEM_KEYWORD,
    EDITOR_ITEM_TYPE,
    EDITOR_ITEM_FIELD
} EditorItemKind;

typedef struct EditorItem {
    const char *label, *detail; /* detail may be "" */
    EditorItemKind kind;
} EditorItem;

typedef struct EditorItems {
    EditorItem *data;
    size_t count;
    EditorRange replaced; /* the part of a word before and behind the point */
} EditorItems;

/* `mended` is a fresh handle, which the caller destroys: it reads the text without the unfinished
 * statement. */
EditorItems editor_complete(Editor *editor, EditorPoint at, hlc *mended, hlc_importer *import,
                            void *data);

/* ---- the outline ---- */

typedef struct EditorSymbol {
    const char *name, *detail;
    EditorToken kind;
    EditorRange whole, word;
    unsigned depth; /* of the symbols that contain it: a symbol stands before what it contains */
} EditorSymbol;

typedef struct EditorSymbols {
    EditorSymbol *data;
    size_t count;
} EditorSymbols;

EditorSymbols editor_symbols(Editor *editor);

typedef struct EditorFold {
    unsigned first, last; /* lines */
    bool is_comment;
} EditorFold;

typedef struct EditorFolds {
    EditorFold *data;
    size_t count;
} EditorFolds;

EditorFolds editor_folds(Editor *editor);

/* A pipeline, or one of its schedules, with the place of its name. */
typedef struct EditorLens {
    EditorRange word;
    const char *pipeline, *schedule; /* schedule null: the pipeline */
} EditorLens;

typedef struct EditorLenses {
    EditorLens *data;
    size_t count;
} EditorLenses;

EditorLenses editor_lenses(Editor *editor);

/* ---- what mends ---- */

typedef struct EditorAction {
    const char *title, *text; /* `range` is replaced by the text */
    EditorRange range;
    size_t diagnostic; /* its number, for hlc_diagnostic_at */
    bool is_preferred; /* the remedy itself, not a comment that silences */
} EditorAction;

typedef struct EditorActions {
    EditorAction *data;
    size_t count;
} EditorActions;

/* The edits for diagnostics from line `first` to `last`. */
EditorActions editor_actions(Editor *editor, unsigned first, unsigned last);

/* The text in the canonical layout; null if it does not parse. `h` is a fresh handle, which the caller
 * destroys. */
const char *editor_format(Editor *editor, hlc *h, size_t *length);

#endif
