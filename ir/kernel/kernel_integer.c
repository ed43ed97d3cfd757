/* kernel_integer.c -- the integer kernels: kernel_integer.def expanded for each of the eight types.
 *
 * kernel_integer.inc makes the functions and the table of one type. The eight stanzas below define
 * all differences between the types.
 */
#include "ir/kernel/kernel.h"

typedef __int128 WideProduct;
typedef unsigned __int128 UnsignedWideProduct;

/* The rows serve all types, so some comparisons are always true on unsigned types. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* Computes floor(product / 2^amount) for every amount. */
static inline WideProduct shift_signed(WideProduct product, uint64_t amount) {
    return product >> (amount < 127 ? amount : 127);
}

static inline UnsignedWideProduct shift_unsigned(UnsignedWideProduct product, uint64_t amount) {
    return amount < 128 ? product >> amount : 0;
}

/* Computes floor(product / 2^amount + 1/2): adds the last bit that the shift drops. */
static inline WideProduct round_signed(WideProduct product, uint64_t amount) {
    return amount == 0 ? product
                       : shift_signed(product, amount) + (shift_signed(product, amount - 1) & 1);
}

static inline UnsignedWideProduct round_unsigned(UnsignedWideProduct product, uint64_t amount) {
    return amount == 0
               ? product
               : shift_unsigned(product, amount) + (shift_unsigned(product, amount - 1) & 1);
}

#define M uint64_t
#define SATURATE(V)                                                                                \
    ({                                                                                             \
        __typeof__(V) v_ = (V);                                                                    \
        v_<LEAST ? (T)LEAST : v_> MOST ? (T)MOST : (T)v_;                                          \
    })

#define IS_SIGNED     1
#define DIVIDE        divide_signed
#define MODULO        modulo_signed
#define SHIFT_PRODUCT shift_signed
#define ROUND_PRODUCT round_signed
#define P             WideProduct

#define SUFFIX i8
#define T      int8_t
#define U      uint8_t
#define WIDER  int16_t
#define BITS   8
#define LEAST  INT8_MIN
#define MOST   INT8_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#define SUFFIX i16
#define T      int16_t
#define U      uint16_t
#define WIDER  int32_t
#define BITS   16
#define LEAST  INT16_MIN
#define MOST   INT16_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#define SUFFIX i32
#define T      int32_t
#define U      uint32_t
#define WIDER  int64_t
#define BITS   32
#define LEAST  INT32_MIN
#define MOST   INT32_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#define SUFFIX i64
#define T      int64_t
#define U      uint64_t
#define WIDER  int64_t
#define BITS   64
#define LEAST  INT64_MIN
#define MOST   INT64_MAX
#define W      UnsignedWideProduct
#define S      WideProduct
#include "ir/kernel/kernel_integer.inc"

#undef IS_SIGNED
#undef DIVIDE
#undef MODULO
#define IS_SIGNED 0
#define DIVIDE    divide_unsigned
#define MODULO    modulo_unsigned

#define SUFFIX u8
#define T      uint8_t
#define U      uint8_t
#define WIDER  uint16_t
#define BITS   8
#define LEAST  0
#define MOST   UINT8_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#define SUFFIX u16
#define T      uint16_t
#define U      uint16_t
#define WIDER  uint32_t
#define BITS   16
#define LEAST  0
#define MOST   UINT16_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#define SUFFIX u32
#define T      uint32_t
#define U      uint32_t
#define WIDER  uint64_t
#define BITS   32
#define LEAST  0
#define MOST   UINT32_MAX
#define W      uint64_t
#define S      int64_t
#include "ir/kernel/kernel_integer.inc"

#undef SHIFT_PRODUCT
#undef ROUND_PRODUCT
#undef P
#define SHIFT_PRODUCT shift_unsigned
#define ROUND_PRODUCT round_unsigned
#define P             UnsignedWideProduct

#define SUFFIX u64
#define T      uint64_t
#define U      uint64_t
#define WIDER  uint64_t
#define BITS   64
#define LEAST  0
#define MOST   UINT64_MAX
#define W      UnsignedWideProduct
#define S      WideProduct
#include "ir/kernel/kernel_integer.inc"

ValueKernel *kernel_integer(Op op, int type_number) {
    static ValueKernel *const *const tables[TYPE_COUNT] = {
        NULL,      table_i8,  table_i16, table_i32, table_i64, table_u8,
        table_u16, table_u32, table_u64, NULL,      NULL,      NULL};
    return tables[type_number] ? tables[type_number][op] : NULL;
}
