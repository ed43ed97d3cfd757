#!/usr/bin/env bash
# hlc prove on the command line.  The isl linked into hlc must be ours and not libLLVM's.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

# says INPUT ANSWER OPTION..: checks one line of input and one line of output.
says() {
  local got
  got=$(printf '%s\n' "$1" | "$hlc" prove "${@:3}" 2>&1)
  [ "$got" = "$2" ] || fail "prove ${*:3}: $1 gives $got, not $2"
}
says 'min(min(v, -4) + 13, w) <= min(min(v + 13, w), 9)' true
says 'x*x + y*y >= 2*x*y' true
says 'x*x == 2' false
says 'x % 6 == 1 && x % 4 == 2' false
says 'x < y' unknown
says 'x < x + 1 || x == 2147483647' true --machine
says 'x + y - y == x' true --machine
says 'x < x + 1' 'unknown	x=-2147483648	x=2147483647' --machine --witness
says 'x + 1 <= 0' 'unknown	x=255	x=0' --var=x:u8 --witness
says 'abs(x) >= 0' 'unknown	x=-1	x=-128' --var=x:i8 --witness
says 'x*7 == 49' 'unknown	x=7	x=0' --witness
says 'x*x*x*x*x == y*y*y + 77777' 'unknown	-	y=0 x=1' --witness
says '!(x > 3) && x >= 3 && y != 2' 'unknown	y=-11 x=3	y=0 x=1' --witness

# The witnesses are right, as C evaluates them; its / and % agree with ours here.
for condition in 'x - y == 12345' '3*x + 5*y == 1 && x > 100' 'max(x, y) == 17 && min(x, y) == -40'; do
  answer=$("$hlc" prove --witness "$condition")
  for way in 2 3; do
    values=$(cut -f$way <<< "$answer")
    truth=$(python3 -c "
$(tr ' ' '\n' <<< "$values")
print(bool(${condition//&&/and}))")
    [ $way = 2 ] && wanted=True || wanted=False
    [ "$truth" = $wanted ] || fail "$condition is $truth at $values"
  done
done

if command -v nm > /dev/null; then
  nm "$hlc" | grep -q ' [tT] isl_ctx_alloc$' || fail "isl is not the one that hlc is built with"
  nm "$hlc" | grep -q ' U isl_' && fail "something of isl comes from a shared library"
fi
exit $((failures > 0))
