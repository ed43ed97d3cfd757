/* fill.c -- contents of images without a file; values and sizes from text. */
#include "library/compiler.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- contents ---- */

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
uint64_t fill_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Integers are uniform over their whole range, floats over [0, 1). */
static Bits random_element(Type type, uint64_t *state) {
    uint64_t bits = fill_random(state);
    return type_is_float(type) ? bits_from_double(type, (double)(bits >> 40) / (1 << 24))
                               : bits_wrap(type, (int64_t)bits);
}

static Bits edge_element(Type type, uint64_t *state) {
    static const double FLOATS[] = {0.0, -0.0, 1.0, -1.5, 255.0, 3e9, -1e30, 0.1, 65536.0};
    uint64_t choice = fill_random(state);
    if (choice % 2)
        return random_element(type, state);
    choice >>= 8;
    if (type_is_float(type))
        return bits_from_double(type, FLOATS[choice % (sizeof FLOATS / sizeof *FLOATS)]);
    int64_t near = (int64_t)(choice >> 8) % 3;
    if (choice % 3 == 0)
        return bits_wrap(type, near - 1);
    return bits_wrap(type, choice % 3 == 1 ? type_minimum(type) + near : type_maximum(type) - near);
}

static Bits element(Type type, FillKind kind, int64_t value, const int64_t *at, int dimensions,
                    uint64_t *state) {
    int64_t sum = 0;
    switch (kind) {
    case FILL_ZERO:
        return 0;
    case FILL_CONSTANT:
        return value;
    case FILL_RAMP:
        for (int d = 0; d < dimensions; d++)
            sum += at[d];
        return type_is_float(type) ? bits_from_double(type, (double)sum) : bits_wrap(type, sum);
    case FILL_RANDOM:
        return random_element(type, state);
    case FILL_EDGES:
        return edge_element(type, state);
    }
    return 0;
}

void fill_image(Image *image, FillKind kind, int64_t value, bool anywhere) {
    uint64_t state = (uint64_t)value;
    int64_t at[MAX_IMAGE_DIMENSIONS] = {0}, point[MAX_IMAGE_DIMENSIONS];
    int64_t count = image_count(image);
    for (int64_t i = 0; i < count; i++) {
        for (int d = 0; d < image->dimensions; d++)
            point[d] = image->minimum[d] + at[d];
        if (anywhere) {
            state = (uint64_t)value;
            for (int d = 0; d < image->dimensions; d++) {
                state ^= (uint64_t)point[d];
                state = fill_random(&state);
            }
        }
        bits_store(
            image->type, image_at(image, point),
            element(image->type, kind, value, anywhere ? point : at, image->dimensions, &state));
        for (int d = 0; d < image->dimensions && ++at[d] == image->extent[d]; d++)
            at[d] = 0;
    }
}

/* ---- text ---- */

static bool integer_from_text(const char **text, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool read = end != *text && errno == 0;
    *text = end;
    return read;
}

bool value_from_text(Type type, const char *text, Bits *bits) {
    char *end;
    errno = 0;
    if (type_is_bool(type)) {
        *bits = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return *bits || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    }
    if (type_is_float(type)) {
        *bits = bits_from_text(type, text, &end);
        return end != text && *end == 0;
    }
    if (type.kind == TYPE_UINT && type.bits == 64) {
        unsigned long long value = strtoull(text, &end, 10);
        *bits = (Bits)value;
        return end != text && *end == 0 && errno == 0 && *text != '-';
    }
    int64_t value;
    if (!integer_from_text(&text, &value) || *text)
        return false;
    *bits = value;
    return value >= type_minimum(type) && value <= type_maximum(type);
}

bool size_from_text(const char *text, int dimensions, int64_t *minimum, int64_t *extent,
                    bool *has_minimum) {
    for (int d = 0; d < dimensions; d++) {
        if (d > 0 && *text++ != 'x')
            return false;
        if (!integer_from_text(&text, &extent[d]) || extent[d] < 0 || extent[d] > INT32_MAX)
            return false;
        minimum[d] = 0;
    }
    *has_minimum = *text != 0;
    for (int d = 0; d < dimensions && *has_minimum; d++) {
        if (*text != '+' && *text != '-')
            return false;
        text += *text == '+';
        if (!integer_from_text(&text, &minimum[d]) || minimum[d] < INT32_MIN ||
            minimum[d] > INT32_MAX)
            return false;
    }
    return *text == 0;
}

bool point_from_text(const char *text, int dimensions, int64_t *point) {
    for (int d = 0; d < dimensions; d++) {
        if (d > 0 && *text++ != ',')
            return false;
        if (!integer_from_text(&text, &point[d]) || point[d] < INT32_MIN || point[d] > INT32_MAX)
            return false;
    }
    return *text == 0;
}
