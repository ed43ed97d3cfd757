#!/usr/bin/env bash
# Refusals of the reference interpreter, at entry or later, by the error's name; the target
# interpreter refuses the same.  Also: its record of reads, if there are many.  Arguments: source
# folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; cat said; failures=$((failures + 1)); }

# Error of the reference, error of the target interpreter, the pipeline's body, arguments.
refused() {
  local reference=$1 target=$2 code
  echo "pipeline p(line: image<i32, 1>, k: i32 = 1, m: i32 = 0) -> out { $3 }" > p.hl
  shift 3
  for interpreter in reference target; do
    "$hlc" run p.hl --interpret=$interpreter "$@" > said 2>&1
    code=$?
    [ $code -eq 2 ] && grep -qF "${!interpreter}" said || fail "$interpreter, $*: exit code $code, wanted ${!interpreter}"
  done
}
same() { refused "$1" "$@"; }

same "(coordinate_range): the coordinates of line span [2147483646, 2147483649] in dimension 0" \
  "fun out(x) = line(0);" line=zero:4+2147483646 out=9
same "(coordinate_range): the coordinates of out span [2147483646, 2147483649] in dimension 0" \
  "fun out(x) = line(0);" line=zero:4 out=4+2147483646
same "(empty_image): a boundary condition reads image line, whose extent is 0 in dimension 0" \
  "let b = repeat_edge(line); fun out(x) = b(x);" line=zero:0 out=9
same "(requirement_failed)" "require(k > m, \"k is more\"); fun out(x) = line(0);" line=zero:4 out=9 m=7
same "(index_range): index arithmetic of r leaves 64 bits" \
  "fun out(x) = sum(r in (m, k*k*k*k)) f32(r);" line=zero:4 out=9 k=2000000000
same "(index_range): index arithmetic of r leaves 64 bits" \
  "fun out(x) = sum(r in (k*k*k*k, 2)) f32(r);" line=zero:4 out=9 k=2000000000
same "(rdom_length)" "fun out(x) = sum(r in (0, m)) f32(r);" line=zero:4 out=9 m=-1
same "(coordinate_range): the coordinates of r span [2147483647, 2147483662] in dimension 0" \
  "fun out(x) = sum(r in (m, k*k*k*k)) f32(r);" line=zero:4 out=9 k=2 m=2147483647

# Writes and reads of an update beyond 32 bits: the target interpreter refuses at entry.
refused "(coordinate_range): the coordinates of f span [10000000000, 10000000000] in dimension 0" "(coordinate_range)" \
  "fun f(x) = { 0; rdom(r = (0, 3)) in (r + k*k) <- f(r) + 1; } fun out(x) = f(x);" line=zero:4 out=9 k=100000
refused "(coordinate_range): the coordinates of f span [10000000000, 10000000000] in dimension 0" "(coordinate_range)" \
  "fun f(x) = { 0; rdom(r = (0, 3)) in (r) <- f(r + k*k) + 1; } fun out(x) = f(x);" line=zero:4 out=9 k=100000

# An rdom of no iterations leaves the func as it was.
echo "pipeline p(m: i32) -> out { fun out(x) = { 5; rdom(r = (0, m)) in (x) <- out(x) + r; } }" > p.hl
for interpreter in reference target; do
  "$hlc" run p.hl --interpret=$interpreter out=9 m=0 > said.$interpreter 2>&1 || fail "no iterations"
done
cmp -s said.reference said.target || fail "no iterations: $(cat said.reference said.target)"

# The strict reading keeps the error of the arm that is not chosen, also at entry.
echo "pipeline p(k: i32 = 1, m: i32 = 0) -> out { fun out(x) = select(m == 0, k, k / m); }" > p.hl
"$hlc" run p.hl --interpret=reference --strict out=4 > said 2>&1
grep -q "out(0) is err_arith" said || fail "strict"
"$hlc" run p.hl --interpret=reference --formal out=4 > said 2>&1
grep -q "err_arith" said && fail "formal, where the other arm is chosen"

# An index that is an error changes nothing if the predicate is false.
for wanted in 0 1; do
  echo "pipeline p(k: i32 = $wanted, m: i32 = 0) -> out {
    fun out(x) = { 5; rdom(r = (0, 2)) in (clamp(r / m, 0, 3)) <- 7 if r + k > 1; } }" > p.hl
  for interpreter in reference target; do
    "$hlc" run p.hl --interpret=$interpreter --formal out=4 > said 2>&1
    [ "$(grep -c "err_" said)" -eq $wanted ] || fail "an index that is an error: $interpreter, k=$wanted"
  done
done

# Recorded reads stay apart, however many there are.
echo "pipeline p(line: image<i32, 1>) -> out { fun out(x) = sum(r in (0, 1000)) line(x + r % 200); }" > p.hl
"$hlc" eval p.hl 'out_sum(7)' --why line=ramp:999 > said 2>&1 || fail "eval"
[ "$(head -1 said)" = $((200 * 199 / 2 * 5 + 7 * 1000)) ] || fail "the sum of five times 7 .. 206"

echo "$failures failures"
[ "$failures" -eq 0 ]
