/* solver.c -- a process that runs Z3 and answers questions in SMT-LIB, one after another.
 *
 * It is fed over a socket, so that its end is an error of send and no signal.  Limits are Z3's own
 * resource units, never a clock: the same question gets the same answer everywhere.
 */
#include "certify/internal.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINE_START = 256, ANSWER_MOST = 1 << 20 };

struct Solver {
    pid_t pid;
    int socket;
    char buffer[4096];
    size_t begin, end;
    uint32_t limit;
    bool pushed;
    bool gone;
};

Solver *solver_start(Arena *arena, const char *command, uint32_t units) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    char *arguments[] = {(char *)command, "-in", "-smt2", NULL};
    Solver *solver = arena_new(arena, Solver);
    int failed = posix_spawnp(&solver->pid, command, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return NULL;
    }
    solver->socket = ends[0];
    solver->limit = units;
    return solver;
}

void solver_stop(Solver *solver) {
    close(solver->socket);
    kill(solver->pid, SIGTERM);
    while (waitpid(solver->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void solver_send(Solver *solver, const char *text) {
    size_t length = strlen(text);
    while (length && !solver->gone) {
        ssize_t sent = send(solver->socket, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            solver->gone = true;
            return;
        }
        text += sent;
        length -= (size_t)sent;
    }
}

static int next_byte(Solver *solver) {
    while (solver->begin == solver->end && !solver->gone) {
        ssize_t got = recv(solver->socket, solver->buffer, sizeof solver->buffer, 0);
        if (got < 0 && errno == EINTR)
            continue;
        solver->gone = got <= 0;
        solver->begin = 0;
        solver->end = got > 0 ? (size_t)got : 0;
    }
    return solver->gone ? -1 : (unsigned char)solver->buffer[solver->begin++];
}

const char *solver_receive(Solver *solver, Arena *arena) {
    Vec(char) text = {0};
    int open = 0;
    bool quoted = false;
    for (;;) {
        int c = next_byte(solver);
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

/* After an error line what was asked is not what was meant: the answer is not looked at. */
SolverAnswer solver_answer(Solver *solver, Arena *arena) {
    bool failed = false;
    for (;;) {
        const char *line = solver_receive(solver, arena);
        if (!line)
            return SOLVER_GONE;
        bool unsat = strcmp(line, "unsat") == 0, sat = strcmp(line, "sat") == 0;
        if (unsat || sat || strcmp(line, "unknown") == 0)
            return failed  ? SOLVER_UNKNOWN
                   : unsat ? SOLVER_UNSAT
                   : sat   ? SOLVER_SAT
                           : SOLVER_UNKNOWN;
        failed = true;
    }
}

void solver_begin(Solver *solver, bool fresh) {
    char text[120];
    const char *forget = fresh || !solver->pushed ? "(reset)\n" : "(pop 1)\n";
    snprintf(text, sizeof text, "%s%s(set-option :rlimit %u)\n", forget, fresh ? "" : "(push 1)\n",
             solver->limit);
    solver->pushed = !fresh;
    solver_send(solver, text);
}

int64_t solver_units(Solver *solver, Arena *arena) {
    long long units = 0;
    solver_send(solver, "(get-info :rlimit)\n");
    const char *line = solver_receive(solver, arena);
    return line && sscanf(line, "(:rlimit %lld)", &units) == 1 ? units : 0;
}
