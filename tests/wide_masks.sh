#!/usr/bin/env bash
# Vectors wider than the memory that they access: 144 schedules of three small programs, at all
# optimisation levels, for the targets that mask differently.  Each equals the reference.  LLVM
# infers from the size of an object that a wider access cannot touch it, whatever its mask
# (codegen/base/object_bounds.c).  Arguments: source folder, build folder.
set -u
hlc=$(cd "$2" && pwd)/hlc
. "$1/tests/support/share.sh"
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# An update over the pure variable of one element, of a tuple, and of two points side by side.
programs=(
  'fun g(x) = { i32(0);  (x) <- g(x) + i32(a(x)); }  fun f(x) = g(x);'
  'fun g(x) = { {i16(1), u8(2)};  (x) <- {g(x).0 + i16(a(x)), g(x).1 + a(x)}; }  fun f(x) = i32(g(x).0) + i32(g(x).1);'
  'fun g(x) = { i64(0);  (x) <- g(x) + i64(a(x)); }  fun f(x) = i32(g(x)) + i32(g(x + 1));'
)
schedules=0 runs=0 failed=0
for number in 0 1 2; do
  file=p$number.hl
  printf 'pipeline p(a: image<u8, 1>) -> f { %s }\n' "${programs[number]}" > "$file"
  for factor in 2 3; do
    for tail in guard shift-inwards round-up; do
      for level in xi xo; do
        for lanes in 2 8 16 64; do
          printf 'schedule s%d_%s_%s_%d for p { split(f.x, xo, xi, %d, %s);  compute-at(g, f.%s);  vectorize(g.s1.x, %d); }\n' \
            "$factor" "${tail//-/_}" "$level" "$lanes" "$factor" "$tail" "$level" "$lanes" >> "$file"
          schedules=$((schedules + 1))
        done
      done
    done
  done
  for target in host x86-64 x86-64-v3 x86-64-v4; do
    for optimize in 0 1 2 3; do
      left_out && continue
      answer=$("$hlc" check "$file" --target=$target --optimize=$optimize a=random:5:auto f=17 2>&1)
      case $answer in
        *'compared, all equal') runs=$((runs + 1)) ;;
        *E0885*) continue 2 ;; # this machine cannot run the target
        *) failed=$((failed + 1)); echo "$file $target -O$optimize: $answer" ;;
      esac
    done
  done
done
echo "$schedules schedules of which none differs in $runs runs, $failed runs in which some do"
[ "$schedules" -eq 144 ] && [ $((runs * share)) -ge 24 ] && [ "$failed" -eq 0 ]
