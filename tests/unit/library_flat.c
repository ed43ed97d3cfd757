/* library_flat.c -- compiling, running and freeing again and again takes no more memory than doing
 * so a few times.  HLC_CYCLES says how often (150); `make test-all` asks for 10,000. */
#include "include/hlc.h"
#include "tests/unit/library_support.h"

#include <malloc.h>

static const char TEXT[] = "pipeline p(a: image<u8, 2>, k: i32 in 0..9) -> out {\n"
                           "    fun out(x, y) = u8(i32(a(x, y)) + k);\n"
                           "}\n"
                           "schedule s for p { parallel(out.y); }\n";

/* Bytes that the process holds in memory. */
static size_t resident(void) {
    size_t total, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%zu %zu", &total, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int cycles(void) {
    const char *text = getenv("HLC_CYCLES");
    return text ? atoi(text) : 150;
}

typedef void Cycle(hlc *h);

static void bind_and_run(hlc *h, hlc_function *f) {
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "a", "ramp:20x3"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int(2)), HLC_YES);
    ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
    ck_assert_int_eq(((uint8_t *)hlc_arguments_output(a, 0)->data)[4], 6);
    hlc_arguments_destroy(a);
}

static void in_a_handle_of_its_own(hlc *unused) {
    (void)unused;
    hlc *h = hlc_create();
    ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, NULL, NULL), HLC_YES);
    bind_and_run(h, hlc_compile_function(h, NULL, "s", NULL));
    hlc_destroy(h);
}

static void in_one_handle(hlc *h) {
    hlc_function *f = hlc_compile_function(h, NULL, "s", NULL);
    ck_assert_ptr_nonnull(f);
    bind_and_run(h, f);
    hlc_function_destroy(f);
}

/* The second half of the cycles may take a little more than the first: the allocator's pages. */
static void expect_flat(const char *name, Cycle *cycle, hlc *h) {
    enum { ALLOWED = 3 << 20 };
    int count = cycles();
    size_t held = 0, used = 0;
    for (int i = 0; i < count; i++) {
        cycle(h);
        if (i == count / 3) {
            held = resident();
            used = mallinfo2().uordblks;
        }
    }
    size_t held_now = resident(), used_now = mallinfo2().uordblks;
    printf(
        "%s: after %d cycles %zu kB resident, %zu kB allocated; after %d cycles %zu kB, %zu kB\n",
        name, count / 3 + 1, held >> 10, used >> 10, count, held_now >> 10, used_now >> 10);
    ck_assert_uint_le(held_now, held + ALLOWED);
    ck_assert_uint_le(used_now, used + 65536);
}

START_TEST(handles_come_and_go) {
    expect_flat("a handle each", in_a_handle_of_its_own, NULL);
}
END_TEST

START_TEST(functions_come_and_go) {
    hlc *h = hlc_create();
    ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, NULL, NULL), HLC_YES);
    expect_flat("one handle", in_one_handle, h);
    hlc_destroy(h);
}
END_TEST

int main(void) {
#ifdef __SANITIZE_ADDRESS__
    puts("skipped: AddressSanitizer keeps what is freed for a while, so memory is never flat");
    return 77;
#endif
    TCase *cases = tcase_create("flat");
    tcase_add_test(cases, handles_come_and_go);
    tcase_add_test(cases, functions_come_and_go);
    tcase_set_timeout(cases, 3600);
    return run_suite("library_flat", cases);
}
