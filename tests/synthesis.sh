#!/usr/bin/env bash
# The synthesis of rules, on goals that need a rule which is left out.  It finds the rule, with its
# guard, and finds the same again from the journal.  It never prints a rule that Z3 has not proved.
# Arguments: source folder, build folder.
set -eu
synthesize=$2/synthesize
command -v z3 > /dev/null || { echo "z3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }

cat > "$work/goals" << 'GOALS'
# settled by mod_in_div alone
x % 8 / 4 == x / 4 % 2
x*5 % 12 / 3 <= x*5 / 3 % 4
# settled already
x / 4 <= (x + 3) / 4
# not true
x % 8 + y <= 11
# no condition
x + y
GOALS
run() { "$synthesize" --without-rule=mod_in_div --condition=2 --number=3 "$@" "$work/goals"; }
run --journal="$work/journal" > "$work/found" 2> "$work/progress" || fail "synthesize failed"

# The rule, with its guard.
line=$(grep '^found_' "$work/found") || fail "nothing is found"
case $line in
  *' x % c0 / c1 -> x / c1 % fold(c0 / c1) if '*'c0 % c1 == 0'*) ;;
  *) fail "found: $line" ;;
esac
grep -q '^# needed by 2 goals: x % 8 / 4 == x / 4 % 2$' "$work/found" || fail "the goals are not named"
grep -q '^left out, not shown to be true: x % 8 + y <= 11$' "$work/progress" || fail "a goal that is not true is used"
grep -q '^left out, not a condition: x + y$' "$work/progress" || fail "a line that is no condition is used"

# From the journal, from half of it, and from nothing: the same bytes.
run --quiet --journal="$work/journal" | cmp - "$work/found" || fail "the journal gives other rules"
head -n 5 "$work/journal" > "$work/half" # the run was stopped
printf 'x + y' >> "$work/half"           # in the middle of a line
run --quiet --journal="$work/half" | cmp - "$work/found" || fail "half a journal gives other rules"
run --quiet | cmp - "$work/found" || fail "a second run gives other rules"

# With a solver that never proves, that refutes everything, or that ends at once, nothing is printed.
for answer in unknown sat '(error "x")' ''; do
  mkdir -p "$work/bin"
  printf '#!/bin/sh\necho ready\nread line\n%s\n' \
    "${answer:+while read line; do case \$line in *check-sat*) echo '$answer' ;; *get-value*) echo '((s0 3))' ;; esac; done}" > "$work/bin/z3"
  chmod +x "$work/bin/z3"
  PATH="$work/bin:$PATH" run --quiet > "$work/none" || fail "synthesize failed where z3 answers '$answer'"
  if grep -q '^found_' "$work/none"; then fail "a rule is printed that z3 did not prove: it said '$answer'"; fi
done

: > "$work/none"
"$synthesize" --quiet "$work/none" > "$work/found" || fail "no goals are no fault"
grep -q '^found_' "$work/found" && fail "a rule is found without goals"
code=0
"$synthesize" 2> /dev/null || code=$?
[ $code = 2 ] || fail "exit code $code without goals"
code=0
"$synthesize" --without-rule=absent "$work/goals" 2> /dev/null || code=$?
[ $code = 2 ] || fail "exit code $code with a rule that is not there"
code=0
"$synthesize" "$work/absent" 2> /dev/null || code=$?
[ $code = 3 ] || fail "exit code $code where the goals cannot be read"
echo "found: $line"
