/* limits.c -- measures the machine's limits beside the kernels:
 *
 *     blur_hand, blur_stream   the 3x3 blur by hand, in sliding strips; with streaming stores
 *     openblas                 OpenBLAS's matrix product (OPENBLAS_CORETYPE names its kernels)
 *     copy                     memcpy of the blur's image, a part for each thread
 *     read                     reads all inputs of a kernel once, in order, a part for each thread
 *     multiply_add             float multiply-adds in registers
 *     edit_distance            two rows of the table of an edit distance, in ordinary C
 *
 * A row's `limit` names the measurement on its images. `bench_limits copy` and `bench_limits
 * multiply_add` are rows of their own.
 */
#include "bench/kernel.h"

#include <cblas.h>
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, COLUMN = 8, STRIP = 60, ACCUMULATORS = 16, STEPS = 200000 };
typedef float Floats __attribute__((vector_size(64)));

/* ---- the blur
 * ------------------------------------------------------------------------------------
 */

/* x/3 is the upper half of 0xAAAB*x, halved. */
static inline __m512i third(__m512i v) {
    return _mm512_srli_epi16(_mm512_mulhi_epu16(v, _mm512_set1_epi16((short)0xAAAB)), 1);
}

static inline __m512i sum(__m512i a, __m512i b, __m512i c) {
    return _mm512_add_epi16(_mm512_add_epi16(a, b), c);
}

static inline __m512i across(const uint16_t *p) {
    return third(sum(_mm512_loadu_si512(p), _mm512_loadu_si512(p + 1), _mm512_loadu_si512(p + 2)));
}

/* A block of 256 x 60 pixels: the last two rows of the first pass stay in registers. */
static void blur_block(uint16_t *to, long to_pitch, const uint16_t *from, long pitch, bool stream) {
    __m512i a[COLUMN], b[COLUMN];
    for (int k = 0; k < COLUMN; k++)
        a[k] = across(from + LANES * k), b[k] = across(from + pitch + LANES * k);
    for (int y = 0; y < STRIP; y++)
#pragma GCC unroll 8
        for (int k = 0; k < COLUMN; k++) {
            __m512i c = across(from + (y + 2) * pitch + LANES * k);
            void *place = to + y * to_pitch + LANES * k;
            __m512i value = third(sum(a[k], b[k], c));
            if (stream)
                _mm512_stream_si512(place, value);
            else
                _mm512_storeu_si512(place, value);
            a[k] = b[k], b[k] = c;
        }
}

static void blur(const halide_buffer_t *in, const halide_buffer_t *out, bool stream) {
    const uint16_t *from = (const uint16_t *)in->host;
    uint16_t *to = (uint16_t *)out->host;
    long pitch = in->dim[1].stride, to_pitch = out->dim[1].stride;
    int width = out->dim[0].extent, height = out->dim[1].extent;
#pragma omp parallel for
    for (int y = 0; y < height; y += STRIP)
        for (int x = 0; x < width; x += LANES * COLUMN)
            blur_block(to + y * to_pitch + x, to_pitch, from + y * pitch + x, pitch, stream);
    _mm_sfence();
}

/* ---- the others
 * ----------------------------------------------------------------------------------
 */

static void copy(const halide_buffer_t *in, const halide_buffer_t *out) {
    size_t all = (size_t)out->dim[0].extent * (size_t)out->dim[1].extent * out->type.bits / 8;
#pragma omp parallel
    {
        size_t threads = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        size_t begin = all / threads * i, end = i + 1 == threads ? all : begin + all / threads;
        memcpy(out->host + begin, in->host + begin, end - begin);
    }
}

static uint64_t read_part(const uint8_t *data, size_t bytes) {
    typedef uint64_t Words __attribute__((vector_size(64), aligned(1)));
    const Words *words = (const Words *)data;
    Words sums[4] = {{0}};
    for (size_t i = 0; i + 4 <= bytes / sizeof *words; i += 4)
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            sums[k] += words[i + k];
    Words sum = sums[0] + sums[1] + sums[2] + sums[3];
    uint64_t total = 0;
    for (int k = 0; k < 8; k++)
        total += sum[k];
    return total;
}

static uint64_t read_all(halide_buffer_t **images, int count) {
    uint64_t total = 0;
#pragma omp parallel reduction(+ : total)
    for (int i = 0; i < count; i++) {
        size_t all = images[i]->type.bits / 8u;
        for (int d = 0; d < images[i]->dimensions; d++)
            all *= (size_t)images[i]->dim[d].extent;
        size_t threads = (size_t)omp_get_num_threads(), part = (size_t)omp_get_thread_num();
        size_t begin = all / threads * part,
               end = part + 1 == threads ? all : begin + all / threads;
        total += read_part(images[i]->host + begin, end - begin);
    }
    return total;
}

/* Enough independent chains to hide the latency. */
static float multiply_add(void) {
    float total = 0;
#pragma omp parallel reduction(+ : total)
    {
        Floats v[ACCUMULATORS], a, b;
        for (int j = 0; j < 16; j++)
            a[j] = 0.999f + (float)j * 1e-6f, b[j] = 1e-3f;
        for (int k = 0; k < ACCUMULATORS; k++)
            v[k] = a * (float)k;
        for (long i = 0; i < STEPS / omp_get_num_threads(); i++)
#pragma GCC unroll 16
            for (int k = 0; k < ACCUMULATORS; k++)
                v[k] = v[k] * a + b;
        for (int k = 0; k < ACCUMULATORS; k++)
            for (int j = 0; j < 16; j++)
                total += v[k][j];
    }
    return total;
}

/* Computes one row of the table after the other, each in the memory of the previous one. */
static int32_t edit_distance(const halide_buffer_t *a, const halide_buffer_t *b) {
    int rows = a->dim[0].extent, columns = b->dim[0].extent;
    int32_t *row = malloc(sizeof *row * ((size_t)columns + 1));
    if (!row)
        abort();
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 1; i <= rows; i++) {
        int32_t diagonal = row[0], left = row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int32_t above = row[j], changed = diagonal + (a->host[i - 1] != b->host[j - 1]);
            int32_t moved = (above < left ? above : left) + 1;
            row[j] = left = moved < changed ? moved : changed;
            diagonal = above;
        }
    }
    int32_t distance = row[columns];
    free(row);
    return distance;
}

static bool compile(const Kernel *of, double *lower_ms, double *all_ms) {
    (void)of;
    *lower_ms = *all_ms = 0;
    return true;
}

static bool run(const Kernel *of, halide_buffer_t **buffers) {
    static volatile float sink;
    const halide_buffer_t *in = buffers[0], *out = buffers[of->inputs];
    if (!strcmp(of->limit, "blur_hand") || !strcmp(of->limit, "blur_stream"))
        blur(in, out, !strcmp(of->limit, "blur_stream"));
    else if (!strcmp(of->limit, "copy"))
        copy(in, out);
    else if (!strcmp(of->limit, "read"))
        sink = (float)read_all(buffers, of->inputs);
    else if (!strcmp(of->limit, "multiply_add"))
        sink = multiply_add();
    else if (!strcmp(of->limit, "edit_distance"))
        *(int32_t *)out->host = edit_distance(in, buffers[1]);
    else if (!strcmp(of->limit, "openblas")) {
        int n = out->dim[0].extent;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, (float *)in->host, n,
                    (float *)buffers[1]->host, n, 0, (float *)out->host, n);
    } else
        return false;
    (void)sink;
    return true;
}

int main(int argc, char **argv) {
    return kernel_serve(argc, argv, &(Side){compile, run});
}
