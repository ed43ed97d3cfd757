/* verify.c -- proves a rule by Z3, through the encodings of tools/rulec/smt.c. One process is used;
 * its budget is its own resources, not time. If the rule as written is refuted, Z3 gives a point.
 */
#include "tools/synthesis/synthesis.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST 1000000 /* products of larger values might exceed 64 bits */

/* Returns "" if the process has ended. */
static const char *ask(SolverProcess *solver, Arena *arena, const char *query) {
    process_send(solver, query); /* resets the solver, but not its resources */
    const char *answer = process_receive(solver, arena);
    return answer ? answer : "";
}

/* Reads the value of slot `number` in the last query's model: `((s0 (- 3)))`. */
static bool model_value(SolverProcess *solver, Arena *arena, int number, Bits *value) {
    char question[32];
    snprintf(question, sizeof question, "(get-value (s%d))\n", number);
    const char *line = ask(solver, arena, question);
    const char *at = strchr(line, ' ');
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

Verification verify_rule(SolverProcess *solver, Arena *arena, const Rule *rule, Bits *slots) {
    /* The deciding encoding comes first. Z3's resources are at most those of
     * tests/unit/simplify_proof.c, so a proof here is also a proof there. Encodings on which Z3
     * wastes most get little. */
    static const int encodings[] = {2, 0, 1}, resources[] = {1000000, 200000, 200000};
    for (int i = 0; i < 3; i++) {
        char *query = rule_smt_text(rule, INDEX, encodings[i]), limit[64];
        if (!query)
            continue;
        snprintf(limit, sizeof limit, "(set-option :rlimit %d)\n", resources[i]);
        process_send(solver, limit);
        const char *answer = ask(solver, arena, query);
        free(query);
        if (!strncmp(answer, "unsat", 5))
            return VERIFIED;
        if (encodings[i] != 0 || strncmp(answer, "sat", 3))
            continue;
        for (int slot = 0; slot < rule->slot_count; slot++)
            if (!model_value(solver, arena, slot, &slots[slot]))
                return NOT_DECIDED;
        return REFUTED;
    }
    return NOT_DECIDED;
}
