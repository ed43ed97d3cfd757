/* generate.h -- the two halves of case_generate (case.h). */
#ifndef HLC_FUZZ_GENERATE_H
#define HLC_FUZZ_GENERATE_H

#include "fuzz/case.h"
#include "fuzz/random.h"

/* Fills in everything but the directives. */
void generate_algorithm(Arena *arena, Random *random, Case *fuzz_case);

/* Appends directives.  They follow the loops that earlier directives made, so that most are legal;
 * what is not is refused by the compiler. */
void generate_schedule(Arena *arena, Random *random, Case *fuzz_case);

#endif
