/* outputs.c -- the picture files of -o, one for an output. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static const char *output_list(const hlc_arguments *arguments, char *text, size_t size) {
    text[0] = 0;
    for (size_t i = 0; i < hlc_arguments_output_count(arguments); i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                 hlc_arguments_output_name(arguments, i));
    }
    return text;
}

static const char *nearest_output(const hlc_arguments *arguments, const char *name) {
    const char *candidates[65] = {NULL};
    for (size_t i = 0; i < 64 && i < hlc_arguments_output_count(arguments); i++)
        candidates[i] = hlc_arguments_output_name(arguments, i);
    return hlc_nearest(name, candidates);
}

/* Reads `OUTPUT=FILE`, or FILE alone if there is one output. Returns the output and `*path`; the
 * count of outputs after reporting. */
static size_t find_output(const Command *command, const hlc_arguments *arguments,
                          const char *written, const char **path) {
    const char *equals = strchr(written, '=');
    size_t count = hlc_arguments_output_count(arguments);
    *path = written;
    if (!equals && count == 1)
        return 0;
    size_t length = equals ? (size_t)(equals - written) : strlen(written), i = 0;
    while (i < count && !(strncmp(hlc_arguments_output_name(arguments, i), written, length) == 0 &&
                          hlc_arguments_output_name(arguments, i)[length] == 0))
        i++;
    if (equals && i < count) {
        *path = equals + 1;
        return i;
    }
    char outputs[1200], name[200];
    snprintf(name, sizeof name, "%.*s", (int)length, written);
    output_list(arguments, outputs, 1000);
    const char *nearest = equals ? nearest_output(arguments, name) : NULL;
    size_t used = strlen(outputs);
    if (nearest)
        snprintf(outputs + used, sizeof outputs - used, "; did you mean `%.100s`?", nearest);
    diagnose(command, equals ? "E0827" : "E0831", name, outputs);
    return count;
}

hlc_status outputs_save(const Command *command, const hlc_arguments *arguments) {
    const char *written, *path;
    int count = 0, begun = 0;
    while (options_repeated(command, OPTION_OUTPUT, count))
        count++;
    NewFile *files = calloc((size_t)count + 1, sizeof *files);
    hlc_status status = files ? HLC_YES : HLC_WORLD;
    while (status == HLC_YES && (written = options_repeated(command, OPTION_OUTPUT, begun))) {
        size_t output = find_output(command, arguments, written, &path);
        if (output == hlc_arguments_output_count(arguments))
            status = HLC_USER;
        else
            status = images_save(command, arguments, hlc_arguments_output_name(arguments, output),
                                 hlc_arguments_output(arguments, output), path, &files[begun]);
        begun += status == HLC_YES;
    }
    if (files)
        status = files_end(command, files, begun, status);
    free(files);
    return status;
}

/* Is one of the first `count` outputs, other than this one, written to this path? */
static bool is_taken(const Command *command, const hlc_arguments *arguments, int count,
                     size_t output, const char *path) {
    const char *other;
    for (int i = 0; i < count; i++)
        if (find_output(command, arguments, options_repeated(command, OPTION_OUTPUT, i), &other) !=
                output &&
            strcmp(other, path) == 0)
            return true;
    return false;
}

hlc_status outputs_check(const Command *command, const hlc_arguments *arguments) {
    const char *path, *written;
    for (int i = 0; (written = options_repeated(command, OPTION_OUTPUT, i)); i++) {
        size_t output = find_output(command, arguments, written, &path);
        if (output == hlc_arguments_output_count(arguments) ||
            images_check_path(command, path) != HLC_YES)
            return HLC_USER;
        if (is_taken(command, arguments, i, output, path)) {
            diagnose(command, "E0832", path);
            return HLC_USER;
        }
    }
    return HLC_YES;
}
