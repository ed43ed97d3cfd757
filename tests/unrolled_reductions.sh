#!/usr/bin/env bash
# A reduction that code generation unrolls by four (codegen/machine/unroll.c) equals the reference
# for any remainder: up to twenty taps, from a negative start and from zero.  A debugger knows it,
# too.  Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat > taps.hl << 'END'
pipeline taps(input: image<i32, 2>, low: i32 = 0 in -30..0, count: i32 = 1 in 0..60) -> out {
    fun sum(x, y): {i32, i32} = {
        {0, 1};
        rdom(r = (low, count)) in (x, y) <- {sum(x, y).0 + input(x + r, y) * (r + 40), sum(x, y).1 * 3 + input(x, y + r)};
    }
    fun out(x, y) = sum(x, y).0 ^ sum(x, y).1;
}

schedule fast for taps {
    split(out.x, xo, xi, 16, shift-inwards);  vectorize(out.xi);
    compute-at(sum, out.xo);  bound-extent(sum, x, 16);  vectorize(sum.s0.x, 16);
    vectorize(sum.s1.x, 16);  reorder(sum.s1.x_v, sum.s1.r);
}
END
"$hlc" compile taps.hl --schedule=fast --emit=ll -o taps.ll || exit 1
grep -q "^quad" taps.ll || { echo "no loop makes four iterations at a time"; exit 1; }
"$hlc" compile taps.hl --schedule=fast --debug -o taps.o || exit 1
failures=0
for low in -30 -3 0; do
    for count in 0 1 2 3 4 5 6 7 8 9 11 12 13 20; do
        arguments=(low=$low count=$count input=random:1:99x99+-40+-40 out=35x3)
        wanted=$("$hlc" run taps.hl "${arguments[@]}" --interpret=reference) || exit 1
        found=$("$hlc" run taps.hl --schedule=fast "${arguments[@]}")
        [ "$wanted" = "$found" ] || { echo "low=$low count=$count: $found, wanted $wanted"; failures=$((failures + 1)); }
    done
done
[ $failures = 0 ]
