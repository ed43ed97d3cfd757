/* trial_certify.c -- checks a program's certificate.  The compiler may leave obligations open, but
 * none may be refuted.  Obligations left to run time become conditions at the entry: a false one
 * refuses the run, a true one changes nothing.
 */
#include "checkers/certify/certify.h"
#include "checkers/fuzz/trial.h"
#include "ir/interpret/evaluate.h"
#include "runtime/hlc_runtime.h"

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

EntryChecks trial_certify(CaseTrial *trial, Arena *arena, const Lowered *lowered) {
    CertifyOptions options = {.solver = "z3", .units = UNITS, .is_brief = true};
    const Certification *certification =
        certify_program(lowered->program, lowered->pipeline, &lowered->primitives, arena, &options);
    ProgramResult *result = trial->of_program;
    EntryChecks checks = {0};
    result->proved += (int)certification->count[FINDING_PROVED];
    result->left_to_run_time += (int)certification->count[FINDING_CHECK];
    result->open += (int)certification->count[FINDING_OPEN];
    for (size_t i = 0; i < certification->obligations.length; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        if (obligation->finding == FINDING_REFUTED)
            trial_conclude(trial, VERDICT_DIFFERS, "", "certificate: refuted is %s %s (%s)",
                           clause_info(obligation->clause)->text, obligation->text,
                           values_text(arena, certification, obligation));
        if (obligation->finding == FINDING_CHECK)
            vec_push(arena, &checks,
                     (Insistence){obligation->check, obligation->text, obligation->place});
    }
    return checks;
}

EntryChecks trial_insist(Arena *arena, const Lowered *lowered, const EntryChecks *checks) {
    EntryChecks asserted = {0};
    lower_insist(lowered, checks->data, checks->length, arena);
    for (size_t i = 0; i < checks->length; i++)
        vec_push(arena, &asserted, checks->data[i]);
    for (const Stmt *stmt = program_rest(lowered->program);
         stmt && (stmt = stmt->previous) && stmt->kind == STMT_ASSERT &&
         stmt->assertion.error == HLC_ERROR_NOT_CERTIFIED;)
        vec_push(arena, &asserted,
                 (Insistence){stmt->assertion.condition, stmt->assertion.subject, stmt->place});
    return asserted;
}

/* Returns the first condition that is false for this input, or null; `*known`: all have values. */
static const Insistence *find_false(CaseTrial *trial, const EntryChecks *checks, bool *known) {
    *known = true;
    for (size_t i = 0; i < checks->length; i++) {
        Bits bits;
        *known = *known &&
                 expr_evaluate(trial->arena, checks->data[i].condition, trial_value, trial, &bits);
        if (*known && !bits)
            return &checks->data[i];
    }
    return NULL;
}

void trial_compare_checked(CaseTrial *trial, const Arguments *arguments, const EntryChecks *checks,
                           const Outcome *outcome, const char *way) {
    bool known, is_refused = outcome->error == HLC_ERROR_NOT_CERTIFIED;
    const Insistence *expected = find_false(trial, checks, &known);
    trial->of_program->checked_runs++;
    trial->of_program->refused_runs += is_refused;
    if (is_refused && known && !expected)
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: refused, but each check holds: %s", way,
                       outcome->message);
    else if (!outcome->error && expected && !trial_has_empty_window(trial))
        trial_conclude(trial, VERDICT_DIFFERS, "", "%s: accepted, but a check is false: %s", way,
                       expected->subject);
    else if (!is_refused)
        trial_compare(trial, arguments, outcome, false, way);
}
