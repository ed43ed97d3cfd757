#!/usr/bin/env bash
# `hlc certify`: every example under every schedule is proved; programs that were spoilt are refuted, with
# a counterexample in the clause that was broken.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
hlc=$build/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# ---- examples: all proved, nothing left to run time ----
runs=0 obligations=0
for file in examples/*.hl; do
  pipeline=$(grep -oP '^pipeline \K\w+' "$file")
  for schedule in "" $(grep -oP '^schedule \K\w+' "$file"); do
    "$hlc" certify "$file" ${schedule:+--schedule=$schedule} > "$work/out" 2> "$work/err" ||
      fail "$file, schedule '$schedule': $(cat "$work/err"; grep -E 'REFUTED|OPEN' "$work/out")"
    last=$(tail -n 1 "$work/out")
    [[ $last == *" 0 refuted, 0 left to run time, 0 open" ]] || fail "$pipeline '$schedule': $last"
    count=${last%% *}
    [ "$count" -ge 9 ] || fail "$pipeline '$schedule': only $count obligations"
    [ "$count" -eq $(($(wc -l < "$work/out") - 1)) ] || fail "$pipeline '$schedule': $last, but other lines"
    runs=$((runs + 1)) obligations=$((obligations + count))
  done
done

# ---- certificates: Z3 alone says the same of each formula ----
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
for example in "blur tiled" "blur fast" "integral fast" "harris tiled" "turn blocks" "tone fast" "disparity rows"; do
  recheck "examples/${example% *}.hl" "${example#* }"
  grep -q ' 0 not certified$' "$work/out" || fail "$example: $(tail -n 1 "$work/out")"
done
recheck tests/golden/tails.hl fused
recheck examples/resample.hl strips
grep -q '^; step 1, by the rule ' "$work/certificate.smt2" || fail "no chain of rules for folded coordinates"
rm -f "$work/certificate.smt2"
"$hlc" certify examples/blur.hl --certificate="$work/certificate.smt2" --solver=no-such-command > "$work/out" 2> "$work/err"
[ $? -eq 3 ] || fail "a certificate without Z3"
ls "$work"/certificate* > /dev/null 2>&1 && fail "half a certificate"

# ---- one report, but for who proved what ----
"$hlc" certify examples/blur.hl --schedule=tiled | sed -E 's/^( *[0-9]+  )(rules|decision|Z3) {1,6}/\1proved  /; s/\(.* by Z3\)/(..)/; s/ +/ /g' > "$work/report"
if [ -n "${BLESS:-}" ]; then
  cp "$work/report" tests/certify/blur.tiled.txt
fi
diff "$work/report" tests/certify/blur.tiled.txt || fail "the report of blur, tiled, differs"

# ---- one object a line ----
"$hlc" certify examples/blur.hl --schedule=tiled --json > "$work/json" || fail "certify --json"
python3 - "$work/json" <<'PY' || fail "the JSON is not what docs/certify.md says"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert rows[-1]["kind"] == "counts" and rows[-1]["obligations"] == len(rows) - 1
assert rows[-1]["proved"] == len(rows) - 1 and rows[-1]["open"] == 0
assert any(row.get("directive") == "traverse(h.s1.yo, parallel)" and row["clause"] == "race" for row in rows)
assert all(row["finding"] == "proved" and row["by"] for row in rows[:-1])
PY

# ---- spoilt programs: what was changed, and the clause that must be refuted ----
"$hlc" lower examples/blur.hl --schedule=tiled --after=checks > "$work/blur.ir"
"$hlc" lower examples/turn.hl --schedule=blocks --after=checks > "$work/turn.ir"
"$hlc" lower tests/golden/tails.hl --schedule=rounded --after=checks > "$work/rounded.ir"
spoilt=0
spoil() { # PROGRAM CLAUSE SED
  sed -E "$3" "$work/$1.ir" > "$work/spoilt.ir"
  if cmp -s "$work/$1.ir" "$work/spoilt.ir"; then
    fail "nothing was changed by $3"
    return
  fi
  "$hlc" certify "$work/spoilt.ir" > "$work/out" 2> "$work/err"
  local code=$?
  [ "$code" -eq 1 ] || fail "exit code $code, not 1, of $1 with $3: $(cat "$work/err")"
  grep -qE "REFUTED +$2 " "$work/out" || fail "no refuted clause '$2' of $1 with $3: $(grep -E 'REFUTED|OPEN' "$work/out")"
  spoilt=$((spoilt + 1))
}
for name in blur turn rounded; do
  "$hlc" certify "$work/$name.ir" > "$work/out" || fail "$name.ir is not certified: $(grep -E 'REFUTED|OPEN' "$work/out")"
done
spoil blur write 's/allocate g: i32 \[\(h.s1.xo\*256 \+ out.min.0, min/allocate g: i32 [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur read 's/allocate f: i32 \[\(out.min.0 - index\(w\), /allocate f: i32 [(out.min.0 - index(w) + 1, /'
spoil blur inside 's/allocate g: i32 \[\(h.s1.xo\*256 \+ out.min.0, min/allocate g: i32 [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur needed 's/compute g on \[\(h.s1.xo\*256 \+ out.min.0, min/compute g on [(h.s1.xo*256 + out.min.0, -1 + min/'
spoil blur needed 's/compute f on \[\(out.min.0 - index\(w\), index\(w\)\*2/compute f on [(out.min.0 - index(w), index(w)/'
spoil blur window 's/compute out on \[\(out.min.0, out.extent.0/compute out on [(out.min.0, out.extent.0 - 1/'
spoil blur length 's/compute out on \[\(out.min.0, out.extent.0/compute out on [(out.min.0, out.extent.0 - 2/'
spoil blur covered 's/for h.s1.yo in \(0, \(out.extent.1 \+ 31/for h.s1.yo in (0, (out.extent.1 + 30/'
spoil blur covered 's/for f.s0.y in \(out.min.1 - index\(w\), /for f.s0.y in (out.min.1 - index(w), -1 + /'
spoil blur covered 's/if h.s1.y < out.extent.1 \+ out.min.1 then guard/if h.s1.y < out.extent.1 + out.min.1 - 1 then guard/'
spoil blur write 's/if h.s1.y < out.extent.1 \+ out.min.1 then guard/if true then guard/'
spoil blur covered 's/= h.s1.yo\*32 \+/= h.s1.yo*33 +/'
spoil blur image 's/max\(min\(input.extent.0 \+ input.min.0 - 1, f.s0.x\), input.min.0\), max/max(min(input.extent.0 + input.min.0, f.s0.x), input.min.0), max/'
spoil turn write 's/allocate flipped: u16 \[\(min\(/allocate flipped: u16 [(1 + min(/'
spoil rounded write 's/allocate ([a-z]+: [a-z0-9]+) \[\(([^,]*), /allocate \1 [(\2, -1 + /'

# ---- without Z3 ----
"$hlc" certify examples/blur.hl --schedule=tiled --solver=no-such-command > "$work/out" 2>&1 ||
  fail "blur, tiled, needs no Z3 and is not certified without"
"$hlc" certify examples/integral.hl --schedule=fast --solver=no-such-command > "$work/out" 2> "$work/err"
code=$?
if grep -q OPEN "$work/out"; then
  [ "$code" -eq 3 ] || fail "exit code $code, not 3, without Z3"
  grep -q E0857 "$work/err" || fail "no word of the missing Z3"
fi

# ---- values that are given are assumed ----
"$hlc" certify examples/blur.hl --schedule=tiled out=640x480 w=3 > "$work/out" || fail "blur at 640x480"

echo "$runs runs, $obligations obligations, $formulas formulas proved again, $spoilt spoilt programs"
[ "$runs" -ge 25 ] || fail "only $runs runs"
[ "$failures" -eq 0 ]
