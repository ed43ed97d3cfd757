/* The text form of programs: what is printed can be read back, faults are found at their place. */
#include "ir/print.h"
#include "ir/read.h"
#include "ir/verify.h"

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

static Program *read_text(const char *text) {
    return program_read(pool, arena, context_add_file(context, "test.ir", text, strlen(text)));
}

/* Everything that the text form can say, as it is printed. */
static const char everything[] =
    "pipeline all(input: image<u8, 2>, w: i32 = 3 in 0..64, s: f32 = -0.5 in -inf..1e+20, b: bool "
    "= "
    "true, c: image<f64, 3, interleaved>, d: image<i16, 1, strided>, v: u64) -> (h, t)\n"
    "  func f(x, y): i32\n"
    "  func g(x): bool\n"
    "  func h(x, y): i32\n"
    "  func t(): {i32, f32}\n"
    "  assert 0:i32 <= w && w <= 64:i32 else parameter_too_small(\"w\", index(w), 0, 64)\n"
    "  assert index(w) < input.extent.1 else requirement_failed(\"say \\\"no\\\"\\n\\\\\")\n"
    "  nop\n"
    "  allocate h: i32 [(?mem.h.x.min, ?mem.h.x.len), (-5, h.extent.1 + 5)]\n"
    "  if w == 3:i32 then specialize\n"
    "    compute h z1 on [(?cpu.h.z1.x.min, ?cpu.h.z1.x.len), (h.min.1, h.extent.1)]\n"
    "      label h\n"
    "        label s0\n"
    "          for h.z1.s0.y in (?for.h.z1.s0.y.min, ?for.h.z1.s0.y.len) parallel do\n"
    "            for h.z1.s0.x in (?cpu.h.z1.x.min, ?cpu.h.z1.x.len) vectorized do\n"
    "              h[h.z1.s0.x, h.z1.s0.y] <- i32(input[h.z1.s0.x, h.z1.s0.y])*2:i32\n"
    "  else\n"
    "    allocate f: i32 [(0, 10), (0, 10)]\n"
    "    compute h on [(0, 1), (0, 2)]\n"
    "      label h\n"
    "        label s0\n"
    "          for h.s0.xo in (0, (?cpu.h.x.len + 15)/16) do\n"
    "            for h.s0.xi in (0, 16) unrolled do\n"
    "              compute f z0'2 on [(?cpu.f.x.min'2, ?cpu.f.x.len'2), (0, 1)]\n"
    "                for f.s0.x'2 in (?cpu.f.x.min'2, ?cpu.f.x.len'2) named <f, z0, s7, q> do\n"
    "                  f[f.s0.x'2, 0] <- -(3:i32 - w)\n"
    "              let h.s0.x in (?cpu.h.x.min, ?cpu.h.x.len) = ?cpu.h.x.min + h.s0.xo*16 + "
    "h.s0.xi "
    "in\n"
    "                if h.s0.x < ?cpu.h.x.min + ?cpu.h.x.len then guard\n"
    "                  h[h.s0.x, 0] <- f[h.s0.x, 0] stage 3\n"
    "        label s1\n"
    "          for h.s1.r in (0, index(w)) predicate (0, index(w)) reduction do\n"
    "            let h.s1.q beyond (0, 3) = h.s1.r*2 in\n"
    "              let limit = 0.1:f32*s in\n"
    "                if b && limit < 1.0:f32 then predicate\n"
    "                  h[h.s1.q, h.s1.r % 4] <- h[h.s1.q, 0] + 1:i32\n"
    "                else\n"
    "                  if b then\n"
    "  allocate t: {i32, f32} []\n"
    "  compute t on []\n"
    "    t[] <- {t[], t[].1 + reinterpret<f32>(saturating_cast<u32>(v))}\n";

/* Commutative operands stand in a structural order of the pool's own: print what was read, and read
 * that again. */
static void check_round_trip(const char *text) {
    begin();
    Program *first = read_text(text);
    diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(first);
    char *once = program_text(arena, first);
    Program *second = read_text(once);
    diag_print_all(context, stderr);
    ck_assert_ptr_nonnull(second);
    ck_assert_str_eq(program_text(arena, second), once);
    ck_assert_uint_eq(strlen(once), strlen(text)); /* the same but for the order of operands */
    end();
}

START_TEST(programs_round_trip) {
    check_round_trip(everything);
}
END_TEST

/* The fenced example of docs/text-form.md. */
static char *documented_example(void) {
    char path[512];
    snprintf(path, sizeof path, "%s/../docs/text-form.md", TEST_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    static char text[32768];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *start = strstr(text, "```ir\n");
    ck_assert_ptr_nonnull(start);
    start += 6;
    char *stop = strstr(start, "```");
    ck_assert_ptr_nonnull(stop);
    *stop = '\0';
    return start;
}

START_TEST(documentation_is_true) {
    char *example = documented_example();
    check_round_trip(example);
    begin();
    Program *program = read_text(example);
    ck_assert_str_eq(program_text(arena, program), example);
    end();
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("text");
    tcase_add_test(cases, programs_round_trip);
    tcase_add_test(cases, documentation_is_true);
    return run_suite("text", cases);
}
