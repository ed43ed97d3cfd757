#!/bin/bash
# Checks each program in examples/, examples/recurrences/ and tests/semantics/ on random input:
# every schedule gives the reference's answer.
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
[ -x "$hlc" ] || exit 77
. "$source/tests/support/share.sh"
failures=0
for program in "$source"/examples/*.hl "$source"/examples/recurrences/*.hl "$source"/tests/semantics/*.hl; do
    left_out && continue
    said=$("$hlc" check --rounds=6 "$program" 2>&1)
    code=$?
    last=$(tail -n 1 <<< "$said")
    if [ $code -ne 0 ] || [[ ! $last =~ ^[1-9][0-9]*\ points\ compared,\ all\ equal$ ]]; then
        echo "$program: exit code $code"
        echo "$said"
        failures=$((failures + 1))
    fi
done
[ $failures -eq 0 ]
