/* codegen_idioms.c -- integer arithmetic that is made in narrower types in vectorized loops gives
 * what the evaluator's scalar code gives, at all pairs of values of 8 bits and at edges and random
 * values of 16; also expressions that only look so.  Which instructions they become is in
 * tests/assembly/idioms.hl. */
#include "compiled.h"
#include "tests/unit/share.h"

typedef struct Form {
    const char *type, *result, *value; /* of A, B, C, D */
} Form;

static const Form forms[] = {
    {"u8", "u8", "u8(min(u16(A) + u16(B), 255:u16))"},
    {"u8", "u8", "u8(min(i32(A) + i32(B), 255:i32))"},
    {"u8", "u8", "u8(min(i32(A) + i32(B), 254:i32))"},
    {"u8", "u8", "u8(max(i16(A) - i16(B), 0:i16))"},
    {"u8", "u8", "u8(max(u16(A) - u16(B), 0:u16))"},
    {"u8", "u8", "u8(max(i16(A) - i16(B), 1:i16))"},
    {"u8", "u8", "u8(min(i16(A) - i16(B), 255:i16))"},
    {"u8", "u8", "saturating_cast<u8>(i16(A) - i16(B))"},
    {"u8", "u8", "saturating_cast<u8>(u16(A) - u16(B))"},
    {"u8", "u8", "saturating_cast<u8>(i32(A) + 7:i32)"},
    {"u8", "u8", "saturating_cast<u8>(i32(A) + 300:i32)"},
    {"u8", "u8", "saturating_cast<u8>(i32(A) - 9:i32)"},
    {"i8", "i8", "saturating_cast<i8>(i16(A) - i16(B))"},
    {"i8", "i8", "i8(max(min(i16(A) + i16(B), 127:i16), -128:i16))"},
    {"i8", "i8", "i8(min(i16(A) + i16(B), 127:i16))"},
    {"i8", "u8", "saturating_cast<u8>(i16(A) + i16(B))"},
    {"u16", "u16", "u16(min(u32(A) + u32(B), 65535:u32))"},
    {"i16", "i16", "saturating_cast<i16>(i32(A) - i32(B))"},
    {"i16", "i16", "saturating_cast<i16>(i32(A)*i32(B) + 16384:i32 >> 15:i32)"},
    {"i16", "i16", "i16(i32(A)*i32(B) + 16384:i32 >> 15:i32)"},
    {"i16", "i16", "saturating_cast<i16>((i32(A)*i32(B) + 16384:i32)/32768:i32)"},
    {"i16", "i16", "saturating_cast<i16>(i32(A)*i32(B) + 8192:i32 >> 14:i32)"},
    {"i16", "i16", "rounding_mul_shift_right(A, B, 15:u16)"},
    {"i16", "i16", "rounding_mul_shift_right(A, B, 14:u16)"},
    {"i16", "i32", "i32(A)*i32(B) + i32(C)*i32(D)"},
    {"i16", "i32", "i32(A)*3:i32 + i32(C)*-32768:i32"},
    {"i16", "i32", "i32(A)*i32(B) + i32(C)*i32(D) + i32(A)*i32(C) + i32(B)*i32(D) + i32(D)*5:i32"},
    {"i16", "i32", "i32(A)*i32(B) + i32(C) + i32(A)*i32(D)"},
    {"u8", "i32", "i32(C) + i32(A)*i32(B) + i32(A)*i32(D)"},
    {"i16", "i32", "i32(A)*40000:i32 + i32(C)*i32(D)"},
    {"u8", "i32", "i32(A)*i32(B) + i32(C)*-7:i32"},
    {"u16", "i32", "i32(A)*i32(B) + i32(C)*i32(D)"},
    {"i16", "u32", "u32(A)*u32(B) + u32(C)*u32(D)"},
    {"u8", "u32", "u32(A)*u32(B) + u32(C)*u32(D)"},
    /* Four and more products of bytes, of each pair of signs, with sums before and after. */
    {"u8", "i32", "i32(A)*i32(i8(B)) + i32(C)*i32(i8(D)) + i32(A)*i32(i8(D)) + i32(C)*i32(i8(B))"},
    {"i8", "i32", "i32(A)*i32(B) + i32(C)*i32(D) + i32(A)*i32(D) + i32(B)*i32(C)"},
    {"u8", "i32", "i32(A)*i32(B) + i32(C)*i32(D) + i32(A)*i32(D) + i32(B)*i32(C)"},
    {"u8", "u32", "u32(A)*u32(B) + u32(C)*u32(D) + u32(A)*u32(D) + u32(B)*u32(C) + 4294967295:u32"},
    {"i8", "i32",
     "i32(A)*i32(u8(B)) + i32(C) - i32(D)*i32(u8(A)) + i32(A)*i32(u8(D)) - i32(C)*i32(u8(B)) + "
     "i32(B)*i32(u8(B)) + i32(D)*i32(u8(D)) + i32(C)*i32(u8(A)) + i32(A)*i32(A)"},
    {"i8", "i32", "i32(i16(A)*i16(B)) + i32(i16(C)*i16(D)) + i32(i16(A)*i16(D)) + i32(A)"},
    {"u8", "i32", "i32(i16(A)*i16(B)) + i32(i16(C)*i16(D)) + i32(i16(A)*i16(D)) + i32(A)"},
    {"u8", "i32", "i32(widening_mul(A, B)) + i32(widening_mul(C, D)) + i32(widening_mul(A, C))"},
    {"i16", "i32", "widening_mul(A, B) - widening_mul(C, D) + widening_mul(A, C)"},
    /* Bytes by constants: sums that 16 bits just hold, and that they just do not. */
    {"u8", "i32", "i32(A)*127:i32 + i32(B)*1:i32"},
    {"u8", "i32", "i32(A)*127:i32 + i32(B)*2:i32"},
    {"u8", "i32", "i32(A)*-127:i32 + i32(B)*-1:i32"},
    {"u8", "i32", "i32(A)*-128:i32 - i32(B)"},
    {"u8", "i32", "i32(A)*128:i32 - i32(B)*100:i32"},
    {"i8", "i32", "i32(A)*-128:i32 + i32(B)*-127:i32"},
    {"i8", "i32", "i32(A)*-128:i32 + i32(B)*-128:i32 + i32(C)*100:i32"},
    {"u8", "i32", "i32(A) + i32(B) + i32(C) - i32(D)"},
    {"u8", "i32",
     "i32(absd(A, B)) + i32(absd(C, D)) + i32(absd(A, D)) + i32(absd(B, C)) + i32(absd(A, C))"},
    {"u8", "i32", "i32(A) - (i32(B)*3:i32 - (i32(C)*7:i32 - i32(D)*-9:i32)) + 1000:i32"},
    {"i16", "i32", "i32(A)*-32768:i32 - i32(B)*-32768:i32 - i32(C)*32767:i32"},
};
enum { FORMS = sizeof forms / sizeof *forms };

enum { COUNT = 1 << 16 };

static Compiled compile_form(const Form *form, int lanes, const char *targets) {
    char text[2048], value[512], *to = value;
    for (const char *at = form->value; *at; at++)
        to += *at >= 'A' && *at <= 'D' ? sprintf(to, "%c[out.s0.x]", *at + 'a' - 'A')
                                       : sprintf(to, "%c", *at);
    snprintf(text, sizeof text,
             "pipeline p(a: image<%s, 1>, b: image<%s, 1>, c: image<%s, 1>, d: image<%s, 1>) -> "
             "(out)\n"
             "  func out(x): %s\n"
             "  allocate out: %s [(0, out.extent.0)]\n"
             "  compute out on [(0, out.extent.0)]\n"
             "    for out.s0.xo in (0, (out.extent.0 + %d)/%d) do\n"
             "      for out.s0.xi in (0, %d) %sdo\n"
             "        let out.s0.x in (0, out.extent.0) = out.s0.xo*%d + out.s0.xi in\n"
             "          if out.s0.x < out.extent.0 then guard\n"
             "            out[out.s0.x] <- %s\n",
             form->type, form->type, form->type, form->type, form->result, form->result, lanes - 1,
             lanes, lanes, lanes > 1 ? "vectorized " : "", lanes, value);
    return compile_for(text, 2, targets);
}

static Type type_named(const char *name) {
    static const Type types[] = {U8, I8, U16, I16, U32, I32};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type_name(types[i]), name) == 0)
            return types[i];
    ck_abort_msg("no type %s", name);
}

static uint32_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Of 8 bits a and b run through all pairs; of 16 through pairs of edges, then at random. */
static void fill_operands(Image *operands) {
    static const int edges[] = {0,   1,     -1,    2,      127,    128, 255,
                                256, 16384, 32767, -32768, -32767, 1000};
    enum { EDGES = sizeof edges / sizeof *edges };
    Type type = operands[0].type;
    uint64_t state = 99;
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t numbers[] = {i, i >> 8, next(&state), next(&state)};
        if (type.bits == 16 && i < EDGES * EDGES * EDGES)
            numbers[0] = edges[i % EDGES], numbers[1] = edges[i / EDGES % EDGES],
            numbers[2] = edges[i / EDGES / EDGES], numbers[3] = edges[(i + i / 7) % EDGES];
        else if (type.bits == 16)
            numbers[0] = next(&state), numbers[1] = next(&state);
        for (int k = 0; k < 4; k++)
            put(&operands[k], i, 0, bits_wrap(type, numbers[k]));
    }
}

START_TEST(same_as_scalars) {
    static const char *const targets[] = {
        NULL,
#if defined(__x86_64__)
        "x86-64",
        "x86-64-v2",
        "x86-64-v3",
#endif
    };
    static const int widths[] = {16, 8, 20, 32, 64};
    enum { TARGETS = sizeof targets / sizeof *targets, WIDTHS = sizeof widths / sizeof *widths };
    const Form *form = &forms[_i];
    Type type = type_named(form->type), result = type_named(form->result);
    Image operands[4], wanted = line(result, 0, COUNT), out = line(result, 0, COUNT);
    for (int k = 0; k < 4; k++)
        operands[k] = line(type, 0, COUNT);
    fill_operands(operands);
    Compiled scalar = compile_form(form, 1, NULL);
    succeed(&scalar, &(Arguments){NULL, operands, &wanted});
    discard(&scalar);
    for (int k = _i % share(); k < 3; k += share()) {
        int w = (k + _i) % WIDTHS;
        const char *target = targets[(k + _i / 2) % TARGETS];
        Compiled vector = compile_form(form, widths[w], target);
        succeed(&vector, &(Arguments){NULL, operands, &out});
        for (int64_t i = 0; i < COUNT; i++)
            ck_assert_msg(at(&out, i, 0) == at(&wanted, i, 0), "%s, %d lanes, %s: %lld, %lld: %lld",
                          form->value, widths[w], target ? target : "host",
                          (long long)at(&operands[0], i, 0), (long long)at(&operands[1], i, 0),
                          (long long)at(&out, i, 0));
        discard(&vector);
    }
    for (int k = 0; k < 4; k++)
        guarded_free(&operands[k]);
    guarded_free(&wanted), guarded_free(&out);
}
END_TEST

int main(void) {
    TCase *cases = tcase_create("idioms");
    tcase_add_loop_test(cases, same_as_scalars, 0, FORMS);
    return run_suite("codegen_idioms", cases);
}
