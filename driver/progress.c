/* progress.c -- a progress line on the terminal for commands longer than two seconds.
 *
 * A thread draws it a few times a second, so it moves whatever the command does. It shows the
 * fraction done, if known, else the elapsed time. The thread takes no lock and no signals, so a
 * command may fork at any time.
 */
#include "driver/driver.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_SECONDS = 2, PERIOD = 200, WIDTH = 40 }; /* milliseconds; columns */

struct ProgressLine {
    const char *command;
    struct timespec begin;
    _Atomic(const char *) what; /* null: the fraction done is unknown */
    _Atomic(double) done;
    int stop[2]; /* a pipe: a byte ends the thread */
    bool is_ended;
    pthread_t thread;
};

static void draw(const ProgressLine *progress, long seconds) {
    char text[WIDTH], line[2 * WIDTH];
    const char *what = atomic_load(&progress->what);
    if (what)
        snprintf(text, sizeof text, "%s: %3.0f %%", what, 100 * atomic_load(&progress->done));
    else
        snprintf(text, sizeof text, "%s: %ld s", progress->command, seconds);
    int length = snprintf(line, sizeof line, "\r%-*s\r", WIDTH - 1, text);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* the terminal is gone */
}

static void *tick(void *data) {
    ProgressLine *progress = data;
    struct pollfd stop = {.fd = progress->stop[0], .events = POLLIN};
    bool drawn = false;
    while (poll(&stop, 1, PERIOD) == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        long seconds =
            now.tv_sec - progress->begin.tv_sec - (now.tv_nsec < progress->begin.tv_nsec);
        if (seconds >= QUIET_SECONDS)
            draw(progress, seconds);
        drawn |= seconds >= QUIET_SECONDS;
    }
    char line[2 * WIDTH];
    int length = snprintf(line, sizeof line, "\r%*s\r", WIDTH - 1, "");
    if (drawn && write(STDERR_FILENO, line, (size_t)length) < 0)
        return NULL;
    return NULL;
}

static void tell(void *data, const char *what, double done) {
    ProgressLine *progress = data;
    atomic_store(&progress->done, done);
    atomic_store(&progress->what, done < 1 ? what : NULL);
}

void progress_tell(const Command *command, const char *what, double done) {
    if (command->progress)
        tell(command->progress, what, done);
}

static bool start(ProgressLine *progress) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&progress->thread, NULL, tick, progress);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

void progress_begin(Command *command) {
    ProgressLine *progress = isatty(STDERR_FILENO) ? calloc(1, sizeof *progress) : NULL;
    if (!progress || pipe2(progress->stop, O_CLOEXEC) != 0) {
        free(progress);
        return;
    }
    progress->command = command->name;
    clock_gettime(CLOCK_MONOTONIC, &progress->begin);
    command->progress = progress;
    if (start(progress)) {
        hlc_on_progress(command->h, tell, progress);
        return;
    }
    close(progress->stop[0]);
    close(progress->stop[1]);
    free(progress);
    command->progress = NULL;
}

void progress_end(const Command *command) {
    ProgressLine *progress = command->progress;
    if (!progress || progress->is_ended)
        return;
    if (write(progress->stop[1], "", 1) == 1)
        pthread_join(progress->thread, NULL);
    hlc_on_progress(command->h, NULL, NULL);
    close(progress->stop[0]);
    close(progress->stop[1]);
    progress->is_ended = true;
}
