/* main.c -- the command `hlc`: finds the command, runs it, prints the diagnostics. */
#include "driver/driver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef hlc_status CommandFunction(const Command *command);

static CommandFunction *find_command(const char *text) {
    static const struct {
        const char *text;
        CommandFunction *function;
    } COMMANDS[] = {
#define COMMAND(NAME, TEXT, USAGE, SENTENCE) {TEXT, command_##NAME},
#include "driver/commands.def"
#undef COMMAND
    };
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        if (strcmp(COMMANDS[i].text, text) == 0)
            return COMMANDS[i].function;
    return NULL;
}

static hlc_status run_command(Command *command, CommandFunction *function, int count,
                              char **arguments) {
    hlc_status status = options_read(command, count, arguments);
    if (status != HLC_YES)
        return status;
    if (command->values[OPTION_HELP]) {
        options_help(command->name, stdout);
        return HLC_YES;
    }
    progress_begin(command);
    return function(command);
}

/* What went wrong; where nothing was reported, memory ran out. */
static void print_reasons(const Command *command, hlc_status status) {
    if (status == HLC_WORLD && hlc_diagnostic_count(command->h) == 0)
        fputs("hlc: there is not enough memory\n", stderr);
    else if (command->values[OPTION_JSON])
        hlc_print_diagnostics_json(command->h, stderr);
    else
        hlc_print_diagnostics(command->h, stderr);
}

/* Standard output that could not be written is a failure too. */
static hlc_status finish_output(hlc_status status) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("hlc: standard output");
    return HLC_WORLD;
}

int main(int count, char **arguments) {
    if (count < 2 || strcmp(arguments[1], "--help") == 0) {
        options_help(NULL, count < 2 ? stderr : stdout);
        return count < 2 ? HLC_USER : (int)finish_output(HLC_YES);
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("hlc %s\n", hlc_version());
        return (int)finish_output(HLC_YES);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like any other */
    Command command = {.name = arguments[1]};
    command.h = hlc_create();
    command.operands = malloc((size_t)count * sizeof *command.operands);
    command.outputs = malloc((size_t)count * sizeof *command.outputs);
    command.variables = malloc((size_t)count * sizeof *command.variables);
    if (!command.h || !command.operands || !command.outputs || !command.variables) {
        fputs("hlc: there is not enough memory\n", stderr);
        return HLC_WORLD;
    }
    CommandFunction *function = find_command(command.name);
    hlc_status status = HLC_USER;
    if (function)
        status = run_command(&command, function, count - 2, arguments + 2);
    else
        diagnose(&command, "E0820", command.name);
    print_reasons(&command, status);
    hlc_destroy(command.h);
    free(command.operands);
    free(command.outputs);
    free(command.variables);
    return (int)finish_output(status);
}
