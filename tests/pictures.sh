#!/usr/bin/env bash
# The pictures of docs/tutorial.md show the present loop nests of `hlc explain` (BLESS=1 draws them
# anew).
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc
. "$source/tests/support/expected.sh"
failures=0 count=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
for picture in $(grep -o 'pictures/tutorial\.[a-z]*\.svg' "$source/docs/tutorial.md" | sort -u); do
  schedule=${picture#pictures/tutorial.}
  schedule=${schedule%.svg}
  option=--schedule=$schedule
  [ "$schedule" = empty ] && option=
  # shellcheck disable=SC2086 # no option is no word
  expected "$source/docs/$picture" < <("$hlc" explain "$source/examples/tutorial.hl" $option | "$source/docs/pictures/draw.py")
  count=$((count + 1))
done
unexpected "$source"/docs/pictures/tutorial.*.svg
echo "$count pictures, $failures out of date"
[ $count -gt 0 ] && [ $failures -eq 0 ]
