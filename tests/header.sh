#!/usr/bin/env bash
# hlc compile --header and --depfile.  C and C++ compile the header; NAME_argv and NAME_metadata
# have the ecosystem's form; the rule names all files; either all files appear or none.
# Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1
export PKG_CONFIG_PATH=$build
cflags=$(pkg-config --cflags hlc-runtime)
libs=$(pkg-config --libs hlc-runtime)
strict="-Wall -Wextra -Werror -pedantic"

# Every kind of argument; names that are words of C and C++.
mkdir -p 'li b$#'
cat > 'li b$#/half.hl' <<'HL'
let half(v) = v * 0.5;
HL
cat > all.hl <<'HL'
import "li b$#/half.hl";
pipeline all(int: image<u8, 2>, new: i32 = -3 in -5..7, b: bool = true, s: f32 = 1.5 in -1.0..2.5,
             u: u64 = 18446744073709551615, rgb: image<f32, 3, interleaved>, any: image<i16, 1, strided>,
             d: f64, e: i8 in (-128)..127, h: f16 = 0.5 in -2.0..2.0, g: bf16 = 3.0) -> (out, pair) {
    fun out(x, y) = i32(int(x, y)) * new + select(b, 1, 0) + i32(rgb(x, y, 0)) + i32(any(x)) + i32(e) + i32(h * 4) + i32(g);
    fun pair(x) = {half(s) * f32(d), u};
}
HL
expect 0 "$hlc" compile all.hl --header=all.h --depfile=all.d -o all.o
cat > host.c <<'C'
#include "all.h"
#include "all.h"
#include <stdio.h>
#include <string.h>
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); return 1; } } while (0)
static halide_buffer_t buffer(void *host, int code, int bits, int dimensions, halide_dimension_t *dim) {
    halide_buffer_t b;
    memset(&b, 0, sizeof b);
    b.host = (uint8_t *)host;
    b.type.code = (uint8_t)code;
    b.type.bits = (uint8_t)bits;
    b.type.lanes = 1;
    b.dimensions = dimensions;
    b.dim = dim;
    return b;
}
int main(void) {
    static const struct { const char *name; int kind, dimensions, code, bits; } expected[] = {
        {"int", 1, 2, 1, 8}, {"new", 0, 0, 0, 32}, {"b", 0, 0, 1, 1}, {"s", 0, 0, 2, 32}, {"u", 0, 0, 1, 64},
        {"rgb", 1, 3, 2, 32}, {"any", 1, 1, 0, 16}, {"d", 0, 0, 2, 64}, {"e", 0, 0, 0, 8},
        {"h", 0, 0, 2, 16}, {"g", 0, 0, 4, 16},
        {"out", 2, 2, 0, 32}, {"pair.0", 2, 1, 2, 32}, {"pair.1", 2, 1, 1, 64}};
    const struct halide_filter_metadata_t *m = all_metadata();
    const struct halide_filter_argument_t *a = m->arguments;
    CHECK(m->version == 1 && m->num_arguments == 14 && strcmp(m->name, "all") == 0);
    CHECK(strcmp(m->target, "x86-64-linux") == 0 || strcmp(m->target, "arm-64-linux") == 0);
    for (int i = 0; i < 14; i++) {
        CHECK(strcmp(a[i].name, expected[i].name) == 0);
        CHECK(a[i].kind == expected[i].kind && a[i].dimensions == expected[i].dimensions);
        CHECK(a[i].type.code == expected[i].code && a[i].type.bits == expected[i].bits && a[i].type.lanes == 1);
        CHECK(!a[i].scalar_estimate && !a[i].buffer_estimates);
    }
    CHECK(a[1].scalar_def->u.i32 == -3 && a[1].scalar_min->u.i32 == -5 && a[1].scalar_max->u.i32 == 7);
    CHECK(a[2].scalar_def->u.b && !a[2].scalar_min && !a[2].scalar_max);
    CHECK(a[3].scalar_def->u.f32 == 1.5f && a[3].scalar_min->u.f32 == -1.0f && a[3].scalar_max->u.f32 == 2.5f);
    CHECK(a[4].scalar_def->u.u64 == UINT64_MAX && !a[7].scalar_def);
    CHECK(!a[8].scalar_def && a[8].scalar_min->u.i8 == -128 && a[8].scalar_max->u.i8 == 127);
    CHECK(a[9].scalar_def->u.u16 == 0x3800 && a[9].scalar_min->u.u16 == 0xc000 && a[10].scalar_def->u.u16 == 0x4040);

    /* 4 x 2 points, by NAME and by NAME_argv. */
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float rgb[8 * 3] = {0}, first[4], first2[4];
    int16_t any[4] = {10, 20, 30, 40};
    uint64_t second[4], second2[4];
    int32_t out[8], out2[8];
    halide_dimension_t plane[] = {{0, 4, 1, 0}, {0, 2, 4, 0}}, line[] = {{0, 4, 1, 0}};
    halide_dimension_t pixels[] = {{0, 4, 3, 0}, {0, 2, 12, 0}, {0, 3, 1, 0}};
    for (int i = 0; i < 8; i++)
        rgb[3 * i] = 100;
    halide_buffer_t b_int = buffer(bytes, halide_type_uint, 8, 2, plane);
    halide_buffer_t b_rgb = buffer(rgb, halide_type_float, 32, 3, pixels);
    halide_buffer_t b_any = buffer(any, halide_type_int, 16, 1, line), b_out = buffer(out, 0, 32, 2, plane);
    halide_buffer_t b_0 = buffer(first, 2, 32, 1, line), b_1 = buffer(second, 1, 64, 1, line);
    CHECK(all(&b_int, 5, 2, 2.5f, 7, &b_rgb, &b_any, 4.0, -1, 0x3c00, 0x4080, &b_out, &b_0, &b_1) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == bytes[i] * 5 + 1 + 100 + any[i % 4] - 1 + 4 + 4);
    CHECK(first[3] == 5.0f && second[3] == 7);
    int32_t v_new = 5;
    uint8_t v_b = 2;
    float v_s = 2.5f;
    uint64_t v_u = 7;
    double v_d = 4.0;
    int8_t v_e = -1;
    uint16_t v_h = 0x3c00, v_g = 0x4080; /* 1 and 4 */
    b_out.host = (uint8_t *)out2, b_0.host = (uint8_t *)first2, b_1.host = (uint8_t *)second2;
    void *arguments[] = {&b_int, &v_new, &v_b, &v_s, &v_u, &b_rgb, &b_any, &v_d, &v_e, &v_h, &v_g, &b_out, &b_0, &b_1};
    CHECK(all_argv(arguments) == 0);
    CHECK(memcmp(out, out2, sizeof out) == 0 && memcmp(first, first2, sizeof first) == 0);
    CHECK(memcmp(second, second2, sizeof second) == 0);
    hlc_report report;
    CHECK(all_report(&report, &b_int, 8, 2, 2.5f, 7, &b_rgb, &b_any, 4.0, -1, 0x3c00, 0x4080, &b_out, &b_0, &b_1) == -10);
    CHECK(report.error == -10 && strstr(report.message, "parameter new is 8"));
    CHECK(all_report(&report, &b_int, 5, 2, 2.5f, 7, &b_rgb, &b_any, 4.0, -1, 0x4200, 0x4080, &b_out, &b_0, &b_1) == -10);
    CHECK(strstr(report.message, "parameter h is 3"));
    return 0;
}
C
cp host.c host.cc
gcc -std=c99 $strict host.c all.o $cflags $libs -o host_c && expect 0 ./host_c || fail "the header in C99"
g++ -std=c++11 $strict -x c++ host.cc -x none all.o $cflags $libs -o host_cc && expect 0 ./host_cc || fail "the header in C++11"
grep -q 'new  *i32 in -5..7, by default -3' all.h || { fail "no line about new"; cat all.h; }
grep -q 'rgb  *an image of f32 in 3 dimensions; interleaved' all.h || fail "no line about rgb"
grep -q 'pair.1  *output: an image of u64 in 1 dimension;' all.h || fail "no line about pair.1"
grep -q 'libsleef is not needed' all.h || fail "libsleef is not spoken of"

# Only programs that call libsleef need it.
echo 'pipeline wave() -> out { fun out(x) = sin(f32(x)); }' > wave.hl
"$hlc" compile wave.hl --header=wave.h -o wave.o 2> err
if grep -qF '[E0881]' err; then
  echo "note: this CPU has no fused multiply-add; headers of pipelines with sin are not looked at"
else
  grep -q -- '-lsleef' wave.h || fail "wave.h does not name -lsleef"
  nm -u wave.o | grep -q Sleef_ || fail "wave.o does not call libsleef"
fi

# make reads the rule.  It makes the object again if an import changes, and not otherwise.
printf 'all.o:\n\t@echo made; touch all.o\n-include all.d\n' > Makefile
touch all.o
make all.o 2> /dev/null | grep -q made && fail "made again though nothing changed: $(cat all.d)"
touch -d '+1 hour' 'li b$#/half.hl'
make all.o 2> /dev/null | grep -q made || fail "not made again after a change of an import: $(cat all.d)"
touch -d '+2 hours' all.o all.hl; touch -d '+3 hours' all.hl
make all.o 2> /dev/null | grep -q made || fail "not made again after a change of the file: $(cat all.d)"

# A name that C, C++ or the program already uses would break the header, or hide a function.
rm -f none.*
for name in int class restrict malloc log select uint8_t halide_buffer_t; do
  echo "pipeline $name() -> out { fun out(x) = i32(x); }" > named.hl
  expect 2 "$hlc" compile named.hl --header=none.h -o none.o
  complains "E0882"
  expect 2 "$hlc" compile named.hl -o none.o
  expect 0 "$hlc" compile named.hl --emit=asm -o text.s
  expect 0 "$hlc" run named.hl out=3
done

# All files appear or none.
expect 2 "$hlc" compile all.hl --schedule=missing --header=none.h --depfile=none.d -o none.o
expect 3 "$hlc" compile all.hl --header=nowhere/none.h --depfile=none.d -o none.o
expect 3 "$hlc" compile all.hl --header=none.h --depfile=none.d -o nowhere/none.o
expect 2 "$hlc" compile all.hl --emit=asm --depfile=none.d
[ -z "$(ls | grep '^none')" ] || fail "left behind: $(ls | grep '^none')"
cp all.h before.h
expect 0 "$hlc" compile all.hl --header=all.h -o all.o
cmp -s all.h before.h || fail "two headers of one pipeline differ"
[ $failures -eq 0 ]
