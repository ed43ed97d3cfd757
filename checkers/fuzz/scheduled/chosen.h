/* chosen.h -- schedules that autoschedule chooses for random programs, and what it promises of them.
 *
 * The choice is written down as directives, so the rest of the fuzzer treats it as any schedule. What
 * docs/autoscheduler.md promises is judged in numbers, apart from the proofs and the model by which the
 * choice was made:
 *
 *     sizes    on each input on which the assertions of the empty schedule hold, those of the chosen one
 *              hold. Images have exactly the regions that the empty schedule demands
 *     memory   at the sizes of the choice, one thread: at most twice that of the empty schedule and
 *              64 MiB, by the formulas of the lowered programs (lower/report/footprint.h)
 *     an end   the choice is a part of its case, which has a limit of processor time (batch.h)
 */
#ifndef HLC_CHECKERS_FUZZ_SCHEDULED_CHOSEN_H
#define HLC_CHECKERS_FUZZ_SCHEDULED_CHOSEN_H

#include "checkers/fuzz/generate.h"
#include "checkers/fuzz/trial.h"

/* Chooses a schedule for drawn sizes and threads from a drawn number of candidates. Appends its directives
 * to the case. */
void chosen_generate(Arena *arena, RandomSource *random, Case *fuzz_case, const Pipeline *pipeline);
/* Does the case have all directives that were chosen?  A smaller case need not. */
bool chosen_stands(const Case *fuzz_case);
/* Copies what is known of the choice. */
void chosen_note(const Case *fuzz_case, ChoiceResult *choice);
/* The program under the empty schedule, in which memory is folded; null if it is refused. */
Lowered *chosen_empty(const CaseTrial *trial, Arena *arena);
/* Compares the assertions on the inputs of these trials, and the memory. The trials are of one
 * program. */
void chosen_judge(CaseTrial *const *trials, int count, const Lowered *empty, Arena *arena);

#endif
