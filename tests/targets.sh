#!/usr/bin/env bash
# --target: code for every target, and for several in one object; refusals.  Code of lower levels
# computes on this machine what code for this machine computes.  Arguments: source folder, build
# folder.
set -u
source=$(realpath "$1")
build=$(realpath "$2")
hlc=$build/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
refuses() {
  local diagnostic=$1
  shift
  "$@" > out 2> err < /dev/null
  local got=$?
  [ $got -eq 2 ] || { fail "exit code $got, not 2: $*"; cat out err; }
  grep -qF -- "[$diagnostic]" err || { fail "no $diagnostic: $*"; cat err; }
}
blur="$source/examples/blur.hl --schedule=fast"

# Each target uses its own registers and instructions, and none of those above it.
listing() { "$hlc" compile $blur --emit=asm --target=$1 > $1.s || fail "no listing for $1"; }
for target in x86-64 x86-64-v2 x86-64-v3 x86-64-v4 x86-64-v4-vnni aarch64 aarch64-dotprod; do listing $target; done
grep -q 'xmm' x86-64.s || fail "x86-64 without vectors"
grep -q 'ymm\|pmulld\|pmovzx' x86-64.s && fail "x86-64 has what it lacks"
grep -q 'pmulld\|pmovzx' x86-64-v2.s || fail "x86-64-v2 does not use SSE4.1"
grep -q 'ymm' x86-64-v2.s && fail "x86-64-v2 has AVX"
grep -q 'ymm' x86-64-v3.s || fail "x86-64-v3 does not use AVX2"
grep -q 'zmm\|%k[0-7]' x86-64-v3.s && fail "x86-64-v3 has AVX-512"
grep -q 'zmm' x86-64-v4.s || fail "x86-64-v4 does not use AVX-512"
grep -q '\bv[0-9]*\.4s' aarch64.s || fail "aarch64 without vectors"
# Vectors of 16-bit elements are divided by a constant as vectors.
"$hlc" compile "$source/examples/tutorial.hl" --schedule=fast --target=aarch64 --emit=asm -o ninth.s
grep -q 'umull2' ninth.s && ! grep -q 'umull[[:space:]]*x' ninth.s || fail "aarch64 divides lane by lane"

# The same bytes each time, whatever the environment.
for target in aarch64 x86-64-v3,x86-64-v4; do
  "$hlc" compile $blur --target=$target -o once.o
  env -i LC_ALL=C TZ=Asia/Tokyo HOME=/nowhere "$hlc" compile $blur --target=$target -o twice.o
  cmp -s once.o twice.o || fail "two objects for $target differ"
done
# The order of the targets does not matter.
"$hlc" compile $blur --target=x86-64-v4,x86-64-v3 -o twice.o
cmp -s once.o twice.o || fail "the order of targets counts"

# Refusals.
refuses E0883 "$hlc" compile $blur --target=z80 -o no.o
refuses E0883 "$hlc" compile $blur --target=x86-64, -o no.o
refuses E0884 "$hlc" compile $blur --target=x86-64,aarch64 -o no.o
refuses E0884 "$hlc" compile $blur --target=host,x86-64 -o no.o
refuses E0884 "$hlc" compile $blur --target=x86-64-v3,x86-64-v3 -o no.o
case $(uname -m) in x86_64) foreign=aarch64 ;; *) foreign=x86-64 ;; esac
refuses E0885 "$hlc" run $blur input=ramp:8x8 --target=$foreign
refuses E0885 "$hlc" check "$source/examples/blur.hl" --target=$foreign

# Mathematical functions need fused multiply-add.
echo 'pipeline p(a: image<f32, 1>) -> b { fun b(x) = sin(a(x)); }' > sin.hl
for target in x86-64 x86-64-v2 x86-64-v2,x86-64-v4; do
  refuses E0881 "$hlc" compile sin.hl --target=$target -o no.o
  grep -q -- '--target=x86-64-v3' err || fail "no remedy is named for $target"
done
[ -e no.o ] && fail "a refused object was written"
for target in x86-64-v3 x86-64-v3,x86-64-v4 aarch64; do
  "$hlc" compile sin.hl --target=$target -o sin.o || fail "no sine for $target"
done

# Code for lower levels computes the same.
run() { "$hlc" run $blur input=random:1:333x222 "$@" 2> err; }
if [ "$(uname -m)" = x86_64 ]; then
  run > expected
  for target in x86-64 x86-64-v2 x86-64-v3 x86-64-v4 x86-64-v4-vnni x86-64,x86-64-v2,x86-64-v3,x86-64-v4,x86-64-v4-vnni; do
    if run --target=$target > got; then
      cmp -s expected got || fail "$target computes something else"
    else
      grep -q cpu_lacks_features err || { fail "$target does not run"; cat err; }
    fi
  done
fi
[ $failures -eq 0 ]
