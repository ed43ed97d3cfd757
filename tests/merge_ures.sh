#!/usr/bin/env bash
# The paper "Design of Merge Ures".  Each negative example, and each broken rule, is refused with
# the paper's reason.  Its positive examples have the values worked out by hand.
# (tests/semantics/merge_ures.hl has these with their schedules.)
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
cd "$work" || exit 1
examples=0
# NAME CODE "REASON" "OUTPUTS" "EQUATIONS": the recurrence over i and j is refused with this code
# and reason
negative() {
  examples=$((examples + 1))
  printf 'pipeline p(n: i32) -> (%s) {\n    recurrence (i = (0, n); j = (0, n)) {\n%s\n    }\n}\n' "$4" "$5" > "$1.hl"
  expect 2 "$hlc" check "$1.hl"
  complains "[$2]"; complains "$3"
}
# PIPELINE POINT VALUE [ARGUMENTS]
value() {
  expect 0 "$hlc" eval "$source/tests/semantics/merge_ures.hl" "$2" --pipeline="$1" ${4:-}
  [ "$(cat out)" = "$3" ] || fail "$1: $2 is $(cat out), not $3"
}

# ---- initial values ----
negative example_1 E0424 '`f` has no initial value: it needs `g` or `f`, none of which has one' 'f, g' '
        fun g(i, j): i32;
        fun f(i, j): i32 = select(i == 0, g(i, j), f(i - 1, j));
        fun g(i, j): i32 = select(i == 0, f(i, j), g(i - 1, j));'
negative example_3 E0424 '`f` has no initial value: it needs `h`, which has none' 'f, g, h' '
        fun g(i, j): i32;
        fun h(i, j): i32;
        fun f(i, j): i32 = select(i == 0, i, g(i - 1, j)) + h(i, j);
        fun g(i, j): i32 = select(i == 0, f(i, j) + h(i, j), g(i - 1, j));
        fun h(i, j): i32 = select(i == 0, i, f(i - 1, j) + g(i - 1, j)) + g(i, j);'
# Its clauses (B or E), (B or F), (B or H), (D or E), (D or F).  Only B and D could have values, but
# they have them from A alone.
negative clauses E0424 '`B` has no initial value' A '
        fun A(i, j): i32;
        fun B(i, j): i32 = select(i == 0, A(i, j), B(i - 1, j));
        fun D(i, j): i32 = select(i == 0, A(i, j), D(i - 1, j));
        fun E(i, j): i32 = i;
        fun H(i, j): i32 = A(i, j) + 1;
        fun A(i, j): i32 = select(i > 3, B(i - 1, j) + D(i - 1, j), E(i, j)) + select(i > 5, H(i - 1, j), B(i, j));'

# ---- the form of arguments, their order, and the distances ----
negative order E0418 'is read with `j` in place of `i`' f '
        fun f(i, j): i32 = select(i == 0 || j == 0, 1, f(j - 1, i - 1));'
negative number E0413 'same variables' f '
        fun g(j, i): i32 = i;
        fun f(i, j): i32 = select(i == 0, 1, f(i - 1, j));'
# The only iteration that leaves the domain is not among the first sixty-four.
negative far E0425 'f(500, 0) reads f(-100, 0)' f '
        fun f(i, j): i32 = select(i != 500, 1, f(i - 600, j));'
negative simple E0419 'no constant distance' f '
        fun f(i, j): i32 = select(i == 0, 1, f(i / 2, j));'
negative distance E0427 'f' f '
        fun f(i, j): i32 = select(i == n - 1, 1, f(i + 1, j));'
negative circle E0422 'f' 'f, g' '
        fun g(i, j): i32;
        fun f(i, j): i32 = select(i > 0, 1, g(i, j));
        fun g(i, j): i32 = select(i > 3, f(i, j), 2);'

# ---- extended equations ----
negative extended_left E0415 'row' f '
        fun row(j): i32;
        fun f(i, j): i32 = select(i == 0, j, row(j));
        fun row(j): i32 = f(0, j);'
negative extended_last E0414 'row' 'g, row' '
        fun f(i, j): i32 = select(i == 0, j, f(i - 1, j));
        fun row(j): i32 = f(3, j);
        fun g(i, j): i32 = f(i, j) + 1;'
negative extended_once E0429 'i = ' last '
        fun f(i, j): i32 = select(i == 0, j, f(i - 1, j));
        fun last(j): i32 = select(i > 3 && i < 6, f(i, j), 0);'

# ---- declarations ----
negative undeclared E0417 'f' f '
        fun f(i, j) = select(i == 0, i, f(i - 1, j));'
negative early E0202 '`g` is used before its definition' f '
        fun f(i, j): i32 = select(i == 0, i, g(i - 1, j));
        fun g(i, j): i32 = f(i, j);'
negative type E0302 'this has type f32, but i32 is needed' f '
        fun g(i, j): f32 = f32(i + j) * 1.0;
        fun f(i, j): i32 = select(i == 0, 1, g(i, j));'

# ---- requests of a directive, reported at the directive; errors that follow from a mistake are not
# reported ----
cat > fronts.hl <<'HL'
pipeline p(n: i32) -> f {
    recurrence (i = (0, n); j = (0, n)) {
        fun f(i, j): i32 = select(i == 0 || j >= n - 2, 1, f(i - 1, j + 2) + 1);
    }
}
schedule against for p {
    wavefront(f, i, j, t);
}
HL
{
  printf 'schedule many for p {\n    wavefront(f, i, j, t0);\n'
  for k in $(seq 1 20); do printf '    wavefront(f, t%d, j, t%d);\n' $((k - 1)) "$k"; done
  printf '}\n'
} >> fronts.hl
expect 2 "$hlc" lower fronts.hl --schedule=against
complains 'fronts.hl:7:5: error[E0595]: no order of the loops computes what f reads of f'
expect 2 "$hlc" lower fronts.hl --schedule=many
complains '[E0953]'
[ "$(grep -c 'error\[' err)" = 1 ] || fail "one front too many: $(grep -c 'error\[' err) errors"

# ---- the positive examples, counted by hand ----
value extended 'out(3)' 0 'w=14 h=6'
value extended 'named(3)' 23 'w=14 h=6'
value extended 'shifted(3)' 23 'w=14 h=6'
value extended 'shifted(3)' -1 'w=10 h=6'
value extended 'shifted(3)' 23 'w=11 h=6'
value extended 'named(3)' 0 'w=10 h=6'
value typed 'g(3, 5)' 7
value beside 'h(3, 5)' 6
value dependent 'g(3, 5)' 35
value silenced 'g(8, 3)' 11 n=9
value positive 'g(5, 2)' 0 n=9

[ $failures -eq 0 ] && echo "$examples negative examples are refused, each for its reason"
exit $((failures > 0))
