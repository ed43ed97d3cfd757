#!/usr/bin/env bash
# No text that the compiler makes is wrong: `hlc certify` reads the programs of tests/semantics/
# under each of their schedules, after the pass that leaves most of the algorithm out of the text.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
. tests/support/expect.sh
. tests/support/share.sh
texts=0

certify() { # FILE PIPELINE SCHEDULE: nothing is refuted; "" is the empty schedule
  "$hlc" lower "$1" --pipeline="$2" ${3:+--schedule="$3"} --after=partition > "$work/text.ir" || fail "lower $1, $2, '$3'"
  "$hlc" certify "$work/text.ir" > "$work/out" 2> "$work/err"
  [ $? -le 1 ] || fail "$1, $2, '$3': $(cat "$work/err")"
  ! grep -q REFUTED "$work/out" || fail "$1, $2, '$3': $(grep REFUTED "$work/out")"
  texts=$((texts + 1))
}
for file in tests/semantics/*.hl; do
  for pipeline in $(sed -nE 's/^pipeline ([A-Za-z_0-9]+).*/\1/p' "$file"); do
    for schedule in "" $(sed -nE "s/^schedule ([A-Za-z_0-9]+) for $pipeline\b.*/\1/p" "$file"); do
      left_out || certify "$file" "$pipeline" "$schedule"
    done
  done
done
[ "$texts" -gt $((250 / share)) ] || fail "only $texts texts"

# If a predicate has become the range of a loop, the text still says so, and everything is proved.
proved() { # FILE PIPELINE SCHEDULE
  certify "$1" "$2" "$3"
  grep -q 'predicate (' "$work/text.ir" || fail "$1, $2: no loop is cut"
  [[ $(tail -n 1 "$work/out") == *", 0 refuted, 0 open" ]] || fail "$1, $2, '$3': $(grep OPEN "$work/out")"
}
proved tests/semantics/recurrence_corners.hl middle ""
proved tests/semantics/recurrence_corners.hl middle unrolled
proved tests/semantics/extended_points.hl points ""
proved tests/semantics/nested.hl nested shared
proved tests/certify/fused_first.hl fused_first fused
echo "$texts texts, $failures failures"
[ "$failures" -eq 0 ]
