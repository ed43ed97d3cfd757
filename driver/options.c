/* options.c -- reads the command line by the table options.def. */
#include "driver/driver.h"

#include "runtime/hlc_runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Finds the option that `text` (of `length`) names for this command; OPTION_COUNT for none. */
static Option find_option(const Command *command, const char *text, size_t length) {
    int i = 0;
    while (i < OPTION_COUNT && !(strlen(option_info((Option)i)->text) == length &&
                                 strncmp(option_info((Option)i)->text, text, length) == 0 &&
                                 command_has_option(command->name, (Option)i)))
        i++;
    return (Option)i;
}

/* "did you mean --schedule?" */
static hlc_status refuse_unknown(const Command *command, const char *written) {
    const char *candidates[OPTION_COUNT + 1] = {NULL};
    char name[40], remedy[120];
    int count = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (command_has_option(command->name, (Option)i))
            candidates[count++] = option_info((Option)i)->text;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(written + 2, "="), written + 2);
    const char *nearest = hlc_nearest(name, candidates);
    if (nearest)
        snprintf(remedy, sizeof remedy, "did you mean `--%s`?", nearest);
    else
        snprintf(remedy, sizeof remedy, "hlc %s --help lists them", command->name);
    diagnose(command, "E0821", command->name, written, remedy);
    return HLC_USER;
}

/* The value is none of the option's words. */
static hlc_status refuse_word(const Command *command, Option option, const char *value) {
    enum { MOST_WORDS = 32 };
    char words[MOST_WORDS][24], wrong[80], list[840] = "write one of:", remedy[900];
    const char *candidates[MOST_WORDS + 1] = {NULL}, *word;
    size_t length;
    for (int i = 0; i < MOST_WORDS && (word = option_choice(option, i, &length)); i++) {
        snprintf(words[i], sizeof words[i], "%.*s", (int)length, word);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s %s", i ? "," : "", words[i]);
        candidates[i] = words[i];
    }
    const char *nearest = hlc_nearest(value, candidates);
    snprintf(wrong, sizeof wrong, "it does not take `%.40s`", value);
    snprintf(remedy, sizeof remedy, "%s%s%s%s", list, nearest ? "; did you mean `" : "",
             nearest ? nearest : "", nearest ? "`?" : "");
    diagnose(command, "E0822", option_info(option)->text, wrong, remedy);
    return HLC_USER;
}

static bool is_choice(Option option, const char *value) {
    size_t length;
    const char *word;
    if (!option_choice(option, 0, &length))
        return true;
    for (int i = 0; (word = option_choice(option, i, &length)); i++)
        if (strlen(value) == length && strncmp(word, value, length) == 0)
            return true;
    return false;
}

static hlc_status keep(Command *command, Option option, const char *value) {
    if (!is_choice(option, value))
        return refuse_word(command, option, value);
    if (command->values[option] && !option_is_flag(option) && !option_may_repeat(option)) {
        diagnose(command, "E0834", option_info(option)->text);
        return HLC_USER;
    }
    if (option_may_repeat(option))
        command->repeated[command->repeated_count++] = (Repeated){option, value};
    command->values[option] = value;
    return HLC_YES;
}

/* arguments[*i] begins with a dash. */
static hlc_status read_option(Command *command, int count, char **arguments, int *i) {
    const char *written = arguments[*i];
    bool is_short = written[1] != '-';
    const char *text = is_short ? "" : written + 2;
    size_t length = strcspn(text, "=");
    Option option = is_short ? find_option(command, "output", strlen("output"))
                             : find_option(command, text, length);
    if (option == OPTION_COUNT)
        return refuse_unknown(command, is_short ? "--output" : written);
    const OptionInfo *info = option_info(option);
    if (option_is_flag(option) && text[length] != '=')
        return keep(command, option, "");
    if (option_is_flag(option)) {
        diagnose(command, "E0822", info->text, "it takes no value", "");
        return HLC_USER;
    }
    if (text[length] == '=')
        return keep(command, option, text + length + 1);
    if (*i + 1 == count)
        return options_refuse(command, option, "it needs a value");
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

const char *options_repeated(const Command *command, Option option, int i) {
    for (int r = 0; r < command->repeated_count; r++)
        if (command->repeated[r].option == option && i-- == 0)
            return command->repeated[r].value;
    return NULL;
}

hlc_status options_refuse(const Command *command, Option option, const char *wrong) {
    const OptionInfo *info = option_info(option);
    diagnose(command, "E0822", info->text, wrong, info->sentence);
    return HLC_USER;
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
    return options_refuse(command, option, wrong);
}

hlc_status options_seconds(const Command *command, Option option, double absent, double *value) {
    const char *text = command->values[option];
    *value = absent;
    if (!text)
        return HLC_YES;
    bool is_number = *text && text[strspn(text, "0123456789.")] == 0;
    char *end;
    *value = strtod(text, &end);
    if (is_number && *end == 0)
        return HLC_YES;
    char wrong[120];
    snprintf(wrong, sizeof wrong, "%.40s is not a number of seconds, such as 10 or 0.5", text);
    return options_refuse(command, option, wrong);
}

hlc_status options_code(const Command *command, hlc_code *code) {
    int64_t level;
    hlc_status status = options_number(command, OPTION_OPTIMIZE, 0, 2, &level);
    if (status == HLC_YES && level > 3)
        status = options_refuse(command, OPTION_OPTIMIZE, "LLVM's levels are 0 to 3");
    *code = (hlc_code){.optimize = (int)level,
                       .debug = command->values[OPTION_DEBUG] != NULL,
                       .sanitize = command->values[OPTION_SANITIZE],
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

hlc_status options_limits(const Command *command, CommandLimits *limits) {
    enum { MEGABYTES = 8192, SECONDS = 300, MOST = 1 << 30 };
    int64_t megabytes, seconds;
    hlc_status status = options_number(command, OPTION_MEMORY_LIMIT, 0, MEGABYTES, &megabytes);
    if (status == HLC_YES)
        status = options_number(command, OPTION_TIME_LIMIT, 0, SECONDS, &seconds);
    if (status == HLC_YES)
        *limits = (CommandLimits){.memory = megabytes < MOST ? (size_t)megabytes << 20 : 0,
                                  .seconds = seconds < MOST ? (unsigned)seconds : MOST};
    return status;
}

/* Was the dynamic loader started with this program as its argument? Then /proc/self/exe is the
 * loader. */
static bool is_started_by_hand(void) {
    return getauxval(AT_BASE) == 0;
}

hlc_status options_worker(const Command *command) {
    if (command->values[OPTION_IN_PROCESS] || is_started_by_hand())
        return HLC_YES;
    CommandLimits limits;
    hlc_status status = options_limits(command, &limits);
    if (status != HLC_YES)
        return status;
    hlc_limit_time(command->h, limits.seconds);
    return hlc_fork_worker(command->h, hlc_worker_serve, limits.memory);
}

hlc_status options_compiler(const Command *command, bool is_made) {
    hlc_code code;
    hlc_status status = options_code(command, &code);
    if (status == HLC_YES)
        status = hlc_set_code(command->h, &code);
    if (status == HLC_YES)
        status = hlc_set_targets(command->h, command->values[OPTION_TARGET]);
    if (status == HLC_YES && is_made)
        status = options_worker(command);
    return status;
}
