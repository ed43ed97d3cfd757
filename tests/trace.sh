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
[ $failures -eq 0 ]
