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
    "popcount($a)" "clz($a)" "ctz($a)" "f32($a)" "f64($a)" "lerp($a, $b, u$bits($b))"
  for other in i8 u8 i16 u16 i32 u32 i64 u64; do
    [ $other = $type ] || set -- "$@" "$other($a)" "${other}_sat($a)"
  done
  case $type in i*) set -- "$@" "abs($a)" "-$a" ;; esac
  [ $bits = 64 ] || set -- "$@" "widening_add($a, $b)" "widening_sub($a, $b)" "widening_mul($a, $b)"
  pipeline "$type" "$type" "$@"
done
for type in f32 f64; do
  set -- "$a + $b" "$a - $b" "$a * $b" "$a / $b" "min($a, $b)" "max($a, $b)" "abs($a)" "-$a" "sqrt($a)" "floor($a)" "ceil($a)" \
    "trunc($a)" "round($a)" "is_nan($a)" "is_inf($a)" "is_finite($a)" "select($a < $b, $a, $b)" "$a >= $b || $a != $a" \
    "lerp($a, $b, $type(0.25))" "f32($a)" "f64($a)"
  for other in i8 u8 i16 u16 i32 u32 i64 u64; do set -- "$@" "$other($a)"; done
  pipeline "$type" "$type" "$@"
  set -- "fma($a, $b, $a)" "atan2($a, $b)" "pow($a, $b)"
  for function in sin cos tan asin acos atan sinh cosh tanh exp exp2 log log2 log10; do set -- "$@" "$function($a)"; done
  pipeline "math_$type" "$type" "$@"
done
