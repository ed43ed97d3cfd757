#!/usr/bin/env bash
# `hlc explain`: it describes the nest that is lowered.  Its text for some schedules is
# tests/explain/FILE.SCHEDULE.txt, and the dependences are in .dependences.txt (BLESS=1 rewrites
# them).  Arguments: source folder, build folder.
set -uo pipefail
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
export ASAN_OPTIONS=detect_leaks=0
cd "$source" || exit 1
. tests/support/expected.sh
. tests/support/share.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 nests=0 texts=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# Funcs and loops in their order: from the explanation, and from the program.
told() {
  sed -E '/^[a-z-]+\(.*\);$/d' "$1" | sed -nE -e 's/^ *(allocate|output) ([^ :]*):.*/allocate \2/p' \
    -e 's/^ *compute ([^ ]*).*/compute \1/;  s/^(compute .*)\.s[0-9]+$/\1/;  s/^(compute .*)\.z[0-9]+$/\1/;  s/^compute .*/&/p' -e 's/^ *for ([^ ]*) from.*, (serial|parallel|vectorized|unrolled)\b.*/for \1 \2/p'
}
lowered() {
  sed -nE -e 's/^ *allocate ([^ :]*):.*/allocate \1/p' -e 's/^ *compute ([^ ]*).*/compute \1/p' \
    -e 's/^ *for ([^ ]*) in .*\).* (parallel|vectorized|unrolled)( .*)?$/for \1 \2/p' -e 's/^ *for ([^ ]*) in .*\)( reduction)?( prefetching [^)]*)? do$/for \1 serial/p' "$1"
}

for file in examples/*.hl tests/golden/*.hl tests/bounds/*.hl; do
  while read -r schedule pipeline; do
    left_out && continue
    "$hlc" explain "$file" --pipeline="$pipeline" --schedule="$schedule" > "$work/told" 2> "$work/err" ||
      fail "$file, $schedule: $(cat "$work/err")"
    "$hlc" lower "$file" --after=eager --pipeline="$pipeline" --schedule="$schedule" > "$work/lowered" || fail "$file, $schedule"
    diff <(told "$work/told") <(lowered "$work/lowered") > "$work/diff" ||
      fail "$file, $schedule: the nest told is not the nest made: $(head -5 "$work/diff")"
    nests=$((nests + 1))
  done < <(sed -nE 's/^schedule ([A-Za-z0-9_]*) for ([A-Za-z0-9_]*).*/\1 \2/p' "$file")
done
[ "$nests" -ge $((150 / share)) ] || fail "only $nests nests were looked at"

for file in tests/explain/*.hl; do
  for schedule in $(sed -nE 's/^schedule ([A-Za-z0-9_]*) for.*/\1/p' "$file"); do
    "$hlc" explain "$file" --schedule="$schedule" > "$work/told" || fail "$file, $schedule"
    expected "${file%.hl}.$schedule.txt" < "$work/told"
    texts=$((texts + 1))
  done
done
[ "$texts" -ge 4 ] || fail "only $texts explanations were compared"

# The loops that carry the needs of a recurrence's equations: as the equations are written, in
# FILE.dependences.txt; and after each schedule, in FILE.SCHEDULE.dependences.txt.
dependences=0
for file in $(grep -l "^ *recurrence (" tests/explain/*.hl); do
  "$hlc" explain "$file" --dependences > "$work/written" || fail "$file, dependences"
  for schedule in "" $(sed -nE 's/^schedule ([A-Za-z0-9_]*) for.*/\1/p' "$file"); do
    "$hlc" explain "$file" --dependences ${schedule:+--schedule="$schedule"} > "$work/told" || fail "$file, $schedule, dependences"
    if [ -n "$schedule" ]; then
      head -n "$(wc -l < "$work/written")" "$work/told" | cmp -s - "$work/written" || fail "$file: $schedule changes what is written"
      sed -i "1,/^under schedule $schedule\$/{/^under/!d}" "$work/told"
    fi
    expected "${file%.hl}${schedule:+.$schedule}.dependences.txt" < "$work/told"
    dependences=$((dependences + 1))
  done
done
[ "$dependences" -ge 8 ] || fail "only $dependences explanations of dependences were compared"
unexpected tests/explain/*.txt

# The formulas for recomputed points agree with a count.
lines=0
counted() {
  local file=$1 points
  shift
  for schedule in $(sed -nE 's/^schedule ([A-Za-z0-9_]*) for.*/\1/p' "$file"); do
    "$hlc" explain "$file" --schedule="$schedule" "$@" > "$work/told" || fail "$file, $schedule, $*"
    while IFS= read -r line; do
      case $line in
        *"but in the tail of"*) lines=$((lines + 1)) ;;
        *"no point twice"*different*) fail "$file, $schedule, points are computed twice: $line" ;;
        *"no point twice"*points* | *"no point twice"*point | *" share "*different* | *"same again"*different*) lines=$((lines + 1)) ;;
        *"not known"*) ;;
        *) fail "$file, $schedule, no point is computed twice, or none was counted: $line" ;;
      esac
    done < <(grep -E "^ *compute .*;.*;" "$work/told")
  done
}
counted examples/blur.hl input=zero:1000x700
counted examples/blur.hl input=zero:300x200+-5+7 w=0 out=299x190
counted examples/harris.hl input=zero:1000x700
counted examples/unsharp.hl input=zero:333x111x3
counted examples/resample.hl input=zero:400x300
counted tests/explain/stencil.hl input=zero:640x480 w=3
counted tests/explain/nested.hl input=zero:40x33
counted tests/explain/tails.hl input=zero:50
counted tests/explain/tails.hl input=zero:50 k=3
[ "$lines" -ge 15 ] || fail "only $lines lines were looked at"
"$hlc" explain examples/blur.hl --schedule=tiled input=zero:640x480 > "$work/told"
grep -qF "share 6 in y; 364800 points, 311040 of them different, each 1.17 times on average" "$work/told" ||
  fail "15 strips of 38 rows of 640 points"
grep -qF "allocate f: i32, x: 646, y: 486; 1255824 bytes" "$work/told" || fail "memory under arguments"
# The points that a tail without a guard adds are counted.
tail() {
  "$hlc" explain tests/explain/tails.hl --schedule="$1" "$2" > "$work/told" || fail "tails.hl, $1"
  grep -qE "^ *compute f.*; $3\$" "$work/told" || fail "tails.hl, $1, $2: not $3: $(cat "$work/told")"
}
tail rounded input=zero:50 "68 points, 52 of them different, each 1.31 times on average"
tail shifted input=zero:50 "68 points, 50 of them different, each 1.36 times on average"
tail last input=zero:50 "52 points, 50 of them different, each 1.04 times on average"
tail sized input=zero:50 "68 points, 52 of them different, each 1.31 times on average"
# If the count is not known, none is printed: a shifted piece of a piece, and a factor for which
# nothing runs.
for arguments in "outer input=zero:50" "sized input=zero:50 k=0"; do
  # shellcheck disable=SC2086 # arguments are words
  "$hlc" explain tests/explain/tails.hl --schedule=$arguments > "$work/told" || fail "tails.hl, $arguments"
  grep -q '^ *compute f' "$work/told" && ! grep -q '^ *compute f.* points' "$work/told" || fail "tails.hl, $arguments: $(cat "$work/told")"
done
tail last input=zero:52 "no point twice but in the tail of x; 52 points"
tail exact input=zero:50 "no point twice; 50 points"
tail piece input=zero:50 "no point twice but in the tail of xi"
tail at_root input=zero:50 "52 points"
tail at_root input=zero:107 "112 points, 107 of them different, each 1.05 times on average"
# A program that is too large to count has no count.
"$hlc" explain tests/explain/nested.hl --schedule=fused input=zero:3000x3000 > "$work/told" 2>&1
grep -q "^ *compute f.* points" "$work/told" && fail "counted: $(cat "$work/told")"
"$hlc" explain examples/blur.hl --schedule=tiled w=65 | grep -qF "refused: parameter_too_large, w" || fail "a refusal"

echo "$nests nests, $texts texts, $dependences dependences, $failures failures"
[ "$failures" -eq 0 ]
