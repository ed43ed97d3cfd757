/* tables.c -- the tables of commands, options and exit codes, for the command line, --help, the
 * manual pages and the completions.
 */
#include "driver/driver.h"

#include <string.h>

static const OptionInfo OPTIONS[] = {
#define OPTION(NAME, TEXT, ARGUMENT, COMMANDS, SENTENCE) {TEXT, ARGUMENT, COMMANDS, SENTENCE},
#include "driver/options.def"
#undef OPTION
};

static const CommandInfo COMMANDS[] = {
#define COMMAND(NAME, TEXT, USAGE, SENTENCE) {TEXT, USAGE, SENTENCE},
#include "driver/commands.def"
#undef COMMAND
};

static const ExitInfo EXITS[] = {
#define EXIT(STATUS, SENTENCE) {STATUS, SENTENCE},
#include "driver/exit_codes.def"
#undef EXIT
};

const OptionInfo *option_info(Option option) {
    return &OPTIONS[option];
}

const CommandInfo *command_info(int i) {
    return i < (int)(sizeof COMMANDS / sizeof *COMMANDS) ? &COMMANDS[i] : NULL;
}

int command_find(const char *text) {
    const CommandInfo *info;
    for (int i = 0; (info = command_info(i)); i++)
        if (strcmp(info->text, text) == 0)
            return i;
    return -1;
}

const ExitInfo *exit_info(int i) {
    return i < (int)(sizeof EXITS / sizeof *EXITS) ? &EXITS[i] : NULL;
}

bool command_has_option(const char *command, Option option) {
    char word[32];
    snprintf(word, sizeof word, " %s ", command);
    return OPTIONS[option].commands[0] == '*' || strstr(OPTIONS[option].commands, word) != NULL;
}

bool option_is_flag(Option option) {
    return *OPTIONS[option].argument == 0;
}

bool option_may_repeat(Option option) {
    const char *argument = OPTIONS[option].argument;
    size_t length = strlen(argument);
    return length > 3 && strcmp(argument + length - 3, " ..") == 0;
}

const char *option_choice(Option option, int i, size_t *length) {
    const char *at = OPTIONS[option].argument;
    if (!strchr(at, '|'))
        return NULL;
    for (; i > 0 && (at = strchr(at, '|')); i--)
        at++;
    *length = at ? strcspn(at, "|") : 0;
    return at;
}
