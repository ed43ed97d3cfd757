/* Images in memory and startup variables. */
#include "ir/argument.h"

#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(dense_images) {
    Image image;
    int64_t minimum[] = {-2, 5, 0}, extent[] = {4, 3, 2};
    ck_assert(image_allocate(&image, I32, 3, minimum, extent));
    ck_assert_int_eq(image_count(&image), 24);
    ck_assert_int_eq(image.stride[0], 1);
    ck_assert_int_eq(image.stride[1], 4);
    ck_assert_int_eq(image.stride[2], 12);
    int64_t first[] = {-2, 5, 0}, other[] = {1, 6, 1};
    ck_assert_ptr_eq(image_at(&image, first), image.data);
    ck_assert_ptr_eq(image_at(&image, other), image.data + 4 * (3 + 4 + 12));
    free(image.data);
}
END_TEST

START_TEST(empty_and_huge_images) {
    Image image;
    int64_t minimum[] = {0, 0}, empty[] = {5, 0}, negative[] = {-1, -1};
    ck_assert(image_allocate(&image, U8, 2, minimum, empty));
    ck_assert_int_eq(image_count(&image), 0);
    free(image.data);
    ck_assert(image_allocate(&image, U8, 2, minimum, negative));
    ck_assert_int_eq(image_count(&image), 0);
    free(image.data);
    int64_t huge[] = {INT64_MAX, 3};
    ck_assert(!image_allocate(&image, U8, 2, minimum, huge));
    ck_assert(image_allocate(&image, F64, 0, NULL, NULL));
    ck_assert_int_eq(image_count(&image), 1);
    free(image.data);
}
END_TEST

/* Numbers that no buffer holds, also where their sum leaves 64 bits. */
START_TEST(boxes_beyond_32_bits) {
    static const int64_t boxes[][3] = {{INT64_MAX, 4, INT64_MAX},
                                       {INT64_MAX, INT64_MAX, INT64_MAX},
                                       {INT64_MIN, INT64_MIN, INT64_MIN},
                                       {INT64_MIN, 0, INT64_MIN},
                                       {0, INT64_MAX, INT64_MAX - 1}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        Image image = {.type = I32, .dimensions = 1, .minimum = {boxes[i][0]}, .stride = {1}};
        halide_buffer_t buffer;
        halide_dimension_t dimension;
        hlc_report report = {0};
        image.extent[0] = boxes[i][1];
        ck_assert_int_eq(image_to_buffer(&image, "a", &buffer, &dimension, &report),
                         HLC_ERROR_COORDINATE_RANGE);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "span [%lld, %lld]", (long long)boxes[i][0],
                 (long long)boxes[i][2]);
        ck_assert_msg(strstr(report.message, wanted) != NULL, "%s: %s", wanted, report.message);
    }
    Image image;
    int64_t minimum[] = {0, 0, 0}, extent[] = {INT64_MAX, INT64_MAX, 0};
    ck_assert(image_allocate(&image, U8, 3, minimum, extent)); /* it has no element */
    ck_assert_int_eq(image_count(&image), 0);
    free(image.data);
}
END_TEST

static Signature example(Context *context, Arena *arena) {
    Signature signature = {.by_name = map_create(arena)};
    vec_push(arena, &signature.parameters,
             (Parameter){.name = context_symbol(context, "w"), .type = I32});
    vec_push(arena, &signature.images,
             (ImageParameter){context_symbol(context, "in"), U8, 2, LAYOUT_PLANAR, NOWHERE});
    static Type types[] = {{TYPE_FLOAT, 32, 1}, {TYPE_INT, 32, 1}};
    FuncShape *shape = arena_new(arena, FuncShape);
    *shape = (FuncShape){.name = context_symbol(context, "out"),
                         .dimensions = 1,
                         .components = 2,
                         .types = types,
                         .is_output = true};
    vec_push(arena, &signature.funcs, shape);
    map_put(&signature.by_name, shape->name, shape);
    vec_push(arena, &signature.outputs, (Output){.func = shape->name, .place = NOWHERE});
    return signature;
}

START_TEST(startup_variables) {
    Context *context = context_create();
    Signature signature = example(context, context->arena);
    Bits parameters[] = {-7};
    Image images[] = {
        {.type = U8, .dimensions = 2, .minimum = {1, 2}, .extent = {3, 4}, .stride = {1, 3}}};
    Image outputs[] = {
        {.type = F32, .dimensions = 1, .minimum = {5}, .extent = {6}, .stride = {1}},
        {.type = I32, .dimensions = 1, .minimum = {5}, .extent = {6}, .stride = {2}}};
    Arguments arguments = {parameters, images, outputs};
    static const struct {
        const char *name;
        bool known;
        Bits bits;
    } rows[] = {{"w", true, -7},           {"in.min.0", true, 1},       {"in.min.1", true, 2},
                {"in.extent.1", true, 4},  {"in.stride.1", true, 3},    {"out.min.0", true, 5},
                {"out.extent.0", true, 6}, {"out.1.stride.0", true, 2}, {"out.0.stride.0", true, 1},
                {"v", false, 0},           {"in.min.2", false, 0},      {"in.max.0", false, 0},
                {"out.min.1", false, 0},   {"out.2.min.0", false, 0},   {"in", false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Bits bits = 0;
        Symbol name = context_symbol(context, rows[i].name);
        ck_assert_msg(argument_variable(&signature, &arguments, context, name, &bits) ==
                          rows[i].known,
                      "%s", rows[i].name);
        ck_assert_int_eq(bits, rows[i].bits);
    }
    context_destroy(context);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("argument");
    tcase_add_test(cases, dense_images);
    tcase_add_test(cases, empty_and_huge_images);
    tcase_add_test(cases, boxes_beyond_32_bits);
    tcase_add_test(cases, startup_variables);
    return run_suite("argument", cases);
}
