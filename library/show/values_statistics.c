/* values_statistics.c -- the range and the histogram of a func's values.
 *
 * They are of all points, or of a regular grid of at most MOST_VALUE_SAMPLES of them. The values are
 * converted once, a row at a time, because the conversion costs more than all that is done with them.
 */
#include "library/show/values.h"

#include "ir/value.h"

#include <math.h>
#include <string.h>

enum { FINE_BINS = 2048, ROW = 512 };

/* ---- sampling ---- */

/* The types of most images; C converts them as the language does. */
#define EACH_TYPE(ROW)                                                                             \
    ROW(TYPE_UINT, 8, uint8_t)                                                                     \
    ROW(TYPE_UINT, 16, uint16_t)                                                                   \
    ROW(TYPE_UINT, 32, uint32_t)                                                                   \
    ROW(TYPE_INT, 8, int8_t)                                                                       \
    ROW(TYPE_INT, 16, int16_t)                                                                     \
    ROW(TYPE_INT, 32, int32_t)                                                                     \
    ROW(TYPE_FLOAT, 32, float)                                                                     \
    ROW(TYPE_FLOAT, 64, double)
#define CONVERT(KIND, BITS, C)                                                                     \
    if (image->type.kind == KIND && image->type.bits == BITS) {                                    \
        for (size_t i = 0; i < count; i++) {                                                       \
            C value;                                                                               \
            memcpy(&value, (const void *)(start + (uint64_t)columns[i] * stride), sizeof value);   \
            values[i] = (double)value;                                                             \
        }                                                                                          \
        return;                                                                                    \
    }

void values_row(const Image *image, const int64_t *at, const int64_t *columns, size_t count,
                double *values) {
    uintptr_t start = (uintptr_t)image_at(image, at);
    uint64_t stride = (uint64_t)type_bytes(image->type);
    if (image->dimensions > 0)
        stride *= (uint64_t)image->stride[0];
    EACH_TYPE(CONVERT)
    for (size_t i = 0; i < count; i++) {
        const void *address = (const void *)(start + (uint64_t)columns[i] * stride);
        values[i] = bits_to_double(image->type, bits_load(image->type, address));
    }
}

static int64_t count_steps(const Image *image, const int64_t *step) {
    int64_t count = 1;
    for (int d = 0; d < image->dimensions; d++)
        count *= (image->extent[d] + step[d] - 1) / step[d];
    return count;
}

/* Every second row, then every second column, and so on. */
static void choose_steps(const Image *image, int64_t *step) {
    for (int d = 0; d < MAX_IMAGE_DIMENSIONS; d++)
        step[d] = 1;
    for (int d = image->dimensions > 1; count_steps(image, step) > MOST_VALUE_SAMPLES;
         d = (d + 1) % image->dimensions)
        if (image->extent[d] > step[d])
            step[d] *= 2;
}

/* Writes the values of a regular grid to `samples`, the first dimension innermost. Returns how many. */
static size_t take_samples(const Image *image, double *samples) {
    int64_t at[MAX_IMAGE_DIMENSIONS], step[MAX_IMAGE_DIMENSIONS], count = 1;
    size_t taken = 0;
    if (image_count(image) == 0)
        return 0;
    choose_steps(image, step);
    if (image->dimensions > 0)
        count = (image->extent[0] + step[0] - 1) / step[0];
    int64_t columns[ROW];
    for (int64_t i = 0; i < ROW; i++)
        columns[i] = i * step[0];
    memcpy(at, image->minimum, sizeof at);
    for (;;) {
        for (int64_t i = 0; i < count; i += ROW) {
            int64_t length = count - i < ROW ? count - i : ROW;
            at[0] = image->minimum[0] + i * step[0];
            values_row(image, at, columns, (size_t)length, samples + taken);
            taken += (size_t)length;
        }
        int d = 1;
        while (d < image->dimensions &&
               (at[d] += step[d]) >= image->minimum[d] + image->extent[d]) {
            at[d] = image->minimum[d];
            d++;
        }
        if (d >= image->dimensions)
            return taken;
    }
}

/* ---- range and histogram ---- */

static void find_range(const double *samples, size_t count, ValueStatistics *statistics) {
    statistics->samples = (double)count;
    for (size_t i = 0; i < count; i++) {
        double value = samples[i];
        statistics->nans += isnan(value);
        if (!isfinite(value))
            continue;
        if (statistics->finite == 0 || value < statistics->least)
            statistics->least = value;
        if (statistics->finite == 0 || value > statistics->greatest)
            statistics->greatest = value;
        statistics->finite++;
        statistics->sum += value;
    }
}

int values_bin(double value, double low, double high, int bins) {
    double share = high > low ? (value - low) / (high - low) : 0;
    int bin = (int)(share * bins);
    return bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
}

/* The range without the outermost half percent at each end. */
static void find_shown(ValueStatistics *statistics, const double *fine) {
    double width = (statistics->greatest - statistics->least) / FINE_BINS;
    double outside = 0.005 * statistics->finite, sum = 0;
    int low = 0, high = FINE_BINS - 1;
    while (low < high && (sum += fine[low]) <= outside)
        low++;
    sum = 0;
    while (high > low && (sum += fine[high]) <= outside)
        high--;
    statistics->low = statistics->least + low * width;
    statistics->high = statistics->least + (high + 1) * width;
}

void values_look_at(const Image *image, double *samples, ValueStatistics *statistics) {
    double fine[FINE_BINS] = {0};
    size_t count = take_samples(image, samples);
    *statistics = (ValueStatistics){0};
    find_range(samples, count, statistics);
    for (size_t i = 0; i < count; i++)
        if (isfinite(samples[i]))
            fine[values_bin(samples[i], statistics->least, statistics->greatest, FINE_BINS)]++;
    for (int i = 0; i < FINE_BINS; i++)
        statistics->bins[i * VALUE_BINS / FINE_BINS] += fine[i];
    find_shown(statistics, fine);
    bool is_byte = image->type.kind == TYPE_UINT && image->type.bits == 8;
    bool is_unit = type_is_float(image->type) && statistics->least >= 0 &&
                   statistics->greatest <= 1.0001 && statistics->greatest > 0.5;
    if (is_byte && image->dimensions > 1 && statistics->greatest > 127) {
        statistics->low = 0;
        statistics->high = 255;
    } else if (is_unit) {
        statistics->low = 0;
        statistics->high = 1;
    } else if (statistics->low < 0 && statistics->high > 0) { /* zero in the middle */
        statistics->high = fmax(statistics->high, -statistics->low);
        statistics->low = -statistics->high;
    }
}
