/* library_hostile.c -- each entry of include/hlc.h with null pointers, values that are none, numbers
 * that overflow.  A call of a hostile host answers; it neither ends the process nor reads outside of
 * memory (as sanitized builds see).
 */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

#include <limits.h>
#include <stdlib.h>

static const char SUM[] = "pipeline sum(a: image<i32, 1>, k: i32 = 1, r: f32 = 0.5) -> out {\n"
                          "    fun f(x) = a(x) + k + i32(r);\n"
                          "    fun out(x) = f(x) * 2;\n"
                          "}\n"
                          "schedule wide for sum { vectorize(out.x, 4); }\n";

/* What the calls are made on: a handle with a program, its arguments, and a place for text. */
typedef struct Host {
    hlc *h;
    hlc_arguments *a;
    FILE *out;
} Host;

static Host begin(void) {
    Host host = {.h = load_text(SUM), .out = tmpfile()};
    host.a = hlc_arguments_create(host.h, NULL);
    ck_assert(host.a && host.out);
    return host;
}

static void end(Host *host) {
    hlc_destroy(host->h);
    fclose(host->out);
}

/* ---- a null handle ---- */

START_TEST(null_handle_is_refused) {
    FILE *out = tmpfile();
    bool is_formatted;
    ck_assert_int_eq(hlc_load(NULL, "a.hl"), HLC_USER);
    ck_assert_int_eq(hlc_load_text(NULL, "a.hl", "", 0, NULL, NULL), HLC_USER);
    ck_assert_int_eq(hlc_explain_code(NULL, "E0001", out), HLC_USER);
    ck_assert_int_eq(hlc_measure_times(NULL), HLC_USER);
    ck_assert_int_eq(hlc_format(NULL, "a.hl", &is_formatted, out), HLC_USER);
    ck_assert_int_eq(hlc_lower(NULL, NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_expand(NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_set_constant(NULL, "n", "3"), HLC_USER);
    ck_assert(!hlc_has_constant(NULL, "n"));
    ck_assert_int_eq(hlc_explain(NULL, NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_moves(NULL, NULL, NULL, false, out), HLC_USER);
    ck_assert_int_eq(hlc_bounds(NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_certify(NULL, NULL, NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_set_certify(NULL, true, NULL), HLC_USER);
    ck_assert_int_eq(hlc_contract(NULL, NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_explain_associative(NULL, NULL, "f", out), HLC_USER);
    ck_assert_int_eq(hlc_explain_dependences(NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_declare(NULL, "x:u8"), HLC_USER);
    ck_assert_int_eq(hlc_simplify(NULL, "x", NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_prove(NULL, "x < 1", NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_rules(NULL, NULL, false, out), HLC_USER);
    ck_assert_int_eq(hlc_solve(NULL, "x < 1", NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_assoc(NULL, "i32: x + y", NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_set_targets(NULL, NULL), HLC_USER);
    ck_assert_int_eq(hlc_compile(NULL, NULL, NULL, NULL, out), HLC_USER);
    ck_assert_ptr_null(hlc_compile_object(NULL, NULL, NULL, NULL));
    ck_assert_ptr_null(hlc_compile_function(NULL, NULL, NULL, NULL));
    ck_assert_int_eq(hlc_use_worker(NULL, NULL, 0), HLC_USER);
    ck_assert_int_eq(hlc_fork_worker(NULL, hlc_worker_serve, 0), HLC_USER);
    ck_assert_ptr_null(hlc_arguments_create(NULL, NULL));
    ck_assert_int_eq(hlc_set_code(NULL, &(hlc_code){.optimize = 2}), HLC_USER);
    ck_assert_int_eq(hlc_check(NULL, NULL, NULL, out), HLC_USER);
    ck_assert_int_eq(hlc_set_root(NULL, "."), HLC_USER);
    ck_assert_int_eq(hlc_lower_limit(NULL, "funcs", 1), HLC_USER);
    fclose(out);
}
END_TEST

START_TEST(null_handle_has_nothing) {
    hlc_set_interpreter(NULL, NULL);
    hlc_on_progress(NULL, NULL, NULL);
    hlc_limit_memory(NULL, 1);
    hlc_limit_time(NULL, 1);
    hlc_limit_run_memory(NULL, 1);
    hlc_refuse_text_form(NULL);
    hlc_cancel(NULL);
    hlc_resume(NULL);
    hlc_set_deadline(NULL, 1);
    ck_assert(!hlc_in_root(NULL, "a.hl"));
    hlc_clear_diagnostics(NULL);
    hlc_diagnose(NULL, "E0001", NULL);
    hlc_print_diagnostics(NULL, stderr);
    hlc_print_diagnostics_json(NULL, stderr);
    ck_assert_int_eq(hlc_add_time(NULL, "files", 1, 1), HLC_USER);
    hlc_print_times(NULL, stderr);
    hlc_print_times_json(NULL, stderr);
    hlc_destroy(NULL);
    ck_assert(!hlc_has_read(NULL, "a.hl"));
    ck_assert_uint_eq(hlc_pipeline_count(NULL), 0);
    ck_assert_uint_eq(hlc_schedule_count(NULL), 0);
    ck_assert_uint_eq(hlc_diagnostic_count(NULL), 0);
    ck_assert_ptr_null(hlc_pipeline_name(NULL, 0));
    ck_assert_ptr_null(hlc_schedule_name(NULL, 0));
    ck_assert_ptr_null(hlc_schedule_pipeline(NULL, 0));
    ck_assert(!hlc_pipeline_reassociates(NULL, 0));
    ck_assert_uint_eq(hlc_input_count(NULL, 0), 0);
    ck_assert_uint_eq(hlc_output_count(NULL, 0), 0);
    ck_assert_ptr_null(hlc_input_at(NULL, 0, 0).name);
    ck_assert_ptr_null(hlc_output_at(NULL, 0, 0).func);
    ck_assert_str_eq(hlc_diagnostic_at(NULL, 0).code, "");
    ck_assert_ptr_null(hlc_first_message(NULL));
}
END_TEST

START_TEST(null_objects_have_nothing) {
    hlc_arguments_destroy(NULL);
    hlc_function_destroy(NULL);
    hlc_object_destroy(NULL);
    ck_assert_int_eq(hlc_arguments_set(NULL, "a", "zero:4"), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(NULL, "k", hlc_int(1)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_buffer(NULL, "a", NULL), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_image(NULL, "a", NULL), HLC_USER);
    ck_assert_uint_eq(hlc_arguments_output_count(NULL), 0);
    ck_assert_ptr_null(hlc_arguments_output_name(NULL, 0));
    ck_assert_ptr_null(hlc_arguments_output(NULL, 0));
    ck_assert(!hlc_arguments_is_image(NULL, "a", NULL, NULL, NULL));
    ck_assert_int_eq(hlc_arguments_layout(NULL, "a"), HLC_PLANAR);
    ck_assert_int_eq(hlc_run(NULL, NULL, HLC_TARGET), HLC_USER);
    ck_assert_int_eq(hlc_eval(NULL, "f(0)", NULL, stderr), HLC_USER);
    ck_assert_int_eq(hlc_function_run(NULL, NULL), HLC_USER);
    ck_assert_int_eq(hlc_function_time(NULL, NULL, 1, 1, NULL), HLC_USER);
    ck_assert_ptr_null(hlc_take_function(NULL));
    ck_assert_ptr_null(hlc_take_object(NULL));
    ck_assert_ptr_null(hlc_object_bytes(NULL));
    ck_assert_uint_eq(hlc_object_length(NULL), 0);
    ck_assert(!hlc_function_pointer(NULL) && !hlc_function_argv(NULL));
}
END_TEST

/* ---- null arguments of a handle ---- */

/* The call has refused the argument of that name. */
static void refused(const Host *host, hlc_status status, const char *name) {
    char message[128];
    snprintf(message, sizeof message,
             "the argument `%s` of a call of the library is a null pointer", name);
    ck_assert_int_eq(status, HLC_USER);
    ck_assert_uint_ge(hlc_diagnostic_count(host->h), 1);
    hlc_diagnostic last = hlc_diagnostic_at(host->h, hlc_diagnostic_count(host->h) - 1);
    ck_assert_str_eq(last.code, "E0864");
    ck_assert_str_eq(last.message, message);
    hlc_clear_diagnostics(host->h);
}

START_TEST(null_texts_are_refused) {
    Host host = begin();
    bool is_formatted;
    refused(&host, hlc_load(host.h, NULL), "path");
    refused(&host, hlc_load_text(host.h, NULL, "", 0, NULL, NULL), "name");
    refused(&host, hlc_load_text(host.h, "/dev/null", NULL, 0, NULL, NULL), "text");
    refused(&host, hlc_explain_code(host.h, NULL, host.out), "code");
    refused(&host, hlc_format(host.h, NULL, &is_formatted, host.out), "path");
    refused(&host, hlc_format(host.h, "a.hl", NULL, host.out), "is_formatted");
    refused(&host, hlc_explain_associative(host.h, NULL, NULL, host.out), "func");
    refused(&host, hlc_declare(host.h, NULL), "name_and_type");
    refused(&host, hlc_simplify(host.h, NULL, NULL, host.out), "text");
    refused(&host, hlc_prove(host.h, NULL, NULL, host.out), "text");
    refused(&host, hlc_solve(host.h, NULL, NULL, host.out), "text");
    refused(&host, hlc_assoc(host.h, NULL, NULL, host.out), "text");
    refused(&host, hlc_fork_worker(host.h, NULL, 0), "serve");
    refused(&host, hlc_set_code(host.h, NULL), "code");
    refused(&host, hlc_arguments_set(host.a, NULL, "3"), "name");
    refused(&host, hlc_arguments_set(host.a, "k", NULL), "text");
    refused(&host, hlc_arguments_set_value(host.a, NULL, hlc_int(3)), "name");
    refused(&host, hlc_arguments_set_buffer(host.a, "a", NULL), "buffer");
    refused(&host, hlc_arguments_set_image(host.a, "a", NULL), "image");
    refused(&host, hlc_eval(host.a, NULL, NULL, host.out), "point");
    refused(&host, hlc_function_run(NULL, host.a), "function");
    refused(&host, hlc_function_time(NULL, host.a, 1, 1, NULL), "function");
    hlc_diagnose(host.h, NULL, NULL);
    ck_assert_str_eq(hlc_diagnostic_at(host.h, 0).code, "E0819");
    hlc_diagnose(host.h, "E0804", NULL);
    ck_assert_str_eq(hlc_diagnostic_at(host.h, 1).code, "E0864");
    hlc_diagnose(host.h, "E0804", (const char *const[]){"a", "b", NULL});
    ck_assert_str_eq(hlc_diagnostic_at(host.h, 2).code, "E0804");
    hlc_set_interpreter(host.h, NULL);
    ck_assert(!hlc_has_read(host.h, NULL));
    ck_assert_ptr_null(hlc_nearest(NULL, NULL));
    ck_assert(!hlc_arguments_is_image(host.a, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(hlc_arguments_layout(host.a, NULL), HLC_PLANAR);
    ck_assert_int_eq(hlc_arguments_layout(host.a, "none"), HLC_PLANAR);
    ck_assert(hlc_arguments_is_image(host.a, "a", NULL, NULL, NULL));
    hlc_describe(NULL, 8);
    end(&host);
}
END_TEST

START_TEST(null_streams_are_refused) {
    Host host = begin();
    bool is_formatted;
    refused(&host, hlc_explain_code(host.h, "E0804", NULL), "out");
    refused(&host, hlc_format(host.h, "a.hl", &is_formatted, NULL), "out");
    refused(&host, hlc_lower(host.h, NULL, NULL, NULL, NULL), "out");
    refused(&host, hlc_expand(host.h, NULL), "out");
    refused(&host, hlc_explain(host.h, NULL, NULL, NULL, NULL), "out");
    refused(&host, hlc_moves(host.h, NULL, NULL, false, NULL), "out");
    refused(&host, hlc_bounds(host.h, NULL, NULL, NULL), "out");
    refused(&host, hlc_certify(host.h, NULL, NULL, NULL, NULL, NULL), "out");
    refused(&host, hlc_contract(host.h, NULL, NULL, NULL, NULL), "out");
    refused(&host, hlc_explain_associative(host.h, NULL, "f", NULL), "out");
    refused(&host, hlc_explain_dependences(host.h, NULL, NULL, NULL), "out");
    refused(&host, hlc_simplify(host.h, "x", NULL, NULL), "out");
    refused(&host, hlc_prove(host.h, "x < 1", NULL, NULL), "out");
    refused(&host, hlc_rules(host.h, NULL, false, NULL), "out");
    refused(&host, hlc_solve(host.h, "x < 1", NULL, NULL), "out");
    refused(&host, hlc_assoc(host.h, "i32: x + y", NULL, NULL), "out");
    refused(&host, hlc_compile(host.h, NULL, NULL, NULL, NULL), "out");
    refused(&host,
            hlc_compile(host.h, NULL, NULL, &(hlc_compile_options){.depfile = host.out}, host.out),
            "options->object");
    refused(&host, hlc_eval(host.a, "f(0)", NULL, NULL), "out");
    refused(&host, hlc_check(host.h, NULL, NULL, NULL), "out");
    hlc_print_diagnostics(host.h, NULL);
    hlc_print_diagnostics_json(host.h, NULL);
    hlc_measure_times(host.h);
    hlc_print_times(host.h, NULL);
    hlc_print_times_json(host.h, NULL);
    hlc_print_tables(NULL);
    end(&host);
}
END_TEST

/* ---- indices and values that are none ---- */

START_TEST(indices_beyond_the_end) {
    Host host = begin();
    static const size_t beyond[] = {3, 99, SIZE_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        ck_assert_ptr_null(hlc_pipeline_name(host.h, beyond[i]));
        ck_assert_ptr_null(hlc_schedule_name(host.h, beyond[i]));
        ck_assert_ptr_null(hlc_schedule_pipeline(host.h, beyond[i]));
        ck_assert(!hlc_pipeline_reassociates(host.h, beyond[i]));
        ck_assert_uint_eq(hlc_input_count(host.h, beyond[i]), 0);
        ck_assert_uint_eq(hlc_output_count(host.h, beyond[i]), 0);
        ck_assert_ptr_null(hlc_input_at(host.h, 0, beyond[i]).name);
        ck_assert_ptr_null(hlc_output_at(host.h, 0, beyond[i]).func);
        ck_assert_ptr_null(hlc_input_at(host.h, beyond[i], 0).name);
        ck_assert_ptr_null(hlc_output_at(host.h, beyond[i], 0).func);
        ck_assert_ptr_null(hlc_arguments_output_name(host.a, beyond[i]));
        ck_assert_ptr_null(hlc_arguments_output(host.a, beyond[i]));
        ck_assert_str_eq(hlc_diagnostic_at(host.h, beyond[i]).message, "");
    }
    ck_assert_str_eq(hlc_input_at(host.h, 0, 2).name, "r");
    end(&host);
}
END_TEST

START_TEST(values_that_are_none) {
    Host host = begin();
    hlc_value strange = {.kind = (hlc_kind)99, .as.integer = 1};
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "k", strange), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "r", strange), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "r", hlc_int(INT64_MAX)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "r", hlc_uint(UINT64_MAX)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "r", hlc_float(1e300)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(host.a, "r", hlc_float(0)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set(host.a, "a", "zero:4"), HLC_YES);
    ck_assert_int_eq(hlc_run(host.a, NULL, (hlc_machine)99), HLC_USER);
    hlc_set_interpreter(host.h, &(hlc_interpreter){.order = (hlc_order)99, .seed = 1});
    ck_assert_int_eq(hlc_run(host.a, "wide", HLC_TARGET), HLC_YES);
    ck_assert_int_eq(hlc_set_code(host.h, &(hlc_code){.optimize = INT_MIN}), HLC_USER);
    ck_assert_int_eq(hlc_set_code(host.h, &(hlc_code){.optimize = 2, .sanitize = ""}), HLC_USER);
    ck_assert_int_eq(hlc_set_targets(host.h, ",,"), HLC_USER);
    ck_assert_int_eq(hlc_compile(host.h, NULL, NULL, &(hlc_compile_options){.emit = ""}, host.out),
                     HLC_USER);
    ck_assert_int_eq(
        hlc_lower(host.h, NULL, NULL, &(hlc_lower_options){.until = INT64_MAX}, host.out),
        HLC_USER);
    ck_assert_int_eq(hlc_check(host.h, &(hlc_check_options){.rounds = INT_MIN}, NULL, host.out),
                     HLC_USER);
    ck_assert_int_eq(hlc_eval(host.a, "f(9223372036854775808)", NULL, host.out), HLC_USER);
    ck_assert_int_eq(hlc_eval(host.a, "f(9223372036854775807)", NULL, host.out), HLC_USER);
    end(&host);
}
END_TEST

START_TEST(texts_that_are_too_long) {
    hlc *h = hlc_create();
    size_t length = (4 << 20) + 1;
    char *text = malloc(length);
    memset(text, ' ', length);
    ck_assert_int_eq(hlc_load_text(h, "long.hl", text, length, NULL, NULL), HLC_USER);
    ck_assert_str_eq(hlc_diagnostic_at(h, 0).code, "E0905");
    ck_assert_int_eq(hlc_load_text(h, "longer.hl", "", SIZE_MAX, NULL, NULL), HLC_USER);
    ck_assert_str_eq(hlc_diagnostic_at(h, 1).code, "E0905");
    free(text);
    hlc_destroy(h);
}
END_TEST

/* ---- images and buffers ---- */

static int32_t elements[64];

static hlc_image image(void) {
    return (hlc_image){.kind = HLC_INT,
                       .bits = 32,
                       .dimensions = 1,
                       .extent = {4},
                       .stride = {1},
                       .data = elements};
}

static void image_is_refused(const Host *host, hlc_image given, const char *message) {
    ck_assert_int_eq(hlc_arguments_set_image(host->a, "a", &given), HLC_USER);
    expect_diagnostic(host->h, message);
    hlc_clear_diagnostics(host->h);
}

START_TEST(images_that_are_none) {
    Host host = begin();
    hlc_image given = image();
    ck_assert_int_eq(hlc_arguments_set_image(host.a, "a", &given), HLC_YES);
    given.data = NULL;
    image_is_refused(&host, given, "the buffer for `a` cannot be used: it has no data");
    given.extent[0] = 0;
    ck_assert_int_eq(hlc_arguments_set_image(host.a, "a", &given), HLC_YES);
    static const int kinds[][2] = {{99, 32},         {-1, 32},          {HLC_INT, 288},
                                   {HLC_INT, 0},     {HLC_BOOL, 8},     {HLC_FLOAT, 8},
                                   {HLC_BFLOAT, 32}, {HLC_INT, INT_MIN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        given = image();
        given.kind = (hlc_kind)kinds[i][0];
        given.bits = kinds[i][1];
        image_is_refused(&host, given, "there are no elements of kind");
    }
    static const int dimensions[] = {0, 2, 5, -1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        given = image();
        given.dimensions = dimensions[i];
        image_is_refused(&host, given, "input `a` is an image of i32 in 1 dimension");
    }
    static const int64_t boxes[][2] = {{INT64_MAX, 4},
                                       {INT64_MIN, 4},
                                       {0, INT64_MAX},
                                       {0, -1},
                                       {0, INT64_MIN},
                                       {INT32_MAX, 2},
                                       {(int64_t)INT32_MIN - 1, 1},
                                       {INT64_MAX, INT64_MAX}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        given = image();
        given.minimum[0] = boxes[i][0];
        given.extent[0] = boxes[i][1];
        image_is_refused(&host, given, "its coordinates in dimension 0 do not fit in 32 bits");
    }
    static const int64_t strides[] = {INT64_MAX, INT64_MIN, INT64_MAX / 3};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        given = image();
        given.stride[0] = strides[i];
        image_is_refused(&host, given, "its strides lead beyond all memory");
    }
    given = image();
    given.stride[0] = -1;
    given.data = elements + 3;
    given.minimum[0] = INT32_MAX - 3;
    ck_assert_int_eq(hlc_arguments_set_image(host.a, "a", &given), HLC_YES);
    end(&host);
}
END_TEST

static void buffer_is_refused(const Host *host, const halide_buffer_t *buffer,
                              const char *message) {
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(hlc_arguments_set_buffer(host->a, i ? "out" : "a", buffer), HLC_USER);
        expect_diagnostic(host->h, message);
        hlc_clear_diagnostics(host->h);
    }
}

START_TEST(buffers_that_are_none) {
    Host host = begin();
    halide_dimension_t dim = {.extent = 4, .stride = 1};
    halide_buffer_t good = {
        .host = (uint8_t *)elements, .type = {0, 32, 1}, .dimensions = 1, .dim = &dim};
    halide_buffer_t buffer = good;
    buffer.dim = NULL;
    buffer_is_refused(&host, &buffer, "its `dim` is a null pointer");
    buffer = good;
    buffer.host = NULL;
    buffer_is_refused(&host, &buffer, "it has no host memory");
    for (int i = 1; i < 4; i++) {
        buffer = good;
        buffer.host += i;
        buffer_is_refused(&host, &buffer, "its host memory is not aligned to elements of 4 bytes");
    }
    static const int dimensions[] = {0, 2, 5, -1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        buffer = good;
        buffer.dimensions = dimensions[i];
        buffer_is_refused(&host, &buffer, "dimensions, not an image of i32 in 1 dimension");
    }
    buffer = good;
    buffer.type = (struct halide_type_t){255, 255, 65535};
    buffer_is_refused(&host, &buffer, "it has type (255, 255, 65535)");
    end(&host);
}
END_TEST

/* Boxes that a buffer can say and no run takes: refused by all machines, before any access. */
START_TEST(boxes_that_no_run_takes) {
    static const int32_t boxes[][3] = {{INT32_MAX, 4, 1}, {INT32_MIN, INT32_MIN, 1},
                                       {0, INT32_MIN, 1}, {INT32_MAX, INT32_MAX, INT32_MAX},
                                       {0, 4, INT32_MIN}, {INT32_MIN, INT32_MAX, INT32_MIN},
                                       {0, INT32_MAX, 0}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        for (int machine = HLC_COMPILED; machine <= HLC_SEMANTICS; machine++) {
            Host host = begin();
            halide_dimension_t dim = {boxes[i][0], boxes[i][1], boxes[i][2], 0};
            halide_buffer_t buffer = {
                .host = (uint8_t *)elements, .type = {0, 32, 1}, .dimensions = 1, .dim = &dim};
            hlc_status status = hlc_arguments_set_buffer(host.a, "a", &buffer);
            if (status == HLC_YES)
                status = hlc_run(host.a, NULL, (hlc_machine)machine);
            ck_assert_int_ne(status, HLC_YES);
            ck_assert_int_ne(status, HLC_FAULT);
            end(&host);
        }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("hostile");
    tcase_add_test(cases, null_handle_is_refused);
    tcase_add_test(cases, null_handle_has_nothing);
    tcase_add_test(cases, null_objects_have_nothing);
    tcase_add_test(cases, null_texts_are_refused);
    tcase_add_test(cases, null_streams_are_refused);
    tcase_add_test(cases, indices_beyond_the_end);
    tcase_add_test(cases, values_that_are_none);
    tcase_add_test(cases, texts_that_are_too_long);
    tcase_add_test(cases, images_that_are_none);
    tcase_add_test(cases, buffers_that_are_none);
    tcase_add_test(cases, boxes_that_no_run_takes);
    tcase_set_timeout(cases, 120);
    return run_suite("library_hostile", cases);
}
