/* own_word.c -- words of other languages, and the words of this one that mean the same. */
#include "frontend/ast.h"

#include <string.h>

const char *syntax_own_word(const char *word) {
    static const struct {
        const char *other, *own;
    } words[] = {
        {"func", "fun"},
        {"function", "fun"},
        {"def", "fun"},
        {"fn", "fun"},
        {"bool_t", "bool"},
        {"char", "i8"},
        {"short", "i16"},
        {"int", "i32"},
        {"long", "i64"},
        {"int8", "i8"},
        {"int16", "i16"},
        {"int32", "i32"},
        {"int64", "i64"},
        {"uint8", "u8"},
        {"uint16", "u16"},
        {"uint32", "u32"},
        {"uint64", "u64"},
        {"int8_t", "i8"},
        {"int16_t", "i16"},
        {"int32_t", "i32"},
        {"int64_t", "i64"},
        {"uint8_t", "u8"},
        {"uint16_t", "u16"},
        {"uint32_t", "u32"},
        {"uint64_t", "u64"},
        {"half", "f16"},
        {"float16", "f16"},
        {"bfloat16", "bf16"},
        {"float", "f32"},
        {"float32", "f32"},
        {"double", "f64"},
        {"float64", "f64"},
        {"clamp_edge", "repeat_edge"},
        {"clamp_to_edge", "repeat_edge"},
        {"constant_border", "constant_exterior"},
        {"wrap_around", "repeat_image"},
        {"reflect", "mirror_image"},
        {"count_leading_zeros", "clz"},
        {"count_trailing_zeros", "ctz"},
        {"random_float", "random.uniform"},
        {"random_uint", "random.bits"},
        {"random_int", "random.bits"},
        {"asinh", "math.asinh"},
        {"acosh", "math.acosh"},
        {"log1p", "math.log1p"},
        {"mux", "[a, b, ..][i]"},
        {"saturating_u8", "u8_sat"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].other, word))
            return words[i].own;
    return NULL;
}
