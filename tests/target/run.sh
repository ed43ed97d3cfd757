#!/usr/bin/env bash
# The examples, the operators and atomic updates, under all schedules, compiled for one target and run on a processor that has what the target
# needs and no more (under qemu, or natively), give what the reference answers here.  Arguments: source folder, build folder,
# target.
set -u
. "$1/tests/support/share.sh"
source=$1
build=$2
target=$3
. "$source/tests/target/lib.sh"
find_emulator "$target"
find_compiler "$target"
here=$work/$target
rm -rf "$here"
mkdir -p "$here/calls"
rounds=$([ "${HLC_SHARE:-1}" -gt 1 ] && echo 2 || echo 4)
bash "$source/tests/target/operators.sh" > "$here/operators.hl"
for program in "$here/operators.hl" "$source"/tests/semantics/{atomic,clamped_lanes}.hl "$source"/examples/*.hl; do
  left_out || "$build/tests/target_prepare" "$here" "$target" "$rounds" "$program" || fail "$program is not prepared"
done
build_caller "$here/call"
# The K-th schedules of all pipelines make one library, for they have the same names.
for number in $(ls "$here" | sed -n 's/.*\.\([0-9]*\)\.o/\1/p' | sort -un); do
  $compiler -shared -o "$here/$number.so" "$here"/*."$number.o" || fail "library $number is not linked"
  $emulator "$here/call" "$here/$number.so" "$here"/calls/*.call || fail "schedules $number"
done
[ $failures -eq 0 ]
