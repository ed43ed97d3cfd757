/* plain.c -- the box blur of examples/blur.hl as plain C loops, for `make demo` to time beside it.
 *
 *     cc -O3 -march=native -o plain plain.c && ./plain 9 in.pgm out.pgm
 *
 * Two passes, as one would write them: sums along x, then along y, with one thread. The rows of the inner
 * loops are contiguous, so the compiler can vectorize them. It prints the least time of ten runs, in
 * milliseconds. The result is the same, byte for byte. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int clamp(int value, int most) {
    return value < 0 ? 0 : value > most ? most : value;
}

static void blur(const uint8_t *in, uint8_t *out, int32_t *row_sums, int width, int height, int w) {
    int32_t area = (2 * w + 1) * (2 * w + 1);
    int32_t *line = malloc((size_t)width * sizeof *line);
    uint8_t *padded = malloc((size_t)(width + 2 * w));
    for (int y = 0; y < height; y++) {
        int32_t *sums = row_sums + (size_t)y * (size_t)width;
        for (int x = -w; x < width + w; x++)
            padded[x + w] = in[(size_t)y * (size_t)width + (size_t)clamp(x, width - 1)];
        memset(sums, 0, (size_t)width * sizeof *sums);
        for (int r = 0; r <= 2 * w; r++)
            for (int x = 0; x < width; x++)
                sums[x] += padded[x + r];
    }
    for (int y = 0; y < height; y++) {
        memset(line, 0, (size_t)width * sizeof *line);
        for (int r = -w; r <= w; r++) {
            const int32_t *sums = row_sums + (size_t)clamp(y + r, height - 1) * (size_t)width;
            for (int x = 0; x < width; x++)
                line[x] += sums[x];
        }
        for (int x = 0; x < width; x++)
            out[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)(line[x] / area);
    }
    free(line);
    free(padded);
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

int main(int count, char **arguments) {
    int width, height, w = count == 4 ? atoi(arguments[1]) : 0;
    FILE *file = count == 4 ? fopen(arguments[2], "rb") : NULL;
    if (!file || fscanf(file, "P5 %d %d 255", &width, &height) != 2 || fgetc(file) == EOF)
        return fprintf(stderr, "plain W IN.pgm OUT.pgm\n"), 2;
    size_t points = (size_t)width * (size_t)height;
    uint8_t *in = malloc(points), *out = malloc(points);
    int32_t *row_sums = malloc(points * sizeof *row_sums);
    if (!in || !out || !row_sums || fread(in, 1, points, file) != points)
        return fprintf(stderr, "%s cannot be read\n", arguments[2]), 3;
    double least = 1e300;
    for (int i = 0; i < 10; i++) {
        double begin = now_ms();
        blur(in, out, row_sums, width, height, w);
        double took = now_ms() - begin;
        least = took < least ? took : least;
    }
    FILE *result = fopen(arguments[3], "wb");
    if (!result || fprintf(result, "P5\n%d %d\n255\n", width, height) < 0 ||
        fwrite(out, 1, points, result) != points || fclose(result) != 0)
        return fprintf(stderr, "%s cannot be written\n", arguments[3]), 3;
    printf("%.3f\n", least);
    return 0;
}
