#!/usr/bin/env bash
# --sanitize: the object of a program that accesses memory beyond its allocation, or whose
# iterations race, is caught in a C program that links it.  Right programs run without a report and
# give the same values.  hlc refuses to load such code unless it runs under the sanitizer itself.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
hlc=$build/hlc limited=$build/tests/limited
. "$source/tests/support/share.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
echo 'int main(void) { return 0; }' > empty.c
for sanitizer in address thread; do
  if ! gcc -fsanitize=$sanitizer empty.c -o empty 2> /dev/null || ! ./empty; then
    echo "skipped: gcc's -fsanitize=$sanitizer does not work here"
    exit 77
  fi
done
failures=0
fail() { echo "FAILED: $1"; [ -e out ] && tail -n 30 out; failures=$((failures + 1)); }

cat > host.c <<'C'
#include "runtime/hlc_runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int band(halide_buffer_t *out);
#ifdef THREAD_EACH
/* Each task runs on a thread of its own. No task waits for another, so a race of two tasks is
 * found whichever runs first. */
typedef struct Task { hlc_task *task; void *state; int64_t number; pthread_t thread; } Task;
static void *run(void *argument) {
    Task *task = argument;
    task->task(task->state, task->number);
    return NULL;
}
static void thread_each(hlc_task *task, void *state, int64_t count) {
    Task *tasks = malloc((size_t)count * sizeof *tasks);
    for (int64_t i = 0; i < count; i++) {
        tasks[i] = (Task){task, state, i, 0};
        if (pthread_create(&tasks[i].thread, NULL, run, &tasks[i]))
            abort();
    }
    for (int64_t i = 0; i < count; i++)
        pthread_join(tasks[i].thread, NULL);
    free(tasks);
}
#endif
int main(void) {
#ifdef THREAD_EACH
    hlc_set_parallel_for(thread_each);
#endif
    int32_t *to = malloc(100 * sizeof *to);
    halide_dimension_t dim = {0, 100, 1, 0};
    halide_buffer_t out = {.host = (uint8_t *)to, .type = {0, 32, 1}, .dimensions = 1, .dim = &dim};
    int result = band(&out);
    unsigned hash = 0;
    for (int i = 0; i < 100; i++)
        hash = hash * 31 + (unsigned)to[i];
    printf("%d %08x\n", result, hash);
    free(to);
    return result;
}
C
# program NAME MORE TRAVERSAL STORE READ [TRAVERSAL of the outer loop]: f is allocated with $size
# elements, 100 or 4000.  MORE than $size/4 iterations write it, with 4 stores each.
size=100
program() {
  cat > "$1.ir" <<IR
pipeline band() -> (out)
  func f(x): i32
  func out(x): i32
  allocate f: i32 [(0, $size)]
  compute f on [(0, $size)]
    label f
      label s0
        for f.s0.xo in (0, $((size / 4 + $2)))${6:-} do
          for f.s0.xi in (0, 4)$3 do
            f[$4] <- i32(f.s0.xi + f.s0.xo*4)
  allocate out: i32 [(out.min.0, out.extent.0)]
  compute out on [(out.min.0, out.extent.0)]
    label out
      label s0
        for out.s0.x in (out.min.0, out.extent.0) do
          out[out.s0.x] <- f[$5]
IR
}
# The run-time library is built with the sanitizer, too, because it starts the threads.
for sanitizer in address thread; do
  for file in "$source"/runtime/*.c; do
    gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -fsanitize=$sanitizer -I"$source" \
      -c "$file" -o "$sanitizer-$(basename "$file" .c).o" || fail "the run-time library"
  done
done
# run COMPILER SANITIZER NAME OPTIONS ..: returns the exit code; the output is in the file out.
run() {
  local compiler=$1 sanitizer=$2 name=$3
  shift 3
  "$hlc" compile "$name.ir" --sanitize="$sanitizer" "$@" -o "$name.o" &&
    $compiler ${define:-} -fsanitize="$sanitizer" -I "$source" host.c "$name.o" "$sanitizer"-*.o \
      -lm -lpthread -o host && "$limited" - 60 ./host > out 2>&1
}
clean() {
  left_out && return
  if ! run "$@" || [ "$(cat out)" != "$good" ]; then fail "not clean: $*"; fi
}
caught() {
  local what=$1
  shift
  left_out && return
  if run "$@" || ! grep -q "$what" out; then fail "not caught: $*"; fi
}

caught_racing() {
  define=-DTHREAD_EACH caught "$@"
}

program right 0 "" "f.s0.xi + f.s0.xo*4" out.s0.x
program lanes 0 " vectorized" "f.s0.xi + f.s0.xo*4" out.s0.x
program threads 0 " parallel" "f.s0.xi + f.s0.xo*4" out.s0.x
program race 200000 "" f.s0.xi out.s0.x " parallel"
# Four threads update each element: by one instruction, by one after a comparison, and in a loop.
atomic() {
  cat > "$1.ir" <<IR
pipeline band() -> (out)
  func out(x): i32
  allocate out: i32 [(out.min.0, out.extent.0)]
  compute out on [(out.min.0, out.extent.0)]
    label out
      label s0
        for out.s0.x in (out.min.0, out.extent.0) do
          out[out.s0.x] <- $2:i32
      label s1
        for out.s1.r in (0, 200000) reduction parallel do
          let out.s1.v = i32(select(out.s1.r < 100, out.s1.r, 0)) in
            atomic out[out.s1.r % 100] <- $3
IR
}
atomic sums 0 "out[out.s1.r % 100] + out.s1.v"
atomic extrema -7 "max(out[out.s1.r % 100], out.s1.v)"
atomic others 0 "out[out.s1.r % 100] + out.s1.v + out[out.s1.r % 100]*out.s1.v"
# Small arrays would lie on the stack, where padding would hide the fault; so all lie on the heap.
for size in 100 4000; do
  program behind_$size 1 "" "f.s0.xi + f.s0.xo*4" out.s0.x
  program before_$size 0 "" "f.s0.xi + f.s0.xo*4 + -1" out.s0.x
  program read_$size 0 "" "f.s0.xi + f.s0.xo*4" "out.s0.x + $((size - 99))"
  program lanes_behind_$size 0 " vectorized" "f.s0.xi + f.s0.xo*4 + 1" out.s0.x
done
flags=$(PKG_CONFIG_PATH=$build pkg-config --cflags --libs hlc-runtime) || fail "no package hlc-runtime"
for name in right lanes; do
  "$hlc" compile $name.ir -o $name.o && gcc host.c $name.o $flags -o host && good=$(./host) || fail "$name does not run"
done
[[ $good = "0 "* ]] || fail "no answer to compare with"

compilers=gcc
if clang --version > /dev/null 2>&1 && clang -fsanitize=address empty.c -o empty 2> /dev/null; then
  compilers="gcc clang"
fi
for compiler in $compilers; do
  for level in 0 2; do
    for name in right lanes threads; do
      clean $compiler address $name --optimize=$level
    done
    for name in behind before read lanes_behind; do
      caught heap-buffer-overflow $compiler address ${name}_100 --optimize=$level
      caught heap-buffer-overflow $compiler address ${name}_4000 --optimize=$level
    done
  done
done
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
export HLC_NUM_THREADS=4
for level in 0 2; do
  clean gcc thread right --optimize=$level
  for name in threads sums extrema others; do
    clean gcc thread $name --optimize=$level
  done
done
caught_racing "data race" gcc thread race --optimize=0
caught_racing "in band" gcc thread race --optimize=0 --debug

# Code that hlc loads: only if hlc runs under the sanitizer itself.
cat > blur.hl <<'HL'
pipeline blur(input: image<u8, 2>) -> out {
    fun f(x, y) = i32(input(x, y)) + i32(input(x + 1, y));
    fun out(x, y) = f(x, y) + f(x, y + 1);
}
schedule fast for blur { vectorize(out.x, 8); parallel(out.y); }
HL
refused() {
  local diagnostic=$1
  shift
  "$@" > out 2>&1
  [ $? -eq 2 ] && grep -qF "[$diagnostic]" out || fail "no $diagnostic: $*"
}
refused E0887 "$hlc" run blur.hl --sanitize=thread input=ramp:20x10
refused E0886 "$hlc" run blur.hl --sanitize=memory input=ramp:20x10
refused E0886 "$hlc" compile blur.hl --sanitize=memory -o x.o
if nm "$hlc" | grep -q " [TU] __asan_init"; then
  "$hlc" check blur.hl --sanitize=address > out 2>&1 || fail "check under AddressSanitizer"
  [ "$("$hlc" run blur.hl --schedule=fast --sanitize=address input=ramp:20x10 out=19x9)" = \
    "$("$hlc" run blur.hl --schedule=fast input=ramp:20x10 out=19x9)" ] || fail "--sanitize changes values"
else
  refused E0887 "$hlc" run blur.hl --sanitize=address input=ramp:20x10
  refused E0887 "$hlc" check blur.hl --sanitize=address
fi
[ $failures -eq 0 ]
