/* request_sites.h -- where a call asks for memory: requests with the same stack of calls, from the
 * entry down to the request, are a site. */
#ifndef HLC_TESTS_UNIT_REQUEST_SITES_H
#define HLC_TESTS_UNIT_REQUEST_SITES_H

#include <check.h>
#include <execinfo.h>
#include <stdint.h>

typedef struct Site {
    uint64_t stack; /* its hash; 0: no site */
    int64_t first, middle, last;
} Site;

/* By the hash, open addressing; never full. */
enum { SITE_SLOTS = 1 << 18, FRAMES = 200 };
typedef struct Sites {
    Site slots[SITE_SLOTS];
    int64_t requests, count;
} Sites;

static inline uint64_t hash_stack(void) {
    void *frames[FRAMES];
    uint64_t hash = 1469598103934665603u;
    int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211u;
    return hash ? hash : 1;
}

/* The middle one moves up whenever the site has come twice as far from its first request. */
static inline void note_request(void *data) {
    Sites *sites = data;
    uint64_t stack = hash_stack();
    Site *site = &sites->slots[stack % SITE_SLOTS];
    while (site->stack && site->stack != stack)
        site = site == &sites->slots[SITE_SLOTS - 1] ? sites->slots : site + 1;
    int64_t request = sites->requests++;
    if (!site->stack) {
        ck_assert_int_lt(++sites->count, SITE_SLOTS / 2);
        *site = (Site){stack, request, request, request};
    }
    if (request - site->first >= 2 * (site->middle - site->first))
        site->middle = site->last;
    site->last = request;
}

#endif
