/* library_query.c -- bounds queries: what compiled code and the target interpreter answer, that a
 * call with exactly that is accepted, and that one element less is refused.
 */
#include "compiled.h"
#include "frontend/frontend.h"

#include "lower/lower.h"
#include "checkers/interpreter/run.h"

typedef struct Inquiry {
    Context *context;
    Arena *arena;
    Program *program;
    Jit *jit;
} Inquiry;

static Inquiry ask(const char *text, const char *schedule) {
    Inquiry a = {.context = context_create()};
    a.arena = arena_create(&a.context->memory);
    uint32_t file = context_add_file(a.context, "test.hl", text, strlen(text));
    Module *module = frontend_load(a.context, a.arena, file, NULL, NULL);
    if (!module)
        diag_print_all(a.context, stderr);
    ck_assert_ptr_nonnull(module);
    const Pipeline *pipeline = module->pipelines.data[0];
    const Schedule *wanted = schedule ? module_schedule(module, pipeline, schedule) : NULL;
    LowerOptions options = {.last = PASS_SIMPLIFY, .directives = SIZE_MAX, .verify = true};
    Lowered *lowered = lower(pipeline, wanted, a.arena, &options);
    Object object;
    bool made = lowered && codegen_object(lowered->program, a.arena,
                                          &(CodegenOptions){.optimize = 2}, &object);
    if (!made)
        diag_print_all(a.context, stderr);
    ck_assert(made);
    a.program = lowered->program;
    a.jit = jit_load(a.context, a.program->signature, &object);
    ck_assert_ptr_nonnull(a.jit);
    return a;
}

static void forget(Inquiry *a) {
    jit_free(a->jit);
    arena_destroy(a->arena);
    context_destroy(a->context);
}

static Image window(Type type, int dimensions, const int64_t *minimum, const int64_t *extent) {
    Image image = {.type = type, .dimensions = dimensions};
    for (int d = 0; d < dimensions; d++) {
        image.minimum[d] = minimum[d];
        image.extent[d] = extent[d];
        image.stride[d] = 77; /* is answered */
    }
    return image;
}

/* Both answer, and the same: into `arguments`. */
static void query(const Inquiry *a, Arguments *arguments, size_t images, size_t outputs) {
    Image *copies = arena_array(a->arena, Image, images + outputs);
    memcpy(copies, arguments->images, images * sizeof *copies);
    memcpy(copies + images, arguments->outputs, outputs * sizeof *copies);
    Arguments other = {arguments->parameters, copies, copies + images};
    Outcome compiled = jit_query(a->jit, arguments);
    Outcome interpreted = run_query(a->program, a->arena, &other);
    ck_assert_msg(compiled.error == 0, "%s", compiled.message);
    ck_assert_msg(interpreted.error == 0, "%s", interpreted.message);
    for (size_t i = 0; i < images + outputs; i++) {
        const Image *one = i < images ? &arguments->images[i] : &arguments->outputs[i - images];
        for (int d = 0; d < one->dimensions; d++) {
            ck_assert_int_eq(one->minimum[d], copies[i].minimum[d]);
            ck_assert_int_eq(one->extent[d], copies[i].extent[d]);
            ck_assert_int_eq(one->stride[d], copies[i].stride[d]);
        }
    }
}

static void assert_box(const Image *image, int d, int64_t minimum, int64_t extent, int64_t stride) {
    ck_assert_int_eq(image->minimum[d], minimum);
    ck_assert_int_eq(image->extent[d], extent);
    ck_assert_int_eq(image->stride[d], stride);
}

/* Gives every image without memory what its box asks for. */
static void allocate(Image *image) {
    if (!image->data)
        image->data =
            guarded_image(image->type, image->dimensions, image->minimum, image->extent).data;
}

static Outcome call_with_memory(const Inquiry *a, Arguments *arguments, size_t images,
                                size_t outputs) {
    Image copies[8];
    memcpy(copies, arguments->images, images * sizeof *copies);
    memcpy(copies + images, arguments->outputs, outputs * sizeof *copies);
    for (size_t i = 0; i < images + outputs; i++)
        allocate(&copies[i]);
    Arguments whole = {arguments->parameters, copies, copies + images};
    Outcome outcome = jit_call(a->jit, &whole);
    for (size_t i = 0; i < images + outputs; i++)
        guarded_free(&copies[i]);
    return outcome;
}

/* The call succeeds with what was answered, and refuses each input that is one smaller at any end.
 */
static void assert_exact(const Inquiry *a, Arguments *arguments, size_t images, size_t outputs) {
    Outcome outcome = call_with_memory(a, arguments, images, outputs);
    ck_assert_msg(outcome.error == 0, "%s", outcome.message);
    for (size_t i = 0; i < images; i++)
        for (int end = 0; end < 2 * arguments->images[i].dimensions; end++) {
            Image *image = &arguments->images[i], whole = *image;
            image->extent[end / 2]--;
            image->minimum[end / 2] += end % 2;
            if (image->dimensions == 3 && image->stride[2] == 1) /* interleaved, and promised so */
                image->stride[0] = image->extent[2];
            outcome = call_with_memory(a, arguments, images, outputs);
            ck_assert_int_eq(outcome.error, HLC_ERROR_ACCESS_OUT_OF_BOUNDS);
            *image = whole;
        }
}

START_TEST(a_stencil_asks_for_its_border) {
    static const char text[] =
        "pipeline p(a: image<u8, 2>, w: i32 in 0..9, lut: image<u16, 1>) -> out {\n"
        "  fun f(x, y) = a(x, y) + a(x + 3, y - w);\n"
        "  fun out(x, y) = lut(f(x, y)) + lut(f(x - 1, 2*y)); }\n"
        "schedule s for p { split(out.y, yo, yi, 4, round-up); compute-at(f, out.yo); }\n"
        "schedule t for p { align-bounds(f, x, 8, 3); vectorize(out.x, 8); parallel(out.y); }\n";
    const char *schedules[] = {NULL, "s", "t"};
    for (int s = 0; s < 3; s++) {
        Inquiry a = ask(text, schedules[s]);
        Image images[] = {window(U8, 2, (int64_t[]){9, 9}, (int64_t[]){-5, INT32_MAX}),
                          window(U16, 1, (int64_t[]){1}, (int64_t[]){1})};
        Image out = window(U16, 2, (int64_t[]){10, -2}, (int64_t[]){6, 5});
        Arguments arguments = {(Bits[]){2}, images, &out};
        query(&a, &arguments, 2, 1);
        assert_box(&out, 0, 10, 6, 1);
        assert_box(&out, 1, -2, 5, 6);
        assert_box(&images[1], 0, 0, 256, 1);
        if (!schedules[s]) { /* x: 9..15 and 3 more; y: -4..4 and 2 less */
            assert_box(&images[0], 0, 9, 10, 1);
            assert_box(&images[0], 1, -6, 11, 10);
        }
        assert_exact(&a, &arguments, 2, 1);
        forget(&a);
    }
}
END_TEST

START_TEST(only_buffers_without_memory_are_answered) {
    static const char text[] =
        "pipeline p(a: image<u8, 2>, b: image<u8, 2>, k: i32 in 0..1) -> out {\n"
        "  fun out(x, y) = a(x + 1, y) + b(x, min(y, b.extent(1) - 1)); }\n";
    Inquiry a = ask(text, NULL);
    Image images[] = {window(U8, 2, (int64_t[]){0, 0}, (int64_t[]){0, 0}),
                      window(U8, 2, (int64_t[]){5, 0}, (int64_t[]){1, 1})};
    uint8_t memory[1] = {0};
    images[1].data = memory; /* too small, of a wrong stride, and not looked at */
    Image out = window(U8, 2, (int64_t[]){0, 0}, (int64_t[]){8, 4});
    Arguments arguments = {(Bits[]){99}, images, &out}; /* beyond its range: not looked at either */
    query(&a, &arguments, 2, 1);
    assert_box(&images[0], 0, 1, 8, 1);
    assert_box(&images[0], 1, 0, 4, 8);
    assert_box(&images[1], 0, 5, 1, 77);
    forget(&a);
}
END_TEST

START_TEST(layouts_and_tuples_have_their_boxes) {
    static const char text[] =
        "pipeline p(a: image<u8, 3, interleaved>, b: image<u8, 3, strided>) -> t {\n"
        "  fun t(x, y) = {a(x, y, 0) + a(x, y + 1, 2), b(x, y, 1)}; }\n";
    Inquiry a = ask(text, NULL);
    int64_t zero[3] = {0};
    Image images[] = {window(U8, 3, zero, zero), window(U8, 3, zero, zero)};
    uint8_t memory[20];
    Image out[] = {window(U8, 2, (int64_t[]){1, 2}, (int64_t[]){5, 4}), window(U8, 2, zero, zero)};
    out[0].data = memory;
    Arguments arguments = {NULL, images, out};
    query(&a, &arguments, 2, 2);
    assert_box(&images[0], 0, 1, 5, 3);
    assert_box(&images[0], 1, 2, 5, 15);
    assert_box(&images[0], 2, 0, 3, 1);
    assert_box(&images[1], 0, 1, 5, 1);
    assert_box(&images[1], 1, 2, 4, 5);
    assert_box(&images[1], 2, 1, 1, 20);
    assert_box(&out[0], 0, 1, 5, 77);
    assert_box(&out[1], 0, 1, 5, 1); /* the window of the tuple's first buffer */
    assert_box(&out[1], 1, 2, 4, 5);
    out[0] = window(U8, 2, (int64_t[]){1, 2}, (int64_t[]){5, 4});
    query(&a, &arguments, 2, 2);
    assert_exact(&a, &arguments, 2, 2);
    forget(&a);
}
END_TEST

START_TEST(outputs_have_the_layout_that_they_are_fastest_in) {
    static const char text[] = "pipeline p(a: image<u8, 2>) -> out: interleaved {\n"
                               "  fun out(x, y, c) = a(x, y) + u8(i32(c)); }\n";
    Inquiry a = ask(text, NULL);
    Image image = window(U8, 2, (int64_t[]){0, 0}, (int64_t[]){0, 0});
    Image out = window(U8, 3, (int64_t[]){1, 2, 0}, (int64_t[]){5, 4, 3});
    Arguments arguments = {NULL, &image, &out};
    query(&a, &arguments, 1, 1);
    assert_box(&out, 0, 1, 5, 3);
    assert_box(&out, 1, 2, 4, 15);
    assert_box(&out, 2, 0, 3, 1);
    assert_exact(&a, &arguments, 1, 1);
    forget(&a);
}
END_TEST

START_TEST(boundary_conditions_ask_for_what_they_do_not_fold) {
    static const char *const sides[] = {"repeat_edge(a)", "constant_exterior(a, 0)",
                                        "mirror_image(a)", "mirror_interior(a)", "repeat_image(a)"};
    for (int i = 0; i < 5; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "pipeline p(a: image<u8, 1>) -> out { let s = %s;\n"
                 "  fun out(x) = s(x - 1) + s(x + 1); }\n",
                 sides[i]);
        Inquiry a = ask(text, NULL);
        Image image = window(U8, 1, (int64_t[]){0}, (int64_t[]){0});
        Image out = window(U8, 1, (int64_t[]){3}, (int64_t[]){10});
        Arguments arguments = {NULL, &image, &out};
        query(&a, &arguments, 1, 1);
        if (i < 2)
            assert_box(&image, 0, 2, 12, 1);
        Outcome outcome = call_with_memory(&a, &arguments, 1, 1);
        ck_assert_msg(outcome.error == 0, "%s: %s", sides[i], outcome.message);
        /* Nothing is asked for: but the image must have some element. */
        out.extent[0] = 0;
        query(&a, &arguments, 1, 1);
        ck_assert_int_eq(image.extent[0], 1);
        outcome = call_with_memory(&a, &arguments, 1, 1);
        ck_assert_msg(outcome.error == 0, "%s: %s", sides[i], outcome.message);
        forget(&a);
    }
}
END_TEST

START_TEST(boxes_that_depend_on_boxes_settle) {
    static const char text[] =
        "pipeline p(a: image<u8, 1>, b: image<u8, 1>) -> out {\n"
        "  fun sum() = { 0; rdom(r = (a.min(0), a.extent(0))) in () <- sum() + i32(a(r)); }\n"
        "  fun out(x) = sum() + i32(b(x + a.extent(0))); }\n";
    Inquiry a = ask(text, NULL);
    Image images[] = {window(U8, 1, (int64_t[]){2}, (int64_t[]){7}),
                      window(U8, 1, (int64_t[]){0}, (int64_t[]){0})};
    Image out = window(I32, 1, (int64_t[]){0}, (int64_t[]){10});
    Arguments arguments = {NULL, images, &out};
    query(&a, &arguments, 2, 1); /* all of `a` is read: any box will do, so its own */
    assert_box(&images[0], 0, 2, 7, 1);
    assert_box(&images[1], 0, 7, 10, 1);
    ck_assert_int_eq(call_with_memory(&a, &arguments, 2, 1).error, 0);
    images[0].extent[0] = 0;
    query(&a, &arguments, 2, 1);
    assert_box(&images[0], 0, 0, 1, 1);
    assert_box(&images[1], 0, 1, 10, 1);
    ck_assert_int_eq(call_with_memory(&a, &arguments, 2, 1).error, 0);
    forget(&a);
}
END_TEST

START_TEST(an_end_that_is_the_images_own_stays_where_it_is) {
    static const char text[] = "pipeline p(a: image<u8, 1>) -> out {\n"
                               "    fun out(x) = a(a.min(0)) + a(a.min(0) + clamp(x, 1, 2));\n"
                               "}\n";
    Inquiry a = ask(text, NULL);
    Image image = window(U8, 1, (int64_t[]){0}, (int64_t[]){0});
    Image out = window(U8, 1, (int64_t[]){5}, (int64_t[]){4});
    Arguments arguments = {NULL, &image, &out};
    query(&a, &arguments, 1, 1);
    assert_box(&image, 0, 0, 3, 1);
    image.minimum[0] = 7;
    image.extent[0] = 1;
    query(&a, &arguments, 1, 1);
    assert_box(&image, 0, 7, 3, 1);
    ck_assert_int_eq(call_with_memory(&a, &arguments, 1, 1).error, 0);
    forget(&a);
}
END_TEST

START_TEST(what_no_buffer_can_hold_is_refused) {
    static const char text[] =
        "pipeline p(a: image<u8, 3>) -> out { fun out(x, y) = a(3*x, y, 0); }\n";
    Inquiry a = ask(text, NULL);
    Image image = window(U8, 3, (int64_t[]){0, 0, 0}, (int64_t[]){0, 0, 0}), before = image;
    Image out = window(U8, 2, (int64_t[]){1000000000, 0}, (int64_t[]){1, 1});
    Arguments arguments = {NULL, &image, &out};
    Outcome outcome = jit_query(a.jit, &arguments);
    ck_assert_int_eq(outcome.error, HLC_ERROR_COORDINATE_RANGE);
    ck_assert_str_eq(outcome.message, "the coordinates of a span [3000000000, 3000000000] in "
                                      "dimension 0, an end or the length beyond 32 bits");
    ck_assert_int_eq(memcmp(&image, &before, sizeof image), 0); /* nothing was written */
    out = window(U8, 2, (int64_t[]){0, 0}, (int64_t[]){700000000, 1});
    ck_assert_int_eq(jit_query(a.jit, &arguments).error, 0);
    assert_box(&image, 2, 0, 1, 2099999998);
    out = window(U8, 2, (int64_t[]){0, 0}, (int64_t[]){700000000, 3});
    outcome = jit_query(a.jit, &arguments);
    ck_assert_int_eq(outcome.error, HLC_ERROR_EXTENT_TOO_LARGE);
    ck_assert_str_eq(outcome.message,
                     "a has 6299999994 elements: its strides do not fit in 32 bits");
    out.dimensions = 1;
    outcome = jit_query(a.jit, &arguments);
    ck_assert_int_eq(outcome.error, HLC_ERROR_BAD_DIMENSIONS);
    forget(&a);
}
END_TEST

START_TEST(long_chains_are_asked_in_little_time) {
    char text[40000] = "pipeline p(a: image<i32, 1>) -> out {\n fun g0(x) = a(x - 1) + a(x + 1);\n";
    size_t length = strlen(text);
    for (int i = 1; i < 600; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             " fun g%d(x) = g%d(x - 1) + g%d(max(x, 3) + 1);\n", i, i - 1, i - 1);
    snprintf(text + length, sizeof text - length, " fun out(x) = g599(x);\n}\n");
    Inquiry a = ask(text, NULL);
    Image image = window(I32, 1, (int64_t[]){0}, (int64_t[]){0});
    Image out = window(I32, 1, (int64_t[]){1000}, (int64_t[]){10});
    Arguments arguments = {NULL, &image, &out};
    query(&a, &arguments, 1, 1);
    assert_box(&image, 0, 400, 1210, 1);
    assert_exact(&a, &arguments, 1, 1);
    forget(&a);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("query");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_stencil_asks_for_its_border);
    tcase_add_test(cases, only_buffers_without_memory_are_answered);
    tcase_add_test(cases, layouts_and_tuples_have_their_boxes);
    tcase_add_test(cases, outputs_have_the_layout_that_they_are_fastest_in);
    tcase_add_test(cases, boundary_conditions_ask_for_what_they_do_not_fold);
    tcase_add_test(cases, boxes_that_depend_on_boxes_settle);
    tcase_add_test(cases, an_end_that_is_the_images_own_stays_where_it_is);
    tcase_add_test(cases, what_no_buffer_can_hold_is_refused);
    tcase_add_test(cases, long_chains_are_asked_in_little_time);
    return run_suite("query", cases);
}
