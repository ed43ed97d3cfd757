#!/usr/bin/env bash
# f16 and bf16 in code for one target, run on a processor that has what the target needs and no more: all values, a million
# pairs (of which a share may take fewer), and numbers halfway between two values give what short_float.c defines.  The code calls nothing but the run-time
# library.  Arguments: source folder, build folder, target.
set -u
source=$1
build=$2
target=$3
. "$source/tests/target/lib.sh"
. "$source/tests/support/share.sh"
find_emulator "$target"
find_compiler "$target" alone
here=$work/short_float_$target
rm -rf "$here"
mkdir -p "$here"
a="a(x)" b="b(x)"
# pipeline NAME INPUTS EXPRESSION..
pipeline() {
  local name=$1 inputs=$2
  shift 2
  echo "pipeline $name($inputs) -> out { fun out(x) = {$(IFS=,; echo "$*")}; }"
  echo "schedule lanes16 for $name { vectorize(out.x, 16); }"
  echo "schedule lanes5 for $name { vectorize(out.x, 5); }"
}
pipelines="unary casts binary orders from"
for type in f16 bf16; do
  other=$([ $type = f16 ] && echo bf16 || echo f16)
  pipeline unary_$type "a: image<$type, 1>" "sqrt($a)" "floor($a)" "ceil($a)" "trunc($a)" "round($a)" "-$a" "abs($a)" \
    "$other($a)" "is_nan($a)" "is_inf($a)" "is_finite($a)" "bool($a)" "reinterpret<u16>($a)"
  pipeline casts_$type "a: image<$type, 1>" "f32($a)" "f64($a)" "i8($a)" "u8($a)" "i16($a)" "u16($a)" "i32($a)" "u32($a)" \
    "i64($a)" "u64($a)"
  pipeline binary_$type "a: image<$type, 1>, b: image<$type, 1>" "$a + $b" "$a - $b" "$a * $b" "$a / $b" "absd($a, $b)" \
    "min($a, $b)" "max($a, $b)" "select($a < $b, $a, $b)" "$a * $b + $a"
  pipeline orders_$type "a: image<$type, 1>, b: image<$type, 1>" "$a < $b" "$a <= $b" "$a == $b" "$a != $b" "$a < 1"
  pipeline from_$type "a: image<f64, 1>, b: image<i64, 1>" "$type($a)" "$type(f32($a))" "$type($b)" "$type(u64($b))" \
    "$type(i32($b))" "$type(u32($b))" "$type(i16($b))" "$type(u16($b))" "$type(i8($b))" "$type(u8($b))" "$type($b < 0)"
done > "$here/short_float.hl"
build_host "$source/tests/target/short_float.c" -lm -ldl -lpthread -o "$here/host" || exit 1
built=
schedules="none lanes16 lanes5"
# A share takes vectors of one width, as a register or as none.
[ "$share" -eq 1 ] || schedules="none $([ "$target" = x86-64 ] && echo lanes5 || echo lanes16)"
for schedule in $schedules; do
  objects=
  for kind in $pipelines; do
    for type in f16 bf16; do
      chosen=$([ $schedule = none ] || echo --schedule=$schedule)
      "$build/hlc" compile "$here/short_float.hl" --pipeline=${kind}_$type $chosen --target="$target" \
        -o "$here/${kind}_$type.o" || fail "no code for ${kind}_$type"
      # Without SSE4.1, f32 is rounded to integers by the C library, too.
      nm -u "$here/${kind}_$type.o" | grep -v ' \(hlc_\|_GLOBAL_OFFSET_TABLE_\)' |
        { [ "$target" = x86-64 ] && grep -v ' \(ceil\|floor\|trunc\|roundeven\)f$' || cat; } | grep . && fail "${kind}_$type calls another function"
      objects+=" $here/${kind}_$type.o"
    done
  done
  $compiler -shared -o "$here/$schedule.so" $objects || fail "no library"
  built+=" $here/$schedule.so"
done
$emulator "$here/host" $built || fail "the libraries$built"
[ $failures -eq 0 ]
