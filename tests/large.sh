#!/usr/bin/env bash
# Arrays larger than memory: hlc.dask, and the command hlc-dask.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
needs='numpy, dask.array'
. "$source/tests/support/python.sh"
export HLC_LIBRARY=$library PYTHONPATH=$source/python

"$python" -m unittest discover -q -s "$source/tests/large" > "$work/out" 2>&1 || { cat "$work/out"; fail "tests/large"; }
grep -i 'skipped' "$work/out"

# Random pipelines in random partitions: a few here, a thousand in the tier `all`.
count=10
[ "${HLC_SHARE:-1}" -gt 1 ] || count=1000
(cd "$work" && "$python" -W ignore "$source/tests/large/fuzz.py" $count 20261127) > "$work/out" 2>&1 && grep -q 'the same bytes' "$work/out" || { cat "$work/out"; fail "tests/large/fuzz.py"; }

"$python" -m doctest "$source/docs/large.md" || fail "docs/large.md"
[ "${HLC_SHARE:-1}" -eq 1 ] || exit $((failures > 0)) # the tier leaves out what takes seconds more

if "$python" -c 'import zarr' 2> /dev/null; then
  "$python" -W ignore "$source/examples/python/microscope.py" > "$work/out" 2>&1 && [ "$(grep -c ': True' "$work/out")" = 5 ] || { cat "$work/out"; fail "examples/python/microscope.py"; }
fi

# The wheel has the package, and its command.
if "$python" -m pip --version > /dev/null 2>&1; then
  "$python" -m pip install --no-index --no-deps --quiet --disable-pip-version-check --root-user-action=ignore --target "$work/site" \
    "$source/python" > "$work/out" 2>&1 || { cat "$work/out"; fail "pip install"; }
  (cd "$work" && env -u HLC_LIBRARY PYTHONPATH="$work/site" "$work/site/bin/hlc-dask" --version | grep -q '^hlc-dask [0-9]') || fail "hlc-dask of the wheel"
fi
[ "$failures" -eq 0 ]
