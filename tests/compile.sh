#!/usr/bin/env bash
# hlc compile: a C program links and calls the object, and gets the results of `hlc run`, at every
# optimisation level.  Also: the text of the object, and refusals.  Arguments: source folder, build
# folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1
refuses() {
  local code=$1 diagnostic=$2
  shift 2
  expect "$code" "$@"
  grep -qF -- "[$diagnostic]" err || { fail "no $diagnostic: $*"; cat err; }
}

cat > add.hl <<'HL'
pipeline add(input: image<u8, 2>, k: i32) -> out {
    fun out(x, y) = i32(input(x, y)) * k + i32(input(x + 1, y));
}
schedule fast for add { vectorize(out.x, 8); parallel(out.y); }
HL
cat > host.c <<'C'
#include "add.h"
#include <stdio.h>
int main(void) {
    static uint8_t from[20][101];
    static int32_t to[20][100];
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 101; x++)
            from[y][x] = (uint8_t)(x * 7 + y * 31);
    halide_dimension_t input_dim[] = {{0, 101, 1, 0}, {0, 20, 101, 0}};
    halide_dimension_t out_dim[] = {{0, 100, 1, 0}, {0, 20, 100, 0}};
    halide_buffer_t input = {.host = &from[0][0], .type = {1, 8, 1}, .dimensions = 2, .dim = input_dim};
    halide_buffer_t out = {.host = (uint8_t *)&to[0][0], .type = {0, 32, 1}, .dimensions = 2, .dim = out_dim};
    int result = add(&input, -3, &out);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 100; x++)
            if (to[y][x] != from[y][x] * -3 + from[y][x + 1])
                return printf("wrong at %d, %d\n", x, y), 1;
    return result;
}
C
export PKG_CONFIG_PATH=$build
flags=$(pkg-config --cflags --libs hlc-runtime) || fail "no package hlc-runtime"
link() { gcc -std=c99 -Wall -Wextra -Werror -pedantic host.c "$@" $flags -o host; }

for schedule in "" --schedule=fast; do
  for level in 0 1 2 3; do
    expect 0 "$hlc" compile add.hl $schedule --optimize=$level --header=add.h -o add.o
    link add.o && expect 0 ./host
  done
done
expect 0 "$hlc" compile add.hl --schedule=fast --emit=asm -o add.s
link add.s && expect 0 ./host
expect 0 "$hlc" compile add.hl --schedule=fast --emit=ll
grep -q "define .*@add(" out || fail "no definition in LLVM's text"

# An object for another ABI than the library's is refused before anything else.  The test puts a
# library with another number before ours.
mkdir -p next/runtime
cp "$source"/runtime/*.h "$source"/runtime/*.def "$source"/runtime/abi.c next/runtime
sed -i 's/^#define HLC_ABI .*/#define HLC_ABI 99/' next/runtime/hlc_runtime.h
cat > refused.c <<'C'
#include "add.h"
int main(void) {
    hlc_report report = {0, ""};
    return add_report(&report, NULL, 0, NULL) == HLC_ERROR_ABI_MISMATCH ? 0 : 1;
}
C
abi=$(sed -n 's/^#define HLC_ABI //p' "$source/runtime/hlc_runtime.h")
sanitize=$(echo " $flags" | grep -o ' -fsanitize=[^ ]*')
gcc -I next $sanitize -c next/runtime/abi.c -o abi.o && gcc refused.c add.o abi.o $flags -o refused && expect 0 ./refused ||
  fail "an object for another ABI is not refused"
sed 's/_report(&report, /(/' refused.c > says.c
gcc says.c add.o abi.o $flags -o says && expect 0 ./says
grep -q "compiled for ABI $abi of the run-time library, which has ABI 99" err || { fail "no word of the ABI"; cat err; }

# Two compilations give the same bytes.
"$hlc" compile add.hl --schedule=fast -o once.o
"$hlc" compile add.hl --schedule=fast -o twice.o
cmp -s once.o twice.o || fail "two objects of one program differ"

# A refusal leaves existing files as they were.
echo kept > kept.o
refuses 2 E0807 "$hlc" compile add.hl --schedule=slow -o kept.o
[ "$(cat kept.o)" = kept ] || fail "a refused compilation changed a file"
refuses 2 E0823 "$hlc" compile add.hl
refuses 2 E0822 "$hlc" compile add.hl --emit=java -o add.o
refuses 3 E0802 "$hlc" compile add.hl -o nowhere/add.o
# Stores with gaps: LLVM 19 had no instruction for one of them on AVX-512 without its optimisations.
cat > gaps.hl <<'HL'
pipeline gaps() -> (out) {
    fun f(x, y) = i32(1);
    fun out(x) = f32(f(x/3, x % 2));
}
schedule s for gaps { split(out.x, xo, xi, 2);  reorder(out.xo, out.xi);  split(out.xo, xoo, xoi, 40);  vectorize(out.xoi); }
HL
for level in 0 1 2 3; do expect 0 "$hlc" compile gaps.hl --schedule=s --target=x86-64-v4 --optimize=$level -o gaps.o; done
refuses 2 E0822 "$hlc" compile add.hl --optimize=4 -o add.o

# Input files are not overwritten.
cp add.hl imported.hl
echo 'import "imported.hl";' > importing.hl
ln -s imported.hl link
refuses 2 E0802 "$hlc" compile importing.hl -o link
refuses 2 E0802 "$hlc" compile importing.hl -o other.o --header=imported.hl
refuses 2 E0802 "$hlc" compile importing.hl -o other.o --depfile=./imported.hl
cmp -s add.hl imported.hl || fail "an imported file was written over"

# If hlc is started through the dynamic loader, /proc/self/exe names the loader.
loader=$(readelf -p .interp "$hlc" | grep -o '/[^ ]*')
expect 0 "$loader" "$hlc" compile add.hl -o loaded.o
cmp -s loaded.o add.o || [ -s loaded.o ] || fail "nothing through the loader"

# Loops poll if that is wanted, and else the code is the same as ever.
expect 0 "$hlc" compile add.hl --emit=ll; ! grep -q hlc_poll out || fail "it polls"
expect 0 "$hlc" compile add.hl --emit=ll --stoppable; grep -q hlc_poll out || fail "it does not poll"
# The rows of a tile do not: they are short.
cat > tile.hl << 'HL'
pipeline turn(input: image<u8, 2>) -> out { fun out(x, y) = input(y, x); }
schedule whole for turn { split(out.x, xo, xi, 32);  split(out.y, yo, yi, 32);  reorder(out.yi, out.xi, out.xo, out.yo); }
schedule rows for turn { split(out.x, xo, xi, 320);  split(out.y, yo, yi, 32);  reorder(out.xi, out.yi, out.xo, out.yo); }
HL
polls() { "$hlc" compile tile.hl --schedule="$1" --emit=ll --stoppable | grep -c 'call.*@hlc_poll'; }
[ "$(polls whole)" -lt "$(polls rows)" ] || fail "the rows of a tile poll: $(polls whole), others $(polls rows)"

# After a signal, also one that cannot be caught, neither a partial file nor the process that makes the code remains.
python3 - > big.hl << 'PY'
print("pipeline big(a: image<i32, 2>) -> out {")
print("    fun stage0(x, y) = a(x, y);")
for i in range(1, 60):
    print(f"    fun stage{i}(x, y) = stage{i-1}(x, y) * stage{i-1}(x + 1, y) + stage{i-1}(x, y + 1) / {i};")
print("    fun out(x, y) = stage59(x, y);\n}\nschedule s for big {")
for i in range(0, 60):
    print(f"    vectorize(stage{i}.x, 16);")
print("}")
PY
for signal in TERM INT HUP QUIT KILL; do
  setsid --wait python3 - "$hlc" $signal << 'PY' || fail "SIG$signal"
import glob, os, signal, subprocess, sys, time
hlc, name = sys.argv[1:]
number = getattr(signal, "SIG" + name)
job = subprocess.Popen([hlc, "compile", "big.hl", "--schedule=s", "-o", "big.o"],
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
def children():
    try:
        return open(f"/proc/{job.pid}/task/{job.pid}/children").read().split()
    except OSError:
        return []
def has_begun():
    """Is a file open for writing that has no name yet, or a name beside?"""
    try:
        fds = [os.readlink(f"/proc/{job.pid}/fd/{n}") for n in os.listdir(f"/proc/{job.pid}/fd")]
    except OSError:
        return False
    return any(fd.startswith(os.getcwd() + "/#") or "/big.o." in fd for fd in fds)
workers = []
while job.poll() is None and not (has_begun() and workers):
    workers = children()
time.sleep(0.05)
assert job.poll() is None, "it was too fast"
job.send_signal(number)
assert job.wait() == -number, job.returncode
left = glob.glob("big.o*")
for file in left:
    os.remove(file)
assert not left, left
def seconds(pid):
    """Of the processor; -1: it has ended."""
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")")[-1].split()
    except OSError:
        return -1
    return -1 if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
until = {pid: seconds(pid) + 0.5 for pid in workers}
while any(seconds(pid) >= 0 for pid in workers):
    assert all(seconds(pid) < until[pid] for pid in workers), "the process that makes the code goes on"
    time.sleep(0.02)
PY
done
ls | grep -q '\.o\.' && fail "a half-written file is left"
[ $failures -eq 0 ]
