/* command_schedule.c -- hlc schedule FILE [--pipeline=P] [--extend=S] [--threads=N] [--seconds=N]
 *                       [--machine=FILE] [--name=auto] [--scales=N,..] name=value .. [-o FILE]
 *
 * While candidates are measured, Ctrl-C is blocked and asked for: it ends the measuring. */
#include "driver/driver.h"

#include <signal.h>

static int is_interrupted(void *data) {
    (void)data;
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1;
}

static hlc_status schedule(const Command *command, const hlc_schedule_options *options,
                           hlc_arguments *sizes, FILE *out) {
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    if (options->seconds > 0)
        sigprocmask(SIG_BLOCK, &interrupt, &before);
    hlc_status status = hlc_schedule(command->h, options, sizes, out);
    if (options->seconds > 0) {
        if (is_interrupted(NULL))
            sigwaitinfo(&interrupt, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return status;
}

static hlc_status choose(const Command *command, double seconds, hlc_arguments *sizes) {
    hlc_schedule_options options = {.pipeline = command->values[OPTION_PIPELINE],
                                    .name = command->values[OPTION_NAME],
                                    .extend = command->values[OPTION_EXTEND],
                                    .seconds = seconds,
                                    .finish = is_interrupted,
                                    .scales = command->values[OPTION_SCALES]};
    const char *path = options_repeated(command, OPTION_OUTPUT, 0);
    if (!path)
        return schedule(command, &options, sizes, stdout);
    if (options_repeated(command, OPTION_OUTPUT, 1))
        return options_refuse(command, OPTION_OUTPUT, "one schedule goes to one file");
    NewFile file;
    hlc_status status = files_spare_source(command, path);
    if (status == HLC_YES)
        status = file_begin(command, path, &file);
    if (status != HLC_YES)
        return status;
    status = schedule(command, &options, sizes, file.file);
    return files_end(command, &file, 1, status);
}

hlc_status command_schedule(const Command *command) {
    hlc_arguments *sizes;
    double seconds;
    hlc_status status = options_seconds(command, OPTION_SCHEDULE_SECONDS, 0, &seconds);
    if (status == HLC_YES)
        status = options_threads(command);
    if (status == HLC_YES)
        status = machine_use(command);
    if (status == HLC_YES)
        status = operands_load(command);
    if (status == HLC_YES)
        status =
            seconds > 0 ? operands_bind(command, 1, &sizes) : operands_bind_any(command, &sizes);
    return status == HLC_YES ? choose(command, seconds, sizes) : status;
}
