/* pairing.h -- two stages that share loops (private to compute_with.c and distance.c). */
#ifndef HLC_SCHEDULE_PAIRING_H
#define HLC_SCHEDULE_PAIRING_H

#include "schedule/scheduler.h"

/* Who shares whose loops, down to which. */
typedef struct Pairing {
    FuncPlan *guest, *host;
    LoopName guest_loop, host_loop;
    Alignment alignment;
} Pairing;

/* Does what the host reads of the guest allow it?  False after refusing. */
bool pairing_check_reads(const Scheduler *scheduler, const Directive *directive,
                         const Pairing *pairing);

#endif
