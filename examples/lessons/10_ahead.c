/* 10_ahead.c -- calls the pipeline of 10_ahead.hl: adds 5 to each element of a picture of 64x48. */
#include "ahead.h"

#include <stdio.h>

enum { WIDTH = 64, HEIGHT = 48, OFFSET = 5 };

int main(void) {
    static uint8_t from[HEIGHT][WIDTH], to[HEIGHT][WIDTH];
    halide_dimension_t dimensions[] = {{0, WIDTH, 1, 0}, {0, HEIGHT, WIDTH, 0}};
    halide_buffer_t input = {0}, output = {0};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            from[y][x] = (uint8_t)(3 * x + 7 * y);
    input.host = from[0], output.host = to[0];
    input.type.code = halide_type_uint, input.type.bits = 8, input.type.lanes = 1;
    output.type = input.type;
    input.dimensions = output.dimensions = 2;
    input.dim = output.dim = dimensions;
    int error = ahead(&input, OFFSET, &output);
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += to[y][x] != (uint8_t)(from[y][x] + OFFSET);
    printf("error %d, %d wrong of %d\n", error, wrong, WIDTH * HEIGHT);
    return error || wrong;
}
