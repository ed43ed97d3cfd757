/* pairing.h -- two stages that share loops (private to compute_with.c and distance.c). */
#ifndef HLC_SCHEDULE_DIRECTIVES_PAIRING_H
#define HLC_SCHEDULE_DIRECTIVES_PAIRING_H

#include "schedule/scheduler.h"

/* The guest runs in the loops of the host, down to one level. */
typedef struct Pairing {
    FuncPlan *guest, *host;
    LoopName guest_loop, host_loop;
    Alignment alignment;
} Pairing;

/* Do the host's reads of the guest allow the pairing?  False after refusing. */
bool pairing_check_reads(const Scheduler *scheduler, const Directive *directive,
                         const Pairing *pairing);

#endif
