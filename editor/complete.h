/* complete.h -- shared by complete*.c: the point at which something is typed, and the list of what could
 * be. */
#ifndef HLC_EDITOR_COMPLETE_H
#define HLC_EDITOR_COMPLETE_H

#include "editor/reading.h"

typedef enum SiteKind {
    SITE_NOTHING, /* in a comment, a string, a number */
    SITE_TOP,
    SITE_ITEM,       /* where an item of a pipeline begins */
    SITE_EXPRESSION, /* elsewhere in a pipeline, a let, a template */
    SITE_LINE,       /* where a directive begins */
    SITE_ARGUMENT    /* in the brackets of a directive */
} SiteKind;

typedef struct Site {
    SiteKind kind;
    EditorPoint at;
    size_t statement; /* the token that begins the statement */
    size_t word;      /* the first token that is completed, of a path its first name */
    size_t end;       /* behind the last one */
    size_t head;      /* the word `schedule`, `pipeline`, .. around */
    size_t depth;     /* of the blocks around */
    size_t argument;  /* of a directive */
    const char *directive;
    const char *path; /* of a field: the name before the dot; null: a plain name */
} Site;

typedef Vec(EditorItem) ItemList;

typedef struct Completion {
    Site site;
    ItemList list;
    const char *text; /* mended */
    size_t length;
    EditorPoint above; /* what stands before it in the mended text, stands above the statement */
    Symbol cursor;
    hlc *mended;
    EditorRange replaced;
} Completion;

static inline void complete_add(Completion *completion, Arena *arena, const char *label,
                                EditorItemKind kind, const char *detail) {
    vec_push(arena, &completion->list, (EditorItem){label, detail ? detail : "", kind});
}

/* complete_schedule.c: adds what could be typed in a schedule. `completion->mended` has read the text
 * without the statement. */
void complete_schedule(Editor *editor, Arena *arena, void *completion);

#endif
