/* type.h -- scalar types, and `index`, the sort of coordinates.
 *
 * `index` stands for the integers.  At run time it is an i64.  Its arithmetic is proved or checked
 * never to leave the range of i64, so it never wraps.  All other integer types wrap.
 */
#ifndef HLC_IR_TYPE_H
#define HLC_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* TYPE_FLOAT is IEEE 754's binary formats. TYPE_BFLOAT is bf16: the upper half of an f32. */
typedef enum TypeKind {
    TYPE_BOOL,
    TYPE_INT,
    TYPE_UINT,
    TYPE_FLOAT,
    TYPE_BFLOAT,
    TYPE_INDEX
} TypeKind;

/* `lanes` is 1 for scalars. Programs have only scalars; see expr.h for vectors. */
typedef struct Type {
    uint8_t kind; /* TypeKind */
    uint8_t bits; /* 1 for bool, 64 for index */
    uint16_t lanes;
} Type;

#define TYPE(KIND, BITS) ((Type){TYPE_##KIND, (BITS), 1})
#define BOOL             TYPE(BOOL, 1)
#define I8               TYPE(INT, 8)
#define I16              TYPE(INT, 16)
#define I32              TYPE(INT, 32)
#define I64              TYPE(INT, 64)
#define U8               TYPE(UINT, 8)
#define U16              TYPE(UINT, 16)
#define U32              TYPE(UINT, 32)
#define U64              TYPE(UINT, 64)
#define F16              TYPE(FLOAT, 16)
#define BF16             TYPE(BFLOAT, 16)
#define F32              TYPE(FLOAT, 32)
#define F64              TYPE(FLOAT, 64)
#define INDEX            TYPE(INDEX, 64)

#define TYPE_COUNT 14 /* the types above, in that order; type_number and type_by_number use it */

/* Returns the whole type as one number. */
static inline uint32_t type_word(Type type) {
    uint32_t word;
    memcpy(&word, &type, sizeof word);
    return word;
}
static inline bool type_equal(Type a, Type b) {
    return type_word(a) == type_word(b);
}
static inline bool type_is_index(Type t) {
    return t.kind == TYPE_INDEX;
}
static inline bool type_is_bool(Type t) {
    return t.kind == TYPE_BOOL;
}
static inline bool type_is_float(Type t) {
    return t.kind == TYPE_FLOAT || t.kind == TYPE_BFLOAT;
}
/* Is it f16 or bf16? Their operations are computed in f32, and rounded once. */
static inline bool type_is_short_float(Type t) {
    return type_is_float(t) && t.bits == 16;
}
/* Returns the bits of a float type's significand, the leading one included. The exponent has the
 * other bits but the sign: `bits - precision`. */
static inline int type_precision(Type t) {
    return t.kind == TYPE_BFLOAT ? 8 : t.bits == 16 ? 11 : t.bits == 32 ? 24 : 53;
}
/* Is it an integer that wraps: i8..i64, u8..u64? */
static inline bool type_is_machine_integer(Type t) {
    return t.kind == TYPE_INT || t.kind == TYPE_UINT;
}
static inline bool type_is_signed(Type t) {
    return t.kind == TYPE_INT || t.kind == TYPE_INDEX;
}
/* Returns the unsigned type of the same width for a signed machine integer; other types unchanged.
 */
static inline Type type_unsigned(Type t) {
    t.kind = t.kind == TYPE_INT ? TYPE_UINT : t.kind;
    return t;
}

int type_number(Type type);
Type type_by_number(int number);
/* Returns "bool", "i8", .., "f64", "index". */
const char *type_name(Type type);
/* Finds the type of this name; false if there is none. */
bool type_from_name(const char *name, Type *type);
/* Returns the bytes of one element in memory. A bool takes 1. */
int type_bytes(Type type);
/* Does the machine integer type `wide` hold every number of `narrow`? A cast to it then changes no
 * number. */
static inline bool type_holds(Type wide, Type narrow) {
    return type_equal(wide, narrow) ||
           (wide.bits > narrow.bits && (type_is_signed(wide) || !type_is_signed(narrow)));
}
/* Return the least and greatest value of an integer type of at most 64 bits, in canonical bits
 * (value.h). */
int64_t type_minimum(Type type);
int64_t type_maximum(Type type);

#endif
