# lib.sh -- what the tests of code for each target share.  Before: source and build folder in $source and $build.
work=$build/target
arm=$build/arm64/usr/lib/aarch64-linux-gnu
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
skip() { echo "skipped: $1"; exit 77; }
needs() { command -v "$1" > /dev/null || skip "there is no $1: apt-get install $2"; }

# What runs code for a processor that has what the target needs and no more; nothing: this machine.
find_emulator() {
  local target=$1
  [ "$(uname -m)" = x86_64 ] || skip "what is tested here on other machines than x86-64 is the machine itself"
  case $target in
    aarch64) emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu cortex-a72" ;;
    aarch64-dotprod) emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu cortex-a76" ;;
    x86-64) emulator="qemu-x86_64 -cpu qemu64,-sse3" ;;
    x86-64-v2) emulator="qemu-x86_64 -cpu Nehalem" ;;
    x86-64-v3) emulator="qemu-x86_64 -cpu Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-rtm,-invpcid" ;;
    x86-64-v4*)
      emulator=""
      for feature in avx512f avx512bw avx512cd avx512dq avx512vl $([ $target = x86-64-v4 ] || echo avx512_vnni); do
        grep -qw $feature /proc/cpuinfo || skip "this processor has no $feature"
      done
      ;;
  esac
  [ -z "$emulator" ] || needs ${emulator%% *} qemu-user
}

# A compiler for the target, and what its programs link besides: find_compiler TARGET [alone]; alone, they need no libraries.
find_compiler() {
  if [ "${1#aarch64}" != "$1" ]; then
    needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    [ $# -gt 1 ] || [ -e "$build/arm64/complete" ] || skip "no arm64 libraries are in $build/arm64: tests/target/arm64.sh $build/arm64"
    compiler=aarch64-linux-gnu-gcc
    libraries="-Wl,--no-as-needed $arm/libsleef.so.3 -Wl,-rpath,$arm -lm -ldl"
  else
    compiler=gcc
    libraries="-Wl,--no-as-needed -lsleef -lm -ldl"
  fi
}

# build_host SOURCE.c OPTION..: a program with the run-time library in it, for the compiler found. For this machine's compiler the
# build has the library.
build_host() {
  local runtime=("$source"/runtime/*.c)
  [ "$compiler" != gcc ] || runtime=(-Wl,--whole-archive "$build/libhlcrt.a" -Wl,--no-whole-archive)
  $compiler -std=gnu17 -O1 -D_GNU_SOURCE -ffp-contract=off -I "$source" "$1" "${runtime[@]}" -rdynamic "${@:2}"
}

# The program that makes calls: build_caller OUT.
build_caller() { build_host "$source/tests/target/call.c" $libraries -o "$1" || exit 1; }
