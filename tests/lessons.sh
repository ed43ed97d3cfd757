#!/usr/bin/env bash
# examples/lessons/, Halide's tutorial in our words: each program under each schedule gives the bits of the reference, and
# the values of tests/oracles/lessons.py.  Lessons about commands: what these commands say and make.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
hlc=$build/hlc lessons=$source/examples/lessons
export ASAN_OPTIONS=detect_leaks=0 PYTHONDONTWRITEBYTECODE=1
. "$source/tests/support/share.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0 programs=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

for file in "$lessons"/*.hl; do
  programs=$((programs + 1))
  name=$(basename "$file" .hl)
  grep -q "(../examples/lessons/$name.hl)" "$source/docs/from-halide.md" || fail "docs/from-halide.md does not name $name"
  grep -q "'$name:" "$source/tests/oracles/lessons.py" || fail "tests/oracles/lessons.py has nothing on $name"
  left_out && continue
  "$hlc" fmt --check "$file" || fail "the layout of $name"
  said=$("$hlc" check --rounds=3 "$file" 2>&1) || fail "check $name: $said"
  grep -q 'warning\[' <<< "$said" && fail "$name: $said"
  [[ $(tail -n 1 <<< "$said") =~ ^[1-9][0-9]*\ points\ compared,\ all\ equal$ ]] || fail "check $name: $said"
done
[ "$programs" -ge 20 ] || fail "only $programs programs"
python3 "$source/tests/support/oracle.py" "$hlc" "$lessons" "$source/tests/oracles/lessons.py" all || fail "values of the lessons"

# 3: the loops, and the code.
"$hlc" explain "$lessons/03_looking.hl" --schedule=lanes | grep -q 'x_v from 0, 8 iterations, vectorized' || fail "lesson 3: the loops"
"$hlc" lower "$lessons/03_looking.hl" --schedule=lanes | grep -q 'vectorized' || fail "lesson 3: the lowered program"
"$hlc" compile "$lessons/03_looking.hl" --schedule=lanes --emit=ll -o text.ll && grep -q '<8 x i32>' text.ll || fail "lesson 3: LLVM's text"

# 4: the trace has each point once, row by row, and what it was made of.
"$hlc" run "$lessons/04_tracing.hl" --schedule=rows --trace-to=events --threads=1 waves=4x3 > /dev/null || fail "lesson 4"
grep '^store waves(' events | sed 's/ =.*//' > got
for y in 0 1 2; do for x in 0 1 2 3; do echo "store waves($x, $y)"; done; done | cmp -s - got || fail "lesson 4: the order of stores"
"$hlc" run "$lessons/04_tracing.hl" --schedule=both --trace-to=events --threads=1 waves=4x3 > /dev/null || fail "lesson 4, both"
[ "$(grep -c '^load wave(' events)" -eq 15 ] || # wave(y + 2) is loaded once a row
  fail "lesson 4: $(grep -c '^load wave(' events) loads"
"$hlc" eval "$lessons/04_tracing.hl" 'waves(3, 2)' --why | grep -q '^  wave(4) = 0.84147' || fail "lesson 4: eval"

# 10: a C program.
"$hlc" compile "$lessons/10_ahead.hl" --schedule=lanes -o ahead.o --header=ahead.h || fail "lesson 10"
cc -I. -I"$source" -I"$source/runtime" "$lessons/10_ahead.c" ahead.o "$build/libhlcrt.a" -lpthread -lm -o ahead && ./ahead > said || fail "lesson 10: C"
[ "$(cat said)" = "error 0, 0 wrong of 3072" ] || fail "lesson 10: $(cat said)"

# 11: the objects are for the machines that were asked for (e_machine of ELF: 183 is AArch64, 62 is x86-64).
machine() { od -An -tu2 -j18 -N2 "$1" | tr -d ' '; }
"$hlc" compile "$lessons/11_targets.hl" --schedule=lanes --target=aarch64 -o arm.o && [ "$(machine arm.o)" = 183 ] || fail "lesson 11: aarch64"
"$hlc" compile "$lessons/11_targets.hl" --schedule=lanes --target=x86-64,x86-64-v3,x86-64-v4 -o x86.o && [ "$(machine x86.o)" = 62 ] ||
  fail "lesson 11: x86-64"

# 21: the schedule that is chosen gives the same bits, and can be written down.
"$hlc" run "$lessons/21_automatic.hl" input=random:1:97x61 > plain || fail "lesson 21"
"$hlc" run "$lessons/21_automatic.hl" --schedule=auto input=random:1:97x61 > chosen && cmp -s plain chosen || fail "lesson 21: auto"
{ cat "$lessons/21_automatic.hl"; "$hlc" schedule "$lessons/21_automatic.hl" input=random:1:97x61; } > written.hl || fail "lesson 21: schedule"
"$hlc" run written.hl --schedule=auto input=random:1:97x61 > chosen && cmp -s plain chosen || fail "lesson 21: the written schedule"
echo "$programs lessons, $failures failures"
[ "$failures" -eq 0 ]
