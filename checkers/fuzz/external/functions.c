/* functions.c -- the C functions of random programs (external.h). They need nothing of the compiler
 * but its C ABI. */
#include "runtime/hlc_runtime.h"

#include <string.h>

enum { MOST_DIMENSIONS = 8 };

int fuzz_mix_11(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out);
int fuzz_mix_12(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out,
                halide_buffer_t *out1);
int fuzz_mix_21(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out);
int fuzz_mix_22(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out, halide_buffer_t *out1);

typedef struct Mixing {
    halide_buffer_t *in[2], *out[2];
    int inputs, outputs;
    int32_t low, high;
} Mixing;

static uint8_t *at(const halide_buffer_t *b, const int32_t *point) {
    int64_t element = 0;
    for (int d = 0; d < b->dimensions; d++)
        element += ((int64_t)point[d] - b->dim[d].min) * b->dim[d].stride;
    return b->host + element * ((b->type.bits + 7) / 8);
}

/* All NaNs are one value. */
static uint64_t read_bits(const halide_buffer_t *b, const int32_t *point) {
    uint64_t bits = 0;
    memcpy(&bits, at(b, point), (size_t)(b->type.bits + 7) / 8);
    if (b->type.bits == 1)
        return bits & 1;
    int fraction = b->type.code == halide_type_bfloat  ? 7
                   : b->type.code != halide_type_float ? 0
                   : b->type.bits == 16                ? 10
                   : b->type.bits == 32                ? 23
                                                       : 52;
    uint64_t magnitude = bits & (UINT64_MAX >> (65 - b->type.bits));
    uint64_t infinity = ((UINT64_C(1) << (b->type.bits - 1)) - 1) >> fraction << fraction;
    return fraction && magnitude > infinity ? 12345 : bits;
}

static void write_number(const halide_buffer_t *b, const int32_t *point, uint64_t number) {
    uint8_t *place = at(b, point);
    float single = (float)(int16_t)number;
    double twice = (double)(int32_t)number;
    number &= b->type.bits == 1 ? 1 : UINT64_MAX;
    if (b->type.code == halide_type_float)
        memcpy(place, b->type.bits == 32 ? (void *)&single : (void *)&twice, b->type.bits / 8);
    else
        memcpy(place, &number, (size_t)(b->type.bits + 7) / 8);
}

/* Which coordinate of the output does dimension d of an input follow? -1: none. */
static int followed(const Mixing *m, int d) {
    int last = m->out[0]->dimensions - 1;
    return d < last ? d : last;
}

static void answer(const Mixing *m) {
    for (int i = 0; i < m->inputs; i++)
        for (int d = 0; d < m->in[i]->dimensions; d++) {
            int k = followed(m, d);
            m->in[i]->dim[d].min = (k < 0 ? 0 : m->out[0]->dim[k].min) + m->low;
            m->in[i]->dim[d].extent = (k < 0 ? 1 : m->out[0]->dim[k].extent) + m->high - m->low;
        }
}

static uint64_t mix_box(const Mixing *m, const halide_buffer_t *in, const int32_t *point,
                        uint64_t hash) {
    int32_t first[MOST_DIMENSIONS], here[MOST_DIMENSIONS];
    for (int d = 0; d < in->dimensions; d++)
        here[d] = first[d] = (followed(m, d) < 0 ? 0 : point[followed(m, d)]) + m->low;
    for (int d = 0; d >= 0;) {
        hash = (hash ^ read_bits(in, here)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        for (d = 0; d < in->dimensions && here[d] == first[d] + m->high - m->low; d++)
            here[d] = first[d];
        if (d == in->dimensions)
            break;
        here[d]++;
    }
    return hash;
}

static int mix(const Mixing *m) {
    const halide_buffer_t *out = m->out[0];
    int32_t point[MOST_DIMENSIONS];
    if (!m->in[0]->host) {
        answer(m);
        return 0;
    }
    for (int d = 0; d < out->dimensions; d++) {
        point[d] = out->dim[d].min;
        if (out->dim[d].extent <= 0)
            return 99; /* an empty region makes no call */
    }
    for (int d = 0; d >= 0;) {
        uint64_t hash = 1;
        for (int i = 0; i < m->inputs; i++)
            hash = mix_box(m, m->in[i], point, hash);
        for (int i = 0; i < m->outputs; i++)
            write_number(m->out[i], point, (hash >> 32) + (uint64_t)i);
        for (d = 0; d < out->dimensions && point[d] == out->dim[d].min + out->dim[d].extent - 1;
             d++)
            point[d] = out->dim[d].min;
        if (d == out->dimensions)
            break;
        point[d]++;
    }
    return 0;
}

int fuzz_mix_11(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out) {
    return mix(&(Mixing){{a, NULL}, {out, NULL}, 1, 1, low, high});
}

int fuzz_mix_12(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out,
                halide_buffer_t *out1) {
    return mix(&(Mixing){{a, NULL}, {out, out1}, 1, 2, low, high});
}

int fuzz_mix_21(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out) {
    return mix(&(Mixing){{a, b}, {out, NULL}, 2, 1, low, high});
}

int fuzz_mix_22(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out, halide_buffer_t *out1) {
    return mix(&(Mixing){{a, b}, {out, out1}, 2, 2, low, high});
}
