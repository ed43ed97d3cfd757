#!/usr/bin/env bash
# Extern stages (docs/language.md): C functions called by all interpreters, by the JIT and from linked objects.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$source"/tests/extern/* .
. "$source/tests/support/share.sh"
failures=0 runs=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
FLAGS=(-O1 -g -Wall -Wextra -Werror -I"$source" -I"$source/runtime" -I.)
cc "${FLAGS[@]}" -shared -fPIC -o libfunctions.so functions.c -lm || exit 1

# A page, whose profiled code is compiled where the C functions are known.
$hlc view programs.hl --pipeline=sorted --extern=./libfunctions.so input=random:1:9x5 n=6 --seconds=0 -o page.html > out 2>&1 || fail "view: $(cat out)"
[ "$(grep -o '"run_ms"' page.html | wc -l)" = "$(($(grep -c '^schedule [a-z]* for sorted ' programs.hl) + 1))" ] || fail "view: a schedule has no time"

# Under every schedule: the reference, compiled code and the target interpreter, on random inputs.
$hlc check programs.hl --extern=libfunctions.so --rounds=10 > out 2>&1 || fail "check: $(cat out)"
grep -q "all equal" out || fail "check compares nothing: $(cat out)"
# The rules of the report, which call the function for one point each.
declare -A ARGUMENTS=([sorted]="input=random:1:9x5 n=6" [spectrum]="input=random:2:20x3 bits=3" [means]="input=random:3:11x9"
                      [kinds]="input=random:4:6x5")
for pipeline in sorted spectrum means kinds; do
  for machine in reference semantics target; do
    $hlc run programs.hl --pipeline=$pipeline --extern=libfunctions.so --interpret=$machine ${ARGUMENTS[$pipeline]} > $machine 2>&1 ||
      fail "$pipeline by $machine: $(cat $machine)"
    cmp -s reference $machine || fail "$pipeline: $machine differs: $(cat reference $machine)"
  done
  for schedule in "" $(sed -n "s/^schedule \([a-z]*\) for $pipeline .*/\1/p" programs.hl); do
    $hlc run programs.hl --pipeline=$pipeline --schedule=$schedule --extern=./libfunctions.so ${ARGUMENTS[$pipeline]} > compiled 2>&1
    cmp -s reference compiled || fail "$pipeline under '$schedule' differs: $(cat compiled)"
    # The text of each pass is the same program.
    for pass in slide checks extern simplify licm; do
      [ $pass != licm ] && left_out && continue # the last text is used below
      $hlc lower programs.hl --pipeline=$pipeline --schedule=$schedule --after=$pass > text.ir 2> err || fail "lower: $(cat err)"
      $hlc lower text.ir > again.ir 2>&1; cmp -s text.ir again.ir || fail "$pipeline, $schedule: the text of $pass is read otherwise"
      $hlc run text.ir --extern=libfunctions.so --interpret=target --order=interleaved --seed=3 ${ARGUMENTS[$pipeline]} > text 2>&1
      [ $pass = slide ] || cmp -s reference text || fail "$pipeline under '$schedule' after $pass: $(cat text)"
      runs=$((runs + 1))
    done
    $hlc run text.ir --extern=libfunctions.so ${ARGUMENTS[$pipeline]} > text 2>&1
    cmp -s reference text || fail "$pipeline under '$schedule', the compiled text: $(cat text)"
    left_out && continue
    $hlc certify programs.hl --pipeline=$pipeline --schedule=$schedule > certificate 2>&1
    [ $? -le 1 ] && grep -q "^trusted: the C function" certificate && grep -q " 0 refuted" certificate || fail "certify: $(cat certificate)"
    $hlc certify text.ir > certificate.ir 2>&1
    [ $pipeline = spectrum ] || grep -q " 0 refuted" certificate.ir || fail "certify the text: $(grep -A1 REFUTED certificate.ir)"
    [ $pipeline = spectrum ] || grep -q " 0 open" certificate || fail "$pipeline, $schedule: $(grep OPEN certificate)"
  done
done
[ "$runs" -ge $((70 / share)) ] || fail "only $runs texts"
# What expand prints is the same program, and so is what fmt prints.
$hlc expand programs.hl > expanded.hl && $hlc expand expanded.hl > twice.hl && cmp -s expanded.hl twice.hl || fail "expand"
$hlc fmt --check programs.hl || fail "fmt"
$hlc eval programs.hl 'm(3, 2)' --pipeline=means --extern=libfunctions.so input=ramp:9x9 --why > out
[ "$(wc -l < out)" = 10 ] && grep -qx "  input(4, 3) = 7" out || fail "eval --why: $(cat out)"
$hlc explain programs.hl --pipeline=sorted --schedule=rows | grep -qx "      call sort_row: write s" || fail "explain"

# Linked objects, compared with values computed apart.
for schedule in "" rows; do
  for pipeline in sorted spectrum; do
    $hlc compile programs.hl --pipeline=$pipeline --schedule=$schedule --header=$pipeline.h -o $pipeline.o > err 2>&1 || fail "compile: $(cat err)"
  done
  grep -qF "int sort_row(halide_buffer_t *, int32_t, halide_buffer_t *);" sorted.h || fail "the header lacks sort_row"
  grep -qF "int fft_row(halide_buffer_t *, halide_buffer_t *, uint8_t, double, uint8_t, halide_buffer_t *, halide_buffer_t *);" spectrum.h ||
    fail "the header lacks fft_row: $(cat spectrum.h)"
  cc "${FLAGS[@]}" -o host host.c functions.c sorted.o spectrum.o "$build/libhlcrt.a" -lm -lpthread > err 2>&1 || fail "linking: $(cat err)"
  ./host > out 2> err || fail "the host, schedule '$schedule': $(cat err)"
  [ "$(cat out)" = "the extern function fft_row returned 3" ] || fail "the report: $(cat out)"
done

# refuses CODE DIAGNOSTIC ARGUMENTS..
refuses() {
  local code=$1 text=$2
  shift 2
  $hlc "$@" > out 2>&1
  local got=$?
  [ $got = $code ] && grep -qF "$text" out || fail "exit code $got, not $code with '$text': $* $(cat out)"
}
cat > wrong.hl <<'HL'
pipeline asks(n: i32 = 0) -> out(5) { fun f(x) = x;  fun out(x): i32 = extern "greedy"(f(x..x)); }
pipeline tiles() -> out(5) { fun f(x) = x;  fun out(x): i32 = extern "tiled"(f(x..x)); }
pipeline libc() -> out() { fun out(): i32 = extern "getpid"(); }
pipeline none() -> out() { fun out(): i32 = extern "nothing"(); }
HL
for machine in "" --interpret=reference --interpret=semantics --interpret=target; do
  last=5; [[ $machine =~ (semantics|reference) ]] && last=1
  refuses 2 "the extern function greedy asks for [0, $last] of its argument 0 in dimension 0, but its stage says that it needs [0, $((last - 1))]" \
    run wrong.hl --pipeline=asks --extern=libfunctions.so $machine
  refuses 2 "the extern function tiled asks to compute [0, 7] of its argument 1" run wrong.hl --pipeline=tiles --extern=libfunctions.so $machine
  refuses 2 "E0892" run wrong.hl --pipeline=none --extern=libfunctions.so $machine
  refuses 2 "E0892" run wrong.hl --pipeline=libc --extern=libfunctions.so $machine # libc is loaded, and not named
  refuses 2 "the extern function fft_row returned 3" run programs.hl --pipeline=spectrum --extern=libfunctions.so input=zero:4x4 bits=9 $machine
done
# What a schedule may not do to a C function's memory, and to loops that it does not have.
cat > directives.hl <<'HL'
pipeline q() -> (out, s) {
    fun f(x, y) = x + y;
    fun t(x, y) = f(x, y) * 2;
    fun s(x, y): i32 = extern "sort_row"(t(0..9, y), 10);
    fun v(x, y): i32 = extern "sort_row"(t(0..9, y), 10);
    fun out(x, y) = v(x, y) + f(x, y);
}
HL
number=0
while IFS='|' read -r code directives; do
  number=$((number + 1))
  echo "schedule d$number for q { $directives }" >> directives.hl
  refuses 2 "$code" lower directives.hl --schedule=d$number
done <<'LIST'
E0350|traverse(v.x, unrolled);
E0350|compute-at(t, v.y);
E0350|parallel(v.y, 4);
E0350|compute-with(v.y, s.y);
E0351|inline(v);
E0351|inline(t);
E0351|store-in(t, register);
E0351|store-in(v, register);
E0351|stream(s);
E0351|hoist-storage-root(v);  compute-at(v, out.y);
LIST
echo "schedule eager for q { eager(v); }" >> directives.hl
refuses 2 "its values depend on sort_row" lower directives.hl --schedule=eager
echo "schedule folded for q { store-root(v);  compute-at(v, out.y);  fold-storage(v, y, 4); }" >> directives.hl
$hlc lower directives.hl --schedule=folded > folded.ir 2> warning || fail "a fold that is not met: $(cat warning)"
grep -q "a C function reads or writes its memory" warning || fail "the fold is not warned of: $(cat warning)"
grep -q "folded" folded.ir && fail "the memory of a C function is folded"
echo "schedule accepted for q { inline(f);  wrap(t, v, copy);  compute-at(copy, out.y);  compute-at(v, out.y); }" >> directives.hl
$hlc check directives.hl --schedule=accepted --extern=libfunctions.so --rounds=4 > out 2>&1 || fail "directives that apply: $(cat out)"
refuses 3 "E0894" run wrong.hl --pipeline=none --extern=wrong.hl
refuses 2 "E0893" compile --no-extern programs.hl --pipeline=sorted -o no.o
refuses 2 "E0893" run --no-extern --extern=libfunctions.so programs.hl --pipeline=sorted input=zero:4x4
refuses 2 "E0893" run --no-extern --interpret=target text.ir --extern=libfunctions.so input=zero:4x4
refuses 2 "E0843" run --root=. --extern=../libother.so wrong.hl --pipeline=none
[ ! -e no.o ] || fail "a refused object is written"
echo "$runs texts, $failures failures"
[ $failures -eq 0 ]
