#!/usr/bin/env bash
# Tests that both compilers take what bench/random draws, and that their outputs agree.  Times do not matter here.  Skipped if python3-halide or python3-numpy is missing.  Arguments: source folder, build folder.
set -u
export PYTHONDONTWRITEBYTECODE=1 SECONDS_EACH=0.01
python=/usr/bin/python3
$python -c 'import halide, numpy' 2> /dev/null ||
  { echo "SKIPPED: bench_random needs python3-halide and python3-numpy"; exit 77; }
grep -q fsanitize "$2"/hlc-runtime.pc && { echo "SKIPPED: bench_random loads objects into Python"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$(realpath "$2")
ln -s "$build/hlc" "$build/libhlcrt.a" "$work"
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
$python "$1/bench/random/run.py" "$1" "$work" smoke 2 > "$work/out" || fail "exit code $?"
grep -q '^2 pipelines with 1 thread(s): geometric mean [0-9.]*, above 1.05 ' "$work/out" || fail "no distribution"
[ "$(ls "$work/random/smoke" | wc -l)" = 6 ] || fail "the folder has not a program of each side and the times of two"
[ $failures = 0 ] || cat "$work/out"
[ $failures = 0 ]
