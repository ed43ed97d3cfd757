#!/usr/bin/env bash
# Faults that a pass could make, one of each kind for the work of schedules.  `hlc certify` refuses
# each, in the clause that gives the reason, and accepts the program without it.  Arguments: source
# folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
failures=0 faults=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

cat > "$work/sum.hl" <<'HL'
pipeline sum(n: i32 = 3 in 0..9) -> out {
    fun out(x) = { 0;  rdom(r = (0, n)) in (x) <- out(x) * 3 + r; }
}
schedule tail for sum { split(out.s1.r, ro, ri, 4); }
HL
cat > "$work/behind.hl" <<'HL'
pipeline behind(input: image<i32, 2>) -> out {
    fun f(x, y) = input(x, y) * 3;
    fun g(x, y) = f(x + 1, y) - f(x, y - 2);
    fun out(x, y) = g(x, y) + f(x, y + 1);
}
schedule rows for behind { compute-with(f.y, g.y); }
HL
cat > "$work/across.hl" <<'HL'
pipeline across(input: image<i32, 2>) -> out {
    fun f(x, y) = input(x, y) * 3;
    fun g(x, y) = f(x + 1, y - 1) - f(x - 1, y);
    fun out(x, y) = g(x, y) + f(x, y);
}
schedule points for across { compute-at(g, out.y);  compute-with(f.x, g.x); }
HL

file='' schedule='' pass=''
program() { # FILE SCHEDULE PASS: the program for the following faults
  file=$1 schedule=$2 pass=$3
  "$hlc" lower "$file" --schedule="$schedule" --after="$pass" > "$work/sound.ir" || fail "lower $file, $schedule"
  "$hlc" certify "$work/sound.ir" > "$work/out" 2>&1 || fail "$file, $schedule after $pass: $(grep -E 'REFUTED|OPEN' "$work/out")"
}
fault() { # WHAT CLAUSES SED: refused in one of the clauses (a|b), by a counterexample, by the text, or as unproved
  sed -E "$3" "$work/sound.ir" > "$work/fault.ir"
  ! cmp -s "$work/sound.ir" "$work/fault.ir" || fail "$file, $schedule: nothing was changed for '$1'"
  "$hlc" certify "$work/fault.ir" > "$work/out" 2> "$work/err"
  local code=$?
  [ "$code" -eq 1 ] || fail "$file, $schedule, $1: exit code $code: $(head -n 1 "$work/err")"
  grep -qE "(REFUTED|OPEN) +($2) " "$work/out" || fail "$file, $schedule, $1: no clause $2, but: $(grep -E 'REFUTED|  OPEN' "$work/out")"
  faults=$((faults + 1))
}

# ---- sliding and folding ----
program tests/golden/slide.hl rows checks
fault "a slide that computes one row too few" held 's/out.s0.y \+ 3, out.min.1 \+ -1\), select\(out.min.1 < out.s0.y, 1, 5\)\)\] holding/out.s0.y + 3, out.min.1 + -1), select(out.min.1 < out.s0.y, 1, 4))] holding/'
fault "a warm-up that begins too late" 'held|needed' 's/compute g on (.*) out.s0.y \+ 2, out.min.1\)/compute g on \1 out.s0.y + 2, out.min.1 + 1)/'
fault "a slide that skips a row" held 's/compute g on (.*) out.s0.y \+ 2, out.min.1\), (.*)holding/compute g on \1 out.s0.y + 3, out.min.1), \2holding/'
fault "more is said to be held than is" held 's/holding \[\(out.min.0, out.extent.0 \+ 1\), \(out.s0.y, 3\)\]/holding [(out.min.0, out.extent.0 + 1), (out.s0.y - 1, 4)]/'
fault "less is held than is needed" needed 's/holding \[\(out.min.0, out.extent.0 \+ 1\), \(out.s0.y, 3\)\]/holding [(out.min.0, out.extent.0 + 1), (out.s0.y, 2)]/'
fault "a slide along a parallel loop" 'held|race' 's/for out.s0.y in \(out.min.1, out.extent.1\) do/for out.s0.y in (out.min.1, out.extent.1) parallel do/'
fault "a ring that is too short" fold 's/folding y by 4/folding y by 2/'
fault "a long ring that is too short" fold 's/folding y by 8/folding y by 4/'
program tests/golden/slide.hl both checks
fault "a ring where an outer dimension needs all" fold 's/(allocate g: i32 .*\])( folding y by 4)?$/\1 folding x by 2, y by 4/'
program tests/semantics/ring.hl kept checks
fault "a ring whose tail meets what is held" fold 's/folding y by 3/folding y by 1/'
program tests/semantics/clobbered.hl beside_shifted checks
fault "a tail that clobbers what is held" held 's/g\[g.s0.x, g.s0.y\] <-/g[g.s0.x, g.s0.y - 1] <-/'
fault "a tail along what slides" overlap 's/let g.s0.x in \(.* = .* in$/let g.s0.x beyond (out.min.0, out.extent.0 + 1) = g.s0.x_o*4 + out.min.0 + g.s0.x_v in/; s/(sliding y along out.s0.y)/sliding x along out.s0.y/; s/holding \[\(out.min.0, /holding [(out.s0.y - out.s0.y + out.min.0, /'

# ---- pieces of loops ----
program tests/golden/partition.hl vectors partition
fault "a steady state that begins too early" image 's/let out.s0.x_o.begin = .* in$/let out.s0.x_o.begin = 0 in/'
fault "an end that is left out" covered "s/for out.s0.x_o'3 in \\(out.s0.x_o.stop, /for out.s0.x_o'3 in (out.s0.x_o.stop + 1, -1 + /"

# ---- tails ----
program tests/golden/blends.hl shifted checks
fault "a blend that is gone" overlap 's/<- select\(f.s1.yo.* <= f.s1.x, (f\[f.s1.x, f.s1.y\]\*3:i32 .*), f\[f.s1.x, f.s1.y\]\), f\[f.s1.x, f.s1.y\]\)$/<- \1/'
fault "a block that is not shifted" write 's/min\(f.s1.xo\*8 \+ out.min.0, [^)]*\)/(f.s1.xo*8 + out.min.0)/; s/min\(out.extent.0 \+ -8, f.s1.xo\*8\)/f.s1.xo*8/'
program tests/golden/blends.hl predicated simplify
fault "a predicate of a tail that is gone" write 's/if f.s1.y <= out.extent.1 \+ out.min.1 then guard/if true then guard/'
fault "a predicate that cuts the last lane off" covered 's/if f.s1.x < out.extent.0 \+ out.min.0 then guard/if f.s1.x < out.extent.0 + out.min.0 - 1 then guard/'
program "$work/sum.hl" tail checks
fault "a reduction that runs beyond its domain" domain 's/if out.s1.r < index\(n\) then guard/if true then guard/'
fault "a reduction that stops before its end" covered 's/if out.s1.r < index\(n\) then guard/if out.s1.r < index(n) - 1 then guard/'

# ---- common loops ----
program "$work/behind.hl" rows checks
fault "a read of what a later iteration computes" order 's/f\[g.s0.x, g.s0.y - 2\]/f[g.s0.x, g.s0.y + 1]/'
fault "common iterations side by side" order "s/(for g.s0.y'2 in .*) do/\1 parallel do/"
fault "a func that is computed one iteration late" 'order|covered' "s/(let f.s0.y in .* = .*)\+ g.s0.y'2 in/\1+ g.s0.y'2 - 1 in/"
fault "common loops as long as one of them" covered "s/for g.s0.y'2 in \(%2, .*\) do/for g.s0.y'2 in (out.min.1, out.extent.1) do/"
fault "a guard that cuts the last row off" covered 's/if f.s0.y < out.extent.1 \+ 3 \+/if f.s0.y < out.extent.1 + 2 +/'
fault "a guard of the other func" covered 's/if out.min.1 \+ -2 <= f.s0.y/if out.min.1 <= f.s0.y/'
fault "a region that lacks what the common loops read" 'needed|inside' 's/(compute f on .*), out.extent.1 \+ 3\)\]/\1, out.extent.1 + 2)]/'
program "$work/across.hl" points checks
fault "a read of a point to come" order 's/f\[g.s0.x - 1, g.s0.y\]/f[g.s0.x + 1, g.s0.y]/'
fault "the parts of an iteration in another order" order 's/f\[g.s0.x - 1, g.s0.y\]/f[g.s0.x, g.s0.y]/; s/^( *)label f$/\1label later/'

# ---- storage, wraps, tables ----
program tests/golden/directives.hl wrap simplify
fault "a wrap that copies less than is read" needed 's/compute between on \[\(out.min.0, out.extent.0\), \(out.s0.y, 2\)\]/compute between on [(out.min.0, out.extent.0), (out.s0.y, 1)]/'
fault "a wrap of an image that copies less" 'needed|inside' 's/compute pixels on \[\(out.min.0, max\(index\(w\), 1\) \+ out.extent.0 \+ -1\)/compute pixels on [(out.min.0, max(index(w), 1) + out.extent.0 + -2)/'
program tests/golden/directives.hl reorder_storage simplify
fault "memory in another order that is too small" 'write|inside' 's/(allocate g: i32 .*), \(out.min.1, out.extent.1 \+ 1\)\] order/\1, (out.min.1, out.extent.1)] order/'
program tests/golden/directives.hl hoist_storage checks
fault "hoisted memory that reserves too little" fold 's/reserving \[1, 2\]/reserving [1, 1]/'
program tests/golden/directives.hl specialize checks
fault "a branch that computes less" window 's/compute out z2 on \[\(out.min.0, out.extent.0\)/compute out z2 on [(out.min.0, out.extent.0 - 1)/'
fault "a branch whose producer computes less" needed "s/compute g z0'1 on (.*), \\(out.z1.s0.y, 2\\)/compute g z0'1 on \\1, (out.z1.s0.y, 1)/"
program tests/golden/eager.hl both eager
fault "a table that is shorter than what is read" 'read|needed' 's/allocate pair: (.*)\[\(0, 4\)\] table "0000030006000900feffffff00000100"/allocate pair: \1[(0, 3)] table "000003000600feffffff0000"/'
fault "memory that nothing fills" 'covered|order' 's/allocate pair: (.*) table "[0-9a-f]*"/allocate pair: \1/'

echo "$faults faults, $failures failures"
[ "$faults" -ge 25 ] || fail "only $faults faults"
[ "$failures" -eq 0 ]
