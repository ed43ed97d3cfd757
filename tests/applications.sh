#!/usr/bin/env bash
# examples/applications/, those of Halide's repository in our words: each program under each schedule gives the bits of the
# reference, and the values of tests/oracles/applications.py.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0 PYTHONDONTWRITEBYTECODE=1
. "$source/tests/support/share.sh"
failures=0 programs=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

for file in "$source"/examples/applications/*.hl; do
  programs=$((programs + 1))
  name=$(basename "$file" .hl)
  grep -q "(../examples/applications/$name.hl)" "$source/docs/from-halide.md" || fail "docs/from-halide.md does not name $name"
  for pipeline in $(sed -nE 's/^pipeline (\w+).*/\1/p' "$file"); do
    grep -q "'$name:$pipeline'" "$source/tests/oracles/applications.py" || fail "tests/oracles/applications.py has nothing on $pipeline"
    grep -q "^schedule fast for $pipeline " "$file" || fail "$name: no schedule fast for $pipeline"
  done
  left_out && continue
  "$hlc" fmt --check "$file" || fail "the layout of $name"
  said=$("$hlc" check --rounds=3 "$file" 2>&1) || fail "check $name: $said"
  grep -q 'warning\[' <<< "$said" && fail "$name: $said"
  [[ $(tail -n 1 <<< "$said") =~ ^[1-9][0-9]*\ points\ compared,\ all\ equal$ ]] || fail "check $name: $said"
done
[ "$programs" -ge 13 ] || fail "only $programs programs"
python3 "$source/tests/support/oracle.py" "$hlc" "$source/examples/applications" "$source/tests/oracles/applications.py" all ||
  fail "values of the applications"
echo "$programs applications, $failures failures"
[ "$failures" -eq 0 ]
