#!/usr/bin/env bash
# Two loads under one mask with lanes that are known to be false.  The image ends at the end of a
# page, and must not be read beyond.  (LLVM 19 read eight elements too many if it split vectors of
# several registers itself.)  Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PKG_CONFIG_PATH=$build HLC_NUM_THREADS=1
grep -q "^HLC_SANITIZE:BOOL=ON" "$build/CMakeCache.txt" && { echo "needs a build without sanitizers"; exit 77; }
cat > p.hl << 'END'
pipeline p(in0: image<i32, 2>, w0: i32 = 0 in 0..1) -> out {
    fun f0(x, y) = u8(select(bool(i16(y) < i16(in0(x, y - 1))), u8(1), min(u8(in0(y, x)), u8(in0(y - 1, x)))));
    fun out(x, y) = { 1; rdom(r0 = (-w0, 2*w0 + 1); r1 = (2, 6); r2 = (-w0, 2*w0 + 1)) in (x, y) <- i32(f0(x, y)); }
}
schedule s for p { parallel(f0.s0.y, 4, guard);  vectorize(f0.s0.y_i, 15, guard); }
END
cat > host.c << 'END'
#define _GNU_SOURCE
#include "p.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
enum { SIDE = 7, FIRST = 100 };
int main(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + page, page, PROT_NONE);
    int32_t *image = (int32_t *)(memory + page) - SIDE * SIDE, value = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        image[i] = i * 7919;
    halide_dimension_t square[] = {{FIRST, SIDE, 1, 0}, {FIRST, SIDE, SIDE, 0}};
    halide_dimension_t point[] = {{FIRST + SIDE - 1, 1, 1, 0}, {FIRST + SIDE - 1, 1, 1, 0}};
    halide_buffer_t in = {.host = (uint8_t *)image, .type = {0, 32, 1}, .dimensions = 2, .dim = square};
    halide_buffer_t out = {.host = (uint8_t *)&value, .type = {0, 32, 1}, .dimensions = 2, .dim = point};
    int error = p(&in, 0, &out);
    printf("%d\n", error);
    return error != 0;
}
END
failures=0
for target in x86-64 x86-64-v3 x86-64-v4; do
  for level in 0 1 2; do
    "$build/hlc" compile p.hl --schedule=s --target=$target --optimize=$level --header=p.h -o p.o &&
      cc -O1 host.c p.o $(pkg-config --cflags --libs hlc-runtime) -o host || exit 1
    ./host > log 2>&1
    code=$?
    [ "$code" -le 1 ] || { echo "FAILED: $target, level $level: exit code $code"; failures=$((failures + 1)); }
  done
done
[ "$failures" = 0 ]
