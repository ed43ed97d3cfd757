/* command_fmt.c -- hlc fmt [--check] FILE ..; standard input to standard output without one or for
 * -
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static hlc_status write_whole(const Command *command, const char *path, const char *text,
                              size_t length) {
    NewFile new_file;
    hlc_status status = file_begin(command, path, &new_file);
    if (status != HLC_YES)
        return status;
    fwrite(text, 1, length, new_file.file);
    return file_end(command, &new_file, NULL);
}

static hlc_status format_one(const Command *command, const char *path) {
    char *text = NULL;
    size_t length = 0;
    bool is_formatted;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return HLC_WORLD;
    hlc_status status = hlc_format(command->h, path, &is_formatted, out);
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
