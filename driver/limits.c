/* limits.c -- limits of a whole command: time, memory, files, sizes of programs.
 *
 * The library ends its calls at the deadline, and says where they were. What does not end within a
 * second after it (compiled code, the reading of a picture) ends with the process, by a timer. Its
 * handler gets no argument: the last words are beside the table of files.c the only data of this
 * program outside a context. */
#include "driver/driver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LOAD_SECONDS = 300, GRACE = 1, MOST = 1 << 30 };

static char last_words[400];

static void end_late(int number) {
    (void)number;
    files_remove_unfinished();
    if (write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
        _exit(HLC_WORLD);
    _exit(HLC_WORLD);
}

/* Prepares what the handler prints: it may print only bytes. */
static bool prepare_last_words(const Command *command, unsigned seconds) {
    char number[16];
    hlc *h = hlc_create();
    FILE *out = fmemopen(last_words, sizeof last_words, "w");
    snprintf(number, sizeof number, "%u", seconds);
    if (h && out) {
        hlc_diagnose(h, "E0849", (const char *const[]){number, NULL});
        (command->values[OPTION_JSON] ? hlc_print_diagnostics_json : hlc_print_diagnostics)(h, out);
    }
    bool is_written = h && out && fclose(out) == 0;
    hlc_destroy(h);
    return is_written;
}

static hlc_status limit_time(const Command *command, unsigned seconds) {
    if (seconds == 0)
        return HLC_YES;
    struct sigaction action = {.sa_handler = end_late};
    struct itimerval timer = {.it_value = {.tv_sec = seconds + GRACE}};
    sigfillset(&action.sa_mask);
    hlc_set_deadline(command->h, seconds);
    if (!prepare_last_words(command, seconds) || sigaction(SIGALRM, &action, NULL) != 0 ||
        setitimer(ITIMER_REAL, &timer, NULL) != 0)
        return HLC_WORLD;
    return HLC_YES;
}

/* NAME=N */
static hlc_status lower_limit(const Command *command, const char *written) {
    const char *equals = strchr(written, '=');
    char name[40], *end = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - written : 0), written);
    unsigned long most = equals ? strtoul(equals + 1, &end, 10) : 0;
    if (!equals || !equals[1] || equals[1] < '0' || equals[1] > '9' || *end)
        return options_refuse(command, OPTION_LIMIT, "it takes a name and a number, NAME=N");
    return hlc_lower_limit(command->h, name, most);
}

/* Has the whole command a limit? What runs a program has one on request. */
static bool is_timed(const Command *command) {
    return command->values[OPTION_TIME_LIMIT] || strcmp(command->name, "compile") == 0;
}

/* Applies --deny and --allow; --allow wins. */
static hlc_status ask_warnings(const Command *command) {
    hlc_status status = HLC_YES;
    if (command_has_option(command->name, OPTION_DENY))
        status = hlc_warn(command->h);
    for (int is_allowed = 0; is_allowed < 2; is_allowed++) {
        Option option = is_allowed ? OPTION_ALLOW : OPTION_DENY;
        const char *code;
        for (int i = 0; status == HLC_YES && (code = options_repeated(command, option, i)); i++) {
            code = strcmp(code, "all") == 0 ? NULL : code;
            status = is_allowed ? hlc_allow(command->h, code) : hlc_deny(command->h, code);
        }
    }
    return status;
}

hlc_status limits_apply(const Command *command) {
    const char *const *values = command->values;
    CommandLimits limits;
    int64_t megabytes;
    hlc_status status = options_limits(command, &limits);
    if (status == HLC_YES)
        status = options_number(command, OPTION_RUN_MEMORY_LIMIT, 0, 0, &megabytes);
    if (status != HLC_YES)
        return status;
    hlc_limit_memory(command->h, limits.memory);
    hlc_limit_run_memory(command->h, megabytes < MOST ? (size_t)megabytes << 20 : 0);
    if (values[OPTION_NO_IR])
        hlc_refuse_text_form(command->h);
    if (values[OPTION_NO_EXTERN])
        hlc_refuse_externs(command->h);
    if (values[OPTION_ROOT])
        status = hlc_set_root(command->h, values[OPTION_ROOT]);
    for (int i = 0; status == HLC_YES && options_repeated(command, OPTION_EXTERN, i); i++)
        status = hlc_open_externs(command->h, options_repeated(command, OPTION_EXTERN, i));
    for (int i = 0; status == HLC_YES && options_repeated(command, OPTION_LIMIT, i); i++)
        status = lower_limit(command, options_repeated(command, OPTION_LIMIT, i));
    if (status == HLC_YES)
        status = ask_warnings(command);
    if (status == HLC_YES && is_timed(command))
        status = limit_time(command, limits.seconds);
    return status;
}

hlc_status limits_load(const Command *command, const char *path) {
    if (is_timed(command))
        return hlc_load(command->h, path);
    hlc_set_deadline(command->h, LOAD_SECONDS);
    hlc_status status = hlc_load(command->h, path);
    hlc_set_deadline(command->h, 0);
    return status;
}
