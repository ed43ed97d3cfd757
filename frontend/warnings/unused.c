/* unused.c -- names that nothing uses: lets, consts, parameters, images, and funcs that no output
 * needs.
 *
 * Where constants choose between texts (`if`, `c ? a : b`), a name may be used with other values of
 * theirs. Then only a name that the file's text does not mention again is unused. */
#include "frontend/warnings/watch.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char letter) {
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Does the text mention the name twice?  A comment counts, too. */
static bool is_mentioned_again(const SourceFile *file, Symbol name) {
    size_t count = 0;
    for (const char *at = strstr(file->text, name->text); at && count < 2;
         at = strstr(at + 1, name->text)) {
        bool begins = at == file->text || !is_word(at[-1]);
        count += begins && !is_word(at[name->length]);
    }
    return count > 1;
}

/* So many names of one file are looked for in its text; of more, nothing is said. */
enum { MOST_SEARCHES = 100 };

void warn_of_unused(const Watch *watch) {
    const SourceFile *file = &watch->context->files.data[watch->file];
    size_t searches = 0;
    for (size_t i = 0; i < watch->names.length; i++) {
        const Watched *watched = &watch->names.data[i];
        if (watch_is_used(watched))
            continue;
        if (watch->chooses &&
            (++searches > MOST_SEARCHES || is_mentioned_again(file, watched->name.name)))
            continue;
        diag(watch->context, DIAG_UNUSED, watched->name.place, watched->kind,
             watched->name.name->text);
    }
}
