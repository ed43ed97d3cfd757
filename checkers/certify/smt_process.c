/* smt_process.c -- asks Z3 questions in SMT-LIB, one after another.
 *
 * Limits are Z3's own resource units, never a clock: the same question gets the same answer
 * everywhere.
 */
#include "checkers/certify/internal.h"

#include <stdio.h>
#include <string.h>

struct SmtProcess {
    SolverProcess *process, **running;
    bool pushed;
};

SmtProcess *smt_start(Arena *arena, const char *command, SolverProcess **running) {
    SmtProcess *solver = arena_new(arena, SmtProcess);
    *solver = (SmtProcess){.running = running};
    solver->process = process_start(arena, command);
    if (!solver->process)
        return NULL;
    if (running)
        *running = solver->process;
    if (process_is_ready(solver->process, arena))
        return solver;
    smt_stop(solver);
    return NULL;
}

void smt_stop(SmtProcess *solver) {
    process_stop(solver->process);
    if (solver->running)
        *solver->running = NULL;
}

void smt_send(SmtProcess *solver, const char *text) {
    process_send(solver->process, text);
}

const char *smt_receive(SmtProcess *solver, Arena *arena) {
    return process_receive(solver->process, arena);
}

/* After an error line the question was not the intended one, so the answer is ignored. */
SmtAnswer smt_answer(SmtProcess *solver, Arena *arena) {
    bool failed = false;
    for (;;) {
        const char *line = smt_receive(solver, arena);
        if (!line)
            return SMT_GONE;
        bool unsat = strcmp(line, "unsat") == 0, sat = strcmp(line, "sat") == 0;
        if (unsat || sat || strcmp(line, "unknown") == 0)
            return failed ? SMT_UNKNOWN : unsat ? SMT_UNSAT : sat ? SMT_SAT : SMT_UNKNOWN;
        failed = true;
    }
}

void smt_begin(SmtProcess *solver, bool fresh, uint64_t units) {
    char text[120];
    const char *forget = fresh || !solver->pushed ? "(reset)\n" : "(pop 1)\n";
    snprintf(text, sizeof text, "%s%s(set-option :rlimit %llu)\n", forget,
             fresh ? "" : "(push 1)\n", (unsigned long long)units);
    solver->pushed = !fresh;
    smt_send(solver, text);
}

int64_t smt_units(SmtProcess *solver, Arena *arena) {
    long long units = 0;
    smt_send(solver, "(get-info :rlimit)\n");
    const char *line = smt_receive(solver, arena);
    return line && sscanf(line, "(:rlimit %lld)", &units) == 1 ? units : 0;
}
