/* untrusted.c -- what a host may forbid to programs that it does not trust. */
#include "library/compiler.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static hlc_status set_root(hlc *h, void *data) {
    const char *folder = data;
    char real[PATH_MAX];
    if (!folder) {
        h->root = NULL;
        return HLC_YES;
    }
    if (!realpath(folder, real)) {
        diag(h->context, DIAG_FILE_UNREADABLE, NOWHERE, folder, strerror(errno));
        return HLC_WORLD;
    }
    h->root = arena_text(h->arena, real, strlen(real));
    return HLC_YES;
}

hlc_status hlc_set_root(hlc *h, const char *folder) {
    return compiler_enter(h, set_root, (void *)folder);
}

/* Where the path leads: real up to its first part that is not there. False if the rest goes up. */
static bool find_place(const char *path, char *real) {
    char text[PATH_MAX];
    int length = snprintf(text, sizeof text, "%s%s", *path == '/' ? "" : "./", path);
    if (length < 0 || length >= (int)sizeof text)
        return false;
    while (!realpath(text, real)) {
        char *slash = strrchr(text, '/');
        if (!slash || errno != ENOENT || strcmp(slash + 1, "..") == 0)
            return false;
        slash[slash == text] = 0;
    }
    return true;
}

bool hlc_in_root(const hlc *h, const char *path) {
    char real[PATH_MAX];
    if (!h || !path || !h->root)
        return h && path;
    size_t length = strlen(h->root);
    if (!find_place(path, real) || strncmp(real, h->root, length) != 0)
        return false;
    return h->root[length - 1] == '/' || real[length] == '/' || real[length] == 0;
}

void hlc_refuse_text_form(hlc *h) {
    if (h)
        h->refuses_text = true;
}

void hlc_limit_run_memory(hlc *h, size_t bytes) {
    if (h)
        h->run_memory = bytes;
}

typedef struct LimitRequest {
    const char *name;
    size_t most;
} LimitRequest;

static hlc_status lower_limit(hlc *h, void *data) {
    const LimitRequest *request = data;
    if (context_lower_limit(h->context, request->name, request->most))
        return HLC_YES;
    diag(h->context, DIAG_OPTION_VALUE, NOWHERE, "limit",
         arena_format(h->scratch, "`%s` cannot be lowered to %zu", request->name, request->most),
         arena_format(h->scratch, "limits can only be lowered; they are: %s",
                      context_limits_text(h->context, h->scratch)));
    return HLC_USER;
}

hlc_status hlc_lower_limit(hlc *h, const char *name, size_t most) {
    if (!name)
        return compiler_null(h, "name");
    LimitRequest request = {name, most};
    return compiler_enter(h, lower_limit, &request);
}
