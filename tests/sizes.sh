#!/usr/bin/env bash
# Sizes of outputs: what a pipeline proposes is the window that commands take where none is given.
# No value depends on it.  `require` may name the windows and strides of outputs.  NAME_propose of a
# header and the library answer the same windows.
# Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1
export PKG_CONFIG_PATH=$build
silent() { [ ! -s err ] || { fail "standard error says something"; cat err; }; }

cat > half.hl <<'HL'
const border = 1;

// Half the size, then strips of `1 << L`.
pipeline half(const L = 3 in 0..30, input: image<u8, 3, interleaved>, w: i32 = 2 in 0..100000, s: f32 = 0.5)
    -> (out(input.width / 2, (w, 1 << L), input.channels): interleaved, pair(i32(f32(input.height) * s) - border),
        wide((-w, index(w) * w * w * input.width)), last) {
    let src = repeat_edge(input);
    fun out(x, y, c) = src(2*x, y, c);
    fun pair(x) = {i32(x), u8(x)};
    fun wide(x) = i32(x) + w;
    fun last() = w;
}

schedule fast for half { vectorize(out.x, 16);  parallel(out.y); }
HL

# ---- the commands ----
expect 0 "$hlc" run half.hl input=random:1:8x9x3; silent
says "out: u8 4x8x3, hash"; says "pair.0: i32 3, hash"; says "pair.1: u8 3, hash"; says "wide: i32 64, hash"
cp out proposed
expect 0 "$hlc" run half.hl input=random:1:8x9x3 out=4x8x3+0+2+0 pair=3 wide=64+-2; silent
cmp -s out proposed || fail "the window that is proposed is another than the same one given: $(diff out proposed)"
for way in --schedule=fast --interpret=reference --interpret=target --interpret=semantics; do
  expect 0 "$hlc" run half.hl input=random:1:8x9x3 $way; silent
  cmp -s out proposed || fail "$way: $(diff out proposed)"
done
expect 0 "$hlc" run half.hl input=random:1:8x9x3 out=5x1x1 out.min=0,7,0; says "out: u8 5x1x1"
expect 0 "$hlc" run half.hl input=random:1:8x9x3 L=1 pair.min=-5; says "out: u8 4x2x3"; says "pair.0: i32 3"; silent
expect 0 "$hlc" bench half.hl input=random:1:8x9x3 --seconds=0.01 --runs=1 --threads=1; silent
expect 0 "$hlc" check half.hl --rounds=40
expect 0 "$hlc" contract half.hl input=random:1:8x9x3; silent; says "runs, with at most"
expect 0 "$hlc" explain half.hl input=zero:8x9x3; silent; says "for out.s0.y from 2, 8 iterations"
expect 0 "$hlc" eval half.hl 'out(1, 2, 0)' input=ramp:8x9x3
"$hlc" lower half.hl > half.ir; "$hlc" lower half.ir | cmp -s - half.ir || fail "the text form is read as another program"
expect 0 "$hlc" run half.ir input=random:1:8x9x3; silent
cmp -s out proposed || fail "the text form proposes another window"

# ---- refusals ----
refused() { # TEXT ARGUMENT..
  expect 2 "$hlc" run half.hl "${@:2}"
  complains "[E0888]"; complains "$1"; complains "half.hl:"
}
refused "dimension 0 has -1 coordinates" input=random:1:8x0x3
refused "dimension 0 has 8000000000000 coordinates from -10000 on, beyond 32 bits" input=random:1:8x9x3 w=10000
refused "its arithmetic leaves 64 bits" input=zero:100000x9x1 w=100000 L=0
refused "1x1073741824x3 is too large" input=random:1:2x9x3 L=30
refused "it depends on the size of \`input\`, which is not known" input=random:1:auto
expect 0 "$hlc" run half.hl input=random:1:auto out=4x4x3 pair=1 wide=1

# ---- guesses ----
cat > product.hl <<'HL'
pipeline product(a: image<f32, 2>, b: image<f32, 2>) -> out {
    fun out(x, y) = { 0.0;  rdom(k = (0, a.width)) in (x, y) <- out(x, y) + a(k, y) * b(x, k); }
}
HL
sed 's/-> out/-> out(b.width, a.height)/' product.hl > sized.hl
expect 2 "$hlc" run product.hl a=random:1:30x20 b=random:2:20x26
complains "[E0889]"; complains "the inputs \`a\` (30x20) and \`b\` (20x26) differ"
expect 2 "$hlc" run product.hl a=random:1:30x20 b=random:2:30x20+1+0; complains "(30x20+0+0) and \`b\` (30x20+1+0)"
expect 0 "$hlc" run product.hl a=random:1:30x20 b=random:2:20x30 out=20x20; cp out wanted
expect 0 "$hlc" run sized.hl a=random:1:30x20 b=random:2:20x30; silent
cmp -s out wanted || fail "the product: $(cat out)"
expect 0 "$hlc" run product.hl a=random:1:20x20 b=random:2:20x20; complains "E0866"

# ---- requirements ----
cat > require.hl <<'HL'
pipeline p(input: image<u8, 2>) -> (out(input.width, input.height), pair(4)) {
    fun out(x, y) = input(x, y);
    fun pair(x) = {x, 2*x};
    require(out.min(0) >= 0 && out.extent(1) <= 100 && pair.min(0) == 0, "the window begins at 0");
    require(out.stride(0) == 1 && input.stride(1) > 3, "planar");
}
schedule s for p { vectorize(out.x, 16); }
HL
for way in "" --schedule=s --interpret=reference --interpret=target --interpret=semantics; do
  # shellcheck disable=SC2086 # no word or one
  {
    expect 0 "$hlc" run require.hl input=random:1:9x8 $way; silent
    expect 2 "$hlc" run require.hl input=random:1:9x8 pair.min=1 $way; complains "requirement_failed): the window begins at 0"
    expect 2 "$hlc" run require.hl input=random:1:9x8+-1+0 $way out.min=-1,0; complains "the window begins at 0"
    expect 2 "$hlc" run require.hl input=random:1:2x8 $way; complains "requirement_failed): planar"
  }
done
expect 0 "$hlc" contract require.hl --all; says "i32(out.min(0)) >= 0"; says "proposes out(input.extent(0), input.extent(1))"
expect 1 "$hlc" contract require.hl input=random:1:2x8; says "refused: i32(input.stride(1)) > 3 does not hold: planar"
expect 0 "$hlc" contract require.hl input=random:1:9x8
expect 0 "$hlc" check require.hl --rounds=20
expect 0 "$hlc" certify require.hl; says " 0 refuted, 0 open"

# ---- the header ----
expect 0 "$hlc" compile half.hl L=4 --header=half.h -o half.o
grep -q "#define HLC_half_L 4" half.h && grep -q " \* made with L = 4" half.h || fail "the value of L: $(cat half.h)"
grep -qF " * proposes out(input.extent(0)/2, (w, 16), input.extent(2))" half.h || fail "the proposal: $(cat half.h)"
cat > host.c <<'C'
#include "half.h"
#include <stdio.h>
#include <string.h>
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); return 1; } } while (0)
static halide_buffer_t buffer(int dimensions, halide_dimension_t *dim) {
    halide_buffer_t b;
    memset(&b, 0, sizeof b);
    b.dimensions = dimensions;
    b.dim = dim;
    return b;
}
static void quiet(void *user, int error, const char *message) { (void)user; (void)error; (void)message; }
int main(void) {
    halide_dimension_t in[] = {{0, 8, 3, 0}, {0, 9, 24, 0}, {0, 3, 1, 0}}, out[3], pair[2], wide[1];
    memset(out, 0, sizeof out), memset(pair, 7, sizeof pair), memset(wide, 0, sizeof wide);
    halide_buffer_t b_in = buffer(3, in), b_out = buffer(3, out), b_0 = buffer(1, pair), b_1 = buffer(1, pair + 1);
    halide_buffer_t b_wide = buffer(1, wide), b_last = buffer(0, NULL);
    CHECK(HLC_half_L == 4);
    CHECK(half_propose(&b_in, 2, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == 0);
    CHECK(out[0].min == 0 && out[0].extent == 4 && out[0].stride == 3);
    CHECK(out[1].min == 2 && out[1].extent == 16 && out[1].stride == 12);
    CHECK(out[2].min == 0 && out[2].extent == 3 && out[2].stride == 1);
    CHECK(pair[0].extent == 3 && pair[1].extent == 3 && pair[1].stride == 1 && pair[1].flags == 0);
    CHECK(wide[0].min == -2 && wide[0].extent == 64);
    CHECK(b_out.type.bits == 8 && b_0.type.bits == 32 && !b_out.host);
    hlc_set_error_handler(quiet);
    CHECK(half_propose(&b_in, 100000, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == HLC_ERROR_COORDINATE_RANGE);
    in[0].extent = 100000;
    CHECK(half_propose(&b_in, 100000, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == HLC_ERROR_INDEX_RANGE);
    CHECK(half_propose(&b_in, 100001, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == HLC_ERROR_PARAMETER_TOO_LARGE);
    CHECK(half_propose(&b_in, 2, 0.5f, &b_out, &b_0, NULL, &b_wide, &b_last) == HLC_ERROR_BUFFER_IS_NULL);
    in[0].extent = -1;
    CHECK(half_propose(&b_in, 2, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == HLC_ERROR_NEGATIVE_EXTENT);
    in[0].extent = 2000000000, in[2].extent = 3;
    CHECK(half_propose(&b_in, 0, 0.5f, &b_out, &b_0, &b_1, &b_wide, &b_last) == HLC_ERROR_EXTENT_TOO_LARGE);
    CHECK(out[1].min == 2 && out[1].extent == 16 && wide[0].extent == 64); /* what is refused writes nothing */
    return 0;
}
C
strict="-Wall -Wextra -Werror -pedantic"
# shellcheck disable=SC2046,SC2086 # words
{
  gcc -std=c99 $strict host.c half.o $(pkg-config --cflags --libs hlc-runtime) -o host_c && expect 0 ./host_c || fail "the header in C99"
  g++ -std=c++11 $strict -x c++ host.c -x none half.o $(pkg-config --cflags --libs hlc-runtime) -o host_cc && expect 0 ./host_cc || fail "the header in C++11"
}
expect 0 "$hlc" compile product.hl --header=product.h -o product.o
grep -q propose product.h && fail "a pipeline without sizes proposes none"

echo "$failures failures"
[ $failures -eq 0 ]
