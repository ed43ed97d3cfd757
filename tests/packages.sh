#!/usr/bin/env bash
# The packages of the library.  tests/packages/NAME.hl has pipelines of package NAME, each with the
# schedule `fast`: all their schedules give the bits of the reference.  oracle_NAME.py computes the
# values again by plain definitions, on sizes that are odd and that are 1.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0 PYTHONDONTWRITEBYTECODE=1
. "$source/tests/support/share.sh"
failures=0 packages=0 pipelines=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

cd "$source/tests/packages" || exit 1
for file in "$source"/packages/*.hl; do
  name=$(basename "$file" .hl)
  [ -e "$name.hl" ] && [ -e "oracle_$name.py" ] || { fail "tests/packages/ has nothing on $name"; continue; }
  grep -q "^## $name$" "$source/docs/library.md" || fail "docs/library.md has nothing on $name"
  while read -r word; do
    grep -q "\`$word\b" <(sed -n "/^## $name$/,/^## /p" "$source/docs/library.md") || fail "docs/library.md, $name: nothing on $word"
  done < <(sed -nE 's/^(template|directive|let) ([a-z][a-z0-9_-]*).*/\2/p' "$file")
  packages=$((packages + 1))
  left_out && continue
  "$hlc" fmt --check "$file" "$name.hl" || fail "the layout of $name"
  for pipeline in $(sed -nE 's/^pipeline (\w+).*/\1/p' "$name.hl"); do
    grep -qE "^schedule fast(\(.*\))? for $pipeline " "$name.hl" || fail "$name: no schedule fast for $pipeline"
    said=$("$hlc" check --rounds=4 "$name.hl" --pipeline="$pipeline" 2>&1) || fail "check $name $pipeline: $said"
    pipelines=$((pipelines + 1))
  done
  python3 "$source/tests/support/oracle.py" "$hlc" "$name.hl" "oracle_$name.py" || fail "the oracle of $name"
done

# The programs of the page, and of its picture.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '/^```hl$/ { inside = 1; count++; next } /^```$/ { inside = 0 } inside { print > (work "/" count ".hl") }' "$source/docs/library.md"
cp "$source/docs/pictures/library.hl" "$work"
for file in "$work"/*.hl; do
  left_out && continue
  "$hlc" fmt --check "$file" || fail "docs/library.md: the layout of $(head -1 "$file")"
  said=$("$hlc" check --rounds=2 "$file" 2>&1) || fail "docs/library.md: $said"
done
[ "$packages" -ge 1 ] && [ "$pipelines" -ge 1 ] || fail "only $packages packages and $pipelines pipelines"
echo "$packages packages, $pipelines pipelines checked, $failures failures"
[ "$failures" -eq 0 ]
