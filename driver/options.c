/* options.c -- the command line, by the table options.def. */
#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct OptionInfo {
    const char *text, *argument, *commands, *sentence;
} OptionInfo;

static const OptionInfo OPTIONS[] = {
#define OPTION(NAME, TEXT, ARGUMENT, COMMANDS, SENTENCE) {TEXT, ARGUMENT, COMMANDS, SENTENCE},
#include "driver/options.def"
#undef OPTION
};

static const struct {
    const char *text, *usage, *sentence;
} COMMANDS[] = {
#define COMMAND(NAME, TEXT, USAGE, SENTENCE) {TEXT, USAGE, SENTENCE},
#include "driver/commands.def"
#undef COMMAND
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static bool has_option(const char *command, const OptionInfo *option) {
    char word[32];
    snprintf(word, sizeof word, " %s ", command);
    return option->commands[0] == '*' || strstr(option->commands, word) != NULL;
}

/* Which option `text` (of `length`) names for this command; OPTION_COUNT for none. */
static int find_option(const Command *command, const char *text, size_t length) {
    int i = 0;
    while (i < OPTION_COUNT &&
           !(strlen(OPTIONS[i].text) == length && strncmp(OPTIONS[i].text, text, length) == 0 &&
             has_option(command->name, &OPTIONS[i])))
        i++;
    return i;
}

static hlc_status keep(Command *command, int option, const char *value) {
    if (option == OPTION_OUTPUT)
        command->outputs[command->output_count++] = value;
    if (option == OPTION_VAR)
        command->variables[command->variable_count++] = value;
    command->values[option] = value;
    return HLC_YES;
}

/* arguments[*i] begins with a dash. */
static hlc_status read_option(Command *command, int count, char **arguments, int *i) {
    const char *written = arguments[*i];
    bool is_short = strcmp(written, "-o") == 0;
    const char *text = written[1] == '-' ? written + 2 : "";
    size_t length = strcspn(text, "=");
    int option = is_short ? find_option(command, "output", strlen("output"))
                          : find_option(command, text, length);
    if (option == OPTION_COUNT) {
        diagnose(command, "E0821", command->name, written);
        return HLC_USER;
    }
    const OptionInfo *info = &OPTIONS[option];
    if (!*info->argument && text[length] != '=')
        return keep(command, option, "");
    if (!*info->argument) {
        diagnose(command, "E0822", info->text, "it takes no value", "");
        return HLC_USER;
    }
    if (text[length] == '=')
        return keep(command, option, text + length + 1);
    if (*i + 1 == count) {
        diagnose(command, "E0822", info->text, "it needs a value", info->sentence);
        return HLC_USER;
    }
    return keep(command, option, arguments[++*i]);
}

hlc_status options_read(Command *command, int count, char **arguments) {
    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        const char *written = arguments[i];
        if (!only_operands && strcmp(written, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && written[0] == '-' &&
                   (written[1] == '-' || strcmp(written, "-o") == 0)) {
            hlc_status status = read_option(command, count, arguments, &i);
            if (status != HLC_YES)
                return status;
        } else {
            command->operands[command->operand_count++] = written;
        }
    }
    return HLC_YES;
}

hlc_status options_number(const Command *command, Option option, int64_t least, int64_t absent,
                          int64_t *value) {
    const char *text = command->values[option];
    *value = absent;
    if (!text)
        return HLC_YES;
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end != text && *end == 0 && errno == 0 && *value >= least)
        return HLC_YES;
    char wrong[120];
    snprintf(wrong, sizeof wrong, "%.40s is not a whole number of at least %" PRId64, text, least);
    diagnose(command, "E0822", OPTIONS[option].text, wrong, OPTIONS[option].sentence);
    return HLC_USER;
}

hlc_status options_code(const Command *command, hlc_code *code) {
    int64_t level;
    hlc_status status = options_number(command, OPTION_OPTIMIZE, 0, 2, &level);
    *code = (hlc_code){.optimize = level > 3 ? 3 : (int)level,
                       .debug = command->values[OPTION_DEBUG] != NULL,
                       .perf_map = command->values[OPTION_PERF_MAP] != NULL};
    return status;
}

hlc_status options_threads(const Command *command) {
    int64_t count;
    hlc_status status = options_number(command, OPTION_THREADS, 1, 0, &count);
    if (status == HLC_YES && count > 0)
        hlc_set_thread_count(count < INT32_MAX ? (int)count : INT32_MAX);
    return status;
}

static void print_option(const OptionInfo *option, FILE *out) {
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", option->text, *option->argument ? "=" : "",
             option->argument);
    fprintf(out, "  %-18s  %s\n", left, option->sentence);
}

void options_help(const char *command, FILE *out) {
    int which = 0;
    while (command && which < COMMAND_COUNT && strcmp(COMMANDS[which].text, command) != 0)
        which++;
    if (command) {
        fprintf(out, "usage: hlc %s %s\n\n%s.\n\n", command, COMMANDS[which].usage,
                COMMANDS[which].sentence);
        for (int i = 0; i < OPTION_COUNT; i++)
            if (has_option(command, &OPTIONS[i]))
                print_option(&OPTIONS[i], out);
        return;
    }
    fputs("usage: hlc COMMAND ..\n\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-9s %-33s %s\n", COMMANDS[i].text, COMMANDS[i].usage,
                COMMANDS[i].sentence);
    fputs("\nhlc COMMAND --help lists a command's options; hlc --version says which version this "
          "is.\n"
          "Exit codes: 0 yes, 1 no (results differ), 2 the program or the command line is not\n"
          "acceptable, 3 a file cannot be read or written or memory ran out, 4 a fault of hlc.\n",
          out);
}
