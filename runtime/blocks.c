/* blocks.c -- memory of the C library for pipelines, kept from one use to the next.
 *
 * A pipeline asks for the same sizes again and again, for each strip of rows and in each call. From
 * the C library large blocks come as fresh pages each time, whose first touch costs as much as a
 * pass over them; so blocks of at least 16 KiB that are given back are kept, and the next request
 * that fills at least half of one gets it.  At most 64 blocks and 256 MiB are kept in a process;
 * the oldest go first.  Blocks of 4 MiB and more begin at a huge page, and the kernel is told that
 * they like to consist of such.
 *
 *     base ...... | Block | what the caller sees, aligned to 64
 *
 * Whoever cannot have the lock at once does without: so nobody waits, and in a child after fork()
 * in which the lock was held nothing is kept.  Under a sanitizer nothing is kept either: it would
 * not see what is used after it was given back.
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
#define MOST_KEPT  ((size_t)256 << 20)
enum { MOST_BLOCKS = 64 };

/* Lies right before the block. */
typedef struct Block {
    void *base;
    size_t size; /* that the caller may use */
} Block;

/* In the order in which they came. */
static struct {
    atomic_flag lock;
    int count;
    size_t bytes;
    Block *blocks[MOST_BLOCKS];
} kept = {.lock = ATOMIC_FLAG_INIT};

static bool try_lock(void) {
    return !atomic_flag_test_and_set_explicit(&kept.lock, memory_order_acquire);
}

static void unlock(void) {
    atomic_flag_clear_explicit(&kept.lock, memory_order_release);
}

/* Defined in a process that runs under the sanitizer. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

static bool is_sanitized(void) {
    return __asan_init || __tsan_init || __msan_init;
}

/* ---- from the C library -------------------------------------------------------------------------
 */

static Block *obtain(size_t size) {
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
    Block *block = (Block *)(void *)(base + before) - 1;
    *block = (Block){base, size};
    return block;
}

/* ---- kept ---------------------------------------------------------------------------------------
 */

static Block *take_out(int i) {
    Block *block = kept.blocks[i];
    kept.count--;
    kept.bytes -= block->size;
    for (; i < kept.count; i++)
        kept.blocks[i] = kept.blocks[i + 1];
    return block;
}

/* The smallest that is large enough, and not more than twice as large. */
static Block *find_kept(size_t size) {
    int best = -1;
    for (int i = 0; i < kept.count; i++) {
        size_t has = kept.blocks[i]->size;
        if (has >= size && has / 2 <= size && (best < 0 || has < kept.blocks[best]->size))
            best = i;
    }
    return best < 0 ? NULL : take_out(best);
}

/* Puts the block among those kept, and answers one that has to go for it; null where none. */
static Block *keep(Block *block) {
    Block *oldest = kept.count == MOST_BLOCKS ? take_out(0) : NULL;
    kept.blocks[kept.count++] = block;
    kept.bytes += block->size;
    return oldest;
}

void hlc_release_memory(void) {
    if (!try_lock())
        return;
    while (kept.count > 0)
        free(take_out(kept.count - 1)->base);
    unlock();
}

/* Where the library is unloaded, and at the process's end. */
__attribute__((destructor)) static void release_at_end(void) {
    hlc_release_memory();
}

void *blocks_take(size_t size) {
    Block *block = NULL;
    void *plain;
    if (is_sanitized())
        return posix_memalign(&plain, ALIGNMENT, size) == 0 ? plain : NULL;
    if (size >= LEAST_KEPT && try_lock()) {
        block = find_kept(size);
        unlock();
    }
    if (!block)
        block = obtain(size);
    if (!block) {
        hlc_release_memory();
        block = obtain(size);
    }
    return block ? block + 1 : NULL;
}

void blocks_give(void *memory) {
    if (is_sanitized()) {
        free(memory);
        return;
    }
    Block *block = (Block *)memory - 1;
    if (block->size < LEAST_KEPT || block->size > MOST_KEPT || !try_lock()) {
        free(block->base);
        return;
    }
    Block *oldest = keep(block);
    while (kept.bytes > MOST_KEPT)
        free(take_out(0)->base);
    unlock();
    if (oldest)
        free(oldest->base);
}
