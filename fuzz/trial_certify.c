/* trial_certify.c -- a case's certificate: what the compiler accepts may stay open, but no
 * obligation of it is ever refuted.
 */
#include "certify/certify.h"
#include "fuzz/trial.h"

enum { UNITS = 50000 }; /* of Z3, for one question */

/* "x = 3, y = 4" */
static const char *values_text(Arena *arena, const Certification *certification,
                               const Obligation *obligation) {
    const char *text = obligation->rule ? obligation->rule : "";
    for (size_t i = 0; i < obligation->counterexample.length; i++) {
        const Assignment *assignment = &obligation->counterexample.data[i];
        const char *meaning = map_get(&certification->meanings, assignment->variable->name);
        text = arena_format(arena, "%s%s%s = %lld", text, i ? ", " : "",
                            meaning ? meaning : assignment->variable->name->text,
                            (long long)assignment->value);
    }
    return text;
}

void trial_certify(Trial *trial, Arena *arena, const Lowered *lowered) {
    CertifyOptions options = {.solver = "z3", .units = UNITS, .is_brief = true};
    const Certification *certification =
        certify_program(lowered->program, lowered->pipeline, &lowered->primitives, arena, &options);
    ProgramResult *result = trial->of_program;
    result->proved += (int)certification->count[FINDING_PROVED];
    result->left_to_run_time += (int)certification->count[FINDING_CHECK];
    result->open += (int)certification->count[FINDING_OPEN];
    for (size_t i = 0; i < certification->obligations.length; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        if (obligation->finding == FINDING_REFUTED)
            trial_conclude(trial, VERDICT_DIFFERS, "", "certificate: refuted is %s %s (%s)",
                           clause_info(obligation->clause)->text, obligation->text,
                           values_text(arena, certification, obligation));
    }
}
