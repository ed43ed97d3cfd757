#!/usr/bin/env bash
# Profiles: of an object in a host, and `hlc profile`.  What is asserted holds on a busy machine too: names, counts,
# sums, and the order of a func that takes nearly all of the time.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd)
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
export PKG_CONFIG_PATH=$build HLC_NUM_THREADS=4
flags=$(pkg-config --cflags --libs hlc-runtime)
cat > p.hl <<'HL'
template slow(f) {
    fun dear(x, y) = exp(exp(exp(f(x, y)))) + exp(f(x, y + 1)) + sin(cos(f(x, y)));
    fun slow(x, y) = { dear(x, y);  (x, y) <- slow(x, y) + 1.0; }
}
pipeline p(input: image<f32, 2>) -> out(input.width, input.height) {
    let src = repeat_edge(input);
    fun level[0](x, y) = src(x, y) * 0.1;
    fun level[1] = slow(level[0]);
    fun out(x, y) = level[1](x, y) * 0.5;
}
schedule serial for p {}
schedule rows for p { parallel(out.y, 4);  compute-at(level[1], out.y_p);  compute-at(level[1].dear, out.y_p); }
pipeline again(input: image<f32, 2>, n: i32 = 0 in 0..9) -> out(input.width, input.height) {
    let src = repeat_edge(input);
    fun f(x, y) = exp(sin(src(x, y))) + sin(src(x + 1, y));
    fun out(x, y) = f(x, y) + f(x, y + 1) + f(x, y + 2);
}
schedule recompute for again { compute-at(f, out.y);  vectorize(f.x, 8);  vectorize(out.x, 8); }
schedule strips for again { parallel(out.y, 2);  compute-at(f, out.y_p);  vectorize(f.x, 8);  vectorize(out.x, 8); }
pipeline chosen(input: image<f32, 2>, where: image<u8, 2>) -> out(where.width, where.height) {
    fun out(x, y) = input(where(x, y), y) + 1.0;
}
schedule lanes for chosen { vectorize(out.x, 8); }
pipeline colors(input: image<u8, 2>) -> out(input.width, input.height, 3): interleaved {
    fun out(x, y, c) = input(x, y) + u8(c);
}
HL
cat > host.c <<'C'
#include "p.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { W = 200, H = 120 };
static void quiet(void *user, int error, const char *message) { (void)user, (void)error, (void)message; }
int main(int count, char **arguments) {
    static float from[W * H], to[W * H];
    halide_dimension_t in_dim[] = {{0, W, 1, 0}, {0, H, W, 0}}, out_dim[] = {{0, W, 1, 0}, {0, H, W, 0}};
    halide_buffer_t input = {0}, out = {0};
    input.host = (uint8_t *)from, input.dim = in_dim, out.host = (uint8_t *)to, out.dim = out_dim;
    input.type.code = out.type.code = halide_type_float;
    input.type.bits = out.type.bits = 32, input.type.lanes = out.type.lanes = 1;
    input.dimensions = out.dimensions = 2;
    hlc_set_error_handler(quiet);
    hlc_profile_totals totals;
    hlc_profile_row rows[20];
    int bad = p(&input, &out); /* not counted */
    hlc_profile_read(p_profile(), &totals);
    bad |= totals.calls != 0 || hlc_profile_rows(p_profile(), NULL, 0) != 0;
    if (hlc_profile_start(50000) != 0)
        return 1;
    in_dim[0].extent = -1; /* a refused call leaves nothing behind */
    bad |= p(&input, &out) == 0;
    in_dim[0].extent = W;
    for (int i = 0; i < 100000 && (i < 20 || totals.samples < 2000); i++) {
        bad |= p(&input, &out) != 0;
        hlc_profile_read(p_profile(), &totals);
    }
    hlc_profile_stop();
    hlc_profile_read(p_profile(), &totals);
    uint64_t calls = totals.calls;
    bad |= p(&input, &out); /* not counted */
    hlc_profile_read(p_profile(), &totals);
    bad |= totals.calls != calls || calls < 20 || strcmp(totals.pipeline, "p") != 0;
    bad |= totals.busy > 4 || totals.parallel_share > 1 || totals.parallel_busy > 4;
    int n = hlc_profile_rows(p_profile(), rows, 20);
    double share = 0, ms = 0;
    for (int i = 0; i < n; i++) {
        share += rows[i].share;
        ms += rows[i].milliseconds;
        bad |= i > 0 && rows[i].share > rows[i - 1].share;
        bad |= i == 0 && (count > 1) != rows[i].is_parallel;
    }
    bad |= fabs(share - 1) > 1e-6 || fabs(ms / totals.milliseconds - 1) > 1e-6;
    hlc_profile_row first;
    bad |= hlc_profile_rows(p_profile(), &first, 1) != n || first.samples != rows[0].samples;
    char text[4000], cut[20];
    int length = hlc_profile_text(text, sizeof text, p_profile());
    bad |= length != (int)strlen(text) || hlc_profile_text(cut, sizeof cut, p_profile()) != length;
    bad |= strlen(cut) != sizeof cut - 1 || strncmp(cut, text, sizeof cut - 1) != 0;
    fputs(text, stdout);
    hlc_profile_reset(p_profile());
    bad |= hlc_profile_rows(p_profile(), NULL, 0) != 0;
    return bad ? 1 : 0;
}
C
for schedule in serial rows; do
  "$hlc" compile p.hl --pipeline=p --schedule=$schedule --profile --header=p.h -o p.o || fail "compile $schedule"
  needs=$(grep -q 'with -lsleef' p.h && echo -lsleef)
  gcc -std=c99 host.c p.o $flags $needs -lm -o host || fail "the host of $schedule is not built"
  ./host $([ $schedule = rows ] && echo parallel) > out || { fail "the profile of $schedule"; cat out; }
  sed -n 3p out | grep -q 'level\[1\]\.dear$' || { fail "the dear func is not first under $schedule"; cat out; }
done
"$hlc" compile p.hl --pipeline=p --schedule=rows --header=p.h -o plain.o
nm plain.o | grep -q profile && fail "there is a profile without --profile"
grep -q profile p.h && fail "the header has a profile without --profile"

# The command.
field() { python3 -c "import json,sys; d=json.load(open('out.json')); $1"; }
# On a busy machine the sampler may not run for a while: then the program is profiled for longer.
run() {
  local file=$1 seconds
  shift
  for seconds in 0.3 3 20; do
    "$hlc" profile "$file" --json --seconds=$seconds "$@" > out.json || fail "hlc profile $file $*"
    field 'sys.exit(d["samples"] < 40)' && break
  done
}
run p.hl --pipeline=p --schedule=rows input=random:1:200x120
field 'rows = {(r["func"], r["stage"]): r for r in d["rows"] if r["kind"] == "stage"}
assert ("level[1].dear", "") in rows, rows.keys()
dear = rows["level[1].dear", ""]
assert (dear["computes"], dear["points"], dear["region"]) == (30, 24000, 24000), dear
assert dear["share"] > 0.3 * sum(row["share"] for row in rows.values()) and d["threads"] == 4 and 0 < d["busy_threads"] <= 4
assert abs(sum(r["share"] for r in d["rows"]) - 1) < 1e-4
assert abs(sum(r["ms"] for r in d["rows"]) / d["profiled_run_ms"] - 1) < 1e-3
assert d["image_bytes"] == 2 * 200 * 120 * 4 and 1 <= len(d["reasons"]) <= 3 and "writing_ms" not in d' || fail "rows"
run p.hl --pipeline=again --schedule=recompute --threads=1 input=random:1:200x120
field 'f = next(r for r in d["rows"] if r["func"] == "f")
assert f["points"] == 200 * 3 * 120 and f["region"] == 200 * 122 and f["lanes"] == 8, f
assert f["accesses"] == {"broadcast": 0, "dense": 3, "strided": 0, "gathered": 0}, f
assert (f["operations"], f["bytes"], f["accessed_bytes"]) == (4, 12, 12 * f["points"]), f
assert all((r["operations"], r["bytes"], r["spills"]) == (2, 16, 0) for r in d["rows"] if r["func"] == "out"), d["rows"]
assert any(r["kind"] == "recomputation" and "`f`" in r["sentence"] for r in d["reasons"]), d["reasons"]' || fail "recomputation"
run p.hl --pipeline=again --threads=4 input=random:1:200x120
field 'assert any(r["kind"] == "one thread" for r in d["reasons"]), d["reasons"]' || fail "one thread"
field 'assert any(r["kind"] == "no vectors" for r in d["reasons"]), d["reasons"]' || fail "no vectors"
# Forty values that live at once leave the registers (t1 is no product). Of an update the inner loop counts, and
# `b(k, j)` is read outside of it.
{
  echo 'pipeline many(input: image<f32, 1>) -> out { fun out(x) = {'
  for k in $(seq 40); do echo "let t$k = input(x + $k) * $k.0;"; done
  echo "$(seq -f 't%.0f' -s ' + ' 40) + ($(seq -f 't%.0f' -s ' * ' 40 -1 1)); } }"
  echo 'schedule lanes for many { vectorize(out.x, 8);  parallel(out.x_o, 64); }'
  echo 'pipeline product(a: image<f32, 2>, b: image<f32, 2>) -> c { fun c(i, j) = { 0.0;  rdom(k = (0, 50)) in (i, j) <- c(i, j) + a(i, k) * b(k, j); } }'
  echo 'schedule lanes for product { reorder(c.s1.i, c.s1.k, c.s1.j);  vectorize(c.s1.i, 8);  parallel(c.s1.j); }'
} > many.hl
run many.hl --pipeline=many --schedule=lanes input=random:1:20050 out=20000+1
field 'out = next(r for r in d["rows"] if r["func"] == "out")
assert out["spills"] > 10 and (out["operations"], out["bytes"]) == (118, 164), out' || fail "spills"
run many.hl --pipeline=product --schedule=lanes a=random:1:50x50 b=random:2:50x50 c=50x50
field 'assert all((r["operations"], r["bytes"], r["spills"]) == (2, 12, 0) for r in d["rows"] if r["stage"] == "s1"), d["rows"]' || fail "the arithmetic of an update"
# A window that slides, in folded memory: no point twice.
printf 'schedule slide for again { compute-at(f, out.y);  store-root(f); }\n' > tail
cat p.hl tail > q.hl
"$hlc" profile q.hl --json --seconds=0 --pipeline=again --schedule=slide --threads=1 input=random:1:200x120 > out.json
field 'f = next(r for r in d["rows"] if r["func"] == "f")
assert f["points"] == f["region"] == 200 * 122 and f["computes"] == 120, f' || fail "sliding"
run p.hl --pipeline=chosen --schedule=lanes --threads=1 input=random:1:256x300 where=random:1:300x300
field 'assert any(r["kind"] == "gathers" and "1 gathered" in r["sentence"] for r in d["reasons"]), d' || fail "gathers"
"$hlc" profile p.hl --pipeline=colors --seconds=0 input=random:1:100x80 -o o.png > out || fail "-o"
[ -s o.png ] && grep -q 'outputs: .* ms to write' out || { fail "the written picture"; cat out; }
"$hlc" profile p.hl --pipeline=colors --seconds=0 input=random:1:100x80 -o o.xyz > out 2>&1
[ $? -eq 2 ] || fail "an impossible file name is not refused first"
"$hlc" profile p.hl --pipeline=chosen --seconds=0 input=random:1:100x80 where=random:1:300x300 > out 2>&1
[ $? -eq 2 ] && grep -q access_out_of_bounds out || { fail "a refused run"; cat out; }
[ $failures -eq 0 ]
