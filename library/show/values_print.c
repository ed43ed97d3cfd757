/* values_print.c -- prints the values of funcs as JSON: pictures, histograms and points.
 *
 * A picture has at most PICTURE_SIDE pixels a side (inputs and outputs: LARGE_SIDE). A pixel is the
 * mean of a block of points, of which at most 4 by 4 are looked at. Other dimensions than the first two
 * become planes, at most MOST_PLANES. A pixel is a byte: 0 to 254 for the range that is shown, 255
 * for a block that holds a NaN. The range is that of the values without the outermost half percent at
 * each end; [0, 1] and [0, 255] for what looks like a picture.
 *
 * A probe is a point with its value, the values around it and what its definition read. The funcs are
 * taken from the last to the first, so what a probe read becomes a probe of the func that was read,
 * while there is room.
 */
#include "library/show/values.h"

#include "checkers/reference/engine/reference.h"
#include "ir/value.h"
#include "library/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PICTURE_SIDE = 112, LARGE_SIDE = 320, MOST_PLANES = 4, LOOKS = 4 };
enum { GRID = 4, MOST_PROBES = 36, MOST_READS = 36, AROUND = 2 };

/* A point costs as much as so many iterations of a reduction, at least; all points of a func, at
 * most. */
static const double PROBE_ITERATIONS = 100, MOST_ITERATIONS = 3e6;

/* Lanes of the reference for a point. They hold all iterations of a short reduction, so the reads come
 * in the same order as with more lanes. */
enum { PROBE_LANES = 32 };

/* ---- numbers ---- */

static void put_number(double value, FILE *out) {
    if (isfinite(value))
        fprintf(out, "%.9g", value);
    else
        fputs("null", out);
}

static void put_point(const int64_t *point, int dimensions, FILE *out) {
    fputc('[', out);
    for (int d = 0; d < dimensions; d++)
        fprintf(out, "%s%" PRId64, d ? "," : "", point[d]);
    fputc(']', out);
}

static void put_value(Type type, Bits bits, FILE *out) {
    char text[64];
    value_print(type, bits, text, sizeof text);
    json_text(text, out);
}

/* ---- statistics ---- */

static void print_statistics(const Image *image, const ValueStatistics *statistics, FILE *out) {
    fprintf(out,
            ",\"points\":%" PRId64 ",\"samples\":%.0f,\"nans\":%.0f,\"least\":", image_count(image),
            statistics->samples, statistics->nans);
    put_number(statistics->finite ? statistics->least : NAN, out);
    fputs(",\"greatest\":", out);
    put_number(statistics->finite ? statistics->greatest : NAN, out);
    fputs(",\"mean\":", out);
    put_number(statistics->finite ? statistics->sum / statistics->finite : NAN, out);
    fputs(",\"low\":", out);
    put_number(statistics->low, out);
    fputs(",\"high\":", out);
    put_number(statistics->high, out);
    fputs(",\"bins\":[", out);
    for (int i = 0; i < VALUE_BINS; i++)
        fprintf(out, "%s%.0f", i ? "," : "", statistics->bins[i]);
    fputc(']', out);
}

/* ---- pictures ---- */

static void put_base64(Arena *arena, const unsigned char *bytes, size_t length, FILE *out) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = arena_allocate(arena, length / 3 * 4 + 6), *at = text;
    *at++ = '"';
    for (size_t i = 0; i < length; i += 3) {
        unsigned word = (unsigned)bytes[i] << 16;
        word |= i + 1 < length ? (unsigned)bytes[i + 1] << 8 : 0;
        word |= i + 2 < length ? bytes[i + 2] : 0;
        *at++ = DIGITS[word >> 18];
        *at++ = DIGITS[word >> 12 & 63];
        *at++ = i + 1 < length ? DIGITS[word >> 6 & 63] : '=';
        *at++ = i + 2 < length ? DIGITS[word & 63] : '=';
    }
    *at++ = '"';
    fwrite(text, 1, (size_t)(at - text), out);
}

/* Pixel `i` of `count` stands for the coordinates from the result on. */
static int64_t block_start(const Image *image, int d, int64_t i, int64_t count) {
    return image->minimum[d] + image->extent[d] * i / count;
}

/* The looks at a row of pixels: `count` columns, of which pixel `x` has those from `first[x]` on. */
typedef struct PixelRow {
    int64_t columns[LARGE_SIDE * LOOKS];
    size_t first[LARGE_SIDE + 1];
    double values[LARGE_SIDE * LOOKS], sums[LARGE_SIDE];
} PixelRow;

static void choose_columns(const Image *image, int64_t width, PixelRow *row) {
    size_t count = 0;
    for (int64_t x = 0; x < width; x++) {
        int64_t start = block_start(image, 0, x, width);
        int64_t length = block_start(image, 0, x + 1, width) - start;
        int64_t looks = length < LOOKS ? length : LOOKS;
        row->first[x] = count;
        for (int64_t i = 0; i < looks; i++)
            row->columns[count++] = start + length * i / looks - image->minimum[0];
    }
    row->first[width] = count;
}

/* Sums the looks at row `y` of `height` pixels. Returns how many rows of the image were looked at. */
static int64_t sum_row(const Image *image, int64_t *at, int64_t width, int64_t y, int64_t height,
                       PixelRow *row) {
    int64_t start = 0, length = 1;
    if (image->dimensions > 1) {
        start = block_start(image, 1, y, height);
        length = block_start(image, 1, y + 1, height) - start;
    }
    int64_t looks = length < LOOKS ? length : LOOKS;
    memset(row->sums, 0, sizeof row->sums);
    at[0] = image->minimum[0];
    for (int64_t j = 0; j < looks; j++) {
        if (image->dimensions > 1)
            at[1] = start + length * j / looks;
        values_row(image, at, row->columns, row->first[width], row->values);
        for (int64_t x = 0; x < width; x++)
            for (size_t i = row->first[x]; i < row->first[x + 1]; i++)
                row->sums[x] += row->values[i];
    }
    return looks;
}

static unsigned char pixel(double mean, const ValueStatistics *statistics) {
    if (isnan(mean))
        return 255;
    return (unsigned char)values_bin(mean, statistics->low, statistics->high, 255);
}

static void print_plane(Arena *arena, const Image *image, const ValueStatistics *statistics,
                        int64_t *at, const int64_t *size, FILE *out) {
    unsigned char *bytes = arena_allocate(arena, (size_t)(size[0] * size[1]) + 1);
    PixelRow row;
    choose_columns(image, size[0], &row);
    for (int64_t y = 0; y < size[1]; y++) {
        int64_t rows = sum_row(image, at, size[0], y, size[1], &row);
        for (int64_t x = 0; x < size[0]; x++) {
            double count = (double)(rows * (int64_t)(row.first[x + 1] - row.first[x]));
            bytes[y * size[0] + x] = pixel(row.sums[x] / count, statistics);
        }
    }
    fputs("{\"at\":", out);
    put_point(at + 2, image->dimensions > 2 ? image->dimensions - 2 : 0, out);
    fputs(",\"bytes\":", out);
    put_base64(arena, bytes, (size_t)(size[0] * size[1]), out);
    fputc('}', out);
}

static void print_pictures(Arena *arena, const Image *image, const ValueStatistics *statistics,
                           int64_t side, FILE *out) {
    int64_t size[2] = {1, 1}, at[MAX_IMAGE_DIMENSIONS] = {0}, planes = 1;
    int64_t longest = 1;
    for (int d = 0; d < 2 && d < image->dimensions; d++)
        longest = image->extent[d] > longest ? image->extent[d] : longest;
    for (int d = 0; d < 2 && d < image->dimensions; d++) {
        size[d] = longest > side ? image->extent[d] * side / longest : image->extent[d];
        size[d] = size[d] < 1 ? 1 : size[d];
    }
    for (int d = 2; d < image->dimensions; d++)
        planes *= image->extent[d];
    int64_t shown = planes < MOST_PLANES ? planes : MOST_PLANES;
    fprintf(out,
            ",\"width\":%" PRId64 ",\"height\":%" PRId64 ",\"planes_of\":%" PRId64 ",\"planes\":[",
            size[0], size[1], planes);
    for (int64_t i = 0; i < shown && image->dimensions > 0; i++) {
        int64_t plane = shown > 1 ? i * (planes - 1) / (shown - 1) : 0;
        for (int d = 2; d < image->dimensions; plane /= image->extent[d], d++)
            at[d] = image->minimum[d] + plane % image->extent[d];
        fputs(i ? "," : "", out);
        print_plane(arena, image, statistics, at, size, out);
    }
    fputc(']', out);
}

/* ---- probes ---- */

static bool is_inside(const Image *image, const int64_t *at) {
    for (int d = 0; d < image->dimensions; d++)
        if (at[d] < image->minimum[d] || at[d] >= image->minimum[d] + image->extent[d])
            return false;
    return true;
}

static void add_probe(Arena *arena, Probes *probes, const Image *image, const int64_t *at) {
    Probe probe = {{0}};
    memcpy(probe.at, at, sizeof *at * (size_t)image->dimensions);
    if (probes->length == MOST_PROBES || !is_inside(image, probe.at))
        return;
    for (size_t i = 0; i < probes->length; i++)
        if (memcmp(&probes->data[i], &probe, sizeof probe) == 0)
            return;
    vec_push(arena, probes, probe);
}

/* A grid over the first two dimensions, in the middle of the others. */
static void add_grid(Arena *arena, Probes *probes, const Image *image) {
    int64_t count[2] = {1, 1}, at[MAX_IMAGE_DIMENSIONS];
    if (image_count(image) == 0)
        return;
    for (int d = 0; d < image->dimensions; d++) {
        at[d] = image->minimum[d] + image->extent[d] / 2;
        if (d < 2)
            count[d] = image->extent[d] < GRID ? image->extent[d] : GRID;
    }
    for (int64_t j = 0; j < count[1]; j++)
        for (int64_t i = 0; i < count[0]; i++) {
            if (image->dimensions > 0)
                at[0] = image->minimum[0] + image->extent[0] * (2 * i + 1) / (2 * count[0]);
            if (image->dimensions > 1)
                at[1] = image->minimum[1] + image->extent[1] * (2 * j + 1) / (2 * count[1]);
            add_probe(arena, probes, image, at);
        }
}

static void print_around(const Image *image, const Probe *probe, FILE *out) {
    int64_t from[2] = {0, 0}, to[2] = {0, 0}, at[MAX_IMAGE_DIMENSIONS];
    memcpy(at, probe->at, sizeof at);
    for (int d = 0; d < 2 && d < image->dimensions; d++) {
        int64_t last = image->minimum[d] + image->extent[d] - 1;
        from[d] = probe->at[d] - AROUND;
        from[d] = from[d] < image->minimum[d] ? image->minimum[d] : from[d];
        to[d] = probe->at[d] + AROUND > last ? last : probe->at[d] + AROUND;
    }
    fprintf(out, ",\"from\":[%" PRId64 ",%" PRId64 "],\"columns\":%" PRId64 ",\"around\":[",
            from[0], from[1], to[0] - from[0] + 1);
    for (int64_t y = from[1]; y <= to[1]; y++)
        for (int64_t x = from[0]; x <= to[0]; x++) {
            at[0] = image->dimensions > 0 ? x : 0;
            if (image->dimensions > 1)
                at[1] = y;
            fputs(x > from[0] || y > from[1] ? "," : "", out);
            put_value(image->type, bits_load(image->type, image_at(image, at)), out);
        }
    fputc(']', out);
}

/* Lists of probes, one for each of `all->values`. */
typedef struct ProbeLists {
    const AllValues *all;
    Probes *lists;
    double *samples; /* for values_look_at */
} ProbeLists;

static void ask_for(const ProbeLists *probes, const ReferenceRead *read) {
    const AllValues *all = probes->all;
    for (size_t i = 0; i < all->values.length; i++) {
        const ShownValues *values = &all->values.data[i];
        if (values->name == read->name && (values->component < 0 || values->component == 0))
            add_probe(all->h->scratch, &probes->lists[i], values->image, read->point);
    }
}

static void print_reads(const ProbeLists *probes, const Signature *signature,
                        const ReferenceReads *reads, FILE *out) {
    size_t shown = reads->length < MOST_READS ? reads->length : MOST_READS;
    fprintf(out, ",\"read_count\":%zu,\"reads\":[", reads->length);
    for (size_t i = 0; i < shown; i++) {
        const ReferenceRead *read = &reads->data[i];
        const FuncShape *shape = signature_func(signature, read->name);
        ask_for(probes, read);
        fputs(i ? ",[" : "[", out);
        json_text(read->name->text, out);
        fprintf(out, ",%d,", shape && shape->components > 1 ? read->component : -1);
        put_point(read->point, read->dimensions, out);
        fputc(',', out);
        put_value(read->type, read->value.bits, out);
        fputc(']', out);
    }
    fputc(']', out);
}

static void print_probe(const ProbeLists *probes, const ShownValues *values,
                        const ValueReading *reading, const Probe *probe, FILE *out) {
    const Image *image = values->image;
    fputs("{\"at\":", out);
    put_point(probe->at, image->dimensions, out);
    fputs(",\"value\":", out);
    put_value(image->type, bits_load(image->type, image_at(image, probe->at)), out);
    print_around(image, probe, out);
    if (reading) {
        Arena *arena = arena_create(&probes->all->h->context->memory);
        ReferenceReads reads = {0};
        Value *value = arena_array(arena, Value, values->func->shape->components);
        ReferenceOptions options = {.lanes = reading->iterations <= PROBE_LANES ? PROBE_LANES : 0};
        Outcome outcome = reference_point(reading->pipeline, arena, &reading->arguments, &options,
                                          values->name, probe->at, value, &reads);
        if (outcome.error == HLC_SUCCESS)
            print_reads(probes, &probes->all->pipeline->signature, &reads, out);
        arena_destroy(arena);
    }
    fputc('}', out);
}

static void print_probes(const ProbeLists *lists, size_t i, FILE *out) {
    const ShownValues *values = &lists->all->values.data[i];
    Probes *probes = &lists->lists[i];
    ValueReading reading = {.pipeline = NULL};
    const char *why_not = NULL;
    if (values->func && !values_reading(lists->all, values->func, &reading, &why_not))
        reading.pipeline = NULL;
    double most = MOST_ITERATIONS / (reading.iterations + PROBE_ITERATIONS);
    if (reading.pipeline && most < 1) {
        why_not = "its reductions are long";
        reading.pipeline = NULL;
    }
    if (why_not)
        json_member("no_reads", why_not, out);
    fputs(",\"probes\":[", out);
    for (size_t p = 0; p < probes->length; p++) {
        fputs(p ? ",\n" : "", out);
        bool is_read = reading.pipeline && (double)p < most;
        print_probe(lists, values, is_read ? &reading : NULL, &probes->data[p], out);
    }
    fputc(']', out);
}

/* ---- all ---- */

static void print_values(const ProbeLists *lists, size_t i, FILE *out) {
    const AllValues *all = lists->all;
    const ShownValues *values = &all->values.data[i];
    const Image *image = values->image;
    Arena *arena = all->h->scratch;
    bool is_large = !values->func;
    for (size_t k = 0; k < all->written->signature.outputs.length; k++)
        is_large |= all->written->signature.outputs.data[k].func == values->name;
    ValueStatistics statistics;
    values_look_at(image, lists->samples, &statistics);
    fputs("{\"name\":", out);
    json_text(values->name->text, out);
    fprintf(out, ",\"component\":%d", values->component);
    json_member("type", type_name(image->type), out);
    fputs(",\"minimum\":", out);
    put_point(image->minimum, image->dimensions, out);
    fputs(",\"extent\":", out);
    put_point(image->extent, image->dimensions, out);
    print_statistics(image, &statistics, out);
    print_pictures(arena, image, &statistics, is_large ? LARGE_SIDE : PICTURE_SIDE, out);
    print_probes(lists, i, out);
    fputc('}', out);
}

void values_print(const AllValues *all, FILE *out) {
    ProbeLists lists = {all, arena_array(all->h->scratch, Probes, all->values.length),
                        arena_array(all->h->scratch, double, MOST_VALUE_SAMPLES)};
    for (size_t i = 0; i < all->values.length; i++)
        add_grid(all->h->scratch, &lists.lists[i], all->values.data[i].image);
    fputc('[', out);
    for (size_t i = all->values.length; i-- > 0;) { /* what reads, before what is read */
        print_values(&lists, i, out);
        fputs(i ? ",\n" : "", out);
    }
    fputs("]\n", out);
}
