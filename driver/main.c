/* main.c -- the command `hlc`: finds the command, runs it, prints the diagnostics. */
#include "driver/driver.h"
#include "driver/image/image.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The commands' functions, in the order of the rows. */
static hlc_status (*const FUNCTIONS[])(const Command *command) = {
#define COMMAND(NAME, TEXT, USAGE, SENTENCE) command_##NAME,
#include "driver/commands.def"
#undef COMMAND
};

/* Runs the command of this row. */
static hlc_status run_command(Command *command, int row, int count, char **arguments) {
    hlc_status status = options_read(command, count, arguments);
    if (status != HLC_YES)
        return status;
    if (command->values[OPTION_HELP]) {
        help_print(command_info(row), stdout);
        return HLC_YES;
    }
    status = command_settle(command);
    if (status != HLC_YES)
        return status;
    progress_begin(command);
    status = FUNCTIONS[row](command);
    progress_end(command);
    return status;
}

/* A failed write to standard output is a failure, too. */
static hlc_status finish_output(hlc_status status) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("hlc: standard output");
    return HLC_WORLD;
}

static hlc_status refuse_command(const Command *command) {
    const char *candidates[64] = {NULL}, *nearest;
    char remedy[80] = "hlc --help lists them";
    const CommandInfo *info;
    for (int i = 0; i < 63 && (info = command_info(i)); i++)
        candidates[i] = info->text;
    size_t length = strlen(command->name);
    if (length > 3 && strcmp(command->name + length - 3, ".hl") == 0)
        snprintf(remedy, sizeof remedy, "write the command before the file: hlc run %.30s",
                 command->name);
    else if ((nearest = hlc_nearest(command->name, candidates)))
        snprintf(remedy, sizeof remedy, "did you mean `%s`?", nearest);
    diagnose(command, "E0820", command->name, remedy);
    return HLC_USER;
}

static void print_version(void) {
    char text[200];
    hlc_describe(text, sizeof text);
    puts(text);
}

/* Handles `--version` and similar in the place of a command; -1 for a command. */
static int answer_about_hlc(const char *word) {
    static const char COMPLETION[] = "--completion=", MANUAL[] = "--manual=";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        help_print(NULL, stdout);
    else if (strcmp(word, "--version") == 0)
        print_version();
    else if (strcmp(word, "--tables") == 0) { /* hidden: for tests and editors */
        hlc_print_tables(stdout);
        image_print_formats(stdout);
    } else if (strncmp(word, COMPLETION, sizeof COMPLETION - 1) == 0)
        return completion_print(word + sizeof COMPLETION - 1, stdout) ? HLC_YES : -1;
    else if (strncmp(word, MANUAL, sizeof MANUAL - 1) == 0)
        return manual_print(word + sizeof MANUAL - 1, stdout) ? HLC_YES : -1;
    else
        return -1;
    return HLC_YES;
}

int main(int count, char **arguments) {
    if (count < 2) {
        help_print(NULL, stderr);
        return HLC_USER;
    }
    int answered = answer_about_hlc(arguments[1]);
    if (answered >= 0)
        return (int)finish_output((hlc_status)answered);
    if (strcmp(arguments[1], "--worker") == 0) /* include/hlc.h: hlc_use_worker */
        return hlc_worker_serve(STDIN_FILENO, count > 2 ? strtoull(arguments[2], NULL, 10) : 0);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit is an ordinary error */
    files_watch_signals();
    Command command = {.name = arguments[1]};
    command.h = hlc_create();
    command.operands = malloc((size_t)count * sizeof *command.operands);
    command.repeated = malloc((size_t)count * sizeof *command.repeated);
    if (!command.h || !command.operands || !command.repeated) {
        fputs("hlc: there is not enough memory\n", stderr);
        return HLC_WORLD;
    }
    int row = command_find(command.name);
    hlc_status status =
        row >= 0 ? run_command(&command, row, count - 2, arguments + 2) : refuse_command(&command);
    status = command_report(&command, status);
    hlc_destroy(command.h);
    free(command.operands);
    free(command.repeated);
    free(command.progress);
    return (int)finish_output(status);
}
