/* functions.c -- C functions for the extern stages of programs.hl. Each answers bounds queries, and
 * a value of each depends on its own box alone. */
#include "hlc_runtime.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct halide_buffer_t Buffer;

static int asks(const Buffer *in) {
    return !in->host && !in->device;
}

static void need(Buffer *in, int d, int min, int extent) {
    in->dim[d].min = min;
    in->dim[d].extent = extent;
}

static int last(const Buffer *b, int d) {
    return b->dim[d].min + b->dim[d].extent - 1;
}

static void *at(const Buffer *b, int x, int y) {
    int64_t i = (int64_t)(x - b->dim[0].min) * b->dim[0].stride;
    if (b->dimensions > 1)
        i += (int64_t)(y - b->dim[1].min) * b->dim[1].stride;
    return b->host + i * ((b->type.bits + 7) / 8);
}

static int compare(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Element x of the sorted row f(0 .. n - 1, y). */
int sort_row(Buffer *f, int32_t n, Buffer *out) {
    if (asks(f)) {
        need(f, 0, 0, n);
        need(f, 1, out->dim[1].min, out->dim[1].extent);
        return 0;
    }
    int32_t *row = malloc(sizeof *row * (size_t)n);
    for (int y = out->dim[1].min; y <= last(out, 1); y++) {
        for (int x = 0; x < n; x++)
            row[x] = *(int32_t *)at(f, x, y);
        qsort(row, (size_t)n, sizeof *row, compare);
        for (int x = out->dim[0].min; x <= last(out, 0); x++)
            *(int32_t *)at(out, x, y) = x < 0 ? INT32_MIN : x >= n ? INT32_MAX : row[x];
    }
    free(row);
    return 0;
}

static void transform(double complex *v, int n, int step) {
    if (n == 1)
        return;
    double complex even[n / 2], odd[n / 2];
    for (int i = 0; i < n / 2; i++) {
        even[i] = v[2 * i];
        odd[i] = v[2 * i + 1];
    }
    transform(even, n / 2, 2 * step);
    transform(odd, n / 2, 2 * step);
    for (int i = 0; i < n / 2; i++) {
        double complex turn = cexp(-2 * 3.141592653589793 * I * i / n) * odd[i];
        v[i] = even[i] + turn;
        v[i + n / 2] = even[i] - turn;
    }
}

/* Frequency x of the row of 1 << bits complex numbers, times a scale. Fails with 3 if bits is 9. */
int fft_row(Buffer *re, Buffer *im, uint8_t bits, double scale, bool conjugate, Buffer *out_re,
            Buffer *out_im) {
    int n = 1 << bits;
    if (bits == 9)
        return 3;
    if (asks(re)) {
        need(re, 0, 0, n);
        need(re, 1, out_re->dim[1].min, out_re->dim[1].extent);
        need(im, 0, 0, n);
        need(im, 1, out_re->dim[1].min, out_re->dim[1].extent);
        return 0;
    }
    for (int y = out_re->dim[1].min; y <= last(out_re, 1); y++) {
        double complex row[n];
        for (int x = 0; x < n; x++)
            row[x] = *(float *)at(re, x, y) + I * *(float *)at(im, x, y);
        transform(row, n, 1);
        for (int x = out_re->dim[0].min; x <= last(out_re, 0); x++) {
            double complex value = row[(x % n + n) % n] * scale;
            *(float *)at(out_re, x, y) = (float)creal(value);
            *(float *)at(out_im, x, y) = (float)(conjugate ? -cimag(value) : cimag(value));
        }
    }
    return 0;
}

/* The mean of 3 x 3 points of an image of u8, plus scalars of all small types. */
int mean3(Buffer *in, int8_t a, uint16_t b, int64_t c, float w, Buffer *out) {
    if (asks(in)) {
        for (int d = 0; d < 2; d++)
            need(in, d, out->dim[d].min - 1, out->dim[d].extent + 2);
        return 0;
    }
    for (int y = out->dim[1].min; y <= last(out, 1); y++)
        for (int x = out->dim[0].min; x <= last(out, 0); x++) {
            float sum = 0;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    sum += *(uint8_t *)at(in, x + i, y + j);
            *(float *)at(out, x, y) = sum * w + a + b + (float)c;
        }
    return 0;
}

/* No inputs: no query. */
int wave(int32_t n, Buffer *out) {
    for (int x = out->dim[0].min; x <= last(out, 0); x++)
        *(int16_t *)at(out, x, 0) = (int16_t)(x * x % n);
    return 0;
}

/* The greatest of the whole image: no dimension. */
int greatest(Buffer *in, Buffer *out) {
    if (asks(in))
        return 0; /* it is content with whatever the stage declares */
    uint8_t most = 0;
    for (int y = in->dim[1].min; y <= last(in, 1); y++)
        for (int x = in->dim[0].min; x <= last(in, 0); x++)
            if (*(uint8_t *)at(in, x, y) > most)
                most = *(uint8_t *)at(in, x, y);
    *(int32_t *)out->host = most;
    return 0;
}

/* Asks for one point more than the stage declares. */
int greedy(Buffer *in, Buffer *out) {
    if (asks(in)) {
        need(in, 0, out->dim[0].min, out->dim[0].extent + 1);
        return 0;
    }
    for (int x = out->dim[0].min; x <= last(out, 0); x++)
        *(int32_t *)at(out, x, 0) = *(int32_t *)at(in, x, 0);
    return 0;
}

/* Wants to compute whole tiles of 8. */
int tiled(Buffer *in, Buffer *out) {
    if (asks(in)) {
        need(in, 0, out->dim[0].min, out->dim[0].extent);
        out->dim[0].extent = (out->dim[0].extent + 7) / 8 * 8;
        return 0;
    }
    return 0;
}
