#!/usr/bin/env bash
# `hlc machine`: measures within its time, keeps and reads back what it measured; the same figures choose the same schedule, other figures may
# choose another.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state" HOME="$work"
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
cd "$work" || exit 1
edges="$source/examples/edges.hl --threads=2 input=random:1:640x480"

"$hlc" machine --kept > typical || fail "machine --kept"
"$hlc" schedule $edges > before || fail "schedule"
"$hlc" machine > measured 2> said || fail "machine: $(cat said)"
head -1 measured | grep -qxF "# kept in $work/state/hlc/machine" || fail "where it is kept: $(head -1 measured)"
figures() { sed '/^#/d' "$1"; }
figures measured | cmp -s - <(figures state/hlc/machine) || fail "other figures are kept than printed"
"$hlc" machine --kept | cmp -s - <(figures measured) || fail "other figures are read than were kept"
# Each figure is there, and what is measured lies near the defaults.
"$hlc" machine --kept --json > json || fail "--json"
python3 - json measured <<'PY' || fail "the figures"
import json, sys
kept = json.load(open(sys.argv[1]))
lines = [l for l in open(sys.argv[2]) if not l.startswith("#")]
assert len(kept) == len(lines) >= 30, (len(kept), len(lines))
for line in lines:
    name, value = line.split()[:2]
    assert kept[name] == float(value), name
assert 0.5 <= kept["real-division"] <= 2 and 8 <= kept["into-first-cache"] <= 128 and kept["line"] in (32, 64, 128, 256), kept
assert kept["first-cache"] <= kept["second-cache"] <= kept["last-cache"], kept
PY
# The choice is a function of the figures.
"$hlc" schedule $edges > one && "$hlc" schedule $edges --machine=state/hlc/machine | cmp -s - one || fail "the kept figures are not used"
"$hlc" schedule $edges --machine=typical | cmp -s - before || fail "--machine=typical is not the choice without figures"
"$hlc" schedule $edges --root="$source" | cmp -s - before || fail "the kept figures are read under --root"
"$hlc" schedule $edges --target=x86-64-v3 | cmp -s - before || fail "--target=x86-64-v3"
"$hlc" schedule $edges --target=aarch64 > arm && "$hlc" machine --target=aarch64 -o arm.txt && "$hlc" schedule $edges --machine=arm.txt | cmp -s - arm ||
  fail "the defaults of aarch64 are not those of its machine"
cmp -s arm before && fail "vectors of 16 bytes change nothing"
"$hlc" compile "$source/examples/edges.hl" --schedule=auto --target=aarch64 -o edges.o 2> said || fail "compile for aarch64: $(cat said)"
explained="${edges/--threads=2/}"
"$hlc" explain $explained --model --schedule=fast --machine=typical > model && "$hlc" explain $explained --model --schedule=fast --machine=arm.txt | cmp -s - model &&
  fail "explain --model does not know the machine"
for name in $(sed -n 's/^TARGET("\([^"]*\)".*/\1/p' "$source/codegen/targets.def"); do
  "$hlc" machine --target="$name" > "target_$name" || fail "--target=$name"
  case $name in x86-64-v3) cmp -s "target_$name" typical || fail "x86-64-v3 is not typical" ;;
  *) cmp -s "target_$name" typical && fail "$name has no defaults of its own" ;; esac
done
"$hlc" machine --target=x86-64,x86-64-v4 | cmp -s - target_x86-64-v4 || fail "of several targets, the one that needs most"

# Texts that are no figures are refused, by line.
refuses() { printf "$1" > bad; said=$("$hlc" schedule $edges --machine=bad 2>&1) && fail "accepted: $1"; [[ $said == *E0963*"line $2: $3"* ]] || fail "$1: $said"; }
refuses 'issue 4\nissue 4\n' 2 '`issue` stands there twice'
refuses '# a\n\n  speed 4' 3 'no figure is called `speed`'
refuses 'issue' 1 '`issue` has no number'
refuses 'issue nan' 1 '`issue` has no number'
refuses 'issue 4 5' 1 '`issue` has more than one number'
refuses 'issue 4x' 1 '`issue` has no number'
refuses 'issue 1e300' 1 '`issue` lies between 1 and 32'
refuses 'issue 4\0issue' 1 ''
printf 'issue 4 # instructions\r\n' > good && "$hlc" schedule $edges --machine=good | cmp -s - before || fail "a comment"
[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
echo "figures are measured, kept, and choose schedules"
