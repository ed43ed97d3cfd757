/* driver.h -- what the files of the command `hlc` share.
 *
 * The driver sees only include/hlc.h, the hooks of the run-time library and the fuzzer's entry.
 * Results go to standard output, diagnostics to standard error; the exit code is an hlc_status.
 */
#ifndef HLC_DRIVER_DRIVER_H
#define HLC_DRIVER_DRIVER_H

#include "include/hlc.h"

#include <time.h>

typedef enum Option {
#define OPTION(NAME, TEXT, ARGUMENT, COMMANDS, SENTENCE) OPTION_##NAME,
#include "driver/options.def"
#undef OPTION
    OPTION_COUNT
} Option;

typedef struct Command Command;
typedef struct ProgressLine ProgressLine;

/* ---- tables.c: the rows of options.def, commands.def and exit_codes.def ---- */

typedef struct OptionInfo {
    const char *text, *argument, *commands, *sentence;
} OptionInfo;

typedef struct CommandInfo {
    const char *text, *usage, *sentence;
} CommandInfo;

typedef struct ExitInfo {
    hlc_status status;
    const char *sentence;
} ExitInfo;

const OptionInfo *option_info(Option option);
/* Row `i`, null behind the last. */
const CommandInfo *command_info(int i);
const ExitInfo *exit_info(int i);
/* The row of a command, -1 for none. */
int command_find(const char *text);
bool command_has_option(const char *command, Option option);
bool option_is_flag(Option option);
bool option_may_repeat(Option option);
/* Word `i` of those that the option takes (not terminated: `*length`); null where there is none, or
 * where any value will do. */
const char *option_choice(Option option, int i, size_t *length);

/* ---- help.c, completion.c ---- */

/* What --help prints; null: of hlc itself. */
void help_print(const CommandInfo *info, FILE *out);
/* The page "hlc" or "hlc-COMMAND" for scdoc; false for another. */
bool manual_print(const char *page, FILE *out);
/* The completions for "bash", "zsh" or "fish"; false for another. */
bool completion_print(const char *shell, FILE *out);

/* A value of an option that may be given several times. */
typedef struct Repeated {
    Option option;
    const char *value;
} Repeated;

/* A command line, taken apart.  `values` are null where an option is absent, "" for flags, and the
 * last one of an option that may be given several times; all of these are in `repeated`. */
struct Command {
    hlc *h;
    const char *name;
    const char *values[OPTION_COUNT];
    const char **operands;
    Repeated *repeated;
    int operand_count, repeated_count;
    ProgressLine *progress; /* null where nobody looks */
};

/* options.c */

/* Takes apart what follows the command's name; `operands` and `repeated` have room for all of it.
 * HLC_USER after reporting. */
hlc_status options_read(Command *command, int count, char **arguments);
/* Value `i` of an option that may be given several times, null behind the last. */
const char *options_repeated(const Command *command, Option option, int i);
/* A whole number of at least `least` into `*value`, or `absent`; HLC_USER after reporting. */
hlc_status options_number(const Command *command, Option option, int64_t least, int64_t absent,
                          int64_t *value);
/* The same of seconds, which may have a fraction. */
hlc_status options_seconds(const Command *command, Option option, double absent, double *value);
/* Reports what is wrong with the option's value, or with the option where it stands. */
hlc_status options_refuse(const Command *command, Option option, const char *wrong);
/* --optimize, --debug, --sanitize, --perf-map; HLC_USER after reporting. */
hlc_status options_code(const Command *command, hlc_code *code);
/* How code is made that runs in this process: the same, --target and, where code `is_made` at all,
 * options_worker.  What is not HLC_YES has been reported. */
hlc_status options_compiler(const Command *command, bool is_made);
/* Sets the thread count of the process to --threads; HLC_USER after reporting. */
hlc_status options_threads(const Command *command);
/* Code is made in a process of its own, within --memory-limit and --time-limit, unless
 * --in-process. What is not HLC_YES has been reported. */
hlc_status options_worker(const Command *command);
#define diagnose(command, code, ...)                                                               \
    hlc_diagnose((command)->h, (code), (const char *const[]){__VA_ARGS__, NULL})

/* operands.c */

/* Loads operand 0; HLC_USER where it is missing. */
hlc_status operands_load(const Command *command);
/* The same for a command that takes no other operand. */
hlc_status operands_load_alone(const Command *command);
/* The arguments of --pipeline, to which the operands from `first` on are bound, each `name=value`,
 * where a value may be the path of an image.  What is not HLC_YES has been reported. */
hlc_status operands_bind(const Command *command, int first, hlc_arguments **arguments);
/* The same of the operands behind the file; null where there are none. */
hlc_status operands_bind_any(const Command *command, hlc_arguments **arguments);
/* More than `most` operands are not understood. */
hlc_status operands_at_most(const Command *command, int most);

/* files.c */

/* A file on its way: it appears under `path` when it is complete. */
typedef struct NewFile {
    const char *path;
    char place[4096];  /* where it is: `path` without symbolic links */
    char beside[4096]; /* empty where there is none */
    FILE *file;        /* to write into */
} NewFile;
/* HLC_WORLD after reporting. */
hlc_status file_begin(const Command *command, const char *path, NewFile *new_file);
/* `failure` says why the contents could not be made, or is null.  HLC_WORLD after reporting, where
 * they could not be made or written; `path` is then as it was. */
hlc_status file_end(const Command *command, NewFile *new_file, const char *failure);
/* From now on SIGHUP, SIGINT and SIGTERM, where they are not ignored, remove what is unfinished. */
void files_watch_signals(void);
/* Leaves `path` as it was; what went wrong has been reported. */
void file_abandon(NewFile *new_file);

/* images.c */

/* Loads a picture file for input `name` and binds it; `path` may begin with gray:, rgb: or rgba:.
 */
hlc_status images_load(const Command *command, hlc_arguments *arguments, const char *name,
                       const char *path);
/* Is it the name of a file that images_save can write?  HLC_USER after reporting. */
hlc_status images_check_path(const Command *command, const char *path);
/* Writes output `name`; the file is complete or not there. */
hlc_status images_save(const Command *command, const char *name, const hlc_image *image,
                       const char *path);
/* Of a run's output: its elements, all NaNs being one value. */
uint64_t images_hash(const hlc_image *image);

/* progress.c */

/* From two seconds on, where standard error is a terminal, shows how much is done, or how long it
 * has taken. */
void progress_begin(Command *command);
/* Part `done` of `what` is done, 0 to 1. */
void progress_tell(const Command *command, const char *what, double done);
/* Takes the line away; before anything is printed on standard error. */
void progress_end(Command *command);

#define COMMAND(NAME, TEXT, USAGE, SENTENCE) hlc_status command_##NAME(const Command *command);
#include "driver/commands.def"
#undef COMMAND

#endif
