#!/usr/bin/env bash
# hlc compile --trace: the hook gets the pipeline and each func, in order, with their boxes.
# Without the option no hook is called.  Arguments: source folder, build folder.
set -u
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
export PKG_CONFIG_PATH=$build
flags=$(pkg-config --cflags --libs hlc-runtime)
cat > two.hl <<'HL'
pipeline two(input: image<i32, 2>, k: i32 in 0..9) -> out {
    fun f(x, y) = input(x, y) * k;
    fun out(x, y) = f(x, y) + f(x, y + 1);
}
schedule rows for two { compute-at(f, out.y); vectorize(out.x, 4); }
schedule wide for two { parallel(out.y); compute-at(f, out.y); }
HL
cat > host.c <<'C'
#include "two.h"
#include <stdio.h>
#include <stdlib.h>
static void tell(const hlc_trace_event *event) {
    static const char *const kinds[] = {"begin", "end", "begin", "end"};
    char line[200];
    int at = sprintf(line, "%s %s", kinds[event->kind], event->func ? event->func : event->pipeline);
    for (int d = 0; d < event->dimensions; d++)
        at += sprintf(line + at, " %d+%d", (int)event->box[2 * d], (int)event->box[2 * d + 1]);
    if (event->kind == HLC_TRACE_END_PIPELINE)
        sprintf(line + at, " = %d", (int)event->error);
    puts(line);
}
static void quiet(void *user, int error, const char *message) { (void)user, (void)error, (void)message; }
int main(int count, char **arguments) {
    int32_t from[3 * 5] = {0}, to[2 * 5];
    halide_dimension_t in_dim[] = {{0, 5, 1, 0}, {7, 3, 5, 0}}, out_dim[] = {{0, 5, 1, 0}, {7, 2, 5, 0}};
    halide_buffer_t input = {0}, out = {0};
    input.host = (uint8_t *)from, input.dim = in_dim, out.host = (uint8_t *)to, out.dim = out_dim;
    input.type.bits = out.type.bits = 32, input.type.lanes = out.type.lanes = 1;
    input.dimensions = out.dimensions = 2;
    hlc_set_error_handler(quiet);
    int first = two(&input, 3, &out); /* without a hook */
    if (hlc_set_trace(tell) != NULL || first != 0)
        return 1;
    int result = two(&input, count > 1 ? atoi(arguments[1]) : 3, &out);
    return hlc_set_trace(NULL) == tell && (result == 0) == (count == 1) ? 0 : 1;
}
C
run() { # schedule, arguments of the program
  "$hlc" compile two.hl ${1:+--schedule=$1} --trace --header=two.h -o two.o &&
    gcc -std=c99 host.c two.o $flags -o host && ./host ${2:-} > out || fail "schedule ${1:-none}"
}
run ""
diff - out <<'T' || fail "the trace of the empty schedule"
begin two
begin f 0+5 7+3
end f 0+5 7+3
begin out 0+5 7+2
end out 0+5 7+2
end two = 0
T
run rows
diff - out <<'T' || fail "the trace of the schedule rows"
begin two
begin out 0+5 7+2
begin f 0+5 7+2
end f 0+5 7+2
begin f 0+5 8+2
end f 0+5 8+2
end out 0+5 7+2
end two = 0
T
run rows 99
diff - out <<'T' || fail "the trace of a refusal"
begin two
end two = -10
T
run wide
[ "$(sort out | grep -c 'f 0+5')" -eq 4 ] || { fail "the trace of a parallel loop"; cat out; }
"$hlc" compile two.hl -o plain.o && nm -u plain.o | grep -q hlc_trace && fail "there is tracing without --trace"

# Loads and stores.  Each load gives what the last store to the element gave; the stores to `out` are the values of
# `hlc eval`; the run's result is that of a run without a trace.  Threads: the same events in another order.
cat > many.hl <<'HL'
pipeline many(input: image<u8, 2>, n: i32 = 3 in 0..9) -> out(input.width, input.height) {
    let src = repeat_edge(input);
    fun lut(v) = u16(v) * 3;
    fun f(x, y) = {i16(src(x, y)) - 100, f32(src(x + 1, y)) / 3.0};
    fun h(x, y) = f16(f(x, y).1);
    fun sums(v) = { 0;  rdom(i = (0, 5); j = (0, 5)) in (i32(src(i, j)) % 8) <- sums(i32(src(i, j)) % 8) + 1; }
    fun even(x, y) = src(x, y) % 2 == 0;
    fun out(x, y) = i32(lut(i32(src(x, y)))) + i32(f(x, y).0 + f(x, y + 1).0) + i32(h(x / 2, y)) + sums(x % 8)
                    + (even(x, y) ? i32(f(x + 1, y).1) : n);
}
schedule plain for many { trace(f);  trace(h);  trace(lut);  trace(sums);  trace(even);  trace(out); }
schedule vectors for many {
    bound(lut, v, 0, 256);  trace(f);  trace(h);  trace(lut);  trace(sums);  trace(even);  trace(out);
    compute-at(f, out.y);  store-root(f);  compute-at(h, out.y);  compute-at(even, out.y);
    vectorize(f.x, 8);  vectorize(h.x, 4);  vectorize(even.x, 16);  vectorize(out.x, 8);
}
schedule hoisted for many {
    trace(f);  trace(even);  trace(out);  inline(h);
    compute-at(f, out.x_u);  hoist-storage(f, out.y);  compute-at(even, out.y);  store-root(even);
    vectorize(even.x, 8);  store-in(f, stack);  unroll(out.x, 2);
}
schedule threads for many {
    trace(f);  trace(h);  trace(sums);  trace(even);  trace(out);
    parallel(out.y, 2);  compute-at(f, out.y_p);  compute-at(h, out.y_p);  compute-at(even, out.y_p);
    vectorize(f.x, 8);  vectorize(out.x, 8);  atomic(sums.s1);  parallel(sums.s1.j);
}
HL
echo 'schedule none for many { compute-at(f, out.y);  store-root(f);  vectorize(f.x, 8);  compute-at(h, out.y); }' > none
sed 's/none/same/; s/{/{ trace(f);  trace(out);/' none > same
cat none same >> many.hl
arguments="input=random:1:13x9 n=4"
verify() { # FILE: every load of a stored element gives the last stored value
  awk '/^store / { name = $0; sub(/^store /, "", name); sub(/ = .*/, "", name); value[name] = $NF; stores++ }
    /^load / { name = $0; sub(/^load /, "", name); sub(/ = .*/, "", name); loads++
      if (!(name in value) || value[name] != $NF) { print "wrong: " $0; bad = 1 } }
    END { if (stores < 100 || loads < 100) { print stores + 0 " stores, " loads + 0 " loads"; bad = 1 } exit bad }' "$1"
}
final() { awk '/^store out\(/ { sub(/^store /, ""); split($0, part, " = "); value[part[1]] = part[2] }
  END { for (name in value) print name " = " value[name] }' "$1" | sort; }
"$hlc" run many.hl $arguments > right || fail "the run without a trace"
for schedule in plain vectors hoisted threads; do
  "$hlc" run many.hl --schedule=$schedule --threads=1 --trace-to=$schedule.txt $arguments > result || fail "a trace of $schedule"
  cmp -s result right || fail "the result of $schedule"
  verify $schedule.txt || fail "the trace of $schedule"
  "$hlc" run many.hl --schedule=$schedule --threads=1 --trace-to=again.txt $arguments > /dev/null
  cmp -s again.txt $schedule.txt || fail "the trace of $schedule differs the second time"
  final $schedule.txt > $schedule.out
  [ "$(wc -l < $schedule.out)" -eq 117 ] && cmp -s $schedule.out plain.out || fail "what $schedule stores in out"
  HLC_NUM_THREADS=4 "$hlc" run many.hl --schedule=$schedule --trace-to=four.txt $arguments > result
  cmp -s result right || fail "the result of $schedule with four threads"
  if [ $schedule = threads ]; then # partial sums depend on the order
    cmp -s <(grep -v sums four.txt | sort) <(grep -v sums $schedule.txt | sort) || fail "the events of four threads"
    [ "$(grep -c 'store sums' four.txt)" -eq "$(grep -c 'store sums' $schedule.txt)" ] || fail "the atomic updates"
  else
    cmp -s four.txt $schedule.txt || fail "the events of $schedule, which is serial, with four threads"
  fi
done
for point in '0, 0' '12, 8' '5, 3'; do
  grep -qx "out($point) = $("$hlc" eval many.hl "out($point)" $arguments)" plain.out || fail "out($point)"
done
grep -q '^store f.1(.*) = [0-9.]*33' plain.txt || fail "floats are not written in full"
grep -q '^store even(.*) = 1$' plain.txt || fail "bools"
grep -q '^store f.0(.*) = -' plain.txt || fail "negative numbers"
"$hlc" run two.hl --schedule=rows --trace-to=refused.txt input=zero:5x3 k=99 out=5x2 2> /dev/null
[ $? -eq 2 ] && grep -q '^end two = -10$' refused.txt || fail "the trace of a refused run"
"$hlc" run many.hl --interpret=target --trace-to=x.txt $arguments 2> /dev/null
[ $? -eq 2 ] && [ ! -e x.txt ] || fail "an interpreter cannot trace"
# Without --trace, the directive changes no byte.
for schedule in none same; do "$hlc" compile many.hl --schedule=$schedule -o $schedule.o || fail "compile $schedule"; done
cmp none.o same.o || fail "trace(f) changes an object without --trace"
# An image is traced through a func that equals it.
printf 'pipeline i(input: image<u8, 2>) -> out(input.width, input.height) { fun out(x, y) = input(x, y) + 1; }
schedule s for i { wrap(input, seen);  trace(seen); }\n' > image.hl
"$hlc" run image.hl --schedule=s --trace-to=image.txt input=ramp:3x2 > /dev/null
grep -qx 'load seen(2, 1) = 3' image.txt || { fail "the trace of an image"; cat image.txt; }
[ $failures -eq 0 ]
