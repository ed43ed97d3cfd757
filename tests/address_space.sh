#!/usr/bin/env bash
# Runs `hlc compile` with too little address space, libraries included.  The sizes go from barely
# enough to start the program to enough for everything.  Each run must end with the object, or with
# exit code 3 and a message, and must leave no partial object.  Arguments: source folder, build
# folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc limited=$(realpath "$2")/tests/limited
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if nm "$hlc" | grep -q ' U __asan_init'; then
  echo "skipped: AddressSanitizer's shadow memory is larger than any limit"
  exit 77
fi
failures=0
fail() { echo "FAILED: $1"; cat err; failures=$((failures + 1)); }

# Returns the exit code of `hlc compile` with this many kilobytes.
compile_in() {
  rm -f out.o*
  (ulimit -c 0; ulimit -v "$1"; exec "$limited" - 60 "$hlc" compile "$source/examples/harris.hl" -o out.o) > out 2> err
}

# Finds, by halving, the least size in which the libraries are loaded and initialised.  (LLVM's
# libraries end the process before there is a main.)
low=20000 high=2000000
while [ $((high - low)) -gt 50 ]; do
  middle=$(((low + high) / 2))
  if (ulimit -c 0; ulimit -v $middle; exec "$hlc" --version) > out 2> err; then high=$middle; else low=$middle; fi
done 2> /dev/null
high=$((high + 100)) # the least size varies a little
made=0 refused=0 size=$high
while [ $made -lt 3 ] && [ $size -lt 2000000 ]; do
  compile_in $size
  code=$?
  case $code in
    0) made=$((made + 1)); [ -s out.o ] || fail "$size kB: no object" ;;
    3) refused=$((refused + 1))
       grep -qE 'memory' err || fail "$size kB: no word of memory"
       [ -z "$(ls out.o* 2> /dev/null)" ] || fail "$size kB: a half of an object is left" ;;
    *) fail "$size kB: exit code $code" ;;
  esac
  size=$((size + 150 + (size - high) / 10))
done
[ $made -ge 3 ] && [ $refused -ge 3 ] || fail "$made made, $refused refused"
echo "from $high kB: $refused refused, $made made, $failures failures"
[ "$failures" -eq 0 ]
