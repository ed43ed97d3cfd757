#!/usr/bin/env bash
# The window form by hand: `hlc run --domain` on examples. The outputs of windows, put together, are
# the output of the whole, by compiled code and by the interpreters. Then a C program that links an
# object of the window form. Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
export PATH="$build:$PATH" ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 windows=0 output=out
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# Prints the array of a .npy file: its shape, then one line for each row.
cat > join.py << 'END'
import ast, sys

def load(path):
    data = open(path, 'rb').read()
    length = int.from_bytes(data[8:10], 'little')
    head = ast.literal_eval(data[10:10 + length].decode())
    assert not head['fortran_order'], path
    return head['shape'], int(head['descr'][2:]), data[10 + length:]

def row(array, x, y, width):
    shape, bytes, data = array
    pixel = bytes * (shape[2] if len(shape) > 2 else 1)
    start = (y * shape[1] + x) * pixel
    return data[start:start + width * pixel]

whole = load(sys.argv[1])
seen = set()
for path in sys.argv[2:]:
    x, y = map(int, path[:-len('.npy')].split('-')[1:3])
    window = load(path)
    for j in range(window[0][0]):
        if row(window, 0, j, window[0][1]) != row(whole, x, y + j, window[0][1]):
            sys.exit(f'{path}: row {j} differs')
        seen.update((x + i, y + j) for i in range(window[0][1]))
if len(seen) != whole[0][0] * whole[0][1]:
    sys.exit('points are left out')
END

# compare EXAMPLE SCHEDULE WIDTH HEIGHT STEP_X STEP_Y MACHINE INPUT=SIZE ..: the inputs' domains.
compare() {
  local example=$1 schedule=$2 width=$3 height=$4 step_x=$5 step_y=$6 machine=$7 x y
  shift 7
  local domains=() wholes=() parts=() how=(--schedule="$schedule")
  case $machine in
    compiled) ;;
    unoptimized) how+=(--optimize=0) ;;
    *) how=(--interpret="$machine") ;;
  esac
  for input in "$@"; do
    domains+=("--domain=$input") wholes+=("${input%%=*}=random:7:${input#*=}")
    parts+=("${input%%=*}=random:7:auto")
  done
  rm -f whole.npy part-*.npy
  hlc run "$source/examples/$example.hl" "${how[@]}" "${domains[@]}" "${wholes[@]}" "$output=${width}x$height" -o whole.npy ||
    fail "$example: the whole"
  for ((y = 0; y < height; y += step_y)); do
    for ((x = 0; x < width; x += step_x)); do
      local w=$((x + step_x < width ? step_x : width - x)) h=$((y + step_y < height ? step_y : height - y))
      hlc run "$source/examples/$example.hl" "${how[@]}" "${domains[@]}" "--domain=$output=${width}x$height" "${parts[@]}" \
        "$output=${w}x$h+$x+$y" -o "part-$x-$y.npy" || fail "$example: the window at $x, $y"
      windows=$((windows + 1))
    done
  done
  python3 join.py whole.npy part-*.npy || fail "$example, $schedule, $machine"
}

compare edges fast 61 47 29 16 compiled input=61x47
compare edges fast 61 47 40 47 reference input=61x47
compare edges fast 61 47 61 30 target input=61x47
compare blur fast 40 33 17 33 compiled input=40x33
compare median fast 30 20 13 11 unoptimized input=34x24
output=response
compare harris tiled 50 41 31 20 compiled input=50x41 # mirrored

# The whole is refused once; so are windows outside of it.
hlc run "$source/examples/edges.hl" --domain=out=10x10 input=zero:20x20 out=8x8+4+0 2> said && fail "a window outside"
grep -q window_outside said || fail "a window outside: $(cat said)"
hlc run "$source/examples/edges.hl" --domain=out 2> said; [ $? -eq 2 ] || fail "--domain without a size"
grep -q E0822 said || fail "--domain without a size: $(cat said)"
hlc run "$source/examples/edges.hl" --domain=out=10x10 --domain=out=12x10 input=zero:20x20 out=8x8 2> said
{ [ $? -eq 2 ] && grep -q E0837 said; } || fail "two domains of one output: $(cat said)"
hlc run "$source/examples/edges.hl" --domain=out=10x10 --domain=input=20x20 input=zero:20x20 out=8x8 > said || fail "two domains: $(cat said)"

# What windows need of images that are known and not.
query() { # WANTED EXAMPLE ARGUMENTS ..
  local wanted=$1 example=$2
  shift 2
  hlc run "$source/examples/$example.hl" --query "$@" > said 2>&1; [ "$(cat said)" = "$wanted" ] || fail "--query of $example: $(cat said)"
}
query 'input: 10x10+29+15' edges --domain=input=61x47 input=zero:auto out=8x8+30+16
query 'input: 9x9' edges --schedule=fast --domain=input=61x47 input=random:1:61x47 out=8x8 -o unwritten.npy
query 'input: 13x12+-2+-2' blur input=zero:auto out=9x8 w=2
[ ! -e unwritten.npy ] || fail "--query wrote an output"

# From C: what the header declares, linked with the run-time library.
cat > main.c << 'END'
#include "edges.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 50, H = 30 };
static uint8_t in[W * H], whole[W * H], part[W * H];

static halide_buffer_t buffer(halide_dimension_t *dim, uint8_t *host, int x, int y, int w, int h) {
    dim[0] = (halide_dimension_t){x, w, 1, 0};
    dim[1] = (halide_dimension_t){y, h, w, 0};
    return (halide_buffer_t){.host = host, .type = {halide_type_uint, 8, 1}, .dimensions = 2, .dim = dim};
}

int main(void) {
    hlc_report report;
    int32_t strength = 4;
    halide_dimension_t dims[4][2];
    const hlc_interval domains[] = {{0, W}, {0, H}, {0, W}, {0, H}};
    for (int i = 0; i < W * H; i++)
        in[i] = (uint8_t)(i * 31 + i / 7);
    halide_buffer_t input = buffer(dims[0], in, 0, 0, W, H), output = buffer(dims[1], whole, 0, 0, W, H);
    void *all[] = {&input, &strength, &output};
    hlc_call call = {.size = sizeof call, .what = HLC_CALL_CHECK, .domains = domains, .threads = 1};
    if (edges_call(&report, &call, all) || edges_call(&report, NULL, all) || edges_argv(all))
        return puts(report.message), 1;
    for (int y = 0; y < H; y += 8)
        for (int x = 0; x < W; x += 20) {
            int w = x + 20 < W ? 20 : W - x, h = y + 8 < H ? 8 : H - y;
            halide_buffer_t need = buffer(dims[2], NULL, 0, 0, 0, 0), out = buffer(dims[3], part, x, y, w, h);
            void *some[] = {&need, &strength, &out};
            call.what = HLC_CALL_QUERY;
            if (edges_call(&report, &call, some))
                return puts(report.message), 1;
            int left = need.dim[0].min, top = need.dim[1].min, columns = need.dim[0].extent, rows = need.dim[1].extent;
            need.host = malloc((size_t)columns * (size_t)rows);
            for (int j = 0; j < rows; j++)
                memcpy(need.host + j * columns, in + (top + j) * W + left, (size_t)columns);
            call.what = HLC_CALL_RUN;
            if (edges_call(&report, &call, some))
                return puts(report.message), 1;
            free(need.host);
            for (int j = 0; j < h; j++)
                if (memcmp(part + j * w, whole + (y + j) * W + x, (size_t)w))
                    return printf("%d, %d differs\n", x, y + j), 1;
        }
    return 0;
}
END
hlc compile "$source/examples/edges.hl" --windows --schedule=fast --header=edges.h -o edges.o || fail "compile --windows"
runtime=$(find "$build" -maxdepth 1 -name 'libhlcrt*.a' -o -maxdepth 1 -name 'libhlc_runtime.a' | head -1)
if "${CC:-cc}" -std=c99 -Wall -Werror -I"$source/runtime" -I"$source" -I. main.c edges.o "$runtime" -lm -lpthread -o main; then
  ./main || fail "the C program"
else
  fail "the C program does not compile"
fi
# An output in the memory of an image has the one NaN, too, also where no update writes.
cat > shared.hl << 'END'
pipeline shared(a: image<f32, 1>) -> out in a { fun out(x) = { a(x); rdom(r = (0, 2)) in (r) <- out(r) + 1.0; } }
END
cat > shared.c << 'END'
#include "shared.h"
#include <string.h>
int main(void) {
    uint32_t image[4] = {0x3f800000, 0x3f800000, 0xffc12345, 0x7fa00001}, apart[4];
    halide_dimension_t dim[2] = {{0, 4, 1, 0}, {0, 4, 1, 0}};
    const halide_type_t f32 = {halide_type_float, 32, 1};
    halide_buffer_t a = {.host = (uint8_t *)image, .type = f32, .dimensions = 1, .dim = &dim[0]};
    halide_buffer_t out = {.host = (uint8_t *)apart, .type = f32, .dimensions = 1, .dim = &dim[1]};
    void *arguments[] = {&a, &out};
    if (shared_argv(arguments) || apart[2] != 0x7fc00000 || apart[3] != 0x7fc00000)
        return 1;
    out.host = a.host;
    return shared_argv(arguments) || memcmp(image, apart, sizeof apart) ? 2 : 0;
}
END
hlc compile shared.hl --windows --header=shared.h -o shared.o || fail "compile --windows of shared memory"
"${CC:-cc}" -std=c99 -Wall -Werror -I"$source/runtime" -I"$source" -I. shared.c shared.o "$runtime" -lm -lpthread -o shared && ./shared ||
  fail "shared memory: $?"
echo "$windows windows, $failures failures"
[ "$failures" -eq 0 ] && [ "$windows" -ge 20 ]
