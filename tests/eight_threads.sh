#!/usr/bin/env bash
# Eight threads of a host call one pipeline at the same time, under ThreadSanitizer: it watches the
# code, the run-time library and the host.  Vectors have at most 16 bytes, as it does not see wider
# ones.  A host whose threads share an output shows that a race would be seen.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
hlc=$build/hlc limited=$build/tests/limited
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
echo 'int main(void) { return 0; }' > empty.c
if ! gcc -fsanitize=thread empty.c -o empty 2> /dev/null || ! ./empty; then
  echo "skipped: gcc's -fsanitize=thread does not work here"
  exit 77
fi
failures=0
fail() { echo "FAILED: $1"; [ -e out ] && tail -n 40 out; failures=$((failures + 1)); }

cat > soft.hl <<'HL'
pipeline soft(a: image<u8, 2>, k: i32 in 0..99) -> out {
    let src = repeat_edge(a);
    fun wide(x, y) = i32(src(x, y)) + k;
    fun sum(x, y) = { 0; rdom(r = (-2, 5)) in (x, y) <- sum(x, y) + wide(x + r, y); }
    fun column(x) = sum(x, 0) + sum(x, 1);
    fun tail(x, y) = sum(x, y) / 5 + column(x) % 3;
    fun out(x, y) = u8(tail(x, y));
}
schedule rows for soft {
    vectorize(out.x, 4); parallel(out.y);
    compute-at(wide, sum.s1.y); vectorize(wide.x, 4);
    vectorize(sum.s1.x, 4); parallel(sum.s1.y); vectorize(column.x, 4);
}
schedule nest for soft {
    tile(out.x, out.y, xo, yo, xi, yi, 16, 4);
    parallel(out.yo); parallel(out.xo); vectorize(out.xi, 4);
    compute-at(tail, out.xo); vectorize(tail.x, 4); parallel(tail.y);
    vectorize(sum.s1.x, 4); parallel(sum.s1.y); parallel(column.x);
}
HL
cat > host.c <<'C'
#include "runtime/hlc_runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { WIDTH = 83, HEIGHT = 37, ROUNDS = 12, THREADS = 8 };
int soft(halide_buffer_t *a, int32_t k, halide_buffer_t *out);
static uint8_t input[WIDTH * HEIGHT], shared[WIDTH * HEIGHT];
static uint8_t expected[THREADS][WIDTH * HEIGHT];
static int call(int k, uint8_t *to) {
    halide_dimension_t dim[2] = {{0, WIDTH, 1, 0}, {0, HEIGHT, WIDTH, 0}};
    halide_buffer_t a = {.host = input, .type = {1, 8, 1}, .dimensions = 2, .dim = dim}, out = a;
    out.host = to;
    return soft(&a, k, &out);
}
static void *work(void *data) {
    int k = (int)(intptr_t)data;
    uint8_t *to = SHARED ? shared : malloc(sizeof shared);
    intptr_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++)
        wrong |= call(k, to) != 0 || (!SHARED && memcmp(to, expected[k], sizeof shared) != 0);
    if (!SHARED)
        free(to);
    return (void *)wrong;
}
int main(void) {
    pthread_t threads[THREADS];
    intptr_t wrong = 0;
    hlc_set_thread_count(3);
    hlc_set_dispatch_work(0); /* as little as it is */
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        input[i] = (uint8_t)(i * 37 + i / 11);
    for (int i = 0; i < THREADS; i++)
        wrong |= call(i, expected[i]) != 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong |= (intptr_t)result;
    }
    unsigned hash = 0;
    for (int i = 0; i < THREADS * WIDTH * HEIGHT; i++)
        hash = hash * 31 + expected[i / (WIDTH * HEIGHT)][i % (WIDTH * HEIGHT)];
    printf("%s %08x\n", wrong ? "wrong" : "right", hash);
    return wrong ? 1 : 0;
}
C
for file in "$source"/runtime/*.c; do
  gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -fsanitize=thread -I"$source" \
    -c "$file" -o "runtime-$(basename "$file" .c).o" || fail "the run-time library"
done
# link SHARED: makes ./host.
link() {
  gcc -std=gnu17 -O1 -g -fsanitize=thread -DSHARED=$1 -I "$source" host.c soft.o runtime-*.o \
    -lm -lpthread -o host || fail "linking"
}
export TSAN_OPTIONS="halt_on_error=0 exitcode=66"
hashes=
for schedule in rows nest; do
  "$hlc" compile soft.hl --schedule=$schedule --sanitize=thread -o soft.o || fail "hlc compile"
  link 0
  "$limited" - 120 ./host > out 2>&1 || fail "schedule $schedule: exit code $?"
  hashes="$hashes $(grep -o '^right .*' out)"
  link 1
  # The locks of the pool may order two accesses by chance, so a run may hide the race.
  seen=
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$limited" - 120 ./host > out 2>&1
    [ $? -eq 66 ] && grep -q "data race" out && seen=yes && break
  done
  [ "$seen" ] || fail "schedule $schedule: a race was not seen in $try runs"
done
set -- $hashes
[ $# -eq 4 ] && [ "$2" = "$4" ] || fail "other answers under another schedule: $hashes"
[ $failures -eq 0 ]
