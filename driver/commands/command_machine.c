/* command_machine.c -- hlc machine [--kept | --target=NAMES] [--threads=N] [-o FILE] [--json]
 *
 * Measures this machine, keeps its figures where schedules are chosen by them, and prints them. */
#include "driver/driver.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Makes the folders above the file. */
static hlc_status make_folders(const Command *command, char *path) {
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        if (failed)
            diagnose(command, "E0802", path, strerror(errno));
        *at = '/';
        if (failed)
            return HLC_WORLD;
    }
    return HLC_YES;
}

static hlc_status write_file(const Command *command, const char *path) {
    NewFile file;
    hlc_status status = file_begin(command, path, &file);
    if (status != HLC_YES)
        return status;
    fputs("# the figures of a machine, by which `hlc schedule` chooses\n", file.file);
    return files_end(command, &file, 1, hlc_print_machine(command->h, false, file.file));
}

static hlc_status measure(const Command *command, const char *path) {
    char kept[4096];
    hlc_status status = HLC_YES;
    if (!path) {
        status = machine_path(command, kept, sizeof kept);
        if (status == HLC_YES && !files_allow(command, kept))
            status = HLC_USER;
        if (status == HLC_YES)
            status = make_folders(command, kept);
        path = kept;
    }
    if (status == HLC_YES)
        status = hlc_calibrate(command->h, NULL);
    if (status == HLC_YES)
        status = write_file(command, path);
    if (status == HLC_YES && path == kept && !command->values[OPTION_JSON])
        printf("# kept in %s\n", path);
    return status;
}

hlc_status command_machine(const Command *command) {
    const char *path = options_repeated(command, OPTION_OUTPUT, 0);
    const char *target = command->values[OPTION_TARGET];
    bool is_measured = !command->values[OPTION_KEPT] && (!target || strcmp(target, "host") == 0);
    hlc_status status = operands_at_most(command, 0);
    if (status == HLC_YES && path && options_repeated(command, OPTION_OUTPUT, 1))
        status = options_refuse(command, OPTION_OUTPUT, "the figures of a machine go to one file");
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = is_measured ? measure(command, path) : machine_use(command);
    if (status == HLC_YES && path && !is_measured)
        status = write_file(command, path);
    if (status == HLC_YES && !path)
        status = hlc_print_machine(command->h, command->values[OPTION_JSON] != NULL, stdout);
    return status;
}
