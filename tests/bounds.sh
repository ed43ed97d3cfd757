#!/usr/bin/env bash
# Whole programs whose bounds are hard: every schedule equals the reference on random windows, and none is
# refused by the compiler.  Arguments: source folder, build folder.
set -u
failed=0
for file in "$1"/tests/bounds/*.hl; do
  if ! output=$("$2/hlc" check "$file" 2>&1) || grep -q "refused by the compiler" <<< "$output" ||
    ! grep -q '^[1-9][0-9]* points compared, all equal$' <<< "$output"; then
    printf '%s:\n%s\n' "$file" "$output"
    failed=$((failed + 1))
  fi
done
echo "$failed failed"
[ "$failed" -eq 0 ]
