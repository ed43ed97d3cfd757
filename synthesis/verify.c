/* verify.c -- the proof of a rule by Z3, through the encodings of rulec/smt.c: one process, whose
 * budget is of its own resources and not of time.  Where the rule as it stands is refuted, Z3 says
 * where. */
#include "synthesis/synthesis.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGEST 1000000 /* values of points beyond might leave 64 bits in a product */

struct Solver {
    FILE *in, *out;
    pid_t pid;
};

Solver *solver_start(Arena *arena) {
    int to[2], from[2];
    Solver *solver = arena_new(arena, Solver);
    signal(SIGPIPE, SIG_IGN);
    if (pipe(to) || pipe(from))
        return NULL;
    solver->pid = fork();
    if (solver->pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp("z3", "z3", "-in", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    solver->in = fdopen(to[1], "w");
    solver->out = fdopen(from[0], "r");
    char line[64] = "";
    fputs("(echo \"ready\")\n", solver->in);
    fflush(solver->in);
    if (fgets(line, sizeof line, solver->out) && !strncmp(line, "ready", 5))
        return solver;
    solver_stop(solver);
    return NULL;
}

void solver_stop(Solver *solver) {
    fclose(solver->in);
    fclose(solver->out);
    waitpid(solver->pid, NULL, 0);
}

static void ask(Solver *solver, const char *query, char *answer, int size) {
    fputs(query, solver->in); /* it resets the solver, but for the resources */
    fflush(solver->in);
    if (!fgets(answer, size, solver->out))
        answer[0] = 0;
}

/* The value of slot `number` where the last query was satisfied: `((s0 (- 3)))`. */
static bool model_value(Solver *solver, int number, Bits *value) {
    char question[32], line[256];
    snprintf(question, sizeof question, "(get-value (s%d))\n", number);
    ask(solver, question, line, sizeof line);
    char *at = strchr(line, ' ');
    if (!at)
        return false;
    *value = strstr(at, "true") != NULL;
    if (*value || strstr(at, "false"))
        return true;
    bool negative = !strncmp(at, " (- ", 4);
    long long magnitude = strtoll(at + (negative ? 4 : 1), NULL, 10);
    *value = negative ? -magnitude : magnitude;
    return magnitude < LARGEST;
}

Verification verify_rule(Solver *solver, const Rule *rule, Bits *slots) {
    /* The one that decides comes first.  No more of Z3's resources than tests/unit/simplify_proof.c
     * allows: what is proved here is proved there; and few where Z3 spends most on what it cannot
     * decide. */
    static const int encodings[] = {2, 0, 1}, resources[] = {1000000, 200000, 200000};
    for (int i = 0; i < 3; i++) {
        char *query = rule_smt_text(rule, INDEX, encodings[i]), answer[256];
        if (!query)
            continue;
        fprintf(solver->in, "(set-option :rlimit %d)\n", resources[i]);
        ask(solver, query, answer, sizeof answer);
        free(query);
        if (!strncmp(answer, "unsat", 5))
            return VERIFIED;
        if (encodings[i] != 0 || strncmp(answer, "sat", 3))
            continue;
        for (int slot = 0; slot < rule->slot_count; slot++)
            if (!model_value(solver, slot, &slots[slot]))
                return NOT_DECIDED;
        return REFUTED;
    }
    return NOT_DECIDED;
}
