#!/usr/bin/env bash
# Golden tests of lowering: tests/golden/NAME.SCHEDULE.PASS.ir is what `hlc lower NAME.hl` prints after
# PASS under SCHEDULE (`empty` for none).  BLESS=1 rewrites them.  Arguments: source folder, build folder.
set -u
golden=$1/tests/golden hlc=$2/hlc
export ASAN_OPTIONS=detect_leaks=0
failed=0 count=0
for expected in "$golden"/*.ir; do
  base=$(basename "$expected" .ir)
  name=${base%%.*} rest=${base#*.}
  schedule=${rest%%.*} pass=${rest#*.}
  option=--schedule=$schedule
  [ "$schedule" = empty ] && option=
  if ! got=$("$hlc" lower "$golden/$name.hl" $option --after="$pass" 2>&1); then
    echo "$base: $got"
    failed=$((failed + 1))
  elif [ "${BLESS:-}" = 1 ]; then
    printf '%s\n' "$got" > "$expected"
  elif ! diff -u "$expected" <(printf '%s\n' "$got"); then
    failed=$((failed + 1))
  fi
  count=$((count + 1))
done
echo "$count texts, $failed differ"
[ "$count" -gt 0 ] && [ "$failed" = 0 ]
