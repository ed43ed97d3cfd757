#!/bin/bash
# The programs of examples/recurrences/ on a photograph and on two proteins, against ordinary loops
# in C that share nothing with the compiler (tests/recurrences/independent.c).
set -u
source=$(realpath "$1") build=$(realpath "$2") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hlc=$build/hlc
export ASAN_OPTIONS=detect_leaks=0
[ -x "$hlc" ] || exit 77
cd "$work" || exit 1
failures=0 programs=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
gcc -std=c11 -O1 -ffp-contract=off -Wall -Wextra -Werror -o independent "$source/tests/recurrences/independent.c" || exit 1
./independent sequences . || fail "no sequences"
picture() {  # NAME WINDOW
  "$hlc" run "$source/tests/recurrences/grey.hl" --interpret=reference input="$source/examples/demo/sunset.jpg" bytes="$2" floats="$2" \
    -o bytes="$1.npy" -o floats="$1_floats.npy" || fail "no picture $1"
}
picture small 61x47+300+200
picture left 23x31+310+220
picture right 29x23+350+190
# NAME "INPUT=FILE .." "OUTPUT=SIZE .." under each way of running
check() {
  local name=$1 inputs=$2 sizes=$3 arguments=() given=() made=() pair
  for pair in $inputs; do arguments+=("${pair%%=*}=${pair#*=}.npy"); given+=("${pair#*=}.npy"); done
  for pair in $sizes; do
    [ -z "${pair#*=}" ] || arguments+=("$pair") # a number has no window
    arguments+=(-o "${pair%%=*}=${pair%%=*}.npy") made+=("${pair%%=*}.npy")
  done
  programs=$((programs + 1))
  local file=$source/examples/recurrences/$name.hl schedule way ways=(--interpret=reference --optimize=2)
  for schedule in $(sed -n 's/^schedule \([a-z_]*\) for.*/\1/p' "$file"); do
    ways+=("--schedule=$schedule")
  done
  [ "${#ways[@]}" -gt 2 ] || fail "$name has no schedule"
  for way in "${ways[@]}"; do
    "$hlc" run "$file" "$way" "${arguments[@]}" || { fail "$name $way"; continue; }
    ./independent "$name" "${given[@]}" "${made[@]}" || fail "$name $way differs"
  done
}
# The prefix sums are those of one row of the picture.
cat > row.hl <<'HL'
pipeline row(picture: image<u8, 2>) -> out { fun out(i) = i32(picture(i % picture.width, i / picture.width)); }
HL
sed -i 's/picture(i/picture(picture.min(0) + i/; s|, i / picture.width|, picture.min(1) + i / picture.width|' row.hl
"$hlc" run row.hl --interpret=reference picture=small.npy out=2000 -o row.npy || fail "no row"

check matrix "a=left_floats b=right_floats" "product=31x29"
check prefix "signal=row" "sums=2000"
check summed_area "picture=small" "table=61x47"
check recursive_blur "picture=small" "out=61x47"
check smith_waterman "a=alpha b=beta" "best= score=143x148"
check edit_distance "a=alpha b=beta" "distance= table=143x148"
check lcs "a=alpha b=beta" "length= common=143x148"
check gauss_seidel "picture=small" "out=61x47"
check distance_transform "picture=small" "out=61x47"
check dither "picture=small" "out=61x47"
[ "$programs" -eq "$(ls "$source"/examples/recurrences/*.hl | wc -l)" ] || fail "$programs programs were run, there are others"
[ $failures -eq 0 ]
