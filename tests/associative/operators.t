# The first ten operators of the paper's listing: the last two are associative over the integers, and not on a type that wraps.
i32: x + y => associative, identity 0, commutative
i32: x * y => associative, identity 1, commutative
i32: min(x, y) => associative, identity 2147483647, commutative
i32: max(x, y) => associative, identity -2147483648, commutative
i32: max(min(x, k), y) => associative, no identity, not commutative
i32: min(max(x, k), y) => associative, no identity, not commutative
i32: max(min(y, k), x) => associative, identity -2147483648, not commutative
i32: min(max(y, k), x) => associative, identity 2147483647, not commutative
i32: max(min(k - x, y), x) => not associative: x = 
i32: min(max(k - x, y), x) => not associative: x = 
# Each at another type.
u8: max(min(x, k), y) => associative, no identity
i64: min(max(y, k), x) => associative, identity 9223372036854775807
u16: min(x, y) => associative, identity 65535, commutative
i8: max(min(k - x, y), x) => not associative
u64: max(x, y) => associative, identity 0, commutative
# Tuples.
i32: {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)} => associative, identity {2147483647, 0}, not commutative, made of argmin
i32: {min(x.0, y.0), select(x.0 < y.0, x.1, y.1)} => associative, no identity, not commutative, made of argmin_last
i32: {max(x.0, y.0), select(x.0 >= y.0, x.1, y.1)} => associative, identity {-2147483648, 0}, not commutative, made of argmax
{u8, i32}: {min(x.0, y.0), select(y.0 < x.0, y.1, x.1)} => associative, identity {255, 0}, not commutative, made of argmin
i32: {min(x.0, y.0), select(y.0 < x.0, y.1, x.1), select(y.0 < x.0, y.2, x.2)} => associative, identity {2147483647, 0, 0}, not commutative, made of argmin(0, 1) and argmin(0, 2)
i32: {x.0 + y.0, x.1 * y.1} => associative, identity {0, 1}, commutative, made of sum(0) and product(1)
i32: {x.0*y.0 + x.1*y.2, x.0*y.1 + x.1*y.3, x.2*y.0 + x.3*y.2, x.2*y.1 + x.3*y.3} => associative, identity {1, 0, 0, 1}, not commutative, made of matrix_2x2
i32: {x.0*y.0 - x.1*y.1, x.0*y.1 + x.1*y.0} => associative, identity {1, 0}, commutative, made of complex_product
i32: {x.0*y.0, x.1*y.0 + y.1} => associative, identity {1, 0}, not commutative, made of affine
i32: {x.0*y.0, x.0*y.1 + x.1} => associative, identity {1, 0}, not commutative, made of affine_after
i32: {y.0*x.0 - y.1*x.1, y.1*x.0 + x.1*y.0} => associative, identity {1, 0}, commutative, made of complex_product
{bool, i32}: {x.0 || y.0, select(y.0, y.1, x.1 + y.1)} => associative, identity {false, 0}, not commutative, made of segmented_sum
i32: {min(x.0, y.0), min(max(x.0, y.0), min(x.1, y.1))} => associative, identity {2147483647, 2147483647}, commutative
i32: {x.0 + y.0, x.1 + y.1 + x.0*y.0} => associative, identity {0, 0}, commutative
i32: {x.0, y.1} => associative, no identity, not commutative, made of first(0) and last(1)
# Of other operators, types and forms.
u8: x & y => associative, identity 255, commutative, made of bit_and
i16: x | y => associative, identity 0, commutative, made of bit_or
u32: x ^ y => associative, identity 0, commutative, made of bit_xor
u8: ~(~x & ~y) => associative, identity 0, commutative, made of bit_or
bool: x && y => associative, identity true, commutative, made of and
bool: x != y => associative, identity false, commutative, made of xor
u8: saturating_add(x, y) => associative, identity 0, commutative, made of saturating_sum
i8: saturating_add(x, y) => not associative
i32: x => associative, identity 0, not commutative, made of first
i32: y => associative, no identity, not commutative, made of last
i32: select(y < x, y, x) => associative, identity 2147483647, commutative, made of minimum
i32: select(y == 0, x, y) => associative, identity 0, not commutative
i32: x*y + x + y => associative, identity 0, commutative
i32: x + y + k => associative, identity -k, commutative
i32: y + x => associative, identity 0, commutative, made of sum
# Near misses.
i32: x - y => not associative: x = 
i32: x + y*y => not associative
i32: x*y + x => not associative
i32: abs(x) + y => not associative
i32: (x + y) / 2 => not associative
i32: max(x, y) + k => not associative
i32: select(y > 0, x + 1, x) => not associative
i32: {x.0 + y.1, x.1 + y.0} => not associative: x = {
i32: {min(x.0, y.0), select(x.0 < y.0, y.1, x.1)} => not associative
i32: {min(x.0, y.0), select(y.1 < x.1, y.1, x.0)} => not associative
i32: {x.0 + y.0, max(x.1, x.0 + y.1)} => not associative
i32: {x.0*y.0 + x.1*y.1, x.0*y.1 + x.1*y.0 + x.1} => not associative
u8: rounding_halving_add(x, y) => not associative
f32: x + y => not associative: x = 
f64: x * y => not associative
# The identity is looked for by what two zeros make; that there is none is said where it is proved.
i32: x ^ y ^ 5 => associative, identity 5, commutative
i32: ~(x ^ y) => associative, identity -1, commutative
u16: x + y - 3*k => associative, identity k*3, commutative
bool: x != y != true => associative, identity true, commutative
u8: ~saturating_add(~x, ~y) => associative, identity 255, commutative
i32: y => associative, no identity, 
i32: {x.0, x.0} => associative, no identity, 
i32: select(x*x < k, x, y) => associative, no identity found, 
# The y of another element is no constant: no point shows that this is not associative, and nothing may prove it.
i32: {min(x.0, y.0), max(select(y.0 == 123456789, k, 0), y.1)} => unknown
# What people write: keys one after the other, flags, sums of products, bits, remainders.
i32: {select(y.0 < x.0 || (y.0 == x.0 && y.1 < x.1), y.0, x.0), select(y.0 < x.0 || (y.0 == x.0 && y.1 < x.1), y.1, x.1), select(y.0 < x.0 || (y.0 == x.0 && y.1 < x.1), y.2, x.2)} => associative, identity {2147483647, 2147483647, 0}, not commutative
i32: {min(x.0, y.0), select(y.0 < x.0 || (y.0 == x.0 && y.1 < x.1), y.1, x.1)} => associative, identity {2147483647, 2147483647}, commutative
i32: {min(x.0, y.0), max(x.1, y.1), x.2 + y.2, x.3 + y.3} => associative, identity {2147483647, -2147483648, 0, 0}, commutative, made of minimum(0) and maximum(1) and sum(2) and sum(3)
{bool, i32}: {x.0 && y.0, select(y.0, x.1 + y.1, y.1)} => associative, identity {true, 0}, not commutative, made of run_sum
{bool, i32}: {x.0 || y.0, select(x.0, x.1, x.1 + y.1)} => associative, identity {false, 0}, not commutative
{i32, i32, bool}: {min(x.0, y.0), max(x.1, y.1), x.2 && y.2 && x.1 <= y.0} => associative, identity {2147483647, -2147483648, true}, not commutative
u32: {x.0*y.1 + y.0, x.1*y.1} => associative, identity {0, 1}, not commutative, made of affine
i32: {x.0 + y.0, x.1 + y.1, x.2 + y.2 + x.0*y.1 - x.1*y.0} => associative, identity {0, 0, 0}, not commutative
i32: {x.0*y.0, x.0*y.1 + x.1*y.2, x.2*y.2} => associative, identity {1, 0, 1}, not commutative
i32: {x.0*y.0 + x.1*y.1*k, x.0*y.1 + x.1*y.0} => associative, identity {1, 0}, commutative
i32: ((x - k) * (y - k)) + k => associative, identity k + 1, commutative
i32: ((x ^ k) & (y ^ k)) ^ k => associative, identity ~k, commutative
i32: (x & ~y) | (~x & y) => associative, identity 0, commutative
i32: x | y | 1 => associative, no identity found, commutative
i32: (x + y) % 2 => associative, no identity found, commutative
i32: select(x != 0, x, y) => associative, identity 0, not commutative
bool: x || (y && !x) => associative, identity false, commutative, made of or
# What is none of these over integers that wrap, though it looks like it.
i32: min(max(x + y, -100), 100) => not associative
i32: max(x + y, 0) => not associative
i32: saturating_sub(x, y) => not associative
i32: {x.0 + y.0, max(x.1, x.0 + y.1)} => not associative
i32: {x.0 + y.0 - min(x.1, y.0), x.1 + y.1 - min(x.1, y.0)} => not associative
i32: {x.0 + y.0, max(x.1, x.0 + y.1), max(y.2, x.2 + y.0), max(max(x.3, y.3), x.2 + y.1)} => not associative
i32: {select(x.1 == y.1, x.0 + y.0, y.0), y.1} => not associative
i32: max(x, y) - min(x, y) => not associative
u32: (x << 1) ^ y => not associative
bool: !(x && y) => not associative
i32: x*y + k => not associative

# The least of three in lexicographic order, as a choice.
i32: {select(y.0 < x.0 || (y.0 == x.0 && (y.1 < x.1 || (y.1 == x.1 && y.2 < x.2))), y.0, x.0), select(y.0 < x.0 || (y.0 == x.0 && (y.1 < x.1 || (y.1 == x.1 && y.2 < x.2))), y.1, x.1), select(y.0 < x.0 || (y.0 == x.0 && (y.1 < x.1 || (y.1 == x.1 && y.2 < x.2))), y.2, x.2)} => associative, identity {2147483647, 2147483647, 2147483647}, commutative, made of a proof of its own

# Sums and products of which the lowest bits are kept.
u8: (x + y) & 15 => associative, no identity found, commutative
i32: (x*y) & 255 => associative, no identity found, commutative
u16: (x + y + k) & 1023 => associative, no identity found, commutative
u32: (x + (y & 31)) & 15 => associative, no identity found, commutative
u32: {(x.0 + y.0) & 7, x.1 + y.1} => associative
i32: (x + y) & 14 => not associative
u32: (x + (y & 7)) & 15 => not associative
u32: (min(x, 9) + y) & 15 => not associative
