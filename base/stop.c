#include "base/stop.h"

#include <time.h>

/* The coarse clock is read in a few nanoseconds, and is a few milliseconds old. */
static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void stop_within(Stop *stop, double seconds) {
    enum { MOST = 1 << 30 };
    double limited = seconds < MOST ? seconds : MOST;
    atomic_store(&stop->deadline, limited > 0 ? now() + (int64_t)(limited * 1e9) : 0);
}

StopReason stop_poll(const Stop *stop) {
    if (atomic_load_explicit(&stop->is_cancelled, memory_order_relaxed))
        return STOP_CANCELLED;
    int64_t deadline = atomic_load_explicit(&stop->deadline, memory_order_relaxed);
    return deadline && now() >= deadline ? STOP_LATE : STOP_NONE;
}
