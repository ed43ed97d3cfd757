/* command_fmt.c -- hlc fmt [--check] FILE ..; standard input to standard output without one or for
 * -
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static hlc_status write_whole(const Command *command, const char *path, const char *text,
                              size_t length) {
    NewFile new_file;
    hlc_status status = file_begin(command, path, &new_file);
    if (status != HLC_YES)
        return status;
    fwrite(text, 1, length, new_file.file);
    return files_end(command, &new_file, 1, HLC_YES);
}

/* The formatted text is written back, but a pipe or a device does not keep it. --check only reads.
 */
static hlc_status check_kept(const Command *command, const char *path) {
    struct stat there;
    bool is_kept = stat(path, &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode);
    if (is_kept || command->values[OPTION_CHECK] || strcmp(path, "-") == 0)
        return HLC_YES;
    diagnose(command, "E0802", path, "it is no file; `hlc fmt` without one reads standard input");
    return HLC_WORLD;
}

static hlc_status format_one(const Command *command, const char *path) {
    hlc_status status = check_kept(command, path);
    if (status != HLC_YES)
        return status;
    char *text = NULL;
    size_t length = 0;
    bool is_formatted;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return HLC_WORLD;
    status = hlc_format(command->h, path, &is_formatted, out);
    if (fclose(out) != 0)
        status = HLC_WORLD;
    bool to_output = strcmp(path, "-") == 0;
    if (status == HLC_YES && command->values[OPTION_CHECK]) {
        status = is_formatted ? HLC_YES : HLC_NO;
        if (!is_formatted)
            puts(to_output ? "standard input" : path);
    } else if (status == HLC_YES && to_output) {
        fwrite(text, 1, length, stdout);
    } else if (status == HLC_YES && !is_formatted) {
        status = write_whole(command, path, text, length);
    }
    free(text);
    return status;
}

/* The worst status wins; a file that cannot be formatted does not stop the others. */
hlc_status command_fmt(const Command *command) {
    hlc_status worst = command->operand_count ? HLC_YES : format_one(command, "-");
    for (int i = 0; i < command->operand_count; i++) {
        hlc_status status = format_one(command, command->operands[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
