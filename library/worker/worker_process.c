/* worker_process.c -- starts and ends the worker process. */
#include "library/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- starting ---- */

/* Moves a descriptor above 2, so setting up the child's own descriptors does not overwrite it. */
static int move_up(int descriptor) {
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return moved;
}

typedef struct WorkerEnds {
    int socket[2]; /* ours, the worker's */
    int errors[2]; /* a pipe for its standard error: our end, its end */
} WorkerEnds;

static void close_ends(const WorkerEnds *ends) {
    for (int i = 0; i < 2; i++) {
        if (ends->socket[i] >= 0)
            close(ends->socket[i]);
        if (ends->errors[i] >= 0)
            close(ends->errors[i]);
    }
}

static int open_ends(WorkerEnds *ends) {
    *ends = (WorkerEnds){{-1, -1}, {-1, -1}};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->socket) < 0 ||
        pipe2(ends->errors, O_CLOEXEC | O_NONBLOCK) < 0)
        return errno;
    for (int i = 0; i < 2; i++) {
        ends->socket[i] = move_up(ends->socket[i]);
        ends->errors[i] = move_up(ends->errors[i]);
        if (ends->socket[i] < 0 || ends->errors[i] < 0)
            return EMFILE;
    }
    return 0;
}

/* Runs in the child, with no signal blocked, ignored or handled, and no other descriptor open. */
static _Noreturn void serve(const Worker *worker, const WorkerEnds *ends) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(ends->socket[1], 0) < 0 || dup2(nowhere, 1) < 0 ||
        dup2(ends->errors[1], 2) < 0)
        _exit(HLC_WORLD);
    close_range(3, ~0U, 0);
    _exit(worker->serve(STDIN_FILENO, worker->memory));
}

/* Spawns the worker with all signals unblocked and at their defaults. */
static int spawn(Worker *worker, const WorkerEnds *ends) {
    if (worker->serve && __libc_single_threaded) {
        worker->pid = fork();
        if (worker->pid == 0)
            serve(worker, ends);
        return worker->pid < 0 ? errno : 0;
    }
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", worker->memory);
    char *arguments[] = {(char *)worker->path, "--worker", bytes, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, ends->socket[1], 0);
        if (!error)
            error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, ends->errors[1], 2);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (!error)
            error =
                posix_spawn(&worker->pid, worker->path, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int worker_start(Worker *worker) {
    WorkerEnds ends;
    int error = open_ends(&ends);
    if (!error)
        error = spawn(worker, &ends);
    if (error) {
        close_ends(&ends);
        worker->pid = 0;
        return error;
    }
    close(ends.socket[1]);
    close(ends.errors[1]);
    worker->socket = ends.socket[0];
    worker->errors = ends.errors[0];
    return 0;
}

/* ---- ending ---- */

int worker_finish(Worker *worker, char *printed, size_t size) {
    int status = -1;
    close(worker->socket); /* it sees this and ends, if it has not ended yet */
    while (waitpid(worker->pid, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    ssize_t length = read(worker->errors, printed, size - 1);
    printed[length > 0 ? length : 0] = 0;
    printed[strcspn(printed, "\n")] = 0;
    close(worker->errors);
    worker->pid = 0;
    worker->is_busy = false;
    return status;
}

void worker_stop(hlc *h) {
    char printed[2];
    if (!h->worker.pid)
        return;
    /* A busy worker's answer will not be read, so it is killed. If waitpid shows that it has not
     * ended, the number still belongs to our child. */
    if (h->worker.is_busy && waitpid(h->worker.pid, NULL, WNOHANG) == 0)
        kill(h->worker.pid, SIGKILL);
    worker_finish(&h->worker, printed, sizeof printed);
}
