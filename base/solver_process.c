/* solver_process.c -- runs an SMT solver as a process, over a socket: if the solver dies, `send`
 * fails, and no signal is raised.
 */
#include "base/solver_process.h"

#include "base/vec.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ANSWER_MOST = 1 << 20, READY_SECONDS = 20, ANSWER_SECONDS = 600 };

struct SolverProcess {
    pid_t pid;
    int socket;
    char buffer[4096];
    size_t begin, end;
    int seconds; /* that it may be silent */
    bool gone;
};

SolverProcess *process_start(Arena *arena, const char *command) {
    int ends[2];
    SolverProcess *process = arena_new(arena, SolverProcess); /* while nothing is open */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    char *arguments[] = {(char *)command, "-in", "-smt2", NULL};
    int failed = posix_spawnp(&process->pid, command, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return NULL;
    }
    process->socket = ends[0];
    process->seconds = ANSWER_SECONDS;
    return process;
}

void process_stop(SolverProcess *process) {
    close(process->socket);
    kill(process->pid, SIGKILL); /* it may be one that answers nothing else */
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void process_send(SolverProcess *process, const char *text) {
    size_t length = strlen(text);
    while (length && !process->gone) {
        ssize_t sent = send(process->socket, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            process->gone = true;
            return;
        }
        text += sent;
        length -= (size_t)sent;
    }
}

/* False where it says nothing for as long as it may. */
static bool wait_for_answer(const SolverProcess *process) {
    struct pollfd end = {.fd = process->socket, .events = POLLIN};
    int ready;
    do
        ready = poll(&end, 1, process->seconds * 1000);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

static int next_byte(SolverProcess *process) {
    while (process->begin == process->end && !process->gone) {
        if (!wait_for_answer(process)) {
            process->gone = true;
            break;
        }
        ssize_t got = recv(process->socket, process->buffer, sizeof process->buffer, 0);
        if (got < 0 && errno == EINTR)
            continue;
        process->gone = got <= 0;
        process->begin = 0;
        process->end = got > 0 ? (size_t)got : 0;
    }
    return process->gone ? -1 : (unsigned char)process->buffer[process->begin++];
}

const char *process_receive(SolverProcess *process, Arena *arena) {
    Vec(char) text = {0};
    int open = 0;
    bool quoted = false;
    for (;;) {
        int c = next_byte(process);
        if (c < 0 || text.length > ANSWER_MOST)
            return NULL;
        if (c == '|')
            quoted = !quoted;
        if (!quoted)
            open += (c == '(') - (c == ')');
        if (c == '\n' && open <= 0) {
            if (!text.length)
                continue;
            vec_push(arena, &text, '\0');
            return text.data;
        }
        vec_push(arena, &text, c == '\n' ? ' ' : (char)c);
    }
}

bool process_is_ready(SolverProcess *process, Arena *arena) {
    process_send(process, "(echo \"ready\")\n");
    process->seconds = READY_SECONDS;
    const char *line = process_receive(process, arena);
    process->seconds = ANSWER_SECONDS;
    return line && !strncmp(line, "ready", 5);
}
