/* watch.c -- checks code for AddressSanitizer, in a process that does not run under it.
 *
 * LLVM's pass can call a function before each access, instead of reading the sanitizer's shadow
 * itself. Those functions are here, with their own shadow. Pipelines take their memory from one
 * region of address space. Each byte of the region has a bit that says whether an access is
 * allowed.
 *
 *     ....|block of 100 bytes.....|block|.....     an access outside a block (.) is a fault:
 *     64   64                      64    64        behind it, before it, after it was freed
 *
 * A block begins at a multiple of 64, at least 64 bytes from the next. The region is reused from
 * its start when no block is left. Until then no address is reused, so an access after free is
 * seen. Memory outside the region is not watched: the host's memory, beside which the host may put
 * guard pages; the stack, where a schedule puts allocations; constants. At a fault the process
 * ends, with a message on standard error.
 *
 * All of this state is per process, as LLVM's options are: the callbacks get only an address.
 */
#include "codegen/machine/watch.h"

#include "codegen/llvm_compat.h"
#include "runtime/hlc_runtime.h"

#include <inttypes.h>
#include <llvm-c/Support.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define REGION_BYTES ((size_t)1 << 30)
enum { GRANULE = 64 };

typedef struct WatchedRegion {
    unsigned char *memory,
        *may_touch;    /* may_touch: a bit for each byte; null: nothing is watched */
    size_t used, live; /* bytes from the beginning; blocks */
    pthread_mutex_t lock;
} WatchedRegion;

static WatchedRegion region = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- accesses ---- */

static void check(const void *address, uint64_t size, const char *verb) {
    size_t at = (size_t)((uintptr_t)address - (uintptr_t)region.memory);
    if (at >= REGION_BYTES)
        return;
    for (uint64_t i = at; i < at + size; i++)
        if (i >= REGION_BYTES || !(region.may_touch[i / 8] >> i % 8 & 1)) {
            fprintf(stderr,
                    "watched code %s %" PRIu64 " bytes, of which byte %" PRIu64
                    " is none of its memory\n",
                    verb, size, i - at);
            abort();
        }
}

#define WATCH(SIZE)                                                                                \
    static void load##SIZE(const void *address) {                                                  \
        check(address, SIZE, "reads");                                                             \
    }                                                                                              \
    static void store##SIZE(const void *address) {                                                 \
        check(address, SIZE, "writes");                                                            \
    }
WATCH(1)
WATCH(2)
WATCH(4)
WATCH(8)
WATCH(16)
#undef WATCH

static void load_many(const void *address, uint64_t size) {
    check(address, size, "reads");
}

static void store_many(const void *address, uint64_t size) {
    check(address, size, "writes");
}

static void *copy(void *to, const void *from, uint64_t size) {
    check(from, size, "copies from");
    check(to, size, "copies to");
    return memmove(to, from, size);
}

static void *fill(void *to, int byte, uint64_t size) {
    check(to, size, "fills");
    return memset(to, byte, size);
}

static void ignore(void) {}

#define PREFIX "hlc_watch_"
#define WATCH(NAME, HERE)                                                                          \
    { PREFIX NAME, (void (*)(void))HERE }
static const KnownFunction callbacks[] = {
    WATCH("load1", load1),     WATCH("store1", store1),
    WATCH("load2", load2),     WATCH("store2", store2),
    WATCH("load4", load4),     WATCH("store4", store4),
    WATCH("load8", load8),     WATCH("store8", store8),
    WATCH("load16", load16),   WATCH("store16", store16),
    WATCH("loadN", load_many), WATCH("storeN", store_many),
    WATCH("memcpy", copy),     WATCH("memmove", copy),
    WATCH("memset", fill),     {"__asan_handle_no_return", ignore},
};
#undef WATCH

/* ---- memory ---- */

static void mark(size_t at, size_t size, bool may_touch) {
    for (size_t i = at; i < at + size; i++) {
        unsigned char bit = (unsigned char)(1u << i % 8);
        region.may_touch[i / 8] = (unsigned char)(may_touch ? region.may_touch[i / 8] | bit
                                                            : region.may_touch[i / 8] & ~bit);
    }
}

/* A granule before each block holds the block's size. */
static unsigned char *take(size_t size) {
    size_t whole = (size + GRANULE - 1) / GRANULE * GRANULE + GRANULE;
    unsigned char *block = NULL;
    pthread_mutex_lock(&region.lock);
    if (region.live == 0)
        region.used = 0;
    if (whole < REGION_BYTES - region.used - GRANULE) {
        block = region.memory + region.used + GRANULE;
        memcpy(block - GRANULE, &size, sizeof size);
        mark(region.used + GRANULE, size, true);
        region.used += whole;
        region.live++;
    }
    pthread_mutex_unlock(&region.lock);
    return block;
}

/* If the region has no room, the run-time library's own allocation is used. It also reports an
 * invalid box. */
static void *watched_allocate(hlc_report *report, const char *name, const int64_t *lengths,
                              int dimensions, int element_bytes) {
    void *unwatched = hlc_allocate(report, name, lengths, dimensions, element_bytes);
    size_t size = (size_t)element_bytes;
    for (int d = 0; d < dimensions; d++)
        size *= (size_t)lengths[d];
    void *block = unwatched ? take(size) : NULL;
    if (block)
        hlc_free(unwatched);
    return block ? block : unwatched;
}

static void watched_free(void *block) {
    size_t at = (size_t)((uintptr_t)block - (uintptr_t)region.memory), size;
    if (at >= REGION_BYTES) {
        hlc_free(block);
        return;
    }
    pthread_mutex_lock(&region.lock);
    memcpy(&size, region.memory + at - GRANULE, sizeof size);
    mark(at, size, false);
    region.live--;
    pthread_mutex_unlock(&region.lock);
}

/* Keeps no block: otherwise an access of a later allocation to the old block would not be seen. */
static void *watched_allocate_kept(hlc_report *report, const char *name, const int64_t *lengths,
                                   int dimensions, int element_bytes, hlc_kept *kept) {
    watched_free(kept->memory);
    *kept =
        (hlc_kept){.memory = watched_allocate(report, name, lengths, dimensions, element_bytes)};
    return kept->memory;
}

/* ---- the interface ---- */

bool watch_begin(void) {
    static const char *const options[] = {"hlc",
                                          "-asan-instrumentation-with-call-threshold=0",
                                          "-asan-memory-access-callback-prefix=" PREFIX,
                                          "-asan-stack=0",
                                          "-asan-globals=0",
                                          "-asan-constructor-kind=none"};
    void *memory = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *bits = mmap(NULL, REGION_BYTES / 8, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || bits == MAP_FAILED)
        return false;
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
    region.memory = memory;
    region.may_touch = bits;
    return true;
}

bool watch_is_on(void) {
    return region.may_touch != NULL;
}

const KnownFunction *watch_callbacks(size_t *count) {
    *count = sizeof callbacks / sizeof *callbacks;
    return callbacks;
}

KnownFunction watch_instead(KnownFunction known) {
    static const KnownFunction watched[] = {
        {"hlc_allocate", (void (*)(void))watched_allocate},
        {"hlc_allocate_kept", (void (*)(void))watched_allocate_kept},
        {"hlc_free", (void (*)(void))watched_free},
    };
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        if (strcmp(watched[i].name, known.name) == 0)
            return watched[i];
    return known;
}
