#!/usr/bin/env bash
# Loops in three pieces compute what the whole loop computes.  The windows are empty, of one point,
# smaller than a vector or a tile, and just larger.  The steady states have no test left.
# Arguments: source folder, build folder.
set -u
golden=$1/tests/golden hlc=$2/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d) failed=0 runs=0
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; failed=1; }

# compare FILE SCHEDULE SIZES INPUT..: interprets the program before and after the pass, on windows
# of these sizes
compare() {
  local file=$1 schedule=$2 sizes=$3; shift 3
  for pass in simplify partition; do
    "$hlc" lower "$golden/$file.hl" --schedule="$schedule" --after=$pass > "$work/$pass.ir" || fail "$file, $schedule"
  done
  cmp -s "$work/simplify.ir" "$work/partition.ir" && fail "$file, $schedule: no loop is partitioned"
  for size in $sizes; do
    for pass in simplify partition; do
      "$hlc" run "$work/$pass.ir" --interpret=target "$@" out="$size" > "$work/$pass" 2>&1 ||
        fail "$file, $schedule, $size: $(cat "$work/$pass")"
    done
    cmp -s "$work/simplify" "$work/partition" || fail "$file, $schedule, $size: $(cat "$work/simplify" "$work/partition")"
    runs=$((runs + 1))
  done
}

compare partition vectors "0+0 1+0 1+39 2+-1 15+3 16+0 17+-5 31+9 33+4 48+-4 90+-20 64+60" input=random:3:40
compare partition vectors "1+0 17+0 40+-3" input=random:3:1
compare partition strips "0+0 1+7 99+0 100+0 101+-1 250+-90" input=random:4:120
compare partition_borders tiles "0x3+0+0 1x1+0+0 63x33+-3+-2 65x31+4+1 130x40+-60+-5" a=random:5:50x30 b=random:6:17x9
compare producer_rows tiles "16x32+0+0 17x33+-3+-2 40x70+-5+-20" input=random:5:90x120
compare partition_copies chosen "0+0 1+0 40+-3" input=random:3:30 w=0
compare partition_copies chosen "1+0 40+-3" input=random:3:30 w=1
compare partition_sums '' "0+0 1+0 7+-3 20+50" input=random:7:64

for file in "$golden"/partition*.partition.ir; do
  awk '/for [^ ]*\.begin, |for [^ ]* in \([^,]*\.begin, / { depth = match($0, /[^ ]/); steady = 1; seen++; next }
       steady && match($0, /[^ ]/) <= depth { steady = 0 }
       steady && /<-/ && /(min|max|select)\([^)]*s[01]\.x/ { print; bad = 1 }
       END { exit bad || !seen }' "$file" || fail "$(basename "$file") has tests in a steady state, or none"
done
echo "$runs windows"
exit $failed
