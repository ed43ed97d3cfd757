#!/usr/bin/env bash
# Arrays larger than memory: hlc.dask, and the command hlc-dask.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
library=$(echo "$build"/shared/libhlc.so.?.?)
export PYTHONDONTWRITEBYTECODE=1 HLC_LIBRARY=$library PYTHONPATH=$source/python HLC_SOURCE=$source
python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy, dask.array' 2> /dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: no Python with python3-dask"; exit 77; }
[ -e "$library" ] || { echo "skipped: this build has no libhlc.so"; exit 77; }
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tests in "$source"/tests/large/test_*.py; do
  "$python" "$tests" -q > "$work/out" 2>&1 || { cat "$work/out"; fail "$tests"; }
  grep -i 'skipped' "$work/out"
done
[ "$failures" -eq 0 ]
