/* Runs one test within a limit of processor time.
 *
 *     limited RECORD SECONDS COMMAND ARGUMENT..      (RECORD: a file, or `-`)
 *
 * The limit holds for the command and all its descendants together, so a test that passes on a
 * quiet machine passes beside other work.  A limit of ten times as many seconds on the clock ends
 * deadlocks. The exit code is the command's, or 124 if the command exceeded a limit.  RECORD, a
 * file, receives one line: seconds of the processor, seconds on the clock, the limit, the exit
 * code, the file's name.
 *
 * This process is the reaper of its descendants (PR_SET_CHILD_SUBREAPER): it inherits each
 * descendant whose parent has ended.  So no descendant escapes the count, and none outlives the
 * test.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_FACTOR = 10, EXCEEDED = 124, MISUSED = 125, NO_COMMAND = 127 };

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* What the children used that this process has reaped, and what those had reaped. */
static double reaped_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* What a process used, and the children that it has reaped; 0 if it has ended. */
static double process_seconds(int process) {
    char text[1024];
    snprintf(text, sizeof text, "/proc/%d/stat", process);
    FILE *file = fopen(text, "r");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *fields = strrchr(text, ')'); /* the name before it may hold spaces */
    long ticks[4];
    if (!fields || sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld %ld %ld %ld",
                          &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 4)
        return 0;
    return (double)(ticks[0] + ticks[1] + ticks[2] + ticks[3]) / (double)sysconf(_SC_CLK_TCK);
}

/* Calls `visit` for each child of each thread of a process, and returns the sum of the answers. */
static double over_children(int process, double visit(int child)) {
    char path[320];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = opendir(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", process, thread->d_name);
        FILE *file = thread->d_name[0] == '.' ? NULL : fopen(path, "r");
        for (int child; file && fscanf(file, "%d", &child) == 1;)
            sum += visit(child);
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return sum;
}

static double tree_seconds(int process) {
    return process_seconds(process) + over_children(process, tree_seconds);
}

static double kill_process(int process) {
    kill(process, SIGKILL);
    return 0;
}

/* Children of a killed process become children of this one, until there are none. */
static void kill_descendants(void) {
    do
        over_children(getpid(), kill_process);
    while (waitpid(-1, NULL, 0) > 0);
}

static void stop(int signal_number) {
    kill_descendants();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

int main(int argument_count, char **arguments) {
    double limit = argument_count > 3 ? atof(arguments[2]) : 0;
    if (limit <= 0) {
        fprintf(stderr, "usage: limited RECORD SECONDS COMMAND ARGUMENT..\n");
        return MISUSED;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t child_ends;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, NULL);
    double begin = clock_seconds();
    int command = fork();
    if (command == 0) {
        sigprocmask(SIG_UNBLOCK, &child_ends, NULL);
        execvp(arguments[3], arguments + 3);
        perror(arguments[3]);
        _exit(NO_COMMAND);
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);

    bool ended = false;
    const char *exceeded = NULL;
    int status = 0;
    while (command > 0 && !ended && !exceeded) {
        sigtimedwait(&child_ends, NULL, &(struct timespec){.tv_sec = 1});
        int child_status;
        for (int child; (child = waitpid(-1, &child_status, WNOHANG)) > 0;) {
            if (child == command) {
                ended = true;
                status = child_status;
            }
        }
        if (reaped_seconds() + over_children(getpid(), tree_seconds) > limit)
            exceeded = "of the processor";
        else if (!ended && clock_seconds() - begin > limit * CLOCK_FACTOR)
            exceeded = "on the clock, ten times";
    }
    kill_descendants();
    double used = reaped_seconds();
    if (exceeded || used > limit)
        fprintf(stderr, "The test used more seconds %s than its limit, %g\n",
                exceeded ? exceeded : "of the processor", limit);
    int code = exceeded || used > limit ? EXCEEDED
               : WIFEXITED(status)      ? WEXITSTATUS(status)
                                        : 128 + WTERMSIG(status);

    if (strcmp(arguments[1], "-") == 0)
        return code;
    const char *name = strrchr(arguments[1], '/');
    FILE *record = fopen(arguments[1], "w");
    if (!record ||
        fprintf(record, "%8.2f %8.2f %6g %3d %s\n", used, clock_seconds() - begin, limit, code,
                name ? name + 1 : arguments[1]) < 0 ||
        fclose(record) != 0) {
        perror(arguments[1]);
        return MISUSED;
    }
    return code;
}
