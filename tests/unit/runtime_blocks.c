/* runtime_blocks.c -- memory that pipelines gave back is kept, within bounds, and is nobody else's.
 */
#include "runtime/blocks.h"
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t KIB = 1 << 10, MIB = 1 << 20;

#ifdef __SANITIZE_ADDRESS__
static const bool keeps = false;

/* Too large a request is refused there as it is elsewhere, and does not end the process. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
#else
static const bool keeps = true;
#endif

START_TEST(blocks_are_aligned_and_writable_to_the_end) {
    for (size_t size = 1; size < 64 * MIB; size = size * 3 + 1) {
        uint8_t *block = blocks_take(size);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        memset(block, 7, size);
        blocks_give(block);
    }
    hlc_release_memory();
}
END_TEST

START_TEST(what_was_given_back_comes_again_where_it_fits) {
    void *first = blocks_take(100 * KIB), *second = blocks_take(300 * KIB);
    blocks_give(second);
    blocks_give(first);
    if (keeps) {
        void *small = blocks_take(20 * KIB); /* less than half of either */
        ck_assert(small != first && small != second);
        void *again = blocks_take(90 * KIB); /* the smaller one that fits */
        ck_assert_ptr_eq(again, first);
        void *larger = blocks_take(200 * KIB);
        ck_assert_ptr_eq(larger, second);
        blocks_give(small);
        blocks_give(again);
        blocks_give(larger);
    }
    hlc_release_memory();
}
END_TEST

static size_t in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* What the C library has given out. */
START_TEST(what_is_kept_is_bounded_and_released) {
    if (!keeps)
        return;
    hlc_release_memory();
    size_t before = in_use();
    enum { COUNT = 40 };
    void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++)
        blocks[i] = blocks_take(16 * MIB);
    for (int i = 0; i < COUNT; i++)
        blocks_give(blocks[i]);
    ck_assert_uint_le(in_use() - before,
                      16 * (16 + 2) * MIB + MIB); /* up to a huge page before each */
    ck_assert_uint_ge(in_use() - before, 200 * MIB);
    hlc_release_memory();
    ck_assert_uint_le(in_use(), before + 64 * KIB);
    for (int i = 0; i < 1000; i++) { /* as many blocks as are kept, and more of them */
        void *small[3] = {blocks_take(16 * KIB), blocks_take(40 * KIB), blocks_take(100 * KIB)};
        for (int k = 0; k < 3; k++)
            blocks_give(small[k]);
    }
    ck_assert_uint_le(in_use() - before, 256 * KIB);
    hlc_release_memory();
    void *huge = blocks_take(300 * MIB); /* more than is kept at all */
    blocks_give(huge);
    ck_assert_uint_le(in_use(), before + 64 * KIB);
}
END_TEST

START_TEST(no_memory_is_null) {
    ck_assert_ptr_null(blocks_take(SIZE_MAX));
    ck_assert_ptr_null(blocks_take(PTRDIFF_MAX - 64));
}
END_TEST

/* Fills blocks of random sizes and looks whether they stayed as they were. */
static void *churn(void *seed) {
    uint64_t random = (uintptr_t)seed * 2654435761u + 1;
    enum { HELD = 8 };
    uint8_t *held[HELD] = {0};
    size_t sizes[HELD];
    for (int i = 0; i < 4000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int k = (int)(random >> 60) % HELD;
        uint8_t mark = (uint8_t)((uintptr_t)seed * HELD + (uintptr_t)k);
        if (held[k]) {
            if (held[k][0] != mark || held[k][sizes[k] - 1] != mark)
                return "a block was two threads'";
            blocks_give(held[k]);
        }
        sizes[k] = 1 + (random >> 30) % (200 * KIB);
        held[k] = blocks_take(sizes[k]);
        if (!held[k])
            return "no memory";
        held[k][0] = held[k][sizes[k] - 1] = mark;
    }
    for (int k = 0; k < HELD; k++)
        if (held[k])
            blocks_give(held[k]);
    return NULL;
}

START_TEST(threads_share_no_block) {
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        ck_assert_msg(!wrong, "%s", (const char *)wrong);
    }
    hlc_release_memory();
}
END_TEST

static void *take_20_kib(void *unused) {
    (void)unused;
    return blocks_take(20 * KIB);
}

static void *from_another_thread(void) {
    pthread_t thread;
    void *block = NULL;
    ck_assert_int_eq(pthread_create(&thread, NULL, take_20_kib, NULL), 0);
    pthread_join(thread, &block);
    return block;
}

/* What a thread gave back comes again to it, not to another one; but what is more than a thread
 * keeps does. */
START_TEST(threads_keep_their_own) {
    enum { COUNT = 20, KEPT = 16 };
    void *blocks[COUNT];
    if (!keeps)
        return;
    for (int i = 0; i < COUNT; i++)
        blocks[i] = blocks_take(20 * KIB);
    for (int i = 0; i < KEPT; i++)
        blocks_give(blocks[i]);
    void *other = from_another_thread();
    for (int i = 0; i < COUNT; i++)
        ck_assert_ptr_ne(other, blocks[i]);
    for (int i = KEPT; i-- > 0;) /* the last one first */
        ck_assert_ptr_eq(blocks_take(20 * KIB), blocks[i]);
    for (int i = 0; i < COUNT; i++)
        blocks_give(blocks[i]);
    void *overflowed = from_another_thread();
    ck_assert_ptr_eq(overflowed, blocks[COUNT - KEPT - 1]);
    blocks_give(other);
    blocks_give(overflowed);
    hlc_release_memory();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("blocks");
    tcase_add_test(cases, blocks_are_aligned_and_writable_to_the_end);
    tcase_add_test(cases, what_was_given_back_comes_again_where_it_fits);
    tcase_add_test(cases, what_is_kept_is_bounded_and_released);
    tcase_add_test(cases, no_memory_is_null);
    tcase_add_test(cases, threads_share_no_block);
    tcase_add_test(cases, threads_keep_their_own);
    return run_suite("runtime_blocks", cases);
}
