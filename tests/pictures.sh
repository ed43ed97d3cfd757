#!/usr/bin/env bash
# The pictures of docs/tutorial.md show the loop nests that `hlc explain` prints now (BLESS=1 draws them anew).
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1")
hlc=$(realpath "$2")/hlc
drawn=$(mktemp)
trap 'rm -f "$drawn"' EXIT
failures=0 count=0
for picture in $(grep -o 'pictures/tutorial\.[a-z]*\.svg' "$source/docs/tutorial.md" | sort -u); do
  schedule=${picture#pictures/tutorial.}
  schedule=${schedule%.svg}
  option=--schedule=$schedule
  [ "$schedule" = empty ] && option=
  "$hlc" explain "$source/examples/tutorial.hl" $option | "$source/docs/pictures/draw.py" > "$drawn"
  [ -z "${BLESS:-}" ] || cp "$drawn" "$source/docs/$picture"
  cmp "$drawn" "$source/docs/$picture" || failures=$((failures + 1))
  count=$((count + 1))
done
echo "$count pictures, $failures out of date"
[ $count -gt 0 ] && [ $failures -eq 0 ]
