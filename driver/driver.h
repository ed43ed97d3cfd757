/* driver.h -- the types and functions that the files of the command `hlc` share.
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
/* Returns word `i` of the option's words (not terminated: `*length`). Null if there is none, or if
 * any value will do. */
const char *option_choice(Option option, int i, size_t *length);

/* ---- help.c, completion.c ---- */

/* Prints the help of a command; null: of hlc itself. */
void help_print(const CommandInfo *info, FILE *out);
/* Prints the page "hlc" or "hlc-COMMAND" for scdoc; false for another name. */
bool manual_print(const char *page, FILE *out);
/* Prints the completions for "bash", "zsh" or "fish"; false for another shell. */
bool completion_print(const char *shell, FILE *out);

/* A value of an option that may be given several times. */
typedef struct Repeated {
    Option option;
    const char *value;
} Repeated;

/* A parsed command line. `values` are null for absent options and "" for flags. For an option that
 * may be repeated, `values` has the last one, and `repeated` all. */
struct Command {
    hlc *h;
    const char *name;
    const char *values[OPTION_COUNT];
    const char **operands;
    Repeated *repeated;
    int operand_count, repeated_count;
    ProgressLine *progress; /* null if no one looks */
};

/* options.c */

/* Parses the words after the command's name. `operands` and `repeated` have room for all of them.
 * HLC_USER after reporting. */
hlc_status options_read(Command *command, int count, char **arguments);
/* Returns value `i` of an option that may be repeated; null after the last. */
const char *options_repeated(const Command *command, Option option, int i);
/* Reads an integer of at least `least` into `*value`; default `absent`. HLC_USER after reporting.
 */
hlc_status options_number(const Command *command, Option option, int64_t least, int64_t absent,
                          int64_t *value);
/* Reads a number of seconds, which may have a fraction. */
hlc_status options_seconds(const Command *command, Option option, double absent, double *value);
/* Reports a fault of the option's value, or of the option's use. */
hlc_status options_refuse(const Command *command, Option option, const char *wrong);
/* Reads --optimize, --debug, --sanitize, --perf-map; HLC_USER after reporting. */
hlc_status options_code(const Command *command, hlc_code *code);
/* Applies the settings for code in this process: options_code, --target and, if the command makes
 * code (`is_made`), options_worker. Any status but HLC_YES has been reported. */
hlc_status options_compiler(const Command *command, bool is_made);
/* Sets the thread count of the process to --threads; HLC_USER after reporting. */
hlc_status options_threads(const Command *command);
typedef struct CommandLimits {
    size_t memory;    /* bytes; 0: no limit */
    unsigned seconds; /* 0: no limit */
} CommandLimits;
/* Reads --memory-limit and --time-limit; HLC_USER after reporting. */
hlc_status options_limits(const Command *command, CommandLimits *limits);
/* Starts the worker process, with --memory-limit and --time-limit, unless --in-process. Any status
 * but HLC_YES has been reported. */
hlc_status options_worker(const Command *command);
#define diagnose(command, code, ...)                                                               \
    hlc_diagnose((command)->h, (code), (const char *const[]){__VA_ARGS__, NULL})

/* limits.c */

/* Applies the limits of the whole command. Any status but HLC_YES has been reported. */
hlc_status limits_apply(const Command *command);
/* Loads a file within the limit of time. */
hlc_status limits_load(const Command *command, const char *path);

/* settle.c */

/* Gives the settings of the command line to the command's compiler. Any status but HLC_YES has been
 * reported. */
hlc_status command_settle(const Command *command);
/* Prints where the time went, and the diagnostics. Returns the status: HLC_USER for HLC_YES where a
 * warning or note is denied. */
hlc_status command_report(const Command *command, hlc_status status);

/* operands.c */

/* Does the operand name a file with a program, and no argument? */
bool operands_is_program(const char *operand);
/* Loads operand 0, with the values of const parameters that stand behind it; HLC_USER if it is
 * missing. */
hlc_status operands_load(const Command *command);
/* Loads operand 0 for a command whose other operands are values of const parameters. */
/* Is a schedule to be chosen: `--schedule=auto`, which is none of the file's? Binding the operands, or
 * loading alone, chooses it. */
bool operands_want_schedule(const Command *command);
hlc_status operands_load_alone(const Command *command);
/* Creates the arguments of --pipeline, and binds the operands from `first` on. Each is
 * `name=value`; a value may be the path of an image. Any status but HLC_YES has been reported. */
hlc_status operands_bind(const Command *command, int first, hlc_arguments **arguments);
/* Binds the operands after the file; null if there are none. */
hlc_status operands_bind_any(const Command *command, hlc_arguments **arguments);
/* Refuses operands that are not values of const parameters of the loaded file. */
hlc_status operands_are_constants(const Command *command);
/* Refuses more than `most` operands. */
hlc_status operands_at_most(const Command *command, int most);

/* machine_file.c */

/* Writes the path of the file that `hlc machine` keeps into `path`: $XDG_STATE_HOME/hlc/machine, or
 * ~/.local/state/hlc/machine. E0965 if neither variable names a folder. */
hlc_status machine_path(const Command *command, char *path, size_t size);
/* Lets schedules be chosen for the machine of --machine or --target, or the one that was kept. Any
 * status but HLC_YES has been reported. */
hlc_status machine_use(const Command *command);

/* files.c */

/* Is the path in the folder of --root?  False after reporting. */
bool files_allow(const Command *command, const char *path);

/* A file being written: it appears at `path` when it is complete. */
typedef struct NewFile {
    const char *path;
    char place[4096];  /* its place: `path` without symbolic links */
    char beside[4096]; /* its name until then; empty while it has none */
    bool is_nameless;
    FILE *file; /* to write into */
} NewFile;
/* E0802 if the path is a file that the source was read from: it would be lost. */
hlc_status files_spare_source(const Command *command, const char *path);
/* Any status but HLC_YES has been reported. */
hlc_status file_begin(const Command *command, const char *path, NewFile *new_file);
/* Completes files: if `status` is HLC_YES and all contents can be written, all appear, else none,
 * and their paths are unchanged. `status` is how the making of the contents went; HLC_WORLD after
 * reporting a failure to write. */
hlc_status files_end(const Command *command, NewFile *files, int count, hlc_status status);
/* Makes the signals that end a command, unless they are ignored, remove unfinished files. */
void files_watch_signals(void);
/* Likewise, for another handler of a signal. */
void files_remove_unfinished(void);

/* images.c */

/* Loads a picture file for input `name` and binds it; `path` may begin with gray:, rgb: or rgba:.
 */
hlc_status images_load(const Command *command, hlc_arguments *arguments, const char *name,
                       const char *path);
/* Can images_save write a file of this name? HLC_USER after reporting. */
hlc_status images_check_path(const Command *command, const char *path);
/* Begins the file of output `name`, and writes the contents. files_end completes it. */
hlc_status images_save(const Command *command, const hlc_arguments *arguments, const char *name,
                       const hlc_image *image, const char *path, NewFile *new_file);
/* Hashes the elements of a run's output; all NaNs are one value. */
uint64_t images_hash(const hlc_image *image);

/* trace_file.c */

/* Writes the events of traced code into a file, from trace_begin to trace_end. One file at a time.
 * trace_end completes the file as files_end does; any status but HLC_YES has been reported. */
hlc_status trace_begin(const Command *command, const char *path, NewFile *new_file);
hlc_status trace_end(const Command *command, NewFile *new_file, hlc_status status);

/* outputs.c */

/* Checks before the work: do the outputs of -o exist, are the file names acceptable, and has each
 * output its own file? */
hlc_status outputs_check(const Command *command, const hlc_arguments *arguments);
/* Writes the files of -o: all of them, or none. */
hlc_status outputs_save(const Command *command, const hlc_arguments *arguments);

/* progress.c */

/* After two seconds, if standard error is a terminal, shows the fraction done or the elapsed time.
 */
void progress_begin(Command *command);
/* Part `done` of `what` is done, 0 to 1. */
void progress_tell(const Command *command, const char *what, double done);
/* Removes the line, for good. Call it before printing to standard error. */
void progress_end(const Command *command);

#define COMMAND(NAME, TEXT, USAGE, SENTENCE) hlc_status command_##NAME(const Command *command);
#include "driver/commands.def"
#undef COMMAND

#endif
