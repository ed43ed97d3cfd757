#!/usr/bin/env bash
# `hlc certify` and atomic updates.  The text, in any number of pieces, proves that their order does
# not matter.  If the operator does not commute, or something else accesses the func in the loop,
# nothing is claimed.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
. tests/support/expect.sh

proved() { # WHAT FILE SCHEDULE..: all of it, and the races by their atomic updates
  "$hlc" certify "${@:2}" > "$work/out" 2> "$work/err" || fail "$1: $(cat "$work/err"; grep -E 'REFUTED|OPEN|CHECK' "$work/out")"
  grep -q ' text  *race .*(atomic))$' "$work/out" || fail "$1: no update is atomic"
}
for schedule in rows inside stored nested factored; do
  proved "$schedule" tests/semantics/atomic.hl --schedule=$schedule
  for pass in checks partition licm; do
    "$hlc" lower tests/semantics/atomic.hl --schedule=$schedule --after=$pass > "$work/text.ir" || fail "lower $schedule to $pass"
    "$hlc" certify "$work/text.ir" > "$work/out" 2> "$work/err"
    grep -q ' text  *race .*(atomic))$' "$work/out" || fail "$schedule after $pass: no update is atomic"
    ! grep -E '(REFUTED|OPEN) +race' "$work/out" || fail "$schedule after $pass"
  done
done

"$hlc" lower tests/golden/atomic.hl --schedule=atomic --after=simplify > "$work/atomic.ir" || fail "lower"
proved "the text" "$work/atomic.ir"
open() { # WHAT REASON: the race of $work/changed.ir
  "$hlc" certify "$work/changed.ir" > "$work/out" 2> "$work/err"
  [ $? -eq 1 ] || fail "$1: $(cat "$work/err" "$work/out")"
  grep -A 1 -E 'OPEN +race' "$work/out" | grep -q "$2" || fail "$1: $(cat "$work/out")"
  ! grep -q '(atomic))' "$work/out" || fail "$1: an update is proved"
}
update='atomic count\[.*\] <- count\[\(.*\)\] + 1:i32'
sed "s/$update/$(printf '%s' 'atomic count[\1] <- count[\1]*2:i32 + 1:i32')/" "$work/atomic.ir" > "$work/changed.ir"
open "an operator that does not commute" "not proved associative and commutative"
sed "s/$update/$(printf '%s' 'atomic count[\1] <- i32(count.s1.x)')/" "$work/atomic.ir" > "$work/changed.ir"
open "a value that is the last one's" "not proved associative and commutative"
sed "s/^\( *\)$update/\1let seen = count[\2] in\n\1  if seen < 9:i32 then\n\1    atomic count[\2] <- count[\2] + 1:i32/" "$work/atomic.ir" > "$work/changed.ir"
open "another read" "something else in the loop"
sed 's/atomic count/count/' "$work/atomic.ir" > "$work/changed.ir"
"$hlc" certify "$work/changed.ir" > /dev/null 2> "$work/err"
grep -q 'E0714.*pure or independent' "$work/err" || fail "no update is atomic: $(cat "$work/err")"
echo "$failures failures"
[ "$failures" -eq 0 ]
