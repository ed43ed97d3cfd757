/* solver.c -- questions in SMT-LIB to Z3, one after another.
 *
 * Limits are Z3's own resource units, never a clock: the same question gets the same answer
 * everywhere.
 */
#include "certify/internal.h"

#include <stdio.h>
#include <string.h>

struct Solver {
    SolverProcess *process, **running;
    bool pushed;
};

Solver *solver_start(Arena *arena, const char *command, SolverProcess **running) {
    Solver *solver = arena_new(arena, Solver);
    *solver = (Solver){.running = running};
    solver->process = process_start(arena, command);
    if (!solver->process)
        return NULL;
    if (running)
        *running = solver->process;
    if (process_is_ready(solver->process, arena))
        return solver;
    solver_stop(solver);
    return NULL;
}

void solver_stop(Solver *solver) {
    process_stop(solver->process);
    if (solver->running)
        *solver->running = NULL;
}

void solver_send(Solver *solver, const char *text) {
    process_send(solver->process, text);
}

const char *solver_receive(Solver *solver, Arena *arena) {
    return process_receive(solver->process, arena);
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

void solver_begin(Solver *solver, bool fresh, uint64_t units) {
    char text[120];
    const char *forget = fresh || !solver->pushed ? "(reset)\n" : "(pop 1)\n";
    snprintf(text, sizeof text, "%s%s(set-option :rlimit %llu)\n", forget,
             fresh ? "" : "(push 1)\n", (unsigned long long)units);
    solver->pushed = !fresh;
    solver_send(solver, text);
}

int64_t solver_units(Solver *solver, Arena *arena) {
    long long units = 0;
    solver_send(solver, "(get-info :rlimit)\n");
    const char *line = solver_receive(solver, arena);
    return line && sscanf(line, "(:rlimit %lld)", &units) == 1 ? units : 0;
}
