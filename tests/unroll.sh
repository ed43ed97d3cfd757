#!/usr/bin/env bash
# A loop that the schedule asks to unroll, and that stays a loop, gets one warning; nothing else is
# wrong with it.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
cat > long.hl <<'END'
pipeline p(a: image<i32, 2>) -> out { fun out(x, y) = a(x, y) + 1; }
schedule short for p { unroll(out.x, 64); }
schedule long for p { unroll(out.x, 65); }
schedule nest for p { tile(out.x, out.y, xo, yo, xi, yi, 32, 16); unroll(out.xi); unroll(out.yi); }
schedule large for p { split(out.x, xo, xi, 256); vectorize(out.xi, 64); split(out.y, yo, yi, 64); unroll(out.yi); unroll(out.xi_o); reorder(out.xi_v, out.xi_o, out.yi, out.xo, out.yo); }
END
# Rows of nine are read by transposing blocks of four, which grow element by element; earlier forms
# are not counted.
cat > rows.hl <<'END'
pipeline p(a: image<i32, 2>) -> out {
    fun out(y) = a(0, y) * a(1, y) + a(2, y) * a(3, y) + a(4, y) * a(5, y) + a(6, y) * a(7, y) + a(8, y);
}
schedule rows for p { vectorize(out.y, 16); unroll(out.y_o, 16); }
END
"$hlc" compile rows.hl --schedule=rows --target=x86-64-v4 -o rows.o 2> err && [ ! -s err ] || fail "rows: $(cat err)"
# told SCHEDULE LOOP WORDS: one warning that names the loop and the words; without LOOP: none.
told() {
  local count
  "$hlc" compile long.hl --schedule="$1" --target=x86-64,x86-64-v3 -o "$1.o" 2> err || fail "$1 is refused: $(cat err)"
  [ -s "$1.o" ] || fail "$1: no object"
  count=$(grep -c 'warning\[E0861\]' err)
  if [ $# -eq 1 ]; then
    [ ! -s err ] || fail "$1: $(cat err)"
  else
    [ "$count" = 1 ] || fail "$1: $count warnings"
    grep -qF "the loop $2 stays a loop, as $3" err || fail "$1: $(cat err)"
  fi
}
told short
told long out.s0.x_u "its iterations are more than 64"
told nest out.s0.xi "its iterations and those of the unrolled loops around come to more than 256"
grep -q '^long.hl:4:74: ' err || fail "the place of a directive: $(cat err)"
told large out.s0.yi "the instructions of its iterations are more than 8192"
"$hlc" run long.hl --schedule=long a=ramp:200x3 > long 2> err || fail "run answers $?"
grep -q 'warning\[E0861\]' err || fail "run does not tell"
"$hlc" run long.hl a=ramp:200x3 > plain 2> err
cmp -s long plain || fail "the values differ"
# The code generator writes out short loops by itself. Where it does not, no schedule has asked it to.
"$hlc" compile "$source/examples/unsharp.hl" --schedule=rows --target=x86-64-v3 -o u.o 2> err && [ ! -s err ] || fail "a loop that nobody unrolls: $(cat err)"
[ $failures -eq 0 ]
