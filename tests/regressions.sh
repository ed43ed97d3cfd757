#!/usr/bin/env bash
# Programs that once had a wrong answer.  The first line of each gives the command that checks it.
# The command must report equality, and must have compared something.  Arguments: source folder,
# build folder.
set -u
build=$(realpath "$2")
cd "$1/tests/regressions" || exit 1
count=0 failed=0
for file in *.hl; do
  read -r _ _ command arguments < "$file" # `// hlc COMMAND ARGUMENTS`
  # shellcheck disable=SC2086
  if ! output=$("$build/hlc" "$command" "$file" $arguments 2>&1) || ! grep -q '^[1-9][0-9]* points compared, all equal$' <<< "$output"; then
    printf '%s:\n%s\n' "$file" "$output"
    failed=$((failed + 1))
  fi
  count=$((count + 1))
done
echo "$count programs, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
