/* command_run.c -- hlc run FILE [--pipeline=P] [--schedule=S]
 * [--interpret=reference|semantics|target]
 *                      [--order=forward|backward|interleaved] [--seed=N] [--formal | --strict]
 *                      name=value ... -o out.png */
#include "driver/driver.h"
#include "driver/image/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static hlc_machine machine_of(const Command *command) {
    const char *text = command->values[OPTION_INTERPRET];
    if (!text)
        return HLC_COMPILED;
    return strcmp(text, "reference") == 0   ? HLC_REFERENCE
           : strcmp(text, "semantics") == 0 ? HLC_SEMANTICS
                                            : HLC_TARGET;
}

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

/* Prints, for an output that is not written, its size and a hash of its elements, to compare runs.
 */
static void summarise(const char *name, const hlc_image *image) {
    printf("%s: %s", name, image_type_text(image->kind, image->bits).text);
    for (int d = 0; d < image->dimensions; d++)
        printf("%s%" PRId64, d ? "x" : " ", image->extent[d]);
    printf(", hash %016" PRIx64 "\n", images_hash(image));
}

/* Writes the files of -o: all of them, or none. */
static hlc_status save_outputs(const Command *command, const hlc_arguments *arguments) {
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
            status = images_save(command, hlc_arguments_output_name(arguments, output),
                                 hlc_arguments_output(arguments, output), path, &files[begun]);
        begun += status == HLC_YES;
    }
    if (files)
        status = files_end(command, files, begun, status);
    free(files);
    return status;
}

static hlc_status write_outputs(const Command *command, const hlc_arguments *arguments) {
    if (command->values[OPTION_OUTPUT])
        return save_outputs(command, arguments);
    for (size_t i = 0; i < hlc_arguments_output_count(arguments); i++)
        summarise(hlc_arguments_output_name(arguments, i), hlc_arguments_output(arguments, i));
    return HLC_YES;
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

/* Checks before the work: do the outputs of -o exist, are the file names acceptable, and has each
 * output its own file? */
static hlc_status check_outputs(const Command *command, const hlc_arguments *arguments) {
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

/* --order, --seed, --formal and --strict; HLC_USER after reporting. */
static hlc_status set_interpreter(const Command *command, hlc_machine machine) {
    const char *const *values = command->values;
    static const Option of_target[] = {OPTION_ORDER, OPTION_SEED};
    static const Option of_both[] = {OPTION_FORMAL, OPTION_STRICT};
    for (int i = 0; i < 2; i++) {
        if (values[of_target[i]] && machine != HLC_TARGET)
            return options_refuse(command, of_target[i], "it needs --interpret=target");
        if (values[of_both[i]] && machine == HLC_COMPILED)
            return options_refuse(command, of_both[i], "it needs --interpret");
    }
    int64_t seed;
    hlc_status status = options_number(command, OPTION_SEED, 0, 1, &seed);
    const char *order = values[OPTION_ORDER] ? values[OPTION_ORDER] : "forward";
    hlc_interpreter interpreter = {.order = *order == 'f'   ? HLC_ORDER_FORWARD
                                            : *order == 'b' ? HLC_ORDER_BACKWARD
                                                            : HLC_ORDER_INTERLEAVED,
                                   .seed = (uint64_t)seed,
                                   .formal = values[OPTION_FORMAL],
                                   .strict = values[OPTION_STRICT]};
    hlc_set_interpreter(command->h, &interpreter);
    return status;
}

hlc_status command_run(const Command *command) {
    hlc_machine machine = machine_of(command);
    hlc_arguments *arguments;
    hlc_status status = options_threads(command);
    if (status == HLC_YES)
        status = set_interpreter(command, machine);
    if (status == HLC_YES)
        status = options_compiler(command, machine == HLC_COMPILED);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status = operands_bind(command, 1, &arguments);
    if (status == HLC_YES)
        status = check_outputs(command, arguments);
    if (status == HLC_YES)
        status = hlc_run(arguments, command->values[OPTION_SCHEDULE], machine);
    if (status == HLC_YES)
        status = write_outputs(command, arguments);
    return status;
}
