#!/usr/bin/env bash
# `hlc check` draws arguments that the schedules take: of nearly all runs, points are compared.
# Arguments: source folder, build folder.
set -u
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
. "$source/tests/support/share.sh"
cd "$work" || exit 1

# compares PERCENT ARGUMENT..: `hlc check` ends well, and so many of its runs compare a point.
compares() {
  local percent=$1
  shift
  expect 0 "$hlc" check "$@" --json
  python3 - "$percent" "$*" <<'PY' || failures=$((failures + 1))
import json, sys
counts = [line for line in map(json.loads, open('out')) if line['kind'] == 'counts']
runs, compared = sum(c['runs'] for c in counts), sum(c['compared'] for c in counts)
if not runs or compared * 100 < int(sys.argv[1]) * runs:
    sys.exit(f'FAILED: {sys.argv[2]}: {compared} of {runs} runs compare a point')
PY
}

# 14 outputs read one image, each at another place.
{
  echo "pipeline many(a: image<u8, 1>) -> (o0$(printf ', o%d' {1..13})) {"
  for i in {0..13}; do echo "    fun o$i(x) = a(x + $((i % 5 - 1)));"; done
  echo "}"
  echo "schedule s for many { vectorize(o3.x, 8); }"
} > many.hl
# A window fixed by `bound` of more points than a drawn one; funcs and images are larger than it.
cat > fixed.hl <<'HL'
pipeline stencil(a: image<u8, 2>) -> out { fun f(x, y) = a(x, y) + 1;  fun out(x, y) = f(x, y) + f(x + 1, y); }
schedule s for stencil { bound(out, x, 0, 512); bound(out, y, 0, 512); vectorize(out.x, 8); compute-at(f, out.y); }
pipeline product(a: image<f32, 2>, b: image<f32, 2>) -> c {
    require(a.width == 64 && b.height == a.width, "sizes");
    fun s(x, y) = { 0.0; rdom(k = (0, 64)) in (x, y) <- s(x, y) + a(k, y) * b(x, k); }
    fun c(x, y) = s(x, y);
}
schedule t for product { bound(c, x, 0, 64); bound(c, y, 0, 64); vectorize(c.x, 8); }
HL
# A layer of a network, and parameters that must fit each other.
cat > layer.hl <<'HL'
pipeline layer(input: image<f32, 3>, filter: image<f32, 4>, bias: image<f32, 1>) -> relu {
    fun conv(c, x, y) = {
        bias(c);
        rdom(ry = (0, 3); rx = (0, 3); rc = (0, 32)) in (c, x, y) <- conv(c, x, y) + filter(c, rx, ry, rc) * input(rc, x + rx, y + ry);
    }
    fun relu(c, x, y) = max(conv(c, x, y), 0.0);
}
schedule t for layer { bound(relu, c, 0, 32); bound(relu, x, 0, 40); bound(relu, y, 0, 40); vectorize(relu.c, 8); compute-at(conv, relu.y); }
HL
cat > numbers.hl <<'HL'
pipeline numbers(a: image<u8, 1>, low: i32, high: i32 in 100..200, step: i32) -> out {
    require(low + 90 <= high, "apart");
    require(step % 12 == 7, "step");
    fun out(x) = a(x * 4 + low) + u8(step);
}
schedule s for numbers { bound-extent(out, x, 40); vectorize(out.x, 8); }
HL
for rounds in 1 2 24; do
  for program in many fixed layer numbers; do left_out || compares 90 $program.hl --rounds=$rounds; done
done
# Only windows that are small all at once have regions of at most 25 points.
compares 60 "$source/tests/certify/length_of_lets.hl"
# The window moves to the image that is given, and the image to the window.
compares 90 fixed.hl --pipeline=stencil a=random:1:20x20+100+200 --schedule=
compares 90 fixed.hl --pipeline=stencil out=3x3+1000+7 --schedule=
compares 100 numbers.hl low=60 step=19 --rounds=2

# Fewer than half of the runs compare something: an error, and the counts say so.
cat > little.hl <<'HL'
pipeline little(a: image<u8, 1>) -> out { fun out(x) = a(x); }
schedule never for little { bound(out, x, 7, 0); }
HL
expect 2 "$hlc" check little.hl --rounds=4
complains 'error[E0865]: pipeline `little` under schedule `never`: only 0 of 8 runs compared a point'
complains "hlc contract says what it takes"

# A table of constants holds no error values, and is not there in the first passes.
cat > table.hl <<'HL'
pipeline divide(a: image<u8, 1>) -> out {
    fun lut(k): i32 = 7 / i32(k);
    fun out(x) = lut(i32(a(x)));
}
schedule s for divide { bound(lut, k, 0, 256); eager(lut); }
pipeline add(a: image<f32, 1>) -> out with reassociation {
    fun lut(k) = f32(k) + 0.5;
    fun total() = { 0.0;  rdom(r = (0, 300)) in () <- total() + a(r) * lut(r); }
    fun out(i) = total() + lut(3);
}
schedule s for add { eager(lut); parallel(total.s1.r, 16); vectorize(total.s1.r_i, 4); }
HL
expect 0 "$hlc" check table.hl; says "in the formal reading out is err_arith"; says "all equal"

# A choice by floats may depend on the order where a NaN was compared, though no NaN is kept. Two
# keys of `best` are NaN. The choice of `known`, by numbers alone, is compared.
cat > nan.hl <<'HL'
pipeline least(a: image<f32, 1>) -> (out, sure) with reassociation {
    fun key(r) = select(r % 5 == 4 && r < 10, log(f32(-1)), f32(r + 10));
    fun best() = {
        {f32(9), 200};
        rdom(r = (0, 20)) in () <- {min(best().0, key(r)),
            select(key(r) < best().0, 100 - r, select(best().0 < key(r), best().1, min(best().1, 100 - r)))};
    }
    fun known() = {
        {f32(9), 200};
        rdom(r = (0, 20)) in () <- {min(known().0, f32(r % 5)),
            select(f32(r % 5) < known().0, 100 - r, select(known().0 < f32(r % 5), known().1, min(known().1, 100 - r)))};
    }
    fun out(i) = best().1 + i32(a(i));
    fun sure(i) = known().1 + i32(a(i));
}
schedule s for least {
    split-reduction(best.s1.r, ro, ri, 5);
    rfactor(best.s1.ri, ri, partial);
    split-reduction(known.s1.r, ko, ki, 5);
    rfactor(known.s1.ki, ki, part);
}
HL
expect 0 "$hlc" check nan.hl; says "best: no element was compared"; says "known: 48 elements compared"; says "all equal"

# The indices of a write are evaluated before its predicate: where that fails, an image that only they
# read is still asked for, by compiled code and the reference.  What only the value reads is not.
cat > predicate.hl <<'HL'
pipeline index(a: image<i32, 2>, p: i32 = 0 in 0..1) -> (out) {
    fun f(x) = { i32(1);  (clamp(a(3, -1), 0, 11)) <- i32(1) if p == 1; }
    fun out(x) = f(i32(1));
}
pipeline value(a: image<i32, 2>, p: i32 = 0 in 0..1) -> (out) {
    fun f(x) = { i32(1);  (3) <- a(3, -1) if p == 1; }
    fun out(x) = f(i32(3));
}
HL
for means in "" --interpret=target --interpret=reference; do
  expect 2 "$hlc" run predicate.hl --pipeline=index $means a=zero:0x0 out=1; complains "read in [3, 3]"
  expect 0 "$hlc" run predicate.hl --pipeline=value $means a=zero:0x0 out=1
done

[ $failures -eq 0 ] && echo "check compares"
exit $((failures > 0))
