#!/bin/bash
# Each kernel of bench/ compiles under each of its schedules, and equals the reference on small
# images.  The images are random; the table below has those for tiles that move inwards, which need
# an image as large as a tile.  Sizes that a file fixes for the machine's sake are made small.
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
[ -x "$hlc" ] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$source/tests/support/share.sh"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }
declare -A arguments=(
    [blur]="out=520x245 input=random:1:530x250"
    [recursive]="out=70x66x1 input=random:1:70x66x1"
    [stencil]="out=20x17 input=random:1:20x20"
    [camera]="out=40x12x3 matrix=random:1:4x3 input=random:1:100x60 input.min=-10,-10"
    [bilateral]="out=60x20 input=random:1:60x20"
    [equalize]="out=80x70 input=random:1:80x70"
    [harris]="out=330x40 input=random:1:340x50x3 input.min=-3,-3,0"
    [recurrence.filter]="out=70x66x1 input=random:1:70x66x1"
    [recurrence.edit]="out=1 a=random:1:67 b=random:2:45"
    # Sums of floats in another order are equal if all of them are exact.
    [sum]="out=1 a=ramp:700"
    [dot]="out=1 a=ramp:350 b=ramp:350"
    [moments]="out=2 a=ramp:1400"
    [subarray]="out=1 a=ramp:3000+-800"
    [argmin]="out=2 a=random:1:1400"
    [histogram]="out=256 a=random:1:61x40"
    [matrices]="out=9 a=random:1:9x100" # with more matrices the product is 0
)
declare -A told=()

programs=("$source"/bench/*.hl "$source"/bench/reductions/*.hl)
"$hlc" fmt --check "${programs[@]}" || fail "these are not formatted"
for program in "${programs[@]}"; do
    name=${program##*/} name=${name%.hl}
    sed -e 's/^const n = 1024;/const n = 128;/' -e 's/^const channels = 64;/const channels = 32;/' \
        -e 's/^const stretch = 65536;/const stretch = 200;/' -e 's/^const lane_stretch = [^;]*;/const lane_stretch = 24;/' \
        -e 's/^const long_stretch = [^;]*;/const long_stretch = 1024;/' -e 's/^const side_stretch = [^;]*;/const side_stretch = 80;/' \
        -e 's/^const lane_matrices = [^;]*;/const lane_matrices = 2;/' -e 's/^const strip = 256;/const strip = 9;/' "$program" > "$folder/$name.hl"
    for pipeline in $(sed -n 's/^pipeline \([a-z0-9_]*\)(.*/\1/p' "$program"); do
        key=$name.$pipeline
        [ -n "${arguments[$key]:-}" ] || key=$name
        told[$key]=1
        left_out && continue
        said=$("$hlc" check --rounds=2 "$folder/$name.hl" --pipeline=$pipeline ${arguments[$key]:-} 2>&1) ||
            fail "$program: $said"
        [[ $(tail -n 1 <<< "$said") =~ ^[1-9][0-9]*\ points\ compared,\ all\ equal$ ]] || fail "$program, $pipeline: $said"
    done
    # The unchanged file compiles.
    while read -r schedule; do
        left_out && continue
        "$hlc" compile "$program" --pipeline="${schedule##*for }" --schedule="${schedule%% for*}" -o "$folder/kernel.o" ||
            fail "$program: $schedule does not compile"
    done < <(sed -n 's/^schedule \(.*\) {.*/\1/p' "$program")
done
for key in "${!arguments[@]}"; do
    [ -n "${told[$key]:-}" ] || fail "there is no kernel $key"
done
files=0
for file in $(grep -o '\.file = "[^"]*"' "$source/bench/kernels.c" | sort -u | cut -d'"' -f2); do
    files=$((files + 1))
    [ -e "$source/bench/$file" ] || fail "bench/kernels.c: there is no bench/$file"
done
[ "$files" -ge 10 ] || fail "only $files files are named in bench/kernels.c"
[ $failures -eq 0 ] && echo "the kernels compile, and say what the reference says"
