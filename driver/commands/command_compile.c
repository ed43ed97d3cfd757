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
                                     .trace = command->values[OPTION_TRACE] != NULL,
                                     .stoppable = command->values[OPTION_STOPPABLE] != NULL,
                                     .profile = command->values[OPTION_PROFILE] != NULL};
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

/* The output files: all of them appear, or none. The code is the last: others wait for it. */
typedef struct CompileOutputs {
    NewFile files[3];
    int count;
} CompileOutputs;

/* Begins a file; `*file` stays null if `path` is. */
static hlc_status begin(const Command *command, CompileOutputs *outputs, const char *path,
                        FILE **file) {
    NewFile *made = &outputs->files[outputs->count];
    hlc_status status = path ? file_begin(command, path, made) : HLC_YES;
    if (path && status == HLC_YES) {
        outputs->count++;
        *file = made->file;
    }
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
    FILE *code = stdout;
    hlc_status status = begin(command, &outputs, command->values[OPTION_HEADER], &options->header);
    if (status == HLC_YES)
        status = begin(command, &outputs, command->values[OPTION_DEPFILE], &options->depfile);
    if (status == HLC_YES)
        status = begin(command, &outputs, path, &code);
    options->object = path;
    if (status == HLC_YES)
        status = hlc_compile(command->h, command->values[OPTION_PIPELINE],
                             command->values[OPTION_SCHEDULE], options, code);
    return files_end(command, outputs.files, outputs.count, status);
}

/* Sizes are for a schedule that is to be chosen; otherwise there are const parameters only. */
static hlc_status load(const Command *command) {
    const char *schedule = command->values[OPTION_SCHEDULE];
    if (!schedule || strcmp(schedule, "auto") != 0)
        return operands_load_alone(command);
    hlc_arguments *sizes;
    hlc_status status = operands_load(command);
    if (status == HLC_YES && !operands_want_schedule(command))
        return operands_are_constants(command);
    return status == HLC_YES ? operands_bind_any(command, &sizes) : status;
}

hlc_status command_compile(const Command *command) {
    hlc_compile_options options;
    const char *path;
    hlc_status status = read_options(command, &options);
    if (status == HLC_YES)
        status = find_path(command, &options, &path);
    if (status == HLC_YES)
        status = check_paths(command, path);
    if (status == HLC_YES)
        status = hlc_set_targets(command->h, command->values[OPTION_TARGET]);
    if (status == HLC_YES)
        status = options_worker(command);
    if (status == HLC_YES)
        status = load(command);
    if (status == HLC_YES)
        status = check_imports(command, path);
    return status == HLC_YES ? compile(command, &options, path) : status;
}
