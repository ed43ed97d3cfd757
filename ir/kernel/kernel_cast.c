/* kernel_cast.c -- conversions: wrapping and saturating casts between all types.
 *
 * A kernel depends on the target type and on how the source's canonical bits are read: as a signed
 * number of 64 bits (bool, index and all integers but u64), as u64, or as one of the float types.
 * Integer to float rounds once, and so does float to float.  Float to integer rounds toward zero and saturates; NaN gives 0.  A cast to bool is
 * `x != 0`.  A cast to index is exact: value.c refuses values that do not fit.
 */
#define KERNEL_LINKAGE static
#include "ir/kernel/kernel.h"
#include "ir/short_float.h"

static inline float from_f32(Bits bits) {
    return float_of((uint32_t)bits);
}

static inline double from_f64(Bits bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline Bits to_f32(float value) {
    return word_of(value);
}

static inline Bits to_f64(double value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ABOVE is the type's greatest value plus one. It is a power of two, so every float type holds it
 * exactly. */
#define FROM_FLOAT(T, LEAST, MOST, ABOVE, V)                                                       \
    ({                                                                                             \
        __typeof__(V) v_ = (V);                                                                    \
        v_ != v_ ? 0 : v_ <= (LEAST) ? (T)(LEAST) : v_ >= (ABOVE) ? (T)(MOST) : (T)v_;             \
    })

/* Takes the type, its name, its least and greatest value, and MOST + 1 as a float. */
#define INTEGER_CASTS(T, NAME, LEAST, MOST, ABOVE)                                                 \
    KERNEL(wrap_##NAME, out[k] = (Bits)(T)x[k])                                                    \
    KERNEL(clamp_signed_##NAME, out[k] = x[k] < (int64_t)(LEAST)             ? (Bits)(T)(LEAST)    \
                                         : (__int128)x[k] > (__int128)(MOST) ? (Bits)(T)(MOST)     \
                                                                             : (Bits)(T)x[k])      \
    KERNEL(clamp_u64_##NAME,                                                                       \
           out[k] = (uint64_t)x[k] > (uint64_t)(MOST) ? (Bits)(T)(MOST) : (Bits)(T)x[k])           \
    KERNEL(f16_to_##NAME, out[k] = (Bits)FROM_FLOAT(T, LEAST, MOST, ABOVE##f, load_f16(x[k])))     \
    KERNEL(bf16_to_##NAME, out[k] = (Bits)FROM_FLOAT(T, LEAST, MOST, ABOVE##f, load_bf16(x[k])))   \
    KERNEL(f32_to_##NAME, out[k] = (Bits)FROM_FLOAT(T, LEAST, MOST, ABOVE##f, from_f32(x[k])))     \
    KERNEL(f64_to_##NAME, out[k] = (Bits)FROM_FLOAT(T, LEAST, MOST, ABOVE, from_f64(x[k])))

INTEGER_CASTS(int8_t, i8, INT8_MIN, INT8_MAX, 0x1p7)
INTEGER_CASTS(int16_t, i16, INT16_MIN, INT16_MAX, 0x1p15)
INTEGER_CASTS(int32_t, i32, INT32_MIN, INT32_MAX, 0x1p31)
INTEGER_CASTS(int64_t, i64, INT64_MIN, INT64_MAX, 0x1p63)
INTEGER_CASTS(uint8_t, u8, 0, UINT8_MAX, 0x1p8)
INTEGER_CASTS(uint16_t, u16, 0, UINT16_MAX, 0x1p16)
INTEGER_CASTS(uint32_t, u32, 0, UINT32_MAX, 0x1p32)
INTEGER_CASTS(uint64_t, u64, 0, UINT64_MAX, 0x1p64)

KERNEL(whole_to_bool, out[k] = x[k] != 0)
KERNEL(f16_to_bool, out[k] = load_f16(x[k]) != 0)
KERNEL(bf16_to_bool, out[k] = load_bf16(x[k]) != 0)
KERNEL(f32_to_bool, out[k] = from_f32(x[k]) != 0)
KERNEL(f64_to_bool, out[k] = from_f64(x[k]) != 0)

#define TO_SHORT(NAME)                                                                             \
    KERNEL(signed_to_##NAME, out[k] = store_##NAME(odd_from_f64(odd_from_i64(x[k]))))              \
    KERNEL(u64_to_##NAME, out[k] = store_##NAME(odd_from_f64(odd_from_u64((uint64_t)x[k]))))       \
    KERNEL(f32_to_##NAME, out[k] = store_##NAME(from_f32(x[k])))                                   \
    KERNEL(f64_to_##NAME, out[k] = store_##NAME(odd_from_f64(from_f64(x[k]))))
TO_SHORT(f16)
TO_SHORT(bf16)
KERNEL(bf16_to_f16, out[k] = store_f16(load_bf16(x[k])))
KERNEL(f16_to_bf16, out[k] = store_bf16(load_f16(x[k])))
KERNEL(f16_to_f32, out[k] = to_f32(load_f16(x[k])))
KERNEL(bf16_to_f32, out[k] = to_f32(load_bf16(x[k])))
KERNEL(f16_to_f64, out[k] = to_f64((double)load_f16(x[k])))
KERNEL(bf16_to_f64, out[k] = to_f64((double)load_bf16(x[k])))

KERNEL(signed_to_f32, out[k] = to_f32((float)x[k]))
KERNEL(signed_to_f64, out[k] = to_f64((double)x[k]))
KERNEL(u64_to_f32, out[k] = to_f32((float)(uint64_t)x[k]))
KERNEL(u64_to_f64, out[k] = to_f64((double)(uint64_t)x[k]))
KERNEL(f64_to_f32, out[k] = to_f32((float)from_f64(x[k])))
KERNEL(f32_to_f64, out[k] = to_f64((double)from_f32(x[k])))
KERNEL(same, out[k] = x[k])

typedef enum CastReading {
    READ_SIGNED,
    READ_U64,
    READ_F16,
    READ_BF16,
    READ_F32,
    READ_F64,
    READING_COUNT
} CastReading;

static CastReading reading(int type_number) {
    static const uint8_t readings[TYPE_COUNT] = {
        [8] = READ_U64, [9] = READ_F16, [10] = READ_BF16, [11] = READ_F32, [12] = READ_F64};
    return (CastReading)readings[type_number];
}

#define FLOATS_TO(NAME) f16_to_##NAME, bf16_to_##NAME, f32_to_##NAME, f64_to_##NAME
#define INTEGER_ROW(NAME)                                                                          \
    { wrap_##NAME, wrap_##NAME, FLOATS_TO(NAME) }
#define CLAMP_ROW(NAME)                                                                            \
    { clamp_signed_##NAME, clamp_u64_##NAME, FLOATS_TO(NAME) }
#define BOOL_ROW                                                                                   \
    { whole_to_bool, whole_to_bool, FLOATS_TO(bool) }
#define F16_ROW                                                                                    \
    { signed_to_f16, u64_to_f16, same, bf16_to_f16, f32_to_f16, f64_to_f16 }
#define BF16_ROW                                                                                   \
    { signed_to_bf16, u64_to_bf16, f16_to_bf16, same, f32_to_bf16, f64_to_bf16 }
#define F32_ROW                                                                                    \
    { signed_to_f32, u64_to_f32, f16_to_f32, bf16_to_f32, same, f64_to_f32 }
#define F64_ROW                                                                                    \
    { signed_to_f64, u64_to_f64, f16_to_f64, bf16_to_f64, f32_to_f64, same }

ValueKernel *kernel_cast(Op op, int from_number, int to_number) {
    static ValueKernel *const wrapping[TYPE_COUNT][READING_COUNT] = {
        BOOL_ROW,        INTEGER_ROW(i8),  INTEGER_ROW(i16), INTEGER_ROW(i32), INTEGER_ROW(i64),
        INTEGER_ROW(u8), INTEGER_ROW(u16), INTEGER_ROW(u32), INTEGER_ROW(u64), F16_ROW,
        BF16_ROW,        F32_ROW,          F64_ROW,          INTEGER_ROW(i64)};
    static ValueKernel *const saturating[TYPE_COUNT][READING_COUNT] = {
        [1] = CLAMP_ROW(i8), CLAMP_ROW(i16), CLAMP_ROW(i32), CLAMP_ROW(i64),
        CLAMP_ROW(u8),       CLAMP_ROW(u16), CLAMP_ROW(u32), CLAMP_ROW(u64)};
    return (op == OP_SATURATING_CAST ? saturating : wrapping)[to_number][reading(from_number)];
}
