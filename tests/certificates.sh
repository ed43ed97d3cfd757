#!/usr/bin/env bash
# Certificates: for every example under every schedule, Z3 alone proves each formula again, and no
# formula is left out.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
. tests/support/share.sh
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

formulas=0
recheck() { # FILE SCHEDULE
  rm -f "$work/certificate.smt2"
  "$hlc" certify "$1" --schedule="$2" --certificate="$work/certificate.smt2" > "$work/out" 2> "$work/err" ||
    fail "no certificate of $1, $2: $(cat "$work/err")"
  z3 "$work/certificate.smt2" > "$work/answers"
  local proofs unsat
  proofs=$(grep -c '^(check-sat)' "$work/certificate.smt2")
  unsat=$(grep -c '^unsat$' "$work/answers")
  [ "$proofs" -ge 5 ] || fail "the certificate of $1, $2 has $proofs formulas"
  [ "$proofs" -eq "$unsat" ] || fail "Z3 proves $unsat of $proofs formulas of $1, $2: $(grep -v '^unsat$' "$work/answers" | head -3)"
  [ "$proofs" -eq "$(wc -l < "$work/answers")" ] || fail "Z3 says more than unsat of $1, $2"
  formulas=$((formulas + proofs))
}
for file in examples/*.hl; do
  for schedule in $(grep -oP '^schedule \K\w+' "$file"); do
    left_out && continue
    recheck "$file" "$schedule"
    grep -q ' 0 not certified$' "$work/out" || fail "$file, $schedule: $(tail -n 1 "$work/out")"
  done
done
[ "$share" -gt 1 ] || recheck tests/golden/tails.hl fused # which takes seconds
recheck examples/resample.hl strips
grep -q '^; |term.*|, any number, stands for .* % (input.extent.0\*2)$' "$work/certificate.smt2" || fail "no word of what a term stands for"
recheck tests/golden/directives.hl split
[ "$(tail -n 1 "$work/out" | grep -oE '[0-9]+ not certified')" = "$(grep -c '^; not certified' "$work/certificate.smt2") not certified" ] || fail "the count of what is not certified"
grep -q '^; step 1, by the rule ' "$work/certificate.smt2" || fail "no chain of rules"
rm -f "$work/certificate.smt2"
"$hlc" certify examples/blur.hl --certificate="$work/certificate.smt2" --solver=no-such-command > "$work/out" 2> "$work/err"
[ $? -eq 3 ] || fail "a certificate without Z3"
ls "$work"/certificate* > /dev/null 2>&1 && fail "half a certificate"

echo "$formulas formulas proved again, $failures failures"
[ "$formulas" -ge $((3000 / share)) ] || fail "only $formulas formulas"
[ "$failures" -eq 0 ]
