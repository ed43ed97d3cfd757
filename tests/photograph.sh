#!/usr/bin/env bash
# The examples whose reductions are computed in parts, on a photograph.  Every schedule equals the
# reference to the bit, and both equal what Python counts in the same pixels.  Arguments: source
# folder, build folder.
set -u
source=$(realpath "$1") hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$source/tests/support/expect.sh"
cd "$work" || exit 1
show=$source/examples/demo/show.hl
"$hlc" run "$show" --pipeline=smaller input="$source/examples/demo/sunset.jpg" factor=14 out=305x203x3 -o photograph.ppm || fail "photograph"
"$hlc" run "$show" --pipeline=cut input=photograph.ppm left=211 top=131 out=27x12x3 -o patch.ppm || fail "patch"

same() { # EXAMPLE OPERANDS..: all schedules and the reference print the same hashes
  local example=$1 count=0
  shift
  "$hlc" run "$source/examples/$example.hl" "$@" --interpret=reference > expected || fail "$example, reference"
  [ -s expected ] || fail "$example says nothing"
  for schedule in "" $(sed -nE 's/^schedule ([a-z_]*) for.*/\1/p' "$source/examples/$example.hl"); do
    for threads in 1 2; do
      "$hlc" run "$source/examples/$example.hl" "$@" ${schedule:+--schedule=$schedule} --threads=$threads > got || fail "$example, '$schedule'"
      cmp -s expected got || { fail "$example, '$schedule', $threads threads"; diff expected got; }
    done
    count=$((count + 1))
  done
  [ "$count" -eq 3 ] || fail "$example has $count schedules"
  grep -q "rfactor(" "$source/examples/$example.hl" || fail "$example does not use rfactor"
}
same histogram input=photograph.ppm share=256x3 below=256x3
same statistics input=photograph.ppm numbers=3 balanced=305x203x3
"$hlc" run "$show" --pipeline=cut input=photograph.ppm left=1 top=1 out=304x202x3 -o shifted.ppm || fail "shifted"
same joint a=gray:photograph.ppm b=gray:shifted.ppm pairs=256x256 bits=
grep -q "atomic(" "$source/examples/joint.hl" || fail "joint is not atomic"
same find input=gray:photograph.ppm patch=gray:patch.ppm marked=305x203

"$hlc" run "$source/examples/histogram.hl" --schedule=fast input=photograph.ppm share=256x3 below=256x3 -o share=share.npy -o below=below.npy ||
  fail "histogram"
"$hlc" run "$source/examples/statistics.hl" --schedule=fast input=photograph.ppm numbers=3 balanced=1x1x1 \
  -o numbers.0=mean.npy -o numbers.1=variance.npy -o numbers.2=least.npy -o numbers.3=greatest.npy || fail "statistics"
"$hlc" run "$source/examples/find.hl" --schedule=fast input=gray:photograph.ppm patch=gray:patch.ppm marked=1x1 \
  -o place.0=x.npy -o place.1=y.npy -o place.2=cost.npy || fail "find"
python3 - <<'PYTHON' || fail "what is counted in Python is something else"
import array, struct

def numbers(path, code):
    data = open(path, "rb").read()
    return array.array(code, data[10 + struct.unpack("<H", data[8:10])[0]:])

data = open("photograph.ppm", "rb").read()
assert data.startswith(b"P6\n305 203\n255\n"), data[:20]
pixels = data[len(b"P6\n305 203\n255\n"):]
count = 305 * 203
assert len(pixels) == 3 * count
share, below = numbers("share.npy", "f"), numbers("below.npy", "f")
mean, variance, least, greatest = (numbers(f"{name}.npy", code) for name, code in
                                   (("mean", "f"), ("variance", "f"), ("least", "B"), ("greatest", "B")))
assert len(share) == len(below) == 256 * 3 and len(mean) == len(greatest) == 3
for c in range(3):
    values = pixels[c::3]
    so_far = 0
    for v in range(256):
        exact = values.count(v)
        so_far += exact
        assert abs(share[v * 1 + c * 256] - exact / count) < 1e-7, (v, c, share[v + c * 256], exact / count)
        assert abs(below[v + c * 256] - so_far / count) < 1e-6, (v, c)
    exact = sum(values) / count
    assert abs(mean[c] - exact) < 1e-4, (c, mean[c], exact)
    assert abs(variance[c] - (sum(v * v for v in values) / count - exact * exact)) < 1e-2, (c, variance[c])
    assert (least[c], greatest[c]) == (min(values), max(values)), c
assert (numbers("x.npy", "i")[0], numbers("y.npy", "i")[0], numbers("cost.npy", "I")[0]) == (211, 131, 0)
PYTHON
[ $failures -eq 0 ] && echo "the schedules agree on the photograph"
exit $((failures > 0))
