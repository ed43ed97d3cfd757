#!/usr/bin/env bash
# Outputs that may lie in the memory of an image (docs/language.md): linked objects under each schedule, called with
# the memory shared and apart, and the interpreters.  Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$source"/tests/in_place/* .
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

$hlc check programs.hl --rounds=10 > out 2>&1 || fail "check: $(cat out)"
grep -q "all equal" out || fail "check compares nothing: $(cat out)"
export PKG_CONFIG_PATH=$build
for options in "" "--schedule=fast" "--schedule=fast --optimize=0" "--schedule=fast --stoppable" "--schedule=seen"; do
  for pipeline in brighten points spread channels; do
    [ $pipeline = brighten ] || options=${options/seen/fast}
    $hlc compile programs.hl --pipeline=$pipeline $options --header=$pipeline.h -o $pipeline.o > out 2>&1 || fail "compile $options: $(cat out)"
  done
  cc -O1 -g -Wall -Wextra -Werror -o host host.c ./*.o $(pkg-config --cflags --libs hlc-runtime) || fail "cc"
  ./host > out 2>&1
  grep -qx "all the same" out || fail "with '$options': $(cat out)"
done
grep -q "out .*may be the memory of picture" brighten.h || fail "the header does not say so"

# The printed and the expanded program say it, too.
$hlc expand programs.hl > again.hl 2>&1
grep -q "(out: interleaved in picture)" again.hl || fail "expand"
$hlc lower programs.hl --pipeline=brighten --schedule=fast > one.ir && $hlc lower one.ir > two.ir && cmp -s one.ir two.ir || fail "the text form"
grep -q "^pipeline .*-> (out in picture)" one.ir || fail "the signature of the text form"
# The first stage is as in any program, except for a branch around it.
sed 's/ in picture//' programs.hl > apart.hl
$hlc lower apart.hl --pipeline=brighten --schedule=fast > apart.ir
sed 's/ in picture//' one.ir | cmp -s - apart.ir || fail "lowering depends on it"
# A copy of the image in the output's first stage ends the sharing, so `moves` does not list it.
cat > copied.hl << 'END'
pipeline p(a: image<i32, 2>) -> (out in a) { fun out(x, y) = { a(x, y);  rdom(r = (0, 3)) in (x, y) <- out(x, y) + r; } }
schedule s for p { wrap(a, out, a_w); }
END
$hlc moves copied.hl --schedule=s --all > moves 2>&1 || fail "moves: $(cat moves)"
grep -q "split(a_w.s0.x" moves || fail "moves lists nothing: $(cat moves)"
grep -q "compute-at(a_w, out" moves && fail "moves lists what is refused: $(grep compute-at moves)"
[ $failures = 0 ] || exit 1
echo "outputs in the memory of images"
