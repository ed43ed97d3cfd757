/* command_compile.c -- hlc compile FILE [--pipeline=P] [--schedule=S] [--emit=WHAT] [--header=FILE]
 * [--depfile=FILE] -o OUT */
#include "driver/driver.h"

#include <string.h>
#include <sys/stat.h>

static hlc_status read_options(const Command *command, hlc_compile_options *options) {
    hlc_code code;
    hlc_status status = options_code(command, &code);
    if (status != HLC_YES)
        return status;
    *options = (hlc_compile_options){.emit = command->values[OPTION_EMIT],
                                     .optimize = code.optimize,
                                     .debug = code.debug,
                                     .sanitize = code.sanitize,
                                     .trace = command->values[OPTION_TRACE] != NULL};
    return HLC_YES;
}

/* Finds the output path. Text may go to standard output. */
static hlc_status find_path(const Command *command, const hlc_compile_options *options,
                            const char **path) {
    *path = command->values[OPTION_OUTPUT];
    bool is_text = options->emit && strcmp(options->emit, "object") != 0;
    if (options_repeated(command, OPTION_OUTPUT, 1)) {
        diagnose(command, "E0822", "output", "one file is written", "give -o once");
        return HLC_USER;
    }
    if (*path || (is_text && !command->values[OPTION_DEPFILE]))
        return HLC_YES;
    diagnose(command, "E0823", "compile", "the file to write, -o OUT");
    return HLC_USER;
}

/* The output files: all of them are written, or none. */
typedef struct CompileOutputs {
    NewFile code, header, depfile;
    NewFile *begun[3]; /* in the order of their appearance; the code last: others wait for it */
    int count;
} CompileOutputs;

static hlc_status begin(const Command *command, CompileOutputs *outputs, NewFile *file,
                        const char *path) {
    hlc_status status = path ? file_begin(command, path, file) : HLC_YES;
    if (path && status == HLC_YES)
        outputs->begun[outputs->count++] = file;
    return status;
}

static hlc_status begin_all(const Command *command, CompileOutputs *outputs, const char *path) {
    hlc_status status = begin(command, outputs, &outputs->header, command->values[OPTION_HEADER]);
    if (status == HLC_YES)
        status = begin(command, outputs, &outputs->depfile, command->values[OPTION_DEPFILE]);
    if (status == HLC_YES)
        status = begin(command, outputs, &outputs->code, path);
    return status;
}

/* `status` is how the making went. */
static hlc_status end_all(const Command *command, CompileOutputs *outputs, hlc_status status) {
    for (int i = 0; i < outputs->count; i++)
        if (status == HLC_YES)
            status = file_end(command, outputs->begun[i], NULL);
        else
            file_abandon(outputs->begun[i]);
    return status;
}

/* One existing file, or one name. */
static bool is_same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    if (!a || !b || stat(a, &at_a) != 0 || stat(b, &at_b) != 0)
        return a && b && strcmp(a, b) == 0;
    return S_ISREG(at_a.st_mode) && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

static hlc_status check_paths(const Command *command, const char *path) {
    const char *files[] = {command->operand_count ? command->operands[0] : NULL, path,
                           command->values[OPTION_HEADER], command->values[OPTION_DEPFILE]};
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (is_same_file(files[k], files[i])) {
                diagnose(command, "E0802", files[i],
                         k == 0 ? "it is the source" : "another result goes there");
                return HLC_USER;
            }
    return HLC_YES;
}

/* The source has been loaded. */
static hlc_status check_imports(const Command *command, const char *path) {
    const char *files[] = {path, command->values[OPTION_HEADER], command->values[OPTION_DEPFILE]};
    for (int i = 0; i < 3; i++)
        if (files[i] && hlc_has_read(command->h, files[i])) {
            diagnose(command, "E0802", files[i], "the source imports it");
            return HLC_USER;
        }
    return HLC_YES;
}

static hlc_status compile(const Command *command, hlc_compile_options *options, const char *path) {
    CompileOutputs outputs = {.count = 0};
    hlc_status status = begin_all(command, &outputs, path);
    options->header = outputs.header.file;
    options->depfile = outputs.depfile.file;
    options->object = path;
    if (status == HLC_YES)
        status = hlc_compile(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], options,
                             path ? outputs.code.file : stdout);
    return end_all(command, &outputs, status);
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
        status = check_paths(command, path);
    if (status == HLC_YES)
        status = hlc_set_targets(command->h, command->values[OPTION_TARGET]);
    if (status == HLC_YES)
        status = options_worker(command);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status = check_imports(command, path);
    return status == HLC_YES ? compile(command, &options, path) : status;
}
