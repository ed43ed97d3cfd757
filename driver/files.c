/* files.c -- files that are written whole or not at all: into a file beside the path, which is then
 * renamed to it.  Behind a symbolic link it is the file there; what is no file, as /dev/null or a
 * pipe, stays in its place and is written to. */
#include "driver/driver.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void open_beside(NewFile *new_file) {
    char resolved[PATH_MAX];
    int descriptor = -1;
    if (!realpath(new_file->path, resolved)) /* it is not there yet */
        snprintf(resolved, sizeof resolved, "%s", new_file->path);
    snprintf(new_file->place, sizeof new_file->place, "%s", resolved);
    int length = snprintf(new_file->beside, sizeof new_file->beside, "%s.XXXXXX", resolved);
    errno = ENAMETOOLONG;
    if (length < (int)sizeof new_file->beside && strlen(new_file->path) < sizeof new_file->place)
        descriptor = mkstemp(new_file->beside);
    if (descriptor < 0)
        return;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    new_file->file = fdopen(descriptor, "wb");
}

hlc_status file_begin(const Command *command, const char *path, NewFile *new_file) {
    struct stat there;
    *new_file = (NewFile){.path = path};
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        new_file->file = fopen(path, "wb");
    else
        open_beside(new_file);
    if (new_file->file)
        return HLC_YES;
    diagnose(command, "E0802", path, strerror(errno));
    return HLC_WORLD;
}

/* Not where the bytes went to the place itself. */
static void remove_beside(const NewFile *new_file) {
    if (*new_file->beside)
        unlink(new_file->beside);
}

hlc_status file_end(const Command *command, NewFile *new_file, const char *failure) {
    bool is_written = !ferror(new_file->file);
    is_written = fclose(new_file->file) == 0 && is_written;
    if (is_written && !failure &&
        (!*new_file->beside || rename(new_file->beside, new_file->place) == 0))
        return HLC_YES;
    diagnose(command, "E0802", new_file->path, failure ? failure : strerror(errno));
    remove_beside(new_file);
    return HLC_WORLD;
}

void file_abandon(NewFile *new_file) {
    fclose(new_file->file);
    remove_beside(new_file);
}
