/* files.c -- files that are written whole or not at all: into a file beside the path, which is then
 * renamed to it. */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hlc_status file_begin(const Command *command, const char *path, NewFile *new_file) {
    *new_file = (NewFile){.path = path};
    int length = snprintf(new_file->beside, sizeof new_file->beside, "%s.XXXXXX", path);
    int descriptor = -1;
    errno = ENAMETOOLONG;
    if (length < (int)sizeof new_file->beside)
        descriptor = mkstemp(new_file->beside);
    if (descriptor >= 0)
        new_file->file = fdopen(descriptor, "wb");
    if (!new_file->file) {
        diagnose(command, "E0802", path, strerror(errno));
        return HLC_WORLD;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    return HLC_YES;
}

hlc_status file_end(const Command *command, NewFile *new_file, const char *failure) {
    bool is_written = !ferror(new_file->file);
    is_written = fclose(new_file->file) == 0 && is_written;
    if (is_written && !failure && rename(new_file->beside, new_file->path) == 0)
        return HLC_YES;
    diagnose(command, "E0802", new_file->path, failure ? failure : strerror(errno));
    unlink(new_file->beside);
    return HLC_WORLD;
}

void file_abandon(NewFile *new_file) {
    fclose(new_file->file);
    unlink(new_file->beside);
}
