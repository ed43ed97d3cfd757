/* progress.c -- a line on the terminal for what takes longer than two seconds. */
#include "driver/driver.h"

#include <time.h>
#include <unistd.h>

static void show(void *data, const char *what, double done) {
    const struct timespec *begin = data;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin->tv_sec < 2)
        return;
    if (done < 1)
        fprintf(stderr, "\r%s: %3.0f %%", what, 100 * done);
    else
        fprintf(stderr, "\r%*s\r", 40, "");
    fflush(stderr);
}

void progress_show(const Command *command, const char *what, double done) {
    if (command->begin.tv_sec)
        show((void *)&command->begin, what, done);
}

void progress_begin(Command *command) {
    if (!isatty(STDERR_FILENO))
        return;
    clock_gettime(CLOCK_MONOTONIC, &command->begin);
    hlc_on_progress(command->h, show, &command->begin);
}
