/* machine_file.c -- the file with the figures of this machine, which `hlc machine` writes, and which
 * choosing a schedule reads. It is state of the user's on this machine: the XDG base directory
 * specification keeps such files in XDG_STATE_HOME. */
#include "driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 65536 };

hlc_status machine_path(const Command *command, char *path, size_t size) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (state && state[0] == '/')
        length = snprintf(path, size, "%s/hlc/machine", state);
    else if (home && home[0] == '/')
        length = snprintf(path, size, "%s/.local/state/hlc/machine", home);
    if (length > 0 && (size_t)length < size)
        return HLC_YES;
    hlc_diagnose(command->h, "E0965", NULL);
    return HLC_USER;
}

/* Reads the file, if it is there. */
static hlc_status use_file(const Command *command, const char *path, bool is_needed) {
    FILE *file = fopen(path, "r");
    if (!file && !is_needed && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return HLC_YES;
    char *text = file ? calloc(1, MOST_BYTES + 1) : NULL;
    size_t length = text ? fread(text, 1, MOST_BYTES, file) : 0;
    hlc_status status = HLC_WORLD;
    if (!text || ferror(file))
        diagnose(command, "E0801", path, strerror(errno));
    else
        status = strlen(text) == length ? hlc_set_machine(command->h, path, text)
                                        : hlc_set_machine(command->h, path, "(bytes)");
    free(text);
    if (file)
        fclose(file);
    return status;
}

hlc_status machine_use(const Command *command) {
    const char *given = command->values[OPTION_MACHINE_FILE];
    const char *target = command->values[OPTION_TARGET];
    hlc_status status = target ? hlc_set_targets(command->h, target) : HLC_YES;
    if (status != HLC_YES)
        return status;
    if (given && strcmp(given, "typical") == 0)
        return HLC_YES;
    if (given)
        return files_allow(command, given) ? use_file(command, given, true) : HLC_USER;
    bool is_elsewhere = target && strcmp(target, "host") != 0;
    bool has_place = getenv("XDG_STATE_HOME") || getenv("HOME");
    char path[4096];
    if (is_elsewhere || command->values[OPTION_ROOT] || !has_place)
        return HLC_YES;
    status = machine_path(command, path, sizeof path);
    return status == HLC_YES ? use_file(command, path, false) : status;
}
