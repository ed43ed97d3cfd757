/* math.h -- inside codegen/: SLEEF's variants of each function of math.def, by type, number of
 * lanes and processor features. Its names encode all three: Sleef_finz_sinf16_u10avx512f. All
 * variants give the same bits as the scalar one (tests/unit/codegen_math.c).
 *
 *   V(LETTER, BITS, LANES, SUFFIX, NAME)     letter of the type, its width, ..; NAME is passed on
 *
 * Wider variants stand first.
 */
#ifndef HLC_CODEGEN_MATH_H
#define HLC_CODEGEN_MATH_H

#define MATH_ON_X86(V, NAME)                                                                       \
    V(f, 32, 16, avx512f, NAME)                                                                    \
    V(d, 64, 8, avx512f, NAME)                                                                     \
    V(f, 32, 8, avx2, NAME)                                                                        \
    V(d, 64, 4, avx2, NAME)                                                                        \
    V(f, 32, 4, avx2128, NAME)                                                                     \
    V(d, 64, 2, avx2128, NAME)

#define MATH_ON_AARCH64(V, NAME)                                                                   \
    V(f, 32, 4, advsimd, NAME)                                                                     \
    V(d, 64, 2, advsimd, NAME)

/* On every machine with fused multiply-add. */
#define MATH_SCALAR(V, NAME)                                                                       \
    V(f, 32, 1, purecfma, NAME)                                                                    \
    V(d, 64, 1, purecfma, NAME)

/* The variants in SLEEF of the machine that hlc is compiled for. */
#if defined(__x86_64__)
#define MATH_ON_HOST(V, NAME) MATH_ON_X86(V, NAME) MATH_SCALAR(V, NAME)
#elif defined(__aarch64__)
#define MATH_ON_HOST(V, NAME) MATH_ON_AARCH64(V, NAME) MATH_SCALAR(V, NAME)
#else
#define MATH_ON_HOST(V, NAME) MATH_SCALAR(V, NAME)
#endif

#endif
