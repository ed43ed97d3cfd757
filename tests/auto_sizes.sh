#!/usr/bin/env bash
# Images of the size that a run needs (`a=random:1:auto`), and messages about images that are too
# small.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1

cat > needs.hl <<'HL'
pipeline stencil(a: image<u8, 2>, k: i32 = 1 in 0..9) -> b {
    fun g(x, y) = i32(a(x, y));
    fun b(x, y) = g(x - k, y) + g(x + 2, y + 1);
}
schedule wide for stencil { split(b.x, xo, xi, 16, round-up); vectorize(b.xi); compute-at(g, b.xo); }
pipeline copy(a: image<u16, 2, strided>) -> b { fun b(x, y) = a(x, y); }
pipeline two(a: image<u8, 2>, c: image<i32, 1>) -> b {
    let e = repeat_edge(a);
    fun b(x, y) = i32(e(x, y - 1)) + c(x + y);
}
HL
stencil=(needs.hl --pipeline=stencil)

# The contents of an image do not depend on the command or on the needed size.
expect 0 "$hlc" run "${stencil[@]}" a=random:1:auto b=20x10; hash=$(cat out)
for way in --schedule=wide --interpret=reference --interpret=target "k=1"; do
  expect 0 "$hlc" run "${stencil[@]}" a=random:1:auto b=20x10 "$way"
  [ "$(cat out)" = "$hash" ] || fail "$way: $(cat out), not $hash"
done
expect 0 "$hlc" run needs.hl --pipeline=two a=edges:3:auto c=ramp:auto b=7x5+100+-3; hash=$(cat out)
expect 0 "$hlc" run needs.hl --pipeline=two a=edges:3:auto c=ramp:auto b=7x5+100+-3 --interpret=reference
[ "$(cat out)" = "$hash" ] || fail "two images: $(cat out), not $hash"
for contents in random:7 edges:7 ramp zero constant:9; do
  expect 0 "$hlc" run needs.hl --pipeline=copy a=$contents:auto b=20x10+-5+-5 -o whole.npy
  expect 0 "$hlc" run needs.hl --pipeline=copy a=$contents:auto b=4x3+2+1 -o part.npy
  python3 - $contents <<'PY' || fail "$contents: a part of the image is another image"
import array, sys
def read(path): return list(array.array('H', open(path, 'rb').read()[128:]))
whole, part = read('whole.npy'), read('part.npy')
assert len(whole) == 200 and len(part) == 12
assert part == [whole[(y + 5) * 20 + x + 5] for y in range(1, 4) for x in range(2, 6)]
if sys.argv[1] == 'ramp': assert part[0] == 3 and whole[0] == 65536 - 10
if sys.argv[1] == 'constant:9': assert set(whole) == {9}
if sys.argv[1] == 'random:7': assert len(set(whole)) > 150
PY
done
expect 0 "$hlc" run "${stencil[@]}" a=random:1:auto b=0x10
expect 0 "$hlc" run needs.hl --pipeline=copy a=ramp:auto b=20x0+0+-2147483648 # empty, and its last coordinate is none
expect 0 "$hlc" check "${stencil[@]}" a=random:1:auto --rounds=2
expect 0 "$hlc" bench "${stencil[@]}" a=random:1:auto b=50x20 --threads=1 --seconds=0

# The needed size is named, is enough, and is not more than enough.
expect 2 "$hlc" run "${stencil[@]}" a=ramp:20x10
complains "\`a\` must hold 23x11+-1+0"
expect 0 "$hlc" run "${stencil[@]}" a=ramp:23x11+-1+0 b=20x10
expect 2 "$hlc" run "${stencil[@]}" a=ramp:22x11+-1+0 b=20x10 --interpret=reference; complains "must hold 23x11+-1+0"
expect 2 "$hlc" run "${stencil[@]}" a=ramp:22x11+-1+0 b=20x10 --interpret=target; complains "must hold 23x11+-1+0"
expect 2 "$hlc" run "${stencil[@]}" a=ramp:23x10+-1+0 b=20x10; complains "must hold 23x11+-1+0"
expect 2 "$hlc" run "${stencil[@]}" a=ramp:23x11+-2+0 b=20x10; complains "must hold 23x11+-1+0"
expect 2 "$hlc" run needs.hl --pipeline=copy a=ramp:5x5 b=6x5; complains "\`a\` must hold 6x5,"

# Cases in which the size cannot be found.
expect 2 "$hlc" run "${stencil[@]}" a=ramp:auto; complains "[E0813]"
expect 2 "$hlc" eval "${stencil[@]}" 'b(1, 2)' a=ramp:auto; complains "auto takes its size from an output's window"
expect 2 "$hlc" run "${stencil[@]}" a=ramp:auto b=9x9 k=10; complains "parameter_too_large"
expect 2 "$hlc" run "${stencil[@]}" a=ramp:automatic b=9x9; complains "[E0812]"
expect 3 "$hlc" run needs.hl --pipeline=two a=zero:3x3 c=ramp:auto b=2000000000x2000000000

[ $failures -eq 0 ] && echo "images are as large as needed"
exit $((failures > 0))
