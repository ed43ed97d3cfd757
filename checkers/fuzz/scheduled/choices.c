/* choices.c -- see choices.h. */
#include "checkers/fuzz/scheduled/choices.h"

#include <inttypes.h>
#include <string.h>

void reasons_count(Reason *reasons, uint64_t seed, const char *text) {
    for (int i = 0; i < REASONS; i++) {
        Reason *reason = &reasons[i];
        if (reason->count && strcmp(reason->text, text) != 0)
            continue;
        snprintf(reason->text, sizeof reason->text, "%s", text);
        reason->count++;
        reason->seed = seed;
        return;
    }
}

void reasons_print(const Reason *reasons, FILE *out) {
    for (int i = 0; i < REASONS && reasons[i].count; i++)
        fprintf(out, "%s %" PRIu64 " %s (seed %" PRIu64 ")", i ? "," : "", reasons[i].count,
                reasons[i].text, reasons[i].seed);
}

void choice_counts_see(ChoiceCounts *counts, uint64_t seed, const ChoiceResult *choice) {
    if (!choice->is_chosen)
        return;
    counts->programs++;
    counts->judged += (uint64_t)choice->judged;
    counts->seconds += choice->seconds;
    if (choice->seconds > counts->slowest) {
        counts->slowest = choice->seconds;
        counts->slowest_seed = seed;
    }
    if (choice->memory > counts->memory) {
        counts->memory = choice->memory;
        counts->memory_seed = seed;
    }
    if (choice->peak > counts->peak) {
        counts->peak = choice->peak;
        counts->peak_seed = seed;
    }
    if (!*choice->obstacle)
        return;
    /* What is asked for differs in each program: the kind of the reason counts. */
    char kind[sizeof choice->obstacle];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(choice->obstacle, ":"), choice->obstacle);
    counts->empty++;
    reasons_count(counts->reasons, seed, kind);
}

void choice_counts_print(const ChoiceCounts *counts, FILE *out) {
    fprintf(out,
            "schedules were chosen for %" PRIu64 " programs; the empty one for %" PRIu64 " others:",
            counts->programs - counts->empty, counts->empty);
    reasons_print(counts->reasons, out);
    fprintf(out,
            "\nchoosing took %.2f s in the mean, at most %.1f s (seed %" PRIu64
            ") and %zu MiB (seed %" PRIu64
            "); memory of a run at most %.2f of what it may take (seed %" PRIu64
            "); assertions were compared on %" PRIu64 " inputs\n",
            counts->programs ? counts->seconds / (double)counts->programs : 0, counts->slowest,
            counts->slowest_seed, counts->peak >> 20, counts->peak_seed, counts->memory,
            counts->memory_seed, counts->judged);
}
