#!/usr/bin/env bash
# A chain of stages that are computed in the rows of the last becomes several functions.  The loop's
# function holds 32 of the compute statements; the others are functions of their own
# (codegen/emit/outline.c).  Each block of memory from the run-time library has one place; a stage
# reads only the one before, so two places serve them all (codegen/emit/lifetime.c).  One exit frees
# all of them on failure, another after the loop (codegen/emit/allocate.c).  So the code grows with
# the stages, not with their square.  Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
# chain N: s1 .. sN before out; their rows are too long for the stack.
chain() {
  local n=$1 i
  echo "pipeline chain(input: image<i32, 2>) -> out {"
  echo "    fun s1(x, y) = input(x, y) + 1;"
  for ((i = 2; i <= n; i++)); do echo "    fun s$i(x, y) = s$((i - 1))(x, y)*3 + $i;"; done
  echo "    fun out(x, y) = s$n(x, y) + 1;"
  echo "}"
  echo "schedule rows for chain { vectorize(out.x, 8, shift-inwards);"
  for ((i = 1; i <= n; i++)); do echo "    compute-at(s$i, out.y);  vectorize(s$i.x, 8, round-up);"; done
  echo "}"
}
# The code before LLVM's passes.
compile() {
  chain "$1" > chain.hl
  "$hlc" compile chain.hl --schedule=rows --optimize=0 --target=x86-64-v3 --emit=ll -o "$1.ll" || fail "$1 stages"
}
# body N: the function that contains the loop, the one that takes most memory.
body() { awk '/^define / { text = "" } { text = text $0 "\n" } /^}/ { n = gsub(/call ptr @hlc_allocate_kept/, "&", text); if (n > most) { most = n; body = text } } END { printf "%s", body }' "$1.ll"; }
for n in 20 32 33 80; do
  compile $n
  body $n > $n.body
  outlined=$(grep -cE '^define internal .*@chain\.s[0-9]+\(' $n.ll)
  wanted=$((n > 32 ? n - 32 : 0))
  [ "$outlined" = $wanted ] || fail "of $n stages $outlined are functions of their own, not $wanted"
  called=$(grep -cE 'call i32 @chain\.s[0-9]+\(' $n.body)
  [ "$called" = $wanted ] || fail "of $n stages $called are called, not $wanted"
  held=$(grep -c 'alloca { ptr, i64 }' $n.body) taken=$(grep -c 'call ptr @hlc_allocate_kept(' $n.body)
  freed=$(grep -c 'call void @hlc_free(' $n.body)
  [ "$held" = 2 ] && [ "$taken" = "$n" ] || fail "$n stages have $held places, and take memory $taken times"
  [ "$freed" = 4 ] || fail "$n stages free $freed times, not twice for each place"
done
[ $failures -eq 0 ]
