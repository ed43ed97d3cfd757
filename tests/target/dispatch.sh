#!/usr/bin/env bash
# An object for several targets runs the best code that the processor can run; a processor that can run none answers an error
# and never meets an instruction that it does not have.  Arguments: source folder, build folder.
set -u
source=$1
build=$2
. "$source/tests/target/lib.sh"
find_compiler x86-64
here=$work/dispatch
rm -rf "$here"
mkdir -p "$here"

# FOLDER/call: a program with the blur and the corners for these targets, vectorized, and calls.
prepare() {
  mkdir -p "$here/$1/calls"
  for program in blur harris; do
    "$build/tests/target_prepare" "$here/$1" "$1" 2 "$source/examples/$program.hl" || fail "$program for $1"
  done
  libraries="$here/$1/blur.2.o $here/$1/harris.1.o $own_libraries" build_caller "$here/$1/call"
}
own_libraries=$libraries
several=x86-64-v2,x86-64-v3,x86-64-v4
for targets in $several x86-64 x86-64-v2 x86-64-v3 x86-64-v4 host; do prepare $targets; done

# Of the entries there is one each, of the bodies one for each target.
count() { nm "$here/$several/blur.2.o" | grep -c " $1$"; }
for name in blur blur_argv blur_report; do [ "$(count "T $name")" = 1 ] || fail "$name is not defined once"; done
for version in x86_64_v2 x86_64_v3 x86_64_v4; do [ "$(count "t blur\.$version")" = 1 ] || fail "no code for $version"; done
[ "$(nm "$here/x86-64/blur.2.o" | grep -c hlc_choose_code)" = 0 ] || fail "code for every processor asks which one it is"

# calls TARGETS EMULATOR: they give what the reference says.  versions LOG: what ran, by qemu's log.
calls() { $2 "$here/$1/call" self "$here/$1"/calls/*.call > out 2>&1 || { fail "$1 with $2"; cat out; }; }
refused() {
  $3 "$here/$1/call" --error=-1012 self "$here/$1"/calls/*.call > out 2>&1 || fail "$1 is not refused with $3"
  grep -q "this processor cannot run code made for $2: it lacks .*$4" out || { fail "$1 with $3: the message does not name $2 and $4"; cat out; }
}
cd "$here" || exit 1
natively=""
calls $several "$natively"
calls host "$natively"
for level in x86-64 x86-64-v2 x86-64-v3; do
  find_emulator $level
  case $level in
    x86-64)
      calls x86-64 "$emulator"
      refused $several x86-64-v2 "$emulator" sse4.1
      refused x86-64-v2 x86-64-v2 "$emulator" "cx16\|sse3"
      continue
      ;;
    x86-64-v2) refused x86-64-v3 x86-64-v3 "$emulator" avx2 ;;
    x86-64-v3)
      refused x86-64-v3 x86-64-v3 "$emulator,-fma" fma
      refused x86-64-v3 x86-64-v3 "$emulator,-xsave" avx # as under a system that does not save AVX's registers
      ;;
  esac
  refused x86-64-v4 x86-64-v4 "$emulator" avx512f
  calls $several "$emulator -d in_asm -D $here/log"
  ran=$(sed -n 's/^IN: blur\.\(x86_64_v[0-9]\).*/\1/p' log | sort -u)
  [ "$ran" = "${level//-/_}" ] || fail "on $level ran: $ran"
done
# The code for this machine, where it has more than these.
if grep -qw avx2 /proc/cpuinfo; then
  find_emulator x86-64-v2
  refused host host "$emulator" avx2
fi
[ $failures -eq 0 ]
