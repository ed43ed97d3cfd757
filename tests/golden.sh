#!/usr/bin/env bash
# Golden tests of lowering: tests/golden/NAME.SCHEDULE.PASS.ir is the output of `hlc lower NAME.hl`
# after PASS under SCHEDULE (`empty` for none).  A line `//! SCHEDULE: PASS ..` of NAME.hl asks for
# these texts.  A missing text is a failure; so is a text that no line asks for.  BLESS=1 writes
# them.  Arguments: source folder, build folder.
set -u
golden=$1/tests/golden hlc=$2/hlc
export ASAN_OPTIONS=detect_leaks=0
. "$1/tests/support/expected.sh"
failures=0 count=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
for program in "$golden"/*.hl; do
  while read -r _ schedule passes; do
    schedule=${schedule%:} option=
    [ "$schedule" = empty ] || option=--schedule=$schedule
    for pass in $passes; do
      # shellcheck disable=SC2086 # no option is no word
      if got=$("$hlc" lower "$program" $option --allow=all --after="$pass" 2>&1); then
        expected "${program%.hl}.$schedule.$pass.ir" <<< "$got"
      else
        fail "$program, $schedule, $pass: $got"
      fi
      count=$((count + 1))
    done
  done < <(grep '^//! ' "$program")
done
unexpected "$golden"/*.ir
echo "$count texts, $failures failures"
[ "$count" -ge 100 ] && [ "$failures" = 0 ]
