/* Types of expressions: joins, literals, conversions; what boundary conditions and tables read. */
#include "tests/unit/frontend_support.h"

#include "ir/walk.h"

static const char header[] = "pipeline p(a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: "
                             "i64, s: f32, t: f64, q: bool) "
                             "-> out { fun out(x) = ";

/* The value of `out`; null after reporting. */
static Expr value_of(const char *expression) {
    Module *module = load(arena_format(arena, "%s%s; }", header, expression));
    if (!module)
        return NULL;
    return pipeline_func(module->pipelines.data[0], context_symbol(context, "out"))
        ->stages.data[0]
        ->values[0];
}

START_TEST(expressions_have_types) {
    static const struct {
        const char *expression, *type, *text; /* text null: not looked at */
    } rows[] = {
        {"a + a", "u8", NULL},
        {"a + b", "u16", "u16(a) + b"},
        {"a + e", "i16", NULL},
        {"b + e", "i32", NULL},
        {"c + g", "i64", NULL},
        {"a + g", "i32", NULL},
        {"h + c", "i64", NULL},
        {"a * s", "f32", NULL},
        {"f * s", "f32", NULL},
        {"g * s", "f64", NULL},
        {"c * t", "f64", NULL},
        {"s + t", "f64", NULL},
        {"a + 255", "u8", "a + 255:u8"},
        {"a + 256", "i32", "i32(a) + 256:i32"},
        {"a + -1", "i32", NULL},
        {"e - 128", "i32", NULL}, /* 128 is no i8 */
        {"e + -128", "i8", "e + -128:i8"},
        {"d + 18446744073709551615", "u64", NULL},
        {"h + 4294967296", "i64", NULL},
        {"s + 1", "f32", "s + 1.0:f32"},
        {"t + 0.1", "f64", "t + 0.1:f64"},
        {"a + 0.5", "f32", NULL},
        {"g + 0.5", "f64", NULL},
        {"1 + 2", "i32", "3:i32"},
        {"1 + 2.5", "f32", "3.5:f32"},
        {"-2147483648", "i32", "-2147483648:i32"},
        {"x", "i32", "i32(x)"},
        {"x + 0.5", "f64", NULL},
        {"x < g", "bool", NULL},
        {"a < e", "bool", "i16(a) < i16(e)"},
        {"q == true", "bool", NULL},
        {"!q && a > 3", "bool", NULL},
        {"select(q, a, 1)", "u8", NULL},
        {"q ? 1 : 2.0", "f32", NULL},
        {"q ? a : e", "i16", NULL},
        {"min(a, 3)", "u8", NULL},
        {"clamp(a, 1, b)", "u16", "max(min(u16(a), b), 1:u16)"},
        {"clamp(s, 0, 1)", "f32", "max(min(s, 1.0:f32), 0.0:f32)"},
        {"absd(e, 3)", "u8", NULL},
        {"absd(e, a)", "u16", NULL},
        {"widening_mul(a, 3)", "u16", NULL},
        {"saturating_add(a, 3)", "u8", NULL},
        {"mul_shift_right(f, f, 15)", "i16", "mul_shift_right(f, f, 15:u16)"},
        {"lerp(a, a, 128)", "u8", "lerp(a, a, 128:u8)"},
        {"lerp(f, f, b)", "i16", NULL},
        {"lerp(s, 1, 0.5)", "f32", NULL},
        {"a << 3", "u8", "a << 3:u8"},
        {"c >> a", "u32", "c >> u32(a)"},
        {"1 << a", "i32", NULL},
        {"popcount(a)", "u8", NULL},
        {"~a", "u8", NULL},
        {"a & 15", "u8", NULL},
        {"sqrt(2)", "f32", "1.4142135:f32"},
        {"sqrt(t)", "f64", NULL},
        {"pow(s, 2)", "f32", "pow(s, 2.0:f32)"},
        {"atan2(1, t)", "f64", NULL},
        {"is_nan(s)", "bool", NULL},
        {"fma(s, 2, 1)", "f32", NULL},
        {"u8(3)", "u8", "3:u8"},
        {"u8(300)", "u8", "44:u8"},
        {"u8(300.0)", "u8", "255:u8"},
        {"u8(-1)", "u8", "255:u8"},
        {"u32(4294967295)", "u32", "4294967295:u32"},
        {"u8_sat(g)", "u8", "saturating_cast<u8>(g)"},
        {"i16_sat(70000)", "i16", "32767:i16"},
        {"saturating_cast<i8>(s)", "i8", NULL},
        {"cast<f64>(1)", "f64", "1.0:f64"},
        {"f64(0.1)", "f64", "0.1:f64"},
        {"f32(16777217)", "f32", "16777216.0:f32"},
        {"reinterpret<u32>(s)", "u32", NULL},
        {"reinterpret<f32>(g)", "f32", NULL},
        {"bool(a)", "bool", NULL},
        {"bool(2)", "bool", "true"},
        {"u8(q)", "u8", NULL},
        {"g div 3 + g mod 3", "i32", "g/3:i32 + g % 3:i32"},
        {"a - b * 2 / 3 % 5", "u16", "u16(a) - b*2:u16/3:u16 % 5:u16"},
        {"g & 3 == 1 ? 5 : 6", NULL, NULL},
        {"(g & 3) == 1 ? 5 : 6", "i32", NULL},
        {"g | 1 ^ g & 3 << 1", "i32", NULL},
        {"0x10 + a", "u8", "a + 16:u8"},
        {"- -a", "u8", NULL},
        {"sum(r in (0, 3)) a", "u8", NULL},
        {"product(r in (0, 3)) r", "i32", NULL},
        {"(argmax(r in (0, 3)) a).1", "u8", NULL},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Expr value = value_of(rows[i].expression);
        const char *type = value ? type_name(value->type) : NULL;
        const char *text = value ? expr_text(arena, value) : "refused";
        bool right = type && rows[i].type ? !strcmp(type, rows[i].type) : type == rows[i].type;
        if (right && (!rows[i].text || !strcmp(text, rows[i].text)))
            continue;
        fprintf(stderr, "%s: %s, %s\n", rows[i].expression, type ? type : "", text);
        wrong++;
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(ill_typed_expressions_are_refused) {
    static const struct {
        const char *expression;
        DiagCode code;
    } rows[] = {
        {"h + s", DIAG_NO_COMMON_TYPE},
        {"d + e", DIAG_NO_COMMON_TYPE},
        {"d * t", DIAG_NO_COMMON_TYPE},
        {"q + a", DIAG_NO_COMMON_TYPE},
        {"q + q", DIAG_OPERAND_TYPE},
        {"q < q", DIAG_OPERAND_TYPE},
        {"-q", DIAG_OPERAND_TYPE},
        {"!a", DIAG_OPERAND_TYPE},
        {"a && q", DIAG_NO_COMMON_TYPE},
        {"a && b", DIAG_OPERAND_TYPE},
        {"div_round_to_zero(s, 2)", DIAG_OPERAND_TYPE},
        {"s & 1", DIAG_OPERAND_TYPE},
        {"s << 1", DIAG_OPERAND_TYPE},
        {"a << s", DIAG_WRONG_TYPE},
        {"a << c", DIAG_WRONG_TYPE},
        {"sqrt(g)", DIAG_OPERAND_TYPE},
        {"select(a, 1, 2)", DIAG_WRONG_TYPE},
        {"select(q, q, 1)", DIAG_NO_COMMON_TYPE},
        {"lerp(a, a, s)", DIAG_INTEGER_WEIGHT},
        {"lerp(a, a, 256)", DIAG_LITERAL_DOES_NOT_FIT},
        {"widening_mul(h, h)", DIAG_OPERAND_TYPE},
        {"is_nan(a)", DIAG_OPERAND_TYPE},
        {"popcount(s)", DIAG_OPERAND_TYPE},
        {"5000000000", DIAG_LITERAL_TOO_LARGE},
        {"2147483648", DIAG_LITERAL_TOO_LARGE},
        {"1e39", DIAG_LITERAL_TOO_LARGE},
        {"s + 1e39", DIAG_LITERAL_TOO_LARGE},
        {"t + 1e309", DIAG_LITERAL_TOO_LARGE},
        {"u64(-1.0e500)", DIAG_LITERAL_TOO_LARGE},
        {"reinterpret<f32>(a)", DIAG_CONVERSION},
        {"f32_sat(a)", DIAG_CONVERSION},
        {"[1, 2]", DIAG_NOT_A_VALUE},
        {"(1, 2)", DIAG_NOT_A_VALUE},
        {"out", DIAG_NOT_A_VALUE},
        {"min(1)", DIAG_ARGUMENT_COUNT},
        {"reinterpret(s)", DIAG_CONVERSION_SPELLING},
        {"sum(r in (0, 3)) q", DIAG_OPERAND_TYPE},
        {"sum(r in (0, x)) a", DIAG_STARTUP_VARIABLE},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t before = context->reports.length;
        bool refused = !value_of(rows[i].expression);
        bool one = context->reports.length == before + 1;
        if (refused && one && context->reports.data[before].code == rows[i].code)
            continue;
        fprintf(stderr, "%s: %s, %zu reports\n", rows[i].expression,
                refused ? diag_info(context->reports.data[before].code)->name : "accepted",
                context->reports.length - before);
        wrong++;
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

/* An f32 literal is rounded once: 1 + 2^-24 + 2^-54 lies above the middle of two floats, but not
 * after it has been rounded to double. */
START_TEST(floats_are_rounded_once) {
    Expr value = value_of("s + 1.00000005960464483090145");
    ck_assert_str_eq(expr_text(arena, value), "s + 1.0000001:f32");
}
END_TEST

/* Where `condition` reads for coordinates -6 .. 9 of an interval [2, 2 + extent). */
static int64_t folded(const char *condition, int extent, int64_t at) {
    Module *module = good(arena_format(arena,
                                       "pipeline p(input: image<u8, 1>) -> out { fun out(x) = "
                                       "%s(input, (2, %d))(x); }",
                                       condition, extent));
    Pipeline *pipeline = module->pipelines.data[0];
    const Stage *stage = pipeline->funcs.data[0]->stages.data[0];
    Expr index = stage->sites.data[0].access->arguments[0];
    index = expr_substitute(pipeline->pool, arena, index, context_symbol(context, "x"),
                            expr_index(pipeline->pool, at));
    int64_t value;
    ck_assert_msg(expr_constant_integer(index, &value), "%s", expr_text(arena, index));
    return value;
}

START_TEST(boundary_conditions_read_where_they_say) {
    static const struct {
        const char *condition;
        int extent;
        int64_t reads[16]; /* at -6 .. 9 */
    } rows[] = {
        {"repeat_edge", 4, {2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 5, 5, 5, 5, 5}},
        {"repeat_image", 4, {2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4, 5}},
        {"mirror_image", 4, {2, 3, 4, 5, 5, 4, 3, 2, 2, 3, 4, 5, 5, 4, 3, 2}},
        {"mirror_interior", 4, {4, 3, 2, 3, 4, 5, 4, 3, 2, 3, 4, 5, 4, 3, 2, 3}},
        {"repeat_image", 1, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {"mirror_image", 1, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {"mirror_interior", 1, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {"mirror_interior", 2, {2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int at = 0; at < 16; at++)
            ck_assert_msg(folded(rows[i].condition, rows[i].extent, at - 6) == rows[i].reads[at],
                          "%s of %d at %d", rows[i].condition, rows[i].extent, at - 6);
}
END_TEST

START_TEST(tables_read_their_nearest_end) {
    static const int64_t reads[] = {10, 10, 10, 20, 30, 40, 50, 50, 50};
    Module *module = good("const k: u8 = [10, 20, 30, 40, 50];\n"
                          "pipeline p() -> out { fun out(x) = k[x]; }");
    Pipeline *pipeline = module->pipelines.data[0];
    Expr value = pipeline->funcs.data[0]->stages.data[0]->values[0];
    for (int at = 0; at < 9; at++) {
        Expr element = expr_substitute(pipeline->pool, arena, value, context_symbol(context, "x"),
                                       expr_index(pipeline->pool, at - 2));
        /* The constructors fold comparisons of constants, not selects. */
        while (element->op == OP_SELECT)
            element = element->arguments[expr_is_true(element->arguments[0]) ? 1 : 2];
        int64_t found;
        ck_assert(expr_constant_integer(element, &found));
        ck_assert_int_eq(found, reads[at]);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("types");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, expressions_have_types);
    tcase_add_test(tests, ill_typed_expressions_are_refused);
    tcase_add_test(tests, floats_are_rounded_once);
    tcase_add_test(tests, boundary_conditions_read_where_they_say);
    tcase_add_test(tests, tables_read_their_nearest_end);
    return run_suite("frontend_types", tests);
}
