# python.sh -- what tests of the Python package share; read by `.`, with $source and $build set.  Gives $python, $library
# and $work.  The test is skipped where a Python with the modules that $needs names is missing, or the library.
library=$(echo "$build"/shared/libhlc.so.?.?)
export HLC_SOURCE=$source PYTHONDONTWRITEBYTECODE=1
python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c "import $needs" 2> /dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: no Python with $needs"; exit 77; }
[ -e "$library" ] || { echo "skipped: this build has no libhlc.so"; exit 77; }
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
