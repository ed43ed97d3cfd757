/* directive_record.h -- the functions of each directive: one record for each row of directives.def.
 *
 * This header declares the functions of each row, so the file of a directive includes it.  The
 * phase of a directive decides which functions it has:
 *
 *   realise     checks the directive and applies it to the recurrences.  False after refusing.
 *   rewrite     checks it and applies it to the algorithm.  False after refusing.
 *   expand      appends the primitives that it means.  False after refusing.
 *   follow      changes the symbolic nest (loop.h) as `apply` changes the loops of the program, for
 *               the sugar that follows.  False after refusing it because of its names.
 *   check       refuses, and reports unless the resolver is silent.  Changes nothing.
 *   apply       transforms the program.  Cannot fail.
 *   candidates  offers the directives of this kind that could be legal (candidates.h).
 */
#ifndef HLC_SCHEDULE_DIRECTIVE_RECORD_H
#define HLC_SCHEDULE_DIRECTIVE_RECORD_H

#include "schedule/candidates.h"
#include "schedule/recurrence/equations.h"
#include "schedule/redefine.h"
#include "schedule/scheduler.h"
#include "schedule/sugar.h"

typedef struct DirectiveRecord {
    bool (*realise)(Recurrences *recurrences, const Directive *directive);
    bool (*rewrite)(AlgorithmRun *run, const Directive *directive);
    bool (*expand)(SugarExpansion *expansion, const Directive *directive);
    bool (*follow)(const Resolver *resolver, const Directive *directive);
    bool (*check)(Scheduler *scheduler, const Directive *directive);
    void (*apply)(Scheduler *scheduler, const Directive *directive);
    void (*candidates_of_func)(const LegalSearch *search, const FuncPlan *plan);
    void (*candidates_of_loop)(const LegalSearch *search, const LoopNest *nest, size_t position);
} DirectiveRecord;

const DirectiveRecord *directive_record(DirectiveKind kind);

/* ---- the functions that the rows name, by phase ---- */

#define DECLARE_RECURRENCE(DOES)                                                                   \
    bool DOES##_realise(Recurrences *recurrences, const Directive *directive);
#define DECLARE_ALGORITHM(DOES) bool DOES##_rewrite(AlgorithmRun *run, const Directive *directive);
#define DECLARE_SUGAR(DOES)                                                                        \
    bool DOES##_expand(SugarExpansion *expansion, const Directive *directive);
#define DECLARE_BOUNDS(DOES)                                                                       \
    bool DOES##_check(Scheduler *scheduler, const Directive *directive);                           \
    void DOES##_apply(Scheduler *scheduler, const Directive *directive);
#define DECLARE_COMPUTE(DOES) DECLARE_BOUNDS(DOES)
#define DECLARE_STORAGE(DOES) DECLARE_BOUNDS(DOES)
#define DECLARE_LOOPS(DOES)                                                                        \
    DECLARE_BOUNDS(DOES)                                                                           \
    bool DOES##_follow(const Resolver *resolver, const Directive *directive);
#define DECLARE_SPECIALIZE(DOES) DECLARE_LOOPS(DOES)

#define CANDIDATES_OF_FUNC(NAME)                                                                   \
    void NAME##_candidates(const LegalSearch *search, const FuncPlan *plan);
#define CANDIDATES_OF_LOOP(NAME)                                                                   \
    void NAME##_candidates(const LegalSearch *search, const LoopNest *nest, size_t position);
#define CANDIDATES_RECURRENCE(NAME) CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_ALGORITHM(NAME)  CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_SPECIALIZE(NAME) CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_BOUNDS(NAME)     CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_COMPUTE(NAME)    CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_STORAGE(NAME)    CANDIDATES_OF_FUNC(NAME)
#define CANDIDATES_LOOPS(NAME)      CANDIDATES_OF_LOOP(NAME)
#define CANDIDATES_SUGAR(NAME)      CANDIDATES_OF_LOOP(NAME)

#define DIRECTIVE(NAME, TEXT, PHASE, ARGUMENTS, SENTENCE, DOES, CANDIDATES)                        \
    DECLARE_##PHASE(DOES) CANDIDATES_##PHASE(CANDIDATES)
#include "schedule/directives.def"
#undef DIRECTIVE

#endif
