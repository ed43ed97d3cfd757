/* external.h -- funcs of random programs that C functions compute: the functions, and their calls.
 *
 *     fun f2(x, y): u8 = extern "fuzz_mix_11"(f0(x + -1..x + 1, y + -1..y + 1), -1, 1);
 *
 * A failing case calls functions.c. To run it by `hlc check`, make that file a shared object
 * (`cc -shared -fPIC -I. checkers/fuzz/external/functions.c`) and name it with --extern.
 */
#ifndef HLC_CHECKERS_FUZZ_EXTERNAL_EXTERNAL_H
#define HLC_CHECKERS_FUZZ_EXTERNAL_EXTERNAL_H

#include "checkers/fuzz/generate.h"
#include "runtime/hlc_runtime.h"

/* Each value is made of all elements of its boxes, [p + low, p + high] around the point p. The last
 * dimension of the output stands for further ones of an input. Float outputs have 32 or 64 bits. The
 * first digit is the number of inputs, the second that of outputs. */
int fuzz_mix_11(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out);
int fuzz_mix_12(halide_buffer_t *a, int32_t low, int32_t high, halide_buffer_t *out,
                halide_buffer_t *out1);
int fuzz_mix_21(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out);
int fuzz_mix_22(halide_buffer_t *a, halide_buffer_t *b, int32_t low, int32_t high,
                halide_buffer_t *out, halide_buffer_t *out1);

/* Makes the functions known to the context's programs. */
void external_register(Context *context);
/* Lets a C function compute the func, which reads earlier funcs or images; false if nothing can be
 * read. */
bool external_generate(Arena *arena, RandomSource *random, Case *fuzz_case, int number);

#endif
