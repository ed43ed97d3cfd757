/* certify.c -- the order of work.
 *
 *   1. the verifier checks the order of reads and writes (Lemma 6.2): one obligation
 *   2. one walk over the program makes all other obligations (walk.c)
 *   3. each obligation is discharged (discharge.c), and the findings are counted
 *   4. if all is proved, one more question: can any input with a point to compute pass the entry?
 *      If none can, the certificate says nothing (is_vacuous)
 *
 * Certifying never changes the program.  A failing prover leaves an obligation open; it is never
 * taken as proved. */
#include "checkers/certify/internal.h"

#include "ir/extern.h"
#include "ir/verify.h"

static const ClauseInfo clauses[] = {
#define CLAUSE(NAME, TEXT, SENTENCE) {TEXT, SENTENCE},
#include "checkers/certify/clauses.def"
#undef CLAUSE
};

const ClauseInfo *clause_info(ClauseId clause) {
    hlc_assert(clause < CLAUSE_COUNT, "a clause is a row of clauses.def");
    return &clauses[clause];
}

const char *means_text(Means means) {
    static const char *const texts[] = {"text", "rules", "decision", "Z3"};
    return texts[means];
}

static void count(Certification *certification) {
    for (size_t i = 0; i < certification->obligations.length; i++) {
        const Obligation *obligation = certification->obligations.data[i];
        certification->count[obligation->finding]++;
        if (obligation->finding == FINDING_PROVED)
            certification->by[obligation->means]++;
    }
}

/* Asks that reads come after the writes of their values, and inside the memory's scope. */
static void ask_order(CertifyWalk *walk) {
    const char *fault = program_verify(walk->arena, walk->program, false);
    if (!walk->program->body.first)
        return;
    Obligation *obligation = obligation_add(walk, CLAUSE_ORDER, walk->program->body.first, NULL,
                                            NULL, "each read comes after what it reads");
    obligation->place = walk->program->signature->place;
    obligation_settle(obligation, !fault,
                      fault ? fault : "the compute statement dominates the read (Lemma 6.2)");
}

Certification *certify_program(Program *program, const Pipeline *pipeline,
                               const Directives *primitives, Arena *arena,
                               const CertifyOptions *options) {
    Certification *certification = arena_new(arena, Certification);
    SpreadStores spread = extern_spread(program, arena);
    certification->program = program;
    certification->ranges = map_create(arena);
    certification->meanings = map_create(arena);
    CertifyWalk walk = {.certification = certification,
                        .program = program,
                        .pipeline = pipeline,
                        .primitives = primitives,
                        .pool = program->pool,
                        .arena = arena,
                        .lifter = lifter_create(certification, arena),
                        .states = map_create(arena),
                        .binders = map_create(arena),
                        .witnesses = map_create(arena),
                        .partial = map_create(arena),
                        .written = map_create(arena)};
    if (pipeline)
        lift_learn_parameters(&walk.lifter, pipeline);
    else
        lift_learn_asserted(&walk.lifter, program);
    ask_order(&walk);
    walk_assume(&walk, options);
    walk_program(&walk);
    Discharge discharge = discharge_create(certification, options, arena);
    discharge.lifter = &walk.lifter;
    discharge.takes_checks = pipeline != NULL;
    discharge.simplifier = simplifier_create(program->pool, arena);
    discharge_all(&discharge);
    count(certification);
    certification->is_vacuous =
        certification->count[FINDING_PROVED] == certification->obligations.length &&
        discharge_refutes(&discharge, &walk.entries);
    discharge_end(&discharge);
    extern_gather(&spread);
    return certification;
}
