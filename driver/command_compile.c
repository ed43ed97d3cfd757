/* command_compile.c -- hlc compile FILE [--pipeline=P] [--schedule=S] [--emit=WHAT] -o OUT */
#include "driver/driver.h"

#include <string.h>

static hlc_status read_options(const Command *command, hlc_compile_options *options) {
    int64_t level;
    hlc_status status = options_number(command, OPTION_OPTIMIZE, 0, 2, &level);
    if (status != HLC_YES)
        return status;
    *options = (hlc_compile_options){.emit = command->values[OPTION_EMIT],
                                     .optimize = level > 3 ? 3 : (int)level};
    const char *emit = options->emit ? options->emit : "object";
    if (strcmp(emit, "object") == 0 || strcmp(emit, "asm") == 0 || strcmp(emit, "ll") == 0)
        return HLC_YES;
    diagnose(command, "E0822", "emit", "there is no such form of code", "write object, asm or ll");
    return HLC_USER;
}

/* Where the code goes.  Text may go to standard output. */
static hlc_status find_path(const Command *command, const hlc_compile_options *options,
                            const char **path) {
    *path = command->output_count > 0 ? command->outputs[command->output_count - 1] : NULL;
    bool is_text = options->emit && strcmp(options->emit, "object") != 0;
    if (command->output_count > 1) {
        diagnose(command, "E0822", "output", "one file is written", "give -o once");
        return HLC_USER;
    }
    if (*path || is_text)
        return HLC_YES;
    diagnose(command, "E0823", "compile", "the file to write, -o OUT.o");
    return HLC_USER;
}

static hlc_status compile_into(const Command *command, const hlc_compile_options *options,
                               FILE *out) {
    return hlc_compile(command->h, command->values[OPTION_PIPELINE],
                       command->values[OPTION_SCHEDULE], options, out);
}

hlc_status command_compile(const Command *command) {
    hlc_compile_options options;
    const char *path;
    hlc_status status = read_options(command, &options);
    if (status == HLC_YES)
        status = find_path(command, &options, &path);
    if (status == HLC_YES)
        status = operands_at_most(command, 1);
    if (status == HLC_YES)
        status = hlc_set_targets(command->h, command->values[OPTION_TARGET]);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status != HLC_YES || !path)
        return status == HLC_YES ? compile_into(command, &options, stdout) : status;
    NewFile new_file;
    status = file_begin(command, path, &new_file);
    if (status != HLC_YES)
        return status;
    status = compile_into(command, &options, new_file.file);
    if (status == HLC_YES)
        return file_end(command, &new_file, NULL);
    file_abandon(&new_file);
    return status;
}
