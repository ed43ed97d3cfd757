/* bench_difference.c -- the difference of outputs from the first entry's, if float sums may be
 * reordered: the greatest difference of two elements, relative to the greater of them.
 */
#include "driver/commands/bench.h"
#include "driver/image/image.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double number_at(const hlc_image *image, size_t i) {
    const void *data = image->data;
    bool is_signed = image->kind == HLC_INT;
    if (image_kind_is_float(image->kind))
        return image_float(image->kind, image->bits,
                           (const unsigned char *)data + i * (size_t)image->bits / 8);
    switch (image->bits) {
    case 64:
        return is_signed ? (double)((const int64_t *)data)[i] : (double)((const uint64_t *)data)[i];
    case 32:
        return is_signed ? (double)((const int32_t *)data)[i] : (double)((const uint32_t *)data)[i];
    case 16:
        return is_signed ? (double)((const int16_t *)data)[i] : (double)((const uint16_t *)data)[i];
    default: /* 8, and bools */
        return is_signed ? (double)((const int8_t *)data)[i] : (double)((const uint8_t *)data)[i];
    }
}

static size_t count_of(const hlc_image *image) {
    size_t count = 1;
    for (int d = 0; d < image->dimensions; d++)
        count *= (size_t)image->extent[d];
    return count;
}

/* NaN differs from a number by the maximum. */
static double share(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double part = fabs(a - b) / fmax(fabs(a), fabs(b));
    return isnan(part) ? INFINITY : part;
}

void bench_keep_first(BenchSubject *subject) {
    size_t count = 0, at = 0, outputs = hlc_arguments_output_count(subject->arguments);
    for (size_t o = 0; o < outputs; o++)
        count += count_of(hlc_arguments_output(subject->arguments, o));
    subject->first = malloc((count + 1) * sizeof *subject->first);
    for (size_t o = 0; o < outputs && subject->first; o++) {
        const hlc_image *image = hlc_arguments_output(subject->arguments, o);
        for (size_t i = 0; i < count_of(image); i++)
            subject->first[at++] = number_at(image, i);
    }
}

double bench_difference(const BenchSubject *subject) {
    double worst = 0;
    size_t at = 0, outputs = hlc_arguments_output_count(subject->arguments);
    for (size_t o = 0; o < outputs && subject->first; o++) {
        const hlc_image *image = hlc_arguments_output(subject->arguments, o);
        for (size_t i = 0; i < count_of(image); i++)
            worst = fmax(worst, share(number_at(image, i), subject->first[at++]));
    }
    return worst;
}
