#!/usr/bin/env bash
# Prints pipelines that apply the operators to two images, type by type, each as scalars and as vectors of 16, 8 or 5 lanes.
set -eu

# pipeline NAME TYPE EXPRESSION..: of two images of the type; the expressions of x, 16 of them to a pipeline, are its output.
pipeline() {
  local name=$1 type=$2 part=0 tuple widths=(16 5 8)
  shift 2
  while [ $# -gt 0 ]; do
    tuple=$1
    shift
    for ((i = 1; i < 16 && $# > 0; i++)); do
      tuple+=", $1"
      shift
    done
    [ "${tuple#*, }" = "$tuple" ] || tuple="{$tuple}"
    echo "pipeline ${name}_$part(a: image<$type, 1>, b: image<$type, 1>) -> out { fun out(x) = $tuple; }"
    echo "schedule vector for ${name}_$part { vectorize(out.x, ${widths[part % 3]}); }"
    part=$((part + 1))
  done
}

a="a(x)" b="b(x)"
for type in i8 u16 i32 u64; do
  bits=${type:1}
  set -- "$a + $b" "$a - $b" "$a * $b" "$a / $b" "$a % $b" "$a / 7" "$a % 10" "$a & $b" "$a | $b" "$a ^ $b" "~$a" \
    "$a << $b" "$a >> $b" "min($a, $b)" "max($a, $b)" "absd($a, $b)" "select($a < $b, $a, $b - 1)" "$a <= $b && $a != 3" \
    "saturating_add($a, $b)" "saturating_sub($a, $b)" "halving_add($a, $b)" "halving_sub($a, $b)" \
    "rounding_halving_add($a, $b)" "rounding_shift_left($a, $b)" "rounding_shift_right($a, $b)" \
    "popcount($a)" "clz($a)" "ctz($a)" "f16($a)" "bf16($a)" "f32($a)" "f64($a)" "lerp($a, $b, u$bits($b))"
  for other in i8 u8 i16 u16 i32 u32 i64 u64; do
    [ $other = $type ] || set -- "$@" "$other($a)" "${other}_sat($a)"
  done
  case $type in i*) set -- "$@" "abs($a)" "-$a" ;; esac
  [ $bits = 64 ] || set -- "$@" "widening_add($a, $b)" "widening_sub($a, $b)" "widening_mul($a, $b)"
  pipeline "$type" "$type" "$@"
done

# Sums of products of narrow numbers, of all pairs of signs: of two and three words, of four to nine bytes; with constants.
dots() {
  local name=$1 type=$2
  shift 2
  for lanes in 16 64 24; do
    echo "pipeline ${name}_$lanes(a: image<$type, 1>, b: image<$type, 1>) -> out { fun out(x) = {$(IFS=,; echo "$*")}; }"
    echo "schedule vector for ${name}_$lanes { vectorize(out.x, $lanes); }"
  done
}
# sum COUNT FIRST SECOND: of so many products; `@` is the tap.
sum() {
  local text=
  for ((k = 0; k < $1; k++)); do text+="${text:+ + }i32(${2//@/$k}) * i32(${3//@/$k})"; done
  echo "$text"
}
for type in u8 i8; do
  other=$([ $type = u8 ] && echo i8 || echo u8)
  dots "quads_$type" $type "$(sum 4 "a(x + @)" "b(x + 2*@)")" "$(sum 9 "a(x + @)" "b(x - @)") + i32(a(x))" \
    "$(sum 5 "a(x + @)" "$other(b(x + @))") - i32($other(a(x))) * i32(b(x + 3))" \
    "i32(a(x)) * 3 - i32(a(x + 1)) * 11 + i32(a(x + 2)) * 127 + i32(a(x + 3)) * -128 + i32(b(x)) * 200" \
    "$(sum 4 "a(x + @)" "b(@)")" "i32(a(x)) + i32(a(x + 1)) + i32(a(x + 2)) - i32(b(x))" \
    "i32(absd(a(x), b(x))) + i32(absd(a(x + 1), b(x + 1))) + i32(absd(a(x + 2), b(x + 2)))"
done
for type in u16 i16; do
  dots "pairs_$type" $type "$(sum 2 "a(x + @)" "b(x - @)")" "$(sum 3 "a(x + 2*@)" "b(x)") + i32(b(x))" \
    "i32(a(x)) * 7 - i32(a(x + 1)) * 30000 + i32(b(x)) * 5" "u32($(sum 3 "a(x + @)" "b(x + 2*@)"))"
done
for type in u8 i8 i16; do
  count=$([ $type = i16 ] && echo 2 || echo 4)
  echo "pipeline packed_$type(a: image<$type, 1>, b: image<$type, 1>) -> out {
    fun pack(j, x) = b($count*x + j);
    fun out(x) = $(sum $count "a(3*x + @)" "pack(@, x)") + $(sum $count "a(@)" "pack(@, x + 1)");
  }
  schedule vector for packed_$type { bound(pack, j, 0, $count); compute-root(pack); vectorize(out.x, 16); }"
done
for type in f16 bf16 f32 f64; do
  set -- "$a + $b" "$a - $b" "$a * $b" "$a / $b" "min($a, $b)" "max($a, $b)" "abs($a)" "-$a" "sqrt($a)" "floor($a)" "ceil($a)" \
    "trunc($a)" "round($a)" "is_nan($a)" "is_inf($a)" "is_finite($a)" "select($a < $b, $a, $b)" "$a >= $b || $a != $a" \
    "lerp($a, $b, $type(0.25))" "f16($a)" "bf16($a)" "f32($a)" "f64($a)"
  for other in i8 u8 i16 u16 i32 u32 i64 u64; do set -- "$@" "$other($a)"; done
  pipeline "$type" "$type" "$@"
  set -- "fma($a, $b, $a)" "atan2($a, $b)" "pow($a, $b)"
  for function in sin cos tan asin acos atan sinh cosh tanh exp exp2 log log2 log10; do set -- "$@" "$function($a)"; done
  pipeline "math_$type" "$type" "$@"
done
