/* Tests of frontend/: the program of docs/language.md, and what each construct becomes. */
#include "tests/unit/frontend_support.h"

START_TEST(program_of_the_language_page) {
    size_t length;
    const char *path = TEST_SOURCE_DIR "/../examples/blur.hl";
    const char *text = read_file(NULL, arena, path, &length);
    ck_assert_ptr_nonnull(text);
    Module *module = good(text);
    ck_assert_uint_eq(module->pipelines.length, 1);
    ck_assert_uint_eq(module->schedules.length, 2);
    check_stage(module, "g", 1, "(x, y) <- f[r + x, y] + g[x, y]");
    check_stage(module, "out", 0, "(x, y) <- u8(h[x, y]/((w*2:i32 + 1:i32)*(w*2:i32 + 1:i32)))");
    const Schedule *tiled = module_schedule(module, module->pipelines.data[0], "tiled");
    ck_assert_ptr_nonnull(tiled);
    ck_assert_uint_eq(tiled->directives.length, 6);
    static const char *const lines[] = {
        "split(h.s1.x, xo, xi, 256)",  "split(h.s1.y, yo, yi, 32)", "swap(h.s1.yi)",
        "traverse(h.s1.yo, parallel)", "compute-at(g, h.s1.xo)",    "store-at(g, h.s1.xo)"};
    for (size_t i = 0; i < 6; i++)
        ck_assert_str_eq(directive_text(arena, &tiled->directives.data[i]), lines[i]);
    ck_assert_uint_eq(module_schedule(module, module->pipelines.data[0], "fast")->directives.length,
                      8);
}
END_TEST

/* Loads each block marked hl; the result is how many there are. */
static size_t load_blocks(const char *page) {
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, "```hl\n")); count++) {
        const char *end = strstr(at += 6, "```");
        ck_assert_ptr_nonnull(end);
        good(arena_text(arena, at, (size_t)(end - at)));
    }
    return count;
}

START_TEST(the_page_of_the_language_is_true) {
    size_t length = 0;
    const char *page = read_file(NULL, arena, TEST_SOURCE_DIR "/../docs/language.md", &length);
    ck_assert_ptr_nonnull(page);
    ck_assert_uint_ge(load_blocks(page), 3);
    for (int kind = 0; kind < DIRECTIVE_COUNT; kind++) {
        const char *text = directive_info((DirectiveKind)kind)->text;
        ck_assert_msg(strstr(page, arena_format(arena, "`%s(", text)) != NULL, "%s", text);
    }
    for (int op = 0; op < OP_COUNT; op++)
        ck_assert_msg(strstr(page, op_info((Op)op)->text) != NULL, "%s", op_info((Op)op)->text);
}
END_TEST

/* A pipeline with an image, parameters and one output, around `items`. */
static Module *around(const char *items) {
    return good(
        arena_format(arena,
                     "pipeline p(input: image<u8, 2>, a: image<f32, 2>, w: i32 = 3 in 0..64, "
                     "t: f32 = 0.5) -> out {\n%s\n}\n",
                     items));
}

START_TEST(parameters_have_defaults_and_ranges) {
    Module *module =
        good("pipeline p(w: i32 = -3 in -4..64, t: f32 = 0.5 in 0.0..1.0, b: bool = true, "
             "u: u64 in 0..18446744073709551615, c: image<u8, 3, interleaved>, "
             "s: image<i16, 1, strided>) -> out { fun out() = w; }");
    const Signature *signature = &module->pipelines.data[0]->signature;
    ck_assert_uint_eq(signature->parameters.length, 4);
    const Parameter *w = &signature->parameters.data[0];
    ck_assert(w->has_default && w->has_range);
    ck_assert_int_eq(w->default_value, -3);
    ck_assert_int_eq(w->lower, -4);
    ck_assert_int_eq(w->upper, 64);
    const Parameter *t = &signature->parameters.data[1];
    ck_assert_double_eq(bits_to_double(F32, t->default_value), 0.5);
    ck_assert_double_eq(bits_to_double(F32, t->upper), 1.0);
    ck_assert_int_eq(signature->parameters.data[2].default_value, 1);
    ck_assert(!signature->parameters.data[2].has_range);
    ck_assert_int_eq(signature->parameters.data[3].upper, -1);
    ck_assert(!signature->parameters.data[3].has_default);
    ck_assert_int_eq(signature->images.data[0].layout, LAYOUT_INTERLEAVED);
    ck_assert_int_eq(signature->images.data[1].layout, LAYOUT_STRIDED);
    ck_assert_uint_eq(signature->inputs.length, 6);
    ck_assert(signature->inputs.data[5].is_image);
    ck_assert_int_eq(module->pipelines.data[0]->funcs.data[0]->shape->dimensions, 0);
}
END_TEST

START_TEST(updates_have_rdoms_predicates_and_indices) {
    Module *module = around("fun hist(i): u32 = {\n"
                            "  0;\n"
                            "  rdom(r = (0, input.width); s = (input.min(1), input.extent(1))) in\n"
                            "    (input(r, s)) <- hist(input(r, s)) + 1 if r != s;\n"
                            "  <- hist(i) * 2;\n"
                            "  (3) <- 7\n"
                            "}\n"
                            "fun out(x, y) = hist(x + y);");
    const Func *hist = module->pipelines.data[0]->funcs.data[0];
    check_stage(module, "hist", 1,
                "(index(input[r, s])) <- hist[index(input[r, s])] + 1:u32 if i32(r) != i32(s)");
    check_stage(module, "hist", 2, "(i) <- hist[i]*2:u32");
    check_stage(module, "hist", 3, "(3) <- 7:u32");
    ck_assert(!hist->stages.data[1]->pure[0] && hist->stages.data[2]->pure[0]);
    ck_assert(!hist->stages.data[3]->pure[0]);
    const Stage *update = hist->stages.data[1];
    ck_assert_uint_eq(update->reduction.length, 2);
    ck_assert_str_eq(expr_text(arena, update->reduction.data[1].interval.minimum), "input.min.1");
    ck_assert_str_eq(expr_text(arena, update->reduction.data[1].interval.length), "input.extent.1");
    ck_assert_uint_eq(update->sites.length, 2);
    ck_assert_uint_eq(update->sites.data[0].place.line, 5);
    ck_assert_uint_eq(update->sites.data[0].place.column, 6);
}
END_TEST

START_TEST(a_repeated_index_leaves_a_reduction_dimension) {
    Module *module = around("fun d(x, y) = { 0;  (x, x) <- 1; }\nfun out(x, y) = d(x, y);");
    const Stage *update = module->pipelines.data[0]->funcs.data[0]->stages.data[1];
    ck_assert(update->pure[0] && !update->pure[1]);
    check_stage(module, "d", 1, "(x, x) <- 1:i32");
}
END_TEST

START_TEST(sorts_follow_the_position) {
    Module *module = around(
        "let shifted(i) = i * 2 + w;\n"
        "fun f(x, y) = i32(input(shifted(x), min(y, 3) % 5)) + shifted(x);\n"
        "fun g(x, y) = f(input(x, y) % 10, select(x < y, x, -y)) + f(x >> 2, (x << 1) - abs(y));\n"
        "fun out(x, y) = f(i32(t), i32(x + y)) + (x > y ? x : y) + f(f(x, y) & 7, clamp(x, 0, "
        "w));");
    check_stage(module, "f", 0,
                "(x, y) <- i32(x)*2:i32 + w + i32(input[x*2 + index(w), min(y, 3) % 5])");
    check_stage(module, "g", 0,
                "(x, y) <- f[x/4, x*2 - abs(y)] + f[index(input[x, y]) % 10, select(i32(x) < "
                "i32(y), x, -y)]");
    check_stage(module, "out", 0,
                "(x, y) <- select(i32(y) < i32(x), i32(x), i32(y)) + f[index(i32(t)), index(i32(x) "
                "+ i32(y))] + f[index(f[x, y] & 7:i32), max(min(index(w), x), 0)]");
}
END_TEST

START_TEST(lets_and_helpers_are_lexically_scoped) {
    Module *module =
        good("const two = 2;\n"
             "let twice(a) = a * two;\n"
             "pipeline p(w: i32) -> out {\n"
             "    let y = w + 1;\n"
             "    let add(a) = a + y;\n"
             "    fun out(x, y) = { let two = 5;  let z = y * two;  twice(add(z)) + w;\n"
             "                      let z = 3;  <- out(x, y) + z; }\n"
             "}");
    check_stage(module, "out", 0, "(x, y) <- (w + 1:i32 + i32(y)*5:i32)*2:i32 + w");
    check_stage(module, "out", 1, "(x, y) <- out[x, y] + 3:i32");
}
END_TEST

START_TEST(helpers_take_funcs_and_tuples) {
    Module *module =
        around("let blur3(f, x, y) = f(x - 1, y) + f(x, y) + f(x + 1, y);\n"
               "let pair(i) = {i + 1, i * 2};\n"
               "let src = repeat_edge(a, (0, w), _);\n"
               "fun tt(x, y) = pair(x);\n"
               "fun out(x, y) = blur3(src, x, y) + f32(tt(x, y).1) + a(pair(x).0, pair(y).1);");
    check_stage(module, "tt", 0, "(x, y) <- i32(x) + 1:i32, i32(x)*2:i32");
    check_stage(
        module, "out", 0,
        "(x, y) <- a[max(min(index(w) + 0 - 1, x - 1), 0), y] + a[max(min(index(w) + 0 - 1, x), "
        "0), y] + a[max(min(x + 1, index(w) + 0 - 1), 0), y] + f32(tt[x, y].1) + a[x + 1, y*2]");
    ck_assert_uint_eq(module->pipelines.data[0]->requirements.length, 1);
    ck_assert_uint_eq(module->pipelines.data[0]->boundaries.length, 0);
}
END_TEST

START_TEST(tables_expand_to_choices) {
    Module *module = around("const k = [1, 2, 1];\n"
                            "const m: f32 = [[1, 2], [3, 4]];\n"
                            "fun out(x, y) = f32(input(k[x], k[2]) * k[1]) * m[x][1] + m[0][1];");
    check_stage(module, "out", 0,
                "(x, y) <- select(x < 1, 2.0:f32, 4.0:f32)*f32(input[select(x < 2, select(x < 1, "
                "1, 2), 1), 1]*2:u8) + 2.0:f32");
}
END_TEST

START_TEST(declared_types_hold_in_indices_too) {
    Module *module =
        around("fun out(x, y) = { let n: u8 = u8(x) + 1;  let i: i32 = 3;  const k: u8 = [1, 2];\n"
               "  input(n, i) + input(k[y], x); }");
    check_stage(module, "out", 0,
                "(x, y) <- input[select(y < 1, 1, 2), x] + input[index(u8(i32(x)) + 1:u8), 3]");
}
END_TEST

START_TEST(tuples_are_read_whole_or_by_component) {
    Module *module =
        around("fun tt(x, y): {i32, f32} = {0, 1.5};\n"
               "fun s(x, y) = { tt(x, y);  (x, y) <- select(x > y, s(x, y), {s(x, y).0 "
               "+ 1, 2.0}) if tt(x, y).0 > 1; }\n"
               "fun out(x, y) = f32(s(x, y).0) + s(x, y).1;");
    check_stage(module, "tt", 0, "(x, y) <- 0:i32, 1.5:f32");
    check_stage(
        module, "s", 1,
        "(x, y) <- select(i32(y) < i32(x), s[x, y], s[x, y] + 1:i32), select(i32(y) < i32(x), "
        "s[x, y].1, 2.0:f32) if 1:i32 < tt[x, y]");
}
END_TEST

START_TEST(inline_reductions_become_funcs) {
    Module *module =
        around("fun f(x, y) = sum(r in (-w, 2*w + 1)) i32(input(x + r, y)) * 2;\n"
               "fun g(x, y) = (argmin(r in (0, 3), s in (0, 2)) a(x + r, s)).1;\n"
               "fun h(x, y) = maximum(r in (0, 4)) sum(s in (0, 3)) input(r, s + y) + r;\n"
               "fun out(x, y) = f(x, y) + g(x, y) + h(x, y) + sum(r in (-w, 2*w + 1)) "
               "i32(input(x + r, y)) * 2;");
    const Pipeline *pipeline = module->pipelines.data[0];
    ck_assert_uint_eq(pipeline->funcs.length, 8);
    check_stage(module, "f", 0, "(x, y) <- f_sum[x, y]");
    check_stage(module, "f_sum", 0, "(x, y) <- 0:i32");
    check_stage(module, "f_sum", 1, "(x, y) <- i32(input[r + x, y])*2:i32 + f_sum[x, y]");
    check_stage(module, "g", 0, "(x, y) <- g_argmin[x].1");
    check_stage(module, "g_argmin", 0, "(x) <- 0:i32, 0:i32, inf:f32");
    check_stage(
        module, "g_argmin", 1,
        "(x) <- select(a[r + x, s] < g_argmin[x].2, i32(r), g_argmin[x]), select(a[r + x, s] < "
        "g_argmin[x].2, i32(s), g_argmin[x].1), select(a[r + x, s] < g_argmin[x].2, a[r + x, "
        "s], g_argmin[x].2)");
    check_stage(module, "h_sum", 1, "(y, r) <- i32(r) + i32(input[r, s + y]) + h_sum[y, r]");
    check_stage(module, "h_maximum", 0, "(y) <- -2147483648:i32");
    check_stage(module, "h_maximum", 1, "(y) <- max(h_maximum[y], h_sum[y, r])");
    /* The same sum again is the same func. */
    check_stage(module, "out", 0, "(x, y) <- f[x, y] + g[x, y] + h[x, y] + f_sum[x, y]");
}
END_TEST

START_TEST(reduction_variables_capture_nothing) {
    Module *module =
        around("let three(v) = sum(r in (0, 3)) v + r;\n"
               "fun out(x, y) = { 0;  rdom(r = (0, 9)) in (x, y) <- out(x, y) + three(r); }");
    check_stage(module, "out_sum", 1, "(r) <- i32(r) + i32(r2) + out_sum[r]");
    check_stage(module, "out", 1, "(x, y) <- out_sum[r] + out[x, y]");
}
END_TEST

START_TEST(generated_names_are_nobody_elses) {
    Module *module = good("const out_sum = 5;\n"
                          "pipeline p(out_sum2: i32) -> out {\n"
                          "  fun out(x) = (sum(r in (0, 3)) r) + out_sum + out_sum2;\n"
                          "  fun out_sum3(x) = out_sum;\n"
                          "}");
    check_stage(module, "out", 0, "(x) <- out_sum4[] + 5:i32 + out_sum2");
    check_stage(module, "out_sum3", 0, "(x) <- 5:i32");
}
END_TEST

START_TEST(boundary_conditions_fold_coordinates) {
    Module *module = around("fun e(x, y) = repeat_image(input)(x, y);\n"
                            "fun m(x, y) = mirror_image(a, (0, 10), (2, 5))(x, y);\n"
                            "fun i(x, y) = mirror_interior(a, (0, 10), _)(x, y);\n"
                            "let zero = constant_exterior(input, 7);\n"
                            "fun out(x, y) = m(x, y) + i(x, y) + f32(e(x, y)) + f32(zero(x, y));");
    check_stage(module, "e", 0,
                "(x, y) <- input[max(min((x - input.min.0) % input.extent.0 + input.min.0, "
                "input.extent.0 + input.min.0 - 1), input.min.0), max(min((y - input.min.1) % "
                "input.extent.1 + input.min.1, input.extent.1 + input.min.1 - 1), input.min.1)]");
    ck_assert_ptr_nonnull(strstr(stage_text(module, "out", 0),
                                 "select(x < input.extent.0 + input.min.0 && input.min.0 <= x && "
                                 "(y < input.extent.1 + input.min.1 && input.min.1 <= y), input["));
    ck_assert_uint_eq(module->pipelines.data[0]->boundaries.length, 2);
    ck_assert_uint_eq(module->pipelines.data[0]->requirements.length, 0);
}
END_TEST

START_TEST(only_reached_funcs_ask_for_full_images) {
    Module *module =
        around("fun unused(x, y) = repeat_edge(a)(x, y);\n"
               "fun out(x, y) = repeat_edge(input, (input.min(0), input.width), _)(x, y);");
    ck_assert_uint_eq(module->pipelines.data[0]->boundaries.length, 0);
    ck_assert_uint_eq(module->pipelines.data[0]->requirements.length, 1);
    ck_assert_str_eq(expr_text(arena, module->pipelines.data[0]->requirements.data[0].condition),
                     "0 < input.extent.0");
}
END_TEST

START_TEST(contraction_fuses_products) {
    Module *module = good("pipeline p(a: f32, b: f32, c: f32, d: f32) -> out with contraction {\n"
                          "  let ab = a * b;\n"
                          "  fun f(x) = {ab + c, ab + c * d, ab - c, c - ab, a + b, c + ab};\n"
                          "  fun out(x) = f(x).0;\n"
                          "}");
    ck_assert(module->pipelines.data[0]->contraction);
    check_stage(
        module, "f", 0,
        "(x) <- fma(a, b, c), fma(a, b, c*d), fma(a, b, -c), fma(-a, b, c), a + b, fma(a, b, c)");
    Module *plain = good("pipeline p(a: f32, b: f32, c: f32) -> out { fun out(x) = a * b + c; }");
    check_stage(plain, "out", 0, "(x) <- a*b + c");
}
END_TEST

/* The product is folded, but the operation that it is added in rounds once. */
START_TEST(contraction_fuses_products_of_constants) {
    Module *module =
        good("pipeline p(c: f64, d: f32) -> out with contraction {\n"
             "  let k = f64(0.1) * f64(0.1);\n"
             "  let half: f32 = f32(0.1 * 0.3);\n"
             "  fun f(x) = {k - c, c + k, c - k, k * c + k, d + half, k * 3, f64(half) + c};\n"
             "  fun out(x) = f(x).0;\n"
             "}");
    check_stage(
        module, "f", 0,
        "(x) <- fma(0.1:f64, 0.1:f64, -c), fma(0.1:f64, 0.1:f64, c), fma(-0.1:f64, 0.1:f64, c), "
        "fma(c, 0.010000000000000002:f64, 0.010000000000000002:f64), fma(0.1:f32, 0.3:f32, d), "
        "0.030000000000000006:f64, c + 0.030000001192092896:f64");
}
END_TEST

START_TEST(requirements_are_startup_conditions) {
    Module *module = around("require(w % 2 == 1 && input.extent(0) > w, \"w is odd\");\n"
                            "fun out(x, y) = input(x, y);");
    const Requirement *requirement = &module->pipelines.data[0]->requirements.data[0];
    ck_assert_str_eq(requirement->message, "w is odd");
    ck_assert_str_eq(expr_text(arena, requirement->condition),
                     "w % 2:i32 == 1:i32 && w < i32(input.extent.0)");
}
END_TEST

START_TEST(several_outputs_and_forward_declarations) {
    Module *module = good("pipeline p(w: i32) -> (a, b) {\n"
                          "  fun b(x): i32;\n"
                          "  fun a(x, y) = {w, 2.5};\n"
                          "  fun b(x): i32 = w + a(x, x).0;\n"
                          "}");
    const Signature *signature = &module->pipelines.data[0]->signature;
    ck_assert_uint_eq(signature->outputs.length, 2);
    ck_assert(signature->funcs.data[0]->is_output && signature->funcs.data[1]->is_output);
    ck_assert_int_eq(signature->funcs.data[0]->components, 2);
}
END_TEST

START_TEST(a_definition_agrees_with_its_declaration) {
    Module *module = good("pipeline p() -> f { fun f(x): {u8, f32};  fun f(i) = {3, 1.5}; }");
    ck_assert_str_eq(type_name(module->pipelines.data[0]->funcs.data[0]->shape->types[0]), "u8");
    static const struct {
        const char *text;
        DiagCode code;
    } refused[] = {
        {"pipeline p() -> f { fun f(x): u8;  fun f(x): i8 = 1; }", DIAG_WRONG_TYPE},
        {"pipeline p() -> f { fun f(x): u8;  fun f(x) = 1.5; }", DIAG_LITERAL_DOES_NOT_FIT},
        {"pipeline p() -> f { fun f(x): u8;  fun f(x): {u8, u8} = {1, 2}; }", DIAG_COMPONENT_COUNT},
        {"pipeline p() -> f { fun f(x): u8;  fun f(x, y) = 1; }", DIAG_COORDINATE_COUNT},
        {"pipeline p() -> f { fun f(x): u8;  fun f(x): u8;  fun f(x) = 1; fun f(x) = 1; }",
         DIAG_DUPLICATE_FUNC}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t before = context->reports.length;
        ck_assert_ptr_null(load(refused[i].text));
        ck_assert_uint_eq(context->reports.length, before + 1);
        ck_assert_int_eq(context->reports.data[before].code, refused[i].code);
    }
}
END_TEST

START_TEST(schedules_name_loops_in_every_way) {
    Module *module =
        around("fun out(x, y) = { 0;  rdom(r = (0, 3)) in (x, y) <- out(x, y) + r; }\n}\n"
               "schedule s for p {\n"
               "    specialize(out, w > 3, out.extent(0) >= 16);\n"
               "    split(<out, z1, s1, x>, xo, xi, w + 1, shift-inwards);\n"
               "    swap(out.z2.s1.y); reorder(out.x, out.y); swap(<out, x>)\n"
               "");
    const Schedule *schedule = module->schedules.data[0];
    static const char *const lines[] = {"specialize(out, 3:i32 < w, 16:i32 <= i32(out.extent.0))",
                                        "split(out.z1.s1.x, xo, xi, index(w) + 1, shift-inwards)",
                                        "swap(out.z2.s1.y)", "reorder(out.x, out.y)",
                                        "swap(out.x)"};
    ck_assert_uint_eq(schedule->directives.length, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(directive_text(arena, &schedule->directives.data[i]), lines[i]);
}
END_TEST

static uint32_t text_file(const char *text) {
    return context_add_file(context, "command line", text, strlen(text));
}

START_TEST(points_are_read) {
    Module *module = around("fun out(x, y) = input(x, y);");
    const Pipeline *pipeline = module->pipelines.data[0];
    Symbol func;
    int64_t point[MAX_DIMENSIONS];
    int dimensions;
    ck_assert(frontend_point(module, pipeline, text_file("out(3, -4)"), &func, point, &dimensions));
    ck_assert_str_eq(func->text, "out");
    ck_assert_int_eq(dimensions, 2);
    ck_assert_int_eq(point[0], 3);
    ck_assert_int_eq(point[1], -4);
    static const struct {
        const char *text;
        DiagCode code;
    } refused[] = {{"3", DIAG_NOT_A_POINT},
                   {"out(3, x)", DIAG_NOT_A_POINT},
                   {"out(3)", DIAG_COORDINATE_COUNT},
                   {"oot(3, 4)", DIAG_UNKNOWN_NAME},
                   {"out(3, 4) 5", DIAG_EXPECTED}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t before = context->reports.length;
        ck_assert(!frontend_point(module, pipeline, text_file(refused[i].text), &func, point,
                                  &dimensions));
        ck_assert_uint_eq(context->reports.length, before + 1);
        ck_assert_int_eq(context->reports.data[before].code, refused[i].code);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("programs");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, program_of_the_language_page);
    tcase_add_test(tests, the_page_of_the_language_is_true);
    tcase_add_test(tests, parameters_have_defaults_and_ranges);
    tcase_add_test(tests, updates_have_rdoms_predicates_and_indices);
    tcase_add_test(tests, a_repeated_index_leaves_a_reduction_dimension);
    tcase_add_test(tests, sorts_follow_the_position);
    tcase_add_test(tests, lets_and_helpers_are_lexically_scoped);
    tcase_add_test(tests, helpers_take_funcs_and_tuples);
    tcase_add_test(tests, declared_types_hold_in_indices_too);
    tcase_add_test(tests, tables_expand_to_choices);
    tcase_add_test(tests, tuples_are_read_whole_or_by_component);
    tcase_add_test(tests, inline_reductions_become_funcs);
    tcase_add_test(tests, reduction_variables_capture_nothing);
    tcase_add_test(tests, generated_names_are_nobody_elses);
    tcase_add_test(tests, boundary_conditions_fold_coordinates);
    tcase_add_test(tests, only_reached_funcs_ask_for_full_images);
    tcase_add_test(tests, contraction_fuses_products);
    tcase_add_test(tests, contraction_fuses_products_of_constants);
    tcase_add_test(tests, requirements_are_startup_conditions);
    tcase_add_test(tests, several_outputs_and_forward_declarations);
    tcase_add_test(tests, a_definition_agrees_with_its_declaration);
    tcase_add_test(tests, schedules_name_loops_in_every_way);
    tcase_add_test(tests, points_are_read);
    return run_suite("frontend", tests);
}
