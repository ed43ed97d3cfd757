#!/usr/bin/env bash
# Tests our headers against the ecosystem's own ones (Debian's libhalide14-0-dev): both orders of
# inclusion, the layouts, the numbers of errors, and Halide::Runtime::Buffer as a client of our
# objects.  Skipped if the package is missing.  Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
hlc=$build/hlc
halide=
for folder in /usr/include/halide14 /usr/include/Halide /usr/local/include/halide; do
  [ -e $folder/HalideBuffer.h ] && halide=$folder
done
[ -n "$halide" ] || { echo "SKIPPED: halide needs HalideBuffer.h (Debian package libhalide14-0-dev)"; exit 77; }
type g++ > /dev/null 2>&1 || { echo "SKIPPED: halide needs g++"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
export PKG_CONFIG_PATH=$build
cflags=$(pkg-config --cflags hlc-runtime)
libs=$(pkg-config --libs hlc-runtime)
strict="-Wall -Wextra -Werror -pedantic"

# ---- both orders, both languages ----
cat > ours_first.c <<'C'
#include "hlc_runtime.h"
#include "HalideRuntime.h"
int use(const halide_buffer_t *buffer) { return buffer->dimensions + HLC_ERROR_BAD_TYPE; }
C
cat > ours_last.c <<'C'
#include "HalideRuntime.h"
#include "hlc_runtime.h"
int use(const halide_buffer_t *buffer) { return buffer->dimensions + HLC_ERROR_BAD_TYPE; }
C
for file in ours_first ours_last; do
  gcc -std=c99 $strict $cflags -isystem $halide -c $file.c -o $file.o || fail "$file in C99"
  g++ -std=c++11 $strict $cflags -isystem $halide -x c++ -c $file.c -o $file.o || fail "$file in C++11"
done

# ---- layouts, field by field: one program, once with our definitions, once with theirs ----
cat > layout.c <<'C'
#ifdef THEIRS
#include "HalideRuntime.h"
#endif
#include "hlc_runtime.h"
#include <stdio.h>
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %zu %zu\n", offsetof(type, field), sizeof(((type *)0)->field))
int main(void) {
    SIZE(halide_buffer_t); SIZE(halide_dimension_t); SIZE(struct halide_type_t);
    FIELD(struct halide_type_t, code); FIELD(struct halide_type_t, bits); FIELD(struct halide_type_t, lanes);
    FIELD(halide_dimension_t, min); FIELD(halide_dimension_t, extent); FIELD(halide_dimension_t, stride);
    FIELD(halide_dimension_t, flags);
    FIELD(halide_buffer_t, device); FIELD(halide_buffer_t, device_interface); FIELD(halide_buffer_t, host);
    FIELD(halide_buffer_t, flags); FIELD(halide_buffer_t, type); FIELD(halide_buffer_t, dimensions);
    FIELD(halide_buffer_t, dim); FIELD(halide_buffer_t, padding);
    SIZE(struct halide_scalar_value_t); SIZE(struct halide_filter_argument_t); SIZE(struct halide_filter_metadata_t);
    FIELD(struct halide_filter_argument_t, name); FIELD(struct halide_filter_argument_t, kind);
    FIELD(struct halide_filter_argument_t, dimensions); FIELD(struct halide_filter_argument_t, type);
    FIELD(struct halide_filter_argument_t, scalar_def); FIELD(struct halide_filter_argument_t, scalar_min);
    FIELD(struct halide_filter_argument_t, scalar_max); FIELD(struct halide_filter_argument_t, scalar_estimate);
    FIELD(struct halide_filter_argument_t, buffer_estimates);
    FIELD(struct halide_filter_metadata_t, version); FIELD(struct halide_filter_metadata_t, num_arguments);
    FIELD(struct halide_filter_metadata_t, arguments); FIELD(struct halide_filter_metadata_t, target);
    FIELD(struct halide_filter_metadata_t, name);
    printf("kinds %d %d %d\n", halide_argument_kind_input_scalar, halide_argument_kind_input_buffer,
           halide_argument_kind_output_buffer);
    return 0;
}
C
gcc $cflags layout.c -o ours && gcc -DTHEIRS $cflags -isystem $halide layout.c -o theirs || fail "layout.c"
./ours > ours.txt; ./theirs > theirs.txt
cmp -s ours.txt theirs.txt || { fail "the layouts differ"; diff ours.txt theirs.txt; }
grep -q '^halide_buffer_t 56$' ours.txt || fail "a buffer has not 56 bytes"

# ---- numbers of errors: Halide's if the meaning is the same, ours below -1000 ----
cat > numbers.c <<'C'
#include "HalideRuntime.h"
#include "hlc_runtime.h"
#include <stdio.h>
static const struct { int ours, theirs; const char *name; } same[] = {
#define SAME(OURS, THEIRS) {HLC_ERROR_##OURS, halide_error_code_##THEIRS, #OURS}
    SAME(GENERIC, generic_error), SAME(BOUND_TOO_SMALL, explicit_bounds_too_small), SAME(BAD_TYPE, bad_type),
    SAME(ACCESS_OUT_OF_BOUNDS, access_out_of_bounds), SAME(EXTENT_TOO_LARGE, buffer_extents_too_large),
    SAME(BAD_STRIDE, constraint_violated), SAME(PARAMETER_TOO_SMALL, param_too_small),
    SAME(PARAMETER_TOO_LARGE, param_too_large), SAME(OUT_OF_MEMORY, out_of_memory),
    SAME(BUFFER_IS_NULL, buffer_argument_is_null), SAME(INTERNAL, internal_error),
    SAME(REQUIREMENT_FAILED, requirement_failed), SAME(NEGATIVE_EXTENT, buffer_extents_negative),
    SAME(HOST_IS_NULL, host_is_null), SAME(BAD_DIMENSIONS, bad_dimensions),
    SAME(DEVICE_DIRTY, device_dirty_with_no_device_support), SAME(UNALIGNED_HOST, unaligned_host_ptr)};
static const struct { int number; const char *name; } all[] = {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE) {NUMBER, #NAME},
#include "runtime/hlc_errors.def"
};
int main(void) {
    int faults = 0, low = 0;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].ours != same[i].theirs)
            faults += printf("%s is %d, theirs %d\n", same[i].name, same[i].ours, same[i].theirs);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        low += all[i].number > -1000;
    if (low != (int)(sizeof same / sizeof *same))
        faults += printf("%d numbers above -1000 are not compared\n", low - (int)(sizeof same / sizeof *same));
    return faults != 0 || HLC_SUCCESS != halide_error_code_success;
}
C
gcc -std=c99 $cflags -isystem $halide numbers.c -o numbers && ./numbers || fail "numbers of errors"

# ---- Halide::Runtime::Buffer calls our objects ----
cat > client.hl <<'HL'
pipeline planar(input: image<u8, 2>, k: i32 in 1..9) -> (out, sum) {
    fun f(x, y) = i32(input(x - 1, y)) + i32(input(x + 2, y + 1)) * k;
    fun out(x, y) = f(x, y) + f(x, y + 1);
    fun sum(x) = {i32(input(x - 1, 0)) + i32(input(x + 2, 1)) * k, u8(x)};
}
schedule fast for planar { compute-at(f, out.y); vectorize(out.x, 8); parallel(out.y); }
pipeline mixed(rgb: image<u8, 3, interleaved>, any: image<u16, 2, strided>) -> out {
    fun out(x, y, c) = u16(rgb(x, y + 1, c)) * 3 + any(y, x);
}
HL
"$hlc" compile client.hl --pipeline=planar --schedule=fast --header=planar.h -o planar.o || fail "planar"
"$hlc" compile client.hl --pipeline=mixed --header=mixed.h -o mixed.o || fail "mixed"
cat > client.cc <<'C'
#include "HalideBuffer.h"
#include "mixed.h"
#include "planar.h"
#include <cstdio>
#include <cstring>
using Halide::Runtime::Buffer;
#define CHECK(condition) do { if (!(condition)) { std::printf("line %d: %s\n", __LINE__, #condition); return 1; } } while (0)
static int last_error;
static void note(void *, int error, const char *) { last_error = error; }

static int expected(const Buffer<uint8_t> &input, int x, int y, int k) {
    return input(x - 1, y) + input(x + 2, y + 1) * k + input(x - 1, y + 1) + input(x + 2, y + 2) * k;
}

static int check(const Buffer<uint8_t> &input, const Buffer<int32_t> &out, int k) {
    int wrong = 0;
    out.for_each_element([&](int x, int y) { wrong += out(x, y) != expected(input, x, y, k); });
    return wrong;
}

static int planar_buffers() {
    /* All are asked about. */
    Buffer<uint8_t> input(nullptr, 0, 0);
    Buffer<int32_t> out(nullptr, 37, 21), sum0(nullptr, 5);
    Buffer<uint8_t> sum1(nullptr, 5);
    out.set_min(-3, 4);
    sum0.set_min(2);
    sum1.set_min(2);
    CHECK(input.is_bounds_query() && out.is_bounds_query());
    CHECK(planar(input, 3, out, sum0, sum1) == 0);
    CHECK(input.dim(0).min() == -4 && input.dim(0).extent() == 40 && input.dim(0).stride() == 1);
    CHECK(input.dim(1).min() == 0 && input.dim(1).extent() == 27 && input.dim(1).stride() == 40);
    CHECK(out.dim(0).min() == -3 && out.dim(0).extent() == 37 && out.dim(1).stride() == 37);
    CHECK(input.is_bounds_query());
    input.allocate();
    out.allocate();
    sum0.allocate();
    sum1.allocate();
    int seed = 1;
    input.for_each_value([&](uint8_t &v) { v = (uint8_t)(seed = seed * 75 % 65537); });
    CHECK(planar(input, 3, out, sum0, sum1) == 0);
    CHECK(check(input, out, 3) == 0);
    for (int x = 2; x < 7; x++)
        CHECK(sum0(x) == input(x - 1, 0) + input(x + 2, 1) * 3 && sum1(x) == x);

    /* One row or column less is refused, each. */
    hlc_set_error_handler(note);
    for (int d = 0; d < 2; d++)
        for (int end = 0; end < 2; end++) {
            Buffer<uint8_t> less = input.cropped(d, input.dim(d).min() + end, input.dim(d).extent() - 1);
            last_error = 0;
            CHECK(planar(less, 3, out, sum0, sum1) == halide_error_code_access_out_of_bounds);
            CHECK(last_error == halide_error_code_access_out_of_bounds);
        }

    /* A crop of the output: the rest stays as it is. */
    Buffer<int32_t> whole(60, 40);
    whole.set_min(-10, -5);
    whole.fill(-77);
    Buffer<int32_t> part = whole.cropped({{-3, 20}, {4, 9}});
    CHECK(planar(input, 5, part, sum0, sum1) == 0);
    CHECK(check(input, part, 5) == 0);
    int wrong = 0;
    whole.for_each_element([&](int x, int y) {
        bool inside = x >= -3 && x < 17 && y >= 4 && y < 13;
        wrong += !inside && whole(x, y) != -77;
    });
    CHECK(wrong == 0);

    /* Translated input and output, a transposed output, one with rows upside down. */
    Buffer<uint8_t> moved = input.translated({100, -50});
    Buffer<int32_t> there(37, 20);
    there.set_min(97, -46);
    sum0.set_min(101); /* reads rows 0 and 1 only: not there */
    sum1.set_min(101);
    CHECK(planar(moved, 3, there, sum0, sum1) == halide_error_code_access_out_of_bounds);
    sum0.set_min(2);
    sum1.set_min(2);
    Buffer<int32_t> columns = Buffer<int32_t>(21, 37).transposed(0, 1);
    columns.set_min(-3, 4);
    CHECK(columns.dim(0).stride() == 21);
    CHECK(planar(input, 3, columns, sum0, sum1) == 0 && check(input, columns, 3) == 0);
    Buffer<int32_t> flipped(37, 21);
    flipped.set_min(-3, 4);
    flipped.raw_buffer()->host += sizeof(int32_t) * 37 * 20;
    flipped.raw_buffer()->dim[1].stride = -37;
    CHECK(planar(input, 3, flipped, sum0, sum1) == 0);
    CHECK(std::memcmp(&flipped(-3, 4), &out(-3, 4), 37 * 4) == 0 && check(input, flipped, 3) == 0);
    flipped.raw_buffer()->host -= sizeof(int32_t) * 37 * 20;

    /* Newer data on a device; memory on a device only; a parameter beyond its range. */
    input.set_host_dirty(false);
    input.set_device_dirty(true);
    CHECK(planar(input, 3, out, sum0, sum1) == halide_error_code_device_dirty_with_no_device_support);
    input.set_device_dirty(false);
    halide_buffer_t device = *input.raw_buffer();
    device.host = nullptr;
    device.device = 1;
    CHECK(planar(&device, 3, out, sum0, sum1) == halide_error_code_host_is_null);
    CHECK(planar(input, 10, out, sum0, sum1) == halide_error_code_param_too_large);
    CHECK(planar(nullptr, 3, out, sum0, sum1) == halide_error_code_buffer_argument_is_null);

    /* The way of generic clients: argv. */
    Buffer<int32_t> again(37, 21);
    again.set_min(-3, 4);
    int32_t k = 3;
    void *arguments[] = {input.raw_buffer(), &k, again.raw_buffer(), sum0.raw_buffer(), sum1.raw_buffer()};
    CHECK(planar_metadata()->num_arguments == 5 && planar_metadata()->version == halide_filter_metadata_t::VERSION);
    CHECK(planar_argv(arguments) == 0 && check(input, again, 3) == 0);
    return 0;
}

static int mixed_buffers() {
    Buffer<uint8_t> rgb(nullptr, 0, 0, 0);
    Buffer<uint16_t> any(nullptr, 0, 0), out = Buffer<uint16_t>::make_interleaved(9, 6, 3);
    CHECK(mixed(rgb, any, out) == 0);
    CHECK(rgb.dim(2).stride() == 1 && rgb.dim(0).stride() == 3 && rgb.dim(1).stride() == 27);
    CHECK(rgb.dim(1).min() == 1 && rgb.dim(2).extent() == 3);
    CHECK(any.dim(0).extent() == 6 && any.dim(1).extent() == 9);
    rgb.allocate();
    CHECK(rgb.dim(0).stride() == 3); /* as answered */
    any.allocate();
    int seed = 1;
    rgb.for_each_value([&](uint8_t &v) { v = (uint8_t)(seed = seed * 75 % 65537); });
    any.for_each_value([&](uint16_t &v) { v = (uint16_t)(seed = seed * 75 % 65537); });
    CHECK(mixed(rgb, any, out) == 0);
    int wrong = 0;
    out.for_each_element([&](int x, int y, int c) {
        wrong += out(x, y, c) != (uint16_t)(rgb(x, y + 1, c) * 3 + any(y, x));
    });
    CHECK(wrong == 0);
    Buffer<uint8_t> planes(9, 6, 3);
    planes.set_min(0, 1, 0);
    CHECK(mixed(planes, any, out) == halide_error_code_constraint_violated);
    return 0;
}

int main() { return planar_buffers() || mixed_buffers(); }
C
g++ -std=c++11 -Wall -Wextra $cflags -isystem $halide client.cc planar.o mixed.o $libs -o client && ./client ||
  fail "Halide::Runtime::Buffer as a client"
[ $failures -eq 0 ]
