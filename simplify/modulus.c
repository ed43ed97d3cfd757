/* modulus.c -- residues: the known value of a number modulo a constant.
 *
 * modulus 0: the number is `remainder`. modulus 1: nothing is known. Else 0 <= remainder < modulus.
 * Arithmetic on machine integers that may wrap preserves the residue only modulo powers of two,
 * which divide 2^bits.
 */
#include "simplify/internal.h"

static Residue residue(int64_t modulus, int64_t remainder) {
    if (modulus == 0)
        return (Residue){0, remainder};
    return (Residue){modulus, floor_modulo(remainder, modulus)};
}

Residue residue_point(int64_t value) {
    return (Residue){0, value};
}

bool residue_may_equal(Residue a, Residue b) {
    int64_t difference, common = gcd64(a.modulus, b.modulus);
    if (__builtin_sub_overflow(a.remainder, b.remainder, &difference))
        return true;
    return common == 0 ? difference == 0 : difference % common == 0;
}

/* One of the two. */
static Residue join(Residue a, Residue b) {
    int64_t difference;
    if (__builtin_sub_overflow(a.remainder, b.remainder, &difference))
        return ANY_RESIDUE;
    return residue(gcd64(gcd64(a.modulus, b.modulus), difference), a.remainder);
}

static Residue add(Residue a, Residue b, int sign) {
    int64_t sum;
    bool overflow = sign > 0 ? __builtin_add_overflow(a.remainder, b.remainder, &sum)
                             : __builtin_sub_overflow(a.remainder, b.remainder, &sum);
    return overflow ? ANY_RESIDUE : residue(gcd64(a.modulus, b.modulus), sum);
}

/* (m1 i + r1)(m2 j + r2) = m1 m2 ij + m1 r2 i + m2 r1 j + r1 r2. */
static Residue multiply(Residue a, Residue b) {
    int64_t ab, ar, br, remainder;
    if (__builtin_mul_overflow(a.modulus, b.modulus, &ab) ||
        __builtin_mul_overflow(a.modulus, b.remainder, &ar) ||
        __builtin_mul_overflow(b.modulus, a.remainder, &br) ||
        __builtin_mul_overflow(a.remainder, b.remainder, &remainder))
        return ANY_RESIDUE;
    return residue(gcd64(gcd64(ab, ar), br), remainder);
}

/* (m i + r) / c if c divides m; (m i + r) % c likewise for any c, modulo gcd(m, c). */
static Residue divide(Residue a, Residue b) {
    if (b.modulus != 0 || b.remainder <= 0 || a.modulus % b.remainder != 0)
        return ANY_RESIDUE;
    int64_t quotient = a.remainder / b.remainder - (a.remainder % b.remainder < 0);
    return residue(a.modulus / b.remainder, quotient);
}

static Residue modulo(Residue a, Residue b) {
    if (b.modulus != 0 || b.remainder <= 0)
        return ANY_RESIDUE;
    int64_t common = gcd64(a.modulus, b.remainder);
    if (common == b.remainder)
        return residue_point(floor_modulo(a.remainder, b.remainder));
    return residue(common, a.remainder);
}

static Residue raw(Op op, const KnownValue *a) {
    switch ((int)op) {
    case OP_ADD:
    case OP_WIDENING_ADD:
        return add(a[0].residue, a[1].residue, 1);
    case OP_SUB:
    case OP_WIDENING_SUB:
        return add(a[0].residue, a[1].residue, -1);
    case OP_NEG:
        return add(residue_point(0), a[0].residue, -1);
    case OP_MUL:
    case OP_WIDENING_MUL:
        return multiply(a[0].residue, a[1].residue);
    case OP_DIV:
        return divide(a[0].residue, a[1].residue);
    case OP_MOD:
        return modulo(a[0].residue, a[1].residue);
    case OP_MIN:
    case OP_MAX:
        return join(a[0].residue, a[1].residue);
    case OP_SELECT:
        return join(a[1].residue, a[2].residue);
    case OP_CAST:
        return a[0].residue;
    default: /* nothing */
        return ANY_RESIDUE;
    }
}

/* `result` is the interval of the result. If it is the whole type, the operation may have wrapped,
 * which adds multiples of 2^bits. */
Residue residue_apply(Op op, Type type, const KnownValue *arguments, ConstantInterval result) {
    if (interval_is_point(result))
        return residue_point(result.minimum);
    Residue exact = raw(op, arguments);
    if (type_is_index(type))
        return exact;
    if (!type_is_machine_integer(type))
        return ANY_RESIDUE;
    int64_t wrap = type.bits >= 63 ? (int64_t)1 << 62 : (int64_t)1 << type.bits;
    return residue(gcd64(exact.modulus, wrap), exact.remainder);
}
