/* load.c -- loads a program with its imports, from a file or from memory. */
#include "library/compiler.h"

#include "ir/read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 4096 };

const char *compiler_read_text(hlc *h, Arena *arena, const char *path, size_t *length) {
    size_t limit = h->context->limits.source_bytes;
    Vec(char) text = {0};
    FILE *file = h->reading = fopen(path, "rbe");
    if (!file)
        return NULL;
    for (size_t got = 1; got && text.length <= limit; text.length += got) {
        vec_reserve(arena, &text, text.length + BLOCK);
        got = fread(text.data + text.length, 1, text.capacity - text.length, file);
    }
    bool failed = ferror(file);
    if (text.length > limit) {
        errno = EFBIG;
        failed = true;
    }
    int error = errno;
    vec_push(arena, &text, 0);
    h->reading = NULL;
    fclose(file);
    errno = error;
    *length = text.length - 1;
    return failed ? NULL : text.data;
}

hlc_status compiler_unread_text(hlc *h, const char *name) {
    if (errno == EFBIG) {
        diag(h->context, DIAG_SOURCE_SIZE, NOWHERE, name,
             arena_format(h->scratch, "%zu", h->context->limits.source_bytes));
        return HLC_USER;
    }
    diag(h->context, DIAG_FILE_UNREADABLE, NOWHERE, name, strerror(errno));
    return HLC_WORLD;
}

/* A program that is named on the command line may come through a pipe; what a program names itself
 * must not make the compiler wait. */
static const char *read_import(void *data, Arena *arena, const char *path, size_t *length) {
    struct stat about;
    if (!hlc_in_root(data, path)) {
        errno = EXDEV;
        return NULL;
    }
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return NULL;
    return compiler_read_text(data, arena, path, length);
}

typedef struct Load {
    const char *path;
    const char *text; /* null: the file's */
    size_t length;
    hlc_importer *import;
    void *data; /* of `import` */
} Load;

static const char *ask_importer(void *data, Arena *arena, const char *path, size_t *length) {
    const Load *request = data;
    (void)arena;
    const char *text = request->import ? request->import(request->data, path, length) : NULL;
    errno = 0;
    return text;
}

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static hlc_status read_module(hlc *h, void *data) {
    Load *request = data;
    if (h->module || h->program) {
        diag(h->context, DIAG_LOADED_TWICE, NOWHERE, request->path);
        return HLC_USER;
    }
    bool in_memory = request->text != NULL, is_text_form = ends_in(request->path, ".ir");
    if (is_text_form && h->refuses_text) {
        diag(h->context, DIAG_TEXT_REFUSED, NOWHERE, request->path);
        return HLC_USER;
    }
    if (!in_memory && !hlc_in_root(h, request->path)) {
        diag(h->context, DIAG_OUTSIDE_ROOT, NOWHERE, request->path);
        return HLC_USER;
    }
    size_t length = request->length;
    const char *text =
        in_memory ? request->text : compiler_read_text(h, h->scratch, request->path, &length);
    if (!text)
        return compiler_unread_text(h, request->path);
    if (length > h->context->limits.source_bytes) {
        errno = EFBIG;
        return compiler_unread_text(h, request->path);
    }
    h->file = context_add_file(h->context, request->path, text, length);
    bool is_whole;
    if (is_text_form)
        h->program = program_read(pool_create(h->context, h->arena), h->arena, h->file);
    else
        h->readable =
            frontend_read(h->context, h->arena, h->file, in_memory ? ask_importer : read_import,
                          in_memory ? (void *)request : (void *)h, &h->constants, &is_whole);
    h->module = h->readable && is_whole ? h->readable : NULL;
    if (!externs_are_allowed(h)) {
        h->module = NULL;
        h->program = NULL;
    }
    return h->module || h->program ? HLC_YES : HLC_USER;
}

static hlc_status load(hlc *h, void *data) {
    timing_begin(h->context, "read");
    hlc_status status = read_module(h, data);
    timing_end(h->context);
    return status;
}

static hlc_status set_constant(hlc *h, void *data) {
    const ConstantValue *given = data;
    ConstantValue kept = {arena_text(h->arena, given->name, strlen(given->name)),
                          arena_text(h->arena, given->text, strlen(given->text))};
    vec_push(h->arena, &h->constants, kept);
    return HLC_YES;
}

hlc_status hlc_set_constant(hlc *h, const char *name, const char *value) {
    if (!name || !value)
        return compiler_null(h, name ? "value" : "name");
    ConstantValue given = {name, value};
    return compiler_enter(h, set_constant, &given);
}

static hlc_status add_schedule(hlc *h, void *data) {
    const char *text = data;
    vec_push(h->arena, &h->constants.schedules, arena_text(h->arena, text, strlen(text)));
    return HLC_YES;
}

hlc_status hlc_add_schedule(hlc *h, const char *schedule) {
    if (!schedule)
        return compiler_null(h, "schedule");
    return compiler_enter(h, add_schedule, (void *)schedule);
}

const char *hlc_constant_at(const hlc *h, size_t pipeline, size_t i, const char **value) {
    const char *text = NULL;
    if (!value)
        value = &text;
    return h && h->module && pipeline < h->module->pipelines.length
               ? module_constant(h->module, h->module->pipelines.data[pipeline], i, value)
               : NULL;
}

bool hlc_has_constant(const hlc *h, const char *name) {
    return h && name && h->module && module_has_constant(h->module, name);
}

bool hlc_has_read(const hlc *h, const char *path) {
    if (!h || !path)
        return false;
    struct stat at, other;
    bool is_there = stat(path, &at) == 0;
    for (size_t i = 1; i < h->context->files.length; i++) {
        const char *read = h->context->files.data[i].path;
        if (h->context->files.data[i].is_built_in)
            continue;
        if (strcmp(read, path) == 0)
            return true;
        if (is_there && S_ISREG(at.st_mode) && stat(read, &other) == 0 &&
            at.st_dev == other.st_dev && at.st_ino == other.st_ino)
            return true;
    }
    return false;
}

hlc_status hlc_load(hlc *h, const char *path) {
    if (!path)
        return compiler_null(h, "path");
    Load request = {.path = path};
    return compiler_enter(h, load, &request);
}

hlc_status hlc_load_text(hlc *h, const char *name, const char *text, size_t length,
                         hlc_importer *import, void *data) {
    if (!name)
        return compiler_null(h, "name");
    if (!text)
        return compiler_null(h, "text");
    Load request = {.path = name, .text = text, .length = length, .import = import, .data = data};
    return compiler_enter(h, load, &request);
}
