#include "ir/type.h"

#include <stddef.h>
#include <string.h>

/* Keep the order of TYPE_COUNT (type.h). */
static const struct {
    const char *name;
    Type type;
    int bytes;
} types[TYPE_COUNT] = {
    {"bool", {TYPE_BOOL, 1, 1}, 1},    {"i8", {TYPE_INT, 8, 1}, 1},
    {"i16", {TYPE_INT, 16, 1}, 2},     {"i32", {TYPE_INT, 32, 1}, 4},
    {"i64", {TYPE_INT, 64, 1}, 8},     {"u8", {TYPE_UINT, 8, 1}, 1},
    {"u16", {TYPE_UINT, 16, 1}, 2},    {"u32", {TYPE_UINT, 32, 1}, 4},
    {"u64", {TYPE_UINT, 64, 1}, 8},    {"f16", {TYPE_FLOAT, 16, 1}, 2},
    {"bf16", {TYPE_BFLOAT, 16, 1}, 2}, {"f32", {TYPE_FLOAT, 32, 1}, 4},
    {"f64", {TYPE_FLOAT, 64, 1}, 8},   {"index", {TYPE_INDEX, 64, 1}, 8},
};

int type_number(Type type) {
    int size = type.bits <= 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
    switch ((TypeKind)type.kind) {
    case TYPE_BOOL:
        return 0;
    case TYPE_INT:
        return 1 + size;
    case TYPE_UINT:
        return 5 + size;
    case TYPE_FLOAT:
        return size == 1 ? 9 : 9 + size;
    case TYPE_BFLOAT:
        return 10;
    case TYPE_INDEX:
        return 13;
    }
    return 0;
}

Type type_by_number(int number) {
    return types[number].type;
}
const char *type_name(Type type) {
    return types[type_number(type)].name;
}
int type_bytes(Type type) {
    return types[type_number(type)].bytes;
}

bool type_from_name(const char *name, Type *type) {
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            return true;
        }
    }
    return false;
}

int64_t type_minimum(Type type) {
    if (!type_is_signed(type))
        return 0;
    return type.bits == 64 ? INT64_MIN : -((int64_t)1 << (type.bits - 1));
}

int64_t type_maximum(Type type) {
    if (type_is_signed(type))
        return type.bits == 64 ? INT64_MAX : ((int64_t)1 << (type.bits - 1)) - 1;
    return type.bits == 64 ? -1 : ((int64_t)1 << type.bits) - 1;
}
