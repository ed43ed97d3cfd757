#!/usr/bin/env bash
# Each directive that `hlc --tables` prints has three things: a schedule of its name in a program of
# tests/golden with a golden text, a section or row in docs/scheduling.md, and a row in
# docs/language.md.  All those schedules compute what the reference computes.  Arguments: source
# folder, build folder.
set -uo pipefail
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
export ASAN_OPTIONS=detect_leaks=0
failed=0 count=0
while read -r table _ text _; do
  [ "$table" = directive ] || continue
  count=$((count + 1))
  golden=$source/tests/golden
  if ! compgen -G "$golden/*.${text//-/_}.*.ir" > /dev/null; then
    echo "$text has no golden text tests/golden/*.${text//-/_}.schedule.ir of a schedule of its name"
    failed=$((failed + 1))
  fi
  if ! grep -qE "^##.*[ ]$text\(|^\| \`$text\(" "$source/docs/scheduling.md"; then
    echo "$text has no section '## $text(..)' and no row in docs/scheduling.md"
    failed=$((failed + 1))
  fi
  if ! grep -qE "^\|.*\`$text\(" "$source/docs/language.md"; then
    echo "$text has no row in docs/language.md"
    failed=$((failed + 1))
  fi
done < <("$hlc" --tables)
echo "$count directives, $failed faults"
[ "$count" -gt 0 ] && [ "$failed" = 0 ] || exit 1
for program in directives eager rfactor compute_with compute_with_outputs compute_with_three recurrence_product recurrence_mutual atomic; do
  "$hlc" check "$source/tests/golden/$program.hl" | tail -1
  [ "${PIPESTATUS[0]}" = 0 ] || exit 1
done
"$hlc" check "$source/tests/golden/recurrence.hl" s=random:1:19 t=random:2:37 | tail -1
[ "${PIPESTATUS[0]}" = 0 ] || exit 1
