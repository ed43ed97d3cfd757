/* codegen_entry.c -- what a compiled pipeline's entries refuse, say, free and leave as it was. */
#include "compiled.h"

#include <fenv.h>
#include <malloc.h>
#include <pthread.h>

static const char simple[] =
    "pipeline simple(input: image<i32, 1>, w: i32 in 0..64, b: bool) -> (out)\n"
    "  func out(x): i32\n"
    "  assert 0:i32 <= w else parameter_too_small(\"w\", index(w), 0, 64)\n"
    "  assert w <= 64:i32 else parameter_too_large(\"w\", index(w), 0, 64)\n"
    "  allocate out: i32 [(out.min.0, out.extent.0)]\n"
    "  compute out on [(out.min.0, out.extent.0)]\n"
    "    for out.s0.x in (out.min.0, out.extent.0) do\n"
    "      out[out.s0.x] <- select(b, input[out.s0.x]*w, 7:i32)\n";

/* Refused a thousand times: what leaked each time would add up to more than malloc's own
 * fluctuation. */
static void refuse_without_leak(const Compiled *compiled, const Arguments *arguments, int error,
                                const char *message) {
    refuse(compiled, arguments, error, message);
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; i++)
        refuse(compiled, arguments, error, message);
    ck_assert_uint_le(mallinfo2().uordblks, before + 32768);
}

START_TEST(raw_buffers_are_checked) {
    Compiled c = compile(simple, 2);
    Image input = line(I32, 0, 8), out = line(I32, 0, 8), bad = input;
    Arguments arguments = {(Bits[]){3, 1}, &bad, &out};
    bad.data = NULL;
    refuse(&c, &arguments, HLC_ERROR_HOST_IS_NULL, "buffer input has no host memory");
    bad = input, bad.type = U32;
    refuse(
        &c, &arguments, HLC_ERROR_BAD_TYPE,
        "buffer input has elements of type code 1 with 32 bits, not of type code 0 with 32 bits");
    bad = input, bad.dimensions = 2, bad.extent[1] = bad.stride[1] = 0;
    refuse(&c, &arguments, HLC_ERROR_BAD_DIMENSIONS, "buffer input has 2 dimensions, not 1");
    bad = input, bad.extent[0] = -4;
    refuse(&c, &arguments, HLC_ERROR_NEGATIVE_EXTENT, "buffer input has extent -4 in dimension 0");
    bad = input, bad.minimum[0] = INT32_MAX;
    refuse(&c, &arguments, HLC_ERROR_COORDINATE_RANGE,
           "the coordinates of input span [2147483647, 2147483654] in dimension 0, an end or the "
           "length beyond 32 bits");
    bad = input, bad.minimum[0] = INT64_C(1) << 40;
    refuse(&c, &arguments, HLC_ERROR_COORDINATE_RANGE,
           "the coordinates of input span [1099511627776, 1099511627783] in dimension 0, an end or "
           "the length beyond 32 bits");
    bad = input, bad.stride[0] = 2;
    refuse(&c, &arguments, HLC_ERROR_BAD_STRIDE, "buffer input has stride 2 in dimension 0, not 1");
    bad = input, bad.stride[0] = INT64_C(1) << 32;
    refuse(&c, &arguments, HLC_ERROR_BAD_STRIDE,
           "buffer input has stride 4294967296 in dimension 0, not 2147483647");
    bad = out;
    refuse(&c, &arguments, HLC_ERROR_OVERLAP, "output out overlaps another buffer in memory");
    bad = input, bad.extent[0] = 0, bad.data = NULL, out.extent[0] = 0;
    succeed(&c, &arguments); /* nothing there, nothing asked */
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

START_TEST(assertions_refuse_with_their_numbers) {
    Compiled c = compile(simple, 2);
    Image input = line(I32, 0, 8), out = line(I32, 0, 8);
    put(&out, 0, 0, 99);
    Arguments arguments = {(Bits[]){-1, 1}, &input, &out};
    refuse(&c, &arguments, HLC_ERROR_PARAMETER_TOO_SMALL,
           "parameter w is -1, below its range 0..64");
    arguments.parameters[0] = 65;
    refuse(&c, &arguments, HLC_ERROR_PARAMETER_TOO_LARGE,
           "parameter w is 65, above its range 0..64");
    ck_assert_int_eq(at(&out, 0, 0), 99);
    guarded_free(&input), guarded_free(&out), discard(&c);
}
END_TEST

static int handled_error;
static char handled_message[256];

static void handler(void *user, int error, const char *message) {
    ck_assert_ptr_null(user);
    handled_error = error;
    snprintf(handled_message, sizeof handled_message, "%s", message);
}

/* NAME and NAME_argv, called as C calls them. */
START_TEST(the_c_entries) {
    Compiled c = compile(simple, _i);
    typedef int Simple(halide_buffer_t *, int32_t, uint8_t, halide_buffer_t *);
    typedef int SimpleArgv(void **);
    Simple *simple_function = (Simple *)jit_function(c.jit, "");
    SimpleArgv *argv_function = (SimpleArgv *)jit_function(c.jit, "_argv");
    ck_assert(simple_function && argv_function);
    ck_assert(!jit_function(c.jit, "_nothing"));
    int32_t numbers[2][4] = {{1, 2, 3, 4}};
    halide_dimension_t dimension = {-2, 4, 1, 0};
    halide_buffer_t input = {
        .host = (uint8_t *)numbers[0], .type = {0, 32, 1}, .dimensions = 1, .dim = &dimension};
    halide_buffer_t out = input;
    out.host = (uint8_t *)numbers[1];
    ck_assert_int_eq(simple_function(&input, 10, 2, &out), 0); /* any byte but 0 is true */
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(numbers[1][i], 10 * (i + 1));
    int32_t w = 5;
    uint8_t b = 1;
    ck_assert_int_eq(argv_function((void *[]){&input, &w, &b, &out}), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(numbers[1][i], 5 * (i + 1));
    hlc_set_error_handler(handler);
    w = 1000;
    ck_assert_int_eq(argv_function((void *[]){&input, &w, &b, &out}),
                     HLC_ERROR_PARAMETER_TOO_LARGE);
    ck_assert_int_eq(handled_error, HLC_ERROR_PARAMETER_TOO_LARGE);
    ck_assert_str_eq(handled_message, "parameter w is 1000, above its range 0..64");
    ck_assert_int_eq(simple_function(&input, 1, 1, NULL), HLC_ERROR_BUFFER_IS_NULL);
    ck_assert_str_eq(handled_message, "buffer out is a null pointer");
    hlc_set_error_handler(NULL);
    discard(&c);
}
END_TEST

/* The innermost allocation fails in the third iteration, inside two others; tuples free each part.
 */
START_TEST(failures_free_what_is_live) {
    Compiled c = compile(
        "pipeline p(n: i64) -> (out)\n"
        "  func f(x): {u8, i64}\n"
        "  func g(x, y): u8\n"
        "  func out(x): u8\n"
        "  allocate out: u8 [(out.min.0 - 1, out.extent.0 + 1)]\n"
        "  allocate f: {u8, i64} [(0, 1000)]\n"
        "  compute f on [(0, 1)]\n"
        "    f[0] <- {1:u8, n}\n"
        "  compute out on [(out.min.0, out.extent.0)]\n"
        "    for out.s0.x in (out.min.0, out.extent.0) do\n"
        "      allocate g: u8 [(0, select(out.s0.x == out.min.0 + 2, index(f[0].1), 1)), (0, 1)]\n"
        "      compute g on [(0, 1), (0, 1)]\n"
        "        g[0, 0] <- f[0]\n"
        "      assert out.s0.x != out.min.0 + 4 else requirement_failed(\"four\")\n"
        "      out[out.s0.x] <- g[0, 0]\n",
        _i);
    Image out = line(U8, 5, 3);
    Bits n = 10;
    Arguments arguments = {&n, NULL, &out};
    succeed(&c, &arguments);
    ck_assert_int_eq(at(&out, 7, 0), 1);
    n = INT64_MAX;
    refuse_without_leak(&c, &arguments, HLC_ERROR_OUT_OF_MEMORY,
                        "no memory for 9223372036854775807 bytes of g");
    n = -1;
    refuse_without_leak(&c, &arguments, HLC_ERROR_INTERNAL,
                        "internal error: an allocation has a negative length");
    guarded_free(&out);
    out = line(U8, 5, 9), n = 10;
    refuse_without_leak(&c, &arguments, HLC_ERROR_REQUIREMENT_FAILED, "four");
    guarded_free(&out), discard(&c);
}
END_TEST

static const char halves[] = "pipeline halves(x: f32) -> (out)\n"
                             "  func out(): f32\n"
                             "  allocate out: f32 []\n"
                             "  compute out on []\n"
                             "    out[] <- x/3.0:f32\n";

static __attribute__((noinline)) double third(void) {
    volatile double one = 1, three = 3;
    return one / three;
}

/* The host's rounding, flushing and traps neither reach the pipeline nor are changed by it. */
START_TEST(the_float_environment_is_ours_inside) {
    Compiled c = compile(halves, 2);
    Image out = dense(F32, 0, NULL, NULL);
    Bits x = bits_from_double(F32, 0x1p-126);
    double nearest = third();
    fesetround(FE_UPWARD);
    double up = third();
    succeed(&c, &(Arguments){&x, NULL, &out});
    double after = third();
    fesetround(FE_TONEAREST);
    ck_assert(up > nearest);
    ck_assert(after == up);
    ck_assert_int_eq(at(&out, 0, 0), bits_from_double(F32, (double)(0x1p-126f / 3.0f)));
    guarded_free(&out), discard(&c);
}
END_TEST

/* While code is loaded, no mapping of the process may be written and executed. */
START_TEST(nothing_is_writable_and_executable) {
    Compiled c = compile(simple, 2);
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    char mapping[1024];
    int executable = 0;
    while (fgets(mapping, sizeof mapping, maps)) {
        const char *rights = strchr(mapping, ' ');
        ck_assert_ptr_nonnull(rights);
        ck_assert_msg(!(rights[2] == 'w' && rights[3] == 'x'), "%s", mapping);
        executable += rights[3] == 'x';
    }
    ck_assert_int_gt(executable, 0);
    fclose(maps);
    discard(&c);
}
END_TEST

START_TEST(compiling_and_freeing_leaves_memory_flat) {
    Image input = line(I32, 0, 8), out = line(I32, 0, 8);
    Arguments arguments = {(Bits[]){3, 1}, &input, &out};
    size_t before = 0;
    for (int round = 0; round < 60; round++) {
        Compiled c = compile(simple, 1);
        succeed(&c, &arguments);
        discard(&c);
        if (round == 9)
            before = mallinfo2().uordblks;
    }
    ck_assert_uint_le(mallinfo2().uordblks, before + 65536);
    guarded_free(&input), guarded_free(&out);
}
END_TEST

typedef struct Worker {
    const Jit *jit;
    int number;
    bool is_right;
} Worker;

static void *work(void *data) {
    Worker *worker = data;
    int32_t input_numbers[64], out_numbers[64];
    Image input = {I32, 1, {0}, {64}, {1}, .data = (unsigned char *)input_numbers};
    Image out = {I32, 1, {0}, {64}, {1}, .data = (unsigned char *)out_numbers};
    worker->is_right = true;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 64; i++)
            input_numbers[i] = i + round;
        Arguments arguments = {(Bits[]){worker->number, 1}, &input, &out};
        worker->is_right &= jit_call(worker->jit, &arguments).error == 0;
        for (int i = 0; i < 64; i++)
            worker->is_right &= out_numbers[i] == (i + round) * worker->number;
        arguments.parameters[0] = 65 + worker->number;
        Outcome outcome = jit_call(worker->jit, &arguments);
        char wanted[128];
        snprintf(wanted, sizeof wanted, "parameter w is %d, above its range 0..64",
                 65 + worker->number);
        worker->is_right &= strcmp(outcome.message, wanted) == 0;
    }
    return NULL;
}

START_TEST(several_threads_may_call) {
    Compiled c = compile(simple, 2);
    Worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (Worker){c.jit, i + 1, false};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(workers[i].is_right);
    }
    discard(&c);
}
END_TEST

/* ---- making objects ---- */

static Object emit(Context *context, Arena *arena, const char *text, const char *form) {
    Program *program = read_text(context, arena, text);
    Object object;
    CodegenOptions options = {.optimize = 2, .emit = form};
    ck_assert(codegen_object(program, arena, &options, &object));
    return object;
}

START_TEST(the_same_program_gives_the_same_bytes) {
    static const char *const forms[] = {"object", "ll", "asm"};
    Object objects[2][3];
    Context *contexts[2];
    for (int round = 0; round < 2; round++) {
        contexts[round] = context_create();
        if (round == 1) /* other addresses, other numbers of nodes */
            emit(contexts[1], contexts[1]->arena, halves, NULL);
        for (int i = 0; i < 3; i++)
            objects[round][i] = emit(contexts[round], contexts[round]->arena, simple, forms[i]);
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(objects[0][i].length, objects[1][i].length);
        ck_assert_int_eq(memcmp(objects[0][i].bytes, objects[1][i].bytes, objects[0][i].length), 0);
    }
    ck_assert_int_eq(memcmp(objects[0][0].bytes, "\177ELF", 4), 0);
    ck_assert_ptr_nonnull(strstr((char *)objects[0][1].bytes, "define i32 @simple("));
    ck_assert_ptr_nonnull(strstr((char *)objects[0][2].bytes, "simple_argv:"));
    context_destroy(contexts[0]);
    context_destroy(contexts[1]);
}
END_TEST

/* Flags that would let LLVM assume what is not so. */
START_TEST(no_flags_on_values) {
    Context *context = context_create();
    Object object = emit(context, context->arena,
                         "pipeline p(a: f32, b: i32) -> (out)\n"
                         "  func out(): {f32, i32, i32}\n"
                         "  allocate out: {f32, i32, i32} []\n"
                         "  compute out on []\n"
                         "    out[] <- {sqrt(a*a + a)/a, b*b + b - (b << b), abs(b)/b}\n",
                         "ll");
    static const char *const flags[] = {" fast ", " contract ", " nnan ", " ninf ",
                                        " nsz ",  " arcp ",     " afn ",  " reassoc "};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        ck_assert_ptr_null(strstr((char *)object.bytes, flags[i]));
    ck_assert_ptr_null(strstr((char *)object.bytes, "mul nsw i32 %b"));
    context_destroy(context);
}
END_TEST

START_TEST(names_that_collide_are_refused) {
    static const char *const names[] = {"hlc_fail", "memcpy", "main",
                                        "Sleef_finz_sinf1_u10purecfma"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Context *context = context_create();
        char text[512];
        snprintf(text, sizeof text, "pipeline %s() -> (out)\n%s", names[i],
                 "  func out(): i32\n"
                 "  allocate out: i32 []\n"
                 "  compute out on []\n"
                 "    out[] <- 1:i32\n");
        Program *program = read_text(context, context->arena, text);
        Object object;
        ck_assert(!codegen_object(program, context->arena, &(CodegenOptions){0}, &object));
        ck_assert_uint_eq(context->reports.length, 1);
        ck_assert_int_eq(context->reports.data[0].code, DIAG_PIPELINE_NAME);
        context_destroy(context);
    }
}
END_TEST

START_TEST(bytes_that_are_no_object_are_refused) {
    Compiled c = compile(simple, 0);
    unsigned char bytes[] = "this is no object file, but text of some length";
    ck_assert_ptr_null(jit_load(c.context, c.program->signature,
                                &(Object){.bytes = bytes, .length = sizeof bytes}));
    ck_assert_int_eq(c.context->reports.data[0].code, DIAG_CODEGEN_FAILED);
    jit_free(c.jit);
    arena_destroy(c.arena);
    context_destroy(c.context);
}
END_TEST

/* Every request for memory fails once; each time everything is given back. */
START_TEST(running_out_of_memory_leaves_nothing_behind) {
    volatile int failures = 0;
    for (volatile int64_t after = 0;; after++) {
        Context *context = context_create();
        Arena *arena = arena_create(&context->memory);
        Program *program = read_text(context, arena, simple);
        size_t before = context->memory.in_use;
        jmp_buf here;
        volatile bool failed = false;
        Object object;
        if (setjmp(here)) {
            failed = true;
        } else {
            context->memory.on_failure = &here;
            context->memory.fail_after = after;
            ck_assert(codegen_object(program, arena, &(CodegenOptions){.optimize = 1}, &object));
        }
        context->memory.fail_after = -1;
        ck_assert(context->memory.on_failure == &here);
        context->memory.on_failure = NULL;
        if (failed)
            ck_assert_uint_le(context->memory.in_use, before + (1 << 20));
        arena_destroy(arena);
        context_destroy(context);
        if (!failed)
            break;
        failures++;
    }
    ck_assert_int_ge(failures, 2);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("entry");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, raw_buffers_are_checked);
    tcase_add_test(cases, assertions_refuse_with_their_numbers);
    tcase_add_loop_test(cases, the_c_entries, 0, 4);
    tcase_add_loop_test(cases, failures_free_what_is_live, 0, 4);
    tcase_add_test(cases, the_float_environment_is_ours_inside);
    tcase_add_test(cases, nothing_is_writable_and_executable);
    tcase_add_test(cases, compiling_and_freeing_leaves_memory_flat);
    tcase_add_test(cases, several_threads_may_call);
    tcase_add_test(cases, the_same_program_gives_the_same_bytes);
    tcase_add_test(cases, no_flags_on_values);
    tcase_add_test(cases, names_that_collide_are_refused);
    tcase_add_test(cases, bytes_that_are_no_object_are_refused);
    tcase_add_test(cases, running_out_of_memory_leaves_nothing_behind);
    return run_suite("codegen_entry", cases);
}
