/* certified.c -- certifies programs before their use (hlc_set_certify). */
#include "library/compiler.h"

#include "checkers/certify/certify.h"
#include "ir/print.h"

hlc_status compiler_solver_missing(hlc *h, const char *solver) {
    diag(h->context, DIAG_SOLVER_MISSING, NOWHERE, solver);
    h->failure = HLC_WORLD;
    return HLC_USER;
}

/* "image input(x) in pre: dimension 0" */
static const char *obligation_name(Arena *arena, const Obligation *obligation) {
    return arena_format(arena, "%s %s", clause_info(obligation->clause)->text, obligation->text);
}

/* Each as an assertion, and as a note. */
static void insist(hlc *h, const Lowered *lowered, const Certification *certification) {
    Vec(Insistence) insistences = {0};
    for (size_t i = 0; i < certification->obligations.length; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        if (obligation->finding != FINDING_CHECK)
            continue;
        const char *name = obligation_name(lowered->program->arena, obligation);
        vec_push(h->scratch, &insistences,
                 (Insistence){obligation->check, name, obligation->place});
        diag(h->context, DIAG_LEFT_TO_RUN_TIME, obligation->place, name,
             expr_formula(h->scratch, obligation->check));
    }
    if (insistences.length)
        lower_insist(lowered, insistences.data, insistences.length, h->scratch);
}

/* Is it neither proved nor made a check? */
static bool is_failed(const Obligation *obligation) {
    return obligation->finding != FINDING_PROVED && obligation->finding != FINDING_CHECK;
}

bool compiler_certify(hlc *h, Lowered *lowered) {
    CertifyOptions options = {.solver = h->certifier, .running = &h->solver};
    const Certification *certification = certify_program(
        lowered->program, lowered->pipeline, &lowered->primitives, h->scratch, &options);
    const Obligation *first = NULL;
    size_t failed = 0;
    for (size_t i = certification->obligations.length; i-- > 0;)
        if (is_failed(certification->obligations.data[i])) {
            first = certification->obligations.data[i];
            failed++;
        }
    if (first && certification->solver_missing && !certification->count[FINDING_REFUTED]) {
        compiler_solver_missing(h, h->certifier);
        return false;
    }
    if (first) {
        diag(h->context, DIAG_NOT_CERTIFIED, first->place, arena_format(h->scratch, "%zu", failed),
             arena_format(h->scratch, "%zu", certification->obligations.length),
             obligation_name(h->scratch, first));
        h->failure = HLC_NO;
        return false;
    }
    insist(h, lowered, certification);
    return true;
}
