/* library_bind.c -- programs from memory, what they hold, and arguments from C: values, and the
 * caller's own buffers. */
#include "include/hlc.h"
#include "runtime/hlc_runtime.h"
#include "tests/unit/library_support.h"

static const char BLEND[] =
    "import \"lib/half.hl\";\n"
    "pipeline blend(a: image<u8, 3, interleaved>, k: f32 = 0.5 in 0.0..1.0, flip: bool,\n"
    "               b: image<i16, 2>, n: u64 = 7) -> (out, pair) {\n"
    "    fun out(x, y) = i32(a(x, y, 0)) + i32(b(x, y)) + half(i32(n));\n"
    "    fun pair(x) = {u8(x), k};\n"
    "}\n"
    "schedule rows for blend { parallel(out.y); }\n";

typedef struct Asked {
    int count;
    char path[100];
} Asked;

static const char *import(void *data, const char *path, size_t *length) {
    static const char HALF[] = "let half(x) = x / 2;\nGARBAGE BEYOND THE LENGTH";
    Asked *asked = data;
    asked->count++;
    snprintf(asked->path, sizeof asked->path, "%s", path);
    *length = strcspn(HALF, "G");
    return HALF;
}

static hlc *load_blend(Asked *asked) {
    hlc *h = hlc_create();
    hlc_status status = hlc_load_text(h, "memory/blend.hl", BLEND, sizeof BLEND - 1, import, asked);
    if (status != HLC_YES)
        hlc_print_diagnostics(h, stderr);
    ck_assert_int_eq(status, HLC_YES);
    return h;
}

START_TEST(loads_from_memory) {
    Asked asked = {0};
    hlc *h = load_blend(&asked);
    ck_assert_int_eq(asked.count, 1);
    ck_assert_str_eq(asked.path, "memory/lib/half.hl");
    ck_assert_int_eq(hlc_load_text(h, "x.hl", "", 0, NULL, NULL), HLC_USER);
    expect_diagnostic(h, "E0851");
    hlc_destroy(h);
    h = hlc_create();
    ck_assert_int_eq(hlc_load_text(h, "a.hl", BLEND, sizeof BLEND - 1, NULL, NULL), HLC_USER);
    hlc_diagnostic d = hlc_diagnostic_at(h, 0);
    ck_assert_str_eq(d.code, "E0206");
    ck_assert_int_eq(d.severity, HLC_ERROR);
    ck_assert_str_eq(d.file, "a.hl");
    ck_assert_uint_eq(d.line, 1);
    ck_assert_uint_eq(d.column, 8);
    ck_assert_uint_gt(d.length, 0);
    ck_assert_ptr_nonnull(strstr(d.message, "lib/half.hl"));
    ck_assert_str_eq(d.help, "name a file; paths are relative to the importing file");
    hlc_destroy(h);
}
END_TEST

/* A package of the library needs no importer. */
START_TEST(imports_packages_from_memory) {
    static const char TEXT[] =
        "import sort;\n"
        "pipeline p(input: image<u8, 2>) -> out { fun out = sort.median(input, 1); }\n"
        "schedule fast for p { sort.fast(out); }\n";
    hlc *h = hlc_create();
    ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, NULL, NULL), HLC_YES);
    ck_assert(hlc_has_read(h, "p.hl"));
    ck_assert(!hlc_has_read(h, "<sort.hl>"));
    hlc_object *object = hlc_compile_object(h, "p", "fast", NULL);
    ck_assert_ptr_nonnull(object);
    hlc_object_destroy(object);
    hlc_destroy(h);
}
END_TEST

START_TEST(loads_the_text_form_from_memory) {
    hlc *h = hlc_create(), *again = hlc_create();
    static const char TEXT[] = "pipeline p() -> out { fun out(x) = i32(x); }";
    ck_assert_int_eq(hlc_load_text(h, "p.hl", TEXT, sizeof TEXT - 1, NULL, NULL), HLC_YES);
    char *program;
    size_t length;
    FILE *out = open_memstream(&program, &length);
    ck_assert_int_eq(hlc_lower(h, NULL, NULL, NULL, out), HLC_YES);
    fclose(out);
    ck_assert_int_eq(hlc_load_text(again, "p.ir", program, length, NULL, NULL), HLC_YES);
    ck_assert_str_eq(hlc_pipeline_name(again, 0), "p");
    ck_assert_uint_eq(hlc_output_count(again, 0), 1);
    hlc_function *f = hlc_compile_function(again, NULL, NULL, NULL);
    ck_assert_ptr_null(hlc_take_function(f));
    hlc_arguments *a = hlc_arguments_create(again, NULL);
    ck_assert_int_eq(hlc_arguments_set(a, "out", "3+5"), HLC_YES);
    ck_assert_int_eq(hlc_function_run(f, a), HLC_YES);
    ck_assert_int_eq(((int32_t *)hlc_arguments_output(a, 0)->data)[2], 7);
    free(program);
    hlc_destroy(h);
    hlc_destroy(again);
}
END_TEST

START_TEST(lists_inputs_and_outputs) {
    Asked asked = {0};
    hlc *h = load_blend(&asked);
    ck_assert_uint_eq(hlc_pipeline_count(h), 1);
    ck_assert_uint_eq(hlc_input_count(h, 0), 5);
    hlc_input a = hlc_input_at(h, 0, 0), k = hlc_input_at(h, 0, 1), flip = hlc_input_at(h, 0, 2),
              b = hlc_input_at(h, 0, 3), n = hlc_input_at(h, 0, 4);
    ck_assert(a.is_image && a.kind == HLC_UINT && a.bits == 8 && a.dimensions == 3);
    ck_assert_int_eq(a.layout, HLC_INTERLEAVED);
    ck_assert(b.is_image && b.kind == HLC_INT && b.bits == 16 && b.layout == HLC_PLANAR);
    ck_assert_str_eq(k.name, "k");
    ck_assert(!k.is_image && k.kind == HLC_FLOAT && k.bits == 32 && k.has_default && k.has_range);
    ck_assert(k.default_value.as.real == 0.5 && k.lower.as.real == 0 && k.upper.as.real == 1);
    ck_assert(flip.kind == HLC_BOOL && flip.bits == 1 && !flip.has_default && !flip.has_range);
    ck_assert(n.kind == HLC_UINT && n.default_value.as.natural == 7);
    ck_assert_uint_eq(hlc_output_count(h, 0), 3);
    hlc_output out = hlc_output_at(h, 0, 0), second = hlc_output_at(h, 0, 2);
    ck_assert_str_eq(out.func, "out");
    ck_assert(out.component == -1 && out.kind == HLC_INT && out.bits == 32 && out.dimensions == 2);
    ck_assert_str_eq(second.func, "pair");
    ck_assert(second.component == 1 && second.kind == HLC_FLOAT && second.dimensions == 1);
    hlc_destroy(h);
}
END_TEST

START_TEST(binds_values) {
    Asked asked = {0};
    hlc *h = load_blend(&asked);
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_float(0.25)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int(1)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "flip", hlc_bool(true)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "flip", hlc_int(0)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "n", hlc_uint(UINT64_MAX)), HLC_YES);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 0);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int((1 << 24) + 1)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(a, "flip", hlc_int(2)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(a, "flip", hlc_float(1)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(a, "n", hlc_int(-1)), HLC_USER);
    ck_assert_uint_eq(hlc_diagnostic_count(h), 4);
    expect_diagnostic(h, "E0811");
    ck_assert_int_eq(hlc_arguments_set_value(a, "a", hlc_int(1)), HLC_USER);
    expect_diagnostic(h, "E0809");
    hlc_destroy(h);
}
END_TEST

static const char SHIFT[] = "pipeline shift(a: image<i32, 2, strided>, k: i32) -> (out, pair) {\n"
                            "    fun out(x, y) = a(x, y) + k;\n"
                            "    fun pair(x, y) = {u8(x), out(x, y) * 2};\n"
                            "}\n";

typedef struct Buffers {
    int32_t in[12], out[12], second[12];
    uint8_t first[12];
    halide_dimension_t upside_down[2], dense[2];
    halide_buffer_t a, o, p0, p1;
} Buffers;

/* 3 by 4, the input with its rows from the last to the first. */
static Buffers *make_buffers(void) {
    Buffers *b = calloc(1, sizeof *b);
    b->upside_down[0] = (halide_dimension_t){10, 3, 1, 0};
    b->upside_down[1] = (halide_dimension_t){-2, 4, -3, 0};
    b->dense[0] = (halide_dimension_t){10, 3, 4, 0}; /* transposed */
    b->dense[1] = (halide_dimension_t){-2, 4, 1, 0};
    for (int i = 0; i < 12; i++)
        b->in[i] = 100 + i;
    b->a = (halide_buffer_t){
        .host = (uint8_t *)(b->in + 9), .type = {0, 32, 1}, .dimensions = 2, .dim = b->upside_down};
    b->o = b->p0 = b->p1 = b->a;
    b->o.dim = b->p0.dim = b->p1.dim = b->dense;
    b->o.host = (uint8_t *)b->out;
    b->p1.host = (uint8_t *)b->second;
    b->p0.host = b->first;
    b->p0.type = (halide_type_t){1, 8, 1};
    return b;
}

static void bind_all(hlc_arguments *a, Buffers *b) {
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int(1000)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "a", &b->a), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &b->o), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "pair.0", &b->p0), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "pair.1", &b->p1), HLC_YES);
}

START_TEST(runs_on_the_callers_buffers) {
    hlc *h = load_text(SHIFT);
    Buffers *b = make_buffers();
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    bind_all(a, b);
    for (int machine = HLC_COMPILED; machine <= HLC_TARGET; machine++)
        for (int round = 0; round < 2; round++) {
            b->in[0] = 500 + round; /* what is bound is looked at in each run */
            memset(b->out, 0, sizeof b->out);
            ck_assert_int_eq(hlc_run(a, NULL, (hlc_machine)machine), HLC_YES);
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 3; x++) {
                    ck_assert_int_eq(b->out[x * 4 + y], b->in[9 - 3 * y + x] + 1000);
                    ck_assert_int_eq(b->second[x * 4 + y], 2 * b->out[x * 4 + y]);
                    ck_assert_int_eq(b->first[x * 4 + y], 10 + x);
                }
            ck_assert_ptr_eq(hlc_arguments_output(a, 0)->data, b->out);
        }
    /* What is bound later holds. */
    ck_assert_int_eq(hlc_arguments_set(a, "pair", "2x2+10+-2"), HLC_YES);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_YES);
    ck_assert_ptr_ne(hlc_arguments_output(a, 2)->data, b->second);
    ck_assert_int_eq(hlc_arguments_output(a, 2)->extent[0], 2);
    hlc_destroy(h);
    free(b);
}
END_TEST

/* f16 is HLC_FLOAT of 16 bits, bf16 is HLC_BFLOAT; buffers have the codes of a float and a bfloat. */
START_TEST(short_floats) {
    hlc *h = load_text(
        "pipeline p(a: image<f16, 1>, b: image<bf16, 1>, k: f16, g: bf16 = 1.5) -> (out, sum) {\n"
        "    fun out(x) = a(x) * k;\n"
        "    fun sum(x) = b(x) + g;\n"
        "}\n");
    hlc_input a = hlc_input_at(h, 0, 0), b = hlc_input_at(h, 0, 1), g = hlc_input_at(h, 0, 3);
    ck_assert(a.kind == HLC_FLOAT && a.bits == 16 && b.kind == HLC_BFLOAT && b.bits == 16);
    ck_assert(g.kind == HLC_BFLOAT && g.default_value.kind == HLC_FLOAT &&
              g.default_value.as.real == 1.5);
    uint16_t halves[] = {0x3c00, 0x3555, 0x7bff}, brains[] = {0x3f80, 0x3eaa, 0x8001};
    uint16_t out[3], sum[3];
    halide_dimension_t line = {0, 3, 1, 0};
    halide_buffer_t buffers[] = {{.host = (uint8_t *)halves, .type = {halide_type_float, 16, 1}},
                                 {.host = (uint8_t *)brains, .type = {halide_type_bfloat, 16, 1}},
                                 {.host = (uint8_t *)out, .type = {halide_type_float, 16, 1}},
                                 {.host = (uint8_t *)sum, .type = {halide_type_bfloat, 16, 1}}};
    static const char *const NAMES[] = {"a", "b", "out", "sum"};
    hlc_arguments *arguments = hlc_arguments_create(h, NULL);
    for (int i = 0; i < 4; i++) {
        buffers[i].dimensions = 1;
        buffers[i].dim = &line;
        ck_assert_int_eq(hlc_arguments_set_buffer(arguments, NAMES[i], &buffers[i]), HLC_YES);
        buffers[i].type.code ^= halide_type_float ^ halide_type_bfloat;
        ck_assert_int_eq(hlc_arguments_set_buffer(arguments, NAMES[i], &buffers[i]), HLC_USER);
        expect_diagnostic(h, "E0852");
        buffers[i].type.code ^= halide_type_float ^ halide_type_bfloat;
        ck_assert_int_eq(hlc_arguments_set_buffer(arguments, NAMES[i], &buffers[i]), HLC_YES);
        hlc_clear_diagnostics(h);
    }
    ck_assert_int_eq(hlc_arguments_set_value(arguments, "k", hlc_float(0.1)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(arguments, "g", hlc_int(257)), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(arguments, "g", hlc_int(256)), HLC_YES);
    for (int machine = HLC_COMPILED; machine <= HLC_TARGET; machine++) {
        ck_assert_int_eq(hlc_run(arguments, NULL, (hlc_machine)machine), HLC_YES);
        ck_assert_int_eq(out[0], 0x2e66);
        ck_assert_int_eq(out[1], 0x2844);
        ck_assert_int_eq(out[2], 0x6e65);
        ck_assert_int_eq(sum[0], 0x4380);
        ck_assert_int_eq(sum[2], 0x4380);
    }
    hlc_destroy(h);
}
END_TEST

START_TEST(refuses_buffers_that_do_not_fit) {
    hlc *h = load_text(SHIFT);
    Buffers *b = make_buffers();
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    bind_all(a, b);
    halide_buffer_t wrong = b->a;
    wrong.type.bits = 16;
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "a", &wrong), HLC_USER);
    expect_diagnostic(h, "E0852");
    wrong = b->a;
    wrong.flags = 2; /* newest on a device */
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "a", &wrong), HLC_USER);
    expect_diagnostic(h, "on a device");
    wrong = b->a;
    wrong.host = NULL;
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &wrong), HLC_USER);
    expect_diagnostic(h, "no host memory");
    wrong = b->a;
    wrong.dimensions = 1;
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &wrong), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "pair", &b->p0), HLC_USER);
    expect_diagnostic(h, "E0809");
    hlc_clear_diagnostics(h);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_YES); /* none of them was bound */
    /* An output over its input is refused by whatever runs it. */
    halide_buffer_t over = b->o;
    over.host = (uint8_t *)b->in;
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &over), HLC_YES);
    for (int machine = HLC_COMPILED; machine <= HLC_TARGET; machine++) {
        ck_assert_int_eq(hlc_run(a, NULL, (hlc_machine)machine), HLC_USER);
        expect_diagnostic(h, "overlap");
        hlc_clear_diagnostics(h);
    }
    /* Elements of a tuple share a window. */
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &b->o), HLC_YES);
    halide_dimension_t smaller[2] = {{10, 2, 4, 0}, {-2, 4, 1, 0}};
    wrong = b->p1;
    wrong.dim = smaller;
    ck_assert_int_eq(hlc_arguments_set_buffer(a, "pair.1", &wrong), HLC_YES);
    ck_assert_int_eq(hlc_run(a, NULL, HLC_COMPILED), HLC_USER);
    expect_diagnostic(h, "its box is not the output's window");
    hlc_destroy(h);
    free(b);
}
END_TEST

START_TEST(proposes_windows) {
    hlc *h = load_text(
        "pipeline p(a: image<u8, 3, interleaved>, k: i32) -> (o(a.width - k, (k, 4), a.channels):"
        " interleaved, t(k * k), guess) { fun o(x, y, c) = a(x, y, c);"
        " fun t(x) = {x, x}; fun guess(x, y) = x + y; }");
    hlc_arguments *a = hlc_arguments_create(h, NULL);
    halide_dimension_t dim[4] = {{0, 0, 0, 9}};
    halide_buffer_t box = {.dimensions = 3, .dim = dim};
    ck_assert_int_eq(hlc_arguments_propose(a, "o", &box), HLC_USER); /* nothing is bound */
    expect_diagnostic(h, "it depends on");
    ck_assert_int_eq(hlc_arguments_set(a, "a", "zero:10x7x3+5+5+0"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int(3)), HLC_YES);
    ck_assert_int_eq(hlc_arguments_propose(a, "o", &box), HLC_YES);
    halide_dimension_t wanted[] = {{0, 7, 3, 0}, {3, 4, 21, 0}, {0, 3, 1, 0}};
    ck_assert_mem_eq(dim, wanted, sizeof wanted);
    box.dimensions = 1;
    ck_assert_int_eq(hlc_arguments_propose(a, "t", &box), HLC_YES);
    ck_assert_int_eq(dim[0].extent, 9);
    ck_assert_int_eq(hlc_arguments_propose(a, "o", &box), HLC_USER);
    ck_assert_int_eq(hlc_arguments_propose(a, "none", &box), HLC_USER);
    ck_assert_int_eq(hlc_arguments_propose(a, NULL, &box), HLC_USER);
    ck_assert_int_eq(hlc_arguments_propose(a, "t", NULL), HLC_USER);
    ck_assert_int_eq(hlc_arguments_set_value(a, "k", hlc_int(11)), HLC_YES);
    box.dimensions = 3;
    ck_assert_int_eq(hlc_arguments_propose(a, "o", &box), HLC_USER);
    expect_diagnostic(h, "dimension 0 has -1 coordinates");
    box.dimensions = 2;
    ck_assert_int_eq(hlc_arguments_propose(a, "guess", &box), HLC_USER); /* no image is like it */
    ck_assert_int_eq(hlc_arguments_set(a, "guess", "5x6+1+2"), HLC_YES);
    ck_assert_int_eq(hlc_arguments_propose(a, "guess", &box), HLC_YES);
    ck_assert(dim[0].min == 1 && dim[0].extent == 5 && dim[1].min == 2 && dim[1].stride == 5);
    hlc_destroy(h);
}
END_TEST

START_TEST(keeps_objects_in_memory) {
    hlc *h = load_text(SHIFT);
    hlc_compile_options options = {.emit = "ll", .optimize = 2};
    hlc_object *text = hlc_compile_object(h, NULL, NULL, &options);
    hlc_object *object = hlc_compile_object(h, "shift", NULL, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(object);
    ck_assert_ptr_nonnull(strstr(hlc_object_bytes(text), "define"));
    ck_assert_uint_eq(strlen(hlc_object_bytes(text)), hlc_object_length(text));
    ck_assert_mem_eq(hlc_object_bytes(object), "\177ELF", 4);
    ck_assert_ptr_eq(hlc_take_object(object), object);
    ck_assert_ptr_null(hlc_compile_object(h, "nothing", NULL, NULL));
    expect_diagnostic(h, "E0804");
    hlc_destroy(h);
    ck_assert_mem_eq(hlc_object_bytes(object), "\177ELF", 4);
    hlc_object_destroy(object);
}
END_TEST

/* Every machine gives an output in the memory of its image the same values. */
START_TEST(updates_an_image_in_place) {
    hlc *h = load_text(
        "pipeline sums(line: image<i32, 1>, n: i32 = 9 in 1..16) -> out in line {\n"
        "    fun out(x) = { line(x);  rdom(r = (1, n - 1)) in (r) <- out(r) + out(r - 1); }\n"
        "}\n"
        "schedule seen for sums { wrap(line, seen); }\n");
    static const hlc_machine machines[] = {HLC_COMPILED, HLC_REFERENCE, HLC_TARGET, HLC_SEMANTICS};
    ck_assert_str_eq(hlc_output_at(h, 0, 0).shares, "line");
    for (size_t i = 0; i < 8; i++) {
        int32_t memory[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        static const int32_t after[12] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 10, 11, 12};
        halide_dimension_t dim = {0, 12, 1, 0};
        halide_buffer_t buffer = {
            .host = (uint8_t *)memory, .type = {0, 32, 1}, .dimensions = 1, .dim = &dim};
        hlc_arguments *a = hlc_arguments_create(h, "sums");
        ck_assert_int_eq(hlc_arguments_set_buffer(a, "line", &buffer), HLC_YES);
        ck_assert_int_eq(hlc_arguments_set_buffer(a, "out", &buffer), HLC_YES);
        ck_assert_int_eq(hlc_run(a, i < 4 ? NULL : "seen", machines[i % 4]), HLC_YES);
        ck_assert_mem_eq(memory, after, sizeof memory);
        hlc_arguments_destroy(a);
    }
    hlc_destroy(h);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("bind");
    tcase_add_test(cases, loads_from_memory);
    tcase_add_test(cases, imports_packages_from_memory);
    tcase_add_test(cases, loads_the_text_form_from_memory);
    tcase_add_test(cases, lists_inputs_and_outputs);
    tcase_add_test(cases, binds_values);
    tcase_add_test(cases, runs_on_the_callers_buffers);
    tcase_add_test(cases, updates_an_image_in_place);
    tcase_add_test(cases, short_floats);
    tcase_add_test(cases, refuses_buffers_that_do_not_fit);
    tcase_add_test(cases, proposes_windows);
    tcase_add_test(cases, keeps_objects_in_memory);
    tcase_set_timeout(cases, 120);
    return run_suite("library_bind", cases);
}
