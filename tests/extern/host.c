/* host.c -- calls the linked pipeline `sorted` and `spectrum`, and compares with values computed
 * apart: by insertion sort, and by the sum of a discrete Fourier transform. */
#include "sorted.h"
#include "spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 13, HEIGHT = 11, ROW = 21, POINTS = 32 };

static int failures;

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        failures++;
    }
}

static int clamp(int x, int most) {
    return x < 0 ? 0 : x > most ? most : x;
}

static int32_t sorted_at(uint8_t pixels[HEIGHT][WIDTH], int x, int y) {
    int32_t row[ROW];
    for (int i = 0; i < ROW; i++) {
        int32_t value = pixels[clamp(y, HEIGHT - 1)][clamp(i, WIDTH - 1)] * 3 - y;
        int at = i;
        for (; at > 0 && row[at - 1] > value; at--)
            row[at] = row[at - 1];
        row[at] = value;
    }
    return row[x];
}

static int32_t halved(int32_t a) {
    return (a - (a % 2 + 2) % 2) / 2;
}

static void check_sorted(void) {
    static uint8_t pixels[HEIGHT][WIDTH];
    static int32_t result[HEIGHT][ROW];
    uint32_t state = 1;
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        pixels[i / WIDTH][i % WIDTH] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    halide_dimension_t in_dim[] = {{0, WIDTH, 1, 0}, {0, HEIGHT, WIDTH, 0}};
    halide_dimension_t out_dim[] = {{0, ROW, 1, 0}, {0, HEIGHT, ROW, 0}};
    halide_buffer_t in = {.host = pixels[0], .type = {halide_type_uint, 8, 1}, .dimensions = 2};
    halide_buffer_t out = {.host = (uint8_t *)result, .type = {halide_type_int, 32, 1}};
    in.dim = in_dim;
    out.dim = out_dim;
    out.dimensions = 2;
    expect(sorted(&in, ROW, &out) == 0, "sorted returns 0");
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < ROW; x++)
            wrong += result[y][x] !=
                     halved(sorted_at(pixels, x, y)) + halved(sorted_at(pixels, x, y + 1));
    expect(!wrong, "the sorted rows are right");
}

static void check_spectrum(void) {
    static float input[POINTS], power[POINTS];
    for (int i = 0; i < POINTS; i++)
        input[i] = (float)((i * 37) % 11) - 4;
    halide_dimension_t in_dim[] = {{0, POINTS, 1, 0}, {0, 1, POINTS, 0}};
    halide_dimension_t out_dim[] = {{0, POINTS, 1, 0}, {0, 1, POINTS, 0}};
    halide_buffer_t in = {.host = (uint8_t *)input, .type = {halide_type_float, 32, 1}};
    halide_buffer_t out = {.host = (uint8_t *)power, .type = {halide_type_float, 32, 1}};
    in.dim = in_dim;
    out.dim = out_dim;
    in.dimensions = out.dimensions = 2;
    expect(spectrum(&in, 5, 0.25, 1, &out) == 0, "spectrum returns 0");
    double worst = 0;
    for (int k = 0; k < POINTS; k++) {
        double re = 0, im = 0;
        for (int x = 0; x < POINTS; x++) {
            double angle = -2 * 3.141592653589793 * k * x / POINTS;
            double a = input[x], b = x % 3 - 1.0;
            re += a * cos(angle) - b * sin(angle);
            im += a * sin(angle) + b * cos(angle);
        }
        double wanted = 0.0625 * re * re - 0.25 * im;
        worst = fmax(worst, fabs(wanted - power[k]) / (1 + fabs(wanted)));
    }
    expect(worst < 1e-5, "the spectrum is right");
    hlc_report report = {0};
    expect(spectrum_report(&report, &in, 9, 1.0, 0, &out) == HLC_ERROR_EXTERN_STAGE,
           "the function's error is the pipeline's");
    puts(report.message);
}

int main(void) {
    check_sorted();
    check_spectrum();
    return failures != 0;
}
