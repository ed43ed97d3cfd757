/* stop.h -- a request to end the library entry in progress.  Another thread or a signal handler
 * makes it, or a moment on the clock does.
 *
 * The memory of an entry polls it at its requests (memory.h), interpreters at their steps, compiled
 * code through the hook of the run-time library, and what waits for another process a few times a
 * second. */
#ifndef HLC_BASE_STOP_H
#define HLC_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum StopReason { STOP_NONE, STOP_CANCELLED, STOP_LATE } StopReason;

typedef struct Stop {
    _Atomic bool is_cancelled;
    _Atomic int64_t deadline; /* on the monotonic clock, in nanoseconds; 0: none */
} Stop;

/* Sets the deadline so many seconds from now; 0: none. */
void stop_within(Stop *stop, double seconds);
/* Must the entry end?  Any thread may ask. */
StopReason stop_poll(const Stop *stop);

#endif
