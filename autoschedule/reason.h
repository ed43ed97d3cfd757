/* reason.h -- says in a few words why a directive was chosen, in the terms of the model. */
#ifndef HLC_AUTOSCHEDULE_REASON_H
#define HLC_AUTOSCHEDULE_REASON_H

#include "autoschedule/decision.h"

typedef struct Reasons {
    Arena *arena;
    const Estimate *estimate; /* of the chosen schedule; null while choosing: no words are needed */
    const Estimate *empty;
    int threads;
} Reasons;

/* Each returns a text without a full stop; "" if there is nothing to say. */
const char *reason_of_inlining(const Reasons *reasons, const DecisionSubject *subject);
const char *reason_of_level(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice, const DecisionSubject *host,
                            const char *loop);
const char *reason_of_threads(const Reasons *reasons, const DecisionSubject *subject,
                              const FuncChoice *choice);
const char *reason_of_lanes(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice);
const char *reason_of_columns(const Reasons *reasons, const DecisionSubject *subject,
                              const FuncChoice *choice);
const char *reason_of_tile(const Reasons *reasons, const FuncChoice *choice);
/* Of blocks that are all whole. */
const char *reason_of_whole(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice);
const char *reason_of_unrolling(const Reasons *reasons, const FuncChoice *choice);
/* Of a short loop that is unrolled. */
const char *reason_of_copies(const Reasons *reasons, int length);
const char *reason_of_partial(const Reasons *reasons, const FuncChoice *choice);
/* Of rows that are unrolled. */
const char *reason_of_lines(const Reasons *reasons, const FuncChoice *choice);
const char *reason_of_tables(const Reasons *reasons, const FuncChoice *choice);
const char *reason_of_order(const Reasons *reasons, const DecisionSubject *subject,
                            const FuncChoice *choice, int stage);

/* "18 KiB": at most four figures. */
const char *reason_bytes(Arena *arena, double bytes);

#endif
