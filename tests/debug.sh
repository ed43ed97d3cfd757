#!/usr/bin/env bash
# gdb on objects and on code loaded by `hlc run`.  It stops at lines of the .hl file, at each point
# of a definition; it knows the variables of loops, steps, and shows the stack.  Also: what --debug
# must not change.  Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
hlc=$build/hlc limited=$build/tests/limited
if ! command -v gdb > /dev/null; then
  echo "skipped: there is no gdb"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

cat > blur.hl <<'HL'
pipeline blur(input: image<u8, 2>, w: i32 = 1 in 0..8) -> out {
    let src = repeat_edge(input);
    fun f(x, y) = i32(src(x, y)) * 3;
    fun g(x, y) = {
        f(x, y);
        rdom(r = (-w, 2*w + 1)) in (x, y) <- g(x, y) + f(x + r, y);
    }
    fun out(x, y) =
        u8(g(x, y) / ((2*w + 1) * 4));
}
schedule tiled for blur {
    tile(out.x, out.y, xo, yo, xi, yi, 16, 8);
    compute-at(g, out.xo);
    parallel(out.yo);
}
schedule lanes for blur {
    vectorize(out.x, 4);
}
HL
cat > host.c <<'C'
#include "runtime/hlc_runtime.h"
int blur(const halide_buffer_t *input, int32_t w, halide_buffer_t *out);
int main(void) {
    static uint8_t from[20][30], to[20][30];
    halide_dimension_t dim[] = {{0, 30, 1, 0}, {0, 20, 30, 0}};
    halide_buffer_t input = {.host = &from[0][0], .type = {1, 8, 1}, .dimensions = 2, .dim = dim};
    halide_buffer_t out = {.host = &to[0][0], .type = {1, 8, 1}, .dimensions = 2, .dim = dim};
    return blur(&input, 1, &out);
}
C

flags=$(PKG_CONFIG_PATH=$build pkg-config --cflags --libs hlc-runtime) || fail "no package hlc-runtime"
export ASAN_OPTIONS=detect_leaks=0 # leak detection does not work under gdb

# debug PROGRAM .. -- COMMAND ..: writes gdb's output to the file out.
debug() {
  local program=() commands=(-ex "set breakpoint pending on" -ex "set debuginfod enabled off")
  while [ "$1" != -- ]; do program+=("$1"); shift; done
  shift
  for command in "$@"; do commands+=(-ex "$command"); done
  "$limited" - 120 gdb -nx -q -batch "${commands[@]}" --args "${program[@]}" > out 2>&1 < /dev/null
}
shows() {
  grep -qE -- "$1" out || { fail "$2: gdb does not show: $1"; [ -e told ] || { cat out; : > told; }; }
}
make_host() {
  "$hlc" compile blur.hl --debug "$@" -o blur.o &&
    gcc -g host.c blur.o $flags -o host
}
if ! make_host; then
  fail "no host"
fi

# gdb may exist and not be allowed to run a program.
debug ./host -- run
if ! grep -q "exited normally" out; then
  echo "skipped: gdb cannot run programs here"
  exit 77
fi

# The same in an object linked to a C program and in code that hlc run has loaded.  gdb stops at the
# requested point; a step leaves the definition and comes back to the next point.
look() {
  local what=$1
  shift
  debug "$@" -- "break blur.hl:3 if x == 3 && y == 2" run bt "info locals" step step "print x" \
    "delete" "break blur.hl:6 if r == 1 && x == 2 && y == 5" continue bt "info locals" \
    "delete" "break blur.hl:9" continue "print x" continue "print x" delete continue
  shows 'Breakpoint 1\.[0-9]+, blur\.f \(\) at blur\.hl:3' "$what"
  shows '^3[[:space:]]+fun f\(x, y\) = i32\(src\(x, y\)\) \* 3;' "$what"
  shows '^#0 +blur\.f \(\) at blur\.hl:3' "$what"
  shows '^#1 .* in blur\.host \(\) at blur\.hl:3' "$what"
  shows '^#2 .* in blur_report \(\) at blur\.hl:1' "$what"
  shows '^x = 3$' "$what"
  shows '^y = 2$' "$what"
  shows '^\$1 = 4$' "$what"
  shows 'Breakpoint 2\.[0-9]+, blur\.g \(\) at blur\.hl:6' "$what"
  shows '^r = 1$' "$what"
  shows '^x = 2$' "$what"
  shows 'Breakpoint 3(\.[0-9]+)?, blur\.out \(\) at blur\.hl:9' "$what"
  shows 'exited normally' "$what"
}
# (At -O3 LLVM's own vectorizer loses variables.)
for level in 0 1 2; do
  make_host --optimize=$level && look "an object at -O$level" ./host
done
shows '^#3 .* in blur \(\) at blur\.hl:1' "an object"
shows '^#4 .* in main \(\) at host\.c:8' "an object"
look "hlc run" "$hlc" run blur.hl --debug --optimize=0 input=ramp:20x10
look "hlc run at -O2" "$hlc" run blur.hl --debug input=ramp:20x10

# A loop that a directive made belongs to the directive's line; parallel loops are functions of
# their own.
make_host --optimize=0 --schedule=tiled
debug ./host -- "break blur.hl:12 if xo == 1" run bt "info locals" "delete" "break blur.hl:9" continue bt "info locals"
shows 'blur\.out\.s0\.yo \(\) at blur\.hl:12' tiled
shows '^#1 .* in blur\.out\.s0\.yo\.chunk \(\)' tiled
shows '^xo = 1$' tiled
shows '^yo = [0-9]+$' tiled
shows '^xi = [0-9]+$' tiled
shows '^yi = [0-9]+$' tiled

# For lanes gdb shows the first one.
make_host --optimize=0 --schedule=lanes
debug ./host -- "break blur.hl:9 if x_o == 2" run "info locals"
shows '^x_v = 0$' lanes
shows '^x_o = 2$' lanes

# A program in the text form has its own lines.
"$hlc" lower blur.hl --after=simplify --schedule=tiled > blur.ir
line=$(grep -n '^ *f\[.*<-' blur.ir | head -1 | cut -d: -f1)
debug "$hlc" run blur.ir --debug --optimize=0 input=ramp:20x10 -- "break blur.ir:$line if x == 3" run "info locals"
shows "Breakpoint 1.*blur\.f \(\) at blur\.ir:$line" "text form"
shows '^x = 3$' "text form"

# The values are the same with and without --debug.  The bytes are the same each time, and contain
# nothing of this machine but the given path.
for level in 0 2; do
  [ "$("$hlc" run blur.hl --schedule=tiled --debug --optimize=$level input=random:1:100x80)" = \
    "$("$hlc" run blur.hl --schedule=tiled --optimize=$level input=random:1:100x80)" ] || fail "--debug changes values"
done
"$hlc" compile blur.hl --debug -o once.o
(mkdir elsewhere && cp blur.hl elsewhere && cd elsewhere && "$hlc" compile blur.hl --debug -o ../twice.o)
cmp -s once.o twice.o || fail "two objects of one program differ"
grep -q "$work" once.o && fail "the object tells where it was made"

# perf: the names of the functions and their addresses.
"$hlc" run blur.hl --perf-map --debug input=ramp:20x10 > /dev/null &
wait $!
map=/tmp/perf-$!.map
for name in blur.f blur.g blur_report blur; do
  grep -qE "^[0-9a-f]+ [0-9a-f]+ ${name//./\\.}$" "$map" || fail "$name is not in perf's map"
done
rm -f "$map"
debug "$hlc" run blur.hl --perf-map --debug input=ramp:20x10 -- "break blur.hl:3" run continue 'print /x (long)$pc' \
  'info inferiors' kill
map=/tmp/perf-$(sed -n 's/^\*.*process \([0-9]*\).*/\1/p' out | head -1).map
python3 - out "$map" <<'PY' || { fail "perf's map and gdb disagree"; cat out "$map"; }
import re, sys
pc = int(re.search(r"^\$1 = 0x([0-9a-f]+)", open(sys.argv[1]).read(), re.M).group(1), 16)
inside = [line.split() for line in open(sys.argv[2])]
names = [name for start, size, name in inside if int(start, 16) <= pc < int(start, 16) + int(size, 16)]
sys.exit(names != ["blur.f"])
PY
rm -f "$map"
[ $failures -eq 0 ]
