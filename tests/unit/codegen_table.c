/* codegen_table.c -- look-ups in small tables of ours, in vectorized loops: elements of every type,
 * lengths around those of one to four registers and beyond, tables that begin anywhere and are one
 * row of several, predicates; and what instructions they are. */
#include "compiled.h"

static const Type types[] = {U8, I8, U16, I32, F32, F64, BOOL};
enum { TYPES = sizeof types / sizeof *types };

static const int64_t lengths[] = {1,   3,   8,   15,  16,  17,  33,  64,  65,
                                  100, 128, 129, 200, 256, 257, 700, 1024};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* The element of the table in row y. */
static int64_t element(Type type, int64_t i, int64_t y) {
    int64_t number = i * 7 + y * 5 + 3;
    return type_is_bool(type) ? number / 4 & 1 : bits_wrap(U8, number);
}

/* out[x] = table[in[x] % length + minimum, row]; where in[x] is odd, if there is a predicate. */
static Compiled compile_table(Type type, int64_t length, int64_t minimum, int lanes,
                              bool has_predicate) {
    char text[2048], value[64];
    const char *name = type_name(type), *indent = has_predicate ? "  " : "";
    snprintf(value, sizeof value, "in[table.s0.i + table.s0.y*%d]", (int)length);
    snprintf(text, sizeof text,
             "pipeline p(in: image<%s, 1>, at: image<u16, 1>, row: i32) -> (out)\n"
             "  func table(i, y): %s\n"
             "  func out(x): %s\n"
             "  allocate table: %s [(%d, %d), (0, 3)]\n"
             "  compute table on [(%d, %d), (0, 3)]\n"
             "    for table.s0.y in (0, 3) do\n"
             "      for table.s0.i in (0, %d) do\n"
             "        table[table.s0.i + %d, table.s0.y] <- %s\n"
             "  allocate out: %s [(0, out.extent.0)]\n"
             "  compute out on [(0, out.extent.0)]\n"
             "    for out.s0.xo in (0, out.extent.0/%d) do\n"
             "      for out.s0.xi in (0, %d) vectorized do\n"
             "        let out.s0.x in (0, out.extent.0) = out.s0.xo*%d + out.s0.xi in\n%s"
             "          %sout[out.s0.x] <- table[index(at[out.s0.x]) %% %d + %d, index(row)]\n",
             name, name, name, name, (int)minimum, (int)length, (int)minimum, (int)length,
             (int)length, (int)minimum, value, name, lanes, lanes, lanes,
             has_predicate ? "          if at[out.s0.x] % 2:u16 == 1:u16 then predicate\n" : "",
             indent, (int)length, (int)minimum);
    return compile(text, 2);
}

enum { COUNT = 2 * 3 * 64 * 5 };

static void check_table(Type type, int64_t length, int64_t minimum, int lanes, bool has_predicate) {
    Compiled c = compile_table(type, length, minimum, lanes, has_predicate);
    int64_t count = COUNT / lanes * lanes;
    Image in = line(type, 0, 3 * length), places = line(U16, 0, count), out = line(type, 0, count);
    for (int64_t i = 0; i < 3 * length; i++) {
        int64_t number = element(type, i % length, i / length);
        put(&in, i, 0,
            type_is_float(type) ? bits_from_double(type, (double)number) : bits_wrap(type, number));
    }
    for (int64_t x = 0; x < count; x++)
        put(&places, x, 0, (x * 37 + x / 7) & 2047);
    for (int64_t row = 0; row < 3; row++) {
        for (int64_t x = 0; x < count; x++)
            put(&out, x, 0, at(&in, 0, 0));
        succeed(&c, &(Arguments){&row, (Image[]){in, places}, &out});
        for (int64_t x = 0; x < count; x++) {
            int64_t place = at(&places, x, 0);
            bool runs = !has_predicate || place % 2;
            Bits wanted = runs ? at(&in, place % length + row * length, 0) : at(&in, 0, 0);
            ck_assert_msg(at(&out, x, 0) == wanted, "%s of %lld from %lld on, %d lanes: x = %lld",
                          type_name(type), (long long)length, (long long)minimum, lanes,
                          (long long)x);
        }
    }
    guarded_free(&in), guarded_free(&places), guarded_free(&out);
    discard(&c);
}

START_TEST(values) {
    static const int widths[] = {16, 8, 64, 5, 24, 33};
    for (int k = 0; k < LENGTHS; k++)
        check_table(types[_i], lengths[k], k % 3 ? 0 : -5, widths[(k + _i) % 6], k % 4 == 1);
}
END_TEST

/* ---- what the code is ---- */

static bool says(const char *target, Type type, int64_t length, const char *word) {
    char text[1024];
    snprintf(text, sizeof text,
             "pipeline p(at: image<u8, 1>) -> (out)\n"
             "  func table(i): %s\n"
             "  func out(x): %s\n"
             "  allocate table: %s [(0, %d)]\n"
             "  compute table on [(0, %d)]\n"
             "    for table.s0.i in (0, %d) do\n"
             "      table[table.s0.i] <- %s(table.s0.i*3)\n"
             "  allocate out: %s [(0, 64)]\n"
             "  compute out on [(0, 64)]\n"
             "    for out.s0.x in (0, 64) vectorized do\n"
             "      out[out.s0.x] <- table[index(at[out.s0.x]) %% %d]\n",
             type_name(type), type_name(type), type_name(type), (int)length, (int)length,
             (int)length, type_name(type), type_name(type), (int)length);
    Context *context = context_create();
    Arena *arena = arena_create(&context->memory);
    Object object;
    CodegenOptions options = {.optimize = 2, .emit = "ll", .targets = target};
    ck_assert(codegen_object(read_text(context, arena, text), arena, &options, &object));
    bool found = strstr((const char *)object.bytes, word);
    arena_destroy(arena);
    context_destroy(context);
    return found;
}

START_TEST(instructions) {
    ck_assert(says("x86-64-v4", F32, 16, "call <16 x i32> @llvm.x86.avx512.permvar.si.512"));
    ck_assert(says("x86-64-v4", F32, 32, "call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512"));
    ck_assert(says("x86-64-v4", U16, 100, "call <32 x i16> @llvm.x86.avx512.vpermi2var.hi.512"));
    ck_assert(says("x86-64-v3", I32, 16, "call <8 x i32> @llvm.x86.avx2.permd"));
    ck_assert(says("aarch64", U8, 256, "call <16 x i8> @llvm.aarch64.neon.tbl4"));
    ck_assert(!says("x86-64-v4", F32, 65, "perm"));
    ck_assert(!says("x86-64-v4", U8, 64, "perm"));
    ck_assert(!says("x86-64", F32, 16, "perm"));
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("table");
    tcase_add_loop_test(cases, values, 0, TYPES);
    tcase_add_test(cases, instructions);
    return run_suite("codegen_table", cases);
}
