/* choices.h -- counts reasons of refusals, and what schedules that were chosen are like. */
#ifndef HLC_CHECKERS_FUZZ_SCHEDULED_CHOICES_H
#define HLC_CHECKERS_FUZZ_SCHEDULED_CHOICES_H

#include "checkers/fuzz/oracle.h"

#include <stdio.h>

enum { REASONS = 64 };

typedef struct Reason {
    char text[80];
    uint64_t count, seed; /* seed of the last case */
} Reason;

/* Programs whose schedule was chosen. */
typedef struct ChoiceCounts {
    uint64_t programs, empty, judged; /* inputs */
    Reason reasons[REASONS];          /* of the empty schedule */
    double seconds, slowest, memory;  /* all; most */
    size_t peak;
    uint64_t slowest_seed, memory_seed, peak_seed;
} ChoiceCounts;

/* `reasons` has REASONS places; further reasons are not counted. */
void reasons_count(Reason *reasons, uint64_t seed, const char *text);
/* " 3 E0540 (seed 17), 1 too large (seed 4)" */
void reasons_print(const Reason *reasons, FILE *out);

void choice_counts_see(ChoiceCounts *counts, uint64_t seed, const ChoiceResult *choice);
/* Two lines: the programs with a schedule and without, and why; what choosing and runs take. */
void choice_counts_print(const ChoiceCounts *counts, FILE *out);

#endif
