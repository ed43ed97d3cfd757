/* Reading the text form: expressions, faults at their places, hostile input. */
#include "ir/print.h"
#include "ir/read.h"

#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static Context *context;
static Arena *arena;
static Pool *pool;

static void begin(void) {
    context = context_create();
    arena = context->arena;
    pool = pool_create(context, arena);
}

static void end(void) {
    context_destroy(context);
}

/* a: i32, b: bool, s: f32, u: u8, f and f.1: accesses; everything else but `nothing` is an index.
 */
static bool types(void *data, Symbol name, Type *type) {
    (void)data;
    static const struct {
        const char *name;
        Type type;
    } known[] = {{"a", {TYPE_INT, 32, 1}}, {"b", {TYPE_BOOL, 1, 1}}, {"s", {TYPE_FLOAT, 32, 1}},
                 {"u", {TYPE_UINT, 8, 1}}, {"f", {TYPE_INT, 32, 1}}, {"f.1", {TYPE_FLOAT, 64, 1}},
                 {"l", {TYPE_INT, 64, 1}}};
    *type = INDEX;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name->text) == 0)
            *type = known[i].type;
    return strcmp(name->text, "nothing") != 0;
}

static Expr read_text(const char *text) {
    uint32_t file = context_add_file(context, "text", text, strlen(text));
    return expr_read(pool, text, strlen(text), types, NULL, (Place){file, 1, 1, 0});
}

/* ---- expressions ---- */

static void check_print(const char *text, const char *wanted) {
    Expr expr = read_text(text);
    diag_print_all(context, stderr);
    ck_assert_msg(expr, "%s is read", text);
    ck_assert_str_eq(expr_text(arena, expr), wanted);
    ck_assert_ptr_eq(read_text(wanted), expr);
}

START_TEST(expressions) {
    begin();
    static const struct {
        const char *text, *printed;
    } rows[] = {
        {"x - (y - z) - w", "x - (y - z) - w"},
        {"(x - y) - z", "x - y - z"},
        {"(x*y)/z % 3", "x*y/z % 3"},
        {"x/(y*z)", "x/(y*z)"},
        {"-(x + 1)", "-(x + 1)"},
        {"- -x", "--x"},
        {"-(-9223372036854775808)", "-(-9223372036854775808)"},
        {"x - -3", "x - -3"},
        {"-3 - x", "-3 - x"},
        {"x > y", "y < x"},
        {"ramp(x, 1, 8)*2 + y", "ramp(x, 1, 8)*broadcast(2, 8) + broadcast(y, 8)"},
        {"ramp(x, 0, 8)", "broadcast(x, 8)"},
        {"broadcast(u, 4) < 3 && b", "broadcast(u, 4) < broadcast(3:u8, 4) && broadcast(b, 4)"},
        {"i32(ramp(x, y - 1, 65535))", "i32(ramp(x, y - 1, 65535))"},
        {"s + 2.5", "s + 2.5:f32"},
        {"0.1 + f[x].1", "f[x].1 + 0.1:f64"},
        {"(s + 0.5)*-1e3", "(s + 0.5:f32)*-1e+03:f32"},
        {"max(0.25, 1)", "1.0:f32"},
        {"x >= y", "y <= x"},
        {"clamp(x, 0, 10)", "max(min(x, 10), 0)"},
        {"b && !b || x == y && x != z", "x == y && x != z || !b && b"},
        {"!(b || x < y)", "!(x < y || b)"},
        {"a << 3:i32 >> 1:i32", "a << 3:i32 >> 1:i32"},
        {"a << (a >> 1:u32)", "a << (a >> 1:u32)"},
        {"a & 3:i32 ^ a | 1:i32", "a & 3:i32 ^ a | 1:i32"},
        {"~a", "~a"},
        {"a + i32(x)", "i32(x) + a"},
        {"x + index(u)", "index(u) + x"},
        {"saturating_cast<u8>(a)", "saturating_cast<u8>(a)"},
        {"reinterpret<u32>(s)", "reinterpret<u32>(s)"},
        {"min(x, max(y, 3))", "min(max(y, 3), x)"},
        {"select(b, 1.5:f32, s)", "select(b, 1.5:f32, s)"},
        {"s*inf:f32", "s*inf:f32"},
        {"s*-inf:f32", "s*-inf:f32"},
        {"s + nan:f32", "s + nan:f32"},
        {"s*-0.0:f32", "s*-0.0:f32"},
        {"s*0.1:f32", "s*0.1:f32"},
        {"s*16777217:f32", "s*16777216.0:f32"},
        {"f[x, y + 1]", "f[x, y + 1]"},
        {"f[x].1", "f[x].1"},
        {"f[]", "f[]"},
        {"2 + 3*4", "14"},
        {"x >> 3", "x/8"}, /* an index: of a written amount */
        {"x << 30", "x*1073741824"},
        {"(x + 1) >> 0", "(x + 1)/1"},
        {"5 >> 1", "2"},
        {"255:u8 + 1:u8", "0:u8"},
        {"x / 0", "x/0"},
        {"7/0", "7/0"},
        {"9223372036854775807 + 1", "1 + 9223372036854775807"},
        {"?mem.f.x.min", "?mem.f.x.min"},
        {"?cpu.f.z2.x.len'3", "?cpu.f.z2.x.len'3"},
        {"?for.f.z1.s2.x.min", "?for.f.z1.s2.x.min"},
        {"?for.f.s0.x.min'4 + 1", "?for.f.s0.x.min'4 + 1"},
        {"h.s1.x'2 + input.min.0", "h.s1.x'2 + input.min.0"},
        {"0x10 + x", "x + 16"},
        {"inf + nan", "inf + nan"}, /* without a type they are names */
        {"x /* so */ + // and\n 1", "x + 1"},
        {"lerp(u, u, 3:u8)", "lerp(u, u, 3:u8)"},
        {"mul_shift_right(a, a, 3:u32)", "mul_shift_right(a, a, 3:u32)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_print(rows[i].text, rows[i].printed);
    end();
}
END_TEST

START_TEST(formulas) {
    static const char *const rows[][2] = {
        {"x*-1", "-x"},           {"x*-1 - y <= h.min.0*-1", "-x - y <= -h.min.0"},
        {"y - x*-1", "y - x*-1"}, {"x*-12 + y", "x*-12 + y"},
        {"x*-1/4", "x*-1/4"},     {"max(x*-1, 3) + -2", "max(-x, 3) - 2"},
    };
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(expr_formula(arena, read_text(rows[i][0])), rows[i][1]);
    end();
}
END_TEST

/* f32 literals are rounded once from the text: through f64 this one would round twice. */
START_TEST(literals_are_rounded_once) {
    begin();
    Expr once = read_text("1.00000017881393432617187499:f32");
    ck_assert_double_eq(bits_to_double(F32, once->bits), 0x1.000002p0);
    end();
}
END_TEST

/* ---- faults of expressions ---- */

static void check_fault(const char *text, const char *code, unsigned line, unsigned column) {
    ck_assert_msg(context->reports.length == 1, "%s gives one report, not %zu", text,
                  context->reports.length);
    const Report *report = &context->reports.data[0];
    ck_assert_msg(strcmp(diag_info(report->code)->code, code) == 0, "%s gives %s: %s", text,
                  diag_info(report->code)->code, report->message);
    ck_assert_msg(report->place.line == line && report->place.column == column,
                  "%s: %s at %u:%u, not %u:%u", text, report->message, report->place.line,
                  report->place.column, line, column);
}

START_TEST(faults_of_expressions) {
    static const struct {
        const char *text, *code;
        unsigned column;
    } rows[] = {
        {"", "E0701", 1},
        {"x +", "E0701", 4},
        {"x y", "E0701", 3},
        {"(x", "E0701", 3},
        {"f[x", "E0701", 4},
        {"f[x y]", "E0701", 5},
        {"min(x, y", "E0701", 9},
        {"3:", "E0701", 3},
        {"3:int", "E0701", 3},
        {"?mem.f.min", "E0701", 1},
        {"?tmp.f.x.min", "E0701", 1},
        {"?for.f.x.min", "E0701", 1},
        {"x $ y", "E0702", 3},
        {"$", "E0702", 1},
        {"99999999999999999999", "E0702", 1},
        {"3abc", "E0702", 1},
        {"/* x", "E0702", 1},
        {"nothing + 1", "E0703", 1},
        {"1 + nothing[x]", "E0703", 5},
        {"%1", "E0703", 1},
        {"x + (%2)", "E0703", 6},
        {"frob(x)", "E0705", 1},
        {"min(x)", "E0705", 1},
        {"reinterpret(s)", "E0705", 1},
        {"reinterpret<u32>(s, s)", "E0705", 1},
        {"i32(x, y)", "E0705", 1},
        {"x + a", "E0706", 3},
        {"ramp(x, 1)", "E0705", 1},
        {"ramp(a, 1, 8)", "E0706", 1},
        {"ramp(x, ramp(x, 1, 8), 8)", "E0706", 1},
        {"broadcast(ramp(x, 1, 8), 8)", "E0706", 1},
        {"ramp(x, 1, 8) + ramp(x, 1, 4)", "E0706", 15},
        {"select(b, ramp(x, 1, 8), a)", "E0706", 1},
        {"f[ramp(x, 1, 8)]", "E0707", 3},
        {"ramp(x, 1, 1)", "E0708", 1},
        {"ramp(x, 1, y)", "E0708", 1},
        {"broadcast(x, 65536)", "E0708", 1},
        {"!x", "E0706", 1},
        {"s % s", "E0706", 3},
        {"x >> 31", "E0706", 3},
        {"x << -1", "E0706", 3},
        {"x >> y", "E0706", 3},
        {"1 << x", "E0706", 3},
        {"reinterpret<u8>(s)", "E0706", 1},
        {"select(x, 1, 2)", "E0706", 1},
        {"f[a]", "E0707", 3},
        {"300:u8", "E0708", 1},
        {"-1:u8", "E0708", 2},
        {"1.5:i32", "E0708", 1},
        {"x + 1.5", "E0706", 3},
        {"a + 1.5", "E0706", 3},
        {"9223372036854775808", "E0708", 1},
        {"1:bool", "E0708", 1},
        {"inf:i32", "E0708", 1},
        {"min(x, y, x, y)", "E0701", 12},
        {"f[0, 1, 2, 3, 4, 5, 6, 7, 8]", "E0701", 25},
        {"x <- 1", "E0701", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        ck_assert_msg(!read_text(rows[i].text), "%s is refused", rows[i].text);
        check_fault(rows[i].text, rows[i].code, 1, rows[i].column);
        end();
    }
}
END_TEST

static char *repeated(const char *before, const char *middle, const char *after, int count) {
    size_t size = (strlen(before) + strlen(after)) * (size_t)count + strlen(middle) + 1;
    char *text = arena_allocate(arena, size), *at = text;
    for (int i = 0; i < count; i++)
        at = stpcpy(at, before);
    at = stpcpy(at, middle);
    for (int i = 0; i < count; i++)
        at = stpcpy(at, after);
    return text;
}

START_TEST(nesting_is_limited) {
    static const struct {
        const char *before, *middle, *after;
    } rows[] = {{"(", "x", ")"},         {"min(x, ", "y", ")"}, {"-", "x", ""},      {"!", "b", ""},
                {"f[index(", "x", ")]"}, {"~(", "a", ")"},      {"x - (", "y", ")"}, {"(", "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        ck_assert_ptr_null(
            read_text(repeated(rows[i].before, rows[i].middle, rows[i].after, 100000)));
        ck_assert_uint_eq(context->reports.length, 1);
        ck_assert_str_eq(diag_info(context->reports.data[0].code)->code, "E0709");
        end();
    }
    begin(); /* a chain is not nested */
    Expr chain = read_text(repeated("x - ", "y", "", 100000));
    ck_assert_ptr_nonnull(chain);
    ck_assert_uint_eq(chain->depth, 100001);
    ck_assert_uint_eq(strlen(expr_text(arena, chain)), 400001);
    end();
}
END_TEST

/* ---- faults of programs ---- */

#define HEADER   "pipeline p(input: image<u8, 2>, w: i32) -> (h)\n  func h(x): i32\n"
#define ALLOCATE "  allocate h: i32 [(0, 9)]\n"
#define COMPUTE  "  compute h on [(0, 9)]\n"
#define SIDE_BY_SIDE                                                                               \
    "    for h.s1.x in (0, 9) parallel do\n"                                                       \
    "      for h.s1.y in (0, 9) reduction parallel do\n"

START_TEST(faults_of_programs) {
    static const struct {
        const char *text, *code;
        unsigned line, column;
    } rows[] = {
        {"", "E0701", 1, 1},
        {"pipe p() -> ()", "E0701", 1, 1},
        {"pipeline p( -> ()", "E0701", 1, 13},
        {"pipeline p()\n -> ()", "E0701", 1, 13},
        {"pipeline p() -> () x", "E0701", 1, 20},
        {"pipeline p(w: i32, w: u8) -> ()", "E0711", 1, 20},
        {"pipeline p(w: image<u8, 1>, w: u8) -> ()", "E0711", 1, 29},
        {"pipeline p(w: image<u8, 5>) -> ()", "E0701", 1, 25},
        {"pipeline p(w: image<u8, 0>) -> ()", "E0710", 1, 12},
        {"pipeline p(w: image<index, 1>) -> ()", "E0710", 1, 12},
        {"pipeline p(w: image<u8, 2, tiled>) -> ()", "E0701", 1, 28},
        {"pipeline p(w: u8 = 256) -> ()", "E0708", 1, 20},
        {"pipeline p(w: index) -> ()", "E0707", 1, 15},
        {"pipeline p(w: u8 in 1..x) -> ()", "E0701", 1, 24},
        {"pipeline p(w: bool = 1) -> ()", "E0701", 1, 22},
        {"pipeline p() -> (h, h)", "E0711", 1, 21},
        {"pipeline p() -> (h)\n  func g(): i32\n", "E0704", 1, 18},
        {"pipeline p() -> (h)\n  func h(x, x): i32\n", "E0711", 2, 13},
        {"pipeline p() -> (h)\n  func h(): i32\n  func h(): u8\n", "E0711", 3, 3},
        {"pipeline p() -> (h)\n  func h(): index\n", "E0707", 2, 13},
        {"pipeline p() -> (h)\n  func h(a, b, c, d, e): i32\n", "E0710", 2, 3},
        {"pipeline p() -> ()\n  func h(a, b, c, d, e, f, g, h, i): i32\n", "E0701", 2, 32},
        {"pipeline p() -> ()\n  func h(): {i32\n", "E0701", 2, 17},
        {HEADER "    nop\n", "E0712", 3, 5},
        {HEADER "  assert ramp(0, 1, 8) < 8 else user\n", "E0705", 3, 10},
        {HEADER "  assert 1.5 < 2 else user\n", "E0708", 3, 10},
        {HEADER "nop\n", "E0712", 3, 1},
        {HEADER "  label a\n      nop\n", "E0712", 4, 7},
        {HEADER "  label a\n   nop\n", "E0712", 4, 4},
        {HEADER "  frob\n", "E0701", 3, 3},
        {HEADER "  nop nop\n", "E0701", 3, 7},
        {HEADER "  else\n", "E0701", 3, 3},
        {HEADER "  assert w else generic(\"\")\n", "E0707", 3, 10},
        {HEADER "  assert true else catastrophe(\"\")\n", "E0713", 3, 20},
        {HEADER "  assert true else generic(w)\n", "E0701", 3, 28},
        {HEADER "  assert true else generic(\"x)\n", "E0702", 3, 28},
        {HEADER "  allocate g: i32 []\n", "E0704", 3, 12},
        {HEADER "  allocate h: u32 [(0, 9)]\n", "E0710", 3, 15},
        {HEADER "  allocate h: {i32, i32} [(0, 9)]\n", "E0710", 3, 15},
        {HEADER "  allocate h: i32 []\n", "E0701", 3, 20},
        {HEADER "  allocate h: i32 [(0, w)]\n", "E0707", 3, 24},
        {HEADER ALLOCATE "  compute h z on [(0, 9)]\n", "E0701", 4, 13},
        {HEADER ALLOCATE "  compute h z1'x on [(0, 9)]\n", "E0702", 4, 15},
        {HEADER ALLOCATE COMPUTE "    h[0] <- 1\n", "E0707", 5, 13},
        {HEADER ALLOCATE COMPUTE "    h[0, 1] <- 1:i32\n", "E0701", 5, 8},
        {HEADER ALLOCATE COMPUTE "    h[x] <- 1:i32\n", "E0703", 5, 7},
        {HEADER ALLOCATE COMPUTE "    h[input.min.2] <- 1:i32\n", "E0703", 5, 7},
        {HEADER ALLOCATE COMPUTE "    h[0] <- i32(input[0])\n", "E0710", 5, 17},
        {HEADER ALLOCATE COMPUTE "    h[0] <- h[0].1\n", "E0704", 5, 13},
        {HEADER ALLOCATE COMPUTE "    h[?cpu.g.x.min] <- 1:i32\n", "E0704", 5, 7},
        {HEADER ALLOCATE COMPUTE "    for x in (0, 9) do\n", "E0703", 5, 9},
        {HEADER ALLOCATE COMPUTE "    for g.s0.x in (0, 9) do\n", "E0703", 5, 9},
        {HEADER ALLOCATE COMPUTE "    for h.s0.x in (0, h.s0.x) do\n", "E0703", 5, 23},
        {HEADER ALLOCATE COMPUTE "    for h.s0.x in (0, 9) named <h, z0, x, x> do\n", "E0701", 5,
         40},
        {HEADER ALLOCATE COMPUTE "    for h.s0.x in (0, 9) sideways do\n", "E0701", 5, 26},
        {HEADER ALLOCATE COMPUTE "    for h.s0.x in (0, 9) do\n    h[h.s0.x] <- 1:i32\n", "E0703",
         6, 7},
        {HEADER ALLOCATE COMPUTE "    let w = 1 in\n", "E0711", 5, 9},
        {HEADER ALLOCATE COMPUTE "    let v = v in\n", "E0703", 5, 13},
        {HEADER ALLOCATE COMPUTE "    let v in (0, 1) = w = 1 in\n", "E0701", 5, 25},
        {HEADER ALLOCATE COMPUTE "    %2 = w + w\n", "E0701", 5, 5},
        {HEADER ALLOCATE COMPUTE "    %1 = w + w\n    nop\n    h[0] <- %1\n", "E0703", 7, 13},
        {HEADER ALLOCATE COMPUTE "    if w then\n", "E0707", 5, 8},
        /* Not well formed: the verifier's word, at the statement. */
        {HEADER, "E0714", 1, 1},
        {HEADER ALLOCATE "  h[0] <- 1:i32\n", "E0714", 4, 3},
        {HEADER COMPUTE, "E0714", 3, 3},
        {HEADER ALLOCATE COMPUTE "    for h.s1.x in (0, 9) reduction parallel do\n      nop\n",
         "E0714", 5, 5},
        {HEADER ALLOCATE COMPUTE SIDE_BY_SIDE "        h[0] <- h[0] + 1:i32\n", "E0714", 6, 7},
        {HEADER ALLOCATE COMPUTE SIDE_BY_SIDE "        atomic h[0] <- h[1] + 1:i32\n", "E0714", 7,
         9},
        {HEADER ALLOCATE COMPUTE SIDE_BY_SIDE
         "        atomic h[index(h[0])] <- h[index(h[0])] + 1:i32\n",
         "E0714", 7, 9},
        {HEADER ALLOCATE COMPUTE SIDE_BY_SIDE
         "        atomic h[0] <- h[0] + 1:i32\n        h[1] <- 1:i32\n",
         "E0714", 6, 7},
        {"pipeline p() -> (h)\n  func h(x): f32\n  allocate h: f32 [(0, 9)]\n" COMPUTE
         "    atomic h[0] <- h[0] + 1:f32\n",
         "E0714", 5, 5},
        {"pipeline p() -> (h)\n  func h(x): {i32, i32}\n  allocate h: {i32, i32} [(0, 9)]\n" COMPUTE
         "    atomic h[0] <- {h[0].0, h[0].1}\n",
         "E0714", 5, 5},
        {HEADER ALLOCATE COMPUTE "    atomic\n", "E0701", 5, 11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        uint32_t file = context_add_file(context, "t.ir", rows[i].text, strlen(rows[i].text));
        ck_assert_msg(!program_read(pool, arena, file), "%s is refused", rows[i].text);
        check_fault(rows[i].text, rows[i].code, rows[i].line, rows[i].column);
        end();
    }
    begin(); /* the parts above are fine by themselves */
    static const char *const fine[] = {
        HEADER ALLOCATE COMPUTE,
        HEADER ALLOCATE COMPUTE SIDE_BY_SIDE "        atomic h[0] <- h[0] + 1:i32\n",
        /* A func may have the word for its name. */
        "pipeline p() -> (atomic)\n  func atomic(x): i32\n  allocate atomic: i32 [(0, 9)]\n"
        "  compute atomic on [(0, 9)]\n    atomic[0] <- 1:i32\n    atomic atomic[0] <- 1:i32\n"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        ck_assert_ptr_nonnull(
            program_read(pool, arena, context_add_file(context, "t", fine[i], strlen(fine[i]))));
    end();
}
END_TEST

/* Bodies may be as deep as memory allows: nothing recurses. */
START_TEST(deep_bodies) {
    begin();
    enum { DEPTH = 2000 };
    char *text = arena_allocate(arena, DEPTH * (2 * DEPTH + 40)), *at = text;
    at = stpcpy(at, HEADER ALLOCATE COMPUTE);
    for (int i = 0; i < DEPTH; i++)
        at += sprintf(at, "%*sif w == %d:i32 then\n", 4 + 2 * i, "", i);
    Program *program =
        program_read(pool, arena, context_add_file(context, "t", text, strlen(text)));
    ck_assert_ptr_nonnull(program);
    ck_assert_str_eq(program_text(arena, program), text);
    end();
}
END_TEST

/* From some depth on a let says `below`, and its body is not indented. */
START_TEST(deep_lets) {
    begin();
    enum { DEPTH = 2000 };
    char *text = arena_allocate(arena, DEPTH * 100), *at = text;
    at = stpcpy(at, HEADER ALLOCATE COMPUTE);
    for (int i = 0; i < DEPTH; i++) {
        bool is_deep = i >= 22;
        at += sprintf(at, "%*slet v%d = h[%d] %s\n", 4 + 2 * (is_deep ? 22 : i), "", i, i,
                      is_deep ? "below" : "in");
    }
    at += sprintf(at, "%*sh[1] <- v%d\n", 48, "", DEPTH - 1);
    Program *program =
        program_read(pool, arena, context_add_file(context, "t", text, strlen(text)));
    ck_assert_ptr_nonnull(program);
    ck_assert_str_eq(program_text(arena, program), text);
    static const char outside[] = HEADER ALLOCATE COMPUTE "    if w == 1:i32 then\n"
                                                          "      let v = h[0] below\n"
                                                          "      h[1] <- v\n"
                                                          "    h[2] <- v\n";
    ck_assert(!program_read(pool, arena, context_add_file(context, "t", outside, strlen(outside))));
    end();
}
END_TEST

/* ---- hostile input: nothing crashes, whatever a text is cut to or changed into ---- */

static uint64_t state = 7;
static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static const char victim[] = HEADER
    "  assert index(w) < input.extent.0 else requirement_failed(\"no\\n\", index(w), 3)\n" ALLOCATE
    "  compute h z1'2 on [(?cpu.h.x.min, 9)]\n"
    "    label s1\n"
    "      for h.z1.s1.x in (0, 9) vectorized do\n"
    "        let v in (0, 9) = h.z1.s1.x*2 + 1 in\n"
    "          %1 = (w + 1:i32)*(w + 2:i32) - w*7:i32\n"
    "          if v < 9 && %1 < %1*%1 then guard\n"
    "            h[v] <- i32(input[v, v]) + select(w == 3:i32, reinterpret<i32>(1.5:f32), -7:i32)\n"
    "          else\n"
    "            h[v] <- max(h[v], 3:i32) stage 2\n";

static void read_hostile(const char *text, size_t length) {
    Context *own = context_create();
    Pool *own_pool = pool_create(own, own->arena);
    Program *program = program_read(own_pool, own->arena, context_add_file(own, "t", text, length));
    if (program)
        ck_assert_ptr_nonnull(program_text(own->arena, program));
    else if (own->reports.length != 1)
        ck_abort_msg("one report for: %s", text);
    context_destroy(own);
}

START_TEST(every_prefix) {
    for (size_t length = 0; length <= strlen(victim); length++)
        read_hostile(victim, length);
}
END_TEST

static const char *const scraps[] = {"(",
                                     ")",
                                     "[",
                                     "]",
                                     "%1",
                                     "%",
                                     "?mem.h.x.min",
                                     "for ",
                                     "let ",
                                     "in",
                                     "\n",
                                     "  ",
                                     ",",
                                     "<-",
                                     "-",
                                     "h[",
                                     "'",
                                     "\"",
                                     "/*",
                                     "index",
                                     "i32",
                                     ":",
                                     "0",
                                     "99999999999999999999",
                                     "..",
                                     "\x01",
                                     "z1'99999999",
                                     "\xff",
                                     "else\n",
                                     ".s99999999999.x",
                                     "h.s1.x'2",
                                     "->"};

START_TEST(random_changes) {
    for (int round = 0; round < 6000; round++) {
        char text[2 * sizeof victim];
        strcpy(text, victim);
        for (uint64_t changes = 1 + random_word() % 3; changes; changes--) {
            size_t length = strlen(text), at = random_word() % (length + 1);
            const char *scrap = scraps[random_word() % (sizeof scraps / sizeof *scraps)];
            size_t cut = random_word() % 2 ? random_word() % 12 : 0;
            if (at + cut > length)
                cut = length - at;
            char rest[2 * sizeof victim];
            strcpy(rest, text + at + cut);
            if (at + strlen(scrap) + strlen(rest) + 1 > sizeof text)
                continue;
            strcpy(stpcpy(text + at, scrap), rest);
        }
        read_hostile(text, strlen(text));
    }
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("read");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, expressions);
    tcase_add_test(cases, literals_are_rounded_once);
    tcase_add_test(cases, formulas);
    tcase_add_test(cases, faults_of_expressions);
    tcase_add_test(cases, nesting_is_limited);
    tcase_add_test(cases, faults_of_programs);
    tcase_add_test(cases, deep_bodies);
    tcase_add_test(cases, deep_lets);
    tcase_add_test(cases, every_prefix);
    tcase_add_test(cases, random_changes);
    return run_suite("read", cases);
}
