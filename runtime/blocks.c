/* blocks.c -- a cache of memory blocks for pipelines, above the C library.
 *
 * A pipeline requests the same sizes again and again, for each strip of rows and in each call. The
 * C library returns large blocks as fresh pages, whose first touch costs as much as a pass over
 * them. So freed blocks of at least 16 KiB are kept. The next request that fills at least half of
 * one gets it. Blocks of 4 MiB and more are aligned to huge pages, and the kernel is asked to use
 * huge pages for them.
 *
 *     base ...... | Block | the caller's block, aligned to 64
 *
 * Stores hold the kept blocks. Blocks below 4 MiB go into the store of the freeing thread, of 16
 * blocks and 8 MiB. So a thread gets its last blocks again, which are still in its cache, and
 * threads do not wait for each other. (With one store for all, tiles changed threads at every
 * iteration: the tiled blur spent 14 % of its time at the lock, and more on lines from the other
 * cache.) The shared store takes the overflow and larger blocks, at most 64 blocks and 256 MiB. The
 * oldest blocks are freed first. There are STORES stores for threads, given out in the order of
 * their first requests; further threads share them.
 *
 * A thread that cannot take a lock at once bypasses the cache. So no thread waits, and a child
 * after fork() that inherited a held lock keeps nothing. Under a sanitizer nothing is kept either:
 * the sanitizer would not see a use after free.
 */
#include "runtime/blocks.h"

#include "runtime/hlc_runtime.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT  ((size_t)64) /* the widest vector, and a cache line */
#define HUGE_PAGE  ((size_t)2 << 20)
#define LEAST_KEPT ((size_t)16 << 10)
#define LEAST_HUGE ((size_t)4 << 20)
enum { STORES = 32, MOST_BLOCKS = 64 };

/* Lies right before the block. */
typedef struct KeptBlock {
    void *base;
    size_t size; /* that the caller may use */
} KeptBlock;

/* The blocks are in the order of their arrival. Each store has its own cache lines. */
typedef struct BlockStore {
    _Alignas(128) atomic_bool is_locked;
    int count;
    size_t bytes;
    size_t sizes[MOST_BLOCKS];
    KeptBlock *blocks[MOST_BLOCKS];
} BlockStore;

typedef struct StoreLimits {
    int blocks;
    size_t bytes;
} StoreLimits;
static const StoreLimits limits_own = {16, (size_t)8 << 20},
                         limits_shared = {64, (size_t)256 << 20};

static BlockStore own[STORES], shared;
static _Atomic unsigned threads_met;
static _Thread_local unsigned thread_number; /* from 1; 0: has not asked yet */

static BlockStore *own_store(void) {
    if (thread_number == 0)
        thread_number = atomic_fetch_add(&threads_met, 1) % STORES + 1;
    return &own[thread_number - 1];
}

static bool try_lock(BlockStore *store) {
    return !atomic_exchange_explicit(&store->is_locked, true, memory_order_acquire);
}

static void unlock(BlockStore *store) {
    atomic_store_explicit(&store->is_locked, false, memory_order_release);
}

/* Defined in a process that runs under the sanitizer. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

bool blocks_are_watched(void) {
    return __asan_init || __tsan_init || __msan_init;
}

/* ---- from the C library ---- */

static KeptBlock *obtain(size_t size) {
    char *base;
    size_t before = ALIGNMENT;
    if (size > PTRDIFF_MAX - 2 * ALIGNMENT)
        return NULL;
    if (size >= LEAST_HUGE) {
        if (posix_memalign((void **)&base, HUGE_PAGE, ALIGNMENT + size) != 0)
            return NULL;
        /* A refusal changes nothing. */
        (void)madvise(base, (ALIGNMENT + size) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    } else {
        base = malloc(2 * ALIGNMENT + size);
        if (!base)
            return NULL;
        before += -(uintptr_t)base % ALIGNMENT;
    }
    KeptBlock *block = (KeptBlock *)(void *)(base + before) - 1;
    *block = (KeptBlock){base, size};
    return block;
}

/* ---- kept ---- */

static KeptBlock *take_out(BlockStore *store, int i) {
    KeptBlock *block = store->blocks[i];
    store->count--;
    store->bytes -= store->sizes[i];
    for (; i < store->count; i++) {
        store->blocks[i] = store->blocks[i + 1];
        store->sizes[i] = store->sizes[i + 1];
    }
    return block;
}

/* Returns the smallest block that is large enough and at most twice as large; of equal ones the
 * latest. Null if there is none. */
static KeptBlock *find_kept(BlockStore *store, size_t size) {
    int best = -1;
    if (!try_lock(store))
        return NULL;
    for (int i = 0; i < store->count; i++) {
        size_t has = store->sizes[i];
        if (has >= size && has / 2 <= size && (best < 0 || has <= store->sizes[best]))
            best = i;
    }
    KeptBlock *block = best < 0 ? NULL : take_out(store, best);
    unlock(store);
    return block;
}

/* Keeps the block, and puts the evicted blocks into `gone`. Returns their number, at most
 * MOST_BLOCKS. Evicts the block itself if it is too large, or if the store is locked. */
static int keep(BlockStore *store, const StoreLimits *limits, KeptBlock *block, KeptBlock **gone) {
    int count = 0;
    if (block->size > limits->bytes || !try_lock(store)) {
        gone[0] = block;
        return 1;
    }
    while (store->count == limits->blocks || store->bytes + block->size > limits->bytes)
        gone[count++] = take_out(store, 0);
    store->sizes[store->count] = block->size;
    store->blocks[store->count++] = block;
    store->bytes += block->size;
    unlock(store);
    return count;
}

static void keep_shared(KeptBlock *block) {
    KeptBlock *gone[MOST_BLOCKS];
    for (int i = keep(&shared, &limits_shared, block, gone); i > 0; i--)
        free(gone[i - 1]->base);
}

static void release(BlockStore *store) {
    if (!try_lock(store))
        return;
    while (store->count > 0)
        free(take_out(store, store->count - 1)->base);
    unlock(store);
}

void hlc_release_memory(void) {
    for (int i = 0; i < STORES; i++)
        release(&own[i]);
    release(&shared);
}

/* Runs when the library is unloaded, and at the end of the process. */
__attribute__((destructor)) static void release_at_end(void) {
    hlc_release_memory();
}

void *blocks_take(size_t size) {
    KeptBlock *block = NULL;
    void *plain;
    if (blocks_are_watched())
        return posix_memalign(&plain, ALIGNMENT, size) == 0 ? plain : NULL;
    if (size >= LEAST_KEPT && size < LEAST_HUGE)
        block = find_kept(own_store(), size);
    if (!block && size >= LEAST_KEPT)
        block = find_kept(&shared, size);
    if (!block)
        block = obtain(size);
    if (!block) {
        hlc_release_memory();
        block = obtain(size);
    }
    return block ? block + 1 : NULL;
}

void blocks_give(void *memory) {
    KeptBlock *gone[MOST_BLOCKS];
    if (blocks_are_watched()) {
        free(memory);
        return;
    }
    KeptBlock *block = (KeptBlock *)memory - 1;
    if (block->size < LEAST_KEPT)
        free(block->base);
    else if (block->size >= LEAST_HUGE)
        keep_shared(block);
    else
        for (int i = keep(own_store(), &limits_own, block, gone); i > 0; i--)
            keep_shared(gone[i - 1]);
}
