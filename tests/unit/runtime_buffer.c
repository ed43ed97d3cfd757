/* runtime_buffer.c -- each check of raw buffers provoked, with its code and message; memory;
 * copies. */
#include "runtime/blocks.h"
#include "runtime/hlc_runtime.h"

#include "suite.h"

#include <check.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

/* A good input (16 x 8 u8, planar) and a good output (i32, any layout) for each test to spoil. */
typedef struct Fixture {
    uint8_t input_bytes[128];
    int32_t output_numbers[128];
    halide_dimension_t dimensions[2][3];
    halide_buffer_t buffers[2];
    const halide_buffer_t *addresses[2];
    hlc_buffer_rule rules[2];
    hlc_report report;
} Fixture;

static void set_up(Fixture *f) {
    memset(f, 0, sizeof *f);
    for (int i = 0; i < 2; i++) {
        f->dimensions[i][0] = (halide_dimension_t){-3, 16, 1, 0};
        f->dimensions[i][1] = (halide_dimension_t){5, 8, 16, 0};
        f->buffers[i].dimensions = 2;
        f->buffers[i].dim = f->dimensions[i];
        f->addresses[i] = &f->buffers[i];
    }
    f->buffers[0].host = f->input_bytes;
    f->buffers[0].type = (halide_type_t){1, 8, 1};
    f->buffers[1].host = (uint8_t *)f->output_numbers;
    f->buffers[1].type = (halide_type_t){0, 32, 1};
    f->rules[0] = (hlc_buffer_rule){"input", 2, 0, 1, 8, HLC_LAYOUT_PLANAR, 0, 0};
    f->rules[1] = (hlc_buffer_rule){"out", 2, 1, 0, 32, HLC_LAYOUT_STRIDED, 1, 0};
}

static int check(Fixture *f) {
    return hlc_check_buffers(&f->report, f->rules, f->addresses, 2);
}

static void refused(Fixture *f, int error, const char *message) {
    ck_assert_int_eq(check(f), error);
    ck_assert_int_eq(f->report.error, error);
    ck_assert_str_eq(f->report.message, message);
}

START_TEST(good_buffers_are_accepted) {
    Fixture f;
    set_up(&f);
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].stride = -1; /* mirrored: host is the last element of each row */
    f.buffers[1].host = (uint8_t *)&f.output_numbers[15];
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[0][1].extent = 0;
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

START_TEST(shapes_are_checked) {
    Fixture f;
    set_up(&f);
    f.addresses[0] = NULL;
    refused(&f, HLC_ERROR_BUFFER_IS_NULL, "buffer input is a null pointer");
    set_up(&f);
    f.buffers[1].host = NULL;
    refused(&f, HLC_ERROR_HOST_IS_NULL, "buffer out has no host memory");
    set_up(&f);
    f.buffers[1].type.bits = 16;
    refused(&f, HLC_ERROR_BAD_TYPE,
            "buffer out has elements of type code 0 with 16 bits, not of type code 0 with 32 bits");
    set_up(&f);
    f.buffers[0].type.lanes = 4;
    refused(&f, HLC_ERROR_BAD_LANES, "buffer input has elements of 4 lanes, not of 1");
    set_up(&f);
    f.buffers[0].type.lanes = 0;
    refused(&f, HLC_ERROR_BAD_LANES, "buffer input has elements of 0 lanes, not of 1");
    set_up(&f);
    f.buffers[0].dimensions = 3;
    refused(&f, HLC_ERROR_BAD_DIMENSIONS, "buffer input has 3 dimensions, not 2");
    set_up(&f);
    f.buffers[0].dim = NULL;
    refused(&f, HLC_ERROR_DIM_IS_NULL, "buffer input has a null pointer for its dim");
    for (int i = 1; i < 4; i++) {
        set_up(&f);
        f.buffers[1].host += i;
        refused(&f, HLC_ERROR_UNALIGNED_HOST,
                "the host memory of buffer out is not aligned to elements of 4 bytes");
    }
    f.buffers[1].dim[0].extent = 0; /* nothing is accessed */
    ck_assert_int_eq(check(&f), 0);
    set_up(&f);
    f.buffers[0].flags = 2;
    refused(&f, HLC_ERROR_DEVICE_DIRTY, "buffer input has newer data on a device");
    f.buffers[0].flags = 1; /* the host's copy is the newer one */
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

START_TEST(extents_and_coordinates_are_checked) {
    Fixture f;
    set_up(&f);
    f.dimensions[0][1].extent = -1;
    refused(&f, HLC_ERROR_NEGATIVE_EXTENT, "buffer input has extent -1 in dimension 1");
    set_up(&f);
    f.dimensions[1][0].min = INT32_MAX - 14;
    refused(&f, HLC_ERROR_COORDINATE_RANGE,
            "the coordinates of out span [2147483633, 2147483648] in dimension 0, an end or the "
            "length beyond 32 bits");
    f.dimensions[1][0].min--;
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].min = INT32_MIN;
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

START_TEST(promised_strides_are_checked) {
    Fixture f;
    set_up(&f);
    f.dimensions[0][0].stride = 2;
    refused(&f, HLC_ERROR_BAD_STRIDE, "buffer input has stride 2 in dimension 0, not 1");
    set_up(&f);
    f.rules[0].layout = HLC_LAYOUT_INTERLEAVED;
    f.rules[0].dimensions = f.buffers[0].dimensions = 3;
    f.dimensions[0][0] = (halide_dimension_t){0, 5, 3, 0};
    f.dimensions[0][1] = (halide_dimension_t){0, 4, 15, 0};
    f.dimensions[0][2] = (halide_dimension_t){0, 3, 1, 0};
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[0][2].extent = 4;
    refused(&f, HLC_ERROR_BAD_STRIDE, "buffer input has stride 3 in dimension 0, not 4");
    f.dimensions[0][2].stride = 20;
    refused(&f, HLC_ERROR_BAD_STRIDE, "buffer input has stride 20 in dimension 2, not 1");
}
END_TEST

START_TEST(outputs_may_not_fold_onto_themselves) {
    Fixture f;
    set_up(&f);
    f.dimensions[1][1].stride = 15;
    refused(&f, HLC_ERROR_OUTPUT_ALIASES,
            "output out stores two coordinates at one address: stride 15 in dimension 1");
    f.dimensions[1][1].stride = 0;
    refused(&f, HLC_ERROR_OUTPUT_ALIASES,
            "output out stores two coordinates at one address: stride 0 in dimension 1");
    f.dimensions[1][1].extent = 1;
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].stride = -8; /* transposed: dimension 1 is the inner one */
    f.dimensions[1][1] = (halide_dimension_t){0, 8, 1, 0};
    f.buffers[1].host = (uint8_t *)&f.output_numbers[120];
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].stride = -7;
    refused(&f, HLC_ERROR_OUTPUT_ALIASES,
            "output out stores two coordinates at one address: stride -7 in dimension 0");
    set_up(&f);
    f.dimensions[0][1].stride = 0; /* an input may repeat its rows */
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

START_TEST(overlap_is_refused) {
    Fixture f;
    set_up(&f);
    f.buffers[1].host = f.input_bytes + 127;
    refused(&f, HLC_ERROR_OVERLAP, "output out overlaps another buffer in memory");
    f.buffers[1].host = f.input_bytes + 128; /* side by side */
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].stride = -1; /* now it reaches 15 elements down, into the input */
    refused(&f, HLC_ERROR_OVERLAP, "output out overlaps another buffer in memory");
    f.buffers[1].host = f.input_bytes + 128 + 15 * 4;
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][1].extent = 0; /* nothing is written */
    f.buffers[1].host = f.input_bytes;
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

/* Spans of more than 2^63 bytes must not wrap. */
START_TEST(wild_strides_are_computed_exactly) {
    Fixture f;
    set_up(&f);
    f.buffers[0].host = (uint8_t *)((uintptr_t)1 << 20);
    f.buffers[1].host = (uint8_t *)((uintptr_t)1 << 40);
    for (int d = 0; d < 2; d++)
        f.dimensions[0][d] = (halide_dimension_t){0, INT32_MAX, d ? INT32_MAX : 1, 0};
    refused(&f, HLC_ERROR_OVERLAP, "output out overlaps another buffer in memory");
    for (int d = 0; d < 2; d++)
        f.dimensions[0][d].stride = d ? INT32_MIN : 1;
    ck_assert_int_eq(check(&f), 0); /* downward: away from the output */
}
END_TEST

START_TEST(an_output_may_lie_in_its_image) {
    Fixture f;
    static const char TEXT[] = "output out overlaps its image in memory, but elements of the "
                               "same coordinates have different addresses";
    set_up(&f);
    f.rules[0] = f.rules[1];
    f.rules[0].name = "input";
    f.rules[0].window_of = 0;
    f.rules[0].is_output = false;
    f.rules[1].window_of = 1;
    f.buffers[0] = f.buffers[1];
    f.buffers[0].dim = f.dimensions[0];
    refused(&f, HLC_ERROR_OVERLAP, "output out overlaps another buffer in memory");
    f.rules[1].shares = 1; /* the first buffer */
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][0].min += 2; /* the same elements under other coordinates */
    refused(&f, HLC_ERROR_NOT_IN_PLACE, TEXT);
    f.buffers[1].host += 2 * 4; /* a crop */
    f.dimensions[1][0].extent -= 2;
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][1] = (halide_dimension_t){6, 7, 16, 0};
    refused(&f, HLC_ERROR_NOT_IN_PLACE, TEXT);
    f.buffers[1].host += 16 * 4;
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][1].stride = 17;
    refused(&f, HLC_ERROR_NOT_IN_PLACE, TEXT);
    f.dimensions[1][1].extent = 0;
    ck_assert_int_eq(check(&f), 0);
}
END_TEST

START_TEST(windows_of_a_tuple_agree) {
    Fixture f;
    set_up(&f);
    f.rules[0] = f.rules[1];
    f.rules[0].window_of = f.rules[1].window_of = 0;
    f.rules[1].name = "out.1";
    int32_t other[128];
    f.buffers[0] = f.buffers[1];
    f.buffers[0].host = (uint8_t *)other;
    f.buffers[0].dim = f.dimensions[0];
    ck_assert_int_eq(check(&f), 0);
    f.dimensions[1][1].min = 6;
    refused(&f, HLC_ERROR_WINDOWS_DIFFER,
            "output out.1 has minimum 6 and extent 8 in dimension 1, but the first buffer of its "
            "tuple 5 and 8");
}
END_TEST

/* What is kept serves for as much and for less; more replaces it; a refusal leaves what can be
 * given back. */
START_TEST(memory_is_kept_while_large_enough) {
    hlc_report report;
    hlc_kept kept = {0};
    void *first = hlc_allocate_kept(&report, "f", (int64_t[]){30, 50}, 2, 4, &kept);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_eq(kept.memory, first);
    ck_assert_uint_eq(kept.bytes, 30 * 50 * 4);
    static const int64_t fitting[][2] = {{30, 50}, {50, 30}, {0, 7}, {1, 1500}};
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting && !blocks_are_watched(); i++)
        ck_assert_ptr_eq(hlc_allocate_kept(&report, "f", fitting[i], 2, 4, &kept), first);
    uint8_t *second = hlc_allocate_kept(&report, "f", (int64_t[]){30, 51}, 2, 4, &kept);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_eq(kept.memory, second);
    ck_assert_uint_eq(kept.bytes, 30 * 51 * 4);
    memset(second, 1, kept.bytes);
    int64_t huge[] = {INT64_C(1) << 32, INT64_C(1) << 31};
    ck_assert_ptr_null(hlc_allocate_kept(&report, "f", huge, 2, 1, &kept));
    ck_assert_int_eq(report.error, HLC_ERROR_OUT_OF_MEMORY);
    hlc_free(kept.memory);
}
END_TEST

START_TEST(memory_is_aligned_or_refused) {
    hlc_report report;
    int64_t lengths[] = {3, 5};
    void *block = hlc_allocate(&report, "f", lengths, 2, 4);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % 64, 0);
    memset(block, 1, 60);
    hlc_free(block);
    block = hlc_allocate(&report, "f", NULL, 0, 8);
    ck_assert_ptr_nonnull(block);
    hlc_free(block);
    hlc_free(NULL);
    int64_t huge[] = {INT64_C(1) << 32, INT64_C(1) << 31};
    ck_assert_ptr_null(hlc_allocate(&report, "f", huge, 2, 1));
    ck_assert_int_eq(report.error, HLC_ERROR_OUT_OF_MEMORY);
    ck_assert_str_eq(report.message, "no memory for 9223372036854775807 bytes of f");
    int64_t empty[] = {INT64_MAX, INT64_MAX, 0};
    block = hlc_allocate(&report, "f", empty, 3, 8);
    ck_assert_ptr_nonnull(block);
    hlc_free(block);
    int64_t negative[] = {4, -1};
    ck_assert_ptr_null(hlc_allocate(&report, "f", negative, 2, 8));
    ck_assert_int_eq(report.error, HLC_ERROR_INTERNAL);
}
END_TEST

START_TEST(boxes_are_copied_between_layouts) {
    uint16_t from[24], to[24] = {0};
    for (int i = 0; i < 24; i++)
        from[i] = (uint16_t)i;
    /* 2 x 3 x 2 of a 4 x 3 x 2 box, into a box whose innermost dimension is the last. */
    hlc_copy((uint8_t *)to, (int64_t[]){6, 2, 1}, (uint8_t *)(from + 1), (int64_t[]){1, 4, 12},
             (int64_t[]){2, 3, 2}, 3, 2);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 2; x++)
                ck_assert_int_eq(to[x * 6 + y * 2 + z], 1 + x + 4 * y + 12 * z);
    for (int i = 12; i < 24; i++)
        ck_assert_int_eq(to[i], 0);
    hlc_copy((uint8_t *)to, NULL, (uint8_t *)(from + 9), NULL, NULL, 0, 2);
    ck_assert_int_eq(to[0], 9);
}
END_TEST

static __attribute__((noinline)) double third(void) {
    volatile double one = 1, three = 3;
    return one / three;
}

START_TEST(the_float_environment_is_the_default_and_comes_back) {
    double nearest = third();
    fesetround(FE_UPWARD);
    double up = third();
    uint64_t before = hlc_float_enter();
    double inside = third();
    hlc_float_leave(before);
    double after = third();
    fesetround(FE_TONEAREST);
    ck_assert(up > nearest);
    ck_assert(inside == nearest);
    ck_assert(after == up);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("buffer");
    tcase_add_test(cases, good_buffers_are_accepted);
    tcase_add_test(cases, shapes_are_checked);
    tcase_add_test(cases, extents_and_coordinates_are_checked);
    tcase_add_test(cases, promised_strides_are_checked);
    tcase_add_test(cases, outputs_may_not_fold_onto_themselves);
    tcase_add_test(cases, overlap_is_refused);
    tcase_add_test(cases, an_output_may_lie_in_its_image);
    tcase_add_test(cases, wild_strides_are_computed_exactly);
    tcase_add_test(cases, windows_of_a_tuple_agree);
    tcase_add_test(cases, memory_is_aligned_or_refused);
    tcase_add_test(cases, memory_is_kept_while_large_enough);
    tcase_add_test(cases, boxes_are_copied_between_layouts);
    tcase_add_test(cases, the_float_environment_is_the_default_and_comes_back);
    return run_suite("runtime_buffer", cases);
}
